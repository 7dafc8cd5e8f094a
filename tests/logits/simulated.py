"""Simulated choices for several tests."""

from __future__ import annotations

import numpy as np

from setmargin.arrays import Floats
from setmargin.logits.rows import Task, probabilities


def choices_of(tastes: Floats, *, tasks: int, options: int, rng: np.random.Generator) -> list[list[Task]]:
    """What people with these tastes take out of random options."""
    return [[_task(taste, options, rng) for _ in range(tasks)] for taste in tastes]


def _task(taste: Floats, options: int, rng: np.random.Generator) -> Task:
    shown = rng.standard_normal((options, len(taste)))
    return shown, int(rng.choice(options, p=probabilities(shown, taste[None])))
