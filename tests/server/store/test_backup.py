"""A backup of either database, made while it is written to, becomes an equal database of either kind, or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import select

from setmargin.server.errors import StoreError
from setmargin.server.store import GivenQuestion, Store
from setmargin.server.store.backup import COPIED, back_up, restore
from setmargin.server.store.noted import note_refusal, note_result_seen
from setmargin.server.store.offering import withdraw
from tests.server.store.talk import answer, begin, progress


@pytest.fixture
def filled(store: Store) -> Store:
    """Something in every table that a server fills by itself."""
    for number in range(3):
        it = begin(store)
        store.give(it.id, 0, GivenQuestion("", None))
        store.append(it.id, {"require": "cup = 1"}, after=0, key=str(number), progress=progress(1), state=b"{}")
        store.share(it.id, 1, {"result": {}})
    note_result_seen(store, it.id)
    note_refusal(store, "cup = 1", [], digest=it.digest)
    store.put_prior("tea", 1, {}, digest=it.digest, source="given", people=None)
    withdraw(store, "tea")
    return store


def content(store: Store) -> dict[str, list[tuple[object, ...]]]:
    with store.snapshot() as connection:
        rows = {table.name: connection.execute(select(table)).all() for table in COPIED}
    return {name: sorted((tuple(row) for row in found), key=repr) for name, found in rows.items()}


@pytest.fixture(params=["sqlite", "postgres"])
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/restored.db"
    else:
        socket = request.getfixturevalue("postgres_socket")
        from tests.server import postgres

        with postgres.database(socket, "restored") as url:
            yield url


def test_a_restored_backup_is_the_same_in_every_table(
    filled: Store, database: str, elsewhere: str, tmp_path: Path
) -> None:
    file = tmp_path / "backup.db"
    assert back_up(database, file).interviews == 3
    assert file.stat().st_mode & 0o077 == 0
    assert restore(file, elsewhere).damages == ()
    with Store.existing(elsewhere) as store:
        found = content(store)
    assert found == content(filled)
    assert {name for name, rows in found.items() if rows} >= {"interviews", "events", "shelf", "refusals", "priors"}
    with pytest.raises(StoreError, match="nothing is overwritten"):
        restore(file, elsewhere)
    with pytest.raises(StoreError, match=r"backup.db is there already, and nothing is overwritten"):
        back_up(database, file)
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_a_backup_is_of_one_moment_while_people_answer(store: Store, database: str, tmp_path: Path) -> None:
    stop, begun = Event(), [begin(store).id for _ in range(4)]

    def answering() -> None:
        number = 0
        while not stop.is_set():
            for id in begun:  # always in this order, so never more than one ahead
                store.append(id, answer(0), after=number)
            number += 1

    thread = Thread(target=answering)
    thread.start()
    try:
        for number in range(2):
            assert back_up(database, tmp_path / f"{number}.db").damages == ()
    finally:
        stop.set()
        thread.join()
    with Store.existing(f"sqlite:///{tmp_path}/1.db") as copy:
        versions = [copy.version_of(id) for id in begun]
    assert versions == sorted(versions, reverse=True)
    assert versions[0] - versions[-1] <= 1


def test_what_is_damaged_or_no_backup_is_refused_and_nothing_is_left(
    filled: Store,  # noqa: ARG001
    database: str,
    tmp_path: Path,
) -> None:
    file, target = tmp_path / "backup.db", tmp_path / "restored.db"
    back_up(database, file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE events SET body = '{}' WHERE interview = (SELECT max(id) FROM interviews)")
    with pytest.raises(StoreError, match=r"is damaged in .* event 1, .*--damaged"):
        restore(file, f"sqlite:///{target}")
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE something (else_ TEXT)")
    with pytest.raises(StoreError, match="is no backup of setmargin"):
        restore(other, f"sqlite:///{target}")
    (tmp_path / "text.db").write_text("this is no database at all" * 100)
    with pytest.raises(StoreError, match="not a database"):
        restore(tmp_path / "text.db", f"sqlite:///{target}")
    with pytest.raises(StoreError, match="there is no backup"):
        restore(tmp_path / "none.db", f"sqlite:///{target}")
    assert not target.exists()
    assert restore(file, f"sqlite:///{target}", damaged=True).damages
