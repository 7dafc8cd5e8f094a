"""Logits with a ridge: one for all people together, one for each of them, and how large the ridge should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from setmargin.arrays import Floats
from setmargin.logits.rows import ChoiceRows, gradients, information, log_likelihoods, some_choices

PENALTIES: tuple[float, ...] = tuple(float(x) for x in np.geomspace(0.01, 30.0, 12))
"""From hardly any ridge to one that leaves little but chance."""
STEPS = 100
ENOUGH = 1e-6
LEAST_PENALTY = 1e-6
"""What keeps a pooled logit finite where somebody's choices are explained without a mistake."""


def pooled_tastes(data: ChoiceRows, *, penalty: float = LEAST_PENALTY) -> Floats:
    """The tastes that explain everybody's choices best, as if they were one person's; lapses are not thought of.

    Examples
    --------
    >>> import numpy as np
    >>> from setmargin.logits.rows import choice_rows
    >>> from setmargin.logits.ridge import pooled_tastes
    >>> options = np.array([[1.0], [0.0]])
    >>> data = choice_rows([[(options, 0), (options, 0)], [(options, 0), (options, 1)]], width=1)
    >>> round(float(pooled_tastes(data)[0]), 3)  # taken three times in four: log 3
    1.099
    """
    everybody = replace(data, people=np.zeros_like(data.people), count=1, lapses=None)
    tastes: Floats = ridge_tastes(everybody, penalty)[0]
    return tastes


def ridge_tastes(data: ChoiceRows, penalty: float) -> Floats:
    """The tastes b of each person that maximise log-likelihood - penalty / 2 · |b|²: people × features.

    By Newton's method. Steps are halved for whoever they make worse; the problem is concave, so the end does not depend
    on the start.
    """
    tastes = np.zeros((data.count, data.width))
    ridge = penalty * np.eye(data.width)
    likelihoods, slopes = gradients(data, tastes)
    worth = likelihoods
    for _ in range(STEPS):
        uphill = slopes - penalty * tastes
        if not len(uphill) or np.abs(uphill).max() < ENOUGH:
            break
        step = np.linalg.solve(information(data, tastes) + ridge, uphill[..., None])[..., 0]
        size = np.ones((data.count, 1))
        for _ in range(30):
            tried = tastes + size * step
            better = log_likelihoods(data, tried) - penalty / 2 * (tried**2).sum(axis=1) >= worth - 1e-12
            if better.all():
                break
            size = np.where(better[:, None], size, size / 2)
        tastes = np.where(better[:, None], tried, tastes)
        likelihoods, slopes = gradients(data, tastes)
        worth = likelihoods - penalty / 2 * (tastes**2).sum(axis=1)
    return tastes


def best_penalty(data: ChoiceRows, penalties: Sequence[float] = PENALTIES, *, folds: int = 4) -> float:
    """The ridge with which each person's choices are predicted best from the rest of their own, over all people.

    Each person's choices are dealt out to the folds in turn.
    """
    place = np.arange(len(data.people)) - np.searchsorted(data.people, data.people)
    losses = np.zeros(len(penalties))
    for fold in range(folds):
        kept, held = some_choices(data, place % folds != fold), some_choices(data, place % folds == fold)
        for number, penalty in enumerate(penalties):
            losses[number] -= log_likelihoods(held, ridge_tastes(kept, penalty)).sum()
    return penalties[int(np.argmin(losses))]
