"""The floor that every strategy has to beat: random questions, and the option that won most often."""

from __future__ import annotations

from itertools import islice

import numpy as np

from setmargin.answers import Question, preferences
from setmargin.solve.lowered import Floats
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Belief, Recommendation, Strategy

TRIES = 50


class RandomStrategy(Strategy[Belief]):
    """Asks about random configurations and recommends by counting which values won and which lost."""

    name = "random"

    def _start(self, space: Space, seed: int) -> Belief:
        return Belief(space, seed)

    def _ask(self, belief: Belief) -> Question | None:
        rng = belief.rng()
        for _ in range(TRIES):
            options = self._draw(belief, rng)
            if options and not belief.was_asked(frozenset(options)):
                return Question(options, status="random")
        return self._first_unasked(belief)

    def _draw(self, belief: Belief, rng: np.random.Generator) -> tuple[Configuration, ...]:
        """Up to `set_size` different configurations; none if the space has a single one."""
        rows = np.unique(belief.oracle.sample(rng, 4 * self.set_size), axis=0)
        chosen = rng.permutation(rows)[: self.set_size]
        return tuple(belief.space.configuration(row) for row in chosen) if len(chosen) > 1 else ()

    def _first_unasked(self, belief: Belief) -> Question | None:
        """In a tiny space luck runs out: go through the pairs in order."""
        ranked = belief.oracle.ranked_for_values(np.zeros(int(belief.space.offsets[-1])))
        seen: list[Configuration] = []
        for row in islice(ranked, TRIES):
            here = belief.space.configuration(row)
            for other in seen:
                if not belief.was_asked(frozenset((other, here))):
                    return Question((other, here), status="random")
            seen.append(here)
        return None

    def _recommend(self, belief: Belief) -> Recommendation:
        weights = _wins_minus_losses(belief)
        return Recommendation(belief.oracle.best(weights), weights, status="optimal")


def _wins_minus_losses(belief: Belief) -> Floats:
    """How much oftener each feature was on the winning side, shifted to be non-negative."""
    score = np.zeros(len(belief.space.feature_names))
    for question, answer in belief.history:
        rows = [belief.space.encode(option) for option in question.options]
        for better, worse, strict in preferences(question, answer):
            score += (rows[better] - rows[worse]) * strict
    cut = int(belief.space.offsets[-1])
    blocks = [block - block.min() for block in np.split(score[:cut], belief.space.offsets[1:-1])]
    lifted: Floats = np.concatenate([*blocks, np.maximum(score[cut:], 0.0)])
    return lifted
