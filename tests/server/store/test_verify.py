"""Events are counted and chained: whatever is missing, changed, there twice or moved is found, and nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from setmargin.answers import Question
from setmargin.errors import OtherQuestion
from setmargin.interview.log import question_document
from setmargin.server.errors import DamagedInterview, StoreError
from setmargin.server.store import GivenQuestion, Store, chain
from setmargin.server.store.engine import connect
from setmargin.server.store.migrations import MIGRATIONS, migrate
from setmargin.server.store.verify import damages
from setmargin.space.space import Configuration
from tests.server.store.talk import answer, begin

START = datetime(2026, 1, 2, tzinfo=UTC)
FIRST = Question((Configuration({"leaf": "green", "cup": 1}), Configuration({"leaf": "black", "cup": 2})))
OTHER = Question((Configuration({"leaf": "green", "cup": 1}), Configuration({"leaf": "black", "cup": 1})))


def as_given(question: Question) -> GivenQuestion:
    return GivenQuestion(question.id, question_document(question))


def an_interview(bodies: list[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The rows of an interview with these events."""
    row = {"id": "i", "digest": "d", "strategy": "{}", "seed": 1, "created": START, "version": len(bodies)}
    end, events = chain.beginning(row), []
    for number, body in enumerate(bodies, 1):
        event = {"number": number, "body": body, "key": None, "request": None, "question": None}
        event["created"] = START + timedelta(seconds=number)
        event["checksum"] = end = chain.following(end, event)
        events.append(event)
    return {**row, "checksum": end}, events


def found(interview: dict[str, Any], events: list[dict[str, Any]]) -> list[tuple[int, str]]:
    ordered = sorted(events, key=lambda event: event["number"])
    return [(each.place, each.kind) for each in damages(interview, ordered, [])]


BODIES = st.lists(st.text(max_size=3), min_size=1, max_size=8)
claims = settings(derandomize=True, deadline=None, max_examples=60)


@claims
@given(BODIES)
def test_what_was_written_is_in_order(bodies: list[str]) -> None:
    assert found(*an_interview(bodies)) == []


@claims
@given(BODIES, st.data())
def test_a_missing_event_is_named(bodies: list[str], data: st.DataObject) -> None:
    interview, events = an_interview(bodies)
    number = data.draw(st.integers(1, len(bodies)))
    del events[number - 1]
    assert found(interview, events) == [(number, "missing")]


@claims
@given(BODIES, st.data(), st.sampled_from(["body", "key", "request", "question", "created"]))
def test_a_changed_event_is_named(bodies: list[str], data: st.DataObject, column: str) -> None:
    interview, events = an_interview(bodies)
    number = data.draw(st.integers(1, len(bodies)))
    events[number - 1][column] = START if column == "created" else "something else"
    assert (number, "changed") in found(interview, events)
    assert {place for place, _ in found(interview, events)} <= {number - 1, number}


@claims
@given(st.lists(st.text(max_size=3), min_size=2, max_size=8), st.data())
def test_events_that_changed_places_are_named(bodies: list[str], data: st.DataObject) -> None:
    interview, events = an_interview(bodies)
    one, other = data.draw(st.lists(st.integers(1, len(bodies)), min_size=2, max_size=2, unique=True).map(sorted))
    events[one - 1]["number"], events[other - 1]["number"] = other, one
    assert {(one, "moved"), (other, "moved")} <= set(found(interview, events))
    assert {place for place, _ in found(interview, events)} <= {one, other, len(bodies)}


@claims
@given(BODIES, st.data())
def test_an_event_that_is_there_twice_is_named(bodies: list[str], data: st.DataObject) -> None:
    interview, events = an_interview(bodies)
    number = data.draw(st.integers(1, len(bodies)))
    twice = {**events[number - 1], "number": len(bodies) + 1}
    assert (len(bodies) + 1, "duplicated") in found({**interview, "version": len(bodies) + 1}, [*events, twice])
    assert (len(bodies) + 1, "extra") in found(interview, [*events, twice])
    assert (number, "duplicated") in found(interview, [*events, events[number - 1]])


@pytest.mark.parametrize("column", ["strategy", "seed", "digest", "created", "id"])
@pytest.mark.parametrize("bodies", [[], ["a", "b"]])
def test_an_interview_that_was_changed_is_found(bodies: list[str], column: str) -> None:
    interview, events = an_interview(bodies)
    interview[column] = START + timedelta(days=1) if column == "created" else "2"
    assert found(interview, events)[0] == (min(1, len(bodies)), "changed")


def talked(store: Store) -> str:
    """An interview with three events, the second of which answers a question."""
    id = begin(store).id
    store.append(id, {"require": "cup = 1"}, after=0, key="a", question=as_given(FIRST))
    said = {**answer(0), "status": ""}
    store.append(id, said, after=1, key="b", answers=FIRST.id, question=as_given(OTHER))
    store.append(id, {"undo": True}, after=2, question=as_given(FIRST))
    return id


def spoilt(store: Store, statement: str) -> None:
    with store.transaction("write") as connection:
        connection.exec_driver_sql(statement)


def test_a_store_finds_nothing_wrong_with_what_it_wrote(store: Store) -> None:
    digest = store.interview(talked(store)).digest
    talked(store)
    store.start(digest, {}, 3, events=[{"require": "cup = 1"}, {"require": "leaf = green"}], question=as_given(FIRST))
    result = store.verify()
    assert result.damages == ()
    assert (result.interviews, result.events, result.questions, result.complete) == (3, 8, 7, True)


@pytest.mark.parametrize(
    ("statement", "place", "kind"),
    [
        ("DELETE FROM events WHERE number = 2", 2, "missing"),
        ("DELETE FROM events WHERE number = 3", 3, "missing"),
        ("UPDATE events SET body = '{\"undo\":false}' WHERE number = 3", 3, "changed"),
        ("UPDATE events SET number = 9 WHERE number = 3", 3, "missing"),
        ("UPDATE interviews SET seed = 8", 1, "changed"),
        ("UPDATE interviews SET version = 2", 2, "changed"),
        ("UPDATE questions SET id = 'x' WHERE version = 1", 2, "other question"),
        ("UPDATE questions SET body = 'null' WHERE version = 3", 3, "changed"),
        ("DELETE FROM questions WHERE version = 1", 1, "missing"),
    ],
)
def test_what_was_spoilt_is_found_with_its_interview_and_place(
    store: Store, statement: str, place: int, kind: str
) -> None:
    id = talked(store)
    spoilt(store, statement)
    assert (id, place, kind) in [(each.interview, each.place, each.kind) for each in store.verify().damages]
    assert store.verify(newest=5).damages == store.verify().damages


def test_events_that_changed_places_in_the_database_are_found(store: Store) -> None:
    id = talked(store)
    for old, new in ((1, 99), (2, 1), (99, 2)):
        spoilt(store, f"UPDATE events SET number = {new} WHERE number = {old}")
    kinds = {(each.place, each.kind) for each in store.verify().damages if each.interview == id}
    assert {(1, "moved"), (2, "moved")} <= kinds


def test_an_interview_whose_events_are_missing_is_not_read_as_if_they_had_never_been(store: Store) -> None:
    id = talked(store)
    spoilt(store, "DELETE FROM events WHERE number = 2")
    with pytest.raises(DamagedInterview, match="has 2 of its 3 events; `setmargin database verify`"):
        store.interview(id)


def test_an_answer_to_another_question_than_was_given_is_not_written(store: Store) -> None:
    id = begin(store).id
    store.append(id, {"require": "cup = 1"}, after=0, question=as_given(FIRST))
    with pytest.raises(OtherQuestion, match="reload"):
        store.append(id, answer(0), after=1, answers=OTHER.id)
    assert store.version_of(id) == 1


def test_looking_at_the_newest_is_bounded(store: Store) -> None:
    for _ in range(3):
        talked(store)
    assert (store.verify(newest=2).interviews, store.verify(newest=2).complete) == (2, False)
    assert not store.verify(seconds=-1).complete


def test_what_an_older_version_wrote_gets_its_chain(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more interviews than are chained at once, and events of all kinds."""
    monkeypatch.setattr("setmargin.server.store.migrations.CHAINED_AT_ONCE", 2)
    engine = connect(database)
    migrate(engine.execution_options(purpose="write"), MIGRATIONS[:2])
    with engine.execution_options(purpose="write").begin() as connection:
        connection.execute(text("INSERT INTO catalogues VALUES ('d', 'tea', '{}', '2026-01-02 03:04:05.678901+00:00')"))
        for id, count in (("a", 3), ("b", 0), ("C", 1), ("_", 2), ("e", 1)):
            connection.execute(
                text("INSERT INTO interviews VALUES (:id, 'd', '{}', 7, :at, :at, :count)"),
                {"id": id, "count": count, "at": "2026-01-02 03:04:05.678901+00:00"},
            )
            for number in range(1, count + 1):
                connection.execute(
                    text("INSERT INTO events VALUES (:id, :number, '{}', :key, :key, :at)"),
                    {"id": id, "number": number, "key": f"k{number}", "at": "2026-01-02 03:04:06+00:00"},
                )
    engine.dispose()
    with pytest.raises(StoreError, match=r"schema 2 of .*; start `setmargin serve` on it once"):
        Store.existing(database)
    with Store.open(database) as store:
        result = store.verify()
        assert (result.interviews, result.events, result.damages) == (5, 7, ())
        spoilt(store, "UPDATE events SET body = '[]' WHERE interview = '_' AND number = 2")
        assert [(each.interview, each.place) for each in store.verify().damages] == [("_", 2)]


def test_nothing_is_created_where_there_is_no_database(sqlite_url: str) -> None:
    for _ in range(2):
        with pytest.raises(StoreError, match="there is no database"):
            Store.existing(sqlite_url)


def test_a_look_ends_in_time_also_among_those_that_were_read_together(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much there is of each interview: here each takes a second."""
    for _ in range(12):
        begin(store)
    now = [0.0]

    def slowly(*rows: Any) -> list[Any]:
        now[0] += 1.0
        return damages(*rows)

    monkeypatch.setattr("setmargin.server.store.verify.monotonic", lambda: now[0])
    monkeypatch.setattr("setmargin.server.store.verify.damages", slowly)
    for newest in (200, None):
        now[0] = 0.0
        verified = store.verify(newest=newest, seconds=2.0)
        assert (verified.interviews, verified.complete) == (3, False)
    now[0] = 0.0
    assert store.verify().complete
    assert store.verify().interviews == 12
