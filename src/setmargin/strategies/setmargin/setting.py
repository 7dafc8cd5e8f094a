"""The hyperparameters of the setwise max-margin problem, and the bounds of its weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from setmargin.arrays import Floats
from setmargin.errors import OptionError
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
    """w⊥ ≤ w ≤ w⊤, feature by feature (eq. 3), and how much each weight counts in ‖w‖₁ (once, if nothing is said)."""

    lower: Floats
    upper: Floats
    counts: Floats = field(default_factory=lambda: np.ones(1))

    @classmethod
    def usual(cls, space: Space) -> Bounds:
        """Every value between 0 and 1, as utilities have no scale of their own, and quantities in proportion.

        A quantity's feature spans 1 over all the attributes it sums, so its weight may be as large as their number:
        then it can matter as much as all of them together. At its largest it counts once, like one value.
        """
        values = np.ones(int(space.offsets[-1]))
        spread = np.array([max(len(quantity.terms), 1) for quantity in space.quantities], dtype=float)
        upper = np.concatenate([values, spread])
        return cls(np.zeros_like(upper), upper, 1.0 / upper)

    def __post_init__(self) -> None:
        if self.lower.shape != self.upper.shape or not (self.lower >= 0).all():
            raise OptionError("the weights' bounds must be two vectors of one length, and not negative")
        object.__setattr__(self, "counts", np.broadcast_to(self.counts, self.upper.shape))
        if not ((self.upper >= self.lower).all() and np.isfinite(self.upper).all()):
            raise OptionError("the weights' upper bounds must be finite and not below the lower ones")

    def of_values(self, space: Space) -> Bounds:
        """The bounds of v = w_B + C'w_R that follow; each counts once, as in the paper."""
        return Bounds(space.value_weights(self.lower), space.value_weights(self.upper))
