"""Linear comparisons as formulas over value indices: exact decimals in, integers out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm

from setmargin.space.formula import And, AtMost, Formula, Is, Or

Columns = dict[int, tuple[Fraction, ...]]

# Sums of integer coefficients stay exactly representable, also as floating-point numbers inside a solver.
LARGEST_SUM = 2**52


def at_most(columns: Mapping[int, Sequence[Fraction]], bound: Fraction, *, strict: bool = False) -> Formula:
    """Σ ≤ bound (or < with `strict`): never, always, a set of values of one attribute, or an `AtMost`."""
    bound -= sum(map(min, columns.values()), Fraction(0))
    lifted = {p: [number - min(column) for number in column] for p, column in columns.items()}
    varying = {p: column for p, column in sorted(lifted.items()) if any(column)}
    if bound < 0 or (strict and bound == 0):
        return Or(())
    largest = sum(map(max, varying.values()), Fraction(0))
    if largest < bound or (largest == bound and not strict):
        return And(())
    if len(varying) == 1:
        ((position, column),) = varying.items()
        good = (i for i, number in enumerate(column) if number < bound or (number == bound and not strict))
        return Is(position, frozenset(good))
    return _in_integers(varying, bound, largest, strict=strict)


def _in_integers(
    columns: Mapping[int, Sequence[Fraction]], bound: Fraction, largest: Fraction, *, strict: bool
) -> AtMost:
    """Over a common denominator; rounded, to 15 digits, only if the numbers have more digits than that together."""
    numbers = [number for column in columns.values() for number in column]
    scale = Fraction(lcm(*(n.denominator for n in numbers)), gcd(*(n.numerator for n in numbers)))
    if largest * scale > LARGEST_SUM:
        scale = LARGEST_SUM / largest
        bound = round(bound * scale) / scale
    limit = bound * scale
    whole = limit.numerator // limit.denominator
    if strict and whole == limit:
        whole -= 1
    return AtMost(tuple((p, tuple(round(n * scale) for n in column)) for p, column in columns.items()), whole)
