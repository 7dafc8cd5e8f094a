"""What is put in comes out, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from itertools import product
from typing import Any

import pytest
from sqlalchemy import insert

from setmargin.server.checkpoint import Checkpoint
from setmargin.server.errors import StoreError, UnknownCatalogue, UnknownInterview
from setmargin.server.store import Store
from setmargin.server.store.tables import interviews
from tests.server.store.talk import DOCUMENT, STRATEGY, Clock, answer, begin, progress

NOBODYS = "a" * 24
NOW = datetime.now(UTC)
ODD_IDS = ["", NOBODYS, "a\0b", "\ud800", "é" * 24, "x" * 5000, "' OR 1=1 --"]


def test_a_catalogue_comes_back_as_it_was_to_the_order_of_its_attributes(store: Store) -> None:
    document = {"catalogue": "tea", "title": "Thé \0 🍵", "attributes": {"b": [1, 2.5, True], "a": ["x", None]}}
    put = store.put_catalogue("tea", document)
    assert put == store.catalogue(put.digest) == store.catalogues()[0]
    assert list(put.document["attributes"]) == ["b", "a"]
    assert put.document == document


def test_the_digest_stands_for_name_and_document(store: Store) -> None:
    first = store.put_catalogue("tea", DOCUMENT)
    assert store.put_catalogue("tea", dict(DOCUMENT)) == first
    others = [
        store.put_catalogue("coffee", DOCUMENT),
        store.put_catalogue("tea", DOCUMENT | {"title": "Tea"}),
        store.put_catalogue("tea", dict(reversed(DOCUMENT.items()))),
    ]
    assert len({first.digest, *(each.digest for each in others)}) == 4


def test_the_catalogue_put_last_is_offered_and_older_ones_stay_readable(store: Store) -> None:
    old, new = store.put_catalogue("tea", DOCUMENT), store.put_catalogue("tea", DOCUMENT | {"title": "new"})
    store.put_catalogue("coffee", DOCUMENT)
    assert [each.name for each in store.catalogues()] == ["coffee", "tea"]
    assert new in store.catalogues()
    assert store.catalogue(old.digest) == old
    store.put_catalogue("tea", DOCUMENT)
    assert old in store.catalogues()
    assert new not in store.catalogues()


def test_what_would_not_come_back_equal_is_refused(store: Store) -> None:
    documents: list[dict[Any, Any]] = [{"a": float("nan")}, {1: "one"}, {"a": (1, 2)}, {"a": {3}}, {"a": b"x"}]
    for document in documents:
        with pytest.raises(StoreError, match="only plain JSON"):
            store.put_catalogue("tea", document)
    assert store.catalogues() == ()


def test_an_interview_comes_back_as_it_was(store: Store) -> None:
    begun = begin(store)
    assert (begun.name, begun.strategy, begun.seed, begun.version, begun.events) == ("tea", STRATEGY, 7, 0, ())
    assert begun == store.interview(begun.id)
    first, second = answer(0), {"undo": True}
    store.append(begun.id, first, after=0)
    store.append(begun.id, second, after=1)
    now = store.interview(begun.id)
    assert (now.version, now.events) == (2, (first, second))
    assert (now.id, now.digest, now.created) == (begun.id, begun.digest, begun.created)
    assert store.version_of(begun.id) == 2


def test_an_interview_keeps_the_catalogue_that_it_began_with(store: Store) -> None:
    begun = begin(store)
    store.put_catalogue("tea", DOCUMENT | {"title": "new"})
    assert store.catalogue(store.interview(begun.id).digest).document == DOCUMENT


def test_must_haves_can_come_with_the_start(store: Store) -> None:
    digest = store.put_catalogue("tea", DOCUMENT).digest
    events = ({"require": "cup = 1"}, {"require": "leaf = green"})
    begun = store.start(digest, STRATEGY, 2**63 - 1, events=events)
    assert (begun.seed, begun.version, begun.events) == (2**63 - 1, 2, events)
    assert store.append(begun.id, answer(1), after=2).version == 3


def test_a_start_that_fails_leaves_nothing(store: Store) -> None:
    digest = store.put_catalogue("tea", DOCUMENT).digest
    with pytest.raises(StoreError):
        store.start(digest, STRATEGY, 7, events=[{"require": "cup = 1"}, {"require": {1, 2}}])
    assert [each.interviews for each in store.summary()] == [0]


def test_ids_are_long_and_never_the_same(store: Store) -> None:
    ids = {begin(store).id for _ in range(20)}
    assert len(ids) == 20
    assert {len(id) for id in ids} == {24}  # 18 random bytes


def test_an_unknown_id_is_unknown_wherever_it_is_used(store: Store) -> None:
    begin(store)
    uses: list[Callable[[str], object]] = [
        store.interview,
        store.version_of,
        store.seen,
        lambda id: store.append(id, answer(0), after=0),
        lambda id: store.repeated(id, key="k", request=1),
        lambda id: store.put_checkpoint(id, 1, Checkpoint(1, "k", b"")),
        store.forget,
    ]
    for use, id in product(uses, ODD_IDS):
        with pytest.raises(UnknownInterview, match="start a new one"):
            use(id)


def test_an_error_keeps_the_id_to_itself() -> None:
    assert NOBODYS not in str(UnknownInterview(NOBODYS))


def test_an_unknown_digest_is_unknown(store: Store) -> None:
    for digest in ("", "0" * 64, "a\0b", "\ud800"):
        with pytest.raises(UnknownCatalogue):
            store.catalogue(digest)
        with pytest.raises(UnknownCatalogue):
            store.start(digest, STRATEGY, 1)


def test_times_are_utc_to_the_microsecond_wherever_the_clock_stands(database: str) -> None:
    east = datetime(2026, 7, 1, 1, 30, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    with Store.open(database, clock=lambda: east) as store:
        created = begin(store).created
        assert created == east
        assert created.tzinfo is UTC
        assert store.catalogues()[0].created == east


def test_being_seen_is_written_at_most_once_a_minute(timed: Store, clock: Clock) -> None:
    begun = begin(timed)
    clock.wait(seconds=59)
    timed.seen(begun.id)
    assert timed.interview(begun.id).seen == begun.created
    clock.wait(seconds=1)
    timed.seen(begun.id)
    assert timed.interview(begun.id).seen == clock()


def test_an_answer_counts_as_being_seen(timed: Store, clock: Clock) -> None:
    begun = begin(timed)
    clock.wait(seconds=5)
    timed.append(begun.id, answer(0), after=0)
    assert timed.interview(begun.id).seen == clock()


def test_everything_is_there_after_closing_and_opening(database: str) -> None:
    with Store.open(database) as store:
        begun = begin(store)
        store.append(begun.id, answer(1), after=0, key="k")
        before = store.interview(begun.id)
    with Store.open(database) as store:
        assert store.interview(begun.id) == before
        assert store.append(begun.id, answer(1), after=0, key="k").repeated


# Caches


def test_the_progress_that_came_with_the_last_event_counts(store: Store) -> None:
    id = begin(store).id
    store.append(id, answer(0), after=0, key="k", progress=progress(1, importance={"leaf": 1.0}))
    store.append(id, answer(0), after=0, key="k", progress=progress(9))  # a repetition says nothing new
    (summary,) = store.summary()
    assert (summary.answered, summary.finished, summary.importance) == (1, 0, {"leaf": 1.0})
    store.append(id, answer(0), after=1)  # nor does an event without it
    store.append(id, {"finish": {}}, after=2, progress=progress(2, finished=True, importance={"cup": 0.5}))
    (summary,) = store.summary()
    assert (summary.finished, summary.questions.counts, summary.importance) == (1, ((2, 1),), {"cup": 0.5})


def test_a_store_that_is_there_answers(store: Store) -> None:
    store.ping()


def test_no_error_of_the_database_tells_an_id(store: Store) -> None:
    id = begin(store).id
    row = {"id": id, "digest": "x", "strategy": "", "seed": 0, "version": 0, "created": NOW, "seen": NOW}
    with pytest.raises(StoreError, match=r"(?i)unique") as failed, store.transaction("write") as connection:
        connection.execute(insert(interviews).values(row))
    assert id not in str(failed.value)


def test_a_start_under_an_id_that_is_there_changes_nothing(store: Store) -> None:
    digest = store.put_catalogue("tea", DOCUMENT).digest
    first = store.start(digest, STRATEGY, 1, events=[{"require": "cup = 1"}], id="the-id")
    store.append(first.id, {"undo": True}, after=1)
    again = store.start(digest, STRATEGY, 2, events=[{"require": "cup = 2"}], id="the-id")
    assert (again.id, again.seed, again.version) == ("the-id", 1, 2)
    assert again.events == ({"require": "cup = 1"}, {"undo": True})
