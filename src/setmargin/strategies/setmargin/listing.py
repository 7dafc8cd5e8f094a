"""A region of the tree, listed instead of branched on: the sets that the bounds leave are few, and each is tried.

Sets are put together attribute by attribute, and what some bound (`price_bounds.py`) leaves no better than what is held
is dropped on the way. The best of the listed sets is then solved; its prices rule out most of the others, so a few
dozen linear problems do where thousands of sets are possible. Where a region is too large, only the most promising
beginnings go on: what they lead to brings prices that the next attempt, or the tree, begins with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.local_search import WorkBudget
from setmargin.strategies.setmargin.price_bounds import PriceBounds

LEAST_WIDTH, MOST_WIDTH = 30, 300
WIDTH_FOR_PAIRS, WIDTH_FOR_MORE = 24_000, 80_000
"""How many beginnings go on: these by the number of joint values; more for three users, whose relaxation is weaker."""
FEW, MANY = 8, 200
"""So many of the strongest bounds judge every beginning with every next value, and so many what is left then."""
ENTRIES, OVER = 1_000_000, 16
"""Of what the few leave, so much is judged by the many: beginnings times bounds, and beginnings in widths."""
NARROW, SEEKING = 4, 8
"""By how much narrower lists are that are to find something better, and how often they are made at most."""
TRIES = 6
"""Sets that are solved before a region that could not be listed whole is listed again."""
PAYS, WORTH_TRYING = 3, 12
"""Those of one that was are all tried as long as each rules out so many more, or few are left anyway."""
AT_ONCE = 5000
"""Sets times bounds that are worked out together."""


@dataclass(frozen=True, eq=False)
class ListedSets:
    """Sets as joint values, what each is worth at most, and what is worth no more than `rest` and not listed."""

    joint: Ints
    bounds: Floats
    rest: float = -np.inf

    def kept(self, which: Bools) -> ListedSets:
        """Some of them."""
        return ListedSets(self.joint[which], self.bounds[which], self.rest)


class Lister:
    """Lists regions and settles them. `attempt` solves a set and says what the best so far is worth."""

    def __init__(self, bounds: PriceBounds, oracle: Oracle, attempt: Callable[[Ints], float]) -> None:
        self.bounds, self._oracle, self._attempt = bounds, oracle, attempt
        self._joint = bounds.joint
        first, second = self._joint.values[:, :-1], self._joint.values[:, 1:]
        self._larger, self._equal = first > second, first == second
        self._order: list[int] = []
        self._related, self._related_only = _related(oracle)

    def rules_out(self, allowed: Bools, goal: float) -> bool:
        """Whether some bound leaves a region nothing that is worth more than the goal."""
        return bool(self.bounds.of_region(self._joint.possible(allowed)).min(initial=np.inf) <= goal)

    @property
    def values(self) -> int:
        """How many joint values there are."""
        return len(self._joint.values)

    @property
    def usual_width(self) -> int:
        """So many beginnings that listing them takes about as long everywhere."""
        times = WIDTH_FOR_PAIRS if self._joint.size == 2 else WIDTH_FOR_MORE
        return min(max(LEAST_WIDTH, times // self.values), MOST_WIDTH)

    def seek(self, allowed: Bools, *, goal: Callable[[], float], effort: WorkBudget, enough: float = np.inf) -> float:
        """List a large region narrowly as long as that finds something better, then once as wide as usual."""
        widths = [max(LEAST_WIDTH, self.usual_width // NARROW)] * SEEKING
        bound = np.inf
        while widths and bound > goal() and not effort.is_over and goal() <= enough:
            before = goal()
            bound = min(bound, self.settle(allowed, goal=goal, effort=effort, width=widths.pop(), enough=enough))
            if widths and goal() == before:
                widths = [self.usual_width]
        return bound

    def settle(
        self, allowed: Bools, *, goal: Callable[[], float], effort: WorkBudget, width: int, enough: float = np.inf
    ) -> float:
        """Try sets of a region that may be worth more than the goal; what is left is worth no more than is returned."""
        listed = self._listed(self._joint.possible(allowed), goal(), width)
        pays = True
        while pays and len(listed.bounds):
            before = len(listed.bounds)
            for _ in range(TRIES):
                if not len(listed.bounds) or effort.is_over or goal() > enough:
                    break
                effort.fits -= 1
                listed = self._without_best(listed, goal)
            is_whole = listed.rest <= goal()
            pays = is_whole and len(listed.bounds) <= max(before - PAYS * TRIES, WORTH_TRYING)
            pays &= not effort.is_over and goal() <= enough
        return max(listed.rest, float(listed.bounds.max(initial=-np.inf)))

    def _without_best(self, listed: ListedSets, goal: Callable[[], float]) -> ListedSets:
        """What is left once the most promising set was solved."""
        best, mark = int(listed.bounds.argmax()), len(self.bounds.log)
        self._attempt(self._joint.rows_of(listed.joint[best][None])[0])
        left = listed.bounds > goal()
        left[best] = False
        return self._tightened(listed.kept(left), np.array(self.bounds.log[mark:], dtype=np.int64), goal())

    def _listed(self, possible: Bools, goal: float, width: int) -> ListedSets:
        """The sets of a region that no bound rules out, from the `width` best beginnings at each attribute."""
        joint, nothing = self._joint, ListedSets(np.zeros((0, self._joint.attributes), dtype=np.int64), np.zeros(0))
        of_region = self.bounds.of_region(possible)
        if of_region.min(initial=np.inf) <= goal:
            return nothing
        strongest = self.bounds.strongest(of_region)
        tables, fixed = self.bounds.tables(strongest[:MANY])
        here = [start + np.flatnonzero(possible[start:end]) for start, end in pairwise(joint.starts)]
        parts = [tables[:, :, each] for each in here]
        tops = [part.max(axis=2) for part in parts]
        order = self._order or self._order_by(
            [(t[0] - p[0].mean(axis=1)).max() for t, p in zip(tops, parts, strict=True)]
        )
        begun = _Beginnings(
            chosen=np.zeros((1, joint.attributes), dtype=np.int64),
            sums=(fixed + np.sum(tops, axis=0))[None],
            bounds=of_region.min(keepdims=True),
            tied=np.ones((1, joint.size - 1), dtype=bool),
        )
        for step, a in enumerate(order):
            begun.keep_best(width)
            gain = parts[a] - tops[a][:, :, None]  # bounds × choices × joint values
            begun = self._continued(
                begun, a, order[:step], here[a], gain, goal, max(width, min(ENTRIES // fixed.size, OVER * width))
            )
            if not len(begun.chosen):
                break
        listed = ListedSets(begun.chosen, begun.bounds, begun.rest)
        listed = listed if self._related_only else listed.kept(self._buildable(listed.joint))
        return self._tightened(listed, strongest[MANY:], goal)

    def _order_by(self, spread: Sequence[float]) -> list[int]:
        """How attributes are put together from now on: first the one in which users rise, then by what they decide."""
        rising = self._joint.rising
        self._order = sorted(range(len(spread)), key=lambda a: (a != rising, -spread[a]))
        return self._order

    def _continued(
        self, begun: _Beginnings, a: int, before: Sequence[int], here: Ints, gain: Floats, goal: float, most: int
    ) -> _Beginnings:
        """All beginnings with all joint values of one more attribute that are buildable and not ruled out."""
        first = (begun.sums[:, 0, :, None] + gain[0]).max(axis=1)
        place, value = np.nonzero(first > goal)
        quick = first[place, value]
        few = slice(1, FEW)
        others = (begun.sums[place, few] + gain[few, :, value].transpose(2, 0, 1)).max(axis=2)
        quick = np.minimum(quick, others.min(axis=1, initial=np.inf))
        joint = here[value]
        fine = (quick > goal) & ~(begun.tied[place] & self._larger[joint]).any(axis=1)
        for other, matrix in self._related[a]:
            if other in before:
                own = self._joint.values[joint[fine]] - self._joint.first[a]
                theirs = self._joint.values[begun.chosen[place[fine], other]] - self._joint.first[other]
                fine[fine] = matrix[own, theirs].all(axis=1)
        place, value, quick, rest = place[fine], value[fine], quick[fine], begun.rest
        if len(place) > most:
            order = np.argpartition(-quick, most)
            rest = max(rest, float(quick[order[most:]].max()))
            place, value = place[order[:most]], value[order[:most]]
        sums = begun.sums[place] + gain[:, :, value].transpose(2, 0, 1)
        bounds = sums.max(axis=2).min(axis=1)
        left = bounds > goal
        place, joint = place[left], here[value[left]]
        chosen = begun.chosen[place]
        chosen[:, a] = joint
        return _Beginnings(chosen, sums[left], bounds[left], begun.tied[place] & self._equal[joint], rest)

    def _buildable(self, joint: Ints) -> Bools:
        rows = self._joint.rows_of(joint)
        fits = self._oracle.space.feasible(rows.reshape(-1, self._joint.attributes))
        whole: Bools = np.logical_and.reduce(fits.reshape(len(rows), self._joint.size), axis=1)
        return whole

    def _tightened(self, listed: ListedSets, which: Ints, goal: float) -> ListedSets:
        """What some more bounds leave of listed sets."""
        while len(listed.bounds) and len(which):
            some = max(1, AT_ONCE // len(listed.bounds))
            bounds = np.minimum(listed.bounds, self.bounds.of_sets(which[:some], listed.joint))
            listed = ListedSets(listed.joint, bounds, listed.rest).kept(bounds > goal)
            which = which[some:]
        return listed


@dataclass
class _Beginnings:
    """Sets in the making: chosen joint values, sums under each bound and choice of ends, the least of them, and whether
    neighbouring users have the same values so far."""

    chosen: Ints
    sums: Floats
    bounds: Floats
    tied: Bools
    rest: float = -np.inf

    def keep_best(self, width: int) -> None:
        if len(self.chosen) > width:
            order = np.argpartition(-self.bounds, width)
            self.rest = max(self.rest, float(self.bounds[order[width:]].max()))
            kept = order[:width]
            self.chosen, self.sums = self.chosen[kept], self.sums[kept]
            self.bounds, self.tied = self.bounds[kept], self.tied[kept]


def _related(oracle: Oracle) -> tuple[list[list[tuple[int, Bools]]], bool]:
    """For each attribute the others that rules of two tie it to, and which values go together; whether that is all."""
    lowered, visible = oracle.lowered, len(oracle.space.domains)
    found: dict[tuple[int, int], Bools] = {}
    only = not lowered.rows and not lowered.boxes
    for relation in lowered.relations:
        if len(relation.scope) != 2 or max(relation.scope) >= visible:
            only = False
            continue
        one, other = relation.scope
        matrix = np.full((lowered.domains[one], lowered.domains[other]), not relation.allow)
        matrix[relation.rows[:, 0], relation.rows[:, 1]] = relation.allow
        found[one, other] = found.get((one, other), np.ones_like(matrix)) & matrix
    related: list[list[tuple[int, Bools]]] = [[] for _ in range(visible)]
    for (one, other), matrix in found.items():
        related[one].append((other, matrix))
        related[other].append((one, matrix.T))
    return related, only
