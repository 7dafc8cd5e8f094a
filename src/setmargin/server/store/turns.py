"""Writers of one process take turns at a SQLite database, and share commits.

SQLite lets one writer in at a time, and a commit waits for the disk, several times as long as the writing itself takes.
So writers queue here, and whoever finds others behind leaves the transaction open for them: the last in line commits
for all, and nobody goes on before that. Each has a savepoint, so that what fails takes back only itself; where the
commit fails, or SQLite takes back the whole transaction, as on a full disk, it has failed for all of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from time import monotonic
from typing import Final

from sqlalchemy import Connection, Engine, RootTransaction

from setmargin.server.errors import StoreError

MOST_TOGETHER: Final = 8
"""Writers of one commit: the first of them waits for all the others."""
SAVEPOINT, RELEASE, BACK = "SAVEPOINT writer", "RELEASE writer", "ROLLBACK TO writer"


@dataclass(eq=False)
class _Together:
    """A transaction of several writers."""

    connection: Connection
    transaction: RootTransaction
    writers: int = 0
    waiting: int = 0
    """Writers who have written, and wait for the commit."""
    is_over: bool = False
    error: Exception | None = None

    @property
    def is_alive(self) -> bool:
        """Whether SQLite still has what was written; otherwise a commit would do nothing, and say nothing."""
        if self.connection.invalidated:  # a mistake after which it is opened anew; asking for it would be another one
            return False
        driver = self.connection.connection.driver_connection
        return isinstance(driver, sqlite3.Connection) and driver.in_transaction


class Turns:
    """The queue of one store; `check` is called before anything is written, and before anybody hears that it is."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._change = Condition()
        self._is_taken = False
        self._queue = 0
        self._open: _Together | None = None

    @contextmanager
    def alone(self, seconds: float) -> Iterator[float]:
        """A turn for a transaction of one's own; how long may then be waited for other programs."""
        until = monotonic() + seconds
        with self._change:
            if not self._change.wait_for(lambda: not self._is_taken and self._open is None, seconds):
                raise _locked()
            self._is_taken = True
        try:
            yield max(0.1, round(until - monotonic(), 1))
        finally:
            self._give_back()

    @contextmanager
    def together(self, engine: Engine, seconds: float) -> Iterator[Connection]:
        """A turn in a transaction that may be shared; what was written is durable when this ends without an error."""
        self._take(seconds)
        try:
            group = self._opened(engine, seconds)
        except BaseException:
            self._give_back()
            raise
        group.writers += 1
        try:
            with _savepoint(group):
                yield group.connection
        except BaseException:
            self._leave(group)
            raise
        self._finish(group)

    def _take(self, seconds: float) -> None:
        with self._change:
            self._queue += 1
            try:
                if not self._change.wait_for(self._may_begin, seconds):
                    raise _locked()
                self._is_taken = True
            finally:
                self._queue -= 1
                self._change.notify_all()

    def _may_begin(self) -> bool:
        return not self._is_taken and (self._open is None or self._open.writers < MOST_TOGETHER)

    def _give_back(self) -> None:
        with self._change:
            self._is_taken = False
            self._change.notify_all()

    def _opened(self, engine: Engine, seconds: float) -> _Together:
        """The transaction that others have left open, or a new one."""
        if self._open is None:
            self._check()
            connection = engine.connect()
            try:
                connection.info["seconds"] = seconds
                self._open = _Together(connection, connection.begin())
            except BaseException:
                connection.close()
                raise
        return self._open

    def _leave(self, group: _Together) -> None:
        """Nothing of one's own is left; what others have written is theirs to commit, or nobody's."""
        if not group.is_alive:
            return self._end(group, StoreError("the database took back what several had written; try again"))
        with self._change:
            if group.waiting or self._queue:
                self._is_taken = False
                self._change.notify_all()
                return None
        return self._end(group)

    def _finish(self, group: _Together) -> None:
        """Wait until somebody has committed, or do it for all where nobody comes behind."""
        with self._change:
            self._is_taken = False
            group.waiting += 1
            self._change.notify_all()
            self._change.wait_for(lambda: group.is_over or self._is_complete())
            if not group.is_over:
                self._is_taken = True
        if not group.is_over:
            self._end(group)
        if group.error is not None:
            raise group.error.with_traceback(None)

    def _is_complete(self) -> bool:
        """Whether nobody is writing, and nobody who could is waiting for a turn."""
        return not self._is_taken and (not self._queue or not self._may_begin())

    def _end(self, group: _Together, error: Exception | None = None) -> None:
        """Commit, whatever comes of it; whoever calls this has the turn, and it ends with it."""
        try:
            if error is None and not group.is_alive:
                error = StoreError("the database took back what several had written; try again")
            if error is None:
                group.transaction.commit()
                self._check()
        except Exception as failed:
            error = failed
        finally:
            try:
                if error is not None:
                    group.connection.invalidate()  # whatever state it is in
                group.connection.close()
            finally:
                with self._change:
                    group.is_over, group.error, self._open = True, error, None
                    self._is_taken = False
                    self._change.notify_all()


@contextmanager
def _savepoint(group: _Together) -> Iterator[None]:
    group.connection.exec_driver_sql(SAVEPOINT)
    try:
        yield
    except BaseException:
        if group.is_alive:
            group.connection.exec_driver_sql(BACK)
            group.connection.exec_driver_sql(RELEASE)
        raise
    group.connection.exec_driver_sql(RELEASE)


def _locked() -> StoreError:
    return StoreError("the database is locked: others have been writing for long; wait, or look at the disk")
