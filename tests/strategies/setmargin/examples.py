"""Small spaces, settings and setwise problems that several tests look at."""

from __future__ import annotations

import numpy as np

from setmargin.solve.lowering import lower
from setmargin.solve.milp.feasible import feasible_block
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.space import Space
from setmargin.strategies.setmargin.problem import Bounds, Form, Hyperparameters, SetProblem, SetSolution, solve
from setmargin.strategies.shared.pairs import Pairs
from tests.strategies.brute import all_configurations

PLAIN = Space({"a": ["x", "y"], "b": [1, 2, 3]})
PRICED = Space(
    {"a": ["x", "y"], "b": [1, 2, 3]},
    quantities=[Quantity("price", {"a": {"x": 3, "y": 0}, "b": 2.0}, better="lower"), Quantity("size", {"b": 1.0})],
    rules=["a = x => b >= 2"],
)
ORDERED = Space(
    [Attribute("a", ["x", "y"], better="higher", ordered=True), Attribute("b", [1, 2, 9], better="lower")],
    quantities=[Quantity("size", {"b": 1.0})],
    rules=["a = y => b >= 2"],
)
PEAKED = Space([Attribute("a", ["x", "y"]), Attribute("b", [1, 2, 4], better="peak")])
GRID = [
    Hyperparameters(20.0, 0.001, 0.1),
    Hyperparameters(10.0, 0.1, 0.1),
    Hyperparameters(1.0, 1.0, 1.0),
    Hyperparameters(5.0, 0.1, 10.0),
]


def random_pairs(space: Space, rng: np.random.Generator, *, strict: int, equal: int) -> Pairs:
    onehot = space.onehot(all_configurations(space))
    first, second = (onehot[rng.integers(0, len(onehot), strict + equal)] for _ in range(2))
    return Pairs((first - second)[:strict], (first - second)[strict:])


def make(
    space: Space,
    pairs: Pairs,
    *,
    size: int,
    setting: Hyperparameters,
    bounds: Bounds | None = None,
    form: Form = Form.COUPLED,
    one_bound: bool = False,
) -> SetProblem:
    block = feasible_block(lower(space))
    return SetProblem(space, block, pairs, size, setting, bounds or Bounds.usual(space), form, one_bound)


def solved(problem: SetProblem) -> SetSolution:
    return solve(problem, solver=Highs(), limits=Limits(seconds=60))
