"""The linear problem for fixed configurations: against brute force, and its prices as bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.setmargin.local_search import LocalSearch, WorkBudget, starts, with_one_shaken
from setmargin.strategies.setmargin.problem import Bounds, Form
from setmargin.strategies.setmargin.weights import WeightFitter
from setmargin.strategies.shared.pairs import Pairs
from tests.strategies.brute import all_configurations, fixed_objective
from tests.strategies.setmargin.examples import GRID, PLAIN, PRICED, random_pairs


def kept(
    space: Space, pairs: Pairs, *, size: int, form: Form = Form.COUPLED, bounds: Bounds | None = None
) -> WeightFitter:
    return WeightFitter(
        space,
        pairs,
        size=size,
        bounds=bounds or Bounds.usual(space),
        form=form,
        solver=Highs(),
        limits=Limits(seconds=5),
    )


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("form", list(Form))
@given(seed=st.integers(0, 10**6))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_a_kept_problem_gives_the_same_as_a_fresh_one_whatever_came_before(size: int, form: Form, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = random_pairs(PRICED, rng, strict=3, equal=1)
    onehot = PRICED.onehot(all_configurations(PRICED))
    with kept(PRICED, pairs, size=size, form=form) as fitter:
        for setting in GRID:
            chosen = onehot[rng.integers(0, len(onehot), size)]
            fit = fitter.fit(chosen, setting)
            expected = fixed_objective(PRICED, pairs, chosen, setting=setting, bounds=Bounds.usual(PRICED), form=form)
            assert fit.objective == pytest.approx(expected, abs=1e-6)
            assert fit.margin >= 0.0


@pytest.mark.parametrize("space", [PLAIN, PRICED], ids=["plain", "priced"])
@pytest.mark.parametrize("size", [2, 3])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_the_prices_of_one_set_bound_every_other(space: Space, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = random_pairs(space, rng, strict=3, equal=1)
    upper = rng.uniform(0.5, 2.0, len(space.feature_names))
    bounds = Bounds(upper / 4, upper)
    rows = all_configurations(space)
    with kept(space, pairs, size=size, bounds=bounds) as fitter:
        for setting in GRID:
            task = LocalSearch(fitter, oracle_for(space), setting, WorkBudget.unlimited())
            here = task.fit(rows[rng.integers(0, len(rows), size)])
            assert task.bound(here.rows[None])[0] == pytest.approx(here.fit.objective, abs=1e-6)
            others = rows[rng.integers(0, len(rows), (12, size))]
            claimed = task.bound(others)
            values = np.array([task.fit(other).fit.objective for other in others])
            assert (claimed >= values - 1e-6).all()
            assert (task.bound(others) >= values - 1e-6).all()
            middle = here.fit.prices.towards(task.known[-1], 0.3)
            task.known.clear()
            task.known.append(middle)
            assert (task.bound(others) >= values - 1e-6).all()


def test_gains_are_the_changes_of_the_bound() -> None:
    rng = np.random.default_rng(3)
    pairs = random_pairs(PLAIN, rng, strict=3, equal=1)
    rows = all_configurations(PLAIN)
    with kept(PLAIN, pairs, size=2) as fitter:
        task = LocalSearch(fitter, oracle_for(PLAIN), GRID[1], WorkBudget.unlimited())
        here = task.fit(rows[[0, 4]])
        gains = task.gains(here.fit.prices, here.rows)
        for i in range(2):
            for other in rows:
                moved = here.rows.copy()
                moved[i] = other
                change = task.bound(moved[None])[0] - task.bound(here.rows[None])[0]
                expected = gains[i] @ (PLAIN.onehot(other[None])[0] - PLAIN.onehot(here.rows[i][None])[0])
                assert change == pytest.approx(expected, abs=1e-7)


def test_starts_and_kicks_are_feasible() -> None:
    oracle, rng = oracle_for(PRICED), np.random.default_rng(0)
    fresh = starts(oracle, 3, rng=rng)
    for _ in range(10):
        rows = next(fresh)
        assert PRICED.feasible(rows).all()
        assert PRICED.feasible(with_one_shaken(oracle, rows, rng=rng)).all()


def test_neighbours_reach_every_value_that_is_possible() -> None:
    pairs = random_pairs(PRICED, np.random.default_rng(0), strict=2, equal=0)
    rows = all_configurations(PRICED)[[0, 1]]
    with kept(PRICED, pairs, size=2) as fitter:
        task = LocalSearch(fitter, oracle_for(PRICED), GRID[1], WorkBudget.unlimited())
        moves = task.neighbours(task.fit(rows))
    assert PRICED.feasible(moves.reshape(-1, 2)).all()
    assert ((moves != rows).any(axis=2).sum(axis=1) == 1).all()
    for attribute, size in enumerate(PRICED.domains):
        for i in range(2):
            assert set(moves[:, i, attribute].tolist()) == set(range(size))


@pytest.mark.parametrize("space", [PLAIN, PRICED], ids=["plain", "priced"])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("form", list(Form))
@given(seed=st.integers(0, 10**6))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_weights_are_worth_what_the_problem_that_found_them_says(
    space: Space, size: int, form: Form, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    pairs = random_pairs(space, rng, strict=4 if size == 1 else 3, equal=1)
    onehot = space.onehot(all_configurations(space))
    with kept(space, pairs, size=size, form=form) as fitter:
        for setting in GRID:
            chosen = onehot[rng.integers(0, len(onehot), size)]
            best = fitter.fit(chosen, setting)
            again = fitter.worth_of(best.weights, chosen, setting)
            assert again is not None
            assert again.objective == pytest.approx(best.objective, abs=1e-7)
            other = fitter.worth_of(rng.random(best.weights.shape) * fitter.upper, chosen, setting)
            assert other is None or other.objective <= best.objective + 1e-7


def test_weights_that_put_another_configuration_first_are_worth_nothing() -> None:
    with kept(PLAIN, random_pairs(PLAIN, np.random.default_rng(0), strict=0, equal=0), size=2) as fitter:
        first, second = PLAIN.onehot(np.array([[0, 0], [1, 1]]))
        assert fitter.worth_of(np.stack([second, first]), np.stack([first, second]), GRID[0]) is None
        assert fitter.worth_of(np.stack([first, second]), np.stack([first, second]), GRID[0]) is not None
