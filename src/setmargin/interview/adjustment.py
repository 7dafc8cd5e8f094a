"""What a wish comes to: the best that has it, what else changes, and what that does to quantities and to the fit.

`adjusted` is the best of all that have what is wished for. `previews` stay close to the configuration that is changed,
for all other values of one attribute at once, and `with_kept` makes a recommendation keep what the person has set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from setmargin.answers import Change, Question, check
from setmargin.arrays import Floats
from setmargin.errors import AnswerError, InfeasibleSpace
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, short, suggest
from setmargin.space.text import show as as_written
from setmargin.strategies.base import Recommendation

WORTH_CHANGING: Final = 0.01
"""What another change along with the one that is wished for has to bring, as a share of the utility."""
MOST_KEPT: Final = 16
"""Of what the person has set, so many values are looked at, the latest: each has to outweigh all earlier ones."""
Fit = Literal["better", "same", "little", "less", "much"]
"""How well something suits compared with what there was: better, about the same, a little less, less, much less."""
SAME: Final = 0.015
FITS: Final[tuple[tuple[float, Fit], ...]] = ((-SAME, "better"), (SAME, "same"), (0.06, "little"), (0.15, "less"))
"""Up to which loss, as a share of the utility, each of them is said."""


def fit_of(loss: float) -> Fit:
    """In a word what a loss, as a share of the utility, means."""
    return next((word for most, word in FITS if loss <= most), "much")


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
    loss: float = 0.0
    """How much less it is worth, as a share of what there was; negative where it is worth more."""

    @property
    def fit(self) -> Fit:
        """The loss in a word."""
        return fit_of(self.loss)

    def document(self) -> dict[str, Any]:
        """As plain data, ready for JSON."""
        return {
            "configuration": dict(self.configuration),
            "amounts": self.amounts,
            "changed": {name: list(values) for name, values in self.changed.items()},
            "more": self.more,
            "loss": self.loss,
            "fit": self.fit,
        }


def adjusted(oracle: Oracle, recommendation: Recommendation, change: Change) -> Adjustment:
    """The best configuration, by the recommendation's weights, that has what the change asks for."""
    before = recommendation.configuration
    check(Question((before,)), change, oracle.space)
    now = before if change.name is None else _best_with(oracle, recommendation, change.name, change.value)
    return _compared(oracle.space, recommendation, now, first=change.name)


def _compared(
    space: Space, recommendation: Recommendation, now: Configuration, *, first: str | None = None
) -> Adjustment:
    before, weights = recommendation.configuration, recommendation.weights
    different = (each.name for each in space.attributes if before[each.name] != now[each.name])
    names = sorted(different, key=lambda name: name != first)
    worth = float(weights @ space.encode(before))
    return Adjustment(
        now,
        space.amounts(now),
        {name: (before[name], now[name]) for name in names},
        more_of(space, before, now),
        (worth - float(weights @ space.encode(now))) / (max(0.0, worth) or 1.0),
    )


def previews(
    oracle: Oracle, recommendation: Recommendation, name: str, kept: Mapping[str, Value] | None = None
) -> dict[Value, Adjustment | None]:
    """What each other value of an attribute comes to: the best repair of the rest, with few other changes.

    Parameters
    ----------
    oracle : Oracle
        Of the space with its must-haves.
    recommendation : Recommendation
        The configuration that is changed, and the weights that say what is better.
    name : str
        The attribute.
    kept : mapping, optional
        Values that the person has set, the latest last: they change only where they have to, the earliest first.

    Returns
    -------
    dict
        By value; None where no configuration has it.

    Raises
    ------
    AnswerError
        Where there is no such attribute.
    """
    space, before = oracle.space, recommendation.configuration
    if name not in space.names.positions:
        names = [attribute.name for attribute in space.attributes]
        raise AnswerError(f"there is no attribute {short(name)}; {suggest(name, names, what='there is')}")
    position = space.names.positions[name]
    attribute, start = space.attributes[position], int(space.offsets[position])
    held = {each: value for each, value in (kept or {}).items() if each != name}
    near = _near(space, recommendation)
    columns = {value: start + place for place, value in enumerate(attribute.values) if value != before[name]}
    if not columns:
        return {}
    rows = np.stack([_forced(near, [*_columns(space, held), column]) for column in columns.values()])
    found: dict[Value, Adjustment | None] = {}
    for (value, column), row in zip(columns.items(), oracle.best_for_values(rows), strict=True):
        has_it = column in row + space.offsets[:-1]
        found[value] = _compared(space, recommendation, space.configuration(row), first=name) if has_it else None
    return found


def with_kept(oracle: Oracle, recommendation: Recommendation, kept: Mapping[str, Value]) -> Recommendation:
    """The best configuration that has all these values, or the latest of them as far as they go together."""
    if all(recommendation.configuration[name] == value for name, value in kept.items()):
        return recommendation
    space = oracle.space
    forced = _forced(space.value_weights(recommendation.weights), _columns(space, kept))
    return replace(recommendation, configuration=space.configuration(oracle.best_for_values(forced[None])[0]))


def _near(space: Space, recommendation: Recommendation) -> Floats:
    """What values are worth, and a little more where the configuration has them now."""
    values: Floats = space.value_weights(recommendation.weights).copy()
    now = space.indices(recommendation.configuration) + space.offsets[:-1]
    values[now[: len(space.attributes)]] += WORTH_CHANGING * max(0.0, float(values[now].sum()))
    return values


def _columns(space: Space, kept: Mapping[str, Value]) -> list[int]:
    positions = [space.names.positions[name] for name in kept]
    values = zip(positions, kept.values(), strict=True)
    return [int(space.offsets[place]) + space.attributes[place].index(value) for place, value in values][-MOST_KEPT:]


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
    found = oracle.best_for_values(_forced(space.value_weights(recommendation.weights), [column])[None])[0]
    if column not in found + space.offsets[:-1]:
        raise AnswerError(f"{name} cannot be {value} with the rules and must-haves; choose another")
    return space.configuration(found)


def _forced(values: Floats, columns: Sequence[int]) -> Floats:
    """Weights by which whatever has the last of these values is better than anything that has not, and so on."""
    forced = values.copy()
    least = 1.0 + 2.0 * np.abs(values).sum()
    for place, column in enumerate(columns):
        forced[column] += least * 2.0**place
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
