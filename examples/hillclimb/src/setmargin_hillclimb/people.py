"""Simulated people of one's own: what they value, and how they answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from setmargin import Space
from setmargin.experiments import Response, ResponseModel


def draw_thrifty(space: Space, *, quantities: bool, rng: np.random.Generator) -> NDArray[np.float64]:
    """Somebody to whom a few values matter, and every quantity, such as the price, ten times as much."""
    names = space.feature_names
    amounts = {quantity.name for quantity in space.quantities} if quantities else set()
    weights = rng.uniform(0, 10, len(names)) * (rng.random(len(names)) < 0.5)
    weights[[name in amounts for name in names]] = rng.uniform(50, 100)
    return np.where([name in amounts or "=" in name for name in names], weights, 0.0)


class Hesitant(ResponseModel):
    """Sees no difference where the options are nearly alike, and otherwise makes no mistakes."""

    makes_mistakes = False

    def of_pair(self, difference: float, *, response: Response, rounding: float) -> NDArray[np.float64]:
        alike = abs(difference) <= max(rounding, 1 / response.lambda2)
        return np.array([difference > 0 and not alike, difference < 0 and not alike, alike], dtype=float)
