"""The setwise problem solved without a MILP of the whole: search, and a proof as far as work goes.

One climb (`local_search.py`) gives something to beat, and `proof.py` bounds what any set can be worth until nothing
better is left or the work that was granted is done. Where even the relaxation would take too long, the search has all
the time for itself. Both modes of the strategy are this, with more or less work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from math import inf
from time import monotonic

import numpy as np

from setmargin.arrays import Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.milp.model import Solver
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.branch_and_bound import tolerance
from setmargin.strategies.setmargin.local_search import (
    FittedSet,
    LocalSearch,
    WorkBudget,
    climb_once,
    search_from_many_starts,
    solution,
    starts,
)
from setmargin.strategies.setmargin.price_bounds import zero_is_best
from setmargin.strategies.setmargin.problem import SetProblem, SetSolution
from setmargin.strategies.setmargin.proof import (
    Proof,
    SearchLimits,
    prove,
    uses_machine_code,
    weight_fitter,
    without_weights,
)
from setmargin.strategies.setmargin.weights import WeightFitter
from setmargin.strategies.shared.ties import without_last_digits

# Configurations that may make a set larger, each a linear problem of about a millisecond.
LOOKED_AT = 300


def find_best_set(
    problem: SetProblem,
    oracle: Oracle,
    *,
    solver: Solver,
    work: SearchLimits,
    rng: np.random.Generator,
    first: Ints | None = None,
) -> SetSolution:
    """The best that the work finds; its status says whether it is proven, and its gap how far off it can be."""
    is_zero = work.nodes > 0 and zero_is_best(problem)
    compiled = not is_zero and uses_machine_code(problem, work)
    if compiled:
        load_machine_code()
    began = monotonic()
    effort = WorkBudget(work.fits, began + work.seconds)
    if is_zero:
        rows = next(starts(oracle, problem.size, rng=rng)) if first is None else first
        best, bound = without_weights(problem, rows), 0.0
    elif work.is_exact and problem.size > 1:
        effort = effort.of(work.nodes)
        best, bound = prove(
            problem, oracle, solver=solver, work=work, effort=effort, rng=rng, first=first, compiled=compiled
        )
    else:
        with weight_fitter(problem, solver) as fitter:
            task = LocalSearch(fitter, oracle, problem.setting, effort)
            if work.nodes:
                best = climb_once(task, rng=rng, first=first)
                task.effort = effort.of(10**9)
                proof = Proof(problem, task, solver, work, best)
                best, bound = proof.best_and_bound(effort.of(work.nodes))
            else:
                best, bound = search_from_many_starts(task, rng=rng, patience=work.patience, first=first), inf
    return _with_bound(solution(best, oracle, seconds=monotonic() - began), bound, work)


@cache
def load_machine_code() -> None:
    """Before the clock starts: it is compiled once on a machine, for some seconds, and loaded once in a process."""
    from setmargin.solve.compiled.tree import load

    load()


def fill_up(
    problem: SetProblem, oracle: Oracle, found: SetSolution, *, size: int, margin: float, solver: Solver, seconds: float
) -> SetSolution:
    """The set with further configurations, the best for its weights first, while all are told apart by the margin.

    Among so many configurations as are looked at, none is left that could be added to a set that stays too small.
    """
    began = monotonic()
    while len(found.configurations) < size:
        with weight_fitter(replace(problem, size=len(found.configurations) + 1), solver) as fitter:
            tried = (
                _kept_apart(fitter, problem, rows) for rows in _one_more(oracle, found) if monotonic() - began < seconds
            )
            larger = next((each for each in tried if each is not None and each.fit.margin >= margin), None)
        if larger is None:
            break
        found = solution(larger, oracle, seconds=found.seconds + monotonic() - began)
    return found


def _kept_apart(fitter: WeightFitter, problem: SetProblem, rows: Ints) -> FittedSet | None:
    """The best weights for these configurations; None where lower bounds leave none that keep them apart."""
    try:
        return FittedSet(fitter.fit(problem.space.onehot(rows), problem.setting), rows)
    except ModelInfeasible:
        return None


def _one_more(oracle: Oracle, found: SetSolution) -> Iterator[Ints]:
    """The set with one more configuration, which is what most of its weights like best."""
    liked = without_last_digits(found.value_weights.sum(axis=0))
    for row in islice(oracle.ranked_for_values(liked), LOOKED_AT):
        if not (found.configurations == row).all(axis=1).any():
            yield np.vstack([found.configurations, row])


def _with_bound(found: SetSolution, bound: float, work: SearchLimits) -> SetSolution:
    """What was found, with its proof or with how far off it can be, relative to what there may be."""
    bound = max(bound, found.objective)  # a list may have found it without the tree that says what it rules out
    apart = bound - found.objective
    gap = inf if bound == inf else apart / max(abs(found.objective), abs(bound), 1e-9)
    if bound <= found.objective + tolerance(found.objective, work.gap):
        return replace(found, bound=bound, gap=min(gap, work.gap), status="optimal")
    status = "search" if found.seconds < work.seconds else "time limit"
    return replace(found, bound=bound, gap=gap, status=status)
