"""What a diagram is made of, and the weights it is asked with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.solve.diagram.sweep import LayerPlan

_LARGE = 2.0**960


@dataclass(frozen=True, eq=False)
class Layer:
    """One attribute: `children[node, column]` is where value `values[column]` leads, -1 if it may not follow."""

    attribute: int
    values: Ints
    labels: Ints
    """The one-hot index of each column."""
    children: Ints

    @cached_property
    def plan(self) -> LayerPlan:
        """The layout for sweeps."""
        return LayerPlan.of(self.labels, self.children)


def checked_weights(weights: Floats, total: int) -> tuple[Floats, float]:
    """Finite weights of the right shape, and the power of two by which they were scaled so that no sum overflows."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[1] != total:
        raise OptionError(f"weights have shape {weights.shape}; give one row of {total} numbers for each vector")
    largest = float(np.abs(weights).max(initial=0.0))
    if not largest < np.inf:
        raise OptionError("some weight is not a finite number; replace NaN and infinity")
    scale = 1.0 if largest < _LARGE else 2.0**-64
    return (weights if scale == 1.0 else weights * scale), scale
