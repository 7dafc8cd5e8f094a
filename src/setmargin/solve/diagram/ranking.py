"""All configurations of a diagram, best first, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.diagram.layers import Layer

Branch = tuple[float, int, int, int, int, float, tuple[int, ...]]
"""Minus the best value, a number that breaks ties, layer, node, rank of its arc, sum and columns before the layer."""


def ranked(layers: Sequence[Layer], weights: Floats, remaining: Sequence[Floats]) -> Iterator[Ints]:
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
        yield _configuration(layers, columns)


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


def _configuration(layers: Sequence[Layer], columns: Sequence[int]) -> Ints:
    values = np.empty(len(layers), dtype=np.int64)
    for layer, column in zip(layers, columns, strict=True):
        values[layer.attribute] = layer.values[column]
    return values
