"""Bounds from prices, for all sets at once.

Prices that some linear problem has found bound every set of configurations (`local_search.py`), and the bound is a sum
over attributes: what one of them adds depends on the values that the k users have there, their *joint value*. So prices
are kept as tables over joint values, and a region of the tree is bounded by the largest entries that it allows. The
users are interchangeable, so prices hold with the users in any order.

A quantity depends on all attributes. Its weight is at one end of its range wherever the bound is largest, so prices
give a table for each choice of ends, and the largest of their sums is the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, permutations, product

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.strategies.setmargin.problem import Form, SetProblem
from setmargin.strategies.setmargin.relaxation import interchangeable
from setmargin.strategies.setmargin.weights import Prices, WeightFitter

MOST_JOINT_VALUES = 8000
"""Joint values times choices of ends: with more, tables cost more than the linear problems that they save."""
MOST_BOUNDS, MOST_ENTRIES = 4000, 600_000
"""So many bounds are kept, fewer where tables are large; then those go first that have been of least use."""
USED = 50
SAME = 1e-12


def joint_values_if_few(problem: SetProblem) -> JointValues | None:
    """The joint values of a problem, if tables over them are small enough to pay."""
    k, space = problem.size, problem.space
    ends = 2 ** (k * (0 if problem.form is Form.PAPER else len(space.costs)))
    if k == 1 or ends > MOST_JOINT_VALUES:
        return None
    kinds = interchangeable(problem)
    distinct = sum(len(np.unique(kinds[s:e])) ** k for s, e in pairwise(space.offsets))
    if ends * distinct > MOST_JOINT_VALUES:
        return None
    joint = JointValues.of(problem, kinds)
    return joint if ends * len(joint.values) <= MOST_JOINT_VALUES else None


def zero_is_best(problem: SetProblem) -> bool:
    """Whether weights cost so much that none can be worth it: no margin and nothing liked pays for any weight.

    These are the prices 1 / k(k − 1) for each pair of users and none for answers: no feature is then worth its cost.
    """
    bounds = problem.bounds.of_values(problem.space) if problem.form is Form.PAPER else problem.bounds
    if problem.size == 1 or bounds.lower.any():
        return False
    most = np.ones(len(bounds.upper))
    costs = problem.space.costs[: len(most) - int(problem.space.offsets[-1])]
    if len(costs):
        blocks = np.split(costs, problem.space.offsets[1:-1], axis=1)
        most[-len(costs) :] = np.sum([block.max(axis=1) for block in blocks], axis=0)
        if (costs < 0).any():
            return False
    worth = problem.setting.gamma + 1.0 / problem.size
    return bool((worth * most <= problem.setting.beta * bounds.counts).all())


@dataclass(frozen=True, eq=False)
class JointValues:
    """The joint values of k users, attribute after attribute, of those that are the same by symmetry only the first.

    Values of one kind are interchangeable: a user may take the second of them only if an earlier one has the first, and
    so on. Users are interchangeable: in one attribute, the one with most kinds, their values rise; where two have the
    same, they rise in the next, which is for whoever puts sets together to see to. Of all sets that are the same but
    for that, the first in the order of that attribute, the other attributes and the users obeys both.
    """

    size: int
    visible: int
    values: Ints
    """The value of each user (joint values × users), numbered over all attributes."""
    starts: Ints
    """Where each attribute's joint values start, with the total at the end."""
    first: Ints
    """The first value of each attribute."""
    rising: int
    """The attribute in which the users' values rise."""

    @classmethod
    def of(cls, problem: SetProblem, kinds: Ints) -> JointValues:
        """Those that values of these kinds come to."""
        offsets, allowed = problem.space.offsets, problem.feasible.upper > 0.5
        before = _previous_alike(np.where(allowed[: len(kinds)], kinds, -1 - np.arange(len(kinds))))
        rising = int(np.add.reduceat(before < 0, offsets[:-1]).argmax())
        blocks = []
        for a, (start, end) in enumerate(pairwise(offsets)):
            values = start + np.flatnonzero(allowed[start:end])
            found = np.zeros((1, 0), dtype=np.int64)
            for i in range(problem.size):
                longer = np.column_stack([np.repeat(found, len(values), axis=0), np.tile(values, len(found))])
                needed = before[longer[:, i]]
                fine = (needed < 0) | (longer[:, :i] == needed[:, None]).any(axis=1)
                if i and a == rising:
                    fine &= longer[:, i - 1] <= longer[:, i]
                found = longer[fine]
            blocks.append(found)
        starts = np.cumsum([0, *(len(block) for block in blocks)])
        return cls(problem.size, int(offsets[-1]), np.concatenate(blocks), starts, offsets[:-1], rising)

    @property
    def attributes(self) -> int:
        """How many there are."""
        return len(self.first)

    def rows_of(self, joint: Ints) -> Ints:
        """Sets of joint values (sets × attributes) as value indices (sets × users × attributes)."""
        return np.swapaxes(self.values[joint] - self.first[None, :, None], 1, 2)

    def possible(self, allowed: Bools) -> Bools:
        """Which of them a region has, given by the values that each user may take (users × values)."""
        found: Bools = np.logical_and.reduce([allowed[i, self.values[:, i]] for i in range(self.size)])
        return found

    def narrowed(self, allowed: Bools) -> Bools:
        """The values of a region that some joint value of it has."""
        left, fewer = self.values[self.possible(allowed)], np.zeros_like(allowed)
        for i in range(self.size):
            fewer[i, left[:, i]] = True
        return fewer

    def parts(self, order: tuple[int, ...]) -> Ints:
        """Where in (patterns of users × values) what makes up a joint value stands, with the users in some order.

        The pattern of no user adds nothing.
        """
        values, bits = self.values[:, order], 1 << np.arange(self.size)
        found = []
        for i in range(self.size):
            same = values == values[:, i : i + 1]
            pattern = np.where(same[:, :i].any(axis=1), 0, same @ bits)
            found.append(pattern * self.visible + values[:, i])
        return np.stack(found, axis=1)


def _previous_alike(kinds: Ints) -> Ints:
    """For each value the one before it of the same kind, or -1."""
    before = np.full(len(kinds), -1, dtype=np.int64)
    order = np.argsort(kinds, kind="stable")
    alike = kinds[order[1:]] == kinds[order[:-1]]
    before[order[1:][alike]] = order[:-1][alike]
    return before


class PriceBounds:
    """The prices met so far, as tables (bounds × choices of ends × joint values) and what they add to each."""

    def __init__(self, problem: SetProblem, joint: JointValues, fitter: WeightFitter) -> None:
        self.joint = joint
        self._orders = list(permutations(range(joint.size)))
        self._parts = [joint.parts(order) for order in self._orders]
        self._setting, self._fitter = problem.setting, fitter
        self._visible = int(problem.space.offsets[-1])
        self._costs = fitter.basis[:, self._visible :].T
        self._ends = _choices_of_ends(problem.size, fitter.lower[self._visible :], fitter.upper[self._visible :])
        entries = len(self._ends) * len(self.joint.values)
        self._most = max(2 * len(self._orders), min(MOST_BOUNDS, MOST_ENTRIES // entries))
        self._tables = np.zeros((min(16, self._most), len(self._ends), len(self.joint.values)))
        self._fixed = np.zeros(self._tables.shape[:2])
        self._use = np.zeros(len(self._tables))
        self._count = 0
        self.log: list[int] = []
        """Where each bound was put, in the order in which they came."""

    def add(self, prices: Prices) -> None:
        """Prices, with the users in every order."""
        k, fitter, cut = self.joint.size, self._fitter, self._visible
        mix = (self._setting.gamma + prices.apart.sum(axis=1)) * np.eye(k) - prices.apart
        base = prices.pull - self._setting.beta * fitter.counts
        present = (np.arange(2**k)[:, None] >> np.arange(k) & 1).astype(np.float64)
        c = base[None, :, :cut] + (present @ mix.T)[:, :, None]  # patterns × users × values
        worth = np.maximum(c * fitter.upper[:cut], c * fitter.lower[:cut]).sum(axis=1)
        parts = (worth - worth[0]).ravel()
        fixed = np.full(len(self._ends), prices.spare * fitter.largest + worth[0].sum())
        fixed += (self._ends * base[None, :, cut:]).sum(axis=(1, 2))
        slopes = np.einsum("ciq,ij->cjq", self._ends, mix) @ self._costs  # choices × users × values
        differing = bool(np.ptp(prices.pull, axis=0).max(initial=0.0) > SAME or np.ptp(prices.apart) > SAME)
        for number, order in enumerate(self._orders if differing else self._orders[:1]):
            place = self._free_place()
            self._tables[place] = parts[self._parts[number]].sum(axis=1)
            if len(self._costs):
                for j, user in enumerate(order):
                    self._tables[place] += slopes[:, j, self.joint.values[:, user]]
            self._fixed[place] = fixed
            self._use[place] = self._use[: self._count].mean()
            self.log.append(place)

    def _free_place(self) -> int:
        if self._count < len(self._tables):
            self._count += 1
        elif self._count < self._most:
            more = min(len(self._tables), self._most - len(self._tables))
            self._tables = np.concatenate([self._tables, np.zeros((more, *self._tables.shape[1:]))])
            self._fixed = np.concatenate([self._fixed, np.zeros((more, self._fixed.shape[1]))])
            self._use = np.concatenate([self._use, np.zeros(more)])
            self._count += 1
        else:
            self._use *= 0.99
            return int(self._use.argmin())
        return self._count - 1

    def of_region(self, possible: Bools) -> Floats:
        """What each bound leaves a region, given by its joint values."""
        left = np.flatnonzero(possible)
        starts = np.searchsorted(left, self.joint.starts)
        if (starts[1:] == starts[:-1]).any():
            return np.full(self._count, -np.inf)
        tables = self._tables[: self._count].take(left, axis=2)
        best = np.maximum.reduceat(tables, starts[:-1], axis=2).sum(axis=2)
        bounds: Floats = (best + self._fixed[: self._count]).max(axis=1)
        return bounds

    def of_sets(self, which: Ints, joint: Ints) -> Floats:
        """What some of the bounds leave each set (sets × attributes, as joint values)."""
        sums = self._fixed[which][:, :, None] + self._tables[which][:, :, joint].sum(axis=3)
        bounds: Floats = sums.max(axis=1).min(axis=0)
        return bounds

    def strongest(self, bounds: Floats) -> Ints:
        """All bounds by what they leave a region, the strongest first; the first ones count as used."""
        order = np.argsort(bounds, kind="stable")
        self._use[order[:USED]] += 1.0
        return order

    def tables(self, which: Ints) -> tuple[Floats, Floats]:
        """The tables of some bounds, and what is added to each."""
        return self._tables[which], self._fixed[which]


def _choices_of_ends(size: int, lower: Floats, upper: Floats) -> Floats:
    """All choices of lower and upper ends (choices × users × quantities)."""
    choices = np.array([*product((0, 1), repeat=size * len(lower))], dtype=np.int64)
    ends: Floats = np.where(choices.reshape(len(choices), size, len(lower)), upper, lower)
    return ends
