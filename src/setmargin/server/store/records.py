"""What the store gives back: frozen values, safe to hand from thread to thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from math import ceil
from typing import Any, TypedDict

Document = dict[str, Any]


class Progress(TypedDict):
    """What the owner's view counts of one interview."""

    answers: int
    expected_loss: float | None
    importance: dict[str, float]
    finished: bool


@dataclass(frozen=True)
class Catalogue:
    """One version of a catalogue; the digest stands for its name and document, to the last comma."""

    name: str
    digest: str
    document: Document
    created: datetime


@dataclass(frozen=True)
class Stored:
    """An interview: its row and its events. `version` is the number of events; `progress` may be behind or missing."""

    id: str
    name: str
    digest: str
    strategy: Document
    seed: int
    created: datetime
    seen: datetime
    version: int
    events: tuple[Document, ...]
    progress: Progress | None


@dataclass(frozen=True)
class Appended:
    """An event is in the log as number `version`; `repeated`: it was there before, and nothing changed."""

    version: int
    repeated: bool


@dataclass(frozen=True)
class Histogram:
    """How often each number occurred, smallest number first."""

    counts: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Histogram:
        """The histogram of a count by number."""
        return cls(tuple(sorted(counts.items())))

    @property
    def total(self) -> int:
        """How many there are in all."""
        return sum(count for _, count in self.counts)

    def quantile(self, share: float) -> int | None:
        """The smallest number that at least this share does not exceed; None when there is nothing."""
        wanted = max(1, ceil(share * self.total - 1e-9))
        reached = accumulate(count for _, count in self.counts)
        return next((number for (number, _), sofar in zip(self.counts, reached, strict=True) if sofar >= wanted), None)


@dataclass(frozen=True)
class Summary:
    """All interviews on the catalogues of one name.

    `answered` counts the interviews with at least one answer. `questions` are the answers that finished interviews
    took, `left` the answers given in unfinished ones that nobody looked at for half an hour. `importance` is the mean
    share of each attribute or quantity over the interviews that are answered, largest first.
    """

    name: str
    interviews: int
    answered: int
    finished: int
    questions: Histogram
    left: Histogram
    importance: Mapping[str, float]
