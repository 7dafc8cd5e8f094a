"""How much work a search may still do. Linear problems are what costs, so they are what is counted."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

LEAST_SECONDS = 0.001


@dataclass
class Effort:
    """So many linear problems, and no longer than until the deadline."""

    fits: int
    deadline: float = float("inf")

    @classmethod
    def unlimited(cls) -> Effort:
        """For work that ends by itself."""
        return cls(10**9)

    @property
    def is_over(self) -> bool:
        """Whether to stop and return the best so far."""
        return self.fits <= 0 or monotonic() > self.deadline

    @property
    def seconds_left(self) -> float:
        """For a solver that wants to know, and wants a positive number."""
        return max(self.deadline - monotonic(), LEAST_SECONDS)

    def of(self, fits: int) -> Effort:
        """Another number of linear problems before the same deadline."""
        return Effort(fits, self.deadline)
