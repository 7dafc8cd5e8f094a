"""Branch and bound over sets of configurations, on the relaxation of `relaxation.py`.

A node is which values each x^i may still take. Where the relaxation shares an attribute between several values, its
children give it one value each, so the one-hot groups never appear as single bits. What keeps the tree small:
- users are interchangeable: among those with the same node, the one that is given a value has the smallest;
- values that no answer and no rule tells apart are interchangeable too: one of them stands for all;
- reduced costs bound a child before it is solved, and the dual simplex method stops below what is already held;
- it branches where the children are expected to leave least to do, by what earlier branchings did to the bound;
- what known prices rule out is not solved, and small regions are listed instead of branched on (`listing.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import NoSolutionInTime
from setmargin.solve.milp.model import Limits
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.listing import Lister
from setmargin.strategies.setmargin.local_search import WorkBudget
from setmargin.strategies.setmargin.relaxation import Relaxation, Relaxed
from setmargin.strategies.setmargin.weights import Prices

WHOLE = 1e-7
LEAST_GAP, LEAST_DIFFERENCE = 1e-6, 1e-8
"""What is nearer than this, relative or absolute, counts as equal."""
DOUBLINGS = 8.0
"""A child that closes no part of the gap is expected to need 2^8 nodes, one that closes all of it a single one."""

JUMP = 4
"""Every so many nodes the one with the largest bound is next."""
GUESSES = 1
"""Guess at nodes whose number has at most so many bits set: 1, 2, 4, 8, …"""

WIDTH = 2
"""How wide lists of nodes are, in usual widths."""
LARGER, SMALLER = 2.0, 0.4
"""By this logarithm larger regions are tried after one that was listed, and smaller ones after one that was not."""

Accept = Callable[[Ints, float], float]
Guess = Callable[[Ints], float]


def tolerance(value: float, gap: float) -> float:
    """How much better than `value` something has to be to count, if a relative gap is good enough."""
    return max(max(gap, LEAST_GAP) * abs(value), LEAST_DIFFERENCE)


@dataclass(frozen=True, eq=False)
class Node:
    """What is still allowed, a bound for it, and the value that was given last: its share and the bound before."""

    bound: float
    allowed: Bools
    value: int = -1
    share: float = 1.0
    before: float = np.inf

    @property
    def is_root(self) -> bool:
        """Whether nothing was given yet."""
        return self.value < 0


class Tree:
    """One tree. `accept` is told of every set found, with its bound, and says what it is worth.

    `guess` is told of sets near to what the relaxation shares, the less often the larger the tree, and says the same;
    `learn` of the prices of every relaxation. With a `lister`, regions that are small enough are listed.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        oracle: Oracle,
        *,
        kinds: Callable[[], Ints],
        floor: float,
        gap: float,
        enough: float,
        accept: Accept,
        guess: Guess | None = None,
        learn: Callable[[Prices], None] | None = None,
        lister: Lister | None = None,
    ) -> None:
        self._relaxation, self._oracle, self._kinds = relaxation, oracle, kinds
        self._accept, self._guess, self._gap, self._enough, self.floor = accept, guess, gap, enough, floor
        self._learn_prices, self._lister = learn, lister
        self._listable = np.inf
        self._solved = self._taken = 0
        self._starts = oracle.space.offsets[:-1]
        self._widths = np.diff(oracle.space.offsets)
        self._lost, self._tried = np.zeros((2, int(oracle.space.offsets[-1])))
        self._waiting = [Node(np.inf, relaxation.allowed)]

    @property
    def goal(self) -> float:
        """Nothing up to here is worth a node."""
        return self.floor + tolerance(self.floor, self._gap)

    def grow(self, effort: WorkBudget) -> float:
        """Grow until nothing better can be left, enough was found or the effort is spent; returns the proven bound.

        A gap that is good enough may hide something as much better, so it belongs to the bound.
        Depth first, and every now and then on where the bound is largest. It can be called again to go on.
        """
        while (node := self._next()) is not None:
            if node.bound <= self.goal:
                continue
            node = self._narrowed(node)
            if self._is_settled(node, effort):
                continue
            relaxed = self._solve(node, effort)
            if relaxed is _UNKNOWN:
                self._waiting.append(node)
                return max(each.bound for each in self._waiting)
            self._learn(node, relaxed)
            if relaxed is None or self._is_done(node, relaxed):
                continue
            if node.is_root and self._is_listed(node, effort):
                continue
            self._waiting += self._children(node, relaxed)
        return self.floor + self._gap * abs(self.floor)

    def _next(self) -> Node | None:
        """Mostly the latest, which is near and quickly solved; now and then the one of the largest bound."""
        waiting = self._waiting
        if not waiting:
            return None
        self._taken += 1
        if self._taken % JUMP:
            return waiting.pop()
        return waiting.pop(max(range(len(waiting)), key=lambda place: waiting[place].bound))

    def _narrowed(self, node: Node) -> Node:
        """Without values that are left only in sets that stand for no others."""
        if self._lister is None:
            return node
        return replace(node, allowed=self._lister.bounds.joint.narrowed(node.allowed))

    def _is_settled(self, node: Node, effort: WorkBudget) -> bool:
        """Whether known prices leave nothing better in a region, or it was small enough to be listed."""
        if self._lister is None or node.is_root:
            return False
        size = float(np.log(np.maximum(self._choices(node), 1)).sum())
        if size > self._listable:
            return self._lister.rules_out(node.allowed, self.goal)
        is_listed = self._is_listed(node, effort)
        self._listable = max(self._listable, size + LARGER) if is_listed else size - SMALLER
        return is_listed

    def _is_listed(self, node: Node, effort: WorkBudget) -> bool:
        if self._lister is None:
            return False
        if node.is_root:
            bound = self._lister.seek(node.allowed, goal=lambda: self.goal, effort=effort, enough=self._enough)
        else:
            width = WIDTH * self._lister.usual_width
            bound = self._lister.settle(
                node.allowed, goal=lambda: self.goal, effort=effort, width=width, enough=self._enough
            )
        return bound <= self.goal

    def _is_over(self, effort: WorkBudget) -> bool:
        return effort.is_over or self.floor >= self._enough

    def _solve(self, node: Node, effort: WorkBudget) -> Relaxed | None:
        if self._is_over(effort):
            return _UNKNOWN
        effort.fits -= 1
        limits = Limits(seconds=effort.seconds_left)
        try:
            relaxed = self._relaxation.solve(node.allowed, floor=self.goal, limits=limits)
        except NoSolutionInTime:
            return _UNKNOWN
        if relaxed is not None and self._learn_prices is not None:
            self._learn_prices(relaxed.prices)
        return relaxed

    def _learn(self, node: Node, relaxed: Relaxed | None) -> None:
        """How much of the bound giving this value cost, per share that it took from the others."""
        if node.value >= 0:
            now = self.floor if relaxed is None else max(relaxed.bound, self.floor)
            self._lost[node.value] += max(node.before - now, 0.0) / max(1.0 - node.share, 0.05)
            self._tried[node.value] += 1

    def _is_done(self, node: Node, relaxed: Relaxed) -> bool:
        """Whether nothing is left to branch for: the shares are whole, or nothing below can be better."""
        if self._is_whole(node, relaxed):
            return True
        self._try(relaxed)
        return relaxed.bound <= self.goal

    def _is_whole(self, node: Node, relaxed: Relaxed) -> bool:
        """Whether every attribute has one value: these make configurations, which are accepted, or cannot make any."""
        shares = relaxed.shares
        if np.maximum.reduceat(shares, self._starts, axis=1).min() > 1.0 - WHOLE:
            rows = np.stack([block.argmax(axis=1) for block in np.split(shares, self._starts[1:], axis=1)], axis=1)
            if self._oracle.space.feasible(rows).all():
                self.floor = max(self.floor, self._accept(rows, relaxed.bound))
                return True
        return bool((self._choices(node) <= 1).all())

    def _try(self, relaxed: Relaxed) -> None:
        self._solved += 1
        if self._guess is not None and self._solved.bit_count() <= GUESSES:
            self.floor = max(self.floor, self._guess(self._oracle.best_for_values(relaxed.shares)))

    def _choices(self, node: Node) -> Ints:
        return np.add.reduceat(node.allowed, self._starts, axis=1, dtype=np.int64)

    def _children(self, node: Node, relaxed: Relaxed) -> list[Node]:
        """One for each value of the chosen attribute, the most promising last."""
        losses = self._losses(node, relaxed)
        user, attribute = self._branch(node, relaxed, losses)
        values = [int(v) for v in self._distinct(node, user, attribute) if relaxed.bound - losses[user, v] > self.goal]
        values.sort(key=lambda v: (-losses[user, v], relaxed.shares[user, v]))
        alike = self._alike(node, user)
        start, end = self._starts[attribute], self._starts[attribute] + self._widths[attribute]
        children = []
        possible = node.allowed & (relaxed.bound - losses > self.goal)
        for value in values:
            allowed = possible.copy()
            allowed[user, start:end] = False
            allowed[user, value] = True
            allowed[alike, start:value] = False
            share, bound = float(relaxed.shares[user, value]), float(relaxed.bound - losses[user, value])
            children.append(Node(bound, allowed, value, share, relaxed.bound))
        return children

    def _losses(self, node: Node, relaxed: Relaxed) -> Floats:
        """By how much the bound falls at least if a user is given a value, from the reduced costs."""
        kept = np.where(node.allowed, relaxed.gains, 0.0)
        best = np.add.reduceat(np.maximum(kept, 0.0), self._starts, axis=1)
        losses: Floats = np.repeat(best, self._widths, axis=1) - kept
        return np.maximum(losses, 0.0)

    def _branch(self, node: Node, relaxed: Relaxed, losses: Floats) -> tuple[int, int]:
        """The user and the attribute whose children are expected to be the least work together."""
        usual = (self._lost + (self._lost.sum() + 1e-9) / (self._tried.sum() + 1)) / (self._tried + 1)
        expected = np.maximum(losses, (1.0 - relaxed.shares) * usual) / (relaxed.bound - self.floor)
        work = np.where(node.allowed, np.exp2(DOUBLINGS * (1.0 - np.minimum(expected, 1.0))), 0.0)
        summed = np.where(self._choices(node) > 1, np.add.reduceat(work, self._starts, axis=1), np.inf)
        user, attribute = np.unravel_index(int(summed.argmin()), summed.shape)
        return int(user), int(attribute)

    def _alike(self, node: Node, user: int) -> list[int]:
        """Other users with the same choices; where joint values are known, those leave out what is the same already."""
        if self._lister is not None:
            return []
        return [j for j in range(len(node.allowed)) if j != user and (node.allowed[j] == node.allowed[user]).all()]

    def _distinct(self, node: Node, user: int, attribute: int) -> Iterator[int]:
        """The allowed values, one of each kind: of values that no user can tell apart, the first stands for all."""
        if self._lister is not None:
            start = self._starts[attribute]
            yield from start + np.flatnonzero(node.allowed[user, start : start + self._widths[attribute]])
            return
        start, seen, kinds = self._starts[attribute], set(), self._kinds()
        for value in start + np.flatnonzero(node.allowed[user, start : start + self._widths[attribute]]):
            kind = (int(kinds[value]), node.allowed[:, value].tobytes())
            if kind not in seen:
                seen.add(kind)
                yield int(value)


_UNKNOWN = Relaxed(np.inf, np.zeros((0, 0)), np.zeros((0, 0)), Prices(np.zeros((0, 0)), np.zeros((0, 0)), 0.0))
"""Time ran out before the relaxation was solved."""
