"""Gurobi, for those who have it; the only file that imports `gurobipy`, and only when it is asked to solve."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from math import inf
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from setmargin.arrays import Floats, Ints
from setmargin.errors import ModelUnbounded, OptionError, SolverError, SolverMissing
from setmargin.solve.milp.model import (
    DEFAULT_LIMITS,
    Limits,
    Milp,
    OpenModel,
    Solution,
    Solver,
    SolverOutcome,
    Status,
    check_bounds,
    check_cutoff,
    check_finite,
    raise_without_solution,
)
from setmargin.time_limit import check_time, seconds_left

MEANING: Final[dict[str, SolverOutcome]] = {
    "OPTIMAL": SolverOutcome.SOLVED,
    "TIME_LIMIT": SolverOutcome.TIMED_OUT,
    "INFEASIBLE": SolverOutcome.INFEASIBLE,
    "CUTOFF": SolverOutcome.CUT_OFF,
    "UNBOUNDED": SolverOutcome.RAY,  # Gurobi claims a ray, not that there is a point
    "INF_OR_UNBD": SolverOutcome.RAY,
    "LOADED": SolverOutcome.FAILED,
    "INPROGRESS": SolverOutcome.FAILED,
    "NUMERIC": SolverOutcome.FAILED,
    "SUBOPTIMAL": SolverOutcome.FAILED,
    "MEM_LIMIT": SolverOutcome.FAILED,
    # Limits, callbacks and nonlinear models that do not occur here.
    "INTERRUPTED": SolverOutcome.FAILED,
    "ITERATION_LIMIT": SolverOutcome.FAILED,
    "LOCALLY_INFEASIBLE": SolverOutcome.FAILED,
    "LOCALLY_OPTIMAL": SolverOutcome.FAILED,
    "NODE_LIMIT": SolverOutcome.TIMED_OUT,
    "SOLUTION_LIMIT": SolverOutcome.FAILED,
    "USER_OBJ_LIMIT": SolverOutcome.FAILED,
    "WORK_LIMIT": SolverOutcome.FAILED,
}

_PARAMETERS: Final = {
    "OutputFlag": 0,
    "MIPGapAbs": 1e-9,
    "FeasibilityTol": 1e-9,
    "IntFeasTol": 1e-9,
    "OptimalityTol": 1e-9,
}
_INFINITE: Final = 1e100
_UNKNOWN: Final = 1e101

_ABSENT = "gurobipy is not installed; pip install 'setmargin[gurobi]', or use Highs()"
_UNLICENSED = "Gurobi has no valid licence; fetch one from gurobi.com, or use Highs()"
_TOO_LARGE = "the model is too large for the free licence in setmargin[gurobi]; fetch a full one, or use Highs()"


@dataclass(frozen=True)
class Gurobi(Solver):
    """Solves models with Gurobi; `pip install 'setmargin[gurobi]'` brings a licence for small models."""

    @property
    def name(self) -> str:
        return "Gurobi"

    def open(self, model: Milp) -> GurobiModel:
        """Give the model to Gurobi, to be changed and solved many times."""
        return GurobiModel(model)


def _library() -> Any:
    try:
        import gurobipy
    except ImportError as error:
        raise SolverMissing(_ABSENT) from error
    return gurobipy


@cache
def _environment() -> Any:
    """One silent environment for the process: starting one asks for the licence, and prints about it."""
    with _in_our_words():
        return _library().Env(params=_PARAMETERS)


@contextmanager
def _in_our_words() -> Iterator[None]:
    library = _library()
    try:
        yield
    except library.GurobiError as error:
        if error.errno == library.GRB.Error.NO_LICENSE:
            raise SolverMissing(_UNLICENSED) from error
        if error.errno == library.GRB.Error.SIZE_LIMIT_EXCEEDED:
            raise SolverMissing(_TOO_LARGE) from error
        raise SolverError(f"Gurobi: {error}") from error


class GurobiModel(OpenModel):
    """A model inside Gurobi; see `OpenModel`.

    Gurobi's rows have one side. A row with two is an equation with a bounded slack, made when first needed.
    """

    def __init__(self, model: Milp) -> None:
        self._integer, self._is_lp, self._maximise = model.integer, model.is_lp, model.maximise
        self._rows: list[Any] = []
        self._slacks: dict[int, Any] = {}
        environment = _environment()
        with _in_our_words():
            self._model = _library().Model(env=environment)
            self._model.ModelSense = -1 if model.maximise else 1
            self._model.ObjCon = model.offset
            self._x = self._model.addMVar(
                len(model.objective),
                lb=model.lower,
                ub=model.upper,
                obj=model.objective,
                vtype=np.where(model.integer, "I", "C"),
            )
        self.add_rows(model.matrix, model.row_lower, model.row_upper)

    def change_objective(self, objective: Floats) -> None:
        check_finite("objective", objective)
        with _in_our_words():
            self._x.Obj = np.broadcast_to(np.asarray(objective, dtype=np.float64), self._integer.shape)

    def change_row_bounds(self, rows: Ints, lower: ArrayLike, upper: ArrayLike) -> None:
        check_bounds("the rows", lower, upper)
        lower, upper = (np.broadcast_to(np.asarray(side, dtype=float), np.shape(rows)) for side in (lower, upper))
        with _in_our_words():
            for row, low, high in zip(np.asarray(rows).tolist(), lower.tolist(), upper.tolist(), strict=True):
                self._bound_row(row, low, high)

    def change_column_bounds(self, columns: Ints, lower: ArrayLike, upper: ArrayLike) -> None:
        check_bounds("the columns", lower, upper)
        with _in_our_words():
            chosen = self._x[np.asarray(columns)]
            chosen.LB, chosen.UB = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)

    def change_coefficients(self, rows: Ints, columns: Ints, values: Floats) -> None:
        check_finite("the matrix", values)
        variables = self._x.tolist()
        with _in_our_words():
            for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
                self._model.chgCoeff(self._rows[row], variables[column], value)
            self._model.update()

    def add_rows(self, matrix: csr_array, lower: ArrayLike, upper: ArrayLike) -> None:
        check_finite("the matrix", matrix.data)
        height = matrix.shape[0]
        with _in_our_words():
            if height:
                block = self._model.addMConstr(matrix, self._x, "=", np.zeros(height))
                self._rows += block.tolist()
            self._model.update()
        self.change_row_bounds(np.arange(len(self._rows) - height, len(self._rows)), lower, upper)

    def solve(
        self,
        *,
        limits: Limits = DEFAULT_LIMITS,
        start: Floats | None = None,
        fresh: bool = False,
        cutoff: float | None = None,
    ) -> Solution:
        """Solve as the model now stands; `start` is a known point of a MIP, NaN where left open."""
        began = perf_counter()
        check_time()
        check_cutoff(cutoff, maximise=self._maximise)
        with _in_our_words():
            if fresh or not self._is_lp:
                self._model.reset(1)
            if start is not None and not self._is_lp:
                self._start_from(start)
            if not self._maximise:
                self._model.Params.Cutoff = _INFINITE if cutoff is None else cutoff
            outcome = self._run(limits)
            if outcome is SolverOutcome.TIMED_OUT:
                check_time()
            if outcome is SolverOutcome.RAY:
                self._settle_ray(limits)
            return self._solution(outcome, limits, perf_counter() - began)

    def close(self) -> None:
        self._model.dispose()

    def _bound_row(self, row: int, lower: float, upper: float) -> None:
        constraint, two_sided = self._rows[row], -inf < lower != upper < inf
        if two_sided and row not in self._slacks:
            column = _library().Column([1.0], [constraint])
            self._slacks[row] = self._model.addVar(column=column)
        if row in self._slacks:
            self._slacks[row].UB = upper - lower if two_sided else 0.0
        constraint.Sense, constraint.RHS = _one_sided(lower, upper)

    def _start_from(self, start: Floats) -> None:
        if np.shape(start) != self._integer.shape:
            raise OptionError(f"start has shape {np.shape(start)}; give one number for each column")
        self._x.Start = np.where(np.isnan(start), _UNKNOWN, start)

    def _run(self, limits: Limits) -> SolverOutcome:
        parameters = self._model.Params
        parameters.TimeLimit = min(limits.seconds, seconds_left())
        parameters.MIPGap, parameters.Threads = limits.gap, limits.threads
        parameters.NodeLimit = float("inf") if limits.nodes is None else float(limits.nodes)
        parameters.Heuristics = 0.05 if limits.heuristics else 0.0  # 0.05 is what Gurobi does unless told otherwise
        self._model.optimize()
        return MEANING[self._status()]

    def _status(self) -> str:
        codes = _library().GRB.Status
        return next(name for name in MEANING if getattr(codes, name, None) == self._model.Status)

    def _settle_ray(self, limits: Limits) -> None:
        """Unbounded if there is any point at all, which the model without its objective tells."""
        objective = self._x.Obj
        self.change_objective(np.zeros(len(objective)))
        try:
            self._solution(self._run(limits), limits, 0.0)
        finally:
            self.change_objective(objective)
        raise ModelUnbounded("Gurobi: the objective has no bound; give the columns bounds")

    def _solution(self, outcome: SolverOutcome, limits: Limits, seconds: float) -> Solution:
        solved = outcome is SolverOutcome.SOLVED
        if not (solved or (outcome is SolverOutcome.TIMED_OUT and self._model.SolCount)):
            raise_without_solution(outcome, solver="Gurobi", status=self._status(), limits=limits)
        values = np.array(self._x.X, dtype=np.float64)
        values[self._integer] = np.round(values[self._integer])
        return Solution(
            status=Status.OPTIMAL if solved else Status.TIME_LIMIT,
            values=values,
            objective=float(self._model.ObjVal),
            bound=self._bound(solved=solved),
            seconds=seconds,
            row_duals=np.array([row.Pi for row in self._rows]) if self._is_lp and solved else None,
            column_duals=np.array(self._x.RC) if self._is_lp and solved else None,
        )

    def _bound(self, *, solved: bool) -> float:
        if not self._is_lp:
            return float(self._model.ObjBound)
        return float(self._model.ObjVal) if solved else (inf if self._maximise else -inf)


def _one_sided(lower: float, upper: float) -> tuple[str, float]:
    if upper == inf:
        return ">", max(lower, -_INFINITE)
    return ("<" if lower == -inf else "="), upper
