"""Alternatives are the best there are, trade-offs are counted right, and answers that stand out are found."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from setmargin.answers import Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip
from setmargin.arrays import Floats, Ints
from setmargin.interview.explain import MATTERS, SURPRISING, Alternative, Tradeoff, alternatives, surprising, tradeoffs
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered
from setmargin.solve.lowering import lower
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import History, Recommendation
from setmargin.strategies.registry import make_strategy
from tests.solve.spaces_with_rules import feasible, ruled_space

claims = settings(derandomize=True, deadline=None, max_examples=30)
seeds = st.integers(0, 2**32 - 1)

BAG = Space(
    {"colour": ["red", "blue"], "size": [20, 30, 40]},
    quantities=[Quantity("weight", {"size": {20: 1, 30: 2, 40: 4}}, better="lower", unit="kg")],
)
# Red is worth 0.3 and blue 0.1; sizes 0.0, 0.2 and 0.4; lightness 0.4 at most.
LIKES = np.array([0.3, 0.1, 0.0, 0.2, 0.4, 0.4])


def some_weights(space: Space, seed: int) -> Floats:
    """Not negative, as those that are learnt; sometimes with many zeros and ties."""
    rng = np.random.default_rng(seed)
    size = len(space.feature_names)
    kinds = (rng.random(size), rng.random(size) * (rng.random(size) < 0.4), rng.integers(0, 4, size) / 10)
    return np.asarray(kinds[seed % 3], dtype=float)


def best_for(space: Space, weights: Floats) -> Recommendation:
    return Recommendation(oracle_for(space).best(weights), weights)


def parts_of(space: Space, weights: Floats, row: Ints) -> Floats:
    """What each attribute's value is worth by itself and through each quantity, by hand: attributes × parts."""
    cut = int(space.offsets[-1])
    columns = row + space.offsets[:-1]
    return np.array([[weights[c], *(weights[cut:] * space.costs[:, c])] for c in columns])


def differs(space: Space, weights: Floats, one: Ints, other: Ints, least: float) -> bool:
    apart = np.abs(parts_of(space, weights, one) - parts_of(space, weights, other)).max(axis=1)
    return bool((apart[one != other] >= least).any())


@claims
@given(seed=seeds)
def test_the_first_alternative_is_the_best_of_all_that_differ_in_something_that_matters(seed: int) -> None:
    space = ruled_space(seed)
    rows, weights = feasible(space), some_weights(space, seed)
    best = best_for(space, weights)
    utility = float(weights @ space.encode(best.configuration))
    here = space.indices(best.configuration)
    worth = space.features(rows) @ weights
    for least in (MATTERS * utility, 0.0):
        others = [n for n, row in enumerate(rows) if differs(space, weights, row, here, least)]
        if others:
            break
    found = alternatives(oracle_for(space), best)
    assert bool(found) == bool(others)
    if others:
        assert float(weights @ space.encode(found[0].configuration)) == pytest.approx(max(worth[others]), abs=1e-9)


@claims
@given(seed=seeds)
def test_alternatives_are_feasible_and_differ_from_the_best_and_from_each_other(seed: int) -> None:
    space = ruled_space(seed)
    assume(len(feasible(space)) > 3)
    weights = some_weights(space, seed)
    best = best_for(space, weights)
    utility = float(weights @ space.encode(best.configuration))
    found = alternatives(oracle_for(space), best, most=3)
    shown = [best.configuration, *(each.configuration for each in found)]
    assert len(set(shown)) == len(shown)
    for each in found:
        space.check(each.configuration)
        assert sum(each.losses.values()) - sum(each.gains.values()) == pytest.approx(each.loss, abs=1e-9)
        lost = float(weights @ (space.encode(best.configuration) - space.encode(each.configuration)))
        assert each.loss * (utility or 1.0) == pytest.approx(lost, abs=1e-9)
        assert min([*each.gains.values(), *each.losses.values()], default=1.0) > 0
        assert list(each.losses.values()) == sorted(each.losses.values(), reverse=True)


def test_an_alternative_says_what_speaks_for_it_and_against_it() -> None:
    best = best_for(BAG, LIKES)
    assert dict(best.configuration) == {"colour": "red", "size": 30}
    other, another = alternatives(oracle_for(BAG), best)
    assert dict(other.configuration) == {"colour": "red", "size": 40}
    assert list(other.gains) == ["size"]
    assert list(other.losses) == ["weight"]
    assert dict(another.configuration) == {"colour": "red", "size": 20}
    assert json.loads(json.dumps(other.document())) == other.document()


def test_where_nothing_matters_anything_else_is_an_alternative() -> None:
    best = Recommendation(BAG.configuration([0, 0]), np.zeros(6))
    found = alternatives(oracle_for(BAG), best)
    assert len(found) == 2
    assert [each.loss for each in found] == [0.0, 0.0]


def test_a_single_configuration_has_no_alternative() -> None:
    only = BAG.with_rules("colour = red", "size = 20")
    assert alternatives(oracle_for(only), best_for(only, LIKES)) == ()


@settings(claims, max_examples=10)
@given(seed=seeds)
def test_a_slow_oracle_finds_alternatives_that_are_as_good(seed: int) -> None:
    space = ruled_space(seed, attributes=3, values=3)
    feasible(space)
    weights = some_weights(space, seed)
    best = best_for(space, weights)
    slow = Oracle(space, engine=MilpEngine(lower(space)))
    assert not slow.is_quick

    def losses(found: tuple[Alternative, ...]) -> list[float]:
        return [each.loss for each in found[:1]]

    assert losses(alternatives(slow, best)) == pytest.approx(losses(alternatives(oracle_for(space), best)), abs=1e-6)


# Answers


def bag(colour: str, size: int) -> Configuration:
    return Configuration({"colour": colour, "size": size})


SMALL_RED, LARGE_RED, LARGE_BLUE = bag("red", 20), bag("red", 40), bag("blue", 40)


def test_what_was_given_up_for_what_is_counted() -> None:
    best = best_for(BAG, LIKES)
    history: History = (
        (Question((SMALL_RED, LARGE_RED)), Choice(1)),  # weight for size
        (Question((SMALL_RED, LARGE_BLUE)), Choice(0)),  # size for weight
        (Question((LARGE_RED, LARGE_BLUE)), Choice(0)),  # nothing was given up
        (Question((LARGE_RED, SMALL_RED)), Choice(0)),  # weight for size again
        (Question((LARGE_RED, SMALL_RED)), Skip()),
        (Question((LARGE_RED, SMALL_RED)), NoDifference()),
    )
    found = tradeoffs(BAG, best, history)
    assert found == (Tradeoff("weight", "size", (0, 3)), Tradeoff("size", "weight", (1,)))
    assert [each.times for each in found] == [2, 1]
    assert found[0].document() == {"gave_up": "weight", "gained": "size", "answers": [0, 3]}


def test_an_answer_about_many_options_counts_once_for_each_pair_of_things() -> None:
    best = best_for(BAG, LIKES)
    question = Question((LARGE_RED, LARGE_BLUE, SMALL_RED, bag("blue", 20)))
    (found,) = tradeoffs(BAG, best, ((question, Ranking((0, 1, 2, 3))),))
    assert found == Tradeoff("weight", "size", (0,))


def test_what_is_worth_nothing_was_not_given_up() -> None:
    indifferent = Recommendation(SMALL_RED, np.array([0.3, 0.1, 0.0, 0.2, 0.4, 0.0]))
    assert tradeoffs(BAG, indifferent, ((Question((SMALL_RED, LARGE_RED)), Choice(1)),)) == ()


@claims
@given(seed=seeds)
def test_an_answer_is_surprising_if_and_only_if_it_prefers_what_is_clearly_worse(seed: int) -> None:
    space = ruled_space(seed)
    rows = feasible(space)
    assume(len(rows) > 3)
    rng = np.random.default_rng(seed)
    weights = some_weights(space, seed)
    best = best_for(space, weights)
    history: History = tuple(
        (Question(tuple(map(space.configuration, rng.permutation(rows)[:3]))), answer)
        for answer in (Choice(2), Ranking((1, 2, 0)), Comparisons(((0, 2, Outcome.SECOND),)), Skip(), NoDifference())
    )
    pairs: list[list[tuple[int, int]]] = [[(2, 0), (2, 1)], [(1, 2), (1, 0), (2, 0)], [(2, 0)], [], []]
    limit = SURPRISING * float(weights @ space.encode(best.configuration))
    expected = [
        number
        for number, ((question, _), said) in enumerate(zip(history, pairs, strict=True))
        if any(
            weights @ space.encode(question.options[worse]) - weights @ space.encode(question.options[better]) > limit
            for better, worse in said
        )
    ]
    assert list(surprising(space, best, history)) == expected


def test_an_interview_marks_the_one_answer_that_contradicts_the_others() -> None:
    space = Space({"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    others = [(0, 0), (0, 1), (1, 0), (1, 1)]
    questions = [Question(tuple(space.configuration([a, b, c]) for a in (1, 0))) for b, c in others]
    said = [Answered(question, Choice(int(number == 2))) for number, question in enumerate(questions)]
    interview = Interview(space, make_strategy("bayes", until=0.0), events=said)
    assert interview.surprising() == (2,)
    assert interview.recommend().configuration["a"] == 1
    assert interview.recommend().configuration not in {each.configuration for each in interview.alternatives()}
    assert interview.tradeoffs() == ()  # nothing else differed
