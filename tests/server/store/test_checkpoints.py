"""What is kept of beliefs: the newest always, of others the fewer the older; and what is forgotten altogether."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text

from setmargin.server.checkpoint import Checkpoint
from setmargin.server.errors import StoreError, UnknownInterview
from setmargin.server.store import GivenQuestion, Store
from setmargin.server.store.checkpoints import LONG, SHORT, is_kept_after, superfluous
from setmargin.server.store.tables import checkpoints
from tests.server.store.talk import Clock, answer, begin, progress

KEYS = [f"key {number}" for number in range(1001)]
DAY = timedelta(days=1)


def kept(store: Store, id: str) -> list[int]:
    with store.transaction("read") as connection:
        query = select(checkpoints.c.events).where(checkpoints.c.interview == id).order_by(checkpoints.c.events)
        return list(connection.scalars(query))


def put(store: Store, id: str, events: int, *, version: int | None = None, key: str | None = None) -> None:
    found = Checkpoint(events, key or KEYS[events], f"after {events}".encode())
    store.put_checkpoint(id, events if version is None else version, found)


def test_the_checkpoint_that_follows_most_of_the_events_is_found(store: Store) -> None:
    id = begin(store).id
    assert store.checkpoint(id, KEYS) is None
    for events in (40, 48, 50):
        put(store, id, events)
    assert store.checkpoint(id, KEYS) == Checkpoint(50, KEYS[50], b"after 50")
    assert store.checkpoint(id, KEYS[:50]) == Checkpoint(48, KEYS[48], b"after 48")
    others = [*KEYS[:45], *(f"changed {each}" for each in KEYS[45:])]
    assert store.checkpoint(id, others) == Checkpoint(40, KEYS[40], b"after 40")
    assert store.checkpoint(id, others[:40]) is None


def test_an_older_version_never_takes_the_place_of_a_newer_one(store: Store) -> None:
    id = begin(store).id
    put(store, id, 50, version=50)
    put(store, id, 49, version=49)
    put(store, id, 50, version=48, key="older")
    assert store.checkpoint(id, KEYS) == Checkpoint(50, KEYS[50], b"after 50")


def test_what_was_undone_is_dropped_with_the_next_checkpoint(store: Store) -> None:
    id = begin(store).id
    for events in (40, 48, 50):
        put(store, id, events)
    put(store, id, 49, version=51)
    assert kept(store, id) == [40, 48, 49]


@settings(deadline=None)
@given(st.integers(min_value=1, max_value=1000))
def test_of_a_long_interview_few_are_kept_and_an_undo_replays_few_events(newest: int) -> None:
    left: set[int] = set()
    for number in range(1, newest + 1):
        if is_kept_after(number):
            left = {*left, number} - set(superfluous({*left, number}, number))
    assert len(left) <= 20
    last = max(left, default=0)
    assert newest - last <= 3
    for back in (1, 2, 3, 10, 100, 500):
        wanted = newest - back
        if wanted > 2 * SHORT:
            replayed = wanted - max((each for each in left if each <= wanted), default=0)
            assert replayed <= (0 if back <= 3 else back)


def test_what_a_replay_leaves_takes_nothing_from_what_is_known_of_later_events(store: Store) -> None:
    id = begin(store).id
    for events in (40, 48, 50):
        put(store, id, events)
    store.put_checkpoint(id, 51, Checkpoint(33, KEYS[33], b"on the way"), newest=50)
    assert kept(store, id) == [33, 40, 48, 50]
    store.put_checkpoint(id, 51, Checkpoint(37, KEYS[37], b"on the way"), newest=50)
    assert kept(store, id) == [37, 40, 48, 50]


def test_the_only_checkpoint_of_an_interview_is_never_dropped_while_it_matters(timed: Store, clock: Clock) -> None:
    """Nor are others of a long one, whose undo would take minutes without them."""
    long, short, done, here = (begin(timed).id for _ in range(4))
    for number in range(LONG):
        timed.append(long, answer(0), after=number, progress=progress(number, finished=True))
    for events in (32, 39, 40):
        put(timed, long, events)
    for number in range(SHORT + 1):
        timed.append(short, answer(0), after=number)
    for events in (32, 33):
        put(timed, short, events)
    timed.append(done, answer(0), after=0, progress=progress(1, finished=True))
    put(timed, done, 1)
    clock.wait(hours=30)
    timed.seen(here)
    put(timed, here, 36)
    put(timed, here, 37)
    assert timed.drop_checkpoints(unseen=DAY) == 2
    assert [kept(timed, id) for id in (long, short, done, here)] == [[32, 39, 40], [33], [], [36, 37]]


def test_long_interviews_are_listed_from_the_last_that_somebody_was_at(timed: Store, clock: Clock) -> None:
    ids = []
    for length in (3, 5, 4, 2):
        clock.wait(minutes=5)
        ids.append(begin(timed).id)
        for number in range(length):
            timed.append(ids[-1], answer(0), after=number)
    assert timed.long_interviews(least=3, most=10) == (ids[2], ids[1], ids[0])
    assert timed.long_interviews(least=3, most=2) == (ids[2], ids[1])


# Forgetting


def rows(store: Store, id: str) -> int:
    tables = ("interviews", "events", "questions", "progress", "checkpoints")
    with store.transaction("read") as connection:
        return sum(
            connection.scalar(
                text(f"SELECT count(*) FROM {table} WHERE {'id' if table == 'interviews' else 'interview'} = :id"),
                {"id": id},
            )
            or 0
            for table in tables
        )


def fill(store: Store) -> str:
    id = begin(store).id
    store.append(id, answer(0), after=0, progress=progress(1), question=GivenQuestion("q", {"options": []}))
    put(store, id, 1)
    return id


def test_nothing_is_left_of_an_interview_that_is_forgotten(store: Store) -> None:
    gone, other = fill(store), fill(store)
    assert (rows(store, gone), rows(store, other)) == (5, 5)
    store.forget(gone)
    assert (rows(store, gone), rows(store, other)) == (0, 5)
    with pytest.raises(UnknownInterview):
        store.interview(gone)
    with pytest.raises(UnknownInterview):
        store.forget(gone)


def test_a_start_that_comes_late_does_not_bring_back_what_was_deleted(timed: Store, clock: Clock) -> None:
    gone = fill(timed)
    other = timed.interview(gone)
    timed.forget(gone)
    with pytest.raises(UnknownInterview):
        timed.start(other.digest, other.strategy, other.seed, id=gone)
    assert rows(timed, gone) == 0
    clock.wait(days=39)
    timed.forget(fill(timed))
    with pytest.raises(UnknownInterview):
        timed.start(other.digest, other.strategy, other.seed, id=gone)
    clock.wait(days=2)
    timed.forget(fill(timed))
    assert timed.start(other.digest, other.strategy, other.seed, id=gone).version == 0


def test_interviews_that_nobody_looks_at_are_forgotten_after_their_time(
    timed: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setmargin.server.store.store.FORGOTTEN_AT_ONCE", 2)
    old = [fill(timed) for _ in range(5)]
    clock.wait(days=20)
    timed.seen(old[2])
    new = fill(timed)
    clock.wait(days=11)
    assert timed.forget_unseen(timedelta(days=30)) == 4
    assert [rows(timed, id) for id in (*old, new)] == [0, 0, 5, 0, 0, 5]
    with pytest.raises(StoreError, match="give a time that is not negative"):
        timed.forget_unseen(-DAY)


def test_what_is_forgotten_is_no_longer_in_the_file(sqlite_url: str) -> None:
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    with Store.open(sqlite_url) as store:
        id = begin(store).id
        store.append(id, {"require": "a-very-private-wish"}, after=0)
        store.forget(id)
    assert not any(re.search(b"a-very-private-wish", file.read_bytes()) for file in path.parent.glob("setmargin.db*"))
