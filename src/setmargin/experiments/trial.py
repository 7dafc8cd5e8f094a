"""One trial: a simulated person is interviewed, and every question, which is one screen, leaves one flat record.

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
from setmargin.experiments.people import Person
from setmargin.experiments.responses import check_one_of
from setmargin.strategies.base import History, Strategy
from setmargin.strategies.shared.effort import answer_effort

FINISHED = "finished"

P = ParamSpec("P")
T = TypeVar("T")


class Record(TypedDict):
    """One question to one person, and where it left them: one line of a file of JSON lines."""

    catalogue: str
    strategy: str
    set_size: int
    weights: str  # where the people are from: a distribution, or a file
    response: str
    wrong: float
    reasons: float  # how often a choice comes with a reason
    changes: float  # how often somebody who is asked for a change names one
    careless: float  # how often either is drawn at random
    how: str
    seed: int
    person: int  # counted from 1
    question: int  # counted from 1; each is one screen
    screen: str  # what is asked on it, such as "pair" or "choice of 3 with change"; "" if nothing was
    effort: float  # the seconds that it takes the person
    pairs: int  # pairs that the person has ordered so far
    loss: float  # best attainable utility minus that of the recommendation
    relative_loss: float  # as a share of the best attainable utility
    ask_seconds: float
    learn_seconds: float
    tune_seconds: float
    recommend_seconds: float
    status: str  # how the question was found; "finished" if there was none
    gap: float | None  # None if nothing is known about it


class KeptRecord(Record):
    """A record in a file, with what it was made by."""

    version: str  # of setmargin
    code: str  # a digest of the strategy's code and of all that it rests on


def run_trial(strategy: Strategy[Any], person: Person, *, questions: int = 30, how: How = "pairs") -> Iterator[Record]:
    """Interview the person; one record per question, as they come. Each part of the work is timed on its own."""
    check_trial(questions=questions, how=how)
    return _records(strategy, person, questions, how)


def interview_person(strategy: Strategy[Any], person: Person, *, questions: int, how: How) -> History:
    """The same without a look at what it is worth: what the person was asked and answered."""
    belief = strategy.start(person.space, seed=person.strategy_seed)
    noise, talk = person.noise(), person.talk()
    for _ in range(questions):
        question = strategy.ask(belief)
        if question is None:
            break
        belief = strategy.update(belief, question, person.answer(question, how, noise, talk))
    history: History = belief.history
    return history


def check_trial(*, questions: int, how: str) -> None:
    """Refuse impossible trials before the first one starts."""
    check_one_of(how, How, "the way of answering")
    if questions < 1:
        raise OptionError(f"{questions} questions are no trial; give 1 or more")


def is_last(record: Record, *, questions: int) -> bool:
    """Whether the trial ends with this record, given its budget of questions."""
    return record["question"] == questions or record["status"] == FINISHED


def _records(strategy: Strategy[Any], person: Person, questions: int, how: How) -> Iterator[Record]:
    belief = strategy.start(person.space, seed=person.strategy_seed)
    noise, talk = person.noise(), person.talk()
    pairs, loss, relative_loss = 0, 0.0, 0.0
    for number in range(1, questions + 1):
        learning = tuning = recommending = effort = 0.0
        question, asking = _timed(strategy.ask, belief)
        if question:
            answer = person.answer(question, how, noise, talk)
            effort = answer_effort(person.space, question, answer)
            pairs += len(preferences(question, answer))
            belief, learning = _timed(strategy.learn, belief, question, answer)
            belief, tuning = _timed(strategy.tune, belief)
        if question or number == 1:
            recommendation, recommending = _timed(strategy.recommend, belief)
            loss = person.loss(recommendation.configuration)
            relative_loss = person.relative_loss(recommendation.configuration)
        yield {
            "catalogue": person.space.name,
            "strategy": strategy.name,
            "set_size": strategy.set_size,
            "weights": person.kind,
            "response": person.response.model,
            "wrong": person.response.wrong,
            "reasons": person.response.reasons,
            "changes": person.response.changes,
            "careless": person.response.careless,
            "how": how,
            "seed": person.seed,
            "person": person.number,
            "question": number,
            "screen": screen_of(question, how) if question else "",
            "effort": effort,
            "pairs": pairs,
            "loss": loss,
            "relative_loss": relative_loss,
            "ask_seconds": asking,
            "learn_seconds": learning,
            "tune_seconds": tuning,
            "recommend_seconds": recommending,
            "status": question.status if question else FINISHED,
            # A question without a bound has an infinite gap, for which JSON has no word.
            "gap": question.gap if question and isfinite(question.gap) else None,
        }
        if not question:
            return


def screen_of(question: Question, how: How) -> str:
    """What a screen asks for, in a few words that stay what they are."""
    size = len(question.options)
    if size == 1:
        return "change"
    compared = "pair" if size == 2 else f"{how} of {size}"
    return f"{compared} with change" if question.asks_for_change else compared


def _timed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[T, float]:
    start = perf_counter()
    done = work(*args, **kwargs)
    return done, perf_counter() - start
