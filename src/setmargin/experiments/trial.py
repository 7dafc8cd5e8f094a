"""One trial: a simulated person is interviewed, and every question leaves one flat record.

A trial never looks at the true loss to decide when to stop: it runs its whole budget of questions, unless the
strategy itself has nothing left to ask. Then its last record has the status `finished` and the number of the question
that was not there; the loss is that of the recommendation as it stands, and remains so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from time import perf_counter
from typing import Any, ParamSpec, TypedDict, TypeVar

from setmargin.answers import How, Question, preferences
from setmargin.errors import OptionError
from setmargin.experiments.people import Person, check_one_of
from setmargin.strategies.base import Strategy

FINISHED = "finished"

P = ParamSpec("P")
T = TypeVar("T")


class Settings(TypedDict):
    """What was run; the same in all records of one experiment."""

    catalogue: str
    strategy: str
    set_size: int
    weights: str  # where the people are from: a distribution, or a file
    response: str
    wrong: float
    how: str
    seed: int


class Standing(TypedDict):
    """How good the recommendation is."""

    loss: float  # best attainable utility minus that of the recommendation
    relative_loss: float  # as a share of the best attainable utility


class Found(TypedDict):
    """How the question was found."""

    status: str  # "finished" if there was none
    gap: float | None  # None if nothing is known about it


class Record(Settings, Standing, Found):
    """One question to one person, and where it left them: one line of a file of JSON lines."""

    person: int  # counted from 1
    question: int  # counted from 1
    pairs: int  # pairs that the person has ordered so far
    ask_seconds: float
    learn_seconds: float
    tune_seconds: float
    recommend_seconds: float


def run_trial(strategy: Strategy[Any], person: Person, *, questions: int = 30, how: How = "pairs") -> Iterator[Record]:
    """Interview the person; one record per question, as they come. Each part of the work is timed on its own."""
    check_trial(questions=questions, how=how)
    return _records(strategy, person, questions, how)


def check_trial(*, questions: int, how: str) -> None:
    """Refuse impossible trials before the first one starts."""
    check_one_of(how, How, "the way of answering")
    if questions < 1:
        raise OptionError(f"{questions} questions are no trial; give 1 or more")


def is_last(record: Record, *, questions: int) -> bool:
    """Whether the trial ends with this record."""
    return record["question"] == questions or record["status"] == FINISHED


def _records(strategy: Strategy[Any], person: Person, questions: int, how: How) -> Iterator[Record]:
    settings = _settings(strategy, person, how)
    belief = strategy.start(person.space, seed=person.strategy_seed)
    noise = person.noise()
    standing: Standing | None = None
    pairs = 0
    for number in range(1, questions + 1):
        learning = tuning = recommending = 0.0
        question, asking = _timed(strategy.ask, belief)
        if question:
            answer = person.answer(question, how, noise)
            pairs += len(preferences(question, answer))
            belief, learning = _timed(strategy.learn, belief, question, answer)
            belief, tuning = _timed(strategy.tune, belief)
        if question or standing is None:
            recommendation, recommending = _timed(strategy.recommend, belief)
            best = recommendation.configuration
            standing = {"loss": person.loss(best), "relative_loss": person.relative_loss(best)}
        yield {
            **settings,
            "person": person.number,
            "question": number,
            "pairs": pairs,
            **standing,
            "ask_seconds": asking,
            "learn_seconds": learning,
            "tune_seconds": tuning,
            "recommend_seconds": recommending,
            **_found(question),
        }
        if not question:
            return


def _settings(strategy: Strategy[Any], person: Person, how: How) -> Settings:
    return {
        "catalogue": person.space.name,
        "strategy": strategy.name,
        "set_size": strategy.set_size,
        "weights": person.kind,
        "response": person.response.model,
        "wrong": person.response.wrong,
        "how": how,
        "seed": person.seed,
    }


def _found(question: Question | None) -> Found:
    """A question without a bound has an infinite gap, for which JSON has no word."""
    if question is None:
        return {"status": FINISHED, "gap": None}
    return {"status": question.status, "gap": question.gap if isfinite(question.gap) else None}


def _timed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[T, float]:
    start = perf_counter()
    done = work(*args, **kwargs)
    return done, perf_counter() - start
