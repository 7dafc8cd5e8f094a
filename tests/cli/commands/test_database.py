"""`setmargin database verify`, and what `serve` says of a damaged database before it starts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from setmargin.cli.commands.serve import _check_store
from setmargin.server.store import Store
from tests.cli.running import Shell


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with one interview of two events."""
    with Store.open(f"sqlite:///{tmp_path}/setmargin.db") as store:
        id = store.start(store.put_catalogue("tea", {"catalogue": "tea"}).digest, {"name": "random"}, 1, id="one").id
        for number in range(2):
            store.append(id, {"require": f"cup = {number}"}, after=number)
    return tmp_path / "setmargin.db"


def spoil(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM events WHERE number = 1")


def test_a_sound_database_is_said_to_be_sound(shell: Shell, file: Path) -> None:
    result = shell("database", "verify", "--database", f"sqlite:///{file}")
    assert (result.code, result.out) == (0, "1 interviews, 2 events, 0 questions: all as they were written\n")
    assert shell("database", "verify", "--json", "--database", f"sqlite:///{file}").document == {
        "interviews": 1,
        "events": 2,
        "questions": 0,
        "complete": True,
        "damages": [],
    }


def test_a_deleted_row_is_named_by_interview_and_place(shell: Shell, file: Path) -> None:
    spoil(file)
    result = shell("database", "verify", "--database", f"sqlite:///{file}")
    assert result.code == 1
    assert "  interview one, place 1: missing: event 1 of 2 is missing\n" in result.out
    result = shell("database", "verify", "--json", "--database", f"sqlite:///{file}")
    assert result.code == 1
    assert result.document["damages"] == [
        {"interview": "one", "place": 1, "kind": "missing", "detail": "event 1 of 2 is missing"}
    ]


def test_no_database_is_a_mistake_in_one_line(shell: Shell, tmp_path: Path) -> None:
    result = shell("database", "verify", "--database", f"sqlite:///{tmp_path}/none.db")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "there is no database" in result.err
    assert not (tmp_path / "none.db").exists()


def test_a_server_says_before_it_starts_that_its_database_is_damaged(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _check_store(f"sqlite:///{file}")
    assert capsys.readouterr().err == ""
    spoil(file)
    _check_store(f"sqlite:///{file}")
    assert "one interview is not as written; see setmargin database verify" in capsys.readouterr().err


def test_catalogues_are_withdrawn_and_brought_back(
    shell: Shell, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--database", f"sqlite:///{file}")
    assert "put by the owner" in shell("database", "catalogues", *where).out
    assert shell("database", "withdraw", "tea", *where).out == "tea is withdrawn; interviews that were begun go on\n"
    assert shell("database", "catalogues", "--json", *where).document[0]["withdrawn"] is not None
    _check_store(f"sqlite:///{file}", [{"catalogue": "tea"}])
    assert "tea is withdrawn and not offered; setmargin database offer tea" in capsys.readouterr().err
    assert "tea is offered again" in shell("database", "offer", "tea", *where).out
    wrong = shell("database", "withdraw", "te", *where)
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "there is no catalogue 'te'" in wrong.err


def test_a_backup_is_restored_to_another_place_and_to_no_place_that_is_taken(
    shell: Shell, file: Path, tmp_path: Path
) -> None:
    where, copy = ("--database", f"sqlite:///{file}"), str(tmp_path / "copy.db")
    assert (
        "1 interviews, 2 events, 0 questions: all as they were written" in shell("database", "backup", copy, *where).out
    )
    refused = shell("database", "restore", copy, *where)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "nothing is overwritten" in refused.err
    other = ("--database", f"sqlite:///{tmp_path}/other.db")
    assert "restored from" in shell("database", "restore", copy, *other).out
    assert shell("database", "verify", *other).out == shell("database", "verify", *where).out
