"""Reasons: how much each thing in which options differ decided for one of them, to somebody with known weights.

With a the option taken and x̄ the mean of all others, the thing t, an attribute or a quantity, contributes

    c_t = Σ_{f in t} w_f (a_f - x̄_f)
"""

from __future__ import annotations

import numpy as np

from setmargin.answers import Question, differing
from setmargin.arrays import Floats
from setmargin.space.space import Space


def contrast(space: Space, question: Question, option: int) -> Floats:
    """The features of an option minus the mean of all others."""
    features = np.stack([space.encode(each) for each in question.options])
    apart: Floats = features[option] - np.delete(features, option, axis=0).mean(axis=0)
    return apart


def contributions_of(space: Space, weights: Floats, question: Question, option: int) -> tuple[list[str], Floats]:
    """All things that can be named as the reason for an option, and what each contributes."""
    worth = contrast(space, question, option) * weights
    by_thing = dict(zip(space.things, space.by_thing(worth), strict=True))
    names = [*differing(space, question.options)]
    return names, np.array([by_thing[name] for name in names])
