"""The published results of the SetMargin paper, recomputed from its authors' raw data: what a reproduction lies beside.

`published.csv` has one line for each number. They are facts about twenty other people of the same distributions, so
curves are compared as distributions, never person by person. The bands of the printed figures are no part of it: their
captions say standard deviation, the raw data say that they are the standard error (deviation / √20).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, cast

Axis = Literal["question", "pair"]
"""What is counted: questions, or the pairs that were ordered by answering them (k (k - 1) / 2 a question)."""
Reported = Literal["loss", "relative_loss", "seconds", "needed", "without_loss"]
Statistic = Literal["median", "mean", "first", "lasting", "count"]


@dataclass(frozen=True)
class Published:
    """One published number.

    - `loss`, `relative_loss`, `seconds` (all so far): the median or mean over people, `at` so many questions or pairs;
    - `needed`: after how many of them the median relative loss is at most `at`, for the first time or lasting; None
      where that never happened;
    - `without_loss`: how many of the 20 people had lost nothing, `at` the end.
    """

    figure: str
    catalogue: str
    weights: str
    strategy: str
    set_size: int
    axis: Axis
    measure: Reported
    at: float
    statistic: Statistic
    value: float | None


@cache
def read_published() -> tuple[Published, ...]:
    text = files("setmargin.experiments").joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(_published(line) for line in csv.DictReader(text.splitlines()))


def _published(line: dict[str, str]) -> Published:
    return Published(
        figure=line["figure"],
        catalogue=line["catalogue"],
        weights=line["weights"],
        strategy=line["strategy"],
        set_size=int(line["set_size"]),
        axis=cast(Axis, line["axis"]),
        measure=cast(Reported, line["measure"]),
        at=float(line["at"]),
        statistic=cast(Statistic, line["statistic"]),
        value=float(line["value"]) if line["value"] else None,
    )


def points(
    figure: str,
    *,
    catalogue: str,
    weights: str,
    strategy: str,
    set_size: int,
    axis: Axis,
    measure: Reported,
    statistic: Statistic = "median",
) -> list[tuple[float, float | None]]:
    """What the figure says about one curve, as pairs of `at` and `value`; empty where it says nothing."""
    asked = (figure, catalogue, weights, strategy, set_size, axis, measure, statistic)
    return [(each.at, each.value) for each in read_published() if asked == _key(each)]


def _key(each: Published) -> tuple[object, ...]:
    return (
        each.figure,
        each.catalogue,
        each.weights,
        each.strategy,
        each.set_size,
        each.axis,
        each.measure,
        each.statistic,
    )
