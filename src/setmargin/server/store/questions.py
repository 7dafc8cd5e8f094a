"""Questions as they were given: one for each number of events, written once, whichever server was first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, exists, select

from setmargin.errors import OtherQuestion
from setmargin.server.store.tables import events, put, questions, to_text


@dataclass(frozen=True)
class GivenQuestion:
    """What was asked after so many events: its id and its document; both empty where nothing was left to ask."""

    id: str
    document: dict[str, Any] | None


def give_question(connection: Connection, id: str, version: int, question: GivenQuestion, *, at: datetime) -> None:
    """Write what is asked after so many events, unless that is there."""
    row = {"interview": id, "version": version, "id": question.id, "body": to_text(question.document), "created": at}
    connection.execute(put(connection, questions, row, replacing=()))


def question_at(connection: Connection, id: str, version: int) -> GivenQuestion | None:
    """What was asked after so many events; None where nobody wrote it down."""
    place = and_(questions.c.interview == id, questions.c.version == version)
    row = connection.execute(select(questions).where(place)).one_or_none()
    return None if row is None else _as_given(row)


def open_questions(connection: Connection, id: str, version: int) -> dict[int, GivenQuestion]:
    """The questions up to a version that the next event did not answer, by version: events have the others."""
    is_next = and_(events.c.interview == questions.c.interview, events.c.number == questions.c.version + 1)
    answered = exists().where(is_next, events.c.question == questions.c.id)
    query = select(questions).where(questions.c.interview == id, questions.c.version <= version, ~answered)
    return {row.version: _as_given(row) for row in connection.execute(query.order_by(questions.c.version))}


def check_answers(connection: Connection, id: str, version: int, answered: str) -> None:
    """Raise OtherQuestion where another question than the answered one was given after so many events."""
    place = and_(questions.c.interview == id, questions.c.version == version)
    given = connection.scalar(select(questions.c.id).where(place))
    if given is not None and given != answered:
        raise OtherQuestion(f"the answer is to the question {answered}, and {given or 'none'} was asked; reload")


def _as_given(row: Row[Any]) -> GivenQuestion:
    return GivenQuestion(row.id, json.loads(row.body))
