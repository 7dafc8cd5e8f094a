"""Messages to receivers of webhooks: written with the event that they tell of, kept until somebody has taken them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, Connection, and_, func, insert, or_, select, update

from setmargin.server.store.tables import outbox

Fate = Literal["waiting", "sent", "given up"]
Waits = Sequence[timedelta]
"""How long a message waits at most that was sent so often; the last one is for all that were sent more often.

What seems to wait longer has met a clock that was wrong."""


@dataclass(frozen=True)
class OutboxMessage:
    """What somebody is told; several receivers are told the same under the same id."""

    id: str
    receiver: str
    body: str
    attempts: int = 0
    """How often it was sent, the time included for which it was taken."""


@dataclass(frozen=True)
class ReceiverCounts:
    """How one receiver is doing."""

    receiver: str
    waiting: int
    sent: int
    given_up: int
    oldest: datetime | None
    """When the oldest one was written that still waits."""


@dataclass(frozen=True)
class FailedMessage:
    """One that was sent and not taken; it is sent again, or given up."""

    id: str
    receiver: str
    fate: Fate
    attempts: int
    problem: str
    created: datetime


def put_messages(connection: Connection, interview: str, messages: Sequence[OutboxMessage], *, at: datetime) -> None:
    """Write them down, to be sent at once."""
    common = {"interview": interview, "created": at, "due": at, "fate": "waiting", "attempts": 0}
    rows = [{**common, "id": each.id, "receiver": each.receiver, "body": each.body} for each in messages]
    if rows:
        connection.execute(insert(outbox), rows)


def _is_due(receiver: str, at: datetime, waits: Waits) -> ColumnElement[bool]:
    sent, last = outbox.c.attempts, len(waits) - 1
    wrong = (
        and_(sent >= often if often == last else sent == often, outbox.c.due > at + wait)
        for often, wait in enumerate(waits)
    )
    return and_(outbox.c.receiver == receiver, outbox.c.fate == "waiting", or_(outbox.c.due <= at, *wrong))


def is_any_due(connection: Connection, receiver: str, *, at: datetime, waits: Waits) -> bool:
    """Whether there is something to send now."""
    return connection.scalar(select(outbox.c.id).where(_is_due(receiver, at, waits)).limit(1)) is not None


def take_messages(
    connection: Connection, receiver: str, *, at: datetime, until: datetime, waits: Waits, most: int
) -> tuple[OutboxMessage, ...]:
    """Take some that are due, for nobody else to send until then; those who die with them need not give them back."""
    query = select(outbox).where(_is_due(receiver, at, waits)).order_by(outbox.c.due).limit(most)
    rows = connection.execute(query.with_for_update(skip_locked=True)).all()
    for row in rows:
        connection.execute(update(outbox).where(_is(row.id, receiver)).values(due=until, attempts=row.attempts + 1))
    return tuple(OutboxMessage(row.id, receiver, row.body, row.attempts + 1) for row in rows)


def note_sent(connection: Connection, id: str, receiver: str) -> None:
    """It was taken; what it said is not needed any more."""
    values = {"fate": "sent", "body": "", "problem": None}
    connection.execute(update(outbox).where(_is(id, receiver)).values(values))


def note_failed(connection: Connection, id: str, receiver: str, problem: str, *, due: datetime | None) -> None:
    """It was not taken, and is sent again then; None: never, unless the owner wants it."""
    values = {"problem": problem} | ({"fate": "given up"} if due is None else {"due": due})
    connection.execute(update(outbox).where(_is(id, receiver), outbox.c.fate == "waiting").values(values))


def send_again(connection: Connection, *, at: datetime) -> int:
    """Let all that were given up be sent again, from the beginning; says how many."""
    values = {"fate": "waiting", "attempts": 0, "due": at}
    return connection.execute(update(outbox).where(outbox.c.fate == "given up").values(values)).rowcount


def count_by_receiver(connection: Connection) -> tuple[ReceiverCounts, ...]:
    """Everybody to whom something was ever to be sent, and is not forgotten."""
    columns = (outbox.c.receiver, outbox.c.fate, func.count(), func.min(outbox.c.created))
    rows = connection.execute(select(*columns).group_by(outbox.c.receiver, outbox.c.fate)).all()
    many: dict[tuple[str, str], tuple[int, datetime | None]] = {(row[0], row[1]): (row[2], row[3]) for row in rows}

    def counts(receiver: str) -> ReceiverCounts:
        def number(fate: Fate) -> int:
            return many.get((receiver, fate), (0, None))[0]

        oldest = many.get((receiver, "waiting"), (0, None))[1]
        return ReceiverCounts(receiver, number("waiting"), number("sent"), number("given up"), oldest)

    return tuple(counts(receiver) for receiver in sorted({row[0] for row in rows}))


def failed_messages(connection: Connection, *, most: int) -> tuple[FailedMessage, ...]:
    """The newest ones that were sent and not taken, those that were given up first."""
    query = select(outbox).where(outbox.c.problem.is_not(None)).order_by(outbox.c.fate, outbox.c.created.desc())
    rows = connection.execute(query.limit(most)).all()
    return tuple(FailedMessage(row.id, row.receiver, row.fate, row.attempts, row.problem, row.created) for row in rows)


def _is(id: str, receiver: str) -> ColumnElement[bool]:
    return and_(outbox.c.id == id, outbox.c.receiver == receiver)
