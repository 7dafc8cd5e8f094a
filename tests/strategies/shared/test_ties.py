"""Ties: the same choice among equals whatever the last digits are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.shared.ties import STEP, tie_costs, with_better_quantities, without_last_digits

PRICED = Space(
    {"a": ["x", "y"], "b": ["p", "q", "r"]},
    quantities=[Quantity("price", {"a": {"x": 9, "y": 1}, "b": {"p": 5, "q": 0, "r": 7}}, better="lower")],
)


@given(seed=st.integers(0, 10**6))
def test_sums_of_weights_without_last_digits_are_the_same_in_any_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = without_last_digits(rng.uniform(0.0, 20.0, 30))
    assert len({float(sum(rng.permutation(weights).tolist())) for _ in range(5)}) == 1


def test_rounding_moves_no_weight_by_more_than_half_a_step() -> None:
    weights = np.random.default_rng(0).uniform(0.0, 20.0, 1000)
    assert np.abs(without_last_digits(weights) - weights).max() <= STEP / 2


@pytest.mark.parametrize("seed", range(5))
def test_among_equals_the_better_quantities_win_whatever_the_last_digits(seed: int) -> None:
    noise = np.random.default_rng(seed).uniform(-1e-12, 1e-12, 5)
    liked = np.array([1.0, 1.0, 0.5, 0.5, 0.5]) + noise
    best = oracle_for(PRICED).best_for_values(with_better_quantities(PRICED, liked)[None])[0]
    assert dict(PRICED.configuration(best)) == {"a": "y", "b": "q"}


def test_a_real_difference_is_worth_more_than_all_quantities_together() -> None:
    liked = np.array([1e-6, 0.0, 0.0, 0.0, 1e-6])
    best = oracle_for(PRICED).best_for_values(with_better_quantities(PRICED, liked)[None])[0]
    assert dict(PRICED.configuration(best)) == {"a": "x", "b": "r"}


def test_a_quantity_costs_least_and_then_values_in_the_order_of_the_catalogue() -> None:
    costs = tie_costs(PRICED)
    assert costs.argmin() == len(costs) - 1
    assert (np.diff(costs[:-1]) > 0).all()
