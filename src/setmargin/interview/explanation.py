"""Why this configuration: what each feature adds, what matters most, what separates the runner-up, what decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

import numpy as np

from setmargin.answers import Answer, Question, to_document
from setmargin.arrays import Floats
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import History, Influence, Recommendation, Share

ROUNDING: Final = 1e-9
"""A lead below this share of all that contributes is a matter of rounding."""


@dataclass(frozen=True)
class Decisive:
    """An answer without which something else would be recommended."""

    number: int
    """Which question, counted from 0."""
    question: Question
    answer: Answer
    instead: Configuration
    """What would be recommended."""
    gain: float
    """How much better that would then seem, as a share of the best utility."""

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "number": self.number,
            "question": [dict(option) for option in self.question.options],
            "answer": to_document(self.answer),
            "instead": dict(self.instead),
            "gain": self.gain,
        }


@dataclass(frozen=True)
class Explanation:
    """The reasons behind a recommendation, in the units of the learnt utility."""

    configuration: Configuration
    amounts: dict[str, float]
    utility: float
    contributions: dict[str, float]
    """What each feature of the configuration adds; the sum is the utility."""
    importance: dict[str, float]
    """The share of each attribute and quantity in all that is at stake, largest first; the sum is 1, less where it is
    not certain that anything matters at all."""
    runner_up: Configuration | None
    separation: dict[str, float]
    """By how much the configuration beats the runner-up, by attribute and quantity; the sum is the lead."""
    intervals: dict[str, tuple[float, float]] | None = None
    """Between which limits each importance is with 90% probability; None where the strategy does not know."""
    decisive: tuple[Decisive, ...] | None = None
    """The answers that moved the recommendation, most influential first; None where the strategy does not know."""

    @property
    def lead(self) -> float:
        """How much better the configuration is than the runner-up; 0 where the two are equally good."""
        lead = fsum(self.separation.values())
        return lead if abs(lead) > ROUNDING * fsum(map(abs, self.contributions.values())) else 0.0

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "configuration": dict(self.configuration),
            "amounts": self.amounts,
            "utility": self.utility,
            "contributions": self.contributions,
            "importance": self.importance,
            "intervals": self.intervals and {name: list(ends) for name, ends in self.intervals.items()},
            "runner_up": None if self.runner_up is None else dict(self.runner_up),
            "separation": self.separation,
            "lead": self.lead,
            "decisive": None if self.decisive is None else [each.document() for each in self.decisive],
        }


def explain(
    oracle: Oracle,
    recommendation: Recommendation,
    *,
    shares: Mapping[str, Share] | None = None,
    decisive: Sequence[Decisive] | None = None,
) -> Explanation:
    """Take the recommendation's own weights apart; the `shares` of a strategy that knows more say what matters."""
    space, weights, chosen = oracle.space, recommendation.weights, recommendation.configuration
    features = space.encode(chosen)
    runner_up = oracle.best_other(weights, [chosen])
    return Explanation(
        configuration=chosen,
        amounts=space.amounts(chosen),
        utility=float(weights @ features),
        contributions={
            name: float(w * f) for name, w, f in zip(space.feature_names, weights, features, strict=True) if f
        },
        importance=importance_by(space, weights) if shares is None else {name: s.mean for name, s in shares.items()},
        runner_up=runner_up,
        separation={} if runner_up is None else worth_apart(space, weights, chosen, runner_up),
        intervals=None if shares is None else {name: (s.low, s.high) for name, s in shares.items()},
        decisive=None if decisive is None else tuple(decisive),
    )


def decisive_answers(history: History, influences: Sequence[Influence]) -> tuple[Decisive, ...]:
    """Influences together with what was asked and said."""
    return tuple(Decisive(each.number, *history[each.number], each.instead, each.gain) for each in influences)


def _blocks(space: Space, vector: Floats) -> dict[str, Floats]:
    """The part of a feature vector that belongs to each attribute, and to each quantity."""
    cut = int(space.offsets[-1])
    parts = np.split(vector[:cut], space.offsets[1:-1])
    named = {a.name: part for a, part in zip(space.attributes, parts, strict=True)}
    return named | {q.name: vector[cut + n : cut + n + 1] for n, q in enumerate(space.quantities)}


def importance_by(space: Space, weights: Floats) -> dict[str, float]:
    """The share of each attribute and quantity in all that is at stake, largest first.

    Only differences matter: an attribute is worth as much as its best value is better than its worst.
    """
    cut = int(space.offsets[-1])
    stakes = {name: float(np.ptp(part)) for name, part in _blocks(space, weights).items()}
    for number, quantity in enumerate(space.quantities):
        blocks = np.split(space.costs[number], space.offsets[1:-1])
        stakes[quantity.name] = abs(float(weights[cut + number])) * float(sum(np.ptp(block) for block in blocks))
    whole = sum(stakes.values())
    shares = {name: stake / whole if whole > 0 else 0.0 for name, stake in stakes.items()}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def worth_apart(space: Space, weights: Floats, one: Configuration, other: Configuration) -> dict[str, float]:
    """By how much the one is worth more than the other, by attribute and quantity; all that differs is named."""
    difference = _blocks(space, weights * (space.encode(one) - space.encode(other)))
    summed = {name: float(part.sum()) for name, part in difference.items()}
    differing = {name for name in one if one[name] != other[name]}
    return {name: gain for name, gain in summed.items() if gain or name in differing}
