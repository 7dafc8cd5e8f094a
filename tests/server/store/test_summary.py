"""The owner's view, against counting by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from statistics import mean

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from setmargin.server.store import CatalogueCounts, Histogram, Store
from setmargin.server.store.noted import note_result_seen
from tests.server.store.talk import Clock, answer, begin, progress

SHARES = st.dictionaries(st.sampled_from(["leaf", "cup", 'a "b" é']), st.sampled_from([0.0, 0.25, 0.5]))


@dataclass(frozen=True)
class Person:
    """One interview: begun and left so many minutes ago."""

    name: str
    begun: int
    stayed: int
    answers: int | None
    finished: bool
    done: bool
    looked: bool
    importance: dict[str, float]

    @property
    def idle(self) -> int:
        return self.begun - min(self.stayed, self.begun)


PEOPLE = st.builds(
    Person,
    name=st.sampled_from(["tea", "coffee"]),
    begun=st.integers(0, 120),
    stayed=st.integers(0, 120),
    answers=st.none() | st.integers(0, 7),
    finished=st.booleans(),
    done=st.booleans(),
    looked=st.booleans(),
    importance=SHARES,
)


def by_hand(name: str, people: list[Person]) -> CatalogueCounts:
    """What the summary should say; people without progress count as having answered nothing."""
    known = [person for person in people if person.answers is not None]
    finished = [person for person in known if person.finished or person.done]
    taken = [person for person in known if person.finished]
    stopped = [person for person in people if person.idle > 30 and person not in taken]
    left = [person for person in people if person.idle > 30 and person not in finished]
    answered = [person for person in known if person.answers]
    shares = {each for person in answered for each in person.importance}
    return CatalogueCounts(
        name=name,
        interviews=len(people),
        answered=len(answered),
        five=sum((person.answers or 0) >= 5 or person in finished for person in known),
        result_seen=sum(person.looked for person in people),
        taken=len(taken),
        finished=len(finished),
        questions=Histogram.of(Counter(person.answers or 0 for person in finished)),
        left=Histogram.of(Counter(person.answers or 0 for person in left)),
        stopped=(
            sum(not person.looked and not person.answers for person in stopped),
            sum(not person.looked and bool(person.answers) for person in stopped),
            sum(person.looked for person in stopped),
        ),
        importance={each: mean(p.importance[each] for p in answered if each in p.importance) for each in shares},
    )


def live(store: Store, clock: Clock, people: list[Person]) -> None:
    """Let all of it happen, and come back to now."""
    now = clock.time
    for person in people:
        clock.time = now - timedelta(minutes=person.begun)
        id = begin(store, person.name).id
        clock.time = now - timedelta(minutes=person.idle)
        store.seen(id)
        if person.answers is not None:
            reached = progress(person.answers, finished=person.finished, done=person.done, importance=person.importance)
            store.append(id, answer(0), after=0, progress=reached)
        if person.looked:
            note_result_seen(store, id)
    clock.time = now


@settings(derandomize=True, deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PEOPLE, max_size=8), st.sampled_from([0, 40, 200]))
def test_the_summary_is_what_counting_by_hand_gives(
    timed: Store, clock: Clock, people: list[Person], since: int
) -> None:
    clock.wait(days=1)  # examples share a database: each has a day of its own
    live(timed, clock, people)
    ago = timedelta(minutes=since)
    summaries = {each.name: each for each in timed.summary(since=clock.time - ago)}
    for name in {person.name for person in people}:
        counted = [p for p in people if p.name == name and timedelta(minutes=p.begun) <= ago]
        assert summaries[name] == by_hand(name, counted)


def test_all_interviews_count_when_no_time_is_given(timed: Store, clock: Clock) -> None:
    begin(timed)
    clock.wait(days=400)
    begin(timed)
    assert [each.interviews for each in timed.summary()] == [2]
    assert [each.interviews for each in timed.summary(since=clock.time)] == [1]


def test_a_catalogue_nobody_came_to_is_there_with_nothing(store: Store) -> None:
    store.put_catalogue("tea", {"catalogue": "tea"})
    assert store.summary() == (CatalogueCounts("tea", 0, 0, 0, 0, 0, 0, Histogram(), Histogram(), (0, 0, 0), {}),)


def test_versions_of_one_catalogue_count_together_and_importance_is_sorted(store: Store) -> None:
    for title in ("old", "new"):
        digest = store.put_catalogue("tea", {"title": title}).digest
        id = store.start(digest, {}, 0).id
        store.append(id, answer(0), after=0, progress=progress(1, importance={"cup": 0.25, "leaf": 0.5}))
    (summary,) = store.summary()
    assert summary.interviews == 2
    assert list(summary.importance.items()) == [("leaf", 0.5), ("cup", 0.25)]


@given(st.lists(st.integers(0, 9), max_size=12), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_a_quantile_is_the_smallest_number_that_enough_do_not_exceed(numbers: list[int], share: float) -> None:
    enough = [n for n in sorted(numbers) if sum(each <= n for each in numbers) >= share * len(numbers) - 1e-9]
    assert Histogram.of(Counter(numbers)).quantile(share) == (enough[0] if enough else None)


@pytest.mark.parametrize(("numbers", "median"), [([3], 3), ([1, 2, 3], 2), ([5, 5, 9, 9], 5)])
def test_the_median_is_one_of_the_numbers(numbers: list[int], median: int) -> None:
    histogram = Histogram.of(Counter(numbers))
    assert (histogram.quantile(0.5), histogram.total) == (median, len(numbers))
