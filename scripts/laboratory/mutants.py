"""Servers with a mistake that the laboratory has to find: `python -m scripts.laboratory.mutants NAME serve …`."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Thread, Timer
from typing import Any

from sqlalchemy import Connection, Engine, event

from setmargin.cli import main
from setmargin.server.services.interviews import InterviewService, RequestedEvent
from setmargin.server.store import offering
from setmargin.server.store.outbox import OutboxMessage, put_messages
from setmargin.server.store.store import Appended, Store
from setmargin.server.work.job import Job

LATE = 2.0
"""Seconds between the acknowledgement of an answer and its writing."""


def acknowledge_before_write() -> None:
    """An answer is acknowledged, and written a little later."""
    append = Store.append

    def mutated(self: Store, id: str, event: Any, *, after: int, **options: Any) -> Appended:
        def write() -> None:
            time.sleep(LATE)
            append(self, id, event, after=after, **options)

        Thread(target=write, daemon=True).start()
        return Appended(after + 1, repeated=False)

    Store.append = mutated  # type: ignore[method-assign]


def synchronous_off() -> None:
    """The database does not wait for the disk."""
    run = Connection.exec_driver_sql

    def mutated(self: Connection, statement: str, *others: Any, **options: Any) -> Any:
        return run(self, statement.replace("synchronous = FULL", "synchronous = OFF"), *others, **options)

    def begin(connection: Connection) -> None:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")

    Connection.exec_driver_sql = mutated  # type: ignore[method-assign]
    event.listen(Engine, "begin", begin)


def duplicate_keys() -> None:
    """A request that was heard already is taken for a new one, to whatever is asked now."""

    async def again(self: InterviewService, job: Job, change: RequestedEvent) -> Any:
        event = {name: value for name, value in change.event.items() if name != "question"}
        return await self.do(job.id, replace(change, version=job.version, event=event, key=secrets.token_hex(8)))

    InterviewService._again = again  # type: ignore[method-assign]


def tell_later() -> None:
    """What others are to be told is written a little after what it is about, and in a transaction of its own."""
    append = Store.append

    def mutated(
        self: Store, id: str, event: Any, *, after: int, messages: Sequence[OutboxMessage] = (), **options: Any
    ) -> Appended:
        def write() -> None:
            time.sleep(LATE)
            with self.transaction("write") as connection:
                put_messages(connection, id, messages, at=self.now())

        appended = append(self, id, event, after=after, **options)
        if messages and not appended.repeated:
            Thread(target=write, daemon=True).start()
        return appended

    Store.append = mutated  # type: ignore[method-assign]


def delete_later() -> None:
    """A deletion and a withdrawal are acknowledged, and done a little later."""
    forget, withdraw = Store.forget, offering.withdraw

    def forgetting(self: Store, id: str) -> None:
        self.version_of(id)
        Timer(LATE, lambda: forget(self, id)).start()

    def withdrawing(store: Store, name: str) -> offering.CatalogueOffer:
        Timer(LATE, lambda: withdraw(store, name)).start()
        return next(each for each in offering.offers(store) if each.name == name)

    Store.forget, offering.withdraw = forgetting, withdrawing  # type: ignore[method-assign]


MUTANTS: dict[str, Callable[[], None]] = {
    "acknowledge-before-write": acknowledge_before_write,
    "synchronous-off": synchronous_off,
    "duplicate-keys": duplicate_keys,
    "tell-later": tell_later,
    "delete-later": delete_later,
}


if __name__ == "__main__":
    MUTANTS[sys.argv.pop(1)]()
    sys.exit(main())
