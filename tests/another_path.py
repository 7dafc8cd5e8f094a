"""A solver that takes another path to an optimum, as another processor would.

Rounding in the last digit can lead a degenerate linear problem to another of its optimal vertices. To try that on one
machine, `AnotherPath` hands HiGHS the columns and rows of every model in another order, and moves what comes back in
its last digits. What a model's solution is still depends on nothing but the model, what was done to it, and the seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from setmargin.arrays import Floats, Ints
from setmargin.solve.milp.highs import HighsModel
from setmargin.solve.milp.model import DEFAULT_LIMITS, Limits, Milp, OpenModel, Solution, Solver

RELATIVE, ABSOLUTE = 1e-14, 1e-13
"""How far results are moved: more than rounding does, and far less than the solver's tolerance."""


@dataclass(frozen=True)
class AnotherPath(Solver):
    """HiGHS with the columns and rows of every model in the order of this seed."""

    seed: int

    @property
    def name(self) -> str:
        return "HiGHS"

    def open(self, model: Milp) -> OpenModel:
        return ShuffledModel(model, self.seed)


class ShuffledModel(OpenModel):
    """A model whose columns and rows HiGHS knows in another order."""

    def __init__(self, model: Milp, seed: int) -> None:
        height, width = model.matrix.shape
        self._seed, self._is_lp = (seed, height, width), model.is_lp
        rng = np.random.default_rng(self._seed)
        self._columns, self._rows = rng.permutation(width), rng.permutation(height)  # place by number
        columns, rows = np.argsort(self._columns), np.argsort(self._rows)  # number by place
        self._model = HighsModel(
            replace(
                model,
                objective=model.objective[columns],
                matrix=csr_array(model.matrix[rows][:, columns]),
                row_lower=model.row_lower[rows],
                row_upper=model.row_upper[rows],
                lower=model.lower[columns],
                upper=model.upper[columns],
                integer=model.integer[columns],
            )
        )

    def change_objective(self, objective: Floats) -> None:
        self._model.change_objective(objective[np.argsort(self._columns)])

    def change_row_bounds(self, rows: Ints, lower: ArrayLike, upper: ArrayLike) -> None:
        self._model.change_row_bounds(self._rows[rows], lower, upper)

    def change_column_bounds(self, columns: Ints, lower: ArrayLike, upper: ArrayLike) -> None:
        self._model.change_column_bounds(self._columns[columns], lower, upper)

    def change_coefficients(self, rows: Ints, columns: Ints, values: Floats) -> None:
        self._model.change_coefficients(self._rows[rows], self._columns[columns], values)

    def add_rows(self, matrix: csr_array, lower: ArrayLike, upper: ArrayLike) -> None:
        self._model.add_rows(csr_array(matrix[:, np.argsort(self._columns)]), lower, upper)
        self._rows = np.append(self._rows, len(self._rows) + np.arange(matrix.shape[0]))

    def solve(
        self,
        *,
        limits: Limits = DEFAULT_LIMITS,
        start: Floats | None = None,
        fresh: bool = False,
        cutoff: float | None = None,
    ) -> Solution:
        shuffled = None if start is None or self._is_lp else start[np.argsort(self._columns)]
        found = self._model.solve(limits=limits, start=shuffled, fresh=fresh, cutoff=cutoff)
        return replace(
            found,
            values=self._moved(found.values[self._columns]),
            objective=float(self._moved(np.array([found.objective]))[0]),
            row_duals=None if found.row_duals is None else self._moved(found.row_duals[self._rows]),
            column_duals=None if found.column_duals is None else self._moved(found.column_duals[self._columns]),
        )

    def close(self) -> None:
        self._model.close()

    def _moved(self, numbers: Floats) -> Floats:
        if not self._is_lp:
            return numbers
        by = np.random.default_rng(self._seed).uniform(-1.0, 1.0, (2, len(numbers)))
        moved: Floats = numbers * (1.0 + RELATIVE * by[0]) + ABSOLUTE * by[1]
        return moved
