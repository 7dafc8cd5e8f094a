"""The floor that every strategy has to beat: random questions, learnt from by a plain max-margin learner.

It learns from reasons and changes too, as `setmargin` does.
"""

from __future__ import annotations

import numpy as np

from setmargin.answers import Question
from setmargin.arrays import Floats
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.setmargin.problem import STRICTEST, Bounds, Form
from setmargin.strategies.setmargin.weights import WeightFitter
from setmargin.strategies.shared.configurations import best_unasked_pair
from setmargin.strategies.shared.pairs import Pairs, pairs_of
from setmargin.strategies.shared.ties import with_better_quantities

TRIES = 50


class RandomStrategy(Strategy[Belief]):
    """Asks about random configurations; so whatever is better than it owes that to its questions."""

    name = "random"

    def _start(self, space: Space, seed: int) -> Belief:
        return Belief(space, seed)

    def _ask(self, belief: Belief) -> Question | None:
        rng = belief.rng()
        for _ in range(TRIES):
            options = self._draw(belief, rng)
            if options and not belief.was_asked(frozenset(options)):
                return Question(options, status="random")
        # In a tiny space luck runs out: go through the pairs in order.
        return best_unasked_pair(belief, np.zeros(int(belief.space.offsets[-1])), status="random")

    def _draw(self, belief: Belief, rng: np.random.Generator) -> tuple[Configuration, ...]:
        """Up to `set_size` different configurations; none if the space has a single one."""
        rows = np.unique(belief.oracle.sample(rng, 4 * self.set_size), axis=0)
        chosen = rng.permutation(rows)[: self.set_size]
        return tuple(belief.space.configuration(row) for row in chosen) if len(chosen) > 1 else ()

    def _recommend(self, belief: Belief) -> Recommendation:
        space, pairs = belief.space, pairs_of(belief.space, belief.history)
        weights = _max_margin(space, pairs) if len(pairs.strict) else np.ones(len(space.feature_names))
        best = belief.oracle.best_for_values(with_better_quantities(space, space.value_weights(weights))[None])[0]
        return Recommendation(space.configuration(best), weights, status="optimal")


def _max_margin(space: Space, pairs: Pairs) -> Floats:
    bounds = Bounds.usual(space)
    with WeightFitter(
        space, pairs, size=1, bounds=bounds, form=Form.COUPLED, solver=Highs(), limits=Limits(seconds=10.0)
    ) as learner:
        weights: Floats = learner.fit(np.zeros((1, int(space.offsets[-1]))), STRICTEST).weights[0]
        return weights
