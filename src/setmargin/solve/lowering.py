"""From the rules of a space to relations and linear rows over integers.

The rewrites, in order, each small and exact:
1. a rule that is a conjunction becomes its parts;
2. a formula over few combinations of values becomes the table of those that satisfy it;
3. a linear inequality over many stays a linear row;
4. any other formula over many is cut: parts of it get a hidden attribute of two values that says whether they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np

from setmargin.solve.lowered import Ints, LinearRow, Lowered, Relation
from setmargin.space.formula import And, AtMost, Formula, Iff, Is, Not, Or, Rows, fold, holds, scope
from setmargin.space.space import Space

# Above this many combinations a formula is not listed as a table.
MOST_COMBINATIONS = 20_000
# A table of linear sums has little structure, so a linear row is listed only when it is really small.
MOST_LINEAR_COMBINATIONS = 2_000


def lower(space: Space) -> Lowered:
    """The space in integers; the visible attributes come first."""
    return lower_formulas(space.domains, [rule.formula for rule in space.rules])


def lower_formulas(domains: Sequence[int], formulas: Iterable[Formula]) -> Lowered:
    """Attributes of these sizes and everything that has to hold."""
    work = _Lowering(domains)
    for formula in formulas:
        work.add(formula)
    return Lowered(tuple(work.domains), tuple(work.relations), tuple(work.rows))


class _Lowering:
    """Collects relations, rows and hidden attributes while rules are added one by one."""

    def __init__(self, domains: Iterable[int]) -> None:
        self.domains = list(domains)
        self.relations: list[Relation] = []
        self.rows: list[LinearRow] = []

    def add(self, formula: Formula) -> None:
        """Demand that the formula holds."""
        waiting = [formula]
        while waiting:
            match waiting.pop():
                case And(parts):
                    waiting.extend(reversed(parts))
                case Not(Or(parts)):
                    waiting.extend(Not(part) for part in reversed(parts))
                case Rows() as table:
                    self.relations.append(
                        Relation(table.attributes, _rows(table.rows, len(table.attributes)), table.allow)
                    )
                case AtMost() as inequality if self._combinations(scope(inequality)) > MOST_LINEAR_COMBINATIONS:
                    self.rows.append(_linear_row(inequality))
                case other:
                    self._list(self._shrink(other))

    def _combinations(self, attributes: Iterable[int]) -> int:
        return prod(self.domains[attribute] for attribute in attributes)

    def _list(self, formula: Formula) -> None:
        """A small formula as a table of the allowed combinations or of the forbidden ones, whichever is shorter."""
        # A formula that is always or never true speaks of no attribute; the first one then carries its verdict.
        attributes = tuple(sorted(scope(formula))) or (0,)
        grid = np.indices([self.domains[a] for a in attributes]).reshape(len(attributes), -1).T.astype(np.int64)
        wide = np.zeros((len(grid), len(self.domains)), dtype=np.int64)
        wide[:, list(attributes)] = grid
        good = holds(formula, wide)
        allow = bool(good.sum() * 2 <= len(good))
        self.relations.append(Relation(attributes, grid[good == allow], allow))

    def _shrink(self, formula: Formula) -> Formula:
        """An equivalent formula over few combinations, with hidden attributes in place of large parts."""

        def visit(node: Formula, inner: Sequence[Formula]) -> Formula:
            match node:
                case AtMost() if self._combinations(scope(node)) > MOST_LINEAR_COMBINATIONS:
                    return self._hide_inequality(node)
                case Not():
                    return Not(inner[0])
                case And():
                    return And(self._fit(inner, And))
                case Or():
                    return Or(self._fit(inner, Or))
                case Iff():
                    return Iff(*self._fit(inner, None))
            return node

        return fold(formula, visit)

    def _fit(self, parts: Sequence[Formula], kind: type[And] | type[Or] | None) -> tuple[Formula, ...]:
        """The same parts, some of them gathered behind hidden attributes, so that together they are small."""
        waiting, scopes = list(parts), [scope(part) for part in parts]
        while self._combinations(frozenset().union(*scopes)) > MOST_COMBINATIONS:
            taken = self._longest_small_start(scopes) if kind else 1
            first = kind(tuple(waiting[:taken])) if kind else waiting[0]
            hidden = self._hide(first)
            waiting = [*waiting[taken:], hidden]
            scopes = [*scopes[taken:], scope(hidden)]
        return tuple(waiting)

    def _longest_small_start(self, scopes: Sequence[frozenset[int]]) -> int:
        """How many leading parts fit into one table; at least one, and two where two fit."""
        together: frozenset[int] = frozenset()
        for number, each in enumerate(scopes):
            together |= each
            if self._combinations(together) * 2 > MOST_COMBINATIONS:
                return max(number, 1)
        return len(scopes) - 1

    def _hide(self, formula: Formula) -> Is:
        """A hidden attribute that is 1 exactly where the formula holds."""
        hidden = self._new()
        self._list(Iff(hidden, formula))
        return hidden

    def _hide_inequality(self, inequality: AtMost) -> Is:
        """The same for a linear inequality, by two rows that the hidden attribute switches."""
        hidden = self._new()
        row = _linear_row(inequality)
        smallest = sum(int(column.min()) for column in row.coefficients.values())
        largest = sum(int(column.max()) for column in row.coefficients.values())
        loose = largest - row.bound
        if loose > 0:  # hidden = 1: Σ ≤ bound; hidden = 0: Σ ≤ largest
            self.rows.append(LinearRow({**row.coefficients, hidden.attribute: _switch(loose)}, largest))
        else:
            self._list(hidden)
        loose = row.bound + 1 - smallest
        turned = {attribute: -column for attribute, column in row.coefficients.items()}
        if loose > 0:  # hidden = 0: Σ ≥ bound + 1; hidden = 1: Σ ≥ smallest
            self.rows.append(LinearRow({**turned, hidden.attribute: _switch(-loose)}, -row.bound - 1))
        else:
            self._list(Not(hidden))
        return hidden

    def _new(self) -> Is:
        self.domains.append(2)
        return Is(len(self.domains) - 1, frozenset((1,)))


def _switch(amount: int) -> Ints:
    return np.array([0, amount], dtype=np.int64)


def _rows(rows: Sequence[Sequence[int]], width: int) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


def _linear_row(inequality: AtMost) -> LinearRow:
    columns = {attribute: np.array(column, dtype=np.int64) for attribute, column in inequality.coefficients}
    return LinearRow(columns, inequality.bound)
