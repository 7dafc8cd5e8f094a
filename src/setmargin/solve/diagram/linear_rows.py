"""Linear rows over a diagram: as costs of one-hot values, by the sums that can still come, and multiplied into it.

Multiplied into a diagram, a row lets nodes remember the sum so far, as long as it matters. From every node the smallest
and largest sum that can still come are known exactly. So a sum after which the row can no longer fail is forgotten, and
one after which it must fail is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.solve.diagram.layers import Layer
from setmargin.solve.diagram.limits import ArcCounter, TooLarge
from setmargin.solve.diagram.product import Tables
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.relations import distinct

_FAR = 2**62
_MOST_CELLS = 6_000_000
"""Nodes times values of one layer: looking at them takes some 50 bytes each, however few arcs are left then."""


@dataclass(frozen=True, eq=False)
class RowTable:
    """Linear rows as one-hot cost vectors: `costs @ one_hot <= bounds`."""

    costs: Ints
    bounds: Ints
    offsets: Ints

    @staticmethod
    def of(rows: tuple[LinearRow, ...], domains: tuple[int, ...]) -> RowTable:
        offsets = Lowered(domains).offsets
        costs = np.zeros((len(rows), int(offsets[-1])), dtype=np.int64)
        for cost, row in zip(costs, rows, strict=True):
            for attribute, coefficients in row.coefficients.items():
                cost[offsets[attribute] : offsets[attribute + 1]] = coefficients
        return RowTable(costs, np.array([row.bound for row in rows], dtype=np.int64), offsets[:-1])

    def sums(self, configurations: Ints) -> Ints:
        """What each configuration adds up to in each row (configurations × rows)."""
        result: Ints = self.costs[:, configurations + self.offsets].sum(axis=2).T
        return result

    def hold(self, configurations: Ints) -> Bools:
        held: Bools = np.all(self.sums(configurations) <= self.bounds, axis=1)
        return held

    def worth(self, configurations: Ints, weights: Floats) -> Floats:
        """The value of configuration i under weights i."""
        picked: Floats = np.take_along_axis(weights, configurations + self.offsets, axis=1)
        total: Floats = picked.sum(axis=1)
        return total


def smallest_remaining(layers: Sequence[Layer], costs: Sequence[Ints]) -> list[Ints]:
    """The smallest sum from each node to the end: one array a layer, with a spare huge one for missing children."""
    following = np.array([0, _FAR], dtype=np.int64)
    sums = [following]
    for layer, cost in zip(reversed(layers), reversed(costs), strict=True):
        ahead = np.where(layer.children >= 0, following[layer.children] + cost, _FAR)
        following = np.append(ahead.min(axis=1), _FAR)
        sums.append(following)
    return sums[::-1]


def smallest_sums(layers: Sequence[Layer], rows: RowTable) -> list[Ints]:
    """For each layer, rows × nodes: the smallest sum of each row that must still come."""
    each = [smallest_remaining(layers, [cost[layer.labels] for layer in layers]) for cost in rows.costs]
    return [np.stack(layer) for layer in zip(*each, strict=True)]


def with_row(layers: Sequence[Layer], row: LinearRow, *, counter: ArcCounter) -> Tables:
    """Tables of children, not yet reduced, of the configurations that satisfy `row`."""
    costs = [_added(row, layer) for layer in layers]
    smallest = smallest_remaining(layers, costs)
    largest = [-sums for sums in smallest_remaining(layers, [-cost for cost in costs])]
    if largest[0][0] <= row.bound:
        return [layer.children for layer in layers]
    state = _State.start(possible=bool(smallest[0][0] <= row.bound))
    tables = []
    for i, (layer, cost) in enumerate(zip(layers, costs, strict=True)):
        if len(state.nodes) * len(cost) > _MOST_CELLS:
            raise TooLarge(f"a layer of {len(state.nodes):,} nodes with {len(cost):,} values each is too large")
        table, state = state.step(layer, cost, smallest[i + 1], largest[i + 1], row.bound, counter)
        tables.append(table)
    return tables


def _added(row: LinearRow, layer: Layer) -> Ints:
    """What each column of a layer adds to the row."""
    coefficients = row.coefficients.get(layer.attribute)
    return np.zeros(len(layer.values), dtype=np.int64) if coefficients is None else coefficients[layer.values]


@dataclass(frozen=True, eq=False)
class _State:
    """The nodes of one layer: a node of the old diagram, whether the row is settled, and else the sum so far."""

    nodes: Ints
    settled: Ints
    sums: Ints

    @staticmethod
    def start(*, possible: bool) -> _State:
        zeros = np.zeros(int(possible), dtype=np.int64)
        return _State(zeros, zeros, zeros)

    def step(
        self, layer: Layer, cost: Ints, smallest: Ints, largest: Ints, bound: int, counter: ArcCounter
    ) -> tuple[Ints, _State]:
        children = layer.children[self.nodes]
        sources, columns = np.nonzero(children >= 0)
        targets = children[sources, columns]
        sums = self.sums[sources] + cost[columns]
        settled = (self.settled[sources] > 0) | (sums + largest[targets] <= bound)
        kept = settled | (sums + smallest[targets] <= bound)
        counter.add(int(kept.sum()))  # before more memory is taken for them
        new = _State(targets[kept], settled[kept].astype(np.int64), np.where(settled, 0, sums)[kept])
        first, names = new.identities(len(smallest))
        table = np.full((max(len(children), 1), len(cost)), -1, dtype=np.int64)
        table[sources[kept], columns[kept]] = names
        return table, _State(new.nodes[first], new.settled[first], new.sums[first])

    def identities(self, width: int) -> tuple[Ints, Ints]:
        shifted = self.sums - self.sums.min(initial=0)
        columns = np.stack([self.nodes, self.settled, shifted], axis=1)
        return distinct(columns, [width, 2, int(shifted.max(initial=0)) + 1])
