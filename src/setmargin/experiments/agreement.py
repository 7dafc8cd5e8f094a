"""Whether a curve agrees with the published one: both are medians over few people, so chance has its share.

The published median and ours may differ by two standard errors of their difference. The error is found by drawing
people again and again from our own, as many as we have and as many as they had; where all of ours are alike it is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from setmargin.arrays import Floats
from setmargin.experiments.figures.curves import by_pairs, people_by_question
from setmargin.experiments.published import Axis, points

THEIRS = 20
"""People behind every published median."""
DRAWS = 1000
ERRORS = 2.0
"""What chance is allowed, in standard errors."""
ROUNDING = 0.05
"""Published losses have one decimal."""


@dataclass(frozen=True)
class Agreement:
    """Our median loss beside the published one, after so many questions or pairs."""

    at: int
    ours: float
    published: float
    error: float

    @property
    def difference(self) -> float:
        """Above 0 where ours is the larger loss."""
        return self.ours - self.published

    @property
    def agrees(self) -> bool:
        """Whether chance may explain the difference."""
        return abs(self.difference) <= ERRORS * self.error + ROUNDING


def agreements(frame: pl.DataFrame, figure: str, *, axis: Axis = "question") -> list[Agreement]:
    """Every published median loss that our records of one line of one panel reach."""
    first = frame.row(0, named=True)
    said = points(
        figure,
        catalogue="pc" if figure == "pc" else first["catalogue"],
        weights=first["weights"],
        strategy=first["strategy"],
        set_size=first["set_size"],
        axis=axis,
        measure="loss",
    )
    at, losses = _losses(frame, axis)
    ours = dict(zip(at, losses.T, strict=True))
    return [_agreement(int(n), ours[int(n)], value) for n, value in said if value is not None and int(n) in ours]


def _losses(frame: pl.DataFrame, axis: Axis) -> tuple[list[int], Floats]:
    tables = people_by_question(frame)
    if axis == "question":
        return list(range(1, tables["loss"].shape[1] + 1)), tables["loss"]
    at, losses = by_pairs(tables["pairs"], tables["loss"])
    return at.tolist(), losses


def _agreement(at: int, ours: Floats, published: float) -> Agreement:
    rng = np.random.default_rng(0)
    error = np.hypot(_error_of_median(ours, len(ours), rng), _error_of_median(ours, THEIRS, rng))
    return Agreement(at, float(np.median(ours)), published, float(error))


def _error_of_median(sample: Floats, size: int, rng: np.random.Generator) -> float:
    """The standard deviation of the median of so many people like these."""
    return float(np.median(rng.choice(sample, (DRAWS, size)), axis=1).std())
