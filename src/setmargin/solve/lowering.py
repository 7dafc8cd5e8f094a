"""A space in the plain form that every solver reads, integers only and no names, and how it gets there.

`Lowered` is the narrow waist between what can be built and what is best. The attributes of the space come first, in
their order; after them may stand *hidden* attributes of two values that lowering adds for parts of rules. A hidden
attribute is always determined by the visible ones, so counting lowered configurations counts configurations.

The rewrites of rules, in order, each small and exact:
1. a rule that is a conjunction becomes its parts;
2. a linear inequality over many combinations of values stays a linear row;
3. a condition for a conjunction over many becomes a condition for each of its parts;
4. a table with many sets and wildcards, and a formula over many that says as much, stays a union of boxes;
5. any other formula over many is cut: parts of it get a hidden attribute of two values that says whether they hold;
6. what is now a formula over few combinations becomes the table of those that satisfy it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from math import prod
from operator import mul, or_
from typing import NamedTuple

import numpy as np

from setmargin.arrays import Bools, Ints
from setmargin.solve.boxes import boxes_of
from setmargin.solve.relations import Relation
from setmargin.space.formula import (
    And,
    AtMost,
    Formula,
    Iff,
    InBoxes,
    InTable,
    Is,
    Not,
    Or,
    fold,
    holds,
    listed,
    negated,
    scope,
)
from setmargin.space.space import Space
from setmargin.time_limit import check_time

# Above this many combinations a formula is not listed as a table.
MOST_COMBINATIONS = 20_000
# A table of linear sums has little structure, so a linear row is listed only when it is really small.
MOST_LINEAR_COMBINATIONS = 2_000
# A condition over at most so many combinations is repeated for every part of what it demands.
SMALL_CONDITION = 1_000

Join = Callable[[tuple[Formula, ...]], Formula]


@dataclass(frozen=True, eq=False)
class LinearRow:
    """Σ_a coefficients[a][value of a] ≤ bound, in integers, so that no tolerance is ever needed."""

    coefficients: dict[int, Ints]
    bound: int


@dataclass(frozen=True, eq=False)
class Lowered:
    """Sizes of the attributes, and everything that restricts them."""

    domains: tuple[int, ...]
    relations: tuple[Relation, ...] = ()
    rows: tuple[LinearRow, ...] = ()
    boxes: tuple[InBoxes, ...] = ()

    @property
    def offsets(self) -> Ints:
        """Where each attribute's one-hot block starts, with the total at the end."""
        return np.concatenate([[0], np.cumsum(self.domains)]).astype(np.int64)

    def holds(self, configurations: Ints) -> Bools:
        """Which rows of value indices (n × attributes) satisfy everything."""
        good = np.ones(len(configurations), dtype=bool)
        for relation in self.relations:
            good &= listed(relation.rows, configurations[:, list(relation.scope)]) == relation.allow
        for union in self.boxes:
            good &= union.lists(configurations[:, list(union.attributes)]) == union.allow
        for row in self.rows:
            total = np.zeros(len(configurations), dtype=np.int64)
            for attribute, coefficients in row.coefficients.items():
                total += coefficients[configurations[:, attribute]]
            good &= total <= row.bound
        return good


def lower(space: Space) -> Lowered:
    """The space in integers; the visible attributes come first. A product list is one relation: what is left of it."""
    if space.items is not None:
        rows = space.listing.rows
        listed = Relation(tuple(range(len(space.domains))), rows[space.obeying(rows)].astype(np.int64))
        return Lowered(space.domains, (listed,))
    return combined(lower_each(space.domains, [rule.formula for rule in space.rules]), space.domains)


def lower_each(domains: Sequence[int], formulas: Iterable[Formula]) -> tuple[Lowered, ...]:
    """Each formula by itself, but over the same attributes of these sizes, so that any of them can be combined."""
    work = _Lowering(domains)
    parts = [work.lowered(formula) for formula in formulas]
    return tuple(replace(part, domains=tuple(work.domains)) for part in parts)


def combined(parts: Sequence[Lowered], domains: Sequence[int]) -> Lowered:
    """Everything that the parts restrict, together; attributes of these sizes where there is no part."""
    relations = tuple(relation for part in parts for relation in part.relations)
    rows = tuple(row for part in parts for row in part.rows)
    boxes = tuple(union for part in parts for union in part.boxes)
    return Lowered(parts[0].domains if parts else tuple(domains), relations, rows, boxes)


class _ScopedFormula(NamedTuple):
    """A part of a formula with the attributes it speaks of, kept on the way up so that deep nesting costs little."""

    formula: Formula
    scope: frozenset[int]


class _Lowering:
    """Collects hidden attributes over all formulas, and relations and rows of one."""

    def __init__(self, domains: Iterable[int]) -> None:
        self.domains = list(domains)
        self.relations: list[Relation] = []
        self.rows: list[LinearRow] = []
        self.boxes: list[InBoxes] = []

    def lowered(self, formula: Formula) -> Lowered:
        """What says that the formula holds, over the attributes that there are by now."""
        self.relations, self.rows, self.boxes = [], [], []
        self._add(formula)
        return Lowered(tuple(self.domains), tuple(self.relations), tuple(self.rows), tuple(self.boxes))

    def _add(self, formula: Formula) -> None:
        waiting = [formula]
        while waiting:
            match waiting.pop():
                case And() | Not(Or()) as conjunction:
                    waiting.extend(reversed(_conjuncts(conjunction)))
                case InTable(attributes, _, allow) as table:
                    self.relations.append(Relation(attributes, table.table, allow))
                case InBoxes() as union:
                    self.boxes.append(union)
                case AtMost() as inequality if self._exceed(scope(inequality), MOST_LINEAR_COMBINATIONS):
                    self.rows.append(_linear_row(inequality))
                case Or((one, other)) if each := self._for_each(one, other) or self._for_each(other, one):
                    waiting.extend(reversed(each))
                case any_other if found := self._as_boxes(any_other):
                    self.boxes.append(found)
                case any_other:
                    self._list(fold(any_other, self._shrink))

    def _for_each(self, condition: Formula, demand: Formula) -> Sequence[Formula]:
        """A small condition with each part of a large conjunction; nothing if it is not of that kind."""
        parts, own = _conjuncts(demand), scope(condition)
        if len(parts) == 1 or self._exceed(own, SMALL_CONDITION):
            return ()
        return [Or((condition, part)) for part in parts] if self._exceed(own | scope(demand), MOST_COMBINATIONS) else ()

    def _as_boxes(self, formula: Formula) -> InBoxes | None:
        """A large formula as a union of boxes, if it is one that is not too long."""
        return boxes_of(formula, self.domains) if self._exceed(scope(formula), MOST_COMBINATIONS) else None

    def _exceed(self, attributes: Iterable[int], most: int) -> bool:
        """Whether there are more combinations of their values than that; stops counting once it is clear."""
        return any(count > most for count in accumulate((self.domains[a] for a in attributes), mul))

    def _list(self, part: _ScopedFormula) -> None:
        """A small formula as a table of the allowed combinations or of the forbidden ones, whichever is shorter."""
        check_time()
        # A formula that is always or never true speaks of no attribute; the first one then carries its verdict.
        attributes = tuple(sorted(part.scope)) or (0,)
        grid = np.indices([self.domains[a] for a in attributes]).reshape(len(attributes), -1).T.astype(np.int64)
        # Column by column: the memory of attributes that it does not speak of is never touched.
        wide = np.zeros((len(grid), len(self.domains)), dtype=np.int64, order="F")
        wide[:, list(attributes)] = grid
        good = holds(part.formula, wide)
        allow = bool(good.sum() * 2 <= len(good))
        self.relations.append(Relation(attributes, grid[good == allow], allow))

    def _shrink(self, node: Formula, inner: Sequence[_ScopedFormula]) -> _ScopedFormula:
        """An equivalent formula over few combinations, with hidden attributes in place of large parts."""
        match node:
            case AtMost() if self._exceed(scope(node), MOST_LINEAR_COMBINATIONS):
                return self._hide_inequality(node)
            case Not():
                return _ScopedFormula(Not(inner[0].formula), inner[0].scope)
            case And() | Or():
                return _joined(type(node), self._fit(inner, type(node)))
            case Iff():
                return _joined(_iff, self._fit(inner, None))
        return _ScopedFormula(node, scope(node))

    def _fit(self, parts: Sequence[_ScopedFormula], kind: Join | None) -> Sequence[_ScopedFormula]:
        """The same parts, the largest of them behind hidden attributes, so that together they are small."""
        waiting = sorted(parts, key=lambda part: -prod(self.domains[a] for a in part.scope))
        while self._exceed(_together(waiting), MOST_COMBINATIONS):
            taken = self._fitting(waiting) if kind else 1
            gathered = _joined(kind, waiting[:taken]) if kind else waiting[0]
            waiting = [*waiting[taken:], self._hide(gathered)]
        return waiting

    def _fitting(self, parts: Sequence[_ScopedFormula]) -> int:
        """How many leading parts fit into one table beside a hidden attribute; at least one is taken all the same."""
        growing = accumulate((part.scope for part in parts), or_)
        small = takewhile(lambda each: not self._exceed(each, MOST_COMBINATIONS // 2), growing)
        return max(1, sum(1 for _ in small))

    def _hide(self, part: _ScopedFormula) -> _ScopedFormula:
        """A hidden attribute that is 1 exactly where the part holds."""
        hidden = self._new()
        self._list(_joined(_iff, [hidden, part]))
        return hidden

    def _hide_inequality(self, inequality: AtMost) -> _ScopedFormula:
        """The same for a linear inequality, by two rows that the hidden attribute switches."""
        hidden = self._new()
        (switch,) = hidden.scope
        row = _linear_row(inequality)
        smallest = sum(int(column.min()) for column in row.coefficients.values())
        largest = sum(int(column.max()) for column in row.coefficients.values())
        # hidden = 1: Σ ≤ bound; hidden = 0: Σ ≤ largest, which is always so
        below = {**row.coefficients, switch: _switch(largest - row.bound)}
        # hidden = 0: Σ ≥ bound + 1; hidden = 1: Σ ≥ smallest, which is always so
        above = {**{a: -column for a, column in row.coefficients.items()}, switch: _switch(smallest - row.bound - 1)}
        self.rows += [LinearRow(below, largest), LinearRow(above, -row.bound - 1)]
        return hidden

    def _new(self) -> _ScopedFormula:
        self.domains.append(2)
        number = len(self.domains) - 1
        return _ScopedFormula(Is(number, frozenset((1,))), frozenset((number,)))


def _conjuncts(formula: Formula) -> tuple[Formula, ...]:
    match formula:
        case And(parts):
            return parts
        case Not(Or(parts)):
            return tuple(negated(part) for part in parts)
    return (formula,)


def _together(parts: Iterable[_ScopedFormula]) -> frozenset[int]:
    return frozenset().union(*(part.scope for part in parts))


def _joined(kind: Join, parts: Sequence[_ScopedFormula]) -> _ScopedFormula:
    return _ScopedFormula(kind(tuple(part.formula for part in parts)), _together(parts))


def _iff(sides: tuple[Formula, ...]) -> Formula:
    return Iff(*sides)


def _switch(amount: int) -> Ints:
    return np.array([0, amount], dtype=np.int64)


def _linear_row(inequality: AtMost) -> LinearRow:
    columns = {attribute: np.array(column, dtype=np.int64) for attribute, column in inequality.coefficients}
    return LinearRow(columns, inequality.bound)
