"""Reaching a database: from a URL to an engine, and from the driver's errors to ours."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from setmargin.server.errors import StoreError
from setmargin.server.store.database_file import close_to_others

Purpose = Literal["read", "write", "cache", "report", "tidy", "migrate"]
"""What a transaction is for."""


@dataclass(frozen=True)
class TransactionKind:
    """How the transactions of one purpose are made."""

    seconds: float
    """How long one may wait for others, and on PostgreSQL how long a statement may take."""
    writes: bool = True
    is_durable: bool = True
    """Whether it waits for the disk; what does not may be lost in a power cut."""


QUICK_SECONDS: Final = 1.5
"""A person waits: they are told to try again rather than kept waiting."""
PATIENT_SECONDS: Final = 60.0
MIGRATING_SECONDS: Final = 3600.0
OPENING_SECONDS: Final = 30.0
IDLE_SECONDS: Final = 10.0
"""A server that was stopped in the middle of a transaction keeps others from an interview no longer than that."""
KINDS: Final[Mapping[Purpose, TransactionKind]] = {
    "read": TransactionKind(QUICK_SECONDS, writes=False),
    "write": TransactionKind(QUICK_SECONDS),
    "cache": TransactionKind(QUICK_SECONDS, is_durable=False),
    "report": TransactionKind(PATIENT_SECONDS, writes=False),
    "tidy": TransactionKind(PATIENT_SECONDS),
    "migrate": TransactionKind(MIGRATING_SECONDS),
}
CONNECTIONS: Final = 8
"""Of one engine at most; a store has two, one that reads and one that writes."""
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
    "lock timeout": "another program holds it; stop that one, or wait",
    "statement timeout": "it is busy or stalled; wait, and look at its log",
    "queuepool limit": "it is busy or stalled; wait, and look at its log",
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
    scheme = known.drivername.split("+")[0]
    if scheme not in DRIVERS:
        raise StoreError(f"{shown(known)}: there is no store for {scheme}; {EXAMPLES}")
    if scheme == "sqlite" and known.database in (None, "", ":memory:"):
        raise StoreError(
            f"{shown(known)}: a database in memory would lose every answer; give a file, sqlite:///setmargin.db"
        )
    return known.set(drivername=DRIVERS[scheme])


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
    # A server that cannot be reached any more is noticed by the system, not by whoever waits for it.
    options = {"connect_timeout": 2, "tcp_user_timeout": 5000, "keepalives_idle": 5, "keepalives_interval": 2}
    engine = create_engine(url, pool_pre_ping=True, connect_args=options, **_pooled())
    event.listen(engine, "connect", _set_up_postgresql)
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def _pooled() -> dict[str, Any]:
    few = CONNECTIONS // 2
    return {"pool_size": few, "max_overflow": few, "pool_timeout": QUICK_SECONDS, "hide_parameters": True}


def _set_up_postgresql(connection: Any, _record: object) -> None:
    """What a server or a role may have set otherwise: acknowledged means on the disk, and nothing waits for ever.

    Whatever else waits for the disk, such as for that of a standby too, stays as it is set.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
        cursor.execute(f"SET lock_timeout = {round(900 * QUICK_SECONDS)}")  # before the other one: it says more
        cursor.execute(f"SET statement_timeout = {round(1000 * QUICK_SECONDS)}")
        cursor.execute(f"SET idle_in_transaction_session_timeout = {round(1000 * IDLE_SECONDS)}")
    connection.commit()


def _begin_postgresql(connection: Connection) -> None:
    kind = _kind(connection)
    if not kind.is_durable:
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")
    if kind.seconds != QUICK_SECONDS:
        for limit in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {limit} = {round(1000 * kind.seconds)}")


def _sqlite(url: URL) -> Engine:
    close_to_others(url)
    options = {"timeout": OPENING_SECONDS}
    engine = create_engine(url, connect_args=options, **_pooled())
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "handle_error", _open_again)
    return engine


def _open_again(context: ExceptionContext) -> None:
    """A connection that was opened while nothing could be written never writes, even once others can: let it go.

    It ends when nobody knows its cursors any more, the error's traceback neither; its locks have to go at once.
    """
    if "readonly" in str(context.original_exception):
        context.is_disconnect = True
        driver = context.connection and context.connection.connection.driver_connection
        if isinstance(driver, sqlite3.Connection):
            with suppress(sqlite3.Error):
                driver.rollback()


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so, below
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is forgotten is no longer in the file


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes its turn at the beginning: waiting half way through would be a deadlock, and so an error."""
    kind = _kind(connection)
    seconds = min(connection.info.get("seconds", kind.seconds), OPENING_SECONDS)
    if connection.info.get("busy_timeout") != seconds:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {round(1000 * seconds)}")
        connection.info["busy_timeout"] = seconds
    if kind.writes:
        connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if kind.is_durable else 'NORMAL'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if kind.writes else "BEGIN")


def _kind(connection: Connection) -> TransactionKind:
    purpose: Purpose = connection.get_execution_options().get("purpose", "read")
    return KINDS[purpose]


def _log_ahead(connection: Connection) -> None:
    """Turn the write-ahead log on, which the file remembers. SQLite does not wait for others here, so we do."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    until = time.monotonic() + OPENING_SECONDS
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
