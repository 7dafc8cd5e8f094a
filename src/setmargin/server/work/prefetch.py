"""Prefetched before the answer: what each likely answer leads to, worked out while the person reads.

The likeliest answers of all who read come first. What comes of it is there for everybody (`points`); here is who
reads what, and so what is still wanted: as long as somebody reads for whom it would be ready.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, Final

from setmargin.lru import Lru
from setmargin.server.work.describe import Step

SELDOM: Final = 0.05
"""How often people say that there is no difference, or say nothing; and how likely an option is at least."""


def likely_answers(step: Step) -> Iterator[tuple[float, dict[str, Any]]]:
    """What a person may say to the current question with one key, and how likely that is.

    Rankings, reasons and changes are too many to be ready for: most of that work would be in vain.
    """
    question = step.state.question
    if question is None:
        return
    several = len(question.options) > 1
    for option in range(len(question.options) if several else 0):
        yield max(SELDOM, step.chances[option] if step.chances else 1 / len(question.options)), {"choice": option}
    yield SELDOM, {"equal": True} if several else {"change": {}}
    yield SELDOM, {"skip": True}


def says_more(events: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the last answer had a reason or a change, so that the next one will hardly be a plain choice.

    What is worked out ahead for such a person is in vain, and what they wait for has to wait for it.
    """
    answers = (event["answer"] for event in reversed(events) if "answer" in event)
    last = next(answers, None)
    return last is not None and bool(last.get("because") or last.get("change"))


@dataclass
class _Reader:
    """Somebody who reads a question: at which version, and since when."""

    version: int
    step: Step
    touched: float
    is_open: bool = True


class Prefetched:
    """Interviews at their newest version, and what is worked out for their readers; safe to use from any thread."""

    def __init__(self, *, patience: float, most: int = 1000) -> None:
        self._patience = patience
        self._readers: Lru[str, _Reader] = Lru(most)
        self._points: dict[str, set[tuple[str, int]]] = {}
        self._lock = Lock()

    def step(self, id: str, version: int) -> Step | None:
        """The interview at this version, if it is known; whoever asks is still there."""
        with self._lock:
            reader = self._at(id, version)
            if reader is None:
                return None
            reader.touched = monotonic()
            return reader.step

    def read(self, step: Step) -> bool:
        """A person sees this now; whether what may follow is yet to be worked out."""
        with self._lock:
            state, now = step.state, monotonic()
            reader = self._readers.get(state.id)
            if reader is None or reader.version < state.version:
                self._readers[state.id] = _Reader(state.version, step, now)
                return True
            was_wanted = self._is_wanted(state.id, reader.version, now)
            reader.touched, reader.is_open = now, True
            return reader.version == state.version and not was_wanted

    def want(self, point: str, id: str, version: int) -> bool:
        """Somebody may come to that point who reads this version; whether they are the first."""
        with self._lock:
            is_first = point not in self._points
            self._points.setdefault(point, set()).add((id, version))
            return is_first

    def is_wanted(self, point: str) -> bool:
        """Whether somebody probably still reads who may come to that point."""
        with self._lock:
            now = monotonic()
            return any(self._is_wanted(*reader, now) for reader in self._points.get(point, ()))

    def done(self, point: str) -> None:
        """It is worked out, or given up."""
        with self._lock:
            self._points.pop(point, None)

    def give_up(self, id: str, version: int) -> None:
        """Nothing else needs to be worked out for that version: the person has answered, or it takes too long."""
        with self._lock:
            reader = self._at(id, version)
            if reader is not None:
                reader.is_open = False

    def forget(self, id: str) -> None:
        """The interview is no more."""
        with self._lock:
            self._readers.discard(id)

    def _is_wanted(self, id: str, version: int, now: float) -> bool:
        reader = self._at(id, version)
        return reader is not None and reader.is_open and now - reader.touched <= self._patience

    def _at(self, id: str, version: int) -> _Reader | None:
        reader = self._readers.get(id)
        return reader if reader is not None and reader.version == version else None
