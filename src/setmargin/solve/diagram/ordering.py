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
        for method in (_branch_by_branch, _narrow_frontier):
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


def _branch_by_branch(graph: Graph, part: Sequence[int], rng: np.random.Generator) -> list[int]:
    """The elimination tree from its root, small branches first; an attribute goes in once all its neighbours are.

    Plain reversal of the elimination order jumps between branches and keeps them all open: on trees of a hundred
    attributes that was a thousand times larger.
    """
    parents = elimination_tree(graph, part, rng)
    branches = _branches(parents)
    stack = [a for a, parent in parents.items() if parent is None]
    order: list[int] = []
    placed = 0
    while stack:
        attribute = stack.pop()
        stack += branches[attribute]
        if not placed >> attribute & 1:
            placed |= 1 << attribute
            ready = [b for b in _members(graph[attribute]) if not placed >> b & 1 and not graph[b] & ~placed]
            order += [attribute, *ready]
            placed |= sum(1 << b for b in ready)
    return order


def elimination_tree(graph: Graph, part: Sequence[int], rng: np.random.Generator) -> dict[int, int | None]:
    """Eliminate again and again an attribute whose neighbours lack the fewest edges among each other.

    In that order, each attribute with the first of its remaining neighbours to follow it.
    """
    left = graph.copy()
    luck = dict(zip(part, rng.random(len(part)).tolist(), strict=True))
    fills = {a: _fill(left, a) for a in part}
    around = {}
    while fills:
        chosen = min(fills, key=lambda a: (fills[a], luck[a]))
        del fills[chosen]
        around[chosen] = left[chosen]
        for a in _members(left[chosen]):
            left[a] = (left[a] | left[chosen]) & ~(1 << a | 1 << chosen)
        if left[chosen].bit_count() == len(fills):  # all that are left are joined now, so none lacks an edge any more
            rest = left[chosen]
            for a in sorted(fills, key=luck.__getitem__):
                rest &= ~(1 << a)
                around[a] = rest
            break
        for a in _members(left[chosen] | _union(left, left[chosen])):
            fills[a] = _fill(left, a)
    rank = {a: i for i, a in enumerate(around)}
    return {a: min(_members(bits), key=rank.__getitem__, default=None) for a, bits in around.items()}


def _branches(parents: dict[int, int | None]) -> dict[int, list[int]]:
    """The children of each attribute in the tree, largest branch first."""
    sizes = dict.fromkeys(parents, 1)
    children: dict[int, list[int]] = {a: [] for a in parents}
    for attribute, parent in parents.items():
        if parent is not None:
            sizes[parent] += sizes[attribute]
            children[parent].append(attribute)
    return {a: sorted(below, key=lambda b: -sizes[b]) for a, below in children.items()}


def _fill(graph: Graph, attribute: int) -> int:
    """Edges that its neighbours lack among each other, each counted twice."""
    left = around = graph[attribute]
    lacking = -around.bit_count()
    while left:
        lowest = left & -left
        lacking += (around & ~graph[lowest.bit_length() - 1]).bit_count()
        left ^= lowest
    return lacking


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
