"""What people and pages see of an interview: plain data with names, that crosses processes and becomes JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from setmargin import answers
from setmargin.answers import Question
from setmargin.interview.explanation import Explanation
from setmargin.interview.interview import Interview
from setmargin.interview.reasons import Alternative, Tradeoff
from setmargin.server.work.events import Document, InForce
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value
from setmargin.strategies.base import Recommendation


@dataclass(frozen=True)
class Option:
    """A configuration, and each of its quantities in its own unit."""

    values: dict[str, Value]
    amounts: dict[str, float]

    @classmethod
    def of(cls, space: Space, configuration: Mapping[str, Value]) -> Option:
        """The option that shows this configuration."""
        return cls(dict(configuration), space.amounts(configuration))


@dataclass(frozen=True)
class Asked:
    """The current question; names of attributes and quantities in which its options differ, and in which not."""

    number: int
    options: tuple[Option, ...]
    differing: tuple[str, ...]
    alike: tuple[str, ...]


@dataclass(frozen=True)
class View:
    """An interview as it is after its events: the State of the API, and what has to be stored of it.

    `event` is the event that led here, complete, as it belongs into the log: an answer with its question, a finish with
    its configuration; None where nothing was applied. `progress` is what the owner's view counts.
    """

    id: str
    version: int
    catalogue: dict[str, str]
    strategy: Document
    answered: int
    must_haves: tuple[str, ...]
    question: Asked | None
    best: Option
    stakes: Document | None
    done: bool
    finished: Option | None
    can_undo: bool
    undo_of: str | None
    progress: Document
    event: Document | None = None

    def document(self) -> Document:
        """The State of the API."""
        return {name: part for name, part in asdict(self).items() if name not in ("progress", "event")}


@dataclass(frozen=True)
class Given:
    """A question and what was said; surprising: it goes against what all answers together say."""

    number: int
    options: tuple[Option, ...]
    answer: Document
    surprising: bool


@dataclass(frozen=True)
class Result:
    """A recommendation with all its reasons, as data: the page makes words of it."""

    version: int
    best: Option
    stakes: Document | None
    importance: tuple[Document, ...]
    reasons: tuple[Document, ...]
    alternatives: tuple[Document, ...]
    would_change: tuple[Document, ...]
    answers: tuple[Given, ...]

    def document(self) -> Document:
        """The Result of the API."""
        return asdict(self)


@dataclass(frozen=True)
class CatalogueView:
    """What a catalogue holds, counted: the catalogue of the API."""

    name: str
    title: str
    description: str
    configurations: int | None
    attributes: tuple[Document, ...]
    quantities: tuple[Document, ...]
    rules: tuple[str, ...]

    def document(self) -> Document:
        """As plain data."""
        return asdict(self)


def view_of(interview: Interview, now: InForce, *, id: str, version: int, event: Document | None = None) -> View:
    """The interview as people see it; one that is finished asks nothing until it is opened again."""
    space, best = interview.belief.space, interview.recommend()
    question = None if now.finished is not None else interview.ask()
    stakes, options = interview.stakes(), interview.strategy.options()
    return View(
        id=id,
        version=version,
        catalogue={"name": space.name, "title": space.title},
        strategy={"name": interview.strategy.name} | {key: options.get(key) for key in ("set_size", "differences")},
        answered=len(interview.history),
        must_haves=interview.must_haves,
        question=None if question is None else _asked(space, question, number=len(interview.history) + 1),
        best=Option.of(space, best.configuration),
        stakes=None if stakes is None else stakes.document(),
        done=question is None,
        finished=None if now.finished is None else Option.of(space, now.finished),
        can_undo=now.undo_of is not None,
        undo_of=now.undo_of,
        progress=_progress(interview, best, finished=now.finished is not None),
        event=event,
    )


def _asked(space: Space, question: Question, *, number: int) -> Asked:
    options = tuple(Option.of(space, option) for option in question.options)
    shown = [{**option.values, **option.amounts} for option in options]
    alike = tuple(name for name in shown[0] if len({each[name] for each in shown}) == 1)
    return Asked(number, options, tuple(name for name in shown[0] if name not in alike), alike)


def _progress(interview: Interview, best: Recommendation, *, finished: bool) -> Document:
    stakes = interview.stakes()
    return {
        "answers": interview.belief.answered,
        "expected_loss": stakes and stakes.expected_loss,
        "importance": interview.importance(best),
        "finished": finished,
    }


def result_of(interview: Interview, *, version: int) -> Result:
    """The recommendation with everything that speaks for it."""
    space, best = interview.belief.space, interview.recommend()
    interview.ask()  # whether anything can still be asked is part of what is at stake
    stakes, why = interview.stakes(), interview.explain(best)
    return Result(
        version=version,
        best=Option.of(space, best.configuration),
        stakes=None if stakes is None else stakes.document(),
        importance=tuple(_importance(why)),
        reasons=(*map(_gave_up, interview.tradeoffs(best)), *(_decisive(space, why))),
        alternatives=tuple(_alternative(space, best.configuration, each) for each in interview.alternatives(best)),
        would_change=tuple({"answer": each["answer"], "instead": each["instead"]} for each in _decisive(space, why)),
        answers=_answers(interview, interview.surprising(best)),
    )


def _importance(why: Explanation) -> list[Document]:
    ends: Mapping[str, tuple[float | None, float | None]] = why.intervals or {}
    return [
        {"name": name, "share": share, "low": ends.get(name, (None, None))[0], "high": ends.get(name, (None, None))[1]}
        for name, share in why.importance.items()
    ]


def _gave_up(tradeoff: Tradeoff) -> Document:
    return {"kind": "gave-up", "gave_up": tradeoff.gave_up, "for": tradeoff.gained, "times": tradeoff.times}


def _decisive(space: Space, why: Explanation) -> list[Document]:
    """Answers counted from 1, as people do."""
    return [
        {"kind": "decisive", "answer": each.number + 1, "instead": asdict(Option.of(space, each.instead))}
        for each in why.decisive or ()
    ]


def _alternative(space: Space, best: Configuration, other: Alternative) -> Document:
    shown, amounts = Option.of(space, other.configuration), space.amounts(best)
    return {
        "option": asdict(shown),
        "loss": other.loss,
        "differing": [name for name in best if best[name] != shown.values[name]]
        + [name for name, amount in shown.amounts.items() if amount != amounts[name]],
        "gains": [{"name": name, "share": share} for name, share in other.gains.items()],
        "losses": [{"name": name, "share": share} for name, share in other.losses.items()],
    }


def _answers(interview: Interview, surprising: Sequence[int]) -> tuple[Given, ...]:
    space = interview.space
    return tuple(
        Given(
            number + 1,
            tuple(Option.of(space, option) for option in question.options),
            answers.to_document(answer),
            number in surprising,
        )
        for number, (question, answer) in enumerate(interview.history)
    )


def catalogue_of(space: Space) -> CatalogueView:
    """What the API tells of a catalogue; raises InfeasibleSpace where nothing can be built."""
    oracle = oracle_for(space)
    return CatalogueView(
        space.name,
        space.title,
        space.description,
        oracle.count(),
        tuple(_named(a) | {"values": list(a.values), "numeric": a.is_numeric} for a in space.attributes),
        tuple(_named(q) | {"better": q.better} | _ends(*oracle.range(q.name)) for q in space.quantities),
        tuple(rule.text for rule in space.rules),
    )


def _named(thing: Attribute | Quantity) -> dict[str, object]:
    return {"name": thing.name, "title": thing.title or None, "unit": thing.unit or None}


def _ends(least: float, most: float) -> dict[Literal["least", "most"], float]:
    return {"least": least, "most": most}
