"""What was asked and what was said: questions, answers, and the pairs that an answer orders.

A question shows two or more configurations side by side, or a single one: "what would you change?". An answer may say
more than it has to: a choice comes with the things that decided it, where the person names them, and anything shown may
be taken with one thing changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from setmargin.errors import AnswerError, SpaceError
from setmargin.html import heading, table
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, in_words, short, suggest

SAME_AMOUNT: Final = 1e-9
"""Quantities, on a scale from 0 to 1, that are this close are equal."""

ID_DIGITS: Final = 32

How = Literal["pairs", "sort", "choice", "ranking"]
"""How a question is answered: all pairs compared, or as few as it takes to sort; a choice of the best, or a ranking."""


class Outcome(Enum):
    """How two options compare."""

    FIRST = "first"
    SECOND = "second"
    EQUAL = "equal"


class Preference(NamedTuple):
    """Two options of one question: the first is at least as good; `strict` if it is better, else they are equal."""

    better: int
    worse: int
    strict: bool


@dataclass(frozen=True)
class Question:
    """k configurations shown side by side: which one is best? Or a single one: what would you change about it?

    With `asks_for_change` whoever chooses one of several is asked what to change about it, too. `besides` are changes
    that were asked for before, as names with values or, for quantities, without one: these wishes are known, so the
    next one is asked for. A `forced` question does not let people say that there is no difference, as most studies do
    not; that nobody says so then means nothing. How the question was found is kept beside it, and is no part of its
    identity.
    """

    options: tuple[Configuration, ...]
    status: str = field(default="", compare=False)
    gap: float = field(default=0.0, compare=False)
    asks_for_change: bool = False
    besides: tuple[tuple[str, Value | None], ...] = ()
    forced: bool = False

    def __post_init__(self) -> None:
        if not self.options:
            raise AnswerError("a question shows at least one configuration, not none")
        if len(set(self.options)) < len(self.options):
            raise AnswerError("a question shows the same configuration twice; show different ones")
        if len(self.options) == 1:
            object.__setattr__(self, "asks_for_change", True)
        if self.besides and not self.asks_for_change:
            raise AnswerError("changes that are known already belong to a question that asks for a change")

    @property
    def is_comparison(self) -> bool:
        """Whether there is something to choose from."""
        return len(self.options) > 1

    @property
    def id(self) -> str:
        """Stands for all that is shown and asked, and nothing else: equal questions have equal ids, wherever they are.

        An answer that was given elsewhere names it, so that nobody is heard about options that they were not shown.
        """
        shown = [sorted((name, _plain_number(value)) for name, value in option.items()) for option in self.options]
        besides = [(name, _plain_number(value)) for name, value in self.besides]
        text = json.dumps([shown, self.asks_for_change, besides, self.forced])
        return sha256(text.encode()).hexdigest()[:ID_DIGITS]

    def __repr__(self) -> str:
        """What its options differ in."""
        first, *others = self.options
        if not others:
            return f"<Question: what would you change about {in_words(first)}?>"
        differing = [name for name in first if any(other.get(name) != first[name] for other in others)]
        shown = (in_words({name: option[name] for name in differing if name in option}) for option in self.options)
        return f"<Question: {' | '.join(shown)}>"

    def _repr_html_(self) -> str:
        """In a notebook: the options side by side, in bold what they differ in."""
        names = list(self.options[0])
        rows = [(name, *(option.get(name) for option in self.options)) for name in names]
        differing = [number for number, row in enumerate(rows) if len(set(row[1:])) > 1]
        asked = "Which one is best?" if self.is_comparison else "What would you change?"
        header = ("", *(f"option {number}" for number in range(len(self.options))))
        return heading(asked) + table(rows, header=header, bold=differing)


def _plain_number(value: Value | None) -> Value | None:
    """2.0 is 2: equal values are written alike."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True)
class Choice:
    """This one is the best of them, because of these attributes and quantities, the most important one first."""

    option: int
    because: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "because", _names(self.because))


@dataclass(frozen=True)
class Ranking:
    """All of them, best first; `because` says what puts the first one before the others."""

    order: tuple[int, ...]
    because: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "because", _names(self.because))


@dataclass(frozen=True)
class NoDifference:
    """All of them are equally good; `because` names things in which they differ, but which do not matter."""

    because: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "because", _names(self.because))


@dataclass(frozen=True)
class Change:
    """What to change first about an option: an attribute's value, a quantity (to be better), or nothing at all.

    Of several options the one that is changed is also the best of them.

    Parameters
    ----------
    name : str, optional
        The attribute or quantity; where it is left out, nothing would be changed.
    value : str or number, optional
        What the attribute should be instead; a quantity gets none, as it should just be better.
    option : int
        Which of the options shown, counted from 0.

    Raises
    ------
    AnswerError
        Where there is a value, but no name.

    Examples
    --------
    >>> this, cheaper, nothing = Change("brakes", "rim", option=1), Change("price"), Change()
    >>> interview = Interview("bicycle", "random")
    >>> interview.tell(this)
    >>> interview.history[0][1]
    Change(name='brakes', value='rim', option=1)
    """

    name: str | None = None
    value: Value | None = None
    option: int = 0

    def __post_init__(self) -> None:
        if self.name is None and self.value is not None:
            raise AnswerError(f"{short(self.value)} instead of what? Name the attribute to change")


@dataclass(frozen=True)
class Skip:
    """No answer; the question is not asked again."""


@dataclass(frozen=True)
class Comparisons:
    """Pairs of the options, compared one by one."""

    outcomes: tuple[tuple[int, int, Outcome], ...]


def _names(because: object) -> tuple[str, ...]:
    """One name or several, each once."""
    names = (because,) if isinstance(because, str) else because
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise AnswerError(f"the reason is {short(because)}; name an attribute or a quantity, or several")
    return tuple(dict.fromkeys(names))


Answer = Choice | Ranking | NoDifference | Change | Skip | Comparisons
Compare = Callable[[int, int], Outcome]


def check(question: Question, answer: Answer, space: Space | None = None) -> None:
    """Raise an error unless the answer fits the question, and what it names is there, where the space is known.

    It counts options from 0, as answers do.
    """
    size = len(question.options)
    match answer:
        case Ranking() | NoDifference() | Comparisons() if not question.is_comparison:
            raise AnswerError("a single option is shown; say what to change about it, or skip")
        case NoDifference() if question.forced:
            raise AnswerError("this question asks for a choice in any case; choose one, or skip")
        case Choice(option) | Change(_, _, option) if not _is_option(option, size):
            raise AnswerError(f"option {short(option)} was chosen, but the options are 0 to {size - 1}")
        case Ranking(order) if len(order) != size or {o for o in order if _is_option(o, size)} != set(range(size)):
            listed = ", ".join(map(short, order))
            raise AnswerError(f"the ranking {listed} must name each of the options 0 to {size - 1} once")
        case Comparisons(outcomes):
            for first, second, outcome in outcomes:
                pair = f"{short(first)} and {short(second)}"
                if first == second or not (_is_option(first, size) and _is_option(second, size)):
                    raise AnswerError(f"options {pair} are no pair of the options 0 to {size - 1}")
                if not isinstance(outcome, Outcome):
                    raise AnswerError(f"options {pair} compare as {short(outcome)}; give an Outcome")
        case _ if not isinstance(answer, Answer):
            raise AnswerError(f"{short(answer)} is no answer; give a Choice, a Ranking, or another kind of answer")
    if space is not None:
        _check_reasons(space, question, reasons_of(answer))
        if isinstance(answer, Change):
            _check_change(space, question.options[answer.option], answer)
            if (answer.name, answer.value) in question.besides:
                raise AnswerError(f"that {_wish(answer)} is known already; say what else to change, or nothing")


def settled(question: Question, answer: Answer) -> Answer:
    """The answer as it is learnt from: whoever chooses the only option would change nothing about it."""
    return answer if question.is_comparison or answer != Choice(0) else Change()


def reasons_of(answer: Answer) -> tuple[str, ...]:
    """The attributes and quantities that the answer gives as its reasons."""
    return answer.because if isinstance(answer, Choice | Ranking | NoDifference) else ()


def differing(space: Space, options: Sequence[Configuration]) -> tuple[str, ...]:
    """The attributes, then the quantities, in which some of the options differ."""
    rows = space.features(np.stack([space.indices(option) for option in options]))
    apart = np.ptp(rows, axis=0) > SAME_AMOUNT
    differ = np.zeros(len(space.things), dtype=bool)
    differ[space.owners[apart]] = True
    return tuple(name for name, differs in zip(space.things, differ, strict=True) if differs)


def _check_reasons(space: Space, question: Question, reasons: Sequence[str]) -> None:
    names = differing(space, question.options) if reasons else ()
    for name in reasons:
        if name not in space.things:
            raise AnswerError(
                f"the reason {short(name)} is unknown; {suggest(name, names, what='the options differ in')}"
            )
        if name not in names:
            raise AnswerError(f"the reason {name} is the same in all options; they differ in {', '.join(names)}")


def _wish(change: Change) -> str:
    return f"{change.name} should be {'better' if change.value is None else change.value}"


def _check_change(space: Space, shown: Configuration, change: Change) -> None:
    if change.name is None:
        return
    quantities = [quantity.name for quantity in space.quantities]
    if change.name not in space.things:
        hint = suggest(change.name, space.things, what="there is")
        raise AnswerError(f"{short(change.name)} cannot be changed, as nothing is called so; {hint}")
    if change.name in quantities:
        if change.value is not None:
            raise AnswerError(
                f"the quantity {change.name} follows from the choices and cannot be set to {short(change.value)}; "
                f"say that it should be better, or make it a must-have"
            )
        return
    if change.value is None:
        raise AnswerError(f"{change.name} instead of {shown[change.name]} should be what? Give one of its values")
    attribute = next(each for each in space.attributes if each.name == change.name)
    try:
        value = attribute.values[attribute.index(change.value)]
    except SpaceError as error:
        raise AnswerError(str(error)) from None
    if value == shown[change.name]:
        raise AnswerError(f"{change.name} is {value} already; change it to something else")


def _is_option(number: object, size: int) -> bool:
    return type(number) is int and 0 <= number < size


def preferences(question: Question, answer: Answer) -> tuple[Preference, ...]:
    """The pairs that the answer orders: what a max-margin learner learns from."""
    check(question, answer)
    size = len(question.options)
    match answer:
        case Choice(option) | Change(_, _, option):
            return tuple(Preference(option, other, True) for other in range(size) if other != option)
        case Ranking(order):
            return tuple(Preference(better, worse, True) for better, worse in combinations(order, 2))
        case NoDifference():
            return tuple(Preference(one, other, False) for one, other in combinations(range(size), 2))
        case Comparisons(outcomes):
            return tuple(_preference(*outcome) for outcome in outcomes)
    return ()


def _preference(first: int, second: int, outcome: Outcome) -> Preference:
    if outcome is Outcome.SECOND:
        return Preference(second, first, True)
    return Preference(first, second, outcome is Outcome.FIRST)


# Ways of asking about k options in pairs. `compare` is the person.


def all_pairs(size: int, compare: Compare) -> Comparisons:
    """Algorithm 1: every pair is asked."""
    return Comparisons(tuple((i, j, compare(i, j)) for i, j in combinations(range(size), 2)))


def by_sorting(size: int, compare: Compare) -> Comparisons:
    """Merge sort: O(k log k) pairs are asked; a mistake early on is carried along."""
    asked: list[tuple[int, int, Outcome]] = []

    def merge(left: list[int], right: list[int]) -> list[int]:
        merged: list[int] = []
        while left and right:
            outcome = compare(left[0], right[0])
            asked.append((left[0], right[0], outcome))
            merged.append((right if outcome is Outcome.SECOND else left).pop(0))
        return merged + left + right

    runs = [[option] for option in range(size)]
    while len(runs) > 1:
        runs = [merge(*runs[i : i + 2]) if i + 1 < len(runs) else runs[i] for i in range(0, len(runs), 2)]
    return Comparisons(tuple(asked))


def to_document(answer: Answer) -> dict[str, Any]:
    """The answer as plain data."""
    document = _said(answer)
    return {**document, "because": list(reasons)} if (reasons := reasons_of(answer)) else document


def _said(answer: Answer) -> dict[str, Any]:
    match answer:
        case Choice(option):
            return {"choice": option}
        case Ranking(order):
            return {"ranking": list(order)}
        case NoDifference():
            return {"equal": True}
        case Change(name, value, option):
            parts = {"name": name, "value": value, "option": option or None}
            return {"change": {key: part for key, part in parts.items() if part is not None}}
        case Skip():
            return {"skip": True}
        case Comparisons(outcomes):
            return {"comparisons": [[i, j, outcome.value] for i, j, outcome in outcomes]}


def from_document(document: Mapping[str, Any]) -> Answer:
    """The answer behind plain data."""
    try:
        if (answer := _read_answer(document)) is not None:
            return answer
    except AnswerError:
        raise  # which says what is wrong with one part
    except (AttributeError, TypeError, ValueError):
        pass
    raise AnswerError(f"{short(document)} is no answer; write choice, ranking, equal, change, skip or comparisons")


def _read_answer(document: Mapping[str, Any]) -> Answer | None:
    said = {**document}
    because = tuple(said.pop("because", ()))
    ((kind, what),) = said.items()
    match kind, what:
        case "choice", _:
            return Choice(_whole(what), because)
        case "ranking", [*order]:
            return Ranking(tuple(map(_whole, order)), because)
        case "equal", True:
            return NoDifference(because)
        case "change", dict(parts) if not because:
            return _change(**parts)
        case "skip", True if not because:
            return Skip()
        case "comparisons", [*outcomes] if not because:
            return Comparisons(tuple((_whole(i), _whole(j), Outcome(word)) for i, j, word in outcomes))
    return None


def _change(*, name: object = None, value: object = None, option: object = 0) -> Change:
    if not isinstance(name, str | None) or not isinstance(value, str | int | float | None) or isinstance(value, bool):
        raise TypeError(f"{name!r} and {value!r} are no name and value")
    return Change(name, value, _whole(option))


def _whole(number: object) -> int:
    if type(number) is not int:
        raise TypeError(f"{number!r} is no whole number")
    return number
