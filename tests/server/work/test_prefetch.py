"""What is ready is for the newest version, and for people who are still there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from setmargin.server.work import prefetch
from setmargin.server.work.describe import Step
from setmargin.server.work.prefetch import Prefetched, likely_answers
from setmargin.server.work.sessions import Sessions
from tests.server.work.talks import BAYES, new_job

STEP = Sessions().step(new_job())
FIRST: dict[str, Any] = {"answer": {"choice": 0}}
Pass = Callable[[float], None]


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Pass:
    """Lets seconds pass."""
    now = [1000.0]
    monkeypatch.setattr(prefetch, "monotonic", lambda: now[0])

    def later(seconds: float) -> None:
        now[0] += seconds

    return later


def at(version: int) -> Step:
    return replace(STEP, state=replace(STEP.state, version=version))


def test_all_that_can_be_said_with_one_key_is_likely() -> None:
    assert list(likely_answers(STEP.state.question)) == [
        {"choice": 0},
        {"choice": 1},
        {"choice": 2},
        {"equal": True},
        {"skip": True},
    ]
    assert list(likely_answers(None)) == []
    pair = Sessions().step(new_job(strategy=BAYES))
    assert list(likely_answers(pair.state.question)) == [{"choice": 0}, {"choice": 1}, {"equal": True}, {"skip": True}]


def test_of_reasons_and_changes_only_that_none_is_given_is_likely() -> None:
    step = Sessions().step(new_job(strategy={**BAYES, "policy": "conversation"}))
    question = step.state.question
    assert question is not None
    asks = replace(question, asks_for_change=True)
    several = [{"choice": option} for option in range(len(question.options))]
    assert list(likely_answers(asks)) == [*several, {"equal": True}, {"skip": True}]
    single = replace(asks, options=question.options[:1])
    assert list(likely_answers(single)) == [{"change": {}}, {"skip": True}]


def test_what_was_put_is_found_for_that_version_and_event_only() -> None:
    prefetched = Prefetched(patience=10)
    assert prefetched.read(STEP)
    prefetched.put("one", 0, FIRST, at(1))
    assert prefetched.step("one", 0) is STEP
    assert prefetched.after("one", 0, FIRST) == at(1)
    assert prefetched.after("one", 0, {"answer": {"choice": 1}}) is None
    assert prefetched.after("one", 1, FIRST) is None
    assert prefetched.after("two", 0, FIRST) is None
    assert prefetched.step("one", 1) is None


def test_a_newer_version_replaces_all_that_was_ready_and_an_older_one_does_not() -> None:
    prefetched = Prefetched(patience=10)
    prefetched.read(STEP)
    prefetched.put("one", 0, FIRST, at(1))
    assert prefetched.read(at(2))
    assert prefetched.after("one", 0, FIRST) is None
    assert not prefetched.is_wanted("one", 0)
    prefetched.put("one", 0, FIRST, at(1))
    assert not prefetched.read(at(1))
    assert prefetched.after("one", 0, FIRST) is None
    assert prefetched.step("one", 2) == at(2)


def test_nothing_is_wanted_of_who_has_answered_or_left(passes: Pass) -> None:
    prefetched = Prefetched(patience=10)
    assert not prefetched.is_wanted("one", 0)
    prefetched.read(STEP)
    passes(9)
    assert prefetched.is_wanted("one", 0)
    assert prefetched.step("one", 0) is not None  # they are still there
    passes(9)
    assert prefetched.is_wanted("one", 0)
    passes(2)
    assert not prefetched.is_wanted("one", 0)
    prefetched.read(at(1))
    prefetched.after("one", 1, FIRST)
    assert not prefetched.is_wanted("one", 1)


def test_who_comes_back_is_prepared_for_again_but_not_twice(passes: Pass) -> None:
    prefetched = Prefetched(patience=10)
    assert prefetched.read(STEP)
    assert not prefetched.read(STEP)
    passes(11)
    assert prefetched.read(STEP)
    assert not prefetched.read(STEP)
    prefetched.after("one", 0, FIRST)  # which was refused, so they still read the same
    assert prefetched.read(STEP)
    assert prefetched.is_wanted("one", 0)


def test_no_more_people_are_remembered_than_there_is_room_for() -> None:
    prefetched = Prefetched(patience=10, most=2)
    for id in ("a", "b", "c"):
        prefetched.read(replace(STEP, state=replace(STEP.state, id=id)))
    assert [prefetched.step(id, 0) is None for id in ("a", "b", "c")] == [True, False, False]
