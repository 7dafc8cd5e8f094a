"""What was asked and what was said: questions, answers, and the pairs that an answer orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations
from typing import Any, Literal, NamedTuple

from setmargin.errors import AnswerError
from setmargin.space.space import Configuration
from setmargin.space.text import in_words, short

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
    """k configurations shown side by side. How it was found is kept beside it, and is no part of its identity."""

    options: tuple[Configuration, ...]
    status: str = field(default="", compare=False)
    gap: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise AnswerError(f"a question needs at least two options, not {len(self.options)}")
        if len(set(self.options)) < len(self.options):
            raise AnswerError("a question shows the same configuration twice; show different ones")

    def __repr__(self) -> str:
        """What its options differ in."""
        first, *others = self.options
        differing = [name for name in first if any(other.get(name) != first[name] for other in others)]
        shown = (in_words({name: option[name] for name in differing if name in option}) for option in self.options)
        return f"<Question: {' | '.join(shown)}>"


@dataclass(frozen=True)
class Choice:
    """This one is the best of them."""

    option: int


@dataclass(frozen=True)
class Ranking:
    """All of them, best first."""

    order: tuple[int, ...]


@dataclass(frozen=True)
class NoDifference:
    """All of them are equally good."""


@dataclass(frozen=True)
class Skip:
    """No answer; the question is not asked again."""


@dataclass(frozen=True)
class Comparisons:
    """Pairs of the options, compared one by one."""

    outcomes: tuple[tuple[int, int, Outcome], ...]


Answer = Choice | Ranking | NoDifference | Skip | Comparisons
Compare = Callable[[int, int], Outcome]


def check(question: Question, answer: Answer) -> None:
    """Raise an error unless the answer fits the question; it counts options from 0, as answers do."""
    size = len(question.options)
    match answer:
        case Choice(option) if not _is_option(option, size):
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


def _is_option(number: object, size: int) -> bool:
    return type(number) is int and 0 <= number < size


def preferences(question: Question, answer: Answer) -> tuple[Preference, ...]:
    """The pairs that the answer orders: what a max-margin learner learns from."""
    check(question, answer)
    size = len(question.options)
    match answer:
        case Choice(option):
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
    match answer:
        case Choice(option):
            return {"choice": option}
        case Ranking(order):
            return {"ranking": list(order)}
        case NoDifference():
            return {"equal": True}
        case Skip():
            return {"skip": True}
        case Comparisons(outcomes):
            return {"comparisons": [[i, j, outcome.value] for i, j, outcome in outcomes]}


def from_document(document: Mapping[str, Any]) -> Answer:
    """The answer behind plain data."""
    with suppress(AttributeError, TypeError, ValueError):
        ((kind, said),) = document.items()
        match kind, said:
            case "choice", _:
                return Choice(_whole(said))
            case "ranking", [*order]:
                return Ranking(tuple(map(_whole, order)))
            case "equal", True:
                return NoDifference()
            case "skip", True:
                return Skip()
            case "comparisons", [*outcomes]:
                return Comparisons(tuple((_whole(i), _whole(j), Outcome(word)) for i, j, word in outcomes))
    raise AnswerError(f"{short(document)} is no answer; write choice, ranking, equal, skip or comparisons")


def _whole(number: object) -> int:
    if type(number) is not int:
        raise TypeError(f"{number!r} is no whole number")
    return number
