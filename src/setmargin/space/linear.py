"""Linear sums and comparisons over value indices: exact decimals in, integers out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from setmargin.space.formula import And, AtMost, Formula, Is, Or

Columns = dict[int, tuple[int, ...]]

# Sums of integer coefficients stay exactly representable, also as floating-point numbers inside a solver.
LARGEST_SUM = 2**52


@dataclass(frozen=True, eq=False)
class Linear:
    """(base + Σ_a columns[a][value of a]) / denominator."""

    columns: Columns
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
    columns: Columns = {}
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


def _shrunk(columns: Columns, bound: int, largest: int) -> tuple[Columns, Fraction]:
    """Without a common divisor; rounded, to 15 digits, only if the numbers have more digits than that together."""
    divisor = gcd(*(number for column in columns.values() for number in column))
    if largest <= LARGEST_SUM * divisor:
        return {p: tuple(n // divisor for n in column) for p, column in columns.items()}, Fraction(bound, divisor)
    scale = Fraction(LARGEST_SUM, largest)
    rounded = {p: tuple(round(n * scale) for n in column) for p, column in columns.items()}
    return rounded, Fraction(round(bound * scale))
