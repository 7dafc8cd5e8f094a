"""Models with known optima, and which solvers can be tried here."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from scipy.sparse import csr_array

from setmargin.errors import (
    ModelInfeasible,
    SolverMissing,
)
from setmargin.solve.milp.gurobi import Gurobi
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, Milp, Solution, assemble, one, rows, total


def trouble_with_gurobi() -> str | None:
    """Why Gurobi cannot be tested here, if so."""
    try:
        Gurobi().solve(knapsack())
    except SolverMissing as error:
        return str(error)
    return None


def knapsack(*, integer: bool = True) -> Milp:
    """Best for 10 units of room: 13 in integers, 13.2 in fractions; and 100 for nothing."""
    columns = Columns()
    x = columns.add("x", 5, upper=1.0, objective=[3, 4, 5, 6, 7], integer=integer)
    return assemble(columns, [rows(total(x, [2, 3, 4, 5, 6]), upper=10.0)], maximise=True, offset=100.0)


def market_split(*, slack: bool) -> Milp:
    """Five equations over forty binaries, which no solver settles quickly; with `slack` any x is feasible."""
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 100, (5, 40))
    columns = Columns()
    x = columns.add("x", 40, upper=1.0, integer=True)
    over, under = (columns.add(name, 5, objective=1.0, upper=inf if slack else 0.0) for name in ("over", "under"))
    half = weights.sum(axis=1) // 2
    return assemble(columns, [rows(total(x, weights), one(over, -1.0), one(under), lower=half, upper=half)])


def random_milp(seed: int) -> Milp:
    """A few integers between -2 and 2 under a few rows of every kind."""
    rng = np.random.default_rng(seed)
    width, height = rng.integers(1, 5), rng.integers(0, 4)
    middle = rng.integers(-4, 5, height).astype(float)
    kinds = rng.integers(0, 4, height)
    return Milp(
        objective=rng.integers(-5, 6, width).astype(float),
        matrix=csr_array(rng.integers(-3, 4, (height, width)).astype(float)),
        row_lower=np.choose(kinds, [middle, middle - 2, np.full(height, -inf), middle]),
        row_upper=np.choose(kinds, [middle, middle + 1, middle, np.full(height, inf)]),
        lower=np.full(width, -2.0),
        upper=np.full(width, 2.0),
        integer=np.ones(width, dtype=bool),
        maximise=bool(rng.random() < 0.5),
        offset=float(rng.integers(-3, 4)),
    )


def brute_force(model: Milp) -> float | None:
    """The best objective of a model whose columns are integers from -2 to 2."""
    points = np.array(list(np.ndindex((5,) * len(model.lower))), dtype=float) - 2
    points = points[((points >= model.lower) & (points <= model.upper)).all(axis=1)]
    left = points @ model.matrix.toarray().T
    values = points[((left >= model.row_lower) & (left <= model.row_upper)).all(axis=1)] @ model.objective
    if not len(values):
        return None
    return float(values.max() if model.maximise else values.min()) + model.offset


def optimum(solve: Callable[[], Solution]) -> float | None:
    """What a solve finds, or None if there is nothing."""
    try:
        return solve().objective
    except ModelInfeasible:
        return None


trouble = trouble_with_gurobi()
no_gurobi = pytest.mark.skipif(trouble is not None, reason=str(trouble))
every_solver = pytest.mark.parametrize(
    "solver", [pytest.param(Highs(), id="HiGHS"), pytest.param(Gurobi(), id="Gurobi", marks=no_gurobi)]
)
