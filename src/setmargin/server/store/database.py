"""The database of the store: opened and let go, and one transaction after the other, whoever else wants one.

Reads never wait for writes; on SQLite those who write take turns. What a transaction is for says how long it may take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, Engine, event, select, update
from sqlalchemy.pool import ConnectionPoolEntry

from setmargin.server.errors import StoreError
from setmargin.server.store.database_file import DatabaseFile
from setmargin.server.store.engine import KINDS, Purpose, connect, parse, translated
from setmargin.server.store.migrations import check_current, migrate
from setmargin.server.store.tables import ledger, offered
from setmargin.server.store.turns import Turns


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Database:
    """An opened database, on SQLite or PostgreSQL, with its transactions."""

    def __init__(self, reading: Engine, writing: Engine, *, clock: Callable[[], datetime] = now) -> None:
        """The engines are two, so that whoever reads never waits for a connection that a stuck writer has."""
        self._reading, self._writing, self._clock = reading, writing, clock
        self._engines = {
            purpose: (writing if kind.writes else reading).execution_options(purpose=purpose)
            for purpose, kind in KINDS.items()
        }
        self._turns = Turns(self._check_file) if writing.dialect.name == "sqlite" else None
        self._open: Connection | None = None
        self._file: DatabaseFile | None = None
        if reading.dialect.name == "sqlite":
            self._open = reading.connect()
            self._file = DatabaseFile(self._open)
            self._open.rollback()

    @classmethod
    def open(cls, url: str, *, clock: Callable[[], datetime] = now) -> Self:
        """The store at `sqlite:///file` or `postgresql://user:password@host/name`, created and migrated where needed.

        Raises StoreError with the cure where that is impossible, and NewerSchema for the database of a newer setmargin.
        """
        return cls._opened(url, lambda engine: migrate(engine.execution_options(purpose="migrate")), clock=clock)

    @classmethod
    def existing(cls, url: str) -> Self:
        """The store at this place as it is: nothing is created or migrated; StoreError where that is needed."""
        known = parse(url)
        if known.get_backend_name() == "sqlite" and not Path(known.database or "").is_file():
            raise StoreError(f"there is no database {known.database}; give one with --database")
        return cls._opened(url, check_current)

    @classmethod
    def _opened(cls, url: str, first: Callable[[Engine], object], *, clock: Callable[[], datetime] = now) -> Self:
        """The store at this place, once something was done with its database; nothing stays open where that fails."""
        with ExitStack() as undo:
            writing = connect(url)
            undo.callback(writing.dispose)
            with translated(writing.url):
                first(writing)
                reading = connect(url)
                undo.callback(reading.dispose)
                store = cls(reading, writing, clock=clock)
            undo.pop_all()
        return store

    def close(self) -> None:
        """Let all connections go; those in use once they are given back."""
        if self._open is not None:
            self._open.close()
        for engine in (self._reading, self._writing):
            event.listen(engine.pool, "checkin", _let_go)
            engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ping(self) -> None:
        """Return if the database can be read just now; raise StoreError if not."""
        with self.transaction("read") as connection:
            connection.execute(select(offered.c.name).limit(1))

    def try_write(self) -> None:
        """Return if the database can be written just now; raise StoreError if not.

        Something is really written, though nothing changes by it: a full disk shows in nothing less.
        """
        with self.transaction("write") as connection:
            connection.execute(update(ledger).where(ledger.c.number == 1).values(number=1))

    def now(self) -> datetime:
        """The time that this store goes by."""
        return self._clock()

    @contextmanager
    def snapshot(self, *, seconds: float = inf) -> Iterator[Connection]:
        """A transaction that reads everything as it is at one moment; SQLite's are so by themselves."""
        with self.transaction("report") as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                if seconds < KINDS["report"].seconds:
                    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {max(1, round(1000 * seconds))}")
            yield connection

    @contextmanager
    def transaction(self, purpose: Purpose) -> Iterator[Connection]:
        """One transaction, whose errors are StoreError.

        On SQLite, where one writes at a time, people's writes may share one.
        """
        kind = KINDS[purpose]
        with translated(self._writing.url), ExitStack() as stack:
            if self._turns is None or not kind.writes:
                yield stack.enter_context(self._own(purpose, kind.seconds))
            elif purpose == "write":
                yield stack.enter_context(self._turns.together(self._engines[purpose], kind.seconds))
            else:
                seconds = stack.enter_context(self._turns.alone(kind.seconds))
                yield stack.enter_context(self._own(purpose, seconds))

    @contextmanager
    def _own(self, purpose: Purpose, seconds: float) -> Iterator[Connection]:
        """A transaction of one's own; nothing is known to be written, or read, unless the file is still there."""
        self._check_file()
        with self._engines[purpose].connect() as connection:
            connection.info["seconds"] = seconds
            with connection.begin():
                yield connection
        self._check_file()

    def _check_file(self) -> None:
        if self._file is not None:
            self._file.check()


def _let_go(_: object, record: ConnectionPoolEntry) -> None:
    """Close a connection: where nobody waits for it any more it would stay open, and in nobody's hands."""
    record.invalidate()
