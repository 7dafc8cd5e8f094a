"""Interviews, answers and results as plain rows, read a few interviews at a time: for spreadsheets and data frames.

Nobody can be told from them: `interview` is a digest of the id, the same in all tables, and no key to anything. Each
interview is as it is when it is read; servers may run meanwhile, and wait for nothing.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Row, and_, select

from setmargin.errors import SetmarginError
from setmargin.interview.log import Answered, Changed, Log, entry_document, read_entry
from setmargin.server.store.tables import catalogues, events, interviews, progress, questions, to_text

if TYPE_CHECKING:
    from setmargin.server.store.store import Store

AT_ONCE: Final = 25
"""Interviews that are read together: a thousand events each would still fit."""

Cell = str | int | float | bool | datetime | None
Rows = Iterator[tuple[Cell, ...]]


@dataclass(frozen=True)
class ExportTable:
    """A table that can be exported: the kinds of its columns by name, and how it is read of some interviews."""

    columns: Mapping[str, type]
    read: Callable[[Connection, Sequence[Row[Any]]], Rows]


def exported(
    store: Store, table: str, *, catalogue: str | None = None, since: datetime | None = None
) -> Iterator[list[tuple[Cell, ...]]]:
    """The rows of a table, a few interviews at a time: of all, or of one catalogue, or of those begun since then."""
    after, read = "", TABLES[table].read
    while True:
        with store.transaction("report") as connection:
            found = _next(connection, after, catalogue, since)
            rows = list(read(connection, found))
        if not found:
            return
        after = found[-1].id
        yield rows


def _next(connection: Connection, after: str, catalogue: str | None, since: datetime | None) -> Sequence[Row[Any]]:
    """The interviews that come next by their ids, with what is known of how far they came."""
    known = [each for each in progress.c if each.name not in ("interview", "version")]
    joined = interviews.join(catalogues).outerjoin(progress)
    query = select(interviews, catalogues.c.name, progress.c.version.label("reached"), *known).select_from(joined)
    query = query.where(interviews.c.id > after).order_by(interviews.c.id).limit(AT_ONCE)
    if catalogue is not None:
        query = query.where(catalogues.c.name == catalogue)
    if since is not None:
        query = query.where(interviews.c.created >= since)
    return connection.execute(query).all()


def pseudonym(id: str) -> str:
    """What stands for an interview in exports: the beginning of the SHA-256 of its id."""
    return sha256(id.encode()).hexdigest()[:16]


# Interviews


def _interviews(_: Connection, found: Sequence[Row[Any]]) -> Rows:
    for row in found:
        yield (
            pseudonym(row.id),
            row.name,
            row.digest,
            json.loads(row.strategy).get("name"),
            row.created,
            row.seen,
            row.version,
            row.answers or 0,
            bool(row.done),
            row.result_seen,
            bool(row.finished),
            row.expected_loss,
            row.must_haves or "[]",
        )


# Answers


def _answers(connection: Connection, found: Sequence[Row[Any]]) -> Rows:
    ids = [row.id for row in found]
    said: dict[str, list[Row[Any]]] = defaultdict(list)
    asked = and_(questions.c.interview == events.c.interview, questions.c.version == events.c.number - 1)
    query = select(events, questions.c.created.label("asked")).outerjoin(questions, asked)
    query = query.where(events.c.interview.in_(ids)).order_by(events.c.interview, events.c.number)
    for row in connection.execute(query):
        said[row.interview].append(row)
    for row in found:
        yield from _answers_of(row, said[row.id])


def _answers_of(interview: Row[Any], said: Sequence[Row[Any]]) -> Rows:
    """The answers of one interview, each with its question; an answer that was changed is there before and after."""
    given: list[tuple[Row[Any], Answered]] = []
    log, in_force = Log(), list[int]()
    with suppress(SetmarginError, ValueError):  # of a damaged one, what comes before the damage
        for row in said:
            entry = read_entry(json.loads(row.body))
            before, log = log, log.after(entry)
            if isinstance(entry, Changed):
                answers = [place for place, each in enumerate(before.events) if isinstance(each, Answered)]
                in_force[answers[entry.number]] = row.number
                entry = Answered(before.question(entry.number), entry.answer)
            elif len(log.events) > len(before.events):
                in_force.append(row.number)
            elif len(log.events) < len(before.events):
                in_force.pop()
            if isinstance(entry, Answered):
                given.append((row, entry))
    for row, answered in given:
        document = entry_document(answered)
        waited = None if row.asked is None else round((row.created - row.asked).total_seconds(), 3)
        yield (
            pseudonym(interview.id),
            interview.name,
            row.number,
            row.number in in_force,
            row.created,
            waited,
            next(iter(document["answer"])),
            document["answer"].get("choice"),
            answered.question.id,
            to_text(document["question"]),
            to_text(document["answer"]),
        )


# Results


def _results(connection: Connection, found: Sequence[Row[Any]]) -> Rows:
    reached = {row.id: row.reached for row in found if row.reached is not None}
    query = select(events.c.interview, events.c.number, events.c.created).where(events.c.interview.in_(reached))
    times = {row.interview: row.created for row in connection.execute(query) if row.number == reached[row.interview]}
    for row in found:
        if row.reached is None:
            continue
        shown = _shown(row.state)
        best, taken = shown.get("best") or {}, shown.get("finished") or {}
        yield (
            pseudonym(row.id),
            row.name,
            times.get(row.id),
            row.answers,
            bool(row.done),
            _text(best.get("values")),
            _text(best.get("amounts")),
            row.taken,
            _text(taken.get("amounts")),
            row.expected_loss,
            row.importance,
        )


def _shown(packed: bytes | None) -> dict[str, Any]:
    """What was shown last, where that can be read."""
    with suppress(ValueError, zlib.error):
        found: dict[str, Any] = {} if packed is None else json.loads(zlib.decompress(packed))
        return found
    return {}


def _text(value: object) -> str | None:
    return None if value is None else to_text(value)


TABLES: Final[Mapping[str, ExportTable]] = {
    "interviews": ExportTable(
        {
            "interview": str,
            "catalogue": str,
            "digest": str,
            "strategy": str,
            "began": datetime,
            "seen": datetime,
            "events": int,
            "answers": int,
            "finished": bool,
            "result_seen": datetime,
            "taken": bool,
            "expected_loss": float,
            "must_haves": str,
        },
        _interviews,
    ),
    "answers": ExportTable(
        {
            "interview": str,
            "catalogue": str,
            "event": int,
            "in_force": bool,
            "at": datetime,
            "seconds": float,
            "kind": str,
            "choice": int,
            "question": str,
            "options": str,
            "answer": str,
        },
        _answers,
    ),
    "results": ExportTable(
        {
            "interview": str,
            "catalogue": str,
            "at": datetime,
            "answers": int,
            "finished": bool,
            "recommended": str,
            "amounts": str,
            "taken": str,
            "taken_amounts": str,
            "expected_loss": float,
            "importance": str,
        },
        _results,
    ),
}
