"""A lowered space as linear rows: x is the one-hot code of a configuration if and only if all of them hold.

The rows are made once for a space and can be laid into a model as often as a formulation needs configurations.
Each kind of restriction has its own small function, in the tightest linear form that stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd, prod

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.milp.model import Columns, Rows, rows, stack, total
from setmargin.solve.relations import Relation, automaton, merged
from setmargin.space.formula import InBoxes

FEW_CLAUSES = 12
"""With at most so many clauses a relation of three or more attributes needs no flow."""
FEW_BOXES = 400
"""More boxes than that have flows: the solver takes seconds for rows as long as those of their values would be."""
LISTABLE = 4096
"""Relations over at most so many combinations have their forbidden ones listed."""


@dataclass(frozen=True, eq=False)
class FeasibleBlock:
    """Rows over columns numbered from 0: first the one-hot values with their upper bounds, then `flows`."""

    upper: Floats
    flows: int
    rows: Rows

    def lay(self, columns: Columns, name: str, *, integer: bool = True) -> tuple[Ints, Rows]:
        """New columns for one configuration, called `name`: its one-hot columns, and the rows that they obey."""
        x = columns.add(name, len(self.upper), upper=self.upper, integer=integer)
        y = columns.add(f"{name}.flow", self.flows, upper=1.0)
        return x, self.rows.on(np.concatenate([x, y]))


def feasible_block(lowered: Lowered) -> FeasibleBlock:
    """Everything that restricts `lowered`, as linear rows."""
    x = _one_hot(lowered)
    small, large = _by_size(merged(lowered.relations, lowered.domains))
    upper = np.ones(sum(lowered.domains))
    for relation in small:
        upper[x[relation.scope[0]][~allowed_table(relation, lowered.domains)]] = 0.0
    blocks, flows = [one_hot_rows(x)], 0
    for relation in large:
        added, block = relation_rows(relation, lowered.domains, x, first_flow=len(upper) + flows)
        flows += added
        blocks.append(block)
    for union in lowered.boxes:
        added, block = box_rows(union, x, first_flow=len(upper) + flows)
        flows += added
        blocks.append(block)
    blocks += [linear_row(row, x) for row in lowered.rows]
    return FeasibleBlock(upper, flows, stack(blocks))


def _one_hot(lowered: Lowered) -> list[Ints]:
    return [np.arange(start, end) for start, end in pairwise(lowered.offsets)]


def _by_size(relations: Sequence[Relation]) -> tuple[list[Relation], list[Relation]]:
    small = [relation for relation in relations if len(relation.scope) == 1]
    return small, [relation for relation in relations if len(relation.scope) != 1]


def allowed_table(relation: Relation, domains: Sequence[int]) -> Bools:
    """The relation as a dense table of truth values."""
    table = np.full([domains[a] for a in relation.scope], not relation.allow)
    table[tuple(relation.rows.T)] = relation.allow
    return table


def one_hot_rows(x: Sequence[Ints]) -> Rows:
    """Every attribute has exactly one value."""
    return stack(rows(total(values), lower=1.0, upper=1.0) for values in x)


def relation_rows(
    relation: Relation, domains: Sequence[int], x: Sequence[Ints], *, first_flow: int
) -> tuple[int, Rows]:
    """A relation of any scope but one attribute: how many flow columns it takes, and its rows."""
    values = [x[a] for a in relation.scope]
    if len(values) == 2:
        return 0, support_rows(allowed_table(relation, domains), *values)
    clauses = _few_clauses(relation, domains)
    if clauses is not None:
        return 0, stack(clause_row(clause, values) for clause in clauses)
    tables = automaton(relation, range(len(domains)), domains).tables
    return flow_rows(tables, values, first_flow=first_flow)


def support_rows(allowed: Bools, left: Sequence[int] | Ints, right: Sequence[int] | Ints) -> Rows:
    """A value of one attribute needs one of those of the other that go with it, in both directions.

    Values with the same support share one row, which is tighter than a row for each, since only one of them holds.
    """
    return stack([_supports(allowed, left, right), _supports(allowed.T, right, left)])


def _supports(allowed: Bools, values: Sequence[int] | Ints, others: Sequence[int] | Ints) -> Rows:
    values, others = np.asarray(values), np.asarray(others)
    kinds, kind = np.unique(allowed, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    return stack(
        rows(total(values[kind == i]), total(others[support], -1.0), upper=0.0)
        for i, support in enumerate(kinds)
        if not support.all()
    )


def _few_clauses(relation: Relation, domains: Sequence[int]) -> list[list[Ints]] | None:
    """The clauses that forbid what the relation forbids, or None if they are many."""
    if relation.allow and prod(domains[a] for a in relation.scope) > LISTABLE:
        return None
    forbidden = np.argwhere(~allowed_table(relation, domains)) if relation.allow else relation.rows
    if len(forbidden) > FEW_CLAUSES * max(domains[a] for a in relation.scope):
        return None
    clauses = min((_merged_along(forbidden, i) for i in range(len(relation.scope))), key=len)
    return clauses if len(clauses) <= FEW_CLAUSES else None


def _merged_along(forbidden: Ints, position: int) -> list[list[Ints]]:
    """Clauses, each a list of values for every position; rows that differ in `position` only become one."""
    rest = np.delete(forbidden, position, axis=1)
    groups, group = np.unique(rest, axis=0, return_inverse=True)
    group = group.reshape(-1)
    clauses = []
    for i, fixed in enumerate(groups):
        clause = [np.array([value]) for value in fixed]
        clauses.append([*clause[:position], np.unique(forbidden[group == i, position]), *clause[position:]])
    return clauses


def clause_row(clause: Sequence[Sequence[int] | Ints], x: Sequence[Ints]) -> Rows:
    """Not all positions at once take one of the clause's values."""
    columns = [values[np.asarray(listed)] for values, listed in zip(x, clause, strict=True)]
    return rows(*(total(block) for block in columns), upper=len(columns) - 1.0)


def box_rows(union: InBoxes, x: Sequence[Ints], *, first_flow: int) -> tuple[int, Rows]:
    """Either one unit is shared among boxes, all of which hold every value that is taken, or no box holds them all."""
    columns = [x[a] for a in union.attributes]
    if not union.allow:
        return 0, stack(
            clause_row([_listed(cell, v) for cell, v in zip(b, columns, strict=True)], columns) for b in union.boxes
        )
    y = np.arange(first_flow, first_flow + len(union.boxes))
    shared = rows(total(y), lower=1.0, upper=1.0)
    if len(y) > FEW_BOXES:
        flows, block = _box_flows(union, columns, y)
        return len(y) + flows, stack([shared, block])
    blocks = [shared]
    for column, values in enumerate(columns):
        holding = np.zeros((len(values), len(y)), dtype=bool)
        for number, box in enumerate(union.boxes):
            holding[_listed(box[column], values), number] = True
        blocks.append(_supports(holding, values, y))
    return len(y), stack(blocks)


def _box_flows(union: InBoxes, columns: Sequence[Ints], y: Ints) -> tuple[int, Rows]:
    """What each box has goes on to values that it holds, of every attribute; exact even for fractional x.

    Boxes that hold the same values of an attribute go on together.
    """
    first, blocks = int(y[-1]) + 1, []
    for column, values in enumerate(columns):
        kinds: dict[frozenset[int] | None, int] = {}
        kind = np.array([kinds.setdefault(box[column], len(kinds)) for box in union.boxes])
        held = [_listed(cell, values) for cell in kinds]
        sources, targets = np.repeat(np.arange(len(held)), list(map(len, held))), np.concatenate(held)
        flow = np.arange(first, first + len(targets))
        first += len(flow)
        blocks.append(_balance(len(held), (kind, y), (sources, flow)))
        blocks.append(_balance(len(values), (np.arange(len(values)), values), (targets, flow)))
    return first - int(y[-1]) - 1, stack(blocks)


def _listed(cell: frozenset[int] | None, values: Ints) -> Ints:
    return np.arange(len(values)) if cell is None else np.array(sorted(cell), dtype=np.int64)


def flow_rows(tables: Sequence[Ints], x: Sequence[Ints], *, first_flow: int) -> tuple[int, Rows]:
    """One unit flows through the layers of an automaton, and x follows it; exact even for fractional x.

    `tables[i][class, value]` is the next class, or -1. What enters a class leaves it, and a value of layer i has
    as much as the arcs that carry it.
    """
    arcs = [np.argwhere(table >= 0) for table in tables]
    ends = np.cumsum([first_flow, *(len(layer) for layer in arcs)])
    y = [np.arange(start, end) for start, end in pairwise(ends)]
    carried = (
        _balance(len(values), (np.arange(len(values)), values), (layer[:, 1], flow))
        for values, layer, flow in zip(x, arcs, y, strict=True)
    )
    conserved = (
        _balance(len(tables[i + 1]), (tables[i][tuple(arcs[i].T)], y[i]), (arcs[i + 1][:, 0], y[i + 1]))
        for i in range(len(tables) - 1)
    )
    return int(ends[-1] - first_flow), stack([*carried, *conserved])


def _balance(size: int, gains: tuple[Ints, Ints], losses: tuple[Ints, Ints]) -> Rows:
    """`size` rows in which the columns of the gains equal those of the losses, both given with their rows."""
    row, column = (np.concatenate([gain, loss]) for gain, loss in zip(gains, losses, strict=True))
    value = np.repeat([1.0, -1.0], [len(gains[0]), len(losses[0])])
    return Rows(row, column, value, np.zeros(size), np.zeros(size))


def linear_row(row: LinearRow, x: Sequence[Ints]) -> Rows:
    """The row in its smallest numbers, with half a unit of room, so that no tolerance decides about a value.

    One-hot blocks let every attribute's cheapest value cost nothing; a value dearer than the whole bound then costs
    one more than the bound, whatever it cost before.
    """
    costs = {a: c - c.min() for a, c in row.coefficients.items()}
    bound = row.bound - sum(int(c.min()) for c in row.coefficients.values())
    if bound < 0:
        return rows(upper=-1.0)  # 0 ≤ -1: not even the cheapest values fit
    if sum(int(c.max()) for c in costs.values()) <= bound:
        return stack([])
    unit = gcd(*(int(c) for column in costs.values() for c in column))
    bound //= unit
    return _scaled_row({a: np.minimum(c // unit, bound + 1) for a, c in costs.items()}, bound, x)


def _scaled_row(costs: dict[int, Ints], bound: int, x: Sequence[Ints]) -> Rows:
    largest = max(int(c.max()) for c in costs.values())
    return rows(*(total(x[a], c / largest) for a, c in costs.items()), upper=(bound + 0.5) / largest)
