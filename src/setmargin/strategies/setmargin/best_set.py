"""The setwise problem solved without a MILP: search, then branch and bound from what was found.

One climb (`local_search.py`) gives something to beat. A tree of one user who stands for all (`branch_and_bound.py`)
then bounds what any set can be worth, and often shows already that nothing is better; otherwise the tree of all k users
goes on until it does, or until the work that was granted is done. Where even the relaxation would take too long, the
search has all the time for itself. Both modes of the strategy are this, with more or less work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import inf
from time import monotonic

import numpy as np

from setmargin.arrays import Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.milp.model import Limits, Solver
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.branch_and_bound import Tree, tolerance
from setmargin.strategies.setmargin.local_search import (
    FittedSet,
    LocalSearch,
    WorkBudget,
    climb_once,
    search_from_many_starts,
    solution,
)
from setmargin.strategies.setmargin.problem import SetProblem, SetSolution
from setmargin.strategies.setmargin.relaxation import Relaxation, interchangeable
from setmargin.strategies.setmargin.weights import WeightFitter
from setmargin.strategies.shared.ties import without_last_digits

# One linear problem of the search takes milliseconds; this only guards against one that does not.
LP_LIMITS = Limits(seconds=10.0)
# Configurations that may make a set larger, each a linear problem of about a millisecond.
LOOKED_AT = 300


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """How much is granted: nodes for the tree, or without any, linear problems for the search; time; and what is good
    enough: a gap, or a value of the objective."""

    nodes: int = 10**9
    fits: int = 40
    gap: float = 0.0
    enough: float = inf
    seconds: float = inf
    patience: int = 5


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
    began = monotonic()
    effort = WorkBudget(work.fits, began + work.seconds)
    with weight_fitter(problem, solver) as fitter:
        task = LocalSearch(fitter, oracle, problem.setting, effort)
        if work.nodes:
            proof = Proof(problem, task, solver, work, climb_once(task, rng=rng, first=first))
            best, bound = proof.best_and_bound(effort.of(work.nodes))
        else:
            best, bound = search_from_many_starts(task, rng=rng, patience=work.patience, first=first), inf
    return _with_bound(solution(best, oracle, seconds=monotonic() - began), bound, work)


def weight_fitter(problem: SetProblem, solver: Solver) -> WeightFitter:
    """The linear problem of the search."""
    return WeightFitter(
        problem.space,
        problem.pairs,
        size=problem.size,
        bounds=problem.bounds,
        form=problem.form,
        solver=solver,
        limits=LP_LIMITS,
    )


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


@dataclass
class Proof:
    """The best so far, and the trees that bound what could be better."""

    problem: SetProblem
    task: LocalSearch
    solver: Solver
    work: SearchLimits
    best: FittedSet

    def best_and_bound(self, effort: WorkBudget) -> tuple[FittedSet, float]:
        """The best found, and what no set is worth more than, as far as the effort goes."""
        bound = self._bound(effort)
        return self.best, bound

    def _bound(self, effort: WorkBudget) -> float:
        size = self.problem.size
        if size == 1:
            return self._grow(effort, users=1)
        half = effort.of(effort.fits // 2)
        each = self._grow(half, users=1)
        if each <= self.best.fit.objective + tolerance(self.best.fit.objective, self.work.gap):
            return each
        left = effort.of(effort.fits - effort.fits // 2 + half.fits)
        return min(each, self._grow(left, users=size, each=each))

    def _grow(self, effort: WorkBudget, *, users: int, each: float = inf) -> float:
        """The bound of a tree of all k users, or of one who stands for all."""
        if effort.is_over:
            return inf
        whole = users == self.problem.size
        with Relaxation(self.problem, users=users, solver=self.solver, each=each) as relaxation:
            tree = Tree(
                relaxation,
                self.task.oracle,
                kinds=self._kinds,
                floor=self.best.fit.objective,
                gap=self.work.gap if whole else 0.0,
                enough=self.work.enough if whole else inf,
                accept=(lambda rows, _: self._keep(self.task.fit(rows))) if whole else self._for_all,
                guess=self._climb if whole else None,
            )
            return tree.grow(effort)

    @cached_property
    def _known_kinds(self) -> Ints:
        return interchangeable(self.problem)

    def _kinds(self) -> Ints:
        """Only a tree that branches asks for them."""
        return self._known_kinds

    def _climb(self, rows: Ints) -> float:
        """A set near to where the relaxation is best."""
        return self._keep(self.task.climb(self.task.fit(rows)))

    def _for_all(self, rows: Ints, value: float) -> float:
        """One configuration for all users separates nothing, but may be worth most all the same."""
        self._keep(self.task.fit(np.repeat(rows, self.problem.size, axis=0)))
        return value

    def _keep(self, found: FittedSet) -> float:
        if found.fit.objective > self.best.fit.objective:
            self.best = found
        return self.best.fit.objective


def _with_bound(found: SetSolution, bound: float, work: SearchLimits) -> SetSolution:
    """What was found, with its proof or with how far off it can be, relative to what there may be."""
    apart = max(bound - found.objective, 0.0)
    gap = inf if bound == inf else apart / max(abs(found.objective), abs(bound), 1e-9)
    if bound <= found.objective + tolerance(found.objective, work.gap):
        return replace(found, bound=bound, gap=min(gap, work.gap), status="optimal")
    status = "search" if found.seconds < work.seconds else "time limit"
    return replace(found, bound=bound, gap=gap, status=status)
