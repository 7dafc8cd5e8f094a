"""Reaching a database: from a URL to an engine, and from the driver's errors to ours."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from setmargin.server.errors import StoreError

# What a transaction is for: `cache` may be lost in a power cut and need not wait for the disk.
Purpose = Literal["read", "write", "cache"]

BUSY_SECONDS = 30
EXAMPLES = "give sqlite:///setmargin.db or postgresql://user@host/name"
DRIVERS = {
    "sqlite": "sqlite+pysqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}

CURES = {
    "readonly": "make the file and its directory writable for this user",
    "read-only": "make it writable for this user",
    "unable to open": "create its directory, or choose another place",
    "not a database": "it is another kind of file; choose another place",
    "malformed": "the file is damaged; restore a backup",
    "already exists": "it holds tables of something else; give setmargin a database of its own",
    "locked": "another program holds it; stop that one, or wait",
    "full": "make room on the disk",
    "permission denied": "grant the rights to this user",
    "password": "check user and password",
    "authentication": "check user and password",
    "does not exist": "create it first",
    "connection": "see that the server runs and can be reached",
}


def connect(url: str) -> Engine:
    """An engine for the URL, whose database answers; nothing stays open where it does not."""
    known = parse(url)
    with translated(known), ExitStack() as undo:
        engine = _sqlite(known) if known.get_backend_name() == "sqlite" else _postgresql(known)
        undo.callback(engine.dispose)
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                _log_ahead(connection)
        undo.pop_all()
    return engine


def parse(url: str) -> URL:
    """The URL with its driver named; StoreError when no store can be there."""
    try:
        known = make_url(url)
    except (ArgumentError, ValueError):
        raise StoreError(f"this is no URL of a database; {EXAMPLES}") from None  # it may hold a password: not shown
    kind = known.drivername.split("+")[0]
    if kind not in DRIVERS:
        raise StoreError(f"{shown(known)}: there is no store for {kind}; {EXAMPLES}")
    if kind == "sqlite" and known.database in (None, "", ":memory:"):
        raise StoreError(
            f"{shown(known)}: a database in memory would lose every answer; give a file, sqlite:///setmargin.db"
        )
    return known.set(drivername=DRIVERS[kind])


def shown(url: URL) -> str:
    """The URL for people: without its password."""
    return url.set(drivername=url.get_backend_name(), query={}).render_as_string(hide_password=True)


@contextmanager
def translated(url: URL) -> Iterator[None]:
    """Errors of the driver become StoreError: what, where, and the cure."""
    try:
        yield
    except ImportError as error:
        raise StoreError(
            f"{shown(url)} needs psycopg, the driver of PostgreSQL; install setmargin[postgres]"
        ) from error
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(_words(url, error)) from error


def _words(url: URL, error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else error
    # What PostgreSQL adds as a detail may hold an id, which is the key to an interview.
    reason = " ".join(str(cause).split("DETAIL:")[0].split())[:300] or type(cause).__name__
    cures = (cure for sign, cure in CURES.items() if sign in reason.lower())
    cure = next(cures, "see that it can be reached and written")
    return f"the database {shown(url)} cannot be used: {reason}; {cure}"


def _postgresql(url: URL) -> Engine:
    options = {"connect_timeout": 10}
    engine = create_engine(
        url, pool_size=8, max_overflow=8, pool_pre_ping=True, hide_parameters=True, connect_args=options
    )
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def _begin_postgresql(connection: Connection) -> None:
    if _purpose(connection) == "cache":
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")


def _sqlite(url: URL) -> Engine:
    options = {"timeout": BUSY_SECONDS}
    engine = create_engine(url, pool_size=8, max_overflow=8, hide_parameters=True, connect_args=options)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so, below
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes its turn at the beginning: waiting half way through would be a deadlock, and so an error."""
    purpose = _purpose(connection)
    if purpose != "read":
        connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if purpose == 'write' else 'NORMAL'}")
    connection.exec_driver_sql("BEGIN" if purpose == "read" else "BEGIN IMMEDIATE")


def _purpose(connection: Connection) -> Purpose:
    purpose: Purpose = connection.get_execution_options().get("purpose", "read")
    return purpose


def _log_ahead(connection: Connection) -> None:
    """Turn the write-ahead log on, which the file remembers. SQLite does not wait for others here, so we do."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            (mode,) = driver.execute("PRAGMA journal_mode = WAL").fetchone()
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)
    if mode != "wal":
        raise StoreError(f"SQLite cannot keep a write-ahead log there (it says {mode}); choose a place on a local disk")
