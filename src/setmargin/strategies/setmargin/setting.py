"""The hyperparameters of the setwise max-margin problem, and the bounds of its weights."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from setmargin.errors import OptionError
from setmargin.solve.lowered import Floats
from setmargin.space.space import Space


@dataclass(frozen=True, order=True)
class Setting:
    """α weighs ranking errors, β the size of the weights, γ the quality of the configurations."""

    alpha: float
    beta: float
    gamma: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma"):
            value = getattr(self, name)
            if not (isfinite(value) and value >= 0):
                raise OptionError(f"{name} is {value}; give a number that is not negative")
        if self.alpha < 1:
            # One answer, k = 1: margin and slack can grow together without end, and the objective with them.
            raise OptionError(f"alpha is {self.alpha}; below 1 the problem for k = 1 is unbounded, so give 1 or more")


# Answers count for all, size and favourites for next to nothing: if this finds no margin, no setting does.
STRICTEST = Setting(20.0, 1e-6, 1e-6)


@dataclass(frozen=True, eq=False)
class Bounds:
    """w⊥ ≤ w ≤ w⊤, feature by feature (eq. 3)."""

    lower: Floats
    upper: Floats

    @classmethod
    def unit(cls, space: Space) -> Bounds:
        """Every weight between 0 and 1: utilities have no scale of their own."""
        size = len(space.feature_names)
        return cls(np.zeros(size), np.ones(size))

    def __post_init__(self) -> None:
        if self.lower.shape != self.upper.shape or not (self.lower >= 0).all():
            raise OptionError("the weights' bounds must be two vectors of one length, and not negative")
        if not ((self.upper >= self.lower).all() and np.isfinite(self.upper).all()):
            raise OptionError("the weights' upper bounds must be finite and not below the lower ones")

    def of_values(self, space: Space) -> Bounds:
        """The bounds of v = w_B + C'w_R that follow."""
        return Bounds(space.value_weights(self.lower), space.value_weights(self.upper))
