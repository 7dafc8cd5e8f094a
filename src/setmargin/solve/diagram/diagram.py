"""A space as a reduced layered decision diagram: every path from the root to the end is one configuration.

Everything that the oracle is asked comes from sweeps over the layers: the best configuration is a longest path, the
count a number of paths, what is still possible a matter of reaching. All of it exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelInfeasible, OptionError
from setmargin.solve.diagram.layers import Layer, checked_weights, chunk_size, sorted_by_bundles
from setmargin.solve.diagram.limits import ArcCounter
from setmargin.solve.diagram.linear_rows import with_row
from setmargin.solve.diagram.product import reduced
from setmargin.solve.lowering import LinearRow, Lowered

Counts = NDArray[Any]
"""Numbers of paths: int64 where they fit, Python integers where they do not."""
Branch = tuple[float, int, int, int, int, float, tuple[int, ...]]
"""Minus the best value, a number that breaks ties, layer, node, rank of its arc, sum and columns before the layer."""


@dataclass(frozen=True, eq=False)
class Diagram:
    """All configurations of a space; `layers` follow an order of the attributes, the last one leads to node 0."""

    domains: tuple[int, ...]
    layers: tuple[Layer, ...]

    @staticmethod
    def of(domains: Sequence[int], order: Sequence[int], values: Sequence[Ints], tables: Sequence[Ints]) -> Diagram:
        """Reduce tables of children whose columns at position i stand for `values[i]` of attribute `order[i]`."""
        small = sorted_by_bundles(reduced(tables))
        offsets = Lowered(tuple(domains)).offsets
        layers = []
        for attribute, kept, table in zip(order, values, small, strict=True):
            used = np.flatnonzero((table >= 0).any(axis=0))
            children = np.ascontiguousarray(table[:, used])
            layers.append(Layer(attribute, kept[used], offsets[attribute] + kept[used], children))
        return Diagram(tuple(domains), tuple(layers))

    @cached_property
    def total(self) -> int:
        return sum(self.domains)

    @property
    def order(self) -> tuple[int, ...]:
        """The attributes as the layers follow each other."""
        return tuple(layer.attribute for layer in self.layers)

    @cached_property
    def empty(self) -> bool:
        return any(not len(layer.children) for layer in self.layers)

    @cached_property
    def nodes(self) -> int:
        """Nodes, with the one at the end."""
        return sum(len(layer.children) for layer in self.layers) + 1

    @cached_property
    def arcs(self) -> int:
        """Arcs, one for each node and value that may follow."""
        return sum(int((layer.children >= 0).sum()) for layer in self.layers)

    # -- the best --------------------------------------------------------------------------------------------

    def solve(self, weights: Floats) -> tuple[Ints, Floats]:
        """A best configuration for each row of `weights` (B × one-hot values) as value indices, and its worth."""
        scaled, scale = checked_weights(weights, self.total)
        self._require_some()
        if len(scaled) == 1:
            best, value = self._solve_one(scaled[0])
            return best[None], np.array([value / scale])
        step = chunk_size(max((len(layer.children) for layer in self.layers), default=1), self.nodes)
        parts = [self._solve_chunk(scaled[begin : begin + step]) for begin in range(0, len(scaled), step)]
        if not parts:
            return np.zeros((0, len(self.domains)), dtype=np.int64), np.zeros(0)
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]) / scale

    def remaining(self, weights: Floats) -> list[Floats]:
        """For one weight vector, the best that can still follow each node: one array a layer, and [0, -inf] last.

        Every array ends with a spare -inf, which is what a missing child (-1) picks.
        """
        following = np.array([0.0, -np.inf])
        sums = [following]
        for layer in reversed(self.layers):
            following = np.append(layer.plan.single(weights, following), -np.inf)
            sums.append(following)
        return sums[::-1]

    def _solve_one(self, weights: Floats) -> tuple[Ints, float]:
        remaining = self.remaining(weights)
        best = np.empty(len(self.domains), dtype=np.int64)
        node = 0
        for layer, following in zip(self.layers, remaining[1:], strict=True):
            children = layer.children[node]
            column = int((weights[layer.labels] + following[children]).argmax())
            best[layer.attribute] = layer.values[column]
            node = children[column]
        return best, float(remaining[0][0])

    def _solve_chunk(self, weights: Floats) -> tuple[Ints, Floats]:
        rows = np.arange(len(weights))
        remaining = self.remaining_batch(weights)
        best = np.empty((len(weights), len(self.domains)), dtype=np.int64)
        node = np.zeros(len(weights), dtype=np.int64)
        for layer, following in zip(self.layers, remaining[1:], strict=True):
            children = layer.children[node]
            sums = following[children, rows[:, None]]
            sums += weights[:, layer.labels]
            column = sums.argmax(axis=1)
            best[:, layer.attribute] = layer.values[column]
            node = children[rows, column]
        return best, remaining[0][0].copy()

    def remaining_batch(self, weights: Floats) -> list[Floats]:
        """`remaining` for every row of weights: arrays of nodes × vectors."""
        if len(weights) == 1:
            return [sums[:, None] for sums in self.remaining(weights[0])]
        columns = np.ascontiguousarray(weights.T)
        following = np.zeros((2, len(weights)))
        following[1] = -np.inf
        sums = [following]
        for layer in reversed(self.layers):
            values = np.empty((len(layer.children) + 1, len(weights)))
            layer.plan.batch(columns, following, values[:-1])
            values[-1] = -np.inf
            following = values
            sums.append(following)
        return sums[::-1]

    def ranked(self, weights: Floats) -> Iterator[Ints]:
        """All configurations, best first, each once, found one by one."""
        scaled, _ = checked_weights(weights[None], self.total)
        if self.empty:
            return iter(())
        return _ranked(self.layers, scaled[0], self.remaining(scaled[0]))

    # -- counting --------------------------------------------------------------------------------------------

    @cached_property
    def _counts(self) -> list[Counts]:
        """How many configurations follow each node: one array a layer, with a spare 0 for missing children."""
        small = prod(len(layer.values) for layer in self.layers) < 2**62
        following: Counts = np.array([1, 0], dtype=np.int64 if small else object)
        counts = [following]
        for layer in reversed(self.layers):
            following = np.append(following[layer.children].sum(axis=1), following[-1:])
            counts.append(following)
        return counts[::-1]

    def count(self) -> int:
        return 0 if self.empty else int(self._counts[0][0])

    def unrank(self, index: int) -> Ints:
        """Configuration number `index` in the order of the diagram: a bijection from 0..count-1."""
        if not 0 <= index < self.count():
            raise OptionError(f"there is no configuration {index}; take one from 0 to {self.count() - 1}")
        (found,) = self._unrank(np.array([index], dtype=self._counts[0].dtype))
        return np.asarray(found, dtype=np.int64)

    def _unrank(self, indices: Counts) -> Ints:
        result = np.empty((len(indices), len(self.domains)), dtype=np.int64)
        node = np.zeros(len(indices), dtype=np.int64)
        rows = np.arange(len(indices))
        for layer, counts in zip(self.layers, self._counts[1:], strict=True):
            children = layer.children[node]
            ends = counts[children].cumsum(axis=1)
            column = (ends <= indices[:, None]).sum(axis=1).astype(np.int64)
            indices = indices - np.where(column > 0, ends[rows, column - 1], 0)
            result[:, layer.attribute] = layer.values[column]
            node = children[rows, column]
        return result

    def sample(self, rng: np.random.Generator, size: int) -> Ints:
        """Configurations drawn exactly uniformly, with replacement."""
        self._require_some()
        count = self.count()
        if self._counts[0].dtype == np.int64:
            return self._unrank(rng.integers(count, size=size))
        drawn: Counts = np.empty(size, dtype=object)
        drawn[:] = [_integer_below(count, rng) for _ in range(size)]
        return self._unrank(drawn)

    # -- what is possible ------------------------------------------------------------------------------------

    def possible(self, allowed: Bools) -> Bools:
        """Which one-hot values occur in some configuration that uses only `allowed` values."""
        result = np.zeros(self.total, dtype=bool)
        if self.empty:
            return result
        alive = np.array([True, False])
        good = []
        for layer in reversed(self.layers):
            good.append(alive[layer.children] & allowed[layer.labels])
            alive = np.append(good[-1].any(axis=1), False)
        reached = np.array([bool(alive[0])])
        for layer, arcs in zip(self.layers, reversed(good), strict=True):
            used = arcs & reached[:, None]
            result[layer.labels] = used.any(axis=0)
            reached = np.zeros(int(layer.children.max()) + 1, dtype=bool)
            reached[layer.children[used]] = True
        return result

    def restrict(self, allowed: Bools) -> Diagram:
        """Only the configurations that use nothing but `allowed` one-hot values."""
        tables = [np.where(allowed[layer.labels], layer.children, -1) for layer in self.layers]
        return self._with(tables)

    def with_row(self, row: LinearRow, *, max_arcs: int = 300_000, counter: ArcCounter | None = None) -> Diagram:
        """Only the configurations that satisfy a linear row; `TooLarge` when that needs more than `max_arcs`.

        A `counter` in its place also says afterwards how many arcs it took.
        """
        return self if self.empty else self._with(with_row(self.layers, row, counter=counter or ArcCounter(max_arcs)))

    def _with(self, tables: Sequence[Ints]) -> Diagram:
        return Diagram.of(self.domains, self.order, [layer.values for layer in self.layers], tables)

    def _require_some(self) -> None:
        if self.empty:
            raise ModelInfeasible("no configuration satisfies all relations; relax one of them")


def _integer_below(bound: int, rng: np.random.Generator) -> int:
    """A uniform integer in [0, bound), by rejection, for bounds of any size."""
    bits = bound.bit_length()
    while True:
        drawn = int.from_bytes(rng.bytes(-(-bits // 8)), "little") >> (-bits % 8)
        if drawn < bound:
            return drawn


def _ranked(layers: Sequence[Layer], weights: Floats, remaining: Sequence[Floats]) -> Iterator[Ints]:
    """Best first, by leaving earlier best paths at one node for its next best arc.

    Whatever is taken from the heap is complete: its first arc is given, and from there on the best path is followed.
    So each configuration comes out once, and none is looked at in vain.
    """
    arcs = _SortedArcs(layers, weights, remaining)
    numbers = count()
    heap: list[Branch] = [(-float(remaining[0][0]), next(numbers), 0, 0, 0, 0.0, ())]
    while heap:
        _, _, start, node, rank, before, columns = heappop(heap)
        for level in range(start, len(layers)):
            values, places = arcs.at(level, node)
            if rank + 1 < len(places):
                bound = -(before + values[rank + 1])
                heappush(heap, (bound, next(numbers), level, node, rank + 1, before, columns))
            column, rank = places[rank], 0
            columns = (*columns, column)
            before += arcs.offers[level][column]
            node = int(layers[level].children[node, column])
        yield configuration_of(layers, columns)


class _SortedArcs:
    """The arcs of a node from best to worst, sorted when a path first comes by."""

    def __init__(self, layers: Sequence[Layer], weights: Floats, remaining: Sequence[Floats]) -> None:
        self.layers, self.remaining = layers, remaining
        self.offers = [weights[layer.labels].tolist() for layer in layers]
        self.seen: dict[tuple[int, int], tuple[list[float], list[int]]] = {}

    def at(self, level: int, node: int) -> tuple[list[float], list[int]]:
        """Values of the best paths through each arc, and their columns."""
        if (level, node) not in self.seen:
            children = self.layers[level].children[node]
            values = self.remaining[level + 1][children] + self.offers[level]
            places = np.argsort(-values, kind="stable")[: int((children >= 0).sum())]
            self.seen[level, node] = values[places].tolist(), places.tolist()
        return self.seen[level, node]


def configuration_of(layers: Sequence[Layer], columns: Sequence[int]) -> Ints:
    values = np.empty(len(layers), dtype=np.int64)
    for layer, column in zip(layers, columns, strict=True):
        values[layer.attribute] = layer.values[column]
    return values
