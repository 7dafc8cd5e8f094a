"""Frames of records whose every number is known."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tests.experiments.stubs import trial


def line(
    *people: Sequence[float],
    strategy: str = "setmargin",
    set_size: int = 2,
    catalogue: str = "synthetic:3",
    weights: str = "uniform",
    options: str = "",
    finished: bool = False,
) -> pl.DataFrame:
    """The losses of some people after each question; a question takes 1.11 s, and all its pairs are ordered."""
    rows = [row for number, losses in enumerate(people, 1) for row in trial(number, *losses, finished=finished)]
    same = {"strategy": strategy, "set_size": set_size, "catalogue": catalogue, "weights": weights, "options": options}
    pairs = pl.col("question") * (set_size * (set_size - 1) // 2)
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        **{name: pl.lit(value) for name, value in same.items()}, pairs=pairs, gap=pl.lit(None, pl.Float64)
    )


ALL_WEIGHTS = ("uniform", "normal", "sparse-uniform", "sparse-normal")


def comparison(
    *, catalogues: Sequence[str] = ("synthetic:3", "synthetic:4"), weights: Sequence[str] = ALL_WEIGHTS
) -> pl.DataFrame:
    """A small experiment of the shape of the paper's first figure."""
    return pl.concat(
        line([9, 4, 0], [5, 5, 1], [7, 3, 0], strategy=strategy, catalogue=catalogue, weights=kind)
        for strategy in ("setmargin", "bayes", "rivoi")
        for catalogue in catalogues
        for kind in weights
    )


def part() -> pl.DataFrame:
    """Two panels of it, which are drawn much faster."""
    return comparison(catalogues=["synthetic:3"], weights=["sparse-normal"])
