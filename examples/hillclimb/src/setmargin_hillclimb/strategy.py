"""A strategy in one page: it compares the best so far with whatever is most like it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setmargin import (
    Answer,
    Belief,
    Change,
    Choice,
    Comparisons,
    Configuration,
    Outcome,
    Question,
    Ranking,
    Recommendation,
    Space,
    Strategy,
)


@dataclass(frozen=True, kw_only=True)
class HillClimb(Strategy[Belief]):
    """Compares the best so far with the most similar configuration that has not lost yet."""

    name = "hillclimb"

    def _start(self, space: Space, seed: int) -> Belief:
        return Belief(space, seed)

    def _ask(self, belief: Belief) -> Question | None:
        best = self._best(belief)
        seen = {option for question, _ in belief.history for option in question.options}
        other = belief.oracle.best_other(likeness(best), [best, *seen])
        return None if other is None else Question((best, other))

    def _recommend(self, belief: Belief) -> Recommendation:
        best = self._best(belief)
        wanted = likeness(best)
        weights = np.array([wanted.get(name, 0.0) for name in belief.space.feature_names])
        return Recommendation(best, weights)

    def _best(self, belief: Belief) -> Configuration:
        """What won last; once must-haves exclude that, what is most like it."""
        winners = [won for question, answer in belief.history if (won := winner(question, answer)) is not None]
        return belief.oracle.best(likeness(winners[-1]) if winners else {})


def likeness(configuration: Configuration) -> dict[str, float]:
    """Weights by which whatever shares more values with the configuration is better."""
    return {f"{name}={value}": 1.0 for name, value in configuration.items()}


def winner(question: Question, answer: Answer) -> Configuration | None:
    """What the person liked best; None where they saw no difference or said nothing."""
    match answer:
        case Choice(option=best) | Change(option=best) | Ranking(order=(best, *_)):
            return question.options[best]
        case Comparisons(((first, second, outcome),)) if outcome is not Outcome.EQUAL:
            return question.options[first if outcome is Outcome.FIRST else second]
    return None
