"""An interview as the store has it, with what stands for it wherever something was worked out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

from setmargin.answers import Question
from setmargin.interview.log import Event, Log, entry_document, read_entry, read_question
from setmargin.server.checkpoint import Checkpoint

PRIOR: Final = "prior"
"""The option of a strategy that takes what earlier people were like."""


@dataclass(frozen=True)
class Job:
    """An interview as the store has it: everything that is needed to work on it, anywhere.

    `version` is the number of events. `checkpoint` is what the store keeps of its belief, if anything, which only saves
    time; where nobody has looked for one yet, `is_searched` is False, and whoever needs it asks for it. `state` is what
    was shown at this version, if the store has that. `questions` are those that were given and not answered, by the
    version that they were given at, and are not worked out again; None: nothing was left to ask. `catalogue` is the
    catalogue's document, `digest` stands for it. The strategy names the version of its prior where it has one that is
    stored (`prior_key` stands for it), and `prior` is that prior's document.
    """

    id: str
    digest: str
    catalogue: Mapping[str, Any] | None = field(repr=False)
    strategy: Mapping[str, Any]
    seed: int
    events: tuple[Mapping[str, Any], ...]
    version: int
    checkpoint: Checkpoint | None = field(default=None, repr=False)
    prior: Mapping[str, Any] | None = field(default=None, repr=False)
    questions: Mapping[int, Mapping[str, Any] | None] = field(default_factory=dict, repr=False)
    state: Mapping[str, Any] | None = field(default=None, repr=False)
    is_searched: bool = True

    @property
    def prior_key(self) -> str:
        """Says which prior the strategy names; empty where it names none."""
        named = self.strategy.get(PRIOR)
        return "" if named is None else json.dumps(named, sort_keys=True)

    @cached_property
    def trail(self) -> str:
        """Stands for all that happened, whosever interview it is."""
        return digest_of([*self.stamp, self.events])

    @cached_property
    def logs(self) -> list[Log]:
        """What the events come to after each number of them, from none to all."""
        return list(accumulate(map(read_entry, self.events), Log.after, initial=Log()))

    @property
    def log(self) -> Log:
        """What the events come to."""
        return self.logs[-1]

    @property
    def stamp(self) -> list[Any]:
        """What an interview depends on beside its events."""
        return [self.digest, dict(self.strategy), self.seed]

    def keys(self, events: Sequence[Event]) -> list[str]:
        """What stands for the interview after each number of these events, from none to all."""
        return list(accumulate(map(entry_document, events), _key, initial=_key("", self.stamp)))

    def given(self, events: Sequence[Event]) -> tuple[Question | None] | None:
        """The question, or None for no question, that was given when just these events were in force, if any was."""
        if not self.questions:
            return None
        for version in sorted(self.questions, reverse=True):
            if version < len(self.logs) and self.logs[version].events == tuple(events):
                document = self.questions[version]
                return (None if document is None else read_question(document),)
        return None


def _key(before: str, more: object) -> str:
    text = json.dumps(more, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(f"{before} {text}".encode()).hexdigest()


def digest_of(document: object) -> str:
    """What stands for plain data."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
