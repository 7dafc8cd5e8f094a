"""Ties are decided by a rule of ours, not by rounding: what is better, then the order of the catalogue.

A linear problem often has many optimal vertices, and which one comes out depends on the last digit of a sum, so on the
processor. Two things make a choice among equals the same everywhere:
- `tie_costs` makes each feature cost next to nothing, each a little more than the one before it, so that of all equally
  good weights one is best;
- `without_last_digits` puts weights on a grid that is far coarser than rounding and far finer than any real difference.
  Its steps are powers of two, so sums of such weights are exact, and what is equal is equal in any order of summation.
"""

from __future__ import annotations

import numpy as np

from setmargin.arrays import Floats
from setmargin.space.space import Space

# Above what solvers call equal (1e-9), also after it is shared out over a hundred features.
TIE_COST = 1e-6
STEP = 2.0**-26
# All quantities together may not add up to a step; with thirteen digits left, sums up to 2¹⁰ are still exact.
QUANTITY_STEP, QUANTITIES_AT_MOST = 2.0**-42, 2.0**-28


def tie_costs(space: Space) -> Floats:
    """What each feature costs beside all that matters: quantities least, then trends, then values in their order."""
    count, before_values = len(space.feature_names), len(space.costs)
    rank = (np.arange(count) + before_values) % count
    # Roots, so that no two features together cost the same as two others.
    costs: Floats = TIE_COST * np.sqrt((rank + 1.0) / count)
    return costs


def without_last_digits(weights: Floats) -> Floats:
    """The same weights on a grid on which sums are exact."""
    rounded: Floats = np.round(weights / STEP) * STEP
    return rounded


def with_better_quantities(space: Space, value_weights: Floats) -> Floats:
    """Among configurations that are equally good, the one with the better quantities is better after all.

    So is the one with the better values, where an attribute says what is better: nothing dominated is ever best.
    """
    better = np.concatenate([space.costs[: len(space.quantities)], space.goodness])
    share = QUANTITIES_AT_MOST / max(len(better), 1)
    lift = np.round(share * better.sum(axis=0) / QUANTITY_STEP) * QUANTITY_STEP
    lifted: Floats = without_last_digits(value_weights) + lift
    return lifted
