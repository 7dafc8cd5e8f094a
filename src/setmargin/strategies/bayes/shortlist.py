"""Good configurations that stand for a space in which finding the best one takes a model each time.

Questions are compared by thousands of best configurations. Where the space has no diagram, the best of a list serve
instead: what some people would take, and what differs from that in one attribute and is better for somebody. Everything
on it can be built; what is recommended in the end is the best of the space all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Space
from setmargin.time_limit import check_time

ASKED: Final = 16
"""For so many people a model finds a good configuration; each takes some hundredths of a second."""
ROUNDS: Final = 4
"""How often the list is extended by what is one attribute away from everybody's best on it."""
CHANGES: Final = 6
"""How many such changes are tried for each person."""
_CELLS: Final = 1 << 22


@dataclass(frozen=True, eq=False)
class Shortlist:
    """Configurations of a space, best ones of which are found at once."""

    space: Space
    configurations: Ints

    @staticmethod
    def of(oracle: Oracle, value_weights: Floats) -> Shortlist:
        """Good configurations for people with these weights (people × one-hot values)."""
        space = oracle.space
        known = np.unique(oracle.good_for_values(value_weights[:ASKED]), axis=0)
        for _ in range(ROUNDS):
            check_time()
            taken = Shortlist(space, known).best_for_values(value_weights)
            better = _better_nearby(space, taken, value_weights)
            known = np.unique(np.concatenate([known, better[space.feasible(better)]]), axis=0)
        return Shortlist(space, known)

    @cached_property
    def _onehot(self) -> Floats:
        return self.space.onehot(self.configurations)

    def best_for_values(self, value_weights: Floats) -> Ints:
        """The best on the list for each row of weights."""
        step = max(1, _CELLS // len(self.configurations))
        rows = range(0, len(value_weights), step)
        places = [(value_weights[row : row + step] @ self._onehot.T).argmax(axis=1) for row in rows]
        found: Ints = self.configurations[np.concatenate([np.zeros(0, dtype=np.int64), *places])]
        return found

    def ranked_for_values(self, value_weights: Floats) -> Iterator[Ints]:
        """The whole list, best first."""
        return iter(self.configurations[np.argsort(-(self._onehot @ value_weights), kind="stable")])


def _better_nearby(space: Space, configurations: Ints, value_weights: Floats) -> Ints:
    """For each person the changes of one attribute of their configuration that they would gain most by."""
    people = np.arange(len(configurations))[:, None]
    now = value_weights[people, configurations + space.offsets[:-1]]
    gains = value_weights - np.repeat(now, space.domains, axis=1)
    places = np.argsort(-gains, axis=1, kind="stable")[:, :CHANGES]
    owners, columns = np.nonzero(gains[people, places] > 0)
    values = places[owners, columns]
    attributes = np.searchsorted(space.offsets, values, side="right") - 1
    nearby = configurations[owners]
    nearby[np.arange(len(nearby)), attributes] = values - space.offsets[attributes]
    return nearby
