"""Tastes in as few numbers as they have: contrasts between values, a few smooth curves over many numbers, quantities.

Only differences between an attribute's values can be chosen by, so m values have m - 1 tastes: orthonormal contrasts.
An attribute in an order with more than a few values has a few polynomials on its scale instead: neighbours are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from setmargin.arrays import Bools, Floats, Ints
from setmargin.space.attributes import Attribute
from setmargin.space.space import Space
from setmargin.space.trends import scale_of

FEW = 4
"""Values up to which an attribute in an order has a taste of its own for each."""
CURVES = (0.6, 0.45, 0.35)
"""How large the linear, quadratic and cubic curve are: the root of their mean square over the values."""
QUANTITY = 2.0
"""A quantity is about as large as an attribute once it is multiplied by this."""
MOST = 100
"""Tastes that are learnt at most; beyond them things that options rarely differed in are left as usual."""


@dataclass(frozen=True, eq=False)
class Basis:
    """How tastes become weights: weights = matrix · tastes."""

    matrix: Floats
    """Features × tastes."""
    known: Bools
    """The features that some taste is about."""
    rough: Bools
    """The features whose attribute has smooth curves only."""


def basis_of(space: Space, often: Ints) -> Basis:
    """The tastes for a space in whose things options differed so often; those in which they never did have none."""
    sizes = [_block(each).shape for each in space.attributes] + [(1, 1)] * len(space.quantities)
    blocks = [_block(each) for each in space.attributes] + [np.full((1, 1), QUANTITY)] * len(space.quantities)
    kept = _kept([shape[1] for shape in sizes], often)
    used = [block if keep else block[:, :0] for block, keep in zip(blocks, kept, strict=True)]
    used[len(space.attributes) : len(space.attributes)] = [np.zeros((len(each.values), 0)) for each in space.hidden]
    owners = space.owners[: space.plain_features]
    smooth = [_is_smooth(each) for each in space.attributes] + [False] * len(space.quantities)
    known = np.array(kept)[owners]
    known[space.seen_values : int(space.offsets[-1])] = True  # that nobody cares about what nobody sees
    return Basis(block_diag(*used), known, np.array(smooth)[owners])


def _kept(sizes: Sequence[int], often: Ints) -> list[bool]:
    kept, left = [False] * len(sizes), MOST
    for thing in sorted(range(len(sizes)), key=lambda thing: -int(often[thing])):
        if often[thing] and sizes[thing] <= left:
            kept[thing] = True
            left -= sizes[thing]
    return kept


def _is_smooth(attribute: Attribute) -> bool:
    return len(attribute.values) > FEW and (attribute.is_numeric or attribute.better is not None or attribute.ordered)


def _block(attribute: Attribute) -> Floats:
    """Values × tastes."""
    count = len(attribute.values)
    if not _is_smooth(attribute):
        return _perpendicular(np.eye(count)[:, : count - 1])
    scale = np.array(scale_of(attribute))
    curves = _perpendicular(np.stack([scale, scale**2, scale**3], axis=1))
    sized: Floats = curves * np.sqrt(count) * np.array(CURVES)
    return sized


def _perpendicular(columns: Floats) -> Floats:
    """The same after what they have of a constant, and of those before them, is taken away; all of length one."""
    ones = np.ones((len(columns), 1))
    turned, _ = np.linalg.qr(np.concatenate([ones, columns], axis=1))
    signs = np.sign((turned[:, 1:] * columns).sum(axis=0))
    found: Floats = turned[:, 1:] * np.where(signs == 0, 1.0, signs)
    return found
