"""The tree of all users as machine code, where Numba is installed: around the iterations of so small a linear problem a
solver and Python need longer than for these.

The relaxation is that of `relaxation.py`, without what no best set needs: of values that nothing tells apart and no
answer is about, k users take the first k at most. The tree (`solve/compiled/tree.py`) comes back whenever a set is
found, or a guess is worth it, or the clock should be looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.compiled import tree as compiled
from setmargin.solve.compiled.basis import Lp, copied, prepared
from setmargin.solve.milp.model import Columns, Milp
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.branch_and_bound import Guess, tolerance
from setmargin.strategies.setmargin.local_search import WorkBudget
from setmargin.strategies.setmargin.problem import SetProblem
from setmargin.strategies.setmargin.relaxation import relax
from setmargin.time_limit import check_time

ROWS_TIMES_PIVOTS = 400_000
"""Rows and columns times pivots: so much work, some hundredths of a second, is done before the clock is looked at."""


class CompiledTree:
    """One tree over all users. `accept` is told of every set that is found, some with weights, and says what it is
    worth; `guess` of sets near to what the relaxation shares, the less often the larger the tree, and says the same."""

    def __init__(
        self,
        problem: SetProblem,
        oracle: Oracle,
        *,
        kinds: Ints,
        floor: float,
        gap: float,
        enough: float,
        accept: Callable[[Ints, Floats | None], float],
        guess: Guess,
    ) -> None:
        self._oracle, self._accept, self._guess = oracle, accept, guess
        self._gap, self._enough, self.floor = gap, enough, floor
        self._needed = needed_values(problem, kinds)
        self._lp, x, self._w = kept_problem(problem, self._needed)
        self._saved = copied(self._lp)
        starts = np.searchsorted(self._needed, problem.space.offsets)
        allowed = problem.feasible.upper[self._needed] > 0.5
        self._tree = compiled.started(x, starts, kinds[self._needed], allowed)
        self._work = ROWS_TIMES_PIVOTS // len(self._lp.cost)

    @property
    def nodes(self) -> int:
        """How many were solved."""
        return int(self._tree.counts[compiled.NODES])

    @property
    def goal(self) -> float:
        """Nothing up to here is worth a node."""
        return self.floor + tolerance(self.floor, self._gap)

    def grow(self, effort: WorkBudget) -> float:
        """Grow until nothing better can be left, enough was found or the effort is spent; returns the proven bound.

        A gap that is good enough may hide something as much better in nodes that were left out, so it belongs to the
        bound. It can be called again to go on.
        """
        while not effort.is_over and self.floor < self._enough:
            check_time()
            before = self.nodes
            came = compiled.grow(self._lp, self._saved, self._tree, self.goal, effort.fits, self._work)
            effort.fits -= self.nodes - before
            if came == compiled.DONE:
                break
            if came == compiled.FULL:
                self._tree = compiled.with_more_room(self._tree)
            elif came in (compiled.WHOLE, compiled.LEFT):
                self._take_found(whole=came == compiled.WHOLE)
            elif came == compiled.GUESS:
                self.floor = max(self.floor, self._guess(self._oracle.best_for_values(self._shares())))
        left_out = self.floor + self._gap * abs(self.floor)
        return float(self._tree.bound[: self._tree.counts[compiled.WAITING]].max(initial=left_out))

    def _take_found(self, *, whole: bool) -> None:
        """With the weights of a whole solution as long as the tree is so young that finding others is too dear."""
        rows = self._needed[self._tree.starts[:-1] + self._tree.found] - self._oracle.space.offsets[:-1]
        if self._oracle.space.feasible(rows).all():
            young = whole and self.nodes < compiled.FIRST_GUESS
            weights = np.where(self._w < 0, 0.0, self._lp.x[self._w]) if young else None
            self.floor = max(self.floor, self._accept(rows, weights))

    def _shares(self) -> Floats:
        shares = np.zeros((len(self._tree.x), int(self._oracle.space.offsets[-1])))
        shares[:, self._needed] = self._tree.shares
        return shares


def needed_values(problem: SetProblem, kinds: Ints) -> Ints:
    """The values that a best set needs: all that answers are about, as their weights count whoever takes them; of
    others of one kind the first k that may be taken, if what nobody takes may have no weight."""
    if problem.bounds.lower.any():
        return np.arange(len(kinds), dtype=np.int64)
    allowed = problem.feasible.upper[: len(kinds)] > 0.5
    told = (problem.pairs.strict != 0).any(axis=0) | (problem.pairs.equal != 0).any(axis=0)
    times: Counter[int] = Counter()
    found = []
    for value, kind in enumerate(kinds.tolist()):
        times[kind] += int(allowed[value] and not told[value])
        if told[value] or (allowed[value] and times[kind] <= problem.size):
            found.append(value)
    return np.array(found, dtype=np.int64)


def kept_problem(problem: SetProblem, needed: Ints) -> tuple[Lp, Ints, Ints]:
    """The relaxation of all users over these values; its columns of shares (users × values), and those of all weights
    (users × features), -1 where one is left out."""
    model, columns = relax(problem, users=problem.size)
    spare = np.ones(int(problem.space.offsets[-1]), dtype=bool)
    spare[needed] = False
    kept = np.ones(len(model.objective), dtype=bool)
    for name in ("x", "w", "m", "p"):
        kept[columns[name][:, : len(spare)][:, spare]] = False
    if kept.all():
        return prepared(model, _implied(problem, model, columns)), columns["x"], columns["w"]
    matrix = model.matrix[:, np.flatnonzero(kept)]
    rows = np.flatnonzero(np.diff(matrix.indptr))
    smaller = replace(
        model,
        objective=model.objective[kept],
        lower=model.lower[kept],
        upper=model.upper[kept],
        integer=model.integer[kept],
        matrix=matrix[rows],
        row_lower=model.row_lower[rows],
        row_upper=model.row_upper[rows],
    )
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    lp = prepared(smaller, _implied(problem, model, columns)[kept])
    return lp, number[columns["x"][:, needed]], number[columns["w"]]


def _implied(problem: SetProblem, model: Milp, columns: Columns) -> Floats:
    """How large any column can be in a best set: a product is at most its weight, an error at most what it corrects."""
    implied, weights = model.upper.copy(), columns["w"].ravel()
    top = model.upper[columns["w"]][:, : columns["x"].shape[1]]
    implied[columns["m"]], implied[columns["p"]] = top, top.max(axis=0)
    tops = np.zeros(len(implied))
    tops[weights] = model.upper[weights]
    answered = len(columns["eps"].ravel()) + columns["eps"].shape[0] * len(problem.pairs.equal)
    errors = (abs(model.matrix[:answered]) @ tops).max(initial=0.0)
    implied[columns["eps"]] = model.upper[columns["mu"]] + errors
    return implied
