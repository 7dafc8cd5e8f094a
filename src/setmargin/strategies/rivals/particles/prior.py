"""What weights are like before any answer: independent, all of one distribution, as the paper's people are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.space.text import suggest

Singles = NDArray[np.float32]


@dataclass(frozen=True)
class Prior:
    """Weights between `low` and `high`, normal in between; an infinite `bend` makes them uniform."""

    low: float
    high: float
    centre: float
    bend: float

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation; cutting off the ends of the normal one is neglected."""
        if self.bend == inf:
            return (self.low + self.high) / 2, (self.high - self.low) / sqrt(12)
        return self.centre, self.bend

    def drawn(self, rng: np.random.Generator, size: int, features: int) -> Singles:
        """Weights of `size` people."""
        chances = rng.random((size, features))
        return self._quantile(chances).clip(self.low, self.high).astype(np.float32)

    def _quantile(self, chances: Floats) -> Floats:
        if self.bend == inf:
            return self.low + (self.high - self.low) * chances
        ends = ndtr((np.array([self.low, self.high]) - self.centre) / self.bend)
        weights: Floats = self.centre + self.bend * ndtri(ends[0] + (ends[1] - ends[0]) * chances)
        return weights


PRIORS: Mapping[str, Prior] = {
    "uniform": Prior(1.0, 100.0, 50.5, inf),
    "normal": Prior(0.0, 100.0, 25.0, 25.0 / 3.0),
}
"""The paper's two distributions of people."""


def prior_called(name: str) -> Prior:
    """The prior of that name."""
    if name not in PRIORS:
        raise OptionError(f"there is no prior {name!r}; {suggest(name, sorted(PRIORS), what='there is')}")
    return PRIORS[name]
