"""One method on one setwise problem: how long it took, what it found, and whether it says that nothing is better.

The printed MILP on HiGHS and on Gurobi (where its free licence is installed), the exact mode, the default mode, which
does a fixed amount of work, and both kinds of search with a deadline. All proven optima must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time

import numpy as np

from benchmarks.instances import Instance
from benchmarks.timing import Disagreement, Grid
from setmargin.errors import NoSolutionInTime, SolverMissing
from setmargin.solve.compiled import is_usable
from setmargin.solve.milp.gurobi import Gurobi
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits, Solution, Solver, Status
from setmargin.solve.oracle import oracle_for
from setmargin.strategies.setmargin.best_set import find_best_set, load_machine_code
from setmargin.strategies.setmargin.problem import SetProblem, SetSolution, formulate
from setmargin.strategies.setmargin.proof import SearchLimits
from setmargin.strategies.setmargin.strategy import fast_work

PRINTED_HIGHS, PRINTED_GUROBI = "printed MILP, HiGHS", "printed MILP, Gurobi"
EXACT, FAST, EXACT_SOLVER = "exact mode", "fast mode", "exact mode, solver alone"
SHORT, LONG, SEARCH_SHORT = "search and tree, 50 ms", "search and tree, 200 ms", "search alone, 50 ms"
SOLVERS: dict[str, Solver] = {PRINTED_HIGHS: Highs(), PRINTED_GUROBI: Gurobi()}
AGREE = 1e-5
"""Optima may differ by this much, absolutely or relatively, before it is a disagreement."""


@dataclass(frozen=True)
class Run:
    """One method on one instance; `proven` if it says that nothing is better."""

    instance: str
    method: str
    milliseconds: float
    objective: float | None
    proven: bool


def method(name: str, *, limit: float) -> Callable[[SetProblem], SetSolution]:
    """What each method of ours does with a problem."""
    match name:
        case "exact mode":
            return _finding(SearchLimits(seconds=limit))
        case "exact mode, solver alone":
            return _finding(SearchLimits(seconds=limit, compiled=False))
        case "fast mode":
            return lambda problem: _finding(_as_asked(problem))(problem)
        case "search alone, 50 ms":
            return _finding(SearchLimits(fits=10**6, nodes=0, seconds=0.05, patience=10**6))
    return _finding(SearchLimits(seconds=0.05 if name == SHORT else 0.2))


def _finding(work: SearchLimits) -> Callable[[SetProblem], SetSolution]:
    return lambda problem: find_best_set(
        problem, oracle_for(problem.space), solver=Highs(), work=work, rng=np.random.default_rng(0)
    )


def _as_asked(problem: SetProblem) -> SearchLimits:
    """The work that the strategy does for a question in its default mode."""
    return fast_work(oracle_for(problem.space), problem.size)


def measured(instance: Instance, name: str, *, limit: float) -> Run | None:
    """One run, or None where the method is not to be had.

    The time is the processor's, so that other work on the machine counts little; of the solvers of the printed problem
    it is what they do themselves, not how the problem is written down for them.
    """
    problem = instance.problem(one_bound=name in SOLVERS)
    oracle_for(problem.space)  # the space is loaded and compiled before the clock starts, and so is machine code
    if is_usable():
        load_machine_code()
    try:
        with _prepared(name, problem, limit) as call:
            began = process_time()
            found = call()
            took = 1000 * (process_time() - began)
    except SolverMissing:
        return None
    except NoSolutionInTime:
        return Run(instance.name, name, 1000 * limit, None, proven=False)
    proven = found.status in ("optimal", Status.OPTIMAL)
    return Run(instance.name, name, took, found.objective, proven=proven)


@contextmanager
def _prepared(name: str, problem: SetProblem, limit: float) -> Iterator[Callable[[], SetSolution | Solution]]:
    """What is timed."""
    if name not in SOLVERS:
        yield lambda: method(name, limit=limit)(problem)
        return
    model, _ = formulate(problem)
    with SOLVERS[name].open(model) as opened:
        yield lambda: opened.solve(limits=Limits(seconds=limit))


def best_known(runs: Sequence[Run]) -> dict[str, float]:
    """The best value of each instance; proven optima that differ are a disagreement."""
    best: dict[str, float] = {}
    for name in dict.fromkeys(each.instance for each in runs):
        here = [each for each in runs if each.instance == name and each.objective is not None]
        values = [each.objective for each in here if each.objective is not None]
        best[name] = max(values)
        for each in here:
            assert each.objective is not None
            if each.proven and best[name] - each.objective > AGREE * max(1.0, abs(best[name])):
                raise Disagreement(f"{name}: {each.method} proves {each.objective}, but {best[name]} was found")
    return best


def quality(runs: Sequence[Run], best: dict[str, float]) -> Grid:
    """How far each method's value is from the best known."""
    rows = []
    for name in dict.fromkeys(each.method for each in runs):
        gaps = np.array([_gap(each, best[each.instance]) for each in runs if each.method == name])
        within = [f"{100 * np.mean(gaps <= share):.0f}%" for share in (0.0001, 0.01, 0.1)]
        rows.append([name, *within, f"{100 * gaps.mean():.1f}%", f"{100 * gaps.max():.0f}%"])
    return Grid("Distance from the best known", ["method", "equal", "within 1%", "within 10%", "mean", "worst"], rows)


def _gap(each: Run, best: float) -> float:
    """Relative, with everything where nothing was found; an optimum of zero is met or missed."""
    if each.objective is None:
        return 1.0
    return min(max(best - each.objective, 0.0) / max(abs(best), 1e-6), 1.0)
