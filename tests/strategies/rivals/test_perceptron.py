from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Answer, Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip
from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.laws.checks import noiseless, small_space, taste
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.rivals.perceptron import (
    Perceptron,
    corrected,
    far_and_good,
    not_negative,
    spread_of,
    stepped,
)
from tests.strategies.brute import all_configurations

FEW = settings(derandomize=True, deadline=None, max_examples=15)
GRID = Space({"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2]}, rules=["a = 1 => b != 2"])


def set_value(onehot: Floats, values: Floats, spread: float) -> float:
    """Mean utility, and `spread` times the mean distance of two options."""
    apart = [float(np.abs(one - other).sum()) for one, other in combinations(onehot, 2)]
    return float((onehot @ values).mean()) + spread * float(np.mean(apart))


def asked_of(space: Space, size: int) -> Question:
    rows = oracle_for(space).sample(np.random.default_rng(7), 40)
    return Question(tuple(space.configuration(row) for row in np.unique(rows, axis=0)[:size]))


def test_a_choice_pulls_towards_the_chosen_and_away_from_the_mean_of_the_others() -> None:
    question = asked_of(GRID, 3)
    first, second, third = (GRID.encode(option) for option in question.options)
    moved = stepped(GRID, np.zeros(8), question, Choice(1))
    assert moved == pytest.approx(second - (first + third) / 2)


def test_a_ranking_is_one_choice_after_the_other() -> None:
    question = asked_of(GRID, 3)
    first, second, third = (GRID.encode(option) for option in question.options)
    moved = stepped(GRID, np.zeros(8), question, Ranking((2, 0, 1)))
    assert moved == pytest.approx(third - (first + second) / 2 + first - second)


def test_comparisons_pull_pair_by_pair() -> None:
    question = asked_of(GRID, 3)
    first, second, third = (GRID.encode(option) for option in question.options)
    said = Comparisons(((0, 1, Outcome.SECOND), (0, 2, Outcome.FIRST)))
    assert stepped(GRID, np.zeros(8), question, said) == pytest.approx(second - first + first - third)


def test_no_difference_halves_a_difference() -> None:
    question, weights = asked_of(GRID, 2), np.arange(8.0)
    apart = GRID.encode(question.options[0]) - GRID.encode(question.options[1])
    moved = stepped(GRID, weights, question, NoDifference())
    assert moved @ apart == pytest.approx(weights @ apart / 2)
    assert weights @ apart != 0


@pytest.mark.parametrize("answer", [Choice(2), Ranking((1, 2, 0)), NoDifference(), Skip(), Comparisons(())])
def test_every_answer_leaves_a_question_and_a_recommendation(answer: Answer) -> None:
    space, strategy = small_space(), Perceptron(set_size=3)
    belief = strategy.start(space)
    for _ in range(4):
        question = strategy.ask(belief)
        assert question is not None
        belief = strategy.update(belief, question, answer)
        space.check(strategy.recommend(belief).configuration)


def test_after_a_skip_the_weights_are_the_same_but_the_question_is_not() -> None:
    strategy = Perceptron()
    before = strategy.start(GRID)
    question = strategy.ask(before)
    assert question is not None
    after = strategy.update(before, question, Skip())
    assert (after.weights == before.weights).all()
    assert strategy.ask(after) != question


def test_passes_leave_no_answer_of_a_consistent_person_wrong() -> None:
    space, weights = small_space(), taste(small_space(), 5)
    every = [space.configuration(row) for row in all_configurations(space)]
    questions = [Question(pair) for pair in combinations(every, 2)]
    history = tuple((question, noiseless(space, weights, question)) for question in questions)
    learnt = corrected(space, np.zeros(len(weights)), history, 1000)
    assert all(noiseless(space, learnt, question) == answer for question, answer in history)


def test_without_passes_an_answer_is_seen_once() -> None:
    strategy = Perceptron(passes=0)
    belief = strategy.start(GRID)
    question = strategy.ask(belief)
    assert question is not None
    belief = strategy.update(belief, question, Choice(0))
    expected = GRID.encode(question.options[0]) - GRID.encode(question.options[1])
    assert belief.weights == pytest.approx(expected)


def test_weights_of_quantities_never_become_negative() -> None:
    space = small_space()
    dear, cheap = space.configuration([2, 1, 0]), space.configuration([2, 0, 1])
    moved = stepped(space, np.zeros(8), Question((dear, cheap)), Choice(0))
    assert (space.encode(dear) - space.encode(cheap))[-1] < 0
    assert moved[-1] == 0


@FEW
@given(st.integers(0, 10_000))
def test_without_negative_weights_the_order_is_the_same(seed: int) -> None:
    space = small_space()
    weights = np.random.default_rng(seed).normal(size=8)
    weights[-1] = abs(weights[-1])
    features = space.features(all_configurations(space))
    lifted = not_negative(space, weights)
    assert (lifted >= 0).all()
    apart = features @ (lifted - weights)
    assert apart == pytest.approx(np.full(len(features), apart[0]))


@FEW
@given(st.integers(0, 10_000), st.floats(0.01, 1.0))
def test_a_pair_is_the_best_pair_with_the_best_configuration(seed: int, tradeoff: float) -> None:
    weights = np.random.default_rng(seed).normal(size=8)
    values, spread = (1 - tradeoff) * weights, spread_of(weights, tradeoff)
    every = GRID.onehot(all_configurations(GRID))
    best = every[(every @ values).argmax()] if tradeoff < 1 else None
    found = GRID.onehot(far_and_good(oracle_for(GRID), values, spread, 2, np.random.default_rng(0)))
    first = found[0] if best is None else best
    judged = [set_value(np.array([first, other]), values, spread) for other in every if not (other == first).all()]
    assert set_value(found, values, spread) == pytest.approx(max(judged), abs=1e-7)


@FEW
@given(st.integers(0, 10_000), st.sampled_from([3, 4, 6]))
def test_no_option_of_a_larger_set_can_be_exchanged_for_a_better(seed: int, size: int) -> None:
    weights = np.random.default_rng(seed).normal(size=8)
    values, spread = 0.8 * weights, spread_of(weights, 0.2)
    rows = far_and_good(oracle_for(GRID), values, spread, size, np.random.default_rng(0))
    assert len(np.unique(rows, axis=0)) == size
    found, every = GRID.onehot(rows), GRID.onehot(all_configurations(GRID))
    reached = set_value(found, values, spread)
    for place in range(1, size):
        for other in every:
            if not (found == other).all(axis=1).any():
                swapped = np.vstack([np.delete(found, place, axis=0), other])
                assert set_value(swapped, values, spread) <= reached + 1e-7


def test_larger_sets_than_the_space_are_as_large_as_it_allows() -> None:
    question = Perceptron(set_size=6).ask(Perceptron(set_size=6).start(Space({"a": [1, 2, 3]})))
    assert question is not None
    assert len(question.options) == 3


@pytest.mark.parametrize("options", [{"tradeoff": 0.0}, {"tradeoff": 1.5}, {"passes": -1}, {"set_size": 7}])
def test_impossible_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        Perceptron(**options)  # type: ignore[arg-type]
