"""The proof that no set is better: what bounds all sets, in the order of what it costs.

Where the work is limited, the tree of one user who stands for all (`branch_and_bound.py`) comes first, then that of all
k users. Where it is not, the bound comes before the search: one averaged user bounds all k as well as the relaxation of
all of them (`relaxation.py`), often shows that nothing pays, and its prices lead to a good start. What is then left is
listed, branched on, and handed over to the solver's own tree on the same relaxation, in turn. Where there is machine
code (`compiled_tree.py`), its tree does all of that, and from the beginning where there are no quantities.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.errors import NoSolutionInTime
from setmargin.solve.compiled import is_usable
from setmargin.solve.milp.model import Limits, Solver
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.branch_and_bound import Tree, tolerance
from setmargin.strategies.setmargin.listing import Lister
from setmargin.strategies.setmargin.local_search import FittedSet, LocalSearch, WorkBudget, starts, with_weights
from setmargin.strategies.setmargin.price_bounds import PriceBounds, joint_values_if_few
from setmargin.strategies.setmargin.problem import Form, SetProblem, tells_nothing_apart
from setmargin.strategies.setmargin.relaxation import Relaxation, best_above, interchangeable
from setmargin.strategies.setmargin.weights import Fit, Prices, WeightFitter

# One linear problem of the search takes milliseconds; this only guards against one that does not.
LP_LIMITS = Limits(seconds=10.0)
# Where there are so few joint values, sets are listed before any tree grows.
FEW_JOINT_VALUES = 150
# One user who stands for all gets more than one node if all k users leave less than this share of the gap below that.
HELPS = 0.1
UNLIMITED = 10**9
# One user who stands for all gets at most so many nodes before the tree of all.
ALONE = 40
# Linear problems for our own tree, then nodes for the solver's; and again. Our own gets more for three users, whose
# tables bound them better than the relaxation, and where there are so many values that the solver's tree is slow; but
# not where an answer costs no more than the margin it buys, as then neither tables nor relaxation bound well.
OWN, OWN_FOR_MORE, SOLVERS, AGAIN = 25, 150, 10_000, 1000
FEW_VALUES = 40
# With more rows the inverse that machine code keeps takes too much memory; a solver's is sparse.
MOST_ROWS = 3000
# So many linear problems may go into moves from the best so far before all users' tree grows.
IMPROVING = 40
# And so many before anything else is tried.
AT_FIRST = 10


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """How much is granted: nodes for the tree, or without any, linear problems for the search; time; and what is good
    enough: a gap, or a value of the objective."""

    nodes: int = UNLIMITED
    fits: int = 40
    gap: float = 0.0
    enough: float = inf
    seconds: float = inf
    patience: int = 5
    compiled: bool = True
    """Whether what goes on to the proof may be machine code, where that is installed."""

    @property
    def is_exact(self) -> bool:
        """Whether it is to go on until nothing better can be left."""
        return self.nodes >= UNLIMITED


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


def prove(
    problem: SetProblem,
    oracle: Oracle,
    *,
    solver: Solver,
    work: SearchLimits,
    effort: WorkBudget,
    rng: np.random.Generator,
    first: Ints | None,
    compiled: bool,
) -> tuple[FittedSet, float]:
    """The best set and its bound, however much work that takes: the bound comes first, and leads to a good start."""
    rows = next(starts(oracle, problem.size, rng=rng)) if first is None else first
    if compiled and not len(problem.space.costs) and not problem.bounds.lower.any():
        with weight_fitter(problem, solver) as fitter:
            task = LocalSearch(fitter, oracle, problem.setting, effort.of(UNLIMITED))
            proof = Proof(problem, task, solver, work, without_weights(problem, rows))
            bound = proof.bound_by_machine_code(effort, first)
            return proof.best, bound
    with Relaxation(problem, users=1, solver=solver, averaged=True) as averaged:
        floor = -inf if problem.bounds.lower.any() else tolerance(0.0, work.gap)
        root, bound = None, inf
        if not effort.is_over:
            with suppress(NoSolutionInTime):
                root = averaged.solve(averaged.allowed, floor=floor, limits=Limits(seconds=effort.seconds_left))
                bound = floor if root is None else root.bound
        if root is None and bound < inf:
            return without_weights(problem, rows), 0.0
        with weight_fitter(problem, solver) as fitter:
            task = LocalSearch(fitter, oracle, problem.setting, effort.of(UNLIMITED))
            best = task.climb(task.fit(rows if root is None else task.largest_bound(root.prices, rows)))
            if tells_nothing_apart(problem.space, best.fit.value_weights):
                best = max(best, task.climb(task.fit(rows)), key=lambda each: each.fit.objective)
            proof = Proof(problem, task, solver, work, best)
            if bound > proof.goal and not effort.is_over:
                left = (
                    proof.bound_by_machine_code(effort) if compiled else proof.bound_in_turns(averaged, effort, bound)
                )
                bound = min(bound, left)
            return proof.best, bound


def uses_machine_code(problem: SetProblem, work: SearchLimits) -> bool:
    """Whether the proof is that of `compiled_tree.py`."""
    return work.is_exact and work.compiled and problem.size > 1 and is_usable() and is_small(problem)


def is_small(problem: SetProblem) -> bool:
    """Whether the relaxation of all users has few rows, which is counted before it is set up."""
    k, space, pairs = problem.size, problem.space, problem.pairs
    costs = () if problem.form is Form.PAPER else space.costs
    blocks = [block for each in costs for block in np.split(each, space.offsets[1:-1]) if block.any()]
    of_values = (2 if problem.bounds.lower.any() else 1) * int(space.offsets[-1])
    products = of_values + sum(len(np.unique(block)) for block in blocks)
    of_each = len(pairs.strict) + 2 * len(pairs.equal) + len(problem.feasible.rows)
    return k * of_each + k * (k - 1) + k * k * products <= MOST_ROWS


def without_weights(problem: SetProblem, rows: Ints) -> FittedSet:
    """Any configurations, and no weights."""
    k, space, values = problem.size, problem.space, int(problem.space.offsets[-1])
    width = values if problem.form is Form.PAPER else len(space.feature_names)
    none = np.zeros((k, width))
    prices = Prices(np.zeros((k, k)), none, 1.0)
    fit = Fit(weights=none, value_weights=none[:, :values], margin=0.0, objective=0.0, prices=prices)
    return FittedSet(fit, rows)


class Proof:
    """The best so far, and the trees that bound what could be better."""

    def __init__(
        self, problem: SetProblem, task: LocalSearch, solver: Solver, work: SearchLimits, best: FittedSet
    ) -> None:
        self.problem, self.task, self.solver, self.work, self.best = problem, task, solver, work, best
        self._lister: Lister | None = None
        self._listed_bound = inf
        if not work.is_exact:
            self._prepare_lists()

    def _prepare_lists(self) -> None:
        problem, task = self.problem, self.task
        joint = joint_values_if_few(problem)
        if joint is not None:
            bounds = PriceBounds(problem, joint, task.fitter)
            for found in task.tried.values():
                bounds.add(found.fit.prices)
            task.learn = bounds.add
            self._lister = Lister(bounds, task.oracle, self._attempt)

    def best_and_bound(self, effort: WorkBudget) -> tuple[FittedSet, float]:
        """The best found, and what no set is worth more than, as far as the effort goes."""
        bound = self._bound_of_one(effort) if self.problem.size == 1 else self._bound(effort)
        return self.best, min(bound, self._listed_bound)

    def bound_by_machine_code(self, effort: WorkBudget, first: Ints | None = None) -> float:
        """One tree over all users, which is quick enough to find what is best by itself."""
        from setmargin.strategies.setmargin.compiled_tree import CompiledTree

        if first is not None:
            self._climb(first)
        tree = CompiledTree(
            self.problem,
            self.task.oracle,
            kinds=self._known_kinds,
            floor=self.best.fit.objective,
            gap=self.work.gap,
            enough=self.work.enough,
            accept=self._take,
            guess=self._climb,
        )
        bound = tree.grow(effort)
        if bound > self.goal and tells_nothing_apart(self.problem.space, self.best.fit.value_weights):
            self._climb(self.best.rows)  # time was over before anything was found
        return bound

    def bound_in_turns(self, averaged: Relaxation, effort: WorkBudget, bound: float) -> float:
        """Our own tree and the solver's on the same relaxation, in turn: what is hard for one is easy for the other.

        Turns are measured in work, so that which one ends it does not depend on the machine.
        """
        if tells_nothing_apart(self.problem.space, self.best.fit.value_weights):
            self._keep(with_weights(self.task, self.best, self.best.rows))
        self._improve(effort, AT_FIRST)
        if bound <= self.goal or self._is_over(effort):
            return bound
        self._prepare_lists()
        lists_first = self._lister is not None and self._lister.values <= FEW_JOINT_VALUES
        if lists_first and self._is_listed(effort):
            return self._proven
        bound = min(bound, self._listed_bound)
        self._improve(effort)
        if bound <= self.goal or self._is_over(effort):
            return bound
        averaged.stand_for_all()
        each = _grown(self._tree(averaged, whole=False), effort, ALONE)
        bound = min(bound, each)
        if bound <= self.goal or effort.is_over:
            return bound
        with Relaxation(self.problem, users=self.problem.size, solver=self.solver, each=each) as relaxation:
            together = self._tree(relaxation, whole=True)
            values = int(self.problem.space.offsets[-1])
            few = self.problem.setting.alpha <= 1.0 or (self.problem.size == 2 and values <= FEW_VALUES)
            for own, nodes in ((OWN if few else OWN_FOR_MORE, SOLVERS), (AGAIN, None)):
                bound = min(bound, _grown(together, effort, own))
                if bound > self.goal and not self._is_over(effort):
                    self._improve(effort)
                if bound <= self.goal or self._is_over(effort):
                    break
                bound = min(bound, self._handed_over(nodes, effort))
                together.floor = max(together.floor, self.best.fit.objective)
                if bound <= self.goal or self._is_over(effort):
                    break
        return bound

    def _is_over(self, effort: WorkBudget) -> bool:
        return effort.is_over or self.best.fit.objective >= self.work.enough

    def _handed_over(self, nodes: int | None, effort: WorkBudget) -> float:
        """What the solver's own tree finds above the goal, and the bound that it proves."""
        limits = Limits(seconds=effort.seconds_left, gap=self.work.gap, nodes=nodes)
        try:
            rows, bound = best_above(self.problem, solver=self.solver, floor=self.goal, limits=limits)
        except NoSolutionInTime:
            return inf
        if rows is None:
            return self._proven
        self._attempt(rows)
        return bound

    @property
    def goal(self) -> float:
        value = self.best.fit.objective
        return value + tolerance(value, self.work.gap)

    def _bound_of_one(self, effort: WorkBudget) -> float:
        with Relaxation(self.problem, users=1, solver=self.solver) as relaxation:
            return self._tree(relaxation, whole=True).grow(effort)

    def _bound(self, effort: WorkBudget) -> float:
        """First what known prices leave; then one user who stands for all; then all, and again whichever says more."""
        lists_first = self._lister is not None and self._lister.values <= FEW_JOINT_VALUES
        is_stuck = tells_nothing_apart(self.problem.space, self.best.fit.value_weights)
        if lists_first and not is_stuck and self._is_listed(effort):
            return self._proven
        with Relaxation(self.problem, users=1, solver=self.solver) as single:
            alone = self._tree(single, whole=False)
            each = _grown(alone, effort, 1)
            if each <= self.goal or effort.is_over:
                return each
            if is_stuck:  # not because nothing is worth any weights
                self._keep(with_weights(self.task, self.best, self.best.rows))
                if lists_first and self._is_listed(effort):
                    return self._proven
            with Relaxation(self.problem, users=self.problem.size, solver=self.solver, each=each) as relaxation:
                return self._bound_of_all(effort, alone, relaxation, each)

    def _bound_of_all(self, effort: WorkBudget, alone: Tree, relaxation: Relaxation, each: float) -> float:
        together = self._tree(relaxation, whole=True)
        bound = _grown(together, effort, 1)
        if bound > self.goal and bound > each - HELPS * (each - self.best.fit.objective):
            alone.floor = max(alone.floor, self.best.fit.objective)
            each = min(each, _grown(alone, effort, effort.fits // 2))
            if each <= self.goal:
                return each
            relaxation.limit_each(each)
        if bound > self.goal:
            self._improve(effort)
        return min(each, together.grow(effort))

    def _improve(self, effort: WorkBudget, most: int = IMPROVING) -> None:
        """Single moves from the best so far: a tree that has more to beat is smaller."""
        unlimited, self.task.effort = self.task.effort, effort.of(min(effort.fits, most))
        self._keep(self.task.improve(self.best))
        self.task.effort = unlimited

    @property
    def _proven(self) -> float:
        """The bound where nothing is left above the goal."""
        return self.best.fit.objective + self.work.gap * abs(self.best.fit.objective)

    def _is_listed(self, effort: WorkBudget) -> bool:
        if self._lister is None:
            return False
        visible = int(self.problem.space.offsets[-1])
        self._listed_bound = self._lister.seek(
            np.repeat(self.problem.feasible.upper[None, :visible] > 0.5, self.problem.size, axis=0),
            goal=lambda: self.goal,
            effort=effort,
            enough=self.work.enough,
        )
        if self._listed_bound > self.goal:
            return False
        self._listed_bound = inf  # what was ruled out may be worth as much as the goal
        return True

    def _tree(self, relaxation: Relaxation, *, whole: bool) -> Tree:
        """The tree of all k users, or of one who stands for all."""
        return Tree(
            relaxation,
            self.task.oracle,
            kinds=self._kinds,
            floor=self.best.fit.objective,
            gap=self.work.gap if whole else 0.0,
            enough=self.work.enough if whole else inf,
            accept=(lambda rows, _: self._attempt(rows)) if whole else self._for_all,
            guess=self._climb if whole else None,
            learn=self._lister.bounds.add if self._lister is not None else None,
            lister=self._lister if whole else None,
        )

    @cached_property
    def _known_kinds(self) -> Ints:
        return interchangeable(self.problem)

    def _kinds(self) -> Ints:
        """Only a tree that branches asks for them."""
        return self._known_kinds

    def _attempt(self, rows: Ints) -> float:
        """A set by itself, and where it is the best so far, what is near it."""
        mark = len(self._lister.bounds.log) if self._lister else 0
        found = self.task.fit(rows)
        if self._lister is not None and len(self._lister.bounds.log) == mark:
            self._lister.bounds.add(found.fit.prices)  # tried before, but its bound has been forgotten since
        is_better = found.fit.objective > self.best.fit.objective
        return self._keep(self.task.climb(found) if is_better else found)

    def _take(self, rows: Ints, weights: Floats | None) -> float:
        """A set with weights that are known to be its best, or without."""
        setting, onehot = self.problem.setting, self.problem.space.onehot(rows)
        fit = None if weights is None else self.task.fitter.worth_of(weights, onehot, setting)
        return self._attempt(rows) if fit is None else self._keep(FittedSet(fit, rows))

    def _climb(self, rows: Ints) -> float:
        """A set near to where the relaxation is best."""
        return self._keep(with_weights(self.task, self.task.climb(self.task.fit(rows)), rows))

    def _for_all(self, rows: Ints, value: float) -> float:
        """One configuration for all users separates nothing, but may be worth most all the same."""
        self._keep(self.task.fit(np.repeat(rows, self.problem.size, axis=0)))
        return value

    def _keep(self, found: FittedSet) -> float:
        if found.fit.objective > self.best.fit.objective:
            self.best = found
        return self.best.fit.objective


def _grown(tree: Tree, effort: WorkBudget, most: int) -> float:
    """The bound of a tree after at most so many more linear problems of the effort."""
    part = effort.of(min(most, effort.fits))
    before = part.fits
    bound = tree.grow(part)
    effort.fits -= before - part.fits
    return bound
