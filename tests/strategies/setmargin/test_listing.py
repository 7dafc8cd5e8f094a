"""Bounds from prices hold for every set, and listing regions under them loses no optimum, however narrow the lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.solve.milp.highs import Highs
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.setmargin import branch_and_bound, listing, price_bounds, proof
from setmargin.strategies.setmargin.best_set import find_best_set
from setmargin.strategies.setmargin.price_bounds import JointValues, PriceBounds, zero_is_best
from setmargin.strategies.setmargin.problem import Bounds, Hyperparameters
from setmargin.strategies.setmargin.proof import SearchLimits, weight_fitter
from setmargin.strategies.setmargin.relaxation import interchangeable
from tests.strategies.brute import all_configurations, best_objective
from tests.strategies.setmargin.examples import GRID, PLAIN, PRICED, make, random_pairs, solved

TWO_RULES = Space({"a": range(3), "b": range(3), "c": range(2)}, rules=["a = 0 => b != 1", "b = 2 or a = 1 or c = 0"])


@pytest.mark.parametrize("space", [PLAIN, PRICED], ids=["plain", "priced"])
@given(seed=st.integers(0, 10**6), which=st.integers(0, 3))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_prices_bound_every_set_and_are_exact_where_they_were_found(space: Space, seed: int, which: int) -> None:
    rng = np.random.default_rng(seed)
    problem = make(space, random_pairs(space, rng, strict=3, equal=1), size=2, setting=GRID[which])
    joint = JointValues.of(problem, np.arange(int(space.offsets[-1])))  # as if nothing was interchangeable
    onehot = space.onehot(all_configurations(space))
    with weight_fitter(problem, Highs()) as fitter:
        bounds = PriceBounds(problem, joint, fitter)
        for _ in range(4):
            chosen = onehot[rng.integers(len(onehot), size=2)]
            fit = fitter.fit(chosen, problem.setting)
            mark = len(bounds.log)
            bounds.add(fit.prices)
            for first, second in ((chosen[0], chosen[1]), (chosen[1], chosen[0])):
                place = _place(joint, first, second)
                if place is None:  # their values fall in the attribute in which they should rise
                    continue
                new = np.array(bounds.log[mark:])
                assert bounds.of_sets(new, place[None])[0] == pytest.approx(fit.objective, abs=1e-6)
                assert bounds.of_region(np.ones(len(joint.values), dtype=bool))[new].min() >= fit.objective - 1e-6
        for _ in range(6):
            chosen = onehot[rng.integers(len(onehot), size=2)]
            place = _place(joint, *chosen)
            if place is not None:
                least = bounds.of_sets(np.array(bounds.log), place[None])[0]
                assert least >= fitter.fit(chosen, problem.setting).objective - 1e-6


def _place(joint: JointValues, first: np.ndarray, second: np.ndarray) -> np.ndarray | None:
    """A pair of one-hot configurations as joint values, or None where it stands for none."""
    wanted = np.stack([np.flatnonzero(first), np.flatnonzero(second)], axis=1)
    found = [np.flatnonzero((joint.values == values).all(axis=1)) for values in wanted]
    return np.concatenate(found) if all(len(each) for each in found) else None


@pytest.mark.parametrize(("size", "space"), [(2, PRICED), (2, TWO_RULES), (3, TWO_RULES)])
@given(seed=st.integers(0, 10**6), which=st.integers(0, 3), strict=st.integers(1, 8))
@settings(max_examples=8, deadline=None, derandomize=True)
def test_narrow_lists_few_bounds_and_the_tree_lose_no_optimum(
    size: int, space: Space, seed: int, which: int, strict: int
) -> None:
    pairs = random_pairs(space, np.random.default_rng(seed), strict=strict, equal=1)
    problem = make(space, pairs, size=size, setting=GRID[which])
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in (
            (listing, "LEAST_WIDTH", 1),
            (listing, "MOST_WIDTH", 2),
            (listing, "SEEKING", 1),
            (listing, "WORTH_TRYING", 1),
            (price_bounds, "MOST_BOUNDS", 1),
            (proof, "FEW_JOINT_VALUES", int(np.random.default_rng(seed).integers(2)) * 1000),
            (branch_and_bound, "WIDTH", 1),
        ):
            patch.setattr(module, name, value)
        found = find_best_set(
            problem, oracle_for(space), solver=Highs(), work=SearchLimits(seconds=60.0), rng=np.random.default_rng(seed)
        )
    bounds = Bounds.usual(space)
    expected = (
        best_objective(space, pairs, size=2, setting=GRID[which], bounds=bounds)
        if size == 2
        else solved(problem).objective
    )
    assert found.status == "optimal"
    assert found.objective == pytest.approx(expected, abs=1e-6, rel=1e-5)
    assert space.feasible(found.configurations).all()


@pytest.mark.parametrize("space", [PLAIN, PRICED], ids=["plain", "priced"])
def test_where_no_weight_pays_nothing_is_solved_and_nothing_is_better(space: Space) -> None:
    pairs = random_pairs(space, np.random.default_rng(3), strict=3, equal=0)
    costly = make(space, pairs, size=2, setting=Hyperparameters(5.0, 10.0, 0.1))
    assert zero_is_best(costly)
    assert solved(costly).objective == pytest.approx(0.0, abs=1e-9)
    assert not zero_is_best(make(space, pairs, size=2, setting=Hyperparameters(5.0, 0.1, 0.1)))
    assert not zero_is_best(make(space, pairs, size=1, setting=Hyperparameters(5.0, 10.0, 0.1)))


def test_values_of_one_kind_and_users_are_taken_in_order() -> None:
    space = Space({"a": range(3), "b": range(2)})
    problem = make(space, random_pairs(space, np.random.default_rng(0), strict=0, equal=0), size=2, setting=GRID[0])
    joint = JointValues.of(problem, interchangeable(problem))
    assert joint.values.tolist() == [[0, 0], [0, 1], [3, 3], [3, 4]]
    told_apart = JointValues.of(problem, np.arange(5))
    assert told_apart.rising == 0
    assert len(told_apart.values) == 6 + 4
    allowed = np.ones((2, 5), dtype=bool)
    allowed[1, 1:3] = False
    assert told_apart.narrowed(allowed)[0].tolist() == [True, False, False, True, True]
