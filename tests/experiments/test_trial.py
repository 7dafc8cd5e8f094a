"""One trial and its records."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import inf
from typing import get_args

import numpy as np
import pytest

from setmargin.answers import Answer, Choice, How, Question
from setmargin.errors import OptionError
from setmargin.experiments import FINISHED, Record, is_last, run_trial
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.experiments.trial import screen_of
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.strategies.base import Recommendation
from setmargin.strategies.options import no_option
from setmargin.strategies.registry import make_for_simulation, make_strategy
from setmargin.strategies.shared.effort import answer_effort, screen_effort
from tests.experiments.stubs import Noted, Scripted

LETTERS = Space({"x": ["a", "b", "c", "d"]}, rules=["x != d"], name="letters")


def somebody(*weights: float, space: Space = LETTERS, response: Response | None = None) -> Person:
    return Person(space=space, weights=np.array(weights), response=response or Response(model="noiseless"))


def test_each_part_of_the_work_is_done_once_a_question() -> None:
    strategy = Scripted()
    assert len(list(run_trial(strategy, somebody(1, 2, 3, 4), questions=2))) == 2
    assert strategy.calls == ["start", *["ask", "learn", "tune", "recommend"] * 2]


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True, kw_only=True)
class Slow(Scripted):
    """Takes 1 to ask, 2 to learn, 3 to tune and 4 to recommend."""

    clock: Clock = no_option(factory=Clock)

    def _ask(self, belief: Noted) -> Question | None:
        self.clock.now += 1
        return super()._ask(belief)

    def _learn(self, belief: Noted, question: Question, answer: Answer) -> Noted:
        self.clock.now += 2
        return super()._learn(belief, question, answer)

    def _tune(self, belief: Noted) -> Noted:
        self.clock.now += 3
        return super()._tune(belief)

    def _recommend(self, belief: Noted) -> Recommendation:
        self.clock.now += 4
        return super()._recommend(belief)


def test_each_part_is_timed_on_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("setmargin.experiments.trial.perf_counter", clock)
    records = list(run_trial(Slow(clock=clock), somebody(1, 2, 3, 4), questions=2))
    assert len(records) == 2
    for record in records:
        assert (record["ask_seconds"], record["learn_seconds"]) == (1, 2)
        assert (record["tune_seconds"], record["recommend_seconds"]) == (3, 4)


def test_losses_are_measured_against_the_best_that_can_be_built() -> None:
    # After one answer `b` is recommended, then `c`, the best; `d` would be better but cannot be built.
    records = list(run_trial(Scripted(), somebody(1, 2, 8, 100), questions=2))
    assert [record["loss"] for record in records] == [6, 0]
    assert [record["relative_loss"] for record in records] == [0.75, 0]


def test_a_trial_without_loss_goes_on_to_its_last_question() -> None:
    records = list(run_trial(Scripted(), somebody(5, 5, 5, 0), questions=2))
    assert [(record["question"], record["loss"]) for record in records] == [(1, 0), (2, 0)]


def test_a_strategy_with_nothing_left_to_ask_ends_the_trial() -> None:
    strategy = Scripted(questions=1)
    records = list(run_trial(strategy, somebody(1, 2, 8, 0), questions=9))
    assert [(record["question"], record["loss"]) for record in records] == [(1, 6), (2, 6)]
    assert [record["status"] == FINISHED for record in records] == [False, True]
    assert records[-1]["pairs"] == 1
    assert records[-1]["recommend_seconds"] == records[-1]["learn_seconds"] == 0
    assert strategy.calls.count("recommend") == 1
    assert [is_last(record, questions=9) for record in records] == [False, True]


def test_a_space_without_questions_still_gives_a_recommendation() -> None:
    only = Space({"x": ["a", "b"]}, rules=["x = b"])
    (record,) = run_trial(make_strategy("random"), somebody(3, 1, space=only), questions=5)
    assert (record["question"], record["status"], record["loss"], record["pairs"]) == (1, FINISHED, 0, 0)


@pytest.mark.parametrize(("how", "pairs"), [("pairs", 3), ("sort", 3), ("choice", 2), ("ranking", 3)])
def test_pairs_that_the_person_has_ordered_are_counted(how: How, pairs: int) -> None:
    space = Space({"x": ["a", "b", "c", "d"]})
    person = somebody(1, 3, 2, 0, space=space)
    records = list(run_trial(Scripted(set_size=3), person, questions=1, how=how))
    assert [record["pairs"] for record in records] == [pairs]


def test_a_record_says_what_was_run_and_is_plain_data() -> None:
    (person,) = draw_people(load("synthetic:2"), 1, seed=4, response=Response(model="tree", wrong=0.25))
    (record,) = run_trial(Scripted(gap=inf), person, questions=1, how="choice")
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert set(record) == Record.__required_keys__
    said = {key: record[key] for key in ("catalogue", "strategy", "set_size", "weights", "response", "wrong", "how")}
    assert list(said.values()) == ["synthetic:2", "scripted", 2, "uniform", "tree", 0.25, "choice"]
    assert (record["seed"], record["person"], record["gap"]) == (4, 1, None)


@pytest.mark.parametrize("how", get_args(How))
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_people_to_whom_all_is_equal_can_be_interviewed(how: How, size: int, weight: float) -> None:
    person = somebody(*[weight] * 4, response=Response())
    for strategy in (make_strategy("random", set_size=size), make_strategy("setmargin", set_size=size, mode="fast")):
        records = list(run_trial(strategy, person, questions=2, how=how))
        assert {record["relative_loss"] for record in records} == {0.0}


def test_different_people_are_asked_different_random_questions() -> None:
    asked = set()
    for person in draw_people(load("synthetic:6"), 3):
        belief = make_strategy("random").start(person.space, seed=person.strategy_seed)
        asked.add(make_strategy("random").ask(belief))
    assert len(asked) == 3


@pytest.mark.parametrize(("options", "words"), [({"questions": 0}, "0 questions"), ({"how": "guess"}, "'guess'")])
def test_impossible_trials_are_refused_before_they_start(options: dict[str, object], words: str) -> None:
    strategy = Scripted()
    with pytest.raises(OptionError, match=words):
        run_trial(strategy, somebody(1, 2, 3, 4), **options)  # type: ignore[arg-type]
    assert not strategy.calls


# Screens


@pytest.mark.parametrize(
    ("size", "how", "asks", "words"),
    [
        (1, "choice", False, "change"),
        (2, "choice", False, "pair"),
        (2, "pairs", True, "pair with change"),
        (3, "choice", False, "choice of 3"),
        (4, "choice", True, "choice of 4 with change"),
        (3, "ranking", False, "ranking of 3"),
        (3, "pairs", False, "pairs of 3"),
    ],
)
def test_kinds_of_screens_are_called_by_what_they_ask(size: int, how: How, asks: bool, words: str) -> None:
    space = Space({"x": ["a", "b", "c", "d"]})
    options = tuple(space.configuration([number]) for number in range(size))
    assert screen_of(Question(options, asks_for_change=asks), how) == words


def test_every_screen_has_the_effort_of_its_answer() -> None:
    space = Space({"x": ["a", "b", "c", "d"], "y": [1, 2]})
    person = somebody(1, 3, 2, 0, 0, 0, space=space, response=Response(model="noiseless", reasons=1.0))
    first, second = run_trial(Scripted(set_size=3), person, questions=2, how="choice")
    strategy = Scripted(set_size=3)
    question = strategy.ask(strategy.start(space, seed=0))
    assert question is not None
    assert first["effort"] == answer_effort(space, question, Choice(2, ("x",)))
    assert first["effort"] == screen_effort(3, 2, reason=True)
    assert (first["screen"], second["screen"]) == ("choice of 3", "choice of 3")


def test_a_question_that_is_not_there_takes_no_effort() -> None:
    *_, last = run_trial(Scripted(questions=1), somebody(1, 2, 8, 0), questions=9)
    assert (last["screen"], last["effort"]) == ("", 0.0)


def test_talking_people_are_asked_for_more_than_pairs() -> None:
    response = Response(reasons=1.0, changes=1.0, careless=0.1)
    (person,) = draw_people(load("bicycle"), 1, weights="sparse-uniform", quantities=True, response=response)
    strategy = make_for_simulation("bayes", talking=True, samples=64)
    records = list(run_trial(strategy, person, questions=4, how="choice"))
    assert {(each["reasons"], each["changes"], each["careless"]) for each in records} == {(1.0, 1.0, 0.1)}
    assert any("change" in each["screen"] for each in records)
    assert all(each["effort"] > 4 for each in records)


def test_people_who_say_nothing_more_can_be_asked_for_it() -> None:
    (person,) = draw_people(load("bicycle"), 1, weights="sparse-uniform", quantities=True)
    strategy = make_for_simulation("bayes", talking=True, samples=64)
    assert len(list(run_trial(strategy, person, questions=5, how="choice"))) == 5
