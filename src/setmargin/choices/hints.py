"""Directions that the choices themselves speak for, so that their owner can decide whether to declare them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from setmargin.choices.coding import Coding
from setmargin.choices.study import Study
from setmargin.logits.ridge import best_penalty, pooled_tastes, ridge_tastes
from setmargin.logits.rows import choice_rows, information

CLEAR = 4.0
"""How many standard errors from 0 the pooled logit's slope has to be."""
MOST = 0.8
"""What part of the people have to lean this way."""


@dataclass(frozen=True)
class DirectionHint:
    """An attribute of which nearly everybody likes more or less: the way, and what part of the people lean to it."""

    attribute: str
    better: Literal["higher", "lower"]
    leaning: float

    def __str__(self) -> str:
        return (
            f"{self.leaning:.0%} of people lean to {self.better} {self.attribute}; if everybody likes that, all "
            f"else being equal, say so: --better {self.attribute}={self.better}"
        )


def direction_hints(study: Study) -> list[DirectionHint]:
    """The numeric attributes without a direction for which the learnt choices speak clearly for one.

    What the held-out choices say is not looked at.
    """
    coding = Coding.of(study)
    tasks = [
        [(coding.features(task.options), task.taken) for task in person.tasks[: study.learn]] for person in study.people
    ]
    data = choice_rows(tasks, width=coding.width)
    candidates = [each for each in study.space.attributes if each.is_numeric and each.better in (None, "peak")]
    if not candidates or not len(data.starts):
        return []
    pooled, own = pooled_tastes(data), ridge_tastes(data, best_penalty(data))
    known = information(replace(data, people=np.zeros_like(data.people), count=1), pooled[None])[0]
    errors = np.sqrt(np.diag(np.linalg.pinv(known)))
    hints = []
    for attribute in candidates:
        column = coding.column_of(attribute.name)
        slope, leaning = float(pooled[column]), float((own[:, column] * pooled[column] > 0).mean())
        if abs(slope) > CLEAR * float(errors[column]) > 0 and leaning >= MOST:
            hints.append(DirectionHint(attribute.name, "higher" if slope > 0 else "lower", leaning))
    return hints
