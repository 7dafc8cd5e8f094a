"""Restricted informed value of information: Monte Carlo judges the moments, plain loops judge the questions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Answer, Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip
from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.experiments.people import draw_people
from setmargin.laws.checks import noiseless, small_space, taste
from setmargin.space.space import Space
from setmargin.strategies.rivals.rivoi import (
    AnswerModel,
    Gaussians,
    Rivoi,
    as_weights,
    draw_moments,
    largest_loss,
    values_of_information,
    win_moments,
)
from setmargin.strategies.shared.configurations import list_configurations
from tests.strategies.rivals.getting_closer import large_space, losses_before_and_after

claims = settings(derandomize=True, deadline=None, max_examples=25)
GAME = AnswerModel()
DIFFERENCES = {"values": [1.0, -1.0, 1.0, -1.0, 0.0], "with-a-quantity": [1.0, -1.0, 0.0, 0.0, 0.4]}


def some_belief() -> Gaussians:
    return Gaussians(np.array([60.0, 45.0, 50.0, 52.0, 20.0]), np.array([28.0, 20.0, 5.0, 12.0, 30.0]) ** 2)


def grid(attributes: int, values: int) -> Space:
    return Space({f"a{number}": list(range(values)) for number in range(attributes)})


def drawn_answers(belief: Gaussians, row: Floats, game: AnswerModel = GAME) -> tuple[Floats, Floats]:
    """Weights from the belief, and what the noisy difference of the two options is for each of them."""
    rng = np.random.default_rng(0)
    weights = belief.mean + np.sqrt(belief.variance) * rng.standard_normal((400_000, len(row)))
    return weights, (weights + game.beta * rng.standard_normal(weights.shape)) @ row


@pytest.mark.parametrize("row", DIFFERENCES.values(), ids=DIFFERENCES)
@pytest.mark.parametrize("game", [GAME, AnswerModel(beta=20.0, epsilon=25.0)], ids=["published", "noisy"])
@pytest.mark.parametrize("answer", ["win", "loss", "draw"])
def test_an_answer_leaves_the_moments_of_the_weights_that_would_have_given_it(
    answer: str, game: AnswerModel, row: list[float]
) -> None:
    belief, difference = some_belief(), np.array(row)
    weights, seen = drawn_answers(belief, difference, game)
    said = {"win": seen > game.epsilon, "loss": seen < -game.epsilon, "draw": abs(seen) <= game.epsilon}[answer]
    sign = -1.0 if answer == "loss" else 1.0
    after = game.after(belief, sign * difference[None], draw=answer == "draw")
    error = np.sqrt(belief.variance / said.sum())
    assert (abs(after.mean[0] - weights[said].mean(axis=0)) <= 5 * error).all()
    np.testing.assert_allclose(after.variance[0], weights[said].var(axis=0), rtol=0.03)


@pytest.mark.parametrize("row", DIFFERENCES.values(), ids=DIFFERENCES)
def test_answers_are_as_likely_as_they_are_without_noise(row: list[float]) -> None:
    belief, difference = some_belief(), np.array(row)
    weights, _ = drawn_answers(belief, difference)
    seen = weights @ difference
    win, loss, draw = GAME.chances(belief, difference[None])
    often = [(seen > 10).mean(), (seen < -10).mean(), (abs(seen) <= 10).mean()]
    np.testing.assert_allclose([win[0], loss[0], draw[0]], often, atol=0.004)


@given(t=st.floats(-1e4, 1e4), e=st.floats(1e-3, 1e2))
@claims
def test_moments_stay_sound_however_surprising_the_answer(t: float, e: float) -> None:
    for moments in (win_moments, draw_moments):
        v, w = moments(np.array([t]), np.array([e]))
        assert np.isfinite(v).all()
        assert 0 <= w[0] <= 1
    assert win_moments(np.array([t]), np.array([e]))[0][0] >= 0
    assert draw_moments(np.array([t]), np.array([e]))[0][0] * t <= 0


def test_what_may_be_lost_is_the_largest_expected_improvement_over_the_best_mean() -> None:
    mean, variance = np.array([10.0, 9.0, 4.0]), np.array([1.0, 4.0, 100.0])
    utilities = mean + np.sqrt(variance) * np.random.default_rng(1).standard_normal((400_000, 3))
    expected = np.maximum(utilities - 10.0, 0).mean(axis=0).max()
    assert float(largest_loss(mean, variance)) == pytest.approx(expected, rel=0.02)


def test_the_best_one_counts_among_those_that_may_be_better_than_its_mean() -> None:
    mean, variance = np.array([10.0, -500.0]), np.array([9.0, 1.0])
    assert float(largest_loss(mean, variance)) == pytest.approx(3.0 / np.sqrt(2 * np.pi))


def slow_value(belief: Gaussians, features: Floats, best: int, other: int) -> float:
    """EVOI in one line per formula, one pair at a time."""

    def mel(each: Gaussians) -> float:
        return float(largest_loss(features @ each.mean, features**2 @ each.variance))

    def after(row: Floats, draw: bool) -> Gaussians:
        found = GAME.after(belief, row[None], draw=draw)
        return Gaussians(found.mean[0], found.variance[0])

    row = features[best] - features[other]
    win, loss, draw = (float(chance[0]) for chance in GAME.chances(belief, row[None]))
    later = win * mel(after(row, False)) + loss * mel(after(-row, False)) + draw * mel(after(row, True))
    return mel(belief) - later


@pytest.mark.parametrize("block", [1, 40, 10**6])
def test_pairs_judged_together_are_judged_as_one_by_one(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setmargin.strategies.rivals.rivoi.BLOCK", block)
    space = small_space()
    configurations = list_configurations(space)
    assert configurations is not None
    features = space.features(configurations)
    rng = np.random.default_rng(2)
    belief = Gaussians(rng.uniform(20, 60, (features.shape[1],)), rng.uniform(1, 800, (features.shape[1],)))
    best = int(np.argmax(features @ belief.mean))
    others = np.array([other for other in range(len(features)) if other != best])
    fast = values_of_information(belief, GAME, features, best, others)
    np.testing.assert_allclose(fast, [slow_value(belief, features, best, int(other)) for other in others])


def test_the_question_is_the_most_valuable_pair_with_the_best_one() -> None:
    space, strategy = small_space(), Rivoi()
    belief = strategy.start(space)
    for _ in range(3):
        question = strategy.ask(belief)
        assert question is not None
        configurations = list_configurations(space)
        assert configurations is not None
        features, shown = space.features(configurations), [space.encode(option) for option in question.options]
        best = int(np.argmax(features @ belief.gaussians.mean))
        np.testing.assert_array_equal(shown[0], features[best])
        rest = [
            (slow_value(belief.gaussians, features, best, other), other)
            for other in range(len(features))
            if other != best
            and not belief.was_asked(frozenset(space.configuration(configurations[n]) for n in (best, other)))
        ]
        np.testing.assert_array_equal(shown[1], features[max(rest)[1]])
        belief = strategy.update(belief, question, noiseless(space, taste(space, 5), question))


OPTIONS = tuple(small_space().configuration(row) for row in ([1, 0, 0], [1, 1, 1], [2, 1, 0]))
SAME: dict[str, tuple[Answer, Answer]] = {
    "choice": (Choice(1), Comparisons(((1, 0, Outcome.FIRST), (2, 1, Outcome.SECOND)))),
    "ranking": (
        Ranking((2, 0, 1)),
        Comparisons(((2, 0, Outcome.FIRST), (2, 1, Outcome.FIRST), (1, 0, Outcome.SECOND))),
    ),
    "no difference": (
        NoDifference(),
        Comparisons(((0, 1, Outcome.EQUAL), (0, 2, Outcome.EQUAL), (1, 2, Outcome.EQUAL))),
    ),
}


@pytest.mark.parametrize(("answer", "pairs"), SAME.values(), ids=SAME)
def test_every_answer_counts_as_the_pairs_that_it_orders(answer: Answer, pairs: Answer) -> None:
    strategy, question = Rivoi(), Question(OPTIONS)
    start = strategy.start(small_space())
    one, other = (strategy.update(start, question, said).gaussians for said in (answer, pairs))
    np.testing.assert_allclose(one.mean, other.mean)
    np.testing.assert_allclose(one.variance, other.variance)
    assert (one.variance < start.gaussians.variance).any()


def test_a_skip_teaches_nothing_and_is_not_asked_again() -> None:
    strategy = Rivoi()
    start = strategy.start(small_space())
    question = strategy.ask(start)
    assert question is not None
    after = strategy.update(start, question, Skip())
    np.testing.assert_array_equal(after.gaussians.mean, start.gaussians.mean)
    assert strategy.ask(after) != question


@given(seed=st.integers(0, 10**6))
@claims
def test_weights_given_out_are_never_negative_and_order_as_the_means_do(seed: int) -> None:
    space = small_space()
    configurations = list_configurations(space)
    assert configurations is not None
    features = space.features(configurations)
    mean = np.random.default_rng(seed).normal(0, 50, (features.shape[1],))
    weights = as_weights(space, mean)
    assert (weights >= 0).all()
    lifted = features @ weights - features @ mean
    np.testing.assert_allclose(lifted, lifted[0], atol=1e-9)


def test_a_large_space_is_asked_about_through_a_pool() -> None:
    first, last = losses_before_and_after(Rivoi(), large_space(quantities=2), questions=15)
    assert last < 0.8 * first


def test_people_of_the_paper_are_nearly_satisfied_after_seven_questions() -> None:
    losses = []
    for person in draw_people(grid(3, 3), 8, seed=1):
        strategy, noise = Rivoi(), person.noise()
        belief = strategy.start(person.space, seed=person.strategy_seed)
        for _ in range(7):
            question = strategy.ask(belief)
            assert question is not None
            belief = strategy.update(belief, question, person.answer(question, "pairs", noise))
        losses.append(person.loss(strategy.recommend(belief).configuration))
    assert np.mean(losses) < 10  # published: 5.9


@pytest.mark.parametrize(
    "options", [{"set_size": 3}, {"prior": "unifrom"}, {"beta": 0.0}, {"epsilon": -1.0}, {"listed": -1}], ids=str
)
def test_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Rivoi(**options)
