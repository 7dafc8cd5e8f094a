"""Why this configuration, in reasons that a person can argue with.

What each feature adds, what matters most, what separates the runner-up and which answers decided (`explain`); good
`alternatives`; what the answers gave up for what (`tradeoffs`); answers that stand out (`surprising`). All of it is
read off the weights behind a recommendation and the answers themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

import numpy as np

from setmargin.answers import Answer, Change, Question, preferences, reasons_of, to_document
from setmargin.arrays import Floats, Ints
from setmargin.html import bars, heading, table
from setmargin.solve.oracle import Oracle
from setmargin.space.domination import dominates
from setmargin.space.space import Configuration, Space
from setmargin.space.text import in_words
from setmargin.strategies.base import History, Influence, Recommendation, Share

ROUNDING: Final = 1e-9
"""A lead below this share of all that contributes is a matter of rounding."""
MATTERS: Final = 0.02
"""What is worth less than this share of the recommendation's utility is no difference to speak of."""
SURPRISING: Final = 0.03
"""An option that is worse than another by this share is not what the answers together would lead one to choose. Of 683
answers that simulated people gave by their weights, one is that far off; of answers turned around, 7 of 12 are on 4
attributes of 4 values, but 2 of 22 on `pc`, where few answers say anything about each other."""
MOST_TRIED: Final = 24
"""Alternatives that are worked out where each may take a while."""


# What speaks for the recommendation


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
        return {
            "number": self.number,
            "question": [dict(option) for option in self.question.options],
            "answer": to_document(self.answer),
            "instead": dict(self.instead),
            "gain": self.gain,
        }


@dataclass(frozen=True, repr=False)
class Explanation:
    """The reasons behind a recommendation, in the units of the learnt utility."""

    configuration: Configuration
    amounts: dict[str, float]
    utility: float
    contributions: dict[str, float]
    """What each value and quantity of the configuration adds; the sum is the utility."""
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

    def __repr__(self) -> str:
        most = ", ".join(f"{name} {share:.0%}" for name, share in [*self.importance.items()][:3])
        return f"<Explanation of {in_words(self.configuration)}; what matters: {most}>"

    def _repr_html_(self) -> str:
        """In a notebook: the configuration, what matters how much, and what separates it from the runner-up."""
        chosen = [*self.configuration.items(), *self.amounts.items()]
        parts = [heading("Why this one"), table(chosen), heading("What matters")]
        parts.append(bars(self.importance, limits=self.intervals))
        if self.runner_up is not None and self.lead:
            ahead = {name: value for name, value in self.separation.items() if abs(value) > ROUNDING}
            parts += [heading("Ahead of the runner-up by", more="in units of utility"), table(ahead.items())]
        return "".join(parts)

    @property
    def lead(self) -> float:
        """How much better the configuration is than the runner-up; 0 where the two are equally good."""
        lead = fsum(self.separation.values())
        return lead if abs(lead) > ROUNDING * fsum(map(abs, self.contributions.values())) else 0.0

    def document(self) -> dict[str, Any]:
        """All of it as plain data, ready for JSON."""
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
    told = space.without_trends(weights)
    runner_up = oracle.best_other(weights, [chosen])
    return Explanation(
        configuration=chosen,
        amounts=space.amounts(chosen),
        utility=float(weights @ features),
        contributions={
            name: float(w * f)
            for place, (name, w, f) in enumerate(zip(space.feature_names, told, features, strict=False))
            if f and not space.seen_values <= place < space.offsets[-1]
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
    """The part of a vector over values and quantities that belongs to each attribute, and to each quantity."""
    cut = int(space.offsets[-1])
    parts = np.split(vector[:cut], space.offsets[1:-1])
    named = {a.name: part for a, part in zip(space.attributes, parts, strict=not space.hidden)}
    return named | {q.name: vector[cut + n : cut + n + 1] for n, q in enumerate(space.quantities)}


def importance_by(space: Space, weights: Floats) -> dict[str, float]:
    """The share of each attribute and quantity in all that is at stake, largest first.

    Only differences matter: an attribute is worth as much as its best value is better than its worst.
    """
    weights, cut = space.without_trends(weights), int(space.offsets[-1])
    stakes = {name: float(np.ptp(part)) for name, part in _blocks(space, weights).items()}
    for number, quantity in enumerate(space.quantities):
        blocks = np.split(space.costs[number], space.offsets[1:-1])
        stakes[quantity.name] = abs(float(weights[cut + number])) * float(sum(np.ptp(block) for block in blocks))
    whole = sum(stakes.values())
    shares = {name: stake / whole if whole > 0 else 0.0 for name, stake in stakes.items()}
    # What is equal but for rounding stays in the order of the catalogue.
    return dict(sorted(shares.items(), key=lambda item: -round(item[1], 9)))


def worth_apart(space: Space, weights: Floats, one: Configuration, other: Configuration) -> dict[str, float]:
    """By how much the one is worth more than the other, by attribute and quantity; all that differs is named."""
    told = space.without_trends(weights)
    difference = _blocks(space, told * (space.encode(one) - space.encode(other))[: len(told)])
    summed = {name: float(part.sum()) for name, part in difference.items()}
    differing = {name for name in one if one[name] != other[name]}
    return {name: gain for name, gain in summed.items() if gain or name in differing}


# Alternatives


@dataclass(frozen=True)
class Alternative:
    """Another good configuration, and how it compares with the recommendation."""

    configuration: Configuration
    loss: float
    """How much less it is worth, as a share of the recommendation's utility."""
    gains: dict[str, float]
    """What speaks for it, by attribute and quantity, largest first, in the same shares."""
    losses: dict[str, float]
    """What speaks against it, likewise; the loss is the sum of these less the gains."""

    def document(self) -> dict[str, Any]:
        return {
            "configuration": dict(self.configuration),
            "loss": self.loss,
            "gains": self.gains,
            "losses": self.losses,
        }


def alternatives(oracle: Oracle, recommendation: Recommendation, *, most: int = 2) -> tuple[Alternative, ...]:
    """Good configurations that differ from the recommendation, and from each other, in something that matters.

    The first is the best of all that have some value which matters changed. Where nothing matters, anything else will
    do. What the recommendation beats in everything that the catalogue calls better comes last. Fewer than `most` where
    there are no more.
    """
    space, weights, best = oracle.space, recommendation.weights, recommendation.configuration
    utility = _utility(space, recommendation)
    found: list[Configuration] = []
    for least in (MATTERS * utility, 0.0):
        candidates = _by_worth(space, weights, _changed(oracle, weights, best, least))
        if len(space.goodness):
            candidates.sort(key=lambda other: dominates(space, best, other))
        for other in candidates:
            if len(found) < most and all(_differs(space, weights, other, each, least) for each in (best, *found)):
                found.append(other)
    return tuple(compared(space, recommendation, other) for other in found)


def _changed(oracle: Oracle, weights: Floats, best: Configuration, least: float) -> Iterator[Configuration]:
    """For each value whose parts are worth that much more or less than the recommended one: the best that has it."""
    space = oracle.space
    values, now = space.value_weights(weights), space.indices(best) + space.offsets[:-1]
    columns = _worth_changing(space, weights, now, least)
    if not oracle.is_quick:
        columns = columns[np.argsort(_regrets(space, values, now)[columns], kind="stable")[:MOST_TRIED]]
    forced = np.tile(values, (len(columns), 1))
    forced[np.arange(len(columns)), columns] += 1.0 + 2.0 * np.abs(values).sum()
    rows = oracle.best_for_values(forced) if len(columns) else np.zeros((0, len(now)), dtype=np.int64)
    for column, row in zip(columns, rows, strict=True):
        if column in row + space.offsets[:-1]:
            yield space.configuration(row)


def _worth_changing(space: Space, weights: Floats, now: Ints, least: float) -> Ints:
    """The one-hot values that change what some attribute or quantity is worth by that much."""
    parts = _parts(space, weights)
    apart = np.abs(parts - parts[:, np.repeat(now, space.domains)]).max(axis=0)
    others = np.setdiff1d(np.arange(space.seen_values), now)
    found: Ints = others[apart[others] >= least]
    return found


def _regrets(space: Space, values: Floats, now: Ints) -> Floats:
    """How much less each value is worth than the recommended one, all else equal."""
    regrets: Floats = np.repeat(values[now], space.domains) - values
    return regrets


def _parts(space: Space, weights: Floats) -> Floats:
    """What each one-hot value is worth by itself, and through each quantity: parts × values."""
    told, cut = space.without_trends(weights), int(space.offsets[-1])
    parts: Floats = np.concatenate([told[None, :cut], told[cut:, None] * space.costs[: len(space.quantities)]])
    return parts


def _by_worth(space: Space, weights: Floats, configurations: Iterable[Configuration]) -> list[Configuration]:
    worth = {each: float(weights @ space.encode(each)) for each in configurations}
    return sorted(worth, key=lambda each: -round(worth[each], 9))


def _differs(space: Space, weights: Floats, one: Configuration, other: Configuration, least: float) -> bool:
    now = space.indices(other) + space.offsets[:-1]
    changed = np.intersect1d(space.indices(one) + space.offsets[:-1], _worth_changing(space, weights, now, least))
    return len(changed) > 0


def compared(space: Space, recommendation: Recommendation, other: Configuration) -> Alternative:
    """Another configuration, with what speaks for it and against it."""
    best, weights, scale = recommendation.configuration, recommendation.weights, _utility(space, recommendation) or 1.0
    apart = {name: lead / scale for name, lead in worth_apart(space, weights, best, other).items()}
    ordered = sorted(apart.items(), key=lambda item: -round(abs(item[1]), 9))
    return Alternative(
        other,
        float(weights @ (space.encode(best) - space.encode(other))) / scale,
        gains={name: -lead for name, lead in ordered if lead < 0},
        losses={name: lead for name, lead in ordered if lead > 0},
    )


# Answers that traded one thing for another, and answers that stand out


@dataclass(frozen=True)
class Tradeoff:
    """Some of one thing was given up for more of another."""

    gave_up: str
    gained: str
    answers: tuple[int, ...]
    """In which answers, counted from 0."""

    @property
    def times(self) -> int:
        return len(self.answers)

    def document(self) -> dict[str, Any]:
        return {"gave_up": self.gave_up, "gained": self.gained, "answers": list(self.answers)}


def tradeoffs(space: Space, recommendation: Recommendation, history: History) -> tuple[Tradeoff, ...]:
    """What was given up for what, most often first.

    In each answer the two things that count are those in which the better option is worth most less, and most more;
    where a reason was given, that is what was gained. A change is better than what was shown.
    """
    least = MATTERS * _utility(space, recommendation)
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, (question, answer) in enumerate(history):
        for pair in dict.fromkeys(_traded(space, recommendation.weights, question, answer, least)):
            found[pair].append(number)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[1]))
    return tuple(Tradeoff(*pair, tuple(numbers)) for pair, numbers in ordered)


def _traded(
    space: Space, weights: Floats, question: Question, answer: Answer, least: float
) -> Iterator[tuple[str, str]]:
    reasons = reasons_of(answer)
    for better, worse in _preferred(question, answer):
        apart = worth_apart(space, weights, better, worse)
        if apart:
            gave_up, gained = min(apart, key=apart.__getitem__), max(apart, key=apart.__getitem__)
            gained = next((name for name in reasons if name in apart), gained)
            if apart[gained] > least and apart[gave_up] < -least:
                yield gave_up, gained


def _preferred(question: Question, answer: Answer) -> Iterator[tuple[Configuration, Configuration]]:
    """The better and the worse of all pairs that the answer orders; what is changed may be no more than a wish."""
    for better, worse, strict in preferences(question, answer):
        if strict:
            yield question.options[better], question.options[worse]
    if isinstance(answer, Change) and answer.name is not None and answer.value is not None:
        shown = question.options[answer.option]
        yield Configuration({**shown, answer.name: answer.value}), shown


def surprising(space: Space, recommendation: Recommendation, history: History) -> tuple[int, ...]:
    """The answers, counted from 0, that prefer what is clearly worse by the weights that all answers led to."""
    most = SURPRISING * _utility(space, recommendation)
    return tuple(number for number, said in enumerate(history) if _against(space, recommendation.weights, *said) > most)


def _against(space: Space, weights: Floats, question: Question, answer: Answer) -> float:
    """By how much the answer goes against the weights, at most."""
    pairs = _preferred(question, answer)
    return max((float(weights @ (space.encode(worse) - space.encode(better))) for better, worse in pairs), default=0.0)


def _utility(space: Space, recommendation: Recommendation) -> float:
    """What shares are shares of; never negative."""
    return max(0.0, float(recommendation.weights @ space.encode(recommendation.configuration)))
