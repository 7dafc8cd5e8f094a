"""Which configurations a strategy looks at one by one: all of a small space, a pool from the oracle for a large one."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.space import Space
from setmargin.strategies.base import Belief

LISTED = 5_000
"""Spaces of up to so many configurations are listed."""

Set = frozenset[tuple[int, ...]]


@lru_cache(maxsize=32)
def listed(space: Space, limit: int = LISTED) -> Ints | None:
    """All configurations as value indices; None where there are more than `limit`."""
    oracle = oracle_for(space)
    count = oracle.count()
    if count is not None and count > limit:
        return None
    rows = list(islice(oracle.ranked_for_values(np.zeros(int(space.offsets[-1]))), limit + 1))
    return np.array(rows, dtype=np.int64) if len(rows) <= limit else None


def pooled(oracle: Oracle, mean: Floats, others: Floats, *, ranked: int) -> Ints:
    """The best `ranked` configurations for the mean weights, and the best one for each row of others.

    All weights are given per one-hot value; no configuration appears twice.
    """
    top = list(islice(oracle.ranked_for_values(mean), ranked))
    pool: Ints = np.unique(np.concatenate([np.stack(top), oracle.best_for_values(others)]), axis=0)
    return pool


def asked_sets(belief: Belief) -> set[Set]:
    """What was shown together so far, as value indices."""
    return {
        frozenset(tuple(belief.space.indices(option).tolist()) for option in question.options)
        for question, _ in belief.history
    }


def key(options: Ints) -> Set:
    """A set of configurations, whatever their order."""
    return frozenset(map(tuple, options.tolist()))
