"""The engine of product lists: it looks at every item.

What an item is worth is a sum over its attributes. Attributes of few values are taken together in *groups*, of which
few combinations occur in the list, so that a look at an item adds one number for each group instead of one for each
attribute. A batch of weights is looked up together, items in portions that fit into the processor's memory. Sums are
made in one order, whatever the machine, and of equally good items the one that stands first in the list is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Final

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.diagram.layers import checked_weights
from setmargin.solve.relations import distinct_keys
from setmargin.time_limit import check_time

COMBINATIONS: Final = 1_000
"""Attributes are grouped up to so many combinations of their values."""
PORTION: Final = 1_024
"""So many items are looked at together."""
BATCH: Final = 256
"""For so many weight vectors at a time."""
QUICK: Final = 20_000
"""With so many items, looks by the hundred are nothing to worry about."""


@dataclass(frozen=True, eq=False)
class AttributesTogether:
    """Attributes that are looked up together: the one-hot columns of their combinations, and each item's one."""

    columns: Ints
    which: Ints

    def worth(self, weights: Floats) -> Floats:
        """Of each combination, for each row of weights: combinations × weights."""
        total: Floats = weights[:, self.columns[:, 0]]
        for column in self.columns.T[1:]:
            total += weights[:, column]
        return np.ascontiguousarray(total.T)


class ItemsEngine:
    """Exact answers about a list of configurations, each once, by looking at all of them.

    Parameters:
        domains: how many values each attribute has.
        rows: configurations as value indices.

    Raises:
        ModelInfeasible: if there are none.
    """

    def __init__(self, domains: Sequence[int], rows: Ints) -> None:
        if not len(rows):
            raise ModelInfeasible("no item is left; relax one of the rules")
        started = perf_counter()
        self.domains, self.rows = tuple(domains), rows
        self._offsets = np.concatenate([[0], np.cumsum(self.domains)]).astype(np.int64)
        self._groups = [self._group(attributes) for attributes in self._grouped()]
        self.compile_seconds = perf_counter() - started

    @property
    def name(self) -> str:
        return f"list of {len(self.rows):,} item{'s' * (len(self.rows) != 1)}"

    @property
    def is_quick(self) -> bool:
        """Whether looks by the hundred are nothing to worry about."""
        return len(self.rows) <= QUICK

    def _grouped(self) -> Iterator[list[int]]:
        """The attributes in groups with few combinations, those of many values first."""
        group: list[int] = []
        size = 1
        for attribute in np.argsort([-domain for domain in self.domains], kind="stable").tolist():
            if group and size * self.domains[attribute] > COMBINATIONS:
                yield group
                group, size = [], 1
            group.append(attribute)
            size *= self.domains[attribute]
        yield group

    def _group(self, attributes: list[int]) -> AttributesTogether:
        keys, size = np.zeros(len(self.rows), dtype=np.int64), 1
        for attribute in attributes:
            keys = keys * self.domains[attribute] + self.rows[:, attribute]
            size *= self.domains[attribute]
        first, which = distinct_keys(keys, size)
        return AttributesTogether(self.rows[first][:, attributes] + self._offsets[attributes], which)

    # What is best

    def best(self, weights: Floats) -> Ints:
        """The best item for each row of weights (B × one-hot values), as B × attributes value indices."""
        checked = self._checked(weights)
        found = np.zeros(len(checked), dtype=np.int64)
        for start in range(0, len(checked), BATCH):
            batch = checked[start : start + BATCH]
            most = np.full(len(batch), -np.inf)
            for first, worth in self._portions(batch):
                place = worth.argmax(axis=0)
                here = worth[place, np.arange(len(batch))]
                better = here > most
                found[start : start + BATCH][better] = first + place[better]
                most[better] = here[better]
        return self.rows[found].astype(np.int64)

    def good(self, weights: Floats, count: int) -> Ints:
        """Items of which each is among the best for some row of weights, the best of all rows among them.

        The best of each portion are compared, and the `count` best of these kept.
        """
        checked = self._checked(weights)
        kept: set[int] = set()
        for start in range(0, len(checked), BATCH):
            batch = checked[start : start + BATCH]
            places, values = [], []
            for first, worth in self._portions(batch):
                place = worth.argmax(axis=0)
                places.append(first + place)
                values.append(worth[place, np.arange(len(batch))])
            order = np.argsort(-np.stack(values), axis=0, kind="stable")[:count]
            kept.update(np.take_along_axis(np.stack(places), order, axis=0).ravel().tolist())
        return self.rows[sorted(kept)].astype(np.int64)

    def _portions(self, weights: Floats) -> Iterator[tuple[int, Floats]]:
        """What items are worth (items × weights), portion by portion, each with the number of its first item."""
        check_time()
        tables = [group.worth(weights) for group in self._groups]
        total, added = np.empty((2, min(PORTION, len(self.rows)), len(weights)))
        for first in range(0, len(self.rows), PORTION):
            size = min(PORTION, len(self.rows) - first)
            np.take(tables[0], self._groups[0].which[first : first + size], axis=0, out=total[:size])
            for group, table in zip(self._groups[1:], tables[1:], strict=True):
                np.take(table, group.which[first : first + size], axis=0, out=added[:size])
                total[:size] += added[:size]
            yield first, total[:size]

    def ranked(self, weights: Floats) -> Iterator[Ints]:
        """All items, best first, each once; `weights` has one number per one-hot value."""
        worth = np.concatenate([portion[:, 0].copy() for _, portion in self._portions(self._checked(weights[None]))])
        return (self.rows[place].astype(np.int64) for place in np.argsort(-worth, kind="stable"))

    def _checked(self, weights: Floats) -> Floats:
        return checked_weights(weights, int(self._offsets[-1]))[0]

    # What there is

    @cached_property
    def _columns(self) -> Ints:
        return self.rows + self._offsets[:-1]

    def possible(self, allowed: Bools) -> Bools:
        """Which one-hot values occur in some item that has only `allowed` values."""
        found = np.zeros(int(self._offsets[-1]), dtype=bool)
        found[self._columns[allowed[self._columns].all(axis=1)].ravel()] = True
        return found

    def count(self) -> int:
        """How many items there are that differ in something."""
        return len(self.rows)

    def sample(self, rng: np.random.Generator, size: int) -> Ints:
        """Items at random, each as likely as any other."""
        return self.rows[rng.integers(len(self.rows), size=size)].astype(np.int64)
