"""Strategies that break a law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setmargin.answers import Question
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, Recommendation
from setmargin.strategies.rivals.random import RandomStrategy


@dataclass(frozen=True, kw_only=True)
class Silent(RandomStrategy):
    def _ask(self, belief: Belief) -> Question | None:  # noqa: ARG002
        return None


@dataclass(frozen=True, kw_only=True)
class Stubborn(RandomStrategy):
    def _ask(self, belief: Belief) -> Question | None:
        return super()._ask(Belief(belief.space, belief.seed))


@dataclass(frozen=True, kw_only=True)
class Moody(RandomStrategy):
    def _start(self, space: Space, seed: int) -> Belief:
        return super()._start(space, seed + len(MOODS))

    def _ask(self, belief: Belief) -> Question | None:
        MOODS.append(belief.seed)
        return super()._ask(belief)


MOODS: list[int] = []


@dataclass(frozen=True, kw_only=True)
class Grim(RandomStrategy):
    def _recommend(self, belief: Belief) -> Recommendation:
        weights = -np.ones(len(belief.space.feature_names))
        return Recommendation(belief.oracle.best(weights), weights)
