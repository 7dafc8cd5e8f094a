"""HiGHS, the open solver; the only file that imports `highspy`.

HiGHS reports mistakes by return codes, so every one is checked here. Its clock runs on over all solves of one
LP but starts anew for every MIP, and its number of threads belongs to the process: both are hidden here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any, Final

import highspy
import numpy as np
from highspy import HighsModelStatus as Code
from highspy import HighsStatus
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from setmargin.arrays import Floats, Ints
from setmargin.errors import ModelUnbounded, OptionError, SolverError
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

MEANING: Final[dict[Code, SolverOutcome]] = {
    Code.kOptimal: SolverOutcome.SOLVED,
    Code.kTimeLimit: SolverOutcome.TIMED_OUT,
    Code.kSolutionLimit: SolverOutcome.TIMED_OUT,  # what the limit of nodes is called
    Code.kInfeasible: SolverOutcome.INFEASIBLE,
    Code.kObjectiveBound: SolverOutcome.CUT_OFF,
    Code.kUnbounded: SolverOutcome.RAY,  # of the relaxation; there may still be no integer point
    Code.kUnboundedOrInfeasible: SolverOutcome.RAY,
    Code.kModelEmpty: SolverOutcome.EMPTY,  # no columns; the rows were not looked at
    Code.kNotset: SolverOutcome.FAILED,
    Code.kLoadError: SolverOutcome.FAILED,
    Code.kModelError: SolverOutcome.FAILED,
    Code.kPresolveError: SolverOutcome.FAILED,
    Code.kSolveError: SolverOutcome.FAILED,
    Code.kPostsolveError: SolverOutcome.FAILED,
    Code.kUnknown: SolverOutcome.FAILED,
    Code.kMemoryLimit: SolverOutcome.FAILED,
    # Limits and callbacks that are never set here.
    Code.kObjectiveTarget: SolverOutcome.FAILED,
    Code.kIterationLimit: SolverOutcome.FAILED,
    Code.kInterrupt: SolverOutcome.FAILED,
    Code.kHighsInterrupt: SolverOutcome.FAILED,
}

# HiGHS looks only for solutions that beat the incumbent by the feasibility tolerance, so with its default of
# 1e-6 an "optimum" could be off by that much.
_OPTIONS: Final[dict[str, bool | float]] = {
    "output_flag": False,
    "mip_abs_gap": 1e-9,
    "mip_feasibility_tolerance": 1e-8,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}
# A small LP that is solved again and again: presolve costs more than it saves, and perturbed costs, which save a cold
# start from cycling, only leave a warm one something to clean up.
_LP_OPTIONS: Final[dict[str, str]] = {"presolve": "off"}
_COLD_OPTIONS: Final[dict[str, float]] = {"dual_simplex_cost_perturbation_multiplier": 1.0}
_WARM_OPTIONS: Final[dict[str, float]] = {"dual_simplex_cost_perturbation_multiplier": 0.0}
# What an LP is tried with, one after the other, where HiGHS gives up. With perturbed costs it may end where a cost of
# 1e-6 has the wrong sign and call that "Unknown"; without them, with the primal method, presolve or another algorithm
# it does not, and the last one asks for fewer digits.
_OTHER_WAYS: Final[tuple[dict[str, str | int | float], ...]] = (
    {},
    {"simplex_strategy": 4},
    {"presolve": "on"},
    {"solver": "ipm"},
    {"primal_feasibility_tolerance": 1e-7, "dual_feasibility_tolerance": 1e-7, "presolve": "on"},
)
# A MIP of which a good solution is known. Left alone, HiGHS spends half of its time on looking for others and as much
# again on trying branches out and on cuts, which where products of two unknowns are all there is move its bound little.
_TREE_ALONE: Final[dict[str, bool | int | float]] = {
    "mip_heuristic_effort": 0.0,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_root_reduced_cost": False,
    "mip_pscost_minreliable": 2,
    "mip_allow_cut_separation_at_nodes": False,
}
_ROW_WISE: Final = 2
_FEASIBLE: Final = 2


@dataclass(frozen=True)
class Highs(Solver):
    """Solves models with HiGHS."""

    @property
    def name(self) -> str:
        return "HiGHS"

    def open(self, model: Milp) -> HighsModel:
        """Give the model to HiGHS, to be changed and solved many times."""
        return HighsModel(model)


class HighsModel(OpenModel):
    """A model inside HiGHS; see `OpenModel`."""

    def __init__(self, model: Milp) -> None:
        self._integer, self._is_lp, self._maximise = model.integer, model.is_lp, model.maximise
        self._warm = False  # HiGHS perturbs costs unless told otherwise
        self._usual: dict[str, bool | int | float] = {}
        self._options: dict[str, bool | int | float | str] = {}
        self._highs: Any = highspy.Highs()
        for name, value in {**_OPTIONS, **(_LP_OPTIONS if model.is_lp else {})}.items():
            self._set(name, value)
        _check(self._highs.passModel(*_arguments(model)), "passModel")

    def change_objective(self, objective: Floats) -> None:
        check_finite("objective", objective)
        where, costs = _along(np.arange(len(self._integer)), objective)
        _check(self._highs.changeColsCost(len(where), where, costs), "changeColsCost")

    def change_row_bounds(self, rows: Ints, lower: ArrayLike, upper: ArrayLike) -> None:
        check_bounds("the rows", lower, upper)
        where, low, high = _along(rows, lower, upper)
        _check(self._highs.changeRowsBounds(len(where), where, low, high), "changeRowsBounds")

    def change_column_bounds(self, columns: Ints, lower: ArrayLike, upper: ArrayLike) -> None:
        check_bounds("the columns", lower, upper)
        where, low, high = _along(columns, lower, upper)
        _check(self._highs.changeColsBounds(len(where), where, low, high), "changeColsBounds")

    def change_coefficients(self, rows: Ints, columns: Ints, values: Floats) -> None:
        check_finite("the matrix", values)
        change = self._highs.changeCoeff  # one by one, and often: nothing is looked up twice
        done = [change(*place) for place in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True)]
        if HighsStatus.kError in done:
            _check(HighsStatus.kError, "changeCoeff")

    def add_rows(self, matrix: csr_array, lower: ArrayLike, upper: ArrayLike) -> None:
        check_finite("the matrix", matrix.data)
        check_bounds("the rows", lower, upper)
        where, low, high = _along(np.arange(matrix.shape[0]), lower, upper)
        _check(self._highs.addRows(len(where), low, high, *_sparse(matrix)), "addRows")

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
        self._limit(limits)
        self._set("objective_bound", inf if cutoff is None else cutoff)
        if fresh or not self._is_lp:
            _check(self._highs.clearSolver(), "clearSolver")
            self._make_warm(False)
        if start is not None and not self._is_lp:
            self._start_from(start)
        outcome = self._run()
        if outcome is SolverOutcome.FAILED:
            outcome = self._run_otherwise()
        if outcome is SolverOutcome.TIMED_OUT:
            check_time()
        if outcome is SolverOutcome.RAY:
            self._settle_ray(limits)
        self._make_warm(True)
        if cutoff is not None and self._is_cut_off(outcome, cutoff):
            outcome = SolverOutcome.CUT_OFF
        return self._solution(outcome, limits, perf_counter() - began)

    def close(self) -> None:
        self._highs.clear()

    def _is_cut_off(self, outcome: SolverOutcome, cutoff: float) -> bool:
        """An LP's solve only looks at the cutoff now and then; a MIP's calls what is cut off infeasible."""
        if outcome is SolverOutcome.INFEASIBLE:
            return not self._is_lp
        return outcome is SolverOutcome.SOLVED and bool(self._highs.getObjectiveValue() >= cutoff)

    def _make_warm(self, warm: bool) -> None:
        """For what an LP's next solve is; a fresh one is like the first, so that ties are broken alike."""
        if self._is_lp and self._warm != warm:
            self._warm = warm
            for name, value in (_WARM_OPTIONS if warm else _COLD_OPTIONS).items():
                self._set(name, value)

    def _set(self, name: str, value: bool | int | float | str) -> None:
        if self._options.get(name) != value:
            _check(self._highs.setOptionValue(name, value), f"option {name} = {value}")
            self._options[name] = value

    def _limit(self, limits: Limits) -> None:
        self._set("threads", limits.threads)
        self._set("mip_rel_gap", limits.gap)
        self._set("mip_max_nodes", highspy.kHighsIInf if limits.nodes is None else limits.nodes)
        self._look_for_solutions(limits.heuristics)
        # Its time goes on from solve to solve, and by the clock on the wall: one that was set back makes it negative.
        begun = max(0.0, self._highs.getRunTime()) if self._is_lp else 0.0
        self._set("time_limit", min(limits.seconds, seconds_left()) + begun)

    def _look_for_solutions(self, wanted: bool) -> None:
        """Beside the tree of a MIP, or not. Some of these options came after version 1.10: there they are left out."""
        if self._is_lp or wanted == (not self._usual):
            return
        for name in _TREE_ALONE:
            known, usual = self._highs.getOptionValue(name)
            if known == HighsStatus.kOk:
                self._set(name, self._usual.pop(name) if wanted else _TREE_ALONE[name])
                self._usual.update({} if wanted else {name: usual})

    def _start_from(self, start: Floats) -> None:
        if np.shape(start) != self._integer.shape:
            raise OptionError(f"start has shape {np.shape(start)}; give one number for each column")
        lp, known = self._highs.getLp(), np.flatnonzero(~np.isnan(start))
        within = np.clip(start, lp.col_lower_, lp.col_upper_)  # one value out of bounds would be an error
        where, values = _along(known, within[known])
        _check(self._highs.setSolution(len(where), where, values), "setSolution")

    def _run(self) -> SolverOutcome:
        if self._highs.run() == HighsStatus.kError:
            # Whoever solved first in this process fixed the number of threads; only a reset changes it.
            self._highs.resetGlobalScheduler(True)
            if self._highs.run() == HighsStatus.kError:
                self._run_without_presolve()
        outcome = MEANING[self._highs.getModelStatus()]
        return self._without_columns() if outcome is SolverOutcome.EMPTY else outcome

    def _run_otherwise(self) -> SolverOutcome:
        """Now and then a warm basis or perturbed costs lead nowhere; a fresh start without them does not."""
        self._make_warm(True)
        for options in _OTHER_WAYS if self._is_lp else ({},):
            usual = {name: self._highs.getOptionValue(name)[1] for name in options}
            try:
                for name, value in options.items():
                    self._set(name, value)
                _check(self._highs.clearSolver(), "clearSolver")
                outcome = self._run()
            finally:
                for name, value in usual.items():
                    self._set(name, value)
            if outcome is not SolverOutcome.FAILED:
                break
        return outcome

    def _run_without_presolve(self) -> None:
        """Very rarely presolve loses its way and HiGHS refuses its own result (seen with 1.15)."""
        self._set("presolve", "off")
        try:
            _check(self._highs.clearSolver(), "clearSolver")
            _check(self._highs.run(), "run")
        finally:
            self._set("presolve", _LP_OPTIONS["presolve"] if self._is_lp else "choose")

    def _without_columns(self) -> SolverOutcome:
        lp = self._highs.getLp()
        fits = np.all(np.asarray(lp.row_lower_) <= 0) and np.all(np.asarray(lp.row_upper_) >= 0)
        return SolverOutcome.SOLVED if fits else SolverOutcome.INFEASIBLE

    def _settle_ray(self, limits: Limits) -> None:
        """Unbounded if there is any point at all, which the model without its objective tells."""
        costs = np.asarray(self._highs.getLp().col_cost_)
        self.change_objective(np.zeros(len(costs)))
        try:
            self._limit(limits)
            self._solution(self._run(), limits, 0.0)
        finally:
            self.change_objective(costs)
        raise ModelUnbounded("HiGHS: the objective has no bound; give the columns bounds")

    def _solution(self, outcome: SolverOutcome, limits: Limits, seconds: float) -> Solution:
        info, found = self._highs.getInfo(), self._highs.getSolution()
        usable = outcome is SolverOutcome.TIMED_OUT and info.primal_solution_status == _FEASIBLE
        if outcome is not SolverOutcome.SOLVED and not usable:
            status = self._highs.modelStatusToString(self._highs.getModelStatus())
            raise_without_solution(outcome, solver="HiGHS", status=status, limits=limits)
        values = np.array(found.col_value, dtype=np.float64)
        values[self._integer] = np.round(values[self._integer])
        return Solution(
            status=Status.OPTIMAL if outcome is SolverOutcome.SOLVED else Status.TIME_LIMIT,
            values=values,
            objective=info.objective_function_value,
            bound=self._bound(info, outcome),
            seconds=seconds,
            row_duals=np.array(found.row_dual) if self._is_lp and outcome is SolverOutcome.SOLVED else None,
            column_duals=np.array(found.col_dual) if self._is_lp and outcome is SolverOutcome.SOLVED else None,
        )

    def _bound(self, info: Any, outcome: SolverOutcome) -> float:
        if not self._is_lp:
            return float(info.mip_dual_bound)
        if outcome is SolverOutcome.SOLVED:
            return float(info.objective_function_value)
        return inf if self._highs.getObjectiveSense()[1] == highspy.ObjSense.kMaximize else -inf


def _check(status: HighsStatus, what: str) -> None:
    if status == HighsStatus.kError:
        raise SolverError(f"HiGHS refused {what}; this is a mistake in the model's numbers or in setmargin")


def _along(indices: ArrayLike, *numbers: ArrayLike) -> tuple[Any, ...]:
    """Indices and numbers in the types of HiGHS, the numbers as many as the indices."""
    where = np.asarray(indices, dtype=np.int32)
    return where, *(np.broadcast_to(np.asarray(n, dtype=np.float64), where.shape).copy() for n in numbers)


def _sparse(matrix: csr_array) -> tuple[Any, ...]:
    return (
        matrix.nnz,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
    )


def _arguments(model: Milp) -> tuple[Any, ...]:
    height, width = model.matrix.shape
    entries, *arrays = _sparse(model.matrix)
    sense = highspy.ObjSense.kMaximize if model.maximise else highspy.ObjSense.kMinimize
    return (
        *(width, height, entries, _ROW_WISE, sense.value, model.offset),
        *(model.objective, model.lower, model.upper, model.row_lower, model.row_upper),
        *(*arrays, model.integer.astype(np.int32)),
    )
