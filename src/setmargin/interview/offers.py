"""Alternatives along what matters: the cheaper, the lighter, the bolder one, each with what it is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from setmargin.arrays import Floats
from setmargin.interview.adjustment import WORTH_CHANGING
from setmargin.interview.explain import MATTERS, Alternative, compared, worth_apart
from setmargin.interview.quotes import Tips, tips
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Recommendation

MOST_OFFERS: Final = 3
MOST_QUANTITIES: Final = 2
"""At most so many alternatives are there for a quantity that is better."""
CLEARLY: Final = 0.06
"""A quantity is clearly better by this share of its amount."""
MOST_LOSS: Final = 0.3
BOLD_LOSS: Final = 0.08
CLOSE_LOSS: Final = 0.06
"""What loses more than this share of the utility is no alternative; what is bold, or close, no more than this."""
STEPS: Final = (0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 6.0, 12.0, 25.0, 50.0)
"""How much more a quantity counts, as a share of the utility, until something clearly better is found."""
FEW_STEPS: Final = (0.8, 12.0)
"""The same where each of them may take a while."""

OfferKind = Literal["suggested", "better", "bolder", "close"]


@dataclass(frozen=True)
class Offer:
    """An alternative and what it is for.

    It is what would be `suggested` if the person had not set something else; it has a quantity (`name`) that is clearly
    `better`; it is `bolder`: other in an attribute (`name`) of which it is least sure how much it matters; or `close`.
    """

    kind: OfferKind
    name: str | None
    alternative: Alternative
    tips: Tips | None

    def document(self) -> dict[str, Any]:
        """As plain data, ready for JSON."""
        why = None if self.tips is None else {"name": self.tips.name, "factor": self.tips.factor}
        return {"kind": self.kind, "name": self.name, **self.alternative.document(), "tips": why}


def offers(
    oracle: Oracle,
    recommendation: Recommendation,
    importance: Mapping[str, float],
    *,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    suggested: Configuration | None = None,
    most: int = MOST_OFFERS,
) -> tuple[Offer, ...]:
    """Alternatives that differ in something that matters, and from each other.

    Parameters
    ----------
    oracle : Oracle
        Of the space with its must-haves.
    recommendation : Recommendation
        What they are alternatives to.
    importance : mapping
        How much each attribute and quantity matters.
    intervals : mapping, optional
        Between which limits; without it nothing is bold.
    suggested : Configuration, optional
        What would be recommended if the person had not set something else.
    most : int, optional
        How many at most.
    """
    space, best = oracle.space, recommendation.configuration
    found: list[Offer] = []
    for kind, name, other in _candidates(oracle, recommendation, importance, intervals or {}, suggested):
        known = {best, *(each.alternative.configuration for each in found)}
        if other in known or len(found) == most:
            continue
        if kind != "suggested" and not _matters(space, recommendation, importance, other):
            continue
        found.append(Offer(kind, name, compared(space, recommendation, other), tips(space, recommendation, other)))
    return tuple(found)


def _candidates(
    oracle: Oracle,
    recommendation: Recommendation,
    importance: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    suggested: Configuration | None,
) -> Iterator[tuple[OfferKind, str | None, Configuration]]:
    if suggested is not None:
        yield "suggested", None, suggested
    quantities = {each.name for each in oracle.space.quantities}
    wanted = [name for name in importance if name in quantities and _is_important(importance, name)]
    for name in wanted[:MOST_QUANTITIES]:
        clearly = _clearly_better(oracle, recommendation, name)
        if clearly is not None:
            yield "better", name, clearly
    unsure = [name for name in importance if name not in quantities and _is_important(importance, name)]
    unsure.sort(key=lambda name: intervals[name][0] - intervals[name][1] if name in intervals else 0.0)
    others = {name: _best_other(oracle, recommendation, name) for name in unsure[:MOST_OFFERS]}
    if intervals:
        for name, other in others.items():
            if other is not None and _loss(oracle.space, recommendation, other) <= BOLD_LOSS:
                yield "bolder", name, other
                break
    close = [other for other in others.values() if other is not None]
    losses = {other: _loss(oracle.space, recommendation, other) for other in close}
    for other in sorted(losses, key=losses.__getitem__):
        if losses[other] <= CLOSE_LOSS:
            yield "close", None, other


def _is_important(importance: Mapping[str, float], name: str) -> bool:
    """Whether it matters at least half as much as things do on average."""
    some = [share for share in importance.values() if share > 0]
    return bool(some) and importance[name] >= 0.5 * sum(some) / len(some)


def _matters(
    space: Space, recommendation: Recommendation, importance: Mapping[str, float], other: Configuration
) -> bool:
    """Whether the two differ in something important by more than hardly anything, and the other is no bad idea."""
    utility = float(recommendation.weights @ space.encode(recommendation.configuration))
    apart = worth_apart(space, recommendation.weights, recommendation.configuration, other)
    if utility <= 0 or sum(apart.values()) > MOST_LOSS * utility:
        return False
    return any(abs(worth) >= MATTERS * utility and _is_important(importance, name) for name, worth in apart.items())


def _loss(space: Space, recommendation: Recommendation, other: Configuration) -> float:
    worth = float(recommendation.weights @ space.encode(recommendation.configuration))
    return (worth - float(recommendation.weights @ space.encode(other))) / (max(0.0, worth) or 1.0)


def _near(space: Space, recommendation: Recommendation) -> tuple[Floats, float]:
    """What values are worth, a little more where the recommendation has them; and what it is worth."""
    values = space.value_weights(recommendation.weights).copy()
    now = space.indices(recommendation.configuration) + space.offsets[:-1]
    utility = max(0.0, float(values[now].sum()))
    values[now[: len(space.attributes)]] += WORTH_CHANGING * utility
    return values, utility


def _clearly_better(oracle: Oracle, recommendation: Recommendation, name: str) -> Configuration | None:
    """What loses least of all that are found clearly better in a quantity; None where there is nothing."""
    space = oracle.space
    number = next(place for place, each in enumerate(space.quantities) if each.name == name)
    values, utility = _near(space, recommendation)
    steps = STEPS if oracle.is_quick else FEW_STEPS
    rows = np.stack([values + step * (utility or 1.0) * space.costs[number] for step in steps])
    now = space.amounts(recommendation.configuration)[name]
    sign = -1.0 if space.quantities[number].better == "lower" else 1.0
    for row in oracle.best_for_values(rows):
        other = space.configuration(row)
        if sign * (space.amounts(other)[name] - now) >= CLEARLY * abs(now) > 0:
            return other
    return None


def _best_other(oracle: Oracle, recommendation: Recommendation, name: str) -> Configuration | None:
    """The best that has another value of an attribute, and little else changed; None where nothing else can be had."""
    space, place = oracle.space, oracle.space.names.positions[name]
    values, _ = _near(space, recommendation)
    column = int(space.offsets[place]) + space.attributes[place].index(recommendation.configuration[name])
    values[column] -= 1.0 + 2.0 * np.abs(values).sum()
    other = space.configuration(oracle.best_for_values(values[None])[0])
    return other if other[name] != recommendation.configuration[name] else None
