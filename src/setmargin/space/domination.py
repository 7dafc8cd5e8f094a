"""Which configurations nobody would rather have, as far as the catalogue says what is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.space.space import Space
from setmargin.space.text import Value

NO_MORE: Final = 1e-9
"""Amounts and places on a scale that are closer than this are equal."""


def dominates(space: Space, one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Whether everybody who goes by what the catalogue calls better would rather have the one than the other.

    It is at least as good in every quantity and in every attribute with `better: higher` or `lower`, the same in all
    other attributes, and better in something. People who do not go by it may still prefer the other.

    >>> from setmargin import Attribute, Space
    >>> from setmargin.space.domination import dominates
    >>> space = Space([Attribute("memory", [8, 16], better="higher"), Attribute("colour", ["red", "green"])])
    >>> dominates(space, {"memory": 16, "colour": "red"}, {"memory": 8, "colour": "red"})
    True
    >>> dominates(space, {"memory": 16, "colour": "red"}, {"memory": 8, "colour": "green"})
    False
    """
    return bool(domination(space, space.indices(one)[None], space.indices(other)[None])[0, 0])


def domination(space: Space, rows: Ints, others: Ints) -> Bools:
    """Which of the rows of value indices dominate which of the others: rows × others."""
    merits, merits_of_others = _merits(space, rows), _merits(space, others)
    directed = [attribute.better in ("higher", "lower") for attribute in space.attributes]
    rest = np.flatnonzero(~np.array(directed))
    same = (rows[:, None, rest] == others[None, :, rest]).all(axis=2)
    apart = merits[:, None, :] - merits_of_others[None, :, :]
    found: Bools = same & (apart >= -NO_MORE).all(axis=2) & (apart > NO_MORE).any(axis=2)
    return found


def _merits(space: Space, rows: Ints) -> Floats:
    """How good each row is in each quantity and each attribute with a direction."""
    merits: Floats = space.onehot(rows) @ np.concatenate([space.costs[: len(space.quantities)], space.goodness]).T
    return merits
