from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from setmargin.server.errors import UnknownInterview
from setmargin.server.store import Store
from setmargin.server.store.database import now
from tests.cli.running import Shell
from tests.server.store.talk import begin


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/setmargin.db"


def test_interviews_are_forgotten_by_their_ids_or_by_their_age(database: str, shell: Shell) -> None:
    with Store.open(database, clock=lambda: now() - timedelta(days=40)) as store:
        old = begin(store).id
    with Store.open(database) as store:
        new, other = begin(store).id, begin(store).id
        assert shell("database", "forget", "--days", "30", "--database", database).out == "1 interview is forgotten\n"
        assert shell("database", "forget", new, "--database", database).out == "1 interview is forgotten\n"
        for id in (old, new):
            with pytest.raises(UnknownInterview):
                store.version_of(id)
        assert store.version_of(other) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give the ids of interviews, or --days"),
        (["--days", "0"], "--days is 0; give more than 0"),
        (["nobody"], "there is no interview with this id"),
    ],
)
def test_what_cannot_be_forgotten_is_said(database: str, shell: Shell, options: list[str], message: str) -> None:
    Store.open(database).close()
    result = shell("database", "forget", *options, "--database", database)
    assert result.code == 2
    assert message in result.err
