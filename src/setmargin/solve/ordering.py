"""In which order the attributes are read; the size of the diagram depends on nothing else.

Orders come from the primal graph: attributes are joined when they share a relation. Linear rows do not count.
Sets of attributes are bits of one Python integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

Graph = list[int]


def orders(size: int, scopes: Iterable[Sequence[int]], *, seed: int = 0) -> Iterator[tuple[int, ...]]:
    """Endlessly many orders of `size` attributes, good ones first; independent components stay together."""
    graph = primal_graph(size, scopes)
    parts = components(graph)
    rng = np.random.default_rng(seed)
    while True:
        for method in (_reversed_elimination, _narrow_frontier):
            yield tuple(a for part in parts for a in method(graph, part, rng))


def primal_graph(size: int, scopes: Iterable[Sequence[int]]) -> Graph:
    """The neighbours of every attribute."""
    graph = [0] * size
    for scope in scopes:
        together = sum(1 << a for a in scope)
        for a in scope:
            graph[a] |= together & ~(1 << a)
    return graph


def components(graph: Graph) -> list[list[int]]:
    """The attributes in groups that no relation joins."""
    groups, seen = [], 0
    for start in range(len(graph)):
        if not seen >> start & 1:
            group = _reach(graph, start)
            seen |= group
            groups.append(list(_members(group)))
    return groups


def _reach(graph: Graph, start: int) -> int:
    reached, fresh = 0, 1 << start
    while fresh:
        reached |= fresh
        fresh = _union(graph, fresh) & ~reached
    return reached


def _union(graph: Graph, members: int) -> int:
    together = 0
    for a in _members(members):
        together |= graph[a]
    return together


def _members(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _reversed_elimination(graph: Graph, part: Sequence[int], rng: np.random.Generator) -> list[int]:
    """A min-fill elimination order backwards, but an attribute goes in as soon as all its neighbours are in."""
    order: list[int] = []
    placed = 0
    for attribute in reversed(min_fill(graph, part, rng)):
        if not placed >> attribute & 1:
            order.append(attribute)
            placed |= 1 << attribute
            ready = [b for b in part if not placed >> b & 1 and not graph[b] & ~placed]
            order += ready
            placed |= sum(1 << b for b in ready)
    return order


def min_fill(graph: Graph, part: Sequence[int], rng: np.random.Generator) -> list[int]:
    """Eliminate again and again an attribute whose neighbours lack the fewest edges among each other."""
    left = graph.copy()
    luck = dict(zip(part, rng.random(len(part)).tolist(), strict=True))
    fills = {a: _fill(left, a) for a in part}
    order = []
    while fills:
        chosen = min(fills, key=lambda a: (fills[a], luck[a]))
        del fills[chosen]
        order.append(chosen)
        around = left[chosen]
        for a in _members(around):
            left[a] = (left[a] | around) & ~(1 << a | 1 << chosen)
        for a in _members(around | _union(left, around)):
            fills[a] = _fill(left, a)
    return order


def _fill(graph: Graph, attribute: int) -> int:
    around = graph[attribute]
    return sum((around & ~graph[a]).bit_count() - 1 for a in _members(around))


def _narrow_frontier(graph: Graph, part: Sequence[int], rng: np.random.Generator) -> list[int]:
    """Take again and again the attribute that leaves the fewest attributes waiting for a neighbour."""
    luck = dict(zip(part, rng.random(len(part)).tolist(), strict=True))
    start = min(part, key=lambda a: (graph[a].bit_count(), luck[a]))
    order, placed, touched = [start], 1 << start, graph[start]
    while len(order) < len(part):
        outside = touched & ~placed
        chosen = min(_members(outside), key=lambda a: ((graph[a] & ~touched & ~placed).bit_count(), luck[a]))
        order.append(chosen)
        placed |= 1 << chosen
        touched |= graph[chosen]
    return order
