"""One person's interview: the mutable face of a strategy, and one JSON file.

interview = Interview(load("bicycle"))
question = interview.ask()
interview.tell(Choice(0))
interview.require("price <= 1500")
interview.recommend().configuration
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from setmargin import answers
from setmargin.answers import Answer, Choice, Question, Skip
from setmargin.errors import AnswerError, InfeasibleSpace, InterviewError, SetmarginError
from setmargin.explanation import Explanation, explain
from setmargin.solve.conflicts import infeasible
from setmargin.solve.oracle import oracle_for
from setmargin.space.document import from_document, to_document
from setmargin.space.rules import Rule, bind
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, History, Recommendation, Strategy
from setmargin.strategies.registry import make_strategy

FORMAT = 1


@dataclass(frozen=True)
class Answered:
    """A question was answered."""

    question: Question
    answer: Answer


@dataclass(frozen=True)
class Required:
    """A must-have was added."""

    rule: str


@dataclass(frozen=True)
class Dropped:
    """A must-have was taken back."""

    rule: str


Event = Answered | Required | Dropped


class Interview:
    """Questions and answers from first to last. Everything it knows is its events, in order."""

    def __init__(self, space: Space, strategy: Strategy[Any] | None = None, *, seed: int = 0) -> None:
        self.space, self.seed = space, seed
        self.strategy: Strategy[Any] = strategy or make_strategy()
        self._events: list[Event] = []
        # The belief after each event; the first one is the belief before any.
        self._beliefs: list[Belief] = [self.strategy.start(space, seed=seed)]
        self._question: Question | None = None
        self._asked = False

    @property
    def belief(self) -> Belief:
        """What the answers so far say."""
        return self._beliefs[-1]

    @property
    def events(self) -> tuple[Event, ...]:
        """All that happened, in order."""
        return tuple(self._events)

    @property
    def history(self) -> History:
        """Questions and their answers."""
        return self.belief.history

    @property
    def must_haves(self) -> tuple[str, ...]:
        """The must-haves in force."""
        return _must_haves(self._events)

    def ask(self) -> Question | None:
        """The current question: the same one until it is told, skipped, or changed by a must-have. None: no more."""
        if not self._asked:
            self._question, self._asked = self.strategy.ask(self.belief), True
        return self._question

    def tell(self, answer: Answer | int) -> None:
        """Answer the current question; a plain number is the option chosen, counted from 0."""
        question = self.ask()
        if question is None:
            raise InterviewError("there is no question left to answer; take the recommendation, or undo")
        self._add(Answered(question, Choice(answer) if isinstance(answer, int) else answer))

    def skip(self) -> None:
        """Pass over the current question."""
        self.tell(Skip())

    def undo(self) -> Event:
        """Take back the last answer or must-have, and return it."""
        if not self._events:
            raise InterviewError("there is nothing to undo")
        self._beliefs.pop()
        self._question, self._asked = None, False
        return self._events.pop()

    def change(self, number: int, answer: Answer) -> None:
        """Answer question `number` (counted from 0) differently; later questions and answers stay as they were."""
        places = [place for place, event in enumerate(self._events) if isinstance(event, Answered)]
        if not 0 <= number < len(places):
            raise InterviewError(f"there is no answer {number + 1}; {len(places)} were given")
        place = places[number]
        event = self._events[place]
        assert isinstance(event, Answered)
        answers.check(event.question, answer)
        self._replay([*self._events[:place], Answered(event.question, answer), *self._events[place + 1 :]])

    def require(self, rule: str) -> None:
        """Add a must-have, such as `type = laptop` or `price <= 900`; nothing that breaks it appears from then on.

        An impossible one changes nothing and raises InfeasibleSpace, which names a smallest conflict.
        """
        text = bind(rule, self.space.names).text
        if text not in self.must_haves:
            self._add(Required(text))

    def drop(self, rule: str) -> None:
        """Take a must-have back."""
        if rule.strip() not in self.must_haves:
            listed = ", ".join(self.must_haves) or "none"
            raise InterviewError(f"there is no must-have {rule!r}; in force: {listed}")
        self._add(Dropped(rule.strip()))

    def recommend(self) -> Recommendation:
        """The configuration that suits the person best, as far as is known."""
        return self.strategy.recommend(self.belief)

    def explain(self, recommendation: Recommendation | None = None) -> Explanation:
        """Why: what each feature contributes, what matters most, and what separates the runner-up."""
        return explain(self.belief.oracle, recommendation or self.recommend())

    # Events

    def _add(self, event: Event) -> None:
        belief = self._after(self._events, self.belief, event)
        self._events.append(event)
        self._beliefs.append(belief)
        self._question, self._asked = None, False

    def _after(self, before: Sequence[Event], belief: Belief, event: Event) -> Belief:
        match event:
            case Answered(question, answer):
                return self.strategy.update(belief, question, answer)  # type: ignore[no-any-return]
        return self.strategy.restrict(belief, self._restricted(_must_haves([*before, event])))  # type: ignore[no-any-return]

    def _restricted(self, must_haves: Sequence[str]) -> Space:
        """The space with these must-haves; raises InfeasibleSpace with the smallest conflict among them."""
        restricted = self.space.with_rules(*must_haves)
        try:
            oracle_for(restricted)
        except InfeasibleSpace:
            rules: list[Rule] = [bind(text, self.space.names) for text in must_haves]
            raise infeasible(self.space, must=rules) from None
        return restricted

    def _replay(self, events: Sequence[Event]) -> None:
        """All events anew; nothing changes if one of them fails."""
        beliefs = [self._beliefs[0]]
        for place, event in enumerate(events):
            known = place < len(self._events) and self._events[: place + 1] == list(events[: place + 1])
            beliefs.append(self._beliefs[place + 1] if known else self._after(events[:place], beliefs[-1], event))
        self._events, self._beliefs = list(events), beliefs
        self._question, self._asked = None, False

    # One JSON file

    def document(self) -> dict[str, Any]:
        """The whole interview as plain data."""
        return {
            "setmargin": FORMAT,
            "catalogue": to_document(self.space),
            "strategy": {"name": self.strategy.name, **self.strategy.options()},
            "seed": self.seed,
            "events": [_event_document(event) for event in self._events],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Interview:
        """The interview behind plain data, replayed."""
        if document.get("setmargin") != FORMAT:
            raise InterviewError(f"format {document.get('setmargin')!r} is not known; this version reads {FORMAT}")
        try:
            options = dict(document["strategy"])
            space = from_document(document["catalogue"])
            interview = cls(space, make_strategy(options.pop("name"), **options), seed=int(document["seed"]))
            interview._replay([_event(space, event) for event in document["events"]])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, SetmarginError):
                raise InterviewError(str(error)) from None
            raise InterviewError(f"something is missing or of the wrong kind: {error!r}") from None
        return interview

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file whole or not at all."""
        target = Path(path)
        draft = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            draft.write_text(json.dumps(self.document(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            draft.replace(target)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise InterviewError(f"cannot write {target}: {error.strerror}; choose another place") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Interview:
        """Continue a saved interview."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InterviewError(f"cannot read {path}: {error.strerror}") from None
        except ValueError as error:
            raise InterviewError(f"{path} is no JSON: {error}") from None
        if not isinstance(document, dict):
            raise InterviewError(f"{path} is no saved interview; save one with --save")
        try:
            return cls.from_document(document)
        except SetmarginError as error:
            raise InterviewError(f"{path} is no interview that can be continued: {error}") from None


def _must_haves(events: Sequence[Event]) -> tuple[str, ...]:
    held: dict[str, None] = {}
    for event in events:
        match event:
            case Required(rule):
                held[rule] = None
            case Dropped(rule):
                held.pop(rule, None)
    return tuple(held)


def _event_document(event: Event) -> dict[str, Any]:
    match event:
        case Answered(question, answer):
            options = [dict(option) for option in question.options]
            return {"question": options, "answer": answers.to_document(answer), "status": question.status}
        case Required(rule):
            return {"require": rule}
        case Dropped(rule):
            return {"drop": rule}


def _event(space: Space, document: Mapping[str, Any]) -> Event:
    match dict(document):
        case {"question": [*options], "answer": answer}:
            shown = tuple(space.configuration(space.indices(option)) for option in options)
            return Answered(Question(shown, status=str(document.get("status", ""))), answers.from_document(answer))
        case {"require": str(rule)}:
            return Required(rule)
        case {"drop": str(rule)}:
            return Dropped(rule)
    raise AnswerError(f"{dict(document)!r} is no event of an interview")
