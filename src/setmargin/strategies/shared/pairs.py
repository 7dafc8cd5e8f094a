"""Answers as differences of configurations: what every learner from pairs learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from setmargin.answers import Answer, Question, preferences
from setmargin.arrays import Floats, Ints
from setmargin.space.space import Space


@dataclass(frozen=True, eq=False)
class Pairs:
    """What the answers say, as differences of one-hot rows: strict ones y₊ − y₋, and equal ones."""

    strict: Floats
    equal: Floats

    def __len__(self) -> int:
        return len(self.strict) + len(self.equal)

    def at(self, chosen: Ints) -> Pairs:
        """Some of the pairs, numbered with the strict ones first."""
        cut = len(self.strict)
        return Pairs(self.strict[chosen[chosen < cut]], self.equal[chosen[chosen >= cut] - cut])


def pairs_of(space: Space, history: Sequence[tuple[Question, Answer]]) -> Pairs:
    """All pairs that the answers order."""
    strict, equal = [np.zeros((0, int(space.offsets[-1])))], [np.zeros((0, int(space.offsets[-1])))]
    for question, answer in history:
        options = space.onehot(np.array([space.indices(option) for option in question.options]))
        for better, worse, is_strict in preferences(question, answer):
            (strict if is_strict else equal).append((options[better] - options[worse])[None])
    return Pairs(np.concatenate(strict), np.concatenate(equal))
