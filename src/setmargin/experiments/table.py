"""Each setting of an experiment in a few numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from setmargin.experiments.summary import Summary, collect, summarise
from setmargin.experiments.trial import Record

if TYPE_CHECKING:
    import polars as pl

WORDS = ("catalogue", "weights", "response", "wrong", "how", "quantities", "seed", "strategy", "options", "set_size")
"""What tells settings apart, in the order of a table's columns."""


@dataclass(frozen=True)
class Line:
    """One setting: what it is, and what came out."""

    words: dict[str, Any]
    summary: Summary

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {**self.words, "summary": self.summary.document()}


def lines(frame: pl.DataFrame) -> Iterator[Line]:
    """The settings of a frame of records, in its order."""
    for part in frame.partition_by("setting", maintain_order=True):
        first = part.row(0, named=True)
        records = (cast(Record, row) for row in part.iter_rows(named=True))
        yield Line({word: first[word] for word in WORDS}, summarise(collect(records, questions=first["questions"])))
