"""Whether what the database holds is what was written: every event there once, in its place, to the question given.

`damages` judges one interview from its rows alone; `verified` reads a whole database, a few interviews at a time, and
may run beside servers that write.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Any, Final, Literal, Protocol

from sqlalchemy import Connection, Select, Table, select

from setmargin.errors import SetmarginError
from setmargin.interview.log import Answered, read_entry, read_question
from setmargin.server.store import chain
from setmargin.server.store.tables import events, interviews, questions

AT_ONCE: Final = 200
FEW_AT_ONCE: Final = 5
"""Interviews that are read at once where the time is limited: a thousand events take a tenth of a second."""
MOST_OF_NOBODY: Final = 100

Rows = Sequence[Mapping[str, Any]]
Kind = Literal["missing", "changed", "moved", "duplicated", "extra", "other question"]


@dataclass(frozen=True)
class Damage:
    """Something in the database that is not as it was written."""

    interview: str
    place: int
    """The number of the event, counted from 1; of a question, the number of events before it."""
    kind: Kind
    detail: str


@dataclass(frozen=True)
class Verified:
    """What was looked at, and what is wrong with it; `complete`: nothing was left out."""

    interviews: int
    events: int
    questions: int
    complete: bool
    damages: tuple[Damage, ...]


# One interview


def damages(interview: Mapping[str, Any], events: Rows, questions: Rows) -> list[Damage]:
    """What is wrong with an interview: its row, its events by number, and its questions."""
    found = [*_in_numbers(interview, events), *_in_chain(interview, events), *_in_questions(events, questions)]
    return [Damage(interview["id"], *each) for each in sorted(found)]


_Found = tuple[int, Kind, str]


def _in_numbers(interview: Mapping[str, Any], events: Rows) -> Iterator[_Found]:
    """Each number from 1 to the version has one event."""
    version, counts = interview["version"], Counter(event["number"] for event in events)
    for number in range(1, version + 1):
        if not counts[number]:
            yield number, "missing", f"event {number} of {version} is missing"
    for number, times in counts.items():
        if not 1 <= number <= version:
            yield number, "extra", f"there is an event {number}, and the interview has {version}"
        elif times > 1:
            yield number, "duplicated", f"event {number} is there {times} times"


def _in_chain(interview: Mapping[str, Any], events: Rows) -> Iterator[_Found]:
    """Each event follows the one before; one that follows another is in the wrong place, or there twice."""
    start, version = chain.beginning(interview), interview["version"]
    by_number = {event["number"]: event["checksum"] for event in events}
    before_of = [_before(event, start, by_number) for event in events]
    places = _places(start, events, before_of)
    times = Counter(event["checksum"] for event in events)
    for event, before in zip(events, before_of, strict=True):
        number, place = event["number"], places.get(event["checksum"])
        direct = start if number == 1 else by_number.get(number - 1)
        if before is None and direct is not None:
            what = "event 1, or the interview itself," if number == 1 else f"event {number}"
            yield number, "changed", f"{what} is not what was written"
        elif place is not None and place != number:
            kind: Kind = "duplicated" if times[event["checksum"]] > 1 else "moved"
            yield number, kind, f"what was event {place} is event {number}"
    last = start if version == 0 else by_number.get(version)
    if last is not None and last != interview["checksum"]:
        yield version, "changed", "the interview does not end with its last event"


def _before(event: Mapping[str, Any], start: str, by_number: Mapping[int, str]) -> str | None:
    """The checksum that the event was written after, if that is still there: first where it should be."""
    direct = start if event["number"] == 1 else by_number.get(event["number"] - 1)
    for before in dict.fromkeys([direct, start, *by_number.values()]):
        if before is not None and chain.following(before, event) == event["checksum"]:
            return before
    return None


def _places(start: str, events: Rows, before_of: Sequence[str | None]) -> dict[str, int]:
    """The place that each event was written at, by its checksum, as far as the chain can be followed."""
    after = {before: event["checksum"] for event, before in zip(events, before_of, strict=True) if before is not None}
    places: dict[str, int] = {}
    at, place = start, 0
    while at in after and after[at] not in places:
        at, place = after[at], place + 1
        places[at] = place
    return places


def _in_questions(events: Rows, questions: Rows) -> Iterator[_Found]:
    """Questions are what was given, and answers are to them."""
    given = {question["version"]: question["id"] for question in questions}
    for question in questions:
        if _id_in(question["body"]) != question["id"]:
            yield question["version"], "changed", f"the question after event {question['version']} was changed"
    for event in events:
        number, named = event["number"], event["question"]
        if named is None:
            continue
        if number - 1 not in given:
            yield number - 1, "missing", f"the question that event {number} answers is missing"
        elif not named == given[number - 1] == _answered_in(event["body"]):
            yield number, "other question", f"event {number} answers another question than was given"


def _id_in(body: str) -> str | None:
    with suppress(SetmarginError, ValueError):
        document = json.loads(body)
        return "" if document is None else read_question(document).id
    return None


def _answered_in(body: str) -> str | None:
    with suppress(SetmarginError, ValueError):
        entry = read_entry(json.loads(body))
        return entry.question.id if isinstance(entry, Answered) else None
    return None


# A database


class Reading(Protocol):
    """Begins a transaction in which nothing that others write is seen, and no statement takes longer than that."""

    def __call__(self, *, seconds: float = ...) -> AbstractContextManager[Connection]: ...


def verified(reading: Reading, *, newest: int | None = None, seconds: float | None = None) -> Verified:
    """Look at all interviews, or at those that somebody was at last; no longer than so many seconds."""
    until = inf if seconds is None else monotonic() + seconds
    counts, found = Counter[str](), list[Damage]()
    complete = newest is None
    at_once = AT_ONCE if seconds is None else FEW_AT_ONCE
    for ids in _batches(reading, newest, at_once, until):
        if monotonic() > until:
            complete = False
            break
        with reading(seconds=until - monotonic()) as connection:
            rows, written, given = (
                _rows(connection, table, column, ids)
                for table, column in ((interviews, "id"), (events, "interview"), (questions, "interview"))
            )
        for id, (interview,) in rows.items():
            own, asked = written.get(id, []), given.get(id, [])
            found += damages(interview, own, asked)
            counts.update(interviews=1, events=len(own), questions=len(asked))
            if monotonic() > until:
                break
    if complete:
        with reading(seconds=until - monotonic()) as connection:
            found += _of_nobody(connection)
    return Verified(counts["interviews"], counts["events"], counts["questions"], complete, tuple(found))


def _batches(reading: Reading, newest: int | None, at_once: int, until: float) -> Iterator[list[str]]:
    """The ids of the interviews to look at, a few at a time."""
    if newest is not None:
        with reading(seconds=until - monotonic()) as connection:
            ids = _newest_ids(connection, newest)
        yield from (ids[start : start + at_once] for start in range(0, len(ids), at_once))
        return
    after = ""
    while True:
        with reading(seconds=until - monotonic()) as connection:
            ids = _next_ids(connection, after, at_once)
        if not ids:
            return
        yield ids
        after = ids[-1]


def _next_ids(connection: Connection, after: str, most: int) -> list[str]:
    query = select(interviews.c.id).where(interviews.c.id > after).order_by(interviews.c.id).limit(most)
    return list(connection.scalars(query))


def _newest_ids(connection: Connection, most: int) -> list[str]:
    return list(connection.scalars(select(interviews.c.id).order_by(interviews.c.seen.desc()).limit(most)))


def _rows(connection: Connection, table: Table, column: str, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of these interviews, by interview, in order."""
    query: Select[Any] = select(table).where(table.c[column].in_(ids)).order_by(*table.primary_key)
    found: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(query).mappings():
        found.setdefault(row[column], []).append(dict(row))
    return found


def _of_nobody(connection: Connection) -> Iterator[Damage]:
    """Events of interviews that are not there."""
    missing = ~select(interviews.c.id).where(interviews.c.id == events.c.interview).exists()
    query = select(events.c.interview, events.c.number).where(missing).limit(MOST_OF_NOBODY)
    for row in connection.execute(query):
        yield Damage(row.interview, row.number, "extra", f"event {row.number} is of no interview")
