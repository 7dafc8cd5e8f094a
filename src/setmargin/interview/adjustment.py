"""What a wish comes to: the best that has it, what else changes, and what that does to quantities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setmargin.answers import Change, Question, check
from setmargin.arrays import Floats
from setmargin.errors import AnswerError, InfeasibleSpace
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value
from setmargin.space.text import show as as_written
from setmargin.strategies.base import Recommendation


@dataclass(frozen=True)
class Adjustment:
    """The best configuration with one thing changed, and how it compares with the recommendation."""

    configuration: Configuration
    amounts: dict[str, float]
    """Its quantities."""
    changed: dict[str, tuple[Value, Value]]
    """Every attribute that is different: before and now. What was wished for comes first."""
    more: dict[str, float]
    """By how much each quantity is higher now; negative where it is lower. What stays the same is left out."""

    def document(self) -> dict[str, Any]:
        """As plain data, ready for JSON."""
        return {
            "configuration": dict(self.configuration),
            "amounts": self.amounts,
            "changed": {name: list(values) for name, values in self.changed.items()},
            "more": self.more,
        }


def adjusted(oracle: Oracle, recommendation: Recommendation, change: Change) -> Adjustment:
    """The best configuration, by the recommendation's weights, that has what the change asks for."""
    before, space = recommendation.configuration, oracle.space
    check(Question((before,)), change, space)
    now = before if change.name is None else _best_with(oracle, recommendation, change.name, change.value)
    names = sorted((name for name in before if before[name] != now[name]), key=lambda name: name != change.name)
    return Adjustment(
        now, space.amounts(now), {name: (before[name], now[name]) for name in names}, more_of(space, before, now)
    )


def more_of(space: Space, before: Configuration, now: Configuration) -> dict[str, float]:
    """By how much each quantity is higher in the one than it was in the other, where it differs."""
    had, has = space.amounts(before), space.amounts(now)
    apart = {name: round(has[name] - had[name], 6) for name in had}
    return {name: much for name, much in apart.items() if much}


def _best_with(oracle: Oracle, recommendation: Recommendation, name: str, value: Value | None) -> Configuration:
    if value is None:
        return _best_with_better(oracle, recommendation, name)
    space, position = oracle.space, oracle.space.names.positions[name]
    column = int(space.offsets[position]) + space.attributes[position].index(value)
    found = oracle.best_for_values(_forced(space.value_weights(recommendation.weights), column)[None])[0]
    if column not in found + space.offsets[:-1]:
        raise AnswerError(f"{name} cannot be {value} with the rules and must-haves; choose another")
    return space.configuration(found)


def _forced(values: Floats, column: int) -> Floats:
    """Weights by which whatever has that value is better than anything that has not."""
    forced = values.copy()
    forced[column] += 1.0 + 2.0 * np.abs(values).sum()
    return forced


def _best_with_better(oracle: Oracle, recommendation: Recommendation, name: str) -> Configuration:
    space = oracle.space
    quantity = next(each for each in space.quantities if each.name == name)
    amount = f"{space.amounts(recommendation.configuration)[name]:.12g}"
    sign = "<" if quantity.better == "lower" else ">"
    try:
        return oracle_for(space, must=[f"{as_written(name)} {sign} {amount}"]).best(recommendation.weights)
    except InfeasibleSpace:
        raise AnswerError(f"{name} cannot be better than {amount} with the rules and must-haves") from None
