"""The last resort of a strategy whose own questions were all asked: the best pair that is new."""

from __future__ import annotations

from itertools import islice

from setmargin.answers import Question
from setmargin.arrays import Floats
from setmargin.space.space import Configuration
from setmargin.strategies.base import Belief

LOOKED_AT = 60


def best_unasked_pair(belief: Belief, value_weights: Floats, *, status: str = "runners-up") -> Question | None:
    """Of the best configurations under these weights the first two that were not shown together; None if all were."""
    seen: list[Configuration] = []
    for row in islice(belief.oracle.ranked_for_values(value_weights), LOOKED_AT):
        here = belief.space.configuration(row)
        for other in seen:
            if not belief.was_asked(frozenset((other, here))):
                return Question((other, here), status=status)
        seen.append(here)
    return None
