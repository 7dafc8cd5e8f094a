"""Why nothing can be built: a smallest set of rules that cannot hold together.

Smallest by number, not only irreducible: the least set that hits every known way out is tried until one is really
impossible (implicit hitting sets). Where that takes too long, an irreducible set is given instead; and where even that
does, a set that is known to be impossible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from setmargin.arrays import Bools, Ints
from setmargin.errors import InfeasibleSpace, ModelInfeasible, NoSolutionInTime
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import DiagramLimits, TooLarge
from setmargin.solve.lowering import Lowered, combined, lower_each
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, assemble, rows, total
from setmargin.space.formula import holds
from setmargin.space.rules import Rule
from setmargin.space.space import Space
from setmargin.time_limit import check_time, time_limit

SECONDS: Final = 1.5
"""For each of the two ways; people wait for it."""
MOST_SHOWN: Final = 20
"""Rules that a message names."""
# Each set of rules is looked at once, so a diagram that does not come easily does not pay.
QUICK: Final = DiagramLimits(arcs=100_000, sketch_arcs=100_000, tries=1, failures=1, row_arcs=50_000, labels=50_000)


def infeasible(space: Space, *, must: Sequence[Rule] = ()) -> InfeasibleSpace:
    """The error that names what cannot hold together: among the must-haves if they are to blame, else the rules."""
    conflict = smallest_conflict(space, hard=space.rules, soft=must)
    conflict = conflict or smallest_conflict(space, hard=(), soft=space.rules)
    texts = [rule.text for rule in conflict]
    cure = {1: "drop or change it", 2: "drop one of the two"}.get(len(texts), "drop one of them")
    shown = texts if len(texts) <= MOST_SHOWN else [*texts[:MOST_SHOWN], f"{len(texts) - MOST_SHOWN} more rules"]
    return InfeasibleSpace(f"nothing satisfies {' together with '.join(shown)}; {cure}", conflict=texts)


def smallest_conflict(
    space: Space, *, hard: Sequence[Rule], soft: Sequence[Rule], seconds: float = SECONDS, more: float = SECONDS
) -> tuple[Rule, ...]:
    """A smallest set of soft rules that cannot hold beside the hard ones.

    Not always the smallest after `seconds`, but irreducible; and as small as it is by then after so many `more`.
    """
    rules = _SoftRules(space, hard, soft)
    with suppress(NoSolutionInTime), time_limit(seconds):
        return tuple(soft[number] for number in sorted(_smallest(rules)))
    with time_limit(more):
        return tuple(soft[number] for number in sorted(rules.reduced()))


def _smallest(rules: _SoftRules) -> frozenset[int]:
    """The least set that hits every known way out, again and again, until one is impossible."""
    ways_out: list[frozenset[int]] = []
    while True:
        check_time()
        tried = _least_hitting_set(ways_out, len(rules.soft))
        kept = rules.grown(tried)
        if kept is None:
            return tried
        if len(kept) == len(rules.soft):
            raise ValueError("these rules do not conflict")
        ways_out.append(rules.all - kept)


def _least_hitting_set(sets: Sequence[frozenset[int]], size: int) -> frozenset[int]:
    if not sets:
        return frozenset()
    columns = Columns()
    take = columns.add("take", size, upper=1.0, objective=1.0, integer=True)
    hit = [rows(total(take[np.array(sorted(one_of))]), lower=1.0) for one_of in sets]
    values = Highs().solve(assemble(columns, hit)).values
    return frozenset(np.flatnonzero(values > 0.5).tolist())


@dataclass(frozen=True)
class _SoftRules:
    """Which of the soft rules, by their numbers, can hold beside the hard ones."""

    space: Space
    hard: Sequence[Rule]
    soft: Sequence[Rule]

    @property
    def all(self) -> frozenset[int]:
        return frozenset(range(len(self.soft)))

    def grown(self, kept: frozenset[int]) -> frozenset[int] | None:
        """As many as can hold beside those kept; None if not even those kept can."""
        held = self._held(kept)
        if held is None:
            return None
        for number in range(len(self.soft)):
            if number not in held:
                held = self._held(held | {number}) or held
        return held

    def reduced(self) -> frozenset[int]:
        """Drop one after the other as long as the rest still conflicts and there is time."""
        needed = self.all
        with suppress(NoSolutionInTime):
            for number in sorted(needed):
                if self._held(needed - {number}) is None:
                    needed -= {number}
        return needed

    def _held(self, kept: Iterable[int]) -> frozenset[int] | None:
        """All that hold in some configuration in which those kept do; None if there is none."""
        if self.space.items is not None:
            return self._held_by_an_item(kept)
        chosen = [self._lowered[number] for number in (*kept, *range(len(self.soft), len(self._lowered)))]
        found = _example(combined(chosen, self.space.domains))
        if found is None:
            return None
        return frozenset(number for number, rule in enumerate(self.soft) if holds(rule.formula, found)[0])

    def _held_by_an_item(self, kept: Iterable[int]) -> frozenset[int] | None:
        check_time()
        soft, hard = self._by_item
        good = np.flatnonzero(hard & np.logical_and.reduce([soft[number] for number in kept], initial=True))
        if not len(good):
            return None
        return frozenset(np.flatnonzero(soft[:, good[0]]).tolist())

    @cached_property
    def _by_item(self) -> tuple[Bools, Bools]:
        """Which soft rules hold for which items of a product list, and for which ones all hard ones do."""
        items = self.space.listing.rows
        soft = np.array([holds(rule.formula, items) for rule in self.soft]).reshape(len(self.soft), len(items))
        hard = [holds(rule.formula, items) for rule in self.hard]
        return soft, np.logical_and.reduce([np.ones(len(items), dtype=bool), *hard])

    @cached_property
    def _lowered(self) -> tuple[Lowered, ...]:
        """The soft rules, then the hard ones."""
        return lower_each(self.space.domains, [rule.formula for rule in (*self.soft, *self.hard)])


def _example(lowered: Lowered) -> Ints | None:
    """Some configuration as one row, or None."""
    indifferent = np.zeros((1, sum(lowered.domains)))
    with suppress(ModelInfeasible):
        try:
            return DiagramEngine(lowered, limits=QUICK).best(indifferent)
        except TooLarge:
            return MilpEngine(lowered).best(indifferent)
    return None
