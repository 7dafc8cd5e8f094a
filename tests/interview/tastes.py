"""Somebody with a taste, on a small space with rules, and what suits them best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import assume

from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.base import Recommendation
from tests.solve.spaces_with_rules import feasible, ruled_space


class Taste(NamedTuple):
    space: Space
    rows: Ints
    weights: Floats
    best: Recommendation


def taste(seed: int, *, more_than: int = 1) -> Taste:
    """Of a space in which more than so many configurations can be built."""
    space = ruled_space(seed)
    rows = feasible(space)
    assume(len(rows) > more_than)
    weights = np.random.default_rng(seed).random(len(space.feature_names))
    return Taste(space, rows, weights, Recommendation(oracle_for(space).best(weights), weights))
