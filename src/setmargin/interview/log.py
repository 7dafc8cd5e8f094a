"""What happened in an interview, and the one fold of it: for the library, its files and the server alike.

Answers and must-haves are *events*, and so is the wish to be asked more. Undo, change and finish are said about
events, so a log that only grows, as a server keeps it, has *entries* of all kinds, and comes to the events that are
then in force:

    log = fold(read_entry(document) for document in documents)
    log.events, log.must_haves, log.finished, log.undo_of
    log.after(Undone())                          # raises InterviewError where there is nothing to undo

None of it needs a space: `in_space` says which configurations the options of an event are there, or that they are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from typing import Any, Final, Literal

import numpy as np

from setmargin import answers
from setmargin.answers import Answer, Question
from setmargin.errors import ConfigurationError, InterviewError, OtherQuestion
from setmargin.space.rules import bind
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, short


@dataclass(frozen=True)
class Answered:
    """A question was answered; `kept` is the configuration that the person made of the best so far by a change."""

    question: Question
    answer: Answer
    kept: Configuration | None = None


@dataclass(frozen=True)
class Required:
    """A must-have was added."""

    rule: str


@dataclass(frozen=True)
class Dropped:
    """A must-have was taken back."""

    rule: str


@dataclass(frozen=True)
class AskedOn:
    """The person wants to be asked more: from here on questions stop at this `until`, not at the strategy's own."""

    until: float


@dataclass(frozen=True)
class Changed:
    """The answer of that number, counted from 0, became another; what came after it stays."""

    number: int
    answer: Answer


@dataclass(frozen=True)
class Undone:
    """The last event, or the finish, was taken back."""


@dataclass(frozen=True)
class Finished:
    """The person took this configuration."""

    configuration: Configuration


UNASKED: Final = "unasked"
"""The status of a question that nobody asked: the person said by themselves what to change about the best so far."""

UndoOf = Literal["answer", "must-have", "asking-on", "finish"]
"""What an undo takes back."""
Event = Answered | Required | Dropped | AskedOn
Entry = Event | Changed | Undone | Finished


@dataclass(frozen=True)
class Log:
    """The events in force, and what the person took; whatever is said after that opens the interview again."""

    events: tuple[Event, ...] = ()
    finished: Configuration | None = None

    @property
    def must_haves(self) -> tuple[str, ...]:
        return must_haves_after(self.events)

    @property
    def until(self) -> float | None:
        """Where questions stop now, if the person wanted more than the strategy asks by itself."""
        return next((event.until for event in reversed(self.events) if isinstance(event, AskedOn)), None)

    @property
    def undo_of(self) -> UndoOf | None:
        """What an undo would take back now: `answer`, `must-have`, `asking-on` or `finish`."""
        if self.finished is not None:
            return "finish"
        match self.events[-1:]:
            case ():
                return None
            case (Answered(),):
                return "answer"
            case (AskedOn(),):
                return "asking-on"
        return "must-have"

    def question(self, number: int) -> Question:
        """The question of that number, counted from 0; InterviewError where so many were not answered."""
        return self._given(number)[1]

    def after(self, entry: Entry) -> Log:
        """What the log comes to with one more entry; InterviewError where it cannot follow."""
        match entry:
            case Undone() if self.finished is not None:
                return Log(self.events)
            case Undone() if self.events:
                return Log(self.events[:-1])
            case Undone():
                raise InterviewError("there is nothing to undo")
            case Finished(configuration):
                return Log(self.events, configuration)
            case Changed(number, answer):
                return Log(self._changed(number, answer))
            case Required(rule):
                held = written_like(rule, self.must_haves)
                return Log(self.events if held else (*self.events, Required(rule.strip())))
            case Dropped(rule):
                return Log((*self.events, Dropped(self._held(rule))))
        return Log((*self.events, entry))

    def _changed(self, number: int, answer: Answer) -> tuple[Event, ...]:
        place, question = self._given(number)
        return (*self.events[:place], Answered(question, answer), *self.events[place + 1 :])

    def _given(self, number: int) -> tuple[int, Question]:
        given = [(place, event.question) for place, event in enumerate(self.events) if isinstance(event, Answered)]
        if type(number) is not int or not 0 <= number < len(given):
            raise InterviewError(f"there is no answer {short(number)}; {len(given)} were given, counted from 0")
        return given[number]

    def _held(self, rule: str) -> str:
        held = written_like(rule, self.must_haves)
        if held is None:
            in_force = ", ".join(self.must_haves) or "none"
            raise InterviewError(f"there is no must-have {short(rule.strip())}; in force: {in_force}")
        return held


def kept_by(events: Sequence[Event]) -> Configuration | None:
    """The configuration that the person made of the best so far, if nothing was said since."""
    said = (event for event in reversed(events) if not isinstance(event, AskedOn))
    last = next(said, None)
    return last.kept if isinstance(last, Answered) else None


def kept_values(events: Iterable[Event]) -> dict[str, Value]:
    """The values that the person gave attributes of the best so far and kept, the latest last."""
    kept: dict[str, Value] = {}
    for event in events:
        match event:
            case Answered(_, answers.Change(str(name), value), Configuration()) if value is not None:
                kept.pop(name, None)
                kept[name] = value
    return kept


def fold(entries: Iterable[Entry]) -> Log:
    """What all these entries, in order, come to."""
    log = Log()
    for entry in entries:
        log = log.after(entry)
    return log


def must_haves_after(events: Iterable[Event]) -> tuple[str, ...]:
    """The must-haves in force after these events."""
    held: dict[str, None] = {}
    for event in events:
        match event:
            case Required(rule):
                held[rule] = None
            case Dropped(rule):
                held.pop(rule, None)
    return tuple(held)


def written_like(rule: str, must_haves: Sequence[str]) -> str | None:
    """The must-have among these that is written like the rule, but for spaces outside quotes."""
    return next((each for each in must_haves if _without_spaces(each) == _without_spaces(rule)), None)


def _without_spaces(rule: str) -> str:
    return "".join(part if number % 2 else "".join(part.split()) for number, part in enumerate(rule.split('"')))


# Plain data


def entry_document(entry: Entry) -> dict[str, Any]:
    match entry:
        case Answered(question, answer, kept):
            shown = question_document(question)
            more = {} if kept is None else {"kept": dict(kept)}
            return {"question": shown.pop("options"), "answer": answers.to_document(answer), **shown, **more}
        case Required(rule):
            return {"require": rule}
        case Dropped(rule):
            return {"drop": rule}
        case AskedOn(until):
            return {"ask_on": until}
        case Changed(number, answer):
            return {"change": number, "answer": answers.to_document(answer)}
        case Undone():
            return {"undo": True}
        case Finished(configuration):
            return {"finish": dict(configuration)}


def read_entry(document: object) -> Entry:
    """The entry behind plain data; InterviewError or AnswerError where it is none."""
    match document:
        case {"question": [*options], "answer": answer, "status": str(status), **more}:
            kept = None if more.get("kept") is None else _read_option(more["kept"])
            shown = {**more, "options": options, "status": status}
            return Answered(read_question(shown), answers.from_document(answer), kept)
        case {"require": str(rule)}:
            return Required(rule.strip())
        case {"drop": str(rule)}:
            return Dropped(rule)
        case {"ask_on": int() | float() as until} if type(until) is not bool and 0 <= until < inf:
            return AskedOn(float(until))
        case {"change": int(number), "answer": answer}:
            return Changed(number, answers.from_document(answer))
        case {"undo": True}:
            return Undone()
        case {"finish": Mapping() as configuration}:
            return Finished(_read_option(configuration))
    raise InterviewError(f"{short(document)} is no event of an interview")


def was_asked(question: Question) -> bool:
    """Whether it was asked, and not said by the person unasked."""
    return question.status != UNASKED


def check_shown(question: Question, id: str) -> None:
    """Raise OtherQuestion unless the id of what the person was shown is that of the question."""
    if id != question.id:
        raise OtherQuestion(f"the answer is to the question {short(id)}, and what is asked is {question.id}; reload")


def question_document(question: Question) -> dict[str, Any]:
    """A question as plain data, from which `read_question` makes an equal one."""
    return {
        "options": [dict(option) for option in question.options],
        "status": question.status,
        **({"asks_for_change": True} if question.is_comparison and question.asks_for_change else {}),
        **({"besides": [list(wish) for wish in question.besides]} if question.besides else {}),
        **({"forced": True} if question.forced else {}),
    }


def read_question(document: object) -> Question:
    """The question behind plain data; InterviewError where it is none."""
    match document:
        case {"options": [*options], "status": str(status), **more}:
            asks, besides = more.get("asks_for_change") is True, _read_wishes(more.get("besides", []))
            shown, forced = tuple(map(_read_option, options)), more.get("forced") is True
            return Question(shown, status, asks_for_change=asks, besides=besides, forced=forced)
    raise InterviewError(f"{short(document)} is no question")


def read_event(document: object) -> Event:
    """Like `read_entry`, but only what a saved interview has: events."""
    entry = read_entry(document)
    if isinstance(entry, Event):
        return entry
    raise InterviewError(f"{short(document)} is no event of an interview")


def _read_wishes(document: object) -> tuple[tuple[str, Value | None], ...]:
    wishes: list[tuple[str, Value | None]] = []
    for wish in document if isinstance(document, list) else [document]:
        match wish:
            case [str(name), str() | int() | float() | None as value]:
                wishes.append((name, value))
            case _:
                raise InterviewError(f"{short(wish)} is no change that was asked for: give a name and a value, or null")
    return tuple(wishes)


def _read_option(document: object) -> Configuration:
    """Not yet one of any space; but its values are words and numbers."""
    if not isinstance(document, Mapping) or not all(isinstance(value, Value) for value in document.values()):
        raise InterviewError(f"{short(document)} is no configuration")
    return Configuration(document)


def in_space(event: Event, space: Space) -> Event:
    """The event as it would have happened in this space; an error where it could not."""
    match event:
        case Answered(question, answer, kept):
            kept = None if kept is None else space.configuration(space.indices(kept))
            return Answered(question_in_space(question, space), answer, kept)
        case Required(rule):
            return Required(bind(rule, space.names).text)
    return event


def all_in_space(events: Sequence[Event], space: Space) -> list[Event]:
    """Each event as `in_space` has it, or its error; much quicker, as rules are looked at for all options together."""
    options = [option for event in events if isinstance(event, Answered) for option in event.question.options]
    try:
        rows = np.array([space.indices(option) for option in options], dtype=np.int64)
        rows = rows.reshape(len(options), len(space.domains))
        is_known = bool(space.feasible(rows).all())
    except ConfigurationError:
        is_known = False
    if not is_known:
        return [in_space(event, space) for event in events]  # one of which says what is wrong
    found = iter(map(space.configuration, rows.tolist()))
    return [
        _with_options(event, found, space) if isinstance(event, Answered) else in_space(event, space)
        for event in events
    ]


def _with_options(event: Answered, found: Iterator[Configuration], space: Space) -> Answered:
    options = tuple(islice(found, len(event.question.options)))
    kept = None if event.kept is None else space.configuration(space.indices(event.kept))
    return Answered(replace(event.question, options=options), event.answer, kept)


def question_in_space(question: Question, space: Space) -> Question:
    """The question with the configurations of this space; an error where its options are none."""
    rows = np.stack([space.indices(option) for option in question.options])
    options = tuple(map(space.configuration, rows))
    for option, is_fine in zip(options, space.feasible(rows), strict=True):
        if not is_fine:
            space.check(option)  # which says why
    return replace(question, options=options)
