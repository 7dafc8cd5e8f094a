"""What people sent and were told, held against what the database has: the one judge of whether anything was lost.

An answer is *acknowledged* once its sender has read a reply of success. Of those, each has to be in the database
exactly once, as the event that follows the version that its sender had seen, with the options that its sender was
shown. What was refused must not be there. What got no reply may be there or not, but once at most, and nothing else may
be there at all.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Fate = Literal["acknowledged", "refused", "unknown"]
MOST_PROBLEMS = 20


@dataclass
class Sent:
    """One answer as its sender remembers it: to which version, to which options on the screen, and what came of it."""

    interview: str
    after: int
    key: str
    options: list[dict[str, Any]]
    said: dict[str, Any]
    question: str = ""
    """The id of the question, where the server gives one."""
    fate: Fate = "unknown"

    @property
    def digest(self) -> str:
        """The key as the database has it."""
        return hashlib.sha256(f"given {self.key}".encode()).hexdigest()


@dataclass(frozen=True)
class StoredAnswer:
    """One answer as the database has it."""

    interview: str
    number: int
    digest: str | None
    options: list[dict[str, Any]]
    said: dict[str, Any]
    question: str = ""


@dataclass(frozen=True)
class Database:
    """All that counts: how many events each interview says it has, their numbers, and the answers among them."""

    versions: Mapping[str, int]
    numbers: Mapping[str, Sequence[int]]
    answers: Sequence[StoredAnswer]
    to_be_told: Collection[str] = ()
    """Interviews of which somebody is told, or was."""
    mentioned: frozenset[str] = frozenset()
    """Interviews of which any table says anything."""
    withdrawn: frozenset[str] = frozenset()
    """Catalogues that are not offered any more."""


@dataclass
class Verdict:
    """How many answers were acknowledged, and what became of them."""

    acknowledged: int = 0
    lost: int = 0
    duplicated: int = 0
    misattributed: int = 0
    undeleted: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        """Whether everything is there once, and right."""
        return not (self.lost or self.duplicated or self.misattributed or self.undeleted or self.problems)

    def say(self, problem: str) -> None:
        """Keep the first few in words."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


def judge(
    started: Iterable[str], sent: Sequence[Sent], database: Database, *, deleted: Mapping[str, Fate] | None = None
) -> Verdict:
    """Hold what people remember against what is stored.

    Parameters
    ----------
    started
        The interviews whose start was acknowledged.
    sent
        Every answer that was sent to the servers, whatever came of it.
    database
        What is there now.
    deleted
        The interviews that somebody deleted. Where that was acknowledged, nothing of them may be there; where it got
        no reply, they are there whole or not at all.
    """
    found = Verdict(acknowledged=sum(each.fate == "acknowledged" for each in sent))
    gone = _judge_deleted(deleted or {}, database, found)
    started, sent = [id for id in started if id not in gone], [each for each in sent if each.interview not in gone]
    _judge_numbers(started, database, found)
    stored: dict[tuple[str, str | None], list[StoredAnswer]] = defaultdict(list)
    for answer in database.answers:
        stored[answer.interview, answer.digest].append(answer)
    for each in sent:
        there = stored.pop((each.interview, each.digest), [])
        if each.fate == "refused" and there:
            found.duplicated += len(there)
            found.say(f"{_place(each)} was refused and is stored as number {there[0].number}")
        elif each.fate == "acknowledged" and not there:
            found.lost += 1
            found.say(f"{_place(each)} was acknowledged and is not there")
        elif there:
            _judge_one(each, there, found)
    for nobody in stored.values():
        found.duplicated += len(nobody)
        found.say(f"number {nobody[0].number} of {nobody[0].interview} is an answer that nobody sent once more")
    return found


def _judge_deleted(deleted: Mapping[str, Fate], database: Database, found: Verdict) -> set[str]:
    """The interviews that are gone, and may be."""
    there = {*database.versions, *database.mentioned}
    for id, fate in deleted.items():
        if fate == "acknowledged" and id in there:
            found.undeleted += 1
            found.say(f"the interview {id} was deleted and is still there")
        elif id in database.mentioned and id not in database.versions:
            found.say(f"the interview {id} was deleted by half")
    return {id for id, fate in deleted.items() if fate == "acknowledged" or id not in there}


def _judge_numbers(started: Iterable[str], database: Database, found: Verdict) -> None:
    """No interview is missing, and no event between the first and the last."""
    for interview in started:
        if interview not in database.versions:
            found.lost += 1
            found.say(f"the interview {interview} was begun and is not there")
    for interview, version in database.versions.items():
        if list(database.numbers.get(interview, ())) != list(range(1, version + 1)):
            found.say(f"{interview} is at version {version} and has the events {database.numbers.get(interview)}")


def _judge_one(each: Sent, there: Sequence[StoredAnswer], found: Verdict) -> None:
    """One that is there: once, in its place, with its question, and with what was said."""
    if len(there) > 1:
        found.duplicated += len(there) - 1
        found.say(f"{_place(each)} is there {len(there)} times")
    answer = there[0]
    if answer.number != each.after + 1:
        found.misattributed += 1
        found.say(f"{_place(each)} is stored as number {answer.number}")
    elif (answer.options, answer.said) != (each.options, each.said):
        found.misattributed += 1
        found.say(f"{_place(each)} is stored with other options than were shown: {answer.options}, not {each.options}")
    elif answer.question and each.question and answer.question != each.question:
        found.misattributed += 1
        found.say(f"{_place(each)} is to question {each.question} and stored with {answer.question}")


def _place(each: Sent) -> str:
    return f"the answer {each.said} after version {each.after} of {each.interview}"


# Reading databases, without the server's own code

EVENTS = "SELECT * FROM events ORDER BY interview, number"
VERSIONS = "SELECT id, version FROM interviews"
TO_BE_TOLD = "SELECT DISTINCT interview FROM outbox"
MENTIONED = " UNION ".join(
    f"SELECT interview FROM {table}" for table in ("events", "questions", "progress", "checkpoints", "shared", "outbox")
)
WITHDRAWN = "SELECT name FROM shelf WHERE withdrawn IS NOT NULL"


def read_sqlite(path: str) -> Database:
    """What a SQLite file holds; a write-ahead log beside it is replayed, as at any start."""
    with sqlite3.connect(path, timeout=10) as connection:
        connection.row_factory = sqlite3.Row
        events = [dict(row) for row in connection.execute(EVENTS)]
        versions = [(row["id"], row["version"]) for row in connection.execute(VERSIONS)]
        told = [interview for (interview,) in connection.execute(TO_BE_TOLD)]
        mentioned, withdrawn = (
            frozenset(row[0] for row in connection.execute(query)) for query in (MENTIONED, WITHDRAWN)
        )
        (health,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    if health != "ok":
        raise ValueError(f"SQLite says of its file: {health}")
    return replace(database_of(events, versions, told), mentioned=mentioned, withdrawn=withdrawn)


def read_postgresql(place: str, *, port: int) -> Database:
    """What PostgreSQL holds, asked by a socket in that directory."""
    import psycopg
    from psycopg.rows import dict_row

    try:
        with psycopg.connect(host=place, port=port, user="setmargin", dbname="postgres", connect_timeout=10) as line:
            events = line.cursor(row_factory=dict_row).execute(EVENTS).fetchall()
            versions = line.execute(VERSIONS).fetchall()
            told = [interview for (interview,) in line.execute(TO_BE_TOLD)]
            mentioned, withdrawn = (
                frozenset(name for (name,) in line.execute(query)) for query in (MENTIONED, WITHDRAWN)
            )
    except psycopg.Error as error:
        raise ValueError(f"PostgreSQL says: {error}") from None
    return replace(database_of(events, versions, told), mentioned=mentioned, withdrawn=withdrawn)


def database_of(
    events: Iterable[Mapping[str, Any]], versions: Iterable[tuple[str, int]], told: Iterable[str] = ()
) -> Database:
    """Rows as values."""
    numbers: dict[str, list[int]] = defaultdict(list)
    answers = []
    for row in events:
        numbers[row["interview"]].append(row["number"])
        body = json.loads(row["body"])
        if "answer" in body and "question" in body:
            shown = body["question"]
            options = shown if isinstance(shown, list) else shown["options"]
            asked = row.get("question") or ""
            answers.append(
                StoredAnswer(row["interview"], row["number"], row["key"], options, body["answer"], question=asked)
            )
    return Database(dict(versions), numbers, answers, frozenset(told))
