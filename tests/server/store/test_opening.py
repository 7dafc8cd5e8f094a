"""Databases that can be used, and what is said about those that cannot."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from setmargin.server.errors import StoreError
from setmargin.server.store import Store
from setmargin.server.store.engine import Purpose, connect, parse
from tests.server import postgres
from tests.server.store.talk import begin


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "no URL of a database; give sqlite:///setmargin.db"),
        ("", "no URL of a database"),
        ("mysql://me:secret@host/name", "there is no store for mysql; give sqlite:///"),
        ("sqlite://", "would lose every answer; give a file"),
        ("sqlite:///:memory:", "would lose every answer; give a file"),
        ("sqlite:////nowhere/at/all.db", "unable to open database file; create its directory"),
        ("postgresql://me:secret@127.0.0.1:1/name", "see that the server runs and can be reached"),
        ("postgres://me:secret@127.0.0.1:1/name?password=secret", "see that the server runs and can be reached"),
        ("postgresql://me:secret@127.0.0.1:port/name", "no URL of a database"),
    ],
)
def test_an_unusable_url_is_an_error_with_a_cure_and_without_the_password(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words) as caught:
        Store.open(url)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear customer, " * 100)
    with pytest.raises(StoreError, match="another kind of file; choose another place"):
        Store.open(f"sqlite:///{file}")
    assert file.read_text() == "Dear customer, " * 100


def test_a_file_that_cannot_be_written_says_so_when_it_is_opened(sqlite_url: str) -> None:
    Store.open(sqlite_url).close()
    path = sqlite_url.removeprefix("sqlite:///")
    with pytest.raises(StoreError, match="make the file and its directory writable"):
        Store.open(f"sqlite:///file:{path}?mode=ro&uri=true")


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"install setmargin\[postgres\]"):
        Store.open("postgresql://me@127.0.0.1:1/name")


def test_every_way_of_writing_postgresql_means_psycopg() -> None:
    for scheme in ("postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2"):
        assert parse(f"{scheme}://me@host/name").drivername == "postgresql+psycopg"


def asked(url: str, purpose: Purpose, *questions: str) -> list[object]:
    """What the database says about itself inside a transaction of this kind."""
    engine = connect(url)

    def ask(connection: Connection) -> list[object]:
        return [connection.exec_driver_sql(question).scalar() for question in questions]

    with engine.execution_options(purpose=purpose).begin() as connection:
        answers = ask(connection)
    engine.dispose()
    return answers


@pytest.mark.parametrize(("purpose", "synchronous"), [("write", 2), ("cache", 1)])
def test_sqlite_waits_for_the_disk_with_an_answer_and_not_with_a_cache(
    sqlite_url: str, purpose: Purpose, synchronous: int
) -> None:
    questions = [f"PRAGMA {each}" for each in ("synchronous", "journal_mode", "foreign_keys", "busy_timeout")]
    assert asked(sqlite_url, purpose, *questions) == [synchronous, "wal", 1, 1500]


@pytest.mark.parametrize(("purpose", "synchronous"), [("write", "on"), ("cache", "off"), ("read", "on")])
def test_postgresql_waits_for_the_disk_with_an_answer_and_not_with_a_cache(
    postgres_url: str, purpose: Purpose, synchronous: str
) -> None:
    assert asked(postgres_url, purpose, "SHOW synchronous_commit") == [synchronous]


def test_readers_do_not_wait_for_a_writer(store: Store, database: str) -> None:
    begun = begin(store)
    engine = connect(database)
    with engine.execution_options(purpose="write").begin() as connection:
        connection.exec_driver_sql("UPDATE interviews SET version = 7")
        assert store.interview(begun.id) == begun
        connection.rollback()
    engine.dispose()


def test_a_database_that_went_away_is_an_error_with_a_cure() -> None:
    try:
        with postgres.running() as socket, postgres.database(socket, "short") as url:
            store = Store.open(url)
            store.ping()
    except postgres.NoPostgres as reason:
        pytest.skip(str(reason))
    with pytest.raises(StoreError, match="see that the server runs and can be reached"):
        store.ping()
    store.close()


END_OTHERS = """SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"""


def test_a_connection_that_broke_is_replaced(postgres_url: str) -> None:
    with Store.open(postgres_url) as store:
        id = begin(store).id
        assert asked(postgres_url, "write", END_OTHERS) != [0]
        assert store.interview(id).id == id


def test_a_damaged_file_is_an_error_with_a_cure(sqlite_url: str) -> None:
    with Store.open(sqlite_url) as store:
        begin(store)
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    body = path.read_bytes()
    path.write_bytes(body[:4096] + b"\xff" * (len(body) - 4096))
    with pytest.raises(StoreError, match="restore a backup"):
        Store.open(sqlite_url).catalogues()


def test_a_connection_that_is_in_use_when_the_store_closes_is_closed_as_well(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'setmargin.db'}")
    with store._reading.connect() as connection:
        used = connection.connection.dbapi_connection
        assert used is not None
        store.close()
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        used.cursor()


def test_a_connection_that_cannot_write_is_opened_again(tmp_path: Path) -> None:
    """One that was opened while the disk was read-only stays so; this one is made to."""
    engine = connect(f"sqlite:///{tmp_path / 'some.db'}").execution_options(purpose="write")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA query_only = ON")
        with pytest.raises(OperationalError, match="readonly"), engine.connect() as connection:
            connection.exec_driver_sql("CREATE TABLE first (id)")
        with engine.connect() as connection:
            connection.exec_driver_sql("CREATE TABLE second (id)")
    finally:
        engine.dispose()
