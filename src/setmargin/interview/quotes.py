"""Reasons that quote answers: what matters in a few words, and for each value that does what was said about it.

Everything here is data: names, numbers of answers, and amounts. Sentences are made of it where they are shown, so
that the terminal, the API and the page say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import log
from typing import Any, Final, Literal

from setmargin.answers import Answer, Change, Question, preferences, reasons_of
from setmargin.interview.explain import worth_apart
from setmargin.interview.log import was_asked
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value
from setmargin.strategies.base import History, Recommendation
from setmargin.strategies.shared.changes import possible_values

MOST_QUOTES: Final = 6
NAMED: Final = 1.5
"""What somebody named counts this much more than what only follows from their answers."""
MOSTLY, SOMEWHAT = 0.6, 0.35
"""What matters at least this share of what matters most is named first, or second."""
MOST_MOSTLY, MOST_SOMEWHAT = 3, 2
ALSO: Final = 0.5
"""A quantity that is better by this share of what an option gains most by is a reason of its own."""
LEAST_FACTOR: Final = 0.1
"""Something that would have to matter less than this share of what it does is as good as no reason."""

Kind = Literal["must-have", "set", "asked-for", "decided", "paid", "gave-up", "chosen", "better"]
ORDER: Final[tuple[Kind, ...]] = ("must-have", "set", "asked-for", "decided", "gave-up", "paid", "chosen", "better")
"""What says most comes first."""


@dataclass(frozen=True)
class Quote:
    """Why the configuration has a value, or an amount of a quantity: something that was said.

    | kind | what was said, in the first of `answers` |
    |---|---|
    | must-have | nothing: the must-haves leave no other value |
    | set | the person changed it to this by themselves; of a quantity: to be better |
    | asked-for | when asked, to change it to this; of a quantity: that it should be better |
    | decided | an option that has it was taken, and it was named as the reason |
    | paid | an option that has it was taken, though another with `instead` had `by` less (or more) of `quantity` |
    | chosen | an option that has it was taken, and not one with `instead` |
    | gave-up | an option with `by` less (or more) of this quantity was taken, though another had `instead` of `lost` |
    | better | an option with `by` less (or more) of this quantity was taken |
    """

    name: str
    kind: Kind
    value: Value | None
    """Of the attribute; None for a quantity."""
    answers: tuple[int, ...] = ()
    """The answers that say so, counted from 0; all else is about the first."""
    instead: Value | None = None
    quantity: str | None = None
    by: float | None = None
    """How much more of the quantity the option that was taken has; negative where less."""
    lost: str | None = None

    def document(self) -> dict[str, Any]:
        """As plain data, ready for JSON."""
        return {**asdict(self), "answers": list(self.answers)}


@dataclass(frozen=True)
class Matters:
    """What matters in words: `mostly` these, these `somewhat`; both empty where nothing stands out."""

    mostly: tuple[str, ...]
    somewhat: tuple[str, ...]


@dataclass(frozen=True)
class Tips:
    """What would have to change for another one to win: this thing would have to matter so many times as much."""

    name: str
    factor: float


def matters(importance: Mapping[str, float], history: History = ()) -> Matters:
    """What matters most in a few names; what the person named themselves counts more."""
    named = named_in(history)
    shares = {name: share * (NAMED if name in named else 1.0) for name, share in importance.items() if share > 0}
    ordered = sorted(shares, key=lambda name: -round(shares[name], 9))
    if not ordered or (len(ordered) > 1 and shares[ordered[0]] < 1.2 / len(ordered)):
        return Matters((), ())
    top = shares[ordered[0]]
    mostly = [name for name in ordered if shares[name] >= MOSTLY * top][:MOST_MOSTLY]
    rest = [name for name in ordered if name not in mostly and shares[name] >= SOMEWHAT * top]
    return Matters(tuple(mostly), tuple(rest[:MOST_SOMEWHAT]))


def named_in(history: History) -> frozenset[str]:
    """What was named as a reason, or to be changed."""
    changes = (answer.name for _, answer in history if isinstance(answer, Change) and answer.name is not None)
    return frozenset(name for _, answer in history for name in reasons_of(answer)) | frozenset(changes)


def quotes(
    oracle: Oracle,
    recommendation: Recommendation,
    history: History,
    importance: Mapping[str, float],
    *,
    open_space: Space | None = None,
    most: int = MOST_QUOTES,
) -> tuple[Quote, ...]:
    """What was said for the values that matter, most important first; what nothing was said about is left out.

    Parameters
    ----------
    oracle : Oracle
        Of the space with its must-haves.
    recommendation : Recommendation
        The configuration that has these values, and the weights that say which difference an answer was about.
    history : History
        Questions and answers.
    importance : mapping
        How much each attribute and quantity matters.
    open_space : Space, optional
        The space without must-haves, to tell what these have settled.
    most : int, optional
        How many at most.
    """
    found: dict[str, list[Quote]] = {}
    for each in _all(oracle.space, recommendation, history):
        found.setdefault(each.name, []).append(each)
    for each in _settled(oracle.space, open_space or oracle.space, recommendation.configuration):
        found.setdefault(each.name, []).append(each)
    named = named_in(history)
    ranked = sorted(importance, key=lambda name: -round(importance[name] * (NAMED if name in named else 1.0), 9))
    things = [name for name in found if not importance.get(name)] + [name for name in ranked if importance[name]]
    return tuple(_best_of(found[name]) for name in things if name in found)[:most]


def _best_of(said: Sequence[Quote]) -> Quote:
    """What says most, with all the answers that say the same."""
    kind = min((each.kind for each in said), key=ORDER.index)
    alike = [each for each in said if each.kind == kind]
    first = alike[0]  # which is about little else: see _all
    if kind in ("asked-for", "set"):
        first = alike[-1]  # the latest wish is the one that holds
    elif first.quantity == first.name:
        first = max(alike, key=lambda each: abs(each.by or 0.0))
    return replace(first, answers=tuple(dict.fromkeys(number for each in (first, *alike) for number in each.answers)))


def _settled(space: Space, before: Space, configuration: Configuration) -> Iterator[Quote]:
    """What must-haves leave no choice about."""
    if space is before:
        return
    for attribute, now, then in zip(space.attributes, *(_choices(each) for each in (space, before)), strict=True):
        if now == 1 < then:
            yield Quote(attribute.name, "must-have", configuration[attribute.name])


def _choices(space: Space) -> list[int]:
    possible, offsets = possible_values(space), space.offsets[: len(space.attributes) + 1].tolist()
    return [int(possible[start:end].sum()) for start, end in pairwise(offsets)]


def _all(space: Space, recommendation: Recommendation, history: History) -> Iterator[Quote]:
    """Everything that was said for the recommendation's values; comparisons that are about little else first."""
    said: list[tuple[int, int, Quote]] = []
    for number, (question, answer) in enumerate(history):
        for apart, quote in _said(space, recommendation, number, question, answer):
            said.append((apart, number, quote))
    yield from (quote for _, _, quote in sorted(said, key=lambda each: each[:2]))


def _said(
    space: Space, recommendation: Recommendation, number: int, question: Question, answer: Answer
) -> Iterator[tuple[int, Quote]]:
    """What one answer says, each with the number of things in which what was compared differs."""
    best = recommendation.configuration
    match answer:
        case Change(str(name), value) if value is None or best.get(name) == value:
            yield 0, Quote(name, "asked-for" if was_asked(question) else "set", value, (number,))
    ordered = [pair for pair in preferences(question, answer) if pair.strict]
    for pair in ordered:
        if pair.better == ordered[0].better:  # which was taken, or is the first of a ranking
            chosen, other = question.options[pair.better], question.options[pair.worse]
            yield from _preferred(space, recommendation, number, chosen, other, reasons_of(answer))


def _preferred(
    space: Space,
    recommendation: Recommendation,
    number: int,
    chosen: Configuration,
    other: Configuration,
    reasons: Iterable[str],
) -> Iterator[tuple[int, Quote]]:
    """What it says that one configuration was taken and another was not."""
    best, better = recommendation.configuration, _better_by(space, chosen, other)
    apart = worth_apart(space, recommendation.weights, chosen, other)
    size = len(apart)
    gains = sorted((name for name in apart if apart[name] > 0), key=lambda name: -apart[name])
    for name in reasons:
        if name in better and better[name][0] > 0:
            yield size, Quote(name, "decided", None, (number,), quantity=name, by=better[name][1])
        elif name in chosen and chosen[name] == best[name] != other[name]:
            paid = _dearest(better, apart, _costs_of(space, name, chosen, other))
            yield size, Quote(name, "decided", best[name], (number,), other[name], *paid)
    if not gains:
        return
    for name in gains[1:]:
        if name in better and apart[name] >= ALSO * apart[gains[0]]:
            yield size, Quote(name, "better", None, (number,), quantity=name, by=better[name][1])
    name = gains[0]
    if name in better and better[name][0] > 0:
        by = better[name][1]
        lost = [each for each in apart if apart[each] < 0 and each in chosen and other[each] != best[each]]
        if lost:
            dearest = min(lost, key=apart.__getitem__)
            yield size, Quote(name, "gave-up", None, (number,), other[dearest], name, by, dearest)
        else:
            yield size, Quote(name, "better", None, (number,), quantity=name, by=by)
    elif name in chosen and chosen[name] == best[name] != other[name]:
        quantity, more = _dearest(better, apart, _costs_of(space, name, chosen, other))
        kind: Kind = "chosen" if quantity is None else "paid"
        yield size, Quote(name, kind, best[name], (number,), other[name], quantity, more)


def _better_by(space: Space, one: Configuration, other: Configuration) -> dict[str, tuple[float, float]]:
    """By quantity: by how much the one is better (worse: negative), and how much more of it there is."""
    had, has = space.amounts(other), space.amounts(one)
    found = {}
    for quantity in space.quantities:
        more = round(has[quantity.name] - had[quantity.name], 6)
        if more:
            found[quantity.name] = (-more if quantity.better == "lower" else more, more)
    return found


def _costs_of(space: Space, name: str, one: Configuration, other: Configuration) -> frozenset[str]:
    """The quantities that are worse by this attribute's value alone, whatever else differs."""
    place = [attribute.name for attribute in space.attributes].index(name)
    chosen, passed = (int(space.offsets[place] + space.indices(each)[place]) for each in (one, other))
    more = space.amounts_table[:, chosen] - space.amounts_table[:, passed]
    return frozenset(
        quantity.name
        for quantity, much in zip(space.quantities, more.tolist(), strict=True)
        if (much > 0 if quantity.better == "lower" else much < 0)
    )


def _dearest(
    better: Mapping[str, tuple[float, float]], apart: Mapping[str, float], costs: Collection[str]
) -> tuple[str | None, float | None]:
    """The one of these quantities that was given up most of, by what it is worth, and how much more of it there is."""
    worse = [name for name, (gain, _) in better.items() if gain < 0 and apart.get(name, 0.0) < 0 and name in costs]
    if not worse:
        return None, None
    name = min(worse, key=lambda each: apart[each])
    return name, better[name][1]


# What would have to change


def tips(space: Space, recommendation: Recommendation, other: Configuration) -> Tips | None:
    """The one thing whose importance would have to change least for another configuration to win.

    None where it wins already, or would not win however much one thing mattered.
    """
    apart = worth_apart(space, recommendation.weights, recommendation.configuration, other)
    lead = sum(apart.values())
    if lead <= 0:
        return None
    # With a thing f times as important the lead is lead + (f - 1) * apart, which is 0 at:
    factors = {name: 1.0 - lead / worth for name, worth in apart.items() if worth}
    usable = {name: factor for name, factor in factors.items() if factor >= LEAST_FACTOR}
    if not usable:
        return None
    name = min(usable, key=lambda each: abs(log(usable[each])))
    return Tips(name, usable[name])
