"""Changes of one configuration: which there are, and what each is worth to somebody with known weights.

A change puts another value in place of one, makes a quantity better by a step, or is none at all. What a value does to
quantities is seen along with it, so it is worth the difference of v = w_B + C'w_R.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from setmargin.answers import Change, Question
from setmargin.arrays import Bools, Floats
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.space.text import Value

STEP: Final = 0.15
"""How much better a quantity gets when somebody asks for it, as a share of all that it could be."""


@lru_cache(maxsize=64)
def possible_values(space: Space) -> Bools:
    """Which one-hot values some configuration has, of those that people see."""
    values = oracle_for(space).possible()
    seen = [value in set(values[a.name]) for a in space.attributes for value in a.values]
    return np.array([*seen, *[False] * (int(space.offsets[-1]) - len(seen))])


def can_be_had(space: Space, change: Change) -> bool:
    """Whether some configuration has the value that is asked for."""
    return change.value is None or bool(possible_values(space)[column_of(space, change.name, change.value)])


def column_of(space: Space, name: str | None, value: Value | None) -> int:
    """A change as a number: the feature that it is about, or behind all of them nothing."""
    if name is None:
        return len(space.feature_names)
    thing = space.things.index(name)
    if value is None:
        return int(space.offsets[-1]) + thing - len(space.attributes)
    return int(space.offsets[thing]) + space.attributes[thing].index(value)


def changes_of(space: Space, question: Question) -> list[Change]:
    """Everything that can be asked for instead of what is shown, wishes that are known left out; nothing comes last."""
    shown, possible = question.options[0], possible_values(space)
    values = [(a.name, value) for a in space.attributes for value in a.values]
    wishes = [
        wish
        for wish, can in zip(values, possible[: space.seen_values], strict=True)
        if can and shown[wish[0]] != wish[1]
    ]
    better: list[tuple[str, Value | None]] = [(quantity.name, None) for quantity in space.quantities]
    return [Change(*wish) for wish in (*wishes, *better) if wish not in question.besides] + [Change()]


def gains_of(space: Space, weights: Floats, question: Question) -> tuple[list[Change], Floats]:
    """All changes, and what each adds to the utility of somebody with these weights."""
    changes, cut = changes_of(space, question), int(space.offsets[-1])
    shown = np.repeat(space.indices(question.options[0]) + space.offsets[:-1], space.domains)
    values = space.value_weights(weights)
    gains = np.concatenate([values - values[shown], STEP * weights[cut:], [0.0]])
    return changes, gains[[column_of(space, change.name, change.value) for change in changes]]
