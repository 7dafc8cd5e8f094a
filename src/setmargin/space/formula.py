"""Formulas over value indices: what a rule means once its names are resolved, and comparisons of linear sums as such.

Formulas may be nested to any depth, so nothing here recurses: every walk is a `fold` with its own stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import ceil, floor, gcd, lcm, prod
from typing import TypeVar

import numpy as np

from setmargin.arrays import Bools, Ints

Result = TypeVar("Result")
Coefficients = dict[int, tuple[int, ...]]

# Sums of integer coefficients stay exactly representable, also as floating-point numbers inside a solver.
LARGEST_SUM = 2**52
FEW = 16
"""So few configurations are looked at one by one, which is quicker."""
MOST_KEYS = 2**62
"""A table with fewer combinations knows its rows by one number each."""
MOST_CELLS = 1 << 22
"""Boxes times configurations that are looked at together."""


@dataclass(frozen=True, eq=False)
class Is:
    """The attribute's value is one of these."""

    attribute: int
    values: frozenset[int]


@dataclass(frozen=True, eq=False)
class AtMost:
    """Σ_a coefficients[a][value of a] ≤ bound, in integers: no tolerance is needed, and its negation is another one."""

    coefficients: tuple[tuple[int, tuple[int, ...]], ...]
    bound: int

    def negated(self) -> AtMost:
        """Σ ≥ bound + 1."""
        turned = tuple((a, tuple(-c for c in cs)) for a, cs in self.coefficients)
        return AtMost(turned, -self.bound - 1)


@dataclass(frozen=True, eq=False)
class InTable:
    """The combination of these attributes is (or with `allow=False` is not) one of the rows."""

    attributes: tuple[int, ...]
    rows: Sequence[Sequence[int]] | Ints
    allow: bool

    @cached_property
    def table(self) -> Ints:
        return np.asarray(self.rows, dtype=np.int64).reshape(len(self.rows), len(self.attributes))

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple((self.table.max(axis=0, initial=0) + 1).tolist())

    @cached_property
    def _keys(self) -> Ints:
        return np.unique(np.ravel_multi_index(tuple(self.table.T), self._sizes))

    def lists(self, picked: Ints) -> Bools:
        """Which combinations stand among the rows."""
        if not len(self.rows) or prod(self._sizes) >= MOST_KEYS:
            return listed(self.table, picked)
        known = np.asarray((picked < np.array(self._sizes)).all(axis=1))
        keys = np.ravel_multi_index(tuple(np.where(known[:, None], picked, 0).T), self._sizes)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.asarray(known & (self._keys[places] == keys))


Box = tuple[frozenset[int] | None, ...]
"""For each of some attributes the values that will do; None where any will."""


@dataclass(frozen=True, eq=False)
class InBoxes:
    """The combination of these attributes lies in (or with `allow=False` outside) all of the boxes' combinations.

    What a table with sets and wildcards means, where listing what they stand for would take too much room.
    """

    attributes: tuple[int, ...]
    boxes: tuple[Box, ...]
    allow: bool

    @cached_property
    def _columns(self) -> list[tuple[Bools, Ints]]:
        """For each attribute its different sets as masks, of which the last place is for values above all named."""
        return [_masks([box[column] for box in self.boxes]) for column in range(len(self.attributes))]

    def lists(self, picked: Ints) -> Bools:
        """Which combinations lie in some box."""
        step = max(1, MOST_CELLS // max(1, len(self.boxes)))
        parts = [self._inside(picked[begin : begin + step]) for begin in range(0, len(picked), step)]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])

    def _inside(self, picked: Ints) -> Bools:
        inside = np.ones((len(self.boxes), len(picked)), dtype=bool)
        for (masks, which), values in zip(self._columns, picked.T, strict=True):
            inside &= masks[:, np.minimum(values, masks.shape[1] - 1)][which]
        return np.asarray(inside.any(axis=0))


def _masks(cells: Sequence[frozenset[int] | None]) -> tuple[Bools, Ints]:
    number: dict[frozenset[int] | None, int] = {}
    which = np.array([number.setdefault(cell, len(number)) for cell in cells], dtype=np.int64)
    masks = np.zeros((len(number), 2 + max((v for cell in number for v in cell or ()), default=-1)), dtype=bool)
    for cell, row in number.items():
        masks[row, slice(None) if cell is None else list(cell)] = True
    return masks, which


@dataclass(frozen=True, eq=False)
class Not:
    """The part does not hold."""

    part: Formula


@dataclass(frozen=True, eq=False)
class And:
    """All parts hold; with no part: always true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, eq=False)
class Or:
    """Some part holds; with no part: never true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, eq=False)
class Iff:
    """Both sides hold, or neither does."""

    left: Formula
    right: Formula


Leaf = Is | AtMost | InTable | InBoxes
Formula = Leaf | Not | And | Or | Iff


def parts(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly inside."""
    match formula:
        case Not(part):
            return (part,)
        case And(inner) | Or(inner):
            return inner
        case Iff(left, right):
            return (left, right)
    return ()


def negated(formula: Formula) -> Formula:
    """The opposite, without a `Not` where there is a simpler way to say it."""
    match formula:
        case Not(part):
            return part
        case AtMost():
            return formula.negated()
    return Not(formula)


def fold(formula: Formula, visit: Callable[[Formula, Sequence[Result]], Result]) -> Result:
    """Visit every formula after its parts, with the results of its parts."""
    waiting: list[tuple[Formula, bool]] = [(formula, False)]
    done: list[Result] = []
    while waiting:
        node, ready = waiting.pop()
        inner = parts(node)
        if ready or not inner:
            first = len(done) - len(inner)
            done[first:] = [visit(node, done[first:])]
        else:
            waiting.append((node, True))
            waiting.extend((part, False) for part in reversed(inner))
    return done[0]


def scope(formula: Formula) -> frozenset[int]:
    """The attributes that the formula speaks of."""
    return fold(formula, _scope)


def _scope(node: Formula, inner: Sequence[frozenset[int]]) -> frozenset[int]:
    match node:
        case Is(attribute, _):
            return frozenset((attribute,))
        case AtMost(coefficients, _):
            return frozenset(attribute for attribute, _ in coefficients)
        case InTable(attributes, _, _) | InBoxes(attributes, _, _):
            return frozenset(attributes)
    return frozenset().union(*inner)


def holds(formula: Formula, configurations: Ints) -> Bools:
    """Which configurations (rows of value indices) satisfy the formula."""
    count = len(configurations)

    def visit(node: Formula, inner: Sequence[Bools]) -> Bools:
        match node:
            case Is(attribute, values) if count <= FEW:
                return np.array([value in values for value in configurations[:, attribute].tolist()], dtype=bool)
            case Is(attribute, values):
                return np.isin(configurations[:, attribute], np.fromiter(values, np.int64))
            case AtMost(coefficients, bound):
                total = np.zeros(count, dtype=np.int64)
                for attribute, numbers in coefficients:
                    total += np.array(numbers, dtype=np.int64)[configurations[:, attribute]]
                return total <= bound
            case InTable(attributes, _, allow) | InBoxes(attributes, _, allow):
                return np.equal(node.lists(configurations[:, list(attributes)]), allow)
            case Not():
                return ~inner[0]
            case And():
                return reduce(np.logical_and, inner, np.ones(count, dtype=bool))
            case Or():
                return reduce(np.logical_or, inner, np.zeros(count, dtype=bool))
        return np.equal(inner[0], inner[1])

    return fold(formula, visit)


def listed(table: Ints, picked: Ints) -> Bools:
    """Which picked rows stand in the table: rows become numbers column by column, exact for any number of columns."""
    both = np.concatenate([table, picked])
    keys = np.zeros(len(both), dtype=np.int64)
    for column in both.T:
        _, keys = np.unique(keys * (1 + column.max(initial=0)) + column, return_inverse=True)
    return np.isin(keys[len(table) :], keys[: len(table)])


# Linear sums: exact decimals in, integers out


@dataclass(frozen=True, eq=False)
class Linear:
    """(base + Σ_a columns[a][value of a]) / denominator."""

    columns: Coefficients
    base: int = 0
    denominator: int = 1

    @staticmethod
    def of(columns: Mapping[int, Sequence[Fraction]], base: Fraction = Fraction(0)) -> Linear:
        """The sum of what each value of each attribute adds, over a common denominator."""
        common = lcm(base.denominator, *(n.denominator for column in columns.values() for n in column))
        whole = {p: tuple(int(n * common) for n in column) for p, column in columns.items()}
        return Linear(whole, int(base * common), common)


def combine(terms: Sequence[tuple[Fraction, Linear]]) -> Linear:
    """Multiples of sums, as one sum."""
    common = lcm(*(factor.denominator * sum_.denominator for factor, sum_ in terms))
    columns: Coefficients = {}
    base = 0
    for factor, sum_ in terms:
        times = int(factor * common / sum_.denominator)
        base += times * sum_.base
        for position, column in sum_.columns.items():
            before = columns.get(position, (0,) * len(column))
            columns[position] = tuple(b + times * n for b, n in zip(before, column, strict=True))
    return Linear(columns, base, common)


def at_most_zero(sum_: Linear, *, strict: bool = False) -> Formula:
    """Sum ≤ 0 (or < 0 with `strict`): never, always, a set of values of one attribute, or an `AtMost`."""
    lowest = {p: min(column) for p, column in sum_.columns.items()}
    lifted = {p: tuple(n - lowest[p] for n in column) for p, column in sorted(sum_.columns.items())}
    varying = {p: column for p, column in lifted.items() if any(column)}
    bound = -sum_.base - sum(lowest.values())
    limit, largest = bound - strict, sum(map(max, varying.values()))
    if limit < 0:
        return Or(())
    if largest <= limit:
        return And(())
    if len(varying) == 1:
        ((position, column),) = varying.items()
        return Is(position, frozenset(index for index, number in enumerate(column) if number <= limit))
    columns, small = _shrunk(varying, bound, largest)
    return AtMost(tuple(columns.items()), ceil(small) - 1 if strict else floor(small))


def _shrunk(columns: Coefficients, bound: int, largest: int) -> tuple[Coefficients, Fraction]:
    """Without a common divisor; rounded, to 15 digits, only if the numbers have more digits than that together."""
    divisor = gcd(*(number for column in columns.values() for number in column))
    if largest <= LARGEST_SUM * divisor:
        return {p: tuple(n // divisor for n in column) for p, column in columns.items()}, Fraction(bound, divisor)
    scale = Fraction(LARGEST_SUM, largest)
    rounded = {p: tuple(round(n * scale) for n in column) for p, column in columns.items()}
    return rounded, Fraction(round(bound * scale))
