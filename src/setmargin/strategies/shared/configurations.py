"""Lists of configurations: all of a small space, a pool of candidates for a large one, what was asked, what was not."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

import numpy as np

from setmargin.answers import Question
from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.domination import domination
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Belief

LISTED = 5_000
"""Spaces of up to so many configurations are listed."""
LOOKED_AT = 60
"""The best configurations among which a pair is looked for that was not asked."""

OptionSet = frozenset[tuple[int, ...]]


@lru_cache(maxsize=32)
def list_configurations(space: Space, limit: int = LISTED) -> Ints | None:
    """All configurations as value indices; None where there are more than `limit`."""
    oracle = oracle_for(space)
    count = oracle.count()
    if count is not None and count > limit:
        return None
    rows = list(islice(oracle.ranked_for_values(np.zeros(int(space.offsets[-1]))), limit + 1))
    return np.array(rows, dtype=np.int64) if len(rows) <= limit else None


def candidate_pool(oracle: Oracle, mean: Floats, others: Floats, *, ranked: int) -> Ints:
    """The best `ranked` configurations for the mean weights, and the best one for each row of others.

    All weights are given per one-hot value; no configuration appears twice.
    """
    top = list(islice(oracle.ranked_for_values(mean), ranked))
    pool: Ints = np.unique(np.concatenate([np.stack(top), oracle.best_for_values(others)]), axis=0)
    return pool


def asked_sets(belief: Belief) -> set[OptionSet]:
    """What was shown together so far, as value indices."""
    return {
        frozenset(tuple(belief.space.indices(option).tolist()) for option in question.options)
        for question, _ in belief.history
    }


def option_set(options: Ints) -> OptionSet:
    """A set of configurations, whatever their order."""
    return frozenset(map(tuple, options.tolist()))


def best_unasked_pair(belief: Belief, value_weights: Floats, *, status: str = "runners-up") -> Question | None:
    """Of the best configurations under these weights the first two that were not shown together; None if all were.

    Where the catalogue says what is better, pairs of which one has nothing for it come last.
    """
    seen: list[Configuration] = []
    pointless: Question | None = None
    for row in islice(belief.oracle.ranked_for_values(value_weights), LOOKED_AT):
        here = belief.space.configuration(row)
        for other in seen:
            if belief.was_asked(frozenset((other, here))):
                continue
            question = Question((other, here), status=status)
            if not is_pointless(belief.space, question):
                return question
            pointless = pointless or question
        seen.append(here)
    return pointless


def is_pointless(space: Space, question: Question) -> bool:
    """Whether an option is dominated, in a space whose attributes say what is better."""
    if not len(space.goodness):
        return False
    rows = np.stack([space.indices(option) for option in question.options])
    return bool(domination(space, rows, rows).any())
