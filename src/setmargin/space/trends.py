"""Trends: what follows from the order of an attribute's values, as features beside one for each value.

People with a taste for more memory like every step up, one more than the other; people with a favourite screen size
like a size less the further it is from theirs. Both are sums of *trends* with weights that are never negative:

    ramp    0 at the worst value, 1 at the best, in between by the number; only for three values or more
    step    1 for all values that are at least as good as one of them, else 0: one for each value but the worst
    tent    1 at one value, falling on both sides: one for each of three values or more

`better: higher` and `lower` have a ramp and steps, `better: peak` has tents. A sum of ramps and steps rises from worse
to better values, and any rising function is such a sum; a sum of tents is concave, so it has one peak. What one value
is worth by itself stays a feature too, so somebody who likes 16 GB best, whatever the catalogue says, is understood.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import Final, Literal

from setmargin.space.attributes import Attribute

Kind = Literal["ramp", "step", "tent"]
LOGARITHMIC: Final = 8
"""Where the largest number is so many times the smallest, people think in doublings: 8, 16, 32 GB."""


@dataclass(frozen=True)
class Trend:
    """One trend of one attribute: a feature that its value decides.

    Parameters:
        attribute: which of the space's attributes, counted from 0.
        kind: `ramp`, `step` or `tent`.
        place: the value that it is about, as an index: where the step is, the top of the tent, the best of the ramp.
        name: what the feature is called, such as `memory>=16`.
        row: what each of the attribute's values has of it, from 0 to 1.
    """

    attribute: int
    kind: Kind
    place: int
    name: str
    row: tuple[float, ...]


def trends_of(attribute: Attribute, number: int) -> tuple[Trend, ...]:
    """The trends of the attribute with this number in its space; none where it does not say what is better."""
    if attribute.better is None:
        return ()
    make = _tents if attribute.better == "peak" else _rising
    return tuple(make(attribute, number))


def scale_of(attribute: Attribute) -> tuple[float, ...]:
    """Where each value stands between the lowest (0) and the highest (1), whichever is better.

    By the number, or by its logarithm where all are positive and far apart; words by their place in the list.
    """
    numbers = [float(value) for value in attribute.values if not isinstance(value, str)]
    if not attribute.is_numeric:
        numbers = [float(place) for place in range(len(attribute.values))]
    elif min(numbers) > 0 and max(numbers) >= LOGARITHMIC * min(numbers):
        numbers = [log(number) for number in numbers]
    lowest, span = min(numbers), (max(numbers) - min(numbers)) or 1.0
    return tuple((number - lowest) / span for number in numbers)


def goodness_of(attribute: Attribute) -> tuple[float, ...] | None:
    """From 0 at the worst value to 1 at the best; None where the attribute has no direction."""
    if attribute.better not in ("higher", "lower"):
        return None
    scale = scale_of(attribute)
    return scale if attribute.better == "higher" else tuple(1.0 - place for place in scale)


def _rising(attribute: Attribute, number: int) -> Iterator[Trend]:
    goodness = goodness_of(attribute)
    assert goodness is not None
    more, sign = ("more", ">=") if attribute.better == "higher" else ("less", "<=")
    _, *others = sorted(range(len(goodness)), key=goodness.__getitem__)
    if len(goodness) > 2:
        yield Trend(number, "ramp", others[-1], f"{attribute.name} ({more})", goodness)
    for place in others:
        row = tuple(1.0 if good >= goodness[place] else 0.0 for good in goodness)
        yield Trend(number, "step", place, f"{attribute.name}{sign}{attribute.labels[place]}", row)


def _tents(attribute: Attribute, number: int) -> Iterator[Trend]:
    scale = scale_of(attribute)
    for place, top in enumerate(scale if len(scale) > 2 else ()):
        row = tuple(1.0 - abs(here - top) for here in scale)
        yield Trend(number, "tent", place, f"{attribute.name}~{attribute.labels[place]}", row)
