"""Learning what people are like from finished interviews, in a process of its own that stands in nobody's way.

The process is started for one fit and ends with it. It has the lowest priority and a time limit, and is none of those
that answer people.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Final

from setmargin.answers import check
from setmargin.errors import AnswerError, ConfigurationError, SetmarginError, SpaceError, TooFewPeople
from setmargin.interview.log import Answered, fold, read_entry
from setmargin.server.errors import WorkError, WorkTimeout
from setmargin.server.work.process import Call, Died, Overran, WorkerProcess
from setmargin.server.work.sessions import Sessions
from setmargin.space.document import from_document
from setmargin.space.space import Space
from setmargin.strategies.base import History
from setmargin.strategies.bayes.learnt.fit import fit_prior

LOGGER: Final = logging.getLogger(__name__)


@dataclass(frozen=True)
class FitRequest:
    """What is learnt from: a catalogue's document, and the events of finished interviews."""

    catalogue: Mapping[str, Any]
    logs: tuple[tuple[Any, ...], ...]
    least: int
    """Fewer people whose answers fit the catalogue are not learnt from."""


@dataclass(frozen=True)
class Fitted:
    """A prior's document, and how many people it was learnt from."""

    document: dict[str, Any]
    people: int


Fit = Callable[[FitRequest], Awaitable[Fitted | None]]
"""The prior that is learnt, or None where too few people's answers fit the catalogue."""


# What it means to learn


def fit(request: FitRequest) -> Fitted | None:
    """Learn from the interviews whose answers fit the catalogue, here and now; None where they are too few."""
    space = from_document(request.catalogue)
    people = histories(space, request.logs)
    if len(people) < request.least:
        return None
    try:
        prior = fit_prior(space, histories=people, sources=[f"{len(people)} finished interviews"], least=request.least)
    except TooFewPeople:
        return None
    return Fitted(prior.document(), prior.people)


def histories(space: Space, logs: Iterable[Iterable[Any]]) -> list[History]:
    """What each person who finished answered, as far as it still fits the space.

    Whoever's events cannot be read, or cannot follow each other, is left out; a warning says how many these are.
    """
    found: list[History] = []
    damaged: list[SetmarginError] = []
    for log in logs:
        try:
            found.append(_history(space, log))
        except SetmarginError as error:
            damaged.append(error)
    if damaged:
        count = f"{len(damaged):,} of {len(found) + len(damaged):,} finished interviews about {space.name}"
        LOGGER.warning("%s cannot be read and are left out; the first: %s", count, damaged[0])
    return [each for each in found if each]


def _history(space: Space, log: Iterable[Any]) -> History:
    whole = fold(map(read_entry, log))
    if whole.finished is None:
        return ()
    placed = (_placed(space, event) for event in whole.events if isinstance(event, Answered))
    return tuple((event.question, event.answer) for event in placed if event is not None)


def _placed(space: Space, event: Answered) -> Answered | None:
    """The event with its options as the space writes them; rules may have changed since, values may not."""
    with suppress(SpaceError, ConfigurationError, AnswerError):
        options = tuple(space.configuration(space.indices(option)) for option in event.question.options)
        question = replace(event.question, options=options)
        check(question, event.answer, space)
        return Answered(question, event.answer)
    return None


# Where it is done


def fit_in_process(_: Sessions, request: FitRequest) -> Fitted | None:
    """What the process is called with."""
    return fit(request)


class LearningProcess:
    """Fits one after the other, each in a process of the lowest priority that may take so many seconds."""

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds
        self._thread = ThreadPoolExecutor(1, "learning")
        self._lock, self._closing = Lock(), False
        self._process: WorkerProcess | None = None

    async def __call__(self, request: FitRequest) -> Fitted | None:
        """What was learnt; WorkTimeout or WorkError where it took too long, or failed."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._fit, request)

    def close(self) -> None:
        """Give up what is under way."""
        with self._lock:
            self._closing = True
            if self._process is not None:
                self._process.kill()
        self._thread.shutdown(cancel_futures=True)

    def _fit(self, request: FitRequest) -> Fitted | None:
        try:
            reply = self._started().call(Call(fit_in_process, (request,)), seconds=self._seconds)
        except Overran:
            raise WorkTimeout(f"learning took longer than {self._seconds:g} seconds") from None
        except Died as died:
            raise WorkError(f"learning failed: {died}") from None
        finally:
            self._ended()
        if reply.error is not None:
            raise reply.error
        if reply.trace is not None:
            raise WorkError(f"learning failed, which is a mistake in this package:\n{reply.trace}")
        found: Fitted | None = reply.value
        return found

    def _started(self) -> WorkerProcess:
        with self._lock:
            if self._closing:
                raise WorkError("the server is stopping")
            self._process = WorkerProcess(seconds=self._seconds, yields=True)
            return self._process

    def _ended(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.close()
            self._process = None
