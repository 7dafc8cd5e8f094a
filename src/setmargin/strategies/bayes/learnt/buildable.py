"""How often values come together among all that can be built: what sales would be like if people took anything."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log, prod

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space

DRAWN = 20_000
"""Configurations that stand for all that can be built."""


@dataclass(frozen=True, eq=False)
class Buildable:
    """Shares among all that can be built, of some attributes' values; their one-hot values follow each other."""

    offsets: Ints
    """Where the values of each attribute start; the last entry is the number of values."""
    together: Floats
    """Values × values: the share of configurations that have both. The diagonal is the share with each."""
    drawn: int | None
    """From so many random configurations; None where the shares are exact."""
    log_count: float
    """The logarithm of how many combinations of these attributes there are at most."""

    @property
    def alone(self) -> Floats:
        """The share of configurations that have each value."""
        return np.diag(self.together)


def one_hot(rows: Ints, offsets: Ints) -> Floats:
    """Rows of value numbers as rows of zeros and ones."""
    ones = np.zeros((len(rows), int(offsets[-1])))
    np.put_along_axis(ones, rows + offsets[:-1], 1.0, axis=1)
    return ones


@lru_cache(maxsize=8)
def buildable_shares(space: Space, attributes: tuple[int, ...]) -> Buildable:
    """The shares among what can be built of a space, seen through some of its attributes.

    Where it cannot be counted, drawing from it takes too long: every value then counts as any other.
    """
    sizes = [space.domains[number] for number in attributes]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    combinations = prod(sizes)
    count = oracle_for(space).count() if space.rules else None
    if count is None:
        alone = np.repeat(1.0 / np.array(sizes), sizes)
        together = np.outer(alone, alone)
        for start, end in pairwise(offsets.tolist()):
            together[start:end, start:end] = np.diag(alone[start:end])
        return Buildable(offsets, together, None, log(combinations))
    rows = oracle_for(space).sample(np.random.default_rng(0), DRAWN)[:, list(attributes)]
    ones = one_hot(rows, offsets).astype(np.float32)  # counts up to 2^24 are exact
    together = (ones.T @ ones).astype(float) / DRAWN
    return Buildable(offsets, together, DRAWN, log(min(count, combinations)))
