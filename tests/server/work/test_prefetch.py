"""What is ready is for the newest version, and for people who are still there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from setmargin.server.work import prefetch
from setmargin.server.work.describe import Step
from setmargin.server.work.prefetch import SELDOM, Prefetched, likely_answers, says_more
from setmargin.server.work.sessions import Sessions
from tests.server.work.talks import BAYES, new_job

STEP = Sessions().step(new_job())
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


def answers(step: Step) -> list[dict[str, Any]]:
    return [answer for _, answer in likely_answers(step)]


def test_all_that_can_be_said_with_one_key_is_likely() -> None:
    assert answers(STEP) == [{"choice": 0}, {"choice": 1}, {"choice": 2}, {"equal": True}, {"skip": True}]
    assert answers(replace(STEP, state=replace(STEP.state, question=None))) == []
    pair = Sessions().step(new_job(strategy=BAYES))
    assert answers(pair) == [{"choice": 0}, {"choice": 1}, {"equal": True}, {"skip": True}]


def test_an_option_is_as_likely_as_the_strategy_foresees() -> None:
    known = replace(STEP, chances=(0.5, 0.49, 0.01))
    assert [chance for chance, _ in likely_answers(known)] == [0.5, 0.49, SELDOM, SELDOM, SELDOM]
    unknown = replace(STEP, chances=None)
    assert [chance for chance, _ in likely_answers(unknown)][:3] == [1 / 3] * 3


def test_of_reasons_and_changes_only_that_none_is_given_is_likely() -> None:
    step = Sessions().step(new_job(strategy={**BAYES, "policy": "conversation"}))
    question = step.state.question
    assert question is not None
    asks = replace(question, asks_for_change=True)
    several = [{"choice": option} for option in range(len(question.options))]
    assert answers(replace(step, state=replace(step.state, question=asks))) == [
        *several,
        {"equal": True},
        {"skip": True},
    ]
    single = replace(asks, options=question.options[:1])
    assert answers(replace(step, state=replace(step.state, question=single))) == [{"change": {}}, {"skip": True}]


def test_what_is_read_is_known_until_a_newer_version_is() -> None:
    prefetched = Prefetched(patience=10)
    assert prefetched.read(STEP)
    assert prefetched.step("one", 0) is STEP
    assert prefetched.step("one", 1) is None
    assert prefetched.read(at(2))
    assert not prefetched.read(at(1))
    assert prefetched.step("one", 2) == at(2)


def test_a_point_is_worked_out_once_and_wanted_while_anybody_may_come_to_it() -> None:
    prefetched = Prefetched(patience=10)
    for id in ("one", "two"):
        prefetched.read(replace(STEP, state=replace(STEP.state, id=id)))
    assert prefetched.want("there", "one", 0)
    assert not prefetched.want("there", "two", 0)
    prefetched.give_up("one", 0)
    assert prefetched.is_wanted("there")
    prefetched.give_up("two", 0)
    assert not prefetched.is_wanted("there")
    prefetched.done("there")
    assert prefetched.want("there", "one", 0)


def test_nothing_is_wanted_of_who_has_answered_or_left(passes: Pass) -> None:
    prefetched = Prefetched(patience=10)
    assert not prefetched.is_wanted("there")
    prefetched.read(STEP)
    prefetched.want("there", "one", 0)
    passes(9)
    assert prefetched.is_wanted("there")
    assert prefetched.step("one", 0) is not None  # they are still there
    passes(9)
    assert prefetched.is_wanted("there")
    passes(2)
    assert not prefetched.is_wanted("there")
    prefetched.read(at(1))
    prefetched.want("beyond", "one", 1)
    assert prefetched.is_wanted("beyond")
    prefetched.give_up("one", 1)
    assert not prefetched.is_wanted("beyond")


def test_who_comes_back_is_prepared_for_again_but_not_twice(passes: Pass) -> None:
    prefetched = Prefetched(patience=10)
    assert prefetched.read(STEP)
    assert not prefetched.read(STEP)
    passes(11)
    assert prefetched.read(STEP)
    assert not prefetched.read(STEP)
    prefetched.give_up("one", 0)  # the answer was refused, so they still read the same
    assert prefetched.read(STEP)


def test_no_more_people_are_remembered_than_there_is_room_for() -> None:
    prefetched = Prefetched(patience=10, most=2)
    for id in ("a", "b", "c"):
        prefetched.read(replace(STEP, state=replace(STEP.state, id=id)))
    assert [prefetched.step(id, 0) is None for id in ("a", "b", "c")] == [True, False, False]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ({"choice": 0}, False),
        ({"choice": 0, "because": []}, False),
        ({"choice": 0, "because": ["price"]}, True),
        ({"change": {"name": "size", "value": 2}}, True),
        ({"change": {}}, False),
        ({"skip": True}, False),
    ],
)
def test_who_said_more_than_the_choice_will_hardly_say_less(last: dict[str, Any], expected: bool) -> None:
    earlier = {"answer": {"choice": 1, "because": ["colour"]}}
    assert says_more([earlier, {"answer": last}, {"require": "size >= 2"}]) is expected
    assert not says_more([])
