"""A database that others hold, that is slow, or that is no longer there: an error in time, and readers go on."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic

import pytest
from sqlalchemy import text

from setmargin.server.errors import StoreError
from setmargin.server.store import Store
from setmargin.server.store.engine import connect
from tests.server.store.talk import begin

IN_TIME = 2.0


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


@contextmanager
def held(url: str, id: str) -> Iterator[None]:
    """Another program has begun to write to the interview, and does not end."""
    engine = connect(url)
    with engine.execution_options(purpose="write").begin() as connection:
        connection.execute(text("UPDATE interviews SET version = version WHERE id = :id"), {"id": id})
        yield
        connection.rollback()
    engine.dispose()


def test_while_another_program_holds_the_database_writers_are_told_in_time_and_readers_go_on(
    store: Store, database: str
) -> None:
    begun = begin(store)
    with held(database, begun.id):
        began = monotonic()
        with pytest.raises(StoreError, match="another program holds it"):
            store.append(begun.id, {"undo": True}, after=0)
        assert monotonic() - began < IN_TIME
        assert store.interview(begun.id) == begun
    assert store.append(begun.id, {"undo": True}, after=0).version == 1


def test_whoever_waits_for_a_writer_of_the_same_server_waits_no_longer(sqlite_url: str) -> None:
    with Store.open(sqlite_url) as store:
        begun = begin(store)
        assert store._turns is not None
        with store._turns.alone(IN_TIME):
            began = monotonic()
            with pytest.raises(StoreError, match="database is locked"):
                store.append(begun.id, {"undo": True}, after=0)
            assert monotonic() - began < IN_TIME
            assert store.interview(begun.id) == begun
        assert store.append(begun.id, {"undo": True}, after=0).version == 1


def test_a_statement_of_postgresql_that_takes_too_long_is_an_error_in_time(postgres_url: str) -> None:
    with Store.open(postgres_url) as store:
        began = monotonic()
        with pytest.raises(StoreError, match="busy or stalled"), store.transaction("read") as connection:
            connection.execute(text("SELECT pg_sleep(30)"))
        assert monotonic() - began < IN_TIME
        store.ping()


def test_reports_may_take_longer(postgres_url: str) -> None:
    with Store.open(postgres_url) as store, store.transaction("report") as connection:
        assert connection.scalar(text("SHOW statement_timeout")) == "1min"
        assert connection.scalar(text("SHOW lock_timeout")) == "1min"


def test_an_answer_waits_for_the_disk_whatever_the_database_is_set_to(postgres_url: str) -> None:
    hasty = f"{postgres_url}%20-csynchronous_commit%3Doff"
    with Store.open(hasty) as store, store.transaction("write") as connection:
        assert connection.scalar(text("SHOW synchronous_commit")) == "on"


# Files


@pytest.mark.parametrize("gone", ["deleted", "replaced", "moved", "log deleted"])
def test_nothing_is_acknowledged_into_a_file_that_is_gone(sqlite_url: str, gone: str) -> None:
    path = path_of(sqlite_url)
    with Store.open(sqlite_url) as store:
        id = begin(store).id
        store.append(id, {"undo": True}, after=0)
        if gone == "deleted":
            path.unlink()
        elif gone == "moved":
            path.rename(path.with_suffix(".old"))
        elif gone == "replaced":
            shutil.copy(path, copy := path.with_suffix(".copy"))
            os.replace(copy, path)
        else:
            Path(f"{path}-wal").unlink()
        with pytest.raises(StoreError, match="was deleted or replaced while it was in use"):
            store.append(id, {"undo": True}, after=1)
        for call in (store.ping, store.try_write):
            with pytest.raises(StoreError, match="restore a backup, and start it again"):
                call()


def test_a_store_that_others_open_and_close_is_still_the_same(sqlite_url: str) -> None:
    with Store.open(sqlite_url) as store:
        id = begin(store).id
        with Store.open(sqlite_url) as other:
            other.append(id, {"undo": True}, after=0)
        with closing(sqlite3.connect(path_of(sqlite_url))) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("VACUUM")
        assert store.append(id, {"undo": True}, after=1).version == 2


def modes(url: str) -> set[int]:
    return {stat.S_IMODE(each.stat().st_mode) for each in path_of(url).parent.glob("setmargin.db*")}


def test_only_the_owner_can_read_the_files_of_a_database(sqlite_url: str) -> None:
    before = os.umask(0o022)
    try:
        with Store.open(sqlite_url) as store:
            begin(store)
            assert len(list(path_of(sqlite_url).parent.iterdir())) == 3
            assert modes(sqlite_url) == {0o600}
    finally:
        os.umask(before)


@pytest.mark.parametrize(("before", "after"), [(0o644, 0o600), (0o640, 0o640)])
def test_a_file_that_everybody_could_read_is_closed_and_one_for_a_group_stays(
    sqlite_url: str, before: int, after: int
) -> None:
    Store.open(sqlite_url).close()
    path_of(sqlite_url).chmod(before)
    with Store.open(sqlite_url) as store:
        begin(store)
        assert modes(sqlite_url) == {after}
