"""The setwise problem, solved in four ways on the same recorded instances: how long, and how good.

The printed MILP on HiGHS and on Gurobi (where its free licence is installed), the exact mode (a short search, then
branch and bound on our own relaxation), the same with a deadline, and the search without any tree with a deadline.
All proven optima must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np

from benchmarks.instances import Instance, instances
from benchmarks.timing import Disagreement, Grid, Report, Say, short
from setmargin.errors import NoSolutionInTime, SolverMissing
from setmargin.solve.milp.gurobi import Gurobi
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits
from setmargin.solve.oracle import oracle_for
from setmargin.strategies.setmargin.best_set import SearchLimits, find_best_set
from setmargin.strategies.setmargin.problem import SetProblem, SetSolution, solve

PRINTED_HIGHS, PRINTED_GUROBI, EXACT = "printed MILP, HiGHS", "printed MILP, Gurobi", "exact mode"
SHORT, LONG, SEARCH_SHORT = "search and tree, 50 ms", "search and tree, 200 ms", "search alone, 50 ms"
METHODS = (PRINTED_HIGHS, PRINTED_GUROBI, EXACT, SHORT, LONG, SEARCH_SHORT)
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
    """What each method does with a problem."""
    limits = Limits(seconds=limit)
    match name:
        case "printed MILP, HiGHS":
            return lambda problem: solve(problem, solver=Highs(), limits=limits)
        case "printed MILP, Gurobi":
            return lambda problem: solve(problem, solver=Gurobi(), limits=limits)
        case "exact mode":
            return _finding(SearchLimits(seconds=limit))
        case "search alone, 50 ms":
            return _finding(SearchLimits(fits=10**6, nodes=0, seconds=0.05, patience=10**6))
    return _finding(SearchLimits(seconds=0.05 if name == SHORT else 0.2))


def _finding(work: SearchLimits) -> Callable[[SetProblem], SetSolution]:
    return lambda problem: find_best_set(
        problem, oracle_for(problem.space), solver=Highs(), work=work, rng=np.random.default_rng(0)
    )


def measured(instance: Instance, name: str, *, limit: float) -> Run | None:
    """One run, or None where the method is not to be had."""
    call = method(name, limit=limit)
    problem = instance.problem(one_bound=name in (PRINTED_HIGHS, PRINTED_GUROBI))
    oracle_for(problem.space)  # the space is loaded and compiled before the clock starts
    began = perf_counter()
    try:
        found = call(problem)
    except SolverMissing:
        return None
    except NoSolutionInTime:
        return Run(instance.name, name, 1000 * limit, None, proven=False)
    took = 1000 * (perf_counter() - began)
    return Run(instance.name, name, took, found.objective, proven=found.status == "optimal")


def run(quick: bool, say: Say) -> Report:
    """Every method on every instance, one after the other."""
    chosen = instances()[::12] if quick else instances()
    limit = 2.0 if quick else 10.0
    runs: list[Run] = []
    for instance in chosen:
        say(f"setwise: {instance.name}")
        found = [measured(instance, name, limit=limit) for name in METHODS]
        runs += [each for each in found if each is not None]
    best = best_known(runs)
    notes = [f"{len(chosen)} instances, at most {limit:g} s each; a solve that runs out of time counts as that long."]
    document = {"runs": [asdict(each) for each in runs], "best": best}
    return Report([times(runs), quality(runs, best)], notes, document)


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


def times(runs: Sequence[Run]) -> Grid:
    """How long each method took, beside the printed MILP on both solvers."""
    rows = []
    for name in _present(runs):
        mine = [each for each in runs if each.method == name]
        took = np.array([each.milliseconds for each in mine])
        proven = sum(each.proven for each in mine)
        ratios = [_ratio(runs, mine, reference) for reference in (PRINTED_HIGHS, PRINTED_GUROBI)]
        rows.append([name, short(float(np.median(took))), short(float(np.quantile(took, 0.95))), f"{proven}", *ratios])
    return Grid(
        "Milliseconds an instance",
        ["method", "median", "p95", "proven", "median ÷ printed HiGHS", "median ÷ printed Gurobi"],
        rows,
    )


def _ratio(runs: Sequence[Run], mine: Sequence[Run], reference: str) -> str:
    """The median over instances of this method's time divided by the reference's."""
    theirs = {each.instance: each.milliseconds for each in runs if each.method == reference}
    shared = [each.milliseconds / theirs[each.instance] for each in mine if each.instance in theirs]
    return short(float(np.median(shared))) if shared else "–"


def quality(runs: Sequence[Run], best: dict[str, float]) -> Grid:
    """How far each method's value is from the best known."""
    rows = []
    for name in _present(runs):
        gaps = np.array([_gap(each, best[each.instance]) for each in runs if each.method == name])
        within = [f"{100 * np.mean(gaps <= share):.0f}%" for share in (0.0001, 0.01, 0.1)]
        rows.append([name, *within, f"{100 * gaps.mean():.1f}%", f"{100 * gaps.max():.0f}%"])
    return Grid("Distance from the best known", ["method", "equal", "within 1%", "within 10%", "mean", "worst"], rows)


def _gap(each: Run, best: float) -> float:
    """Relative, with everything where nothing was found; an optimum of zero is met or missed."""
    if each.objective is None:
        return 1.0
    return min(max(best - each.objective, 0.0) / max(abs(best), 1e-6), 1.0)


def _present(runs: Sequence[Run]) -> list[str]:
    return [name for name in METHODS if any(each.method == name for each in runs)]
