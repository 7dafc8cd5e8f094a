"""From a solution to a question: different options, not shown together before, and something else after a skip."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile

import numpy as np

from setmargin.answers import Question, Skip
from setmargin.arrays import Ints
from setmargin.strategies.base import Belief
from setmargin.strategies.setmargin.problem import SetSolution

RUNNERS_UP = 200


def question_of(belief: Belief, found: SetSolution) -> Question | None:
    """The configurations as a question: equal ones and repeated questions give way to runners-up."""
    chosen: list[tuple[int, ...]] = []
    for row, weights in zip(found.configurations, found.value_weights, strict=True):
        option: Ints | None = row
        if tuple(row.tolist()) in chosen:
            option = belief.oracle.best_other_indices(weights, chosen)
        if option is not None:
            chosen.append(tuple(option.tolist()))
    if len(chosen) < 2:
        return None
    for last in _last_options(belief, found, chosen):
        options = tuple(belief.space.configuration(row) for row in (*chosen[:-1], last))
        if not belief.was_asked(frozenset(options)):
            return Question(options, status=found.status, gap=found.gap)
    return None


def _last_options(belief: Belief, found: SetSolution, chosen: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """The last option itself, then what comes after it in the order of its weights."""
    yield chosen[-1]
    ranked = (tuple(row.tolist()) for row in belief.oracle.ranked_for_values(found.value_weights[-1]))
    yield from (row for row in islice(ranked, RUNNERS_UP) if row not in chosen)


def last_options(belief: Belief, size: int) -> Ints | None:
    """The options of the last question: what was best before one more answer is near to what is best after it."""
    if not belief.history or len(belief.history[-1][0].options) != size:
        return None
    rows = np.array([belief.space.indices(option) for option in belief.history[-1][0].options])
    return belief.oracle.best_for_values(belief.space.onehot(rows))


def skipped(belief: Belief) -> list[Question]:
    """The questions passed over since the last answer."""
    trailing = takewhile(lambda event: isinstance(event[1], Skip), reversed(belief.history))
    return [question for question, _ in trailing]


def distance_from_skipped(belief: Belief, found: SetSolution) -> int:
    """In how many attributes the options differ from the nearest ones that were passed over, summed."""
    space = belief.space
    passed = np.array([space.indices(option) for question in skipped(belief) for option in question.options])
    apart = (found.configurations[:, None, :] != passed[None]).sum(axis=2)
    return int(apart.min(axis=1).sum())
