"""Simulated people who choose, for tests of learning from them."""

from __future__ import annotations

import numpy as np

from setmargin import Choice, Question, Space
from setmargin.arrays import Floats
from setmargin.strategies.base import History


def choosing(space: Space, tastes: Floats, *, tasks: int = 12, seed: int = 0) -> list[History]:
    """Somebody for each row of tastes (values), who chooses one of three by a logit."""
    rng = np.random.default_rng(seed)
    people: list[History] = []
    for own in tastes:
        history: list[tuple[Question, Choice]] = []
        while len(history) < tasks:
            indices = np.stack([[rng.integers(size) for size in space.domains] for _ in range(3)])
            if len(np.unique(indices, axis=0)) < 3:
                continue
            utilities = space.onehot(indices) @ own + rng.gumbel(size=3)
            options = tuple(space.configuration(row) for row in indices)
            history.append((Question(options, forced=True), Choice(int(utilities.argmax()))))
        people.append(tuple(history))
    return people


def normal(count: int, mean: Floats, root: Floats, seed: int = 1) -> Floats:
    rng = np.random.default_rng(seed)
    drawn: Floats = mean + rng.standard_normal((count, root.shape[1])) @ root.T
    return drawn


MEAN = np.array([1.5, 0.0, -1.5, 1.0, -1.0, 0.0, 0.0])
ROOT = np.array([[0.5, 0], [0, 0], [-0.5, 0], [0.0, 0], [0.0, 0], [1.0, 0.3], [-1.0, -0.3]])
