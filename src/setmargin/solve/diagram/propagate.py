"""Which values can never be used, found before anything is compiled: generalised arc consistency to a fixpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from setmargin.arrays import Bools, Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.boxes import renumbered, strike, without
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.relations import Relation, merged
from setmargin.space.formula import InBoxes
from setmargin.time_limit import check_time

Alive = list[Bools]


@dataclass(frozen=True, eq=False)
class Propagated:
    """What remains: the values left to each attribute, and relations among the attributes still free to vary.

    The relations speak of positions in `values`, not of the values themselves.
    """

    values: tuple[Ints, ...]
    relations: tuple[Relation, ...]
    boxes: tuple[InBoxes, ...] = ()

    @property
    def scopes(self) -> list[tuple[int, ...]]:
        """Which attributes are restricted together."""
        return [*(relation.scope for relation in self.relations), *(union.attributes for union in self.boxes)]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(kept) for kept in self.values)


def propagate(lowered: Lowered) -> Propagated:
    """Every value without support in some relation or linear row is gone; raises `ModelInfeasible` if none is left."""
    alive: Alive = [np.ones(size, dtype=bool) for size in lowered.domains]
    relations, boxes = merged(lowered.relations, lowered.domains), list(lowered.boxes)
    waiting = set(range(len(alive)))
    if any(relation.allow == (not len(relation.rows)) for relation in relations if not relation.scope):
        raise ModelInfeasible("a relation without attributes forbids everything; remove it")
    while waiting:
        check_time()
        before = [int(mask.sum()) for mask in alive]
        relations = [r if waiting.isdisjoint(r.scope) else _pruned(r, alive) for r in relations]
        boxes = [union if waiting.isdisjoint(union.attributes) else _narrowed(union, alive) for union in boxes]
        for row in lowered.rows:
            _prune_by_row(row, alive)
        _require_values(alive)
        waiting = {a for a, mask in enumerate(alive) if mask.sum() < before[a]}
    return _renumbered(relations, boxes, alive)


def _require_values(alive: Alive) -> None:
    for attribute, mask in enumerate(alive):
        if not mask.any():
            raise ModelInfeasible(f"no value of attribute {attribute} is possible; relax one of its relations")


def _pruned(relation: Relation, alive: Alive) -> Relation:
    """Drop rows with dead values, then strike values without support from `alive`."""
    good = np.ones(len(relation.rows), dtype=bool)
    for column, attribute in enumerate(relation.scope):
        good &= alive[attribute][relation.rows[:, column]]
    rows = relation.rows[good]
    sizes = [int(alive[a].sum()) for a in relation.scope]
    for column, attribute in enumerate(relation.scope):
        counts = np.bincount(rows[:, column], minlength=len(alive[attribute]))
        combinations = prod(sizes[:column]) * prod(sizes[column + 1 :])
        if relation.allow:
            alive[attribute] &= counts > 0
        elif combinations <= len(rows):
            alive[attribute] &= counts < combinations
    return Relation(relation.scope, rows, relation.allow)


def _narrowed(union: InBoxes, alive: Alive) -> InBoxes:
    left = without(union, alive)
    strike(left, alive)
    return left


def _prune_by_row(row: LinearRow, alive: Alive) -> None:
    usable = {a: alive[a] for a in row.coefficients if alive[a].any()}
    smallest = {a: int(row.coefficients[a][mask].min()) for a, mask in usable.items()}
    room = row.bound - sum(smallest.values())
    if room < 0:
        raise ModelInfeasible(f"a linear row cannot go down to its bound {row.bound}; raise the bound")
    for attribute in usable:
        alive[attribute] &= row.coefficients[attribute] <= smallest[attribute] + room


def _renumbered(relations: Sequence[Relation], boxes: Sequence[InBoxes], alive: Alive) -> Propagated:
    """Positions instead of values; attributes with one value left and relations that allow all drop out."""
    values = tuple(np.flatnonzero(mask) for mask in alive)
    sizes = [len(kept) for kept in values]
    position = [np.cumsum(mask) - 1 for mask in alive]
    projected = [_projected(relation, position, sizes) for relation in relations]
    kept = [relation for relation in merged(projected, sizes) if not _allows_all(relation, sizes)]
    unions = (renumbered(union, position, sizes) for union in boxes)
    return Propagated(values, tuple(kept), tuple(union for union in unions if union is not None))


def _projected(relation: Relation, position: Sequence[Ints], sizes: Sequence[int]) -> Relation:
    kept = [column for column, a in enumerate(relation.scope) if sizes[a] > 1]
    scope = tuple(relation.scope[column] for column in kept)
    columns = [position[relation.scope[c]][relation.rows[:, c]] for c in kept]
    shape = (len(relation.rows), len(kept))
    rows = np.stack(columns, axis=1) if kept else np.zeros(shape, dtype=np.int64)
    return Relation(scope, rows, relation.allow)


def _allows_all(relation: Relation, sizes: Sequence[int]) -> bool:
    return len(relation.rows) == (prod(sizes[a] for a in relation.scope) if relation.allow else 0)
