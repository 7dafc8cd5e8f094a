"""The simplest weights: smaller, as obedient, and with the same best configuration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Choice
from setmargin.arrays import Floats
from setmargin.laws.checks import interview, taste
from setmargin.solve.milp.highs import Highs
from setmargin.solve.oracle import oracle_for
from setmargin.strategies.setmargin.problem import Bounds, Hyperparameters
from setmargin.strategies.setmargin.strategy import SetMargin, SetMarginBelief
from setmargin.strategies.setmargin.weights import simplest_weights
from setmargin.strategies.shared.pairs import Pairs
from tests.strategies.setmargin.examples import PRICED, random_pairs


def simplest(pairs: Pairs, weights: Floats, margin: float) -> Floats:
    oracle = oracle_for(PRICED)
    best = oracle.best_indices(weights[None])[0]
    return simplest_weights(oracle, pairs, weights, best, margin=margin, bounds=Bounds.usual(PRICED), solver=Highs())


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_they_are_no_larger_and_say_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random(len(PRICED.feature_names))
    values = PRICED.value_weights(weights)
    drawn = random_pairs(PRICED, rng, strict=4, equal=1)
    pairs = Pairs(drawn.strict * np.sign(drawn.strict @ values)[:, None], drawn.equal)
    margin = float(np.abs(pairs.strict @ values).min())
    found = simplest(pairs, weights, margin)
    counts = Bounds.usual(PRICED).counts
    assert counts @ found <= counts @ weights + 1e-6
    oracle = oracle_for(PRICED)
    chosen = PRICED.features(oracle.best_indices(weights[None]))[0]
    top = PRICED.features(oracle.best_indices(found[None]))[0]
    assert found @ chosen == pytest.approx(found @ top, abs=1e-6)
    assert (pairs.strict @ PRICED.value_weights(found) >= margin - 1e-6).all()


def test_without_answers_the_weights_stay() -> None:
    weights = np.random.default_rng(0).random(len(PRICED.feature_names))
    none = Pairs(np.zeros((0, 5)), np.zeros((0, 5)))
    assert simplest(none, weights, 0.0) == pytest.approx(weights)


def test_a_setting_that_saturates_the_weights_still_tells_what_matters() -> None:
    """One attribute decides every answer of this person, and the explanation shows it."""
    strategy = SetMargin(mode="fast", tuning=None, setting=Hyperparameters(10.0, 0.001, 10.0))
    weights = 0.01 * taste(PRICED, 3)
    weights[[1, 5, 6]] = [500.0, 0.0, 0.0]
    belief = strategy.start(PRICED)
    for at, question in interview(strategy, belief, weights, budget=6):
        assert isinstance(at, SetMarginBelief)
        values = [float(weights @ PRICED.encode(option)) for option in question.options]
        belief = strategy.update(at, question, _choice(values))
    learnt = strategy.recommend(belief).weights
    assert (learnt < 1.0 - 1e-6).any()
    assert learnt[1] - learnt[0] >= np.ptp(learnt[2:5]) - 1e-9


def _choice(values: list[float]) -> Choice:
    return Choice(int(np.argmax(values)))
