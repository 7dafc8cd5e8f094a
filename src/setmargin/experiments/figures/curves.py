"""From records to curves, and whether they agree with the published ones; pure, so that what is drawn can be checked.

The published median and ours may differ by two standard errors of their difference. The error is found by drawing
people again and again from our own, as many as we have and as many as they had; where all of ours are alike it is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl

from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.experiments.published import Axis, points

Measure = Literal["loss", "relative_loss", "seconds"]
"""Utility lost, the same as a share of the best, or all seconds so far that were spent on asking, learning, tuning."""
Band = Literal["quartiles", "standard-error"]

CLOCKS = ("ask_seconds", "learn_seconds", "tune_seconds")
LINE = ("strategy", "options", "set_size")
"""What makes a line; `options` only where the records have them."""
TALK = ("reasons", "changes", "careless")
SETTING = (
    *("catalogue", "weights", "no_order", "population", "quantities", "sparsity", "response", "wrong"),
    *(*TALK, "how", "seed"),
)
"""What makes a panel, as far as the records have it."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The people after so many questions or pairs: their median, and the band around it."""

    at: Ints
    median: Floats
    low: Floats
    high: Floats
    people: int

    def until(self, end: int | None) -> Curve:
        """The same, cut off after so many; at least one point stays."""
        kept = max(1, int((self.at <= end).sum())) if end is not None else len(self.at)
        return Curve(self.at[:kept], self.median[:kept], self.low[:kept], self.high[:kept], self.people)


def curve_of(frame: pl.DataFrame, *, axis: Axis, measure: Measure, band: Band = "quartiles") -> Curve:
    """The curve of one line of one panel: records that differ by person and question only."""
    tables = people_by_question(frame)
    values = tables[measure]
    at: Ints = np.arange(1, values.shape[1] + 1)
    if axis == "pair":
        at, values = by_pairs(tables["pairs"], values)
    median = np.median(values, axis=0)
    low, high = _band(values, median, band)
    return Curve(at, median, low, high, people=len(values))


def people_by_question(frame: pl.DataFrame) -> dict[str, Floats]:
    """Loss, relative loss, seconds so far and pairs so far, people × questions.

    Where a strategy had nothing left to ask, what it had reached is carried on.
    """
    rows = frame.sort("person", "question").with_columns(
        seconds=pl.sum_horizontal(CLOCKS).cum_sum().over("person", order_by="question")
    )
    _, starts, counts = np.unique(rows["person"].to_numpy(), return_index=True, return_counts=True)
    _check_complete(rows["question"].to_numpy(), counts)
    places = starts[:, None] + np.minimum(np.arange(counts.max()), counts[:, None] - 1)
    return {name: rows[name].to_numpy().astype(float)[places] for name in (*get_args(Measure), "pairs")}


def _check_complete(questions: Ints, counts: Ints) -> None:
    """Every person has each question once, from the first on."""
    expected = np.concatenate([np.arange(1, count + 1) for count in counts])
    if not np.array_equal(questions, expected):
        raise OptionError("a line of a figure has some question of some person twice, or not; draw one experiment")


def by_pairs(pairs: Floats, values: Floats) -> tuple[Ints, Floats]:
    """The same values by the number of pairs that were ordered: a question counts once it is answered as a whole."""
    first, last = max(1, int(pairs[:, 0].max())), max(1, int(pairs.max()))  # one point where nothing was ordered
    at: Ints = np.arange(first, last + 1)
    reached = np.stack([np.searchsorted(own, at, side="right") - 1 for own in pairs])
    return at, np.take_along_axis(values, reached, axis=1)


def _band(values: Floats, median: Floats, band: Band) -> tuple[Floats, Floats]:
    if band == "quartiles":
        low, high = np.quantile(values, [0.25, 0.75], axis=0)
        return low, high
    people = len(values)
    error = values.std(axis=0, ddof=1) / np.sqrt(people) if people > 1 else np.zeros_like(median)
    return np.maximum(median - error, 0.0), median + error


def present(frame: pl.DataFrame, columns: tuple[str, ...]) -> list[str]:
    """Those of the columns that these records have."""
    return [name for name in columns if name in frame.columns]


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
