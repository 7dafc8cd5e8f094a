"""Messages are written with the event that they tell of, or not at all, and taken by one server at a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from setmargin.server.errors import Conflict
from setmargin.server.store import Store
from setmargin.server.store.outbox import OutboxMessage
from tests.server.store.talk import begin

HERE, THERE = "https://here.example/", "https://there.example/"
KEEP = timedelta(seconds=21)


class Clock:
    """A clock that can be set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 17, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def finish(store: Store, *ids: str) -> str:
    """An interview that has been finished, of which each receiver is to be told."""
    interview = begin(store)
    messages = [OutboxMessage(id, receiver, f"about {id}") for id in ids for receiver in (HERE, THERE)]
    store.append(interview.id, {"finish": None}, after=0, messages=messages)
    return interview.id


def take(store: Store, receiver: str = HERE, **options: int) -> list[tuple[str, int]]:
    taken = store.take_messages(receiver, keep=KEEP, most=options.get("most", 10), waits=(timedelta(), KEEP))
    return sorted((each.id, each.attempts) for each in taken)


def test_messages_are_there_with_their_event_or_not_at_all(store: Store) -> None:
    interview = begin(store)
    message = OutboxMessage("m", HERE, "body")
    with pytest.raises(Conflict):
        store.append(interview.id, {"finish": None}, after=3, messages=[message])
    assert not store.is_any_due(HERE)
    store.append(interview.id, {"finish": None}, after=0, key="k", messages=[message])
    assert store.append(interview.id, {"finish": None}, after=0, key="k", messages=[message]).repeated
    assert store.take_messages(HERE, keep=KEEP, most=9) == (OutboxMessage("m", HERE, "body", attempts=1),)


def test_one_server_has_a_message_until_it_is_sent_or_the_server_is_dead(database: str, clock: Clock) -> None:
    with Store.open(database, clock=clock) as one, Store.open(database, clock=clock) as other:
        finish(one, "a", "b")
        assert take(one, most=1) + take(other) == [("a", 1), ("b", 1)]
        assert take(one) == take(other) == []
        assert take(other, THERE) == [("a", 1), ("b", 1)], "receivers do not wait for each other"
        one.note_sent("a", HERE)
        clock.now += KEEP
        assert take(one) == [("b", 2)], "whoever had it is dead"
        one.note_failed("b", HERE, "no reply", again=timedelta(seconds=3))
        assert not other.is_any_due(HERE)
        clock.now += timedelta(seconds=3)
        assert take(other) == [("b", 3)]


@pytest.mark.parametrize("wrong", [timedelta(days=30), timedelta(minutes=-40)])
def test_a_clock_that_was_wrong_delays_nothing_for_long(database: str, clock: Clock, wrong: timedelta) -> None:
    with Store.open(database, clock=clock) as store:
        finish(store, "a")
        clock.now += wrong
        take(store)
        clock.now -= wrong
        clock.now += KEEP
        assert take(store) == [("a", 2)]


def test_what_is_given_up_is_shown_and_can_be_sent_again(store: Store) -> None:
    finish(store, "a")
    take(store)
    store.note_failed("a", HERE, "the reply has status 500", again=None)
    store.note_sent("a", THERE)
    (here, there), (failed,) = store.outbox(most=5)
    assert (here.receiver, here.waiting, here.sent, here.given_up, here.oldest) == (HERE, 0, 0, 1, None)
    assert (there.receiver, there.waiting, there.sent, there.given_up) == (THERE, 0, 1, 0)
    assert (failed.id, failed.fate, failed.problem) == ("a", "given up", "the reply has status 500")
    assert take(store) == []
    assert store.send_again() == 1
    assert take(store) == [("a", 1)]


def test_messages_are_forgotten_with_their_interview(store: Store) -> None:
    id = finish(store, "a")
    store.forget(id)
    assert store.outbox(most=5) == ((), ())
