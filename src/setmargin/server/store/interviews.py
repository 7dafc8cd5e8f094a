"""Interviews in the database: their rows, their events, and what was last shown, within one transaction."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, TypedDict

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from setmargin.server.errors import DamagedInterview, KeyReused, UnknownInterview
from setmargin.server.store import chain
from setmargin.server.store.questions import GivenQuestion, open_questions
from setmargin.server.store.tables import (
    ID,
    catalogues,
    checkpoints,
    deleted,
    digest_of,
    events,
    interviews,
    keep_newest,
    outbox,
    progress,
    put,
    questions,
    shared,
    to_text,
)

Document = dict[str, Any]
DELETED_FOR: Final = timedelta(days=40)
"""How long a deletion is known: far longer than requests are under way, and than clocks are wrong."""


class Progress(TypedDict):
    """What the owner's view counts of one interview."""

    answers: int
    expected_loss: float | None
    importance: dict[str, float]
    finished: bool
    """Whether a configuration was taken, which is `taken` then."""
    done: bool
    """Whether that is so, or nothing is left to ask."""
    taken: Document | None
    must_haves: list[str]


@dataclass(frozen=True)
class StoredInterview:
    """An interview: its row and its events. `version` is the number of events.

    `questions` are those that were given and not answered, by the number of events before: the last one is the current
    one, the others may come back by an undo. Events have those that were answered.
    """

    id: str
    name: str
    digest: str
    strategy: Document
    seed: int
    created: datetime
    seen: datetime
    version: int
    events: tuple[Document, ...]
    questions: Mapping[int, GivenQuestion] = field(default_factory=dict)
    state: Document | None = field(default=None, repr=False)
    """What was shown at this version, where that was kept."""


def known_id(id: str) -> str:
    """An id that could be one; the databases disagree about the odder kinds of text."""
    if not ID.fullmatch(id):
        raise UnknownInterview(id)
    return id


def version_of(connection: Connection, id: str) -> int:
    """How many events the interview has."""
    version: int | None = connection.scalar(select(interviews.c.version).where(interviews.c.id == known_id(id)))
    if version is None:
        raise UnknownInterview(id)
    return version


def end_of(connection: Connection, id: str) -> tuple[int, str]:
    """The number of events and the checksum of the last one; nobody else writes until the transaction ends."""
    query = select(interviews.c.version, interviews.c.checksum).where(interviews.c.id == known_id(id))
    row = connection.execute(query.with_for_update()).one_or_none()
    if row is None:
        raise UnknownInterview(id)
    return row.version, row.checksum


def interview_of(connection: Connection, id: str, *, with_state: bool = True) -> StoredInterview:
    """The interview with all of its events, what was asked, and what was shown last, where that is wanted."""
    query = select(interviews, catalogues.c.name).join(catalogues).where(interviews.c.id == known_id(id))
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownInterview(id)
    return StoredInterview(
        id=row.id,
        name=row.name,
        digest=row.digest,
        strategy=json.loads(row.strategy),
        seed=row.seed,
        created=row.created,
        seen=row.seen,
        version=row.version,
        events=_events(connection, id, row.version),
        questions=open_questions(connection, id, row.version),
        state=_state(connection, id, row.version) if with_state else None,
    )


def _events(connection: Connection, id: str, version: int) -> tuple[Document, ...]:
    """The events up to the version that was read; on PostgreSQL another may have come since."""
    query = select(events.c.body).where(events.c.interview == id, events.c.number <= version).order_by(events.c.number)
    found = tuple(json.loads(body) for body in connection.scalars(query))
    if len(found) != version:
        raise DamagedInterview(found=len(found), version=version)
    return found


def event_row(
    id: str,
    number: int,
    event: Mapping[str, Any],
    *,
    at: datetime,
    key: str | None = None,
    asked: str = "",
    answers: str | None = None,
) -> dict[str, Any]:
    """An event as it is written, but for its checksum."""
    return {
        "interview": id,
        "number": number,
        "body": to_text(event),
        "key": None if key is None else digest_of(key),
        "request": None if key is None else digest_of(asked),
        "created": at,
        "question": answers,
    }


def write_events(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put rows into the log."""
    connection.execute(insert(events), rows)


def chained(rows: Sequence[dict[str, Any]], *, after: str) -> str:
    """Give each of the rows its checksum; the last one, or that before them where there are none."""
    for row in rows:
        after = row["checksum"] = chain.following(after, row)
    return after


def number_of(connection: Connection, id: str, key: str, asked: str) -> int | None:
    """The number that the event of this key got, None where there is none; KeyReused for another request."""
    query = select(events.c.number, events.c.request).where(events.c.interview == id, events.c.key == digest_of(key))
    row = connection.execute(query).one_or_none()
    if row is not None and row.request != digest_of(asked):
        raise KeyReused
    return None if row is None else int(row.number)


def put_progress(connection: Connection, id: str, version: int, body: Progress, state: bytes | None) -> None:
    """Keep what the owner counts and what was shown at this version, as JSON, unless a newer one is there."""
    shown = None if state is None else zlib.compress(state, level=1)
    texts = {name: to_text(body[name]) for name in ("importance", "must_haves")}
    taken = None if body["taken"] is None else to_text(body["taken"])
    row = {**body, **texts, "taken": taken, "interview": id, "version": version, "state": shown}
    try:
        connection.execute(keep_newest(connection, progress), row)
    except IntegrityError:
        raise UnknownInterview(id) from None


def _state(connection: Connection, id: str, version: int) -> Document | None:
    """What was shown at this version; whatever cannot be read is worked out again."""
    query = select(progress.c.state).where(progress.c.interview == id, progress.c.version == version)
    packed = connection.scalar(query)
    try:
        return None if packed is None else json.loads(zlib.decompress(packed))
    except (ValueError, zlib.error):
        return None


def forget_interviews(connection: Connection, ids: Sequence[str]) -> None:
    """Delete them with all that belongs to them."""
    for table in (checkpoints, progress, questions, events, shared, outbox):
        connection.execute(delete(table).where(table.c.interview.in_(ids)))
    connection.execute(delete(interviews).where(interviews.c.id.in_(ids)))


def note_deleted(connection: Connection, id: str, *, at: datetime) -> None:
    """The interview was deleted: a request to start it that was on its way does not start it again."""
    connection.execute(delete(deleted).where(deleted.c.at < at - DELETED_FOR))
    connection.execute(put(connection, deleted, {"interview": digest_of(id), "at": at}, replacing=["at"]))


def check_not_deleted(connection: Connection, id: str) -> None:
    """Raise UnknownInterview where somebody deleted it lately."""
    if connection.scalar(select(deleted.c.at).where(deleted.c.interview == digest_of(id))) is not None:
        raise UnknownInterview(id)
