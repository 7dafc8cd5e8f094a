"""Prefetched before the answer: what each likely answer leads to, worked out while the person reads.

An interview at one version is always the same, so what was found for it stays true. It is kept for the newest version
only, and for the people who were there last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any

from setmargin.documents import Question
from setmargin.lru import Lru
from setmargin.server.work.describe import Step


def likely_answers(question: Question | None) -> Iterator[dict[str, Any]]:
    """What a person may say to the current question with one key, the likeliest first.

    Rankings, reasons and changes are too many to be ready for: most of that work would be in vain.
    """
    if question is not None:
        several = len(question.options) > 1
        yield from ({"choice": option} for option in range(len(question.options)) if several)
        yield {"equal": True} if several else {"change": {}}
        yield {"skip": True}


@dataclass
class _Reader:
    """Somebody who reads a question: at which version, since when, and what is ready for them."""

    version: int
    step: Step
    touched: float
    is_open: bool = True
    branches: dict[str, Step] = field(default_factory=dict)


class Prefetched:
    """Interviews at their newest version, and after each likely answer; safe to use from any thread."""

    def __init__(self, *, patience: float, most: int = 1000) -> None:
        self._patience = patience
        self._readers: Lru[str, _Reader] = Lru(most)
        self._lock = Lock()

    def step(self, id: str, version: int) -> Step | None:
        """The interview at this version, if it is known; whoever asks is still there."""
        with self._lock:
            reader = self._at(id, version)
            if reader is None:
                return None
            reader.touched = monotonic()
            return reader.step

    def after(self, id: str, version: int, event: Mapping[str, Any]) -> Step | None:
        """What the event leads to, if that is known; it has happened, so nothing else needs to be worked out."""
        with self._lock:
            reader = self._at(id, version)
            if reader is None:
                return None
            reader.is_open = False
            return reader.branches.get(_key(event))

    def read(self, step: Step) -> bool:
        """A person sees this now; whether what may follow is yet to be worked out."""
        with self._lock:
            state, now = step.state, monotonic()
            reader = self._readers.get(state.id)
            if reader is None or reader.version < state.version:
                self._readers[state.id] = _Reader(state.version, step, now)
                return True
            was_wanted = self._is_wanted(reader, now)
            reader.touched, reader.is_open = now, True
            return reader.version == state.version and not was_wanted

    def is_wanted(self, id: str, version: int) -> bool:
        """Whether the person is probably still reading just that."""
        with self._lock:
            reader = self._at(id, version)
            return reader is not None and self._is_wanted(reader, monotonic())

    def give_up(self, id: str, version: int) -> None:
        """Nothing else needs to be worked out for that version."""
        with self._lock:
            reader = self._at(id, version)
            if reader is not None:
                reader.is_open = False

    def forget(self, id: str) -> None:
        """The interview is no more."""
        with self._lock:
            self._readers.discard(id)

    def put(self, id: str, version: int, event: Mapping[str, Any], step: Step) -> None:
        """What the event would lead to."""
        with self._lock:
            reader = self._at(id, version)
            if reader is not None:
                reader.branches[_key(event)] = step

    def _is_wanted(self, reader: _Reader, now: float) -> bool:
        return reader.is_open and now - reader.touched <= self._patience

    def _at(self, id: str, version: int) -> _Reader | None:
        reader = self._readers.get(id)
        return reader if reader is not None and reader.version == version else None


def _key(event: Mapping[str, Any]) -> str:
    return json.dumps(event, sort_keys=True)
