"""What one process does with one interview: pure computation from a log of events, without HTTP and without a store.

Whatever an interview comes to depends on its catalogue, strategy, seed and the events in force, and on nothing else.
So every interview that was worked out is kept under exactly these, and whatever is asked starts from the longest
beginning that is known: an answer from the moment before it, an undo from an earlier one, a look ahead likewise.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

from setmargin import answers
from setmargin.documents import Catalogue, Result
from setmargin.errors import ConfigurationError, InterviewError
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, Event, entry_document, in_space, read_event
from setmargin.server.work import beliefs
from setmargin.server.work.describe import Step, catalogue_of, result_of, step_of
from setmargin.server.work.events import Document, InForce, in_force
from setmargin.server.work.lru import Lru
from setmargin.solve.oracle import oracle_for
from setmargin.space.document import from_document
from setmargin.space.rules import bind
from setmargin.space.space import Space
from setmargin.space.text import short
from setmargin.strategies.base import Belief, Strategy
from setmargin.strategies.registry import make_strategy

STEPS: Final = 4
"""What a call may take is divided by this for each of the things that a strategy does in it."""

__all__ = ["CatalogueNeeded", "Job", "Sessions", "in_force"]


@dataclass(frozen=True)
class Job:
    """An interview as the store has it: everything that is needed to work on it, anywhere.

    `version` is the number of events. `belief` is what the store keeps of it, and at which version, if anything; it
    only saves time. `catalogue` is the catalogue's document, `digest` stands for it.
    """

    id: str
    digest: str
    catalogue: Mapping[str, Any] | None = field(repr=False)
    strategy: Mapping[str, Any]
    seed: int
    events: tuple[Mapping[str, Any], ...]
    version: int
    belief: tuple[int, bytes] | None = field(default=None, repr=False)


class CatalogueNeeded(Exception):
    """The job came without its catalogue's document, and this process does not have it either; send it along."""


class Sessions:
    """The interviews that one process has at hand, the most recently used ones."""

    def __init__(self, *, seconds: float | None = None, interviews: int = 400, catalogues: int = 40) -> None:
        """`seconds` is what anything asked of it may take; strategies that keep an eye on the clock then hurry."""
        self._seconds = seconds
        self._spaces: Lru[str, Space] = Lru(catalogues)
        self._interviews: Lru[str, Interview] = Lru(interviews)

    def __len__(self) -> int:
        return len(self._interviews)

    # What is asked of it

    def step(self, job: Job) -> Step:
        """The interview after its events."""
        now = in_force(job.events)
        with self._interview(job, now) as interview:
            return step_of(interview, now, id=job.id, version=job.version)

    def apply(self, job: Job, event: Mapping[str, Any]) -> Step:
        """The interview after one event more, which is checked, and completed where it says less than the log needs.

        An answer may come without its question, which is then the current one, and a finish with None, which is then
        the recommendation. Nothing is stored: the event is part of the interview once a job has it.
        """
        whole = self._completed(job, event)
        now = in_force([*job.events, whole])
        with self._interview(job, now) as interview:
            return step_of(interview, now, id=job.id, version=job.version + 1, event=whole)

    def result(self, job: Job) -> Result:
        """The recommendation with its reasons."""
        with self._current(job) as interview:
            return result_of(interview, version=job.version)

    def export(self, job: Job) -> Document:
        """The interview as `Interview.load` reads it."""
        with self._current(job) as interview:
            return interview.document()

    def belief(self, job: Job) -> bytes:
        """The belief after the events, to be kept in the store at this version."""
        with self._current(job) as interview:
            return beliefs.dump(interview.belief, stamp=_stamp(job))

    def catalogue(self, document: Mapping[str, Any], digest: str) -> Catalogue:
        """What a catalogue holds, counted."""
        return catalogue_of(from_document(document), digest=digest)

    def prepare_catalogue(self, document: Mapping[str, Any]) -> None:
        """Work out once what every interview on the catalogue needs, and is kept wherever that is worked out."""
        Interview(from_document(document)).ask()

    # Events

    def _completed(self, job: Job, event: Mapping[str, Any]) -> Document:
        match event:
            case {"change": _, "answer": answer}:
                return {**event, "answer": answers.to_document(answers.from_document(answer))}
            case {"answer": answer}:
                return self._answered(job, event, answer)
            case {"require": str(rule)}:
                return {"require": rule.strip()}
            case {"finish": configuration}:
                return {"finish": self._taken(job, configuration)}
        return dict(event)

    def _answered(self, job: Job, event: Mapping[str, Any], answer: Mapping[str, Any]) -> Document:
        with self._current(job) as interview:
            question = interview.ask()
        if question is None:
            raise InterviewError("there is no question left to answer; take the recommendation, or undo")
        whole = entry_document(Answered(question, answers.from_document(answer)))
        if event.get("question", whole["question"]) != whole["question"]:
            raise InterviewError("this is not the current question; reload, and answer the one that is shown")
        return whole

    def _taken(self, job: Job, configuration: Mapping[str, Any] | None) -> Document:
        with self._current(job) as interview:
            if configuration is None:
                return dict(interview.recommend().configuration)
            space = interview.belief.space
        if not isinstance(configuration, Mapping):
            raise ConfigurationError(f"{short(configuration)} is no configuration; give a value for each attribute")
        taken = space.configuration(space.indices(configuration))
        space.check(taken)
        return dict(taken)

    # Interviews

    def _current(self, job: Job) -> AbstractContextManager[Interview]:
        return self._interview(job, in_force(job.events))

    @contextmanager
    def _interview(self, job: Job, now: InForce) -> Iterator[Interview]:
        """The interview with these events in force; afterwards it is kept, as small as it can be."""
        keys = _keys(job, now.events)
        self._interviews[keys[-1]] = found = self._found(job, now, keys)
        yield found
        found.forget()

    def _found(self, job: Job, now: InForce, keys: Sequence[str]) -> Interview:
        """From the longest beginning that is at hand, unless the store's belief knows more."""
        length = next((n for n in reversed(range(len(keys))) if keys[n] in self._interviews), -1)
        stored = _stored(job, now)
        if length < 0 or length < len(stored.events):
            return self._opened(job, now, stored)
        found = self._interviews[keys[length]]
        if length == len(now.events):
            return found
        return found.after(*(in_space(read_event(event), found.space) for event in now.events[length:]))

    def _opened(self, job: Job, now: InForce, stored: InForce) -> Interview:
        """From the belief that the store has, or from the start."""
        space, strategy = self._space(job), _hurried(make_strategy(**job.strategy), self._seconds)
        events = [in_space(read_event(event), space) for event in now.events]
        return Interview(space, strategy, seed=job.seed, events=events, known=_known(job, stored, space, events))

    def _space(self, job: Job) -> Space:
        if job.digest not in self._spaces:
            if job.catalogue is None:
                raise CatalogueNeeded(job.digest)
            self._spaces[job.digest] = from_document(job.catalogue)
        return self._spaces[job.digest]


def _hurried(strategy: Strategy[Any], seconds: float | None) -> Strategy[Any]:
    """The same strategy with deadlines of its own well before `seconds`: it learns, asks and recommends in a call."""
    options = strategy.options()
    share = math.inf if seconds is None else seconds / STEPS
    for timed in (options, options.get("tuning")):
        if isinstance(timed, dict) and "seconds" in timed:
            timed["seconds"] = min(timed["seconds"], share)
    return strategy if options == strategy.options() else make_strategy(strategy.name, **options)


def _stored(job: Job, now: InForce) -> InForce:
    """What was in force when the store's belief was kept; nothing where that is no longer the beginning."""
    before = in_force(job.events[: job.belief[0]]) if job.belief is not None else InForce()
    return before if now.events[: len(before.events)] == before.events else InForce()


def _known(job: Job, stored: InForce, space: Space, events: Sequence[Event]) -> tuple[int, Belief] | None:
    """The store's belief and the number of events that it follows."""
    if job.belief is None or not stored.events:
        return None
    history = tuple((e.question, e.answer) for e in events[: len(stored.events)] if isinstance(e, Answered))
    rules = [bind(text, space.names) for text in stored.must_haves]
    now = oracle_for(space, must=rules).space
    belief = beliefs.load(job.belief[1], stamp=_stamp(job), space=now, history=history)
    return None if belief is None else (len(stored.events), belief)


def _keys(job: Job, events: Sequence[Document]) -> list[str]:
    """What stands for the interview after each number of events, from none to all."""
    return list(accumulate(events, _key, initial=_key("", _stamp(job))))


def _key(before: str, more: object) -> str:
    text = json.dumps(more, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(f"{before} {text}".encode()).hexdigest()


def _stamp(job: Job) -> list[Any]:
    return [job.digest, dict(job.strategy), job.seed]
