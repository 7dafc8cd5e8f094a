"""Layered automata multiplied and reduced: the two halves of compiling.

A layered table of children per position is the only data: `tables[i][node, column]` is a node of the next layer,
-1 where there is none; the first layer has one node, and after the last there is one node, 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from setmargin.arrays import Bools, Ints
from setmargin.solve.diagram.limits import ArcCounter
from setmargin.solve.relations import Automaton, distinct, merged_rows

Tables = list[Ints]
Classes = dict[int, Ints]

_CELLS = 1 << 18
_NOBODY = -1
"""A class that all nodes share, so that a layer where nothing is open needs no special case."""


def product(automata: Sequence[Automaton], sizes: Sequence[int], *, counter: ArcCounter) -> Tables:
    """All automata at once, read position by position; their scopes are increasing positions.

    A node is the tuple of the classes of the automata that are open at its layer; one that is complete drops out.
    """
    at = _tables_by_position(automata, len(sizes))
    last = [machine.scope[-1] for machine in automata]
    widths = [dict(zip(machine.scope, machine.tables, strict=True)) for machine in automata]
    state: Classes = {_NOBODY: np.zeros(1, dtype=np.int64)}
    nodes, tables = 1, []
    for position, size in enumerate(sizes):
        sources, columns, moved = _arcs(state, at[position], nodes, size, counter)
        carried = {i: column for i, column in state.items() if i not in at[position]}
        opened = {i: column for i, column in moved.items() if last[i] > position}
        following = {i: _width(widths[i], position) for i in (*carried, *opened) if i != _NOBODY}
        targets, state = _joined(carried, opened, sources, following | {_NOBODY: 1})
        table = np.full((nodes, size), -1, dtype=np.int64)
        table[sources, columns] = targets
        tables.append(table)
        nodes = int(targets.max(initial=-1)) + 1
        counter.layer(nodes * len(state))
    return tables


def _tables_by_position(automata: Sequence[Automaton], length: int) -> list[dict[int, Ints]]:
    at: list[dict[int, Ints]] = [{} for _ in range(length)]
    for i, machine in enumerate(automata):
        for position, table in zip(machine.scope, machine.tables, strict=True):
            at[position][i] = table
    return at


def _width(tables: dict[int, Ints], position: int) -> int:
    """How many classes an open automaton has after `position`."""
    return len(tables[min(p for p in tables if p > position)])


def _arcs(
    state: Classes, touching: dict[int, Ints], nodes: int, size: int, counter: ArcCounter
) -> tuple[Ints, Ints, Classes]:
    """Sources and columns of all arcs out of a layer, with the next classes of the automata that are touched."""
    step = max(1, _CELLS // size)
    blocks = []
    for begin in range(0, nodes, step):
        block = slice(begin, min(begin + step, nodes))
        sources, columns, moved = _arcs_of_block(state, touching, block, size)
        counter.add(len(sources))
        blocks.append((sources, columns, moved))
    if not blocks:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, dict.fromkeys(touching, nothing)
    return (
        np.concatenate([block[0] for block in blocks]),
        np.concatenate([block[1] for block in blocks]),
        {i: np.concatenate([block[2][i] for block in blocks]) for i in touching},
    )


def _arcs_of_block(state: Classes, touching: dict[int, Ints], block: slice, size: int) -> tuple[Ints, Ints, Classes]:
    moved = {i: table[state[i][block]] if i in state else table[:1] for i, table in touching.items()}
    alive: Bools = np.ones((block.stop - block.start, size), dtype=bool)
    for classes in moved.values():
        alive &= classes >= 0
    sources, columns = np.nonzero(alive)
    picked = {i: classes[sources if len(classes) > 1 else 0, columns] for i, classes in moved.items()}
    return sources + block.start, columns, picked


def _joined(carried: Classes, opened: Classes, sources: Ints, widths: dict[int, int]) -> tuple[Ints, Classes]:
    """The node that each arc leads to, and the classes of the new nodes."""
    kept, size = _identities(carried, widths)
    columns = [kept[sources], *opened.values()]
    first, targets = distinct(np.stack(columns, axis=1), [size, *(widths[i] for i in opened)])
    state = {i: column[sources[first]] for i, column in carried.items()}
    return targets, state | {i: column[first] for i, column in opened.items()}


def _identities(carried: Classes, widths: dict[int, int]) -> tuple[Ints, int]:
    """The carried classes of each node as one number, so that arcs need not repeat them all."""
    rows = np.stack(list(carried.values()), axis=1)
    first, inverse = distinct(rows, [widths[i] for i in carried])
    return inverse, max(len(first), 1)


def reduced(tables: Sequence[Ints]) -> Tables:
    """The same paths in the fewest nodes: what is out of reach or leads nowhere is dropped, equals are merged."""
    classes = np.zeros(1, dtype=np.int64)
    small: Tables = []
    for table in reversed(_reachable(tables)):
        rows, classes = merged_rows(np.append(classes, -1)[table])
        small.append(rows)
    return small[::-1]


def _reachable(tables: Sequence[Ints]) -> Tables:
    kept: Tables = []
    nodes = np.zeros(1, dtype=np.int64)
    for table in tables:
        seen = table[nodes] if len(table) else np.zeros((0, table.shape[1]), dtype=np.int64)
        flags = np.zeros(int(seen.max(initial=-1)) + 2, dtype=bool)
        flags[seen] = True  # -1 marks the spare last place
        flags[-1] = False
        names = np.cumsum(flags) - 1
        names[-1] = -1
        kept.append(names[seen])
        nodes = np.flatnonzero(flags)
    return kept
