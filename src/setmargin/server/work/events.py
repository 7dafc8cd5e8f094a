"""The log of an interview folded into what is in force.

The log only grows: undo and change are events of their own. In force is what an `Interview` would hold after the same
calls: answers and must-haves in order, and what the person took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from setmargin.errors import InterviewError
from setmargin.interview.log import written_like
from setmargin.space.text import short

Document = dict[str, Any]


@dataclass(frozen=True)
class InForce:
    """Answers, must-haves and drops as an interview's document has them; `finished` is the configuration taken."""

    events: tuple[Document, ...] = ()
    finished: Document | None = None

    @property
    def must_haves(self) -> tuple[str, ...]:
        """The must-haves in force."""
        held: dict[str, None] = {}
        for event in self.events:
            if "require" in event:
                held[event["require"]] = None
            elif "drop" in event:
                held.pop(event["drop"], None)
        return tuple(held)

    @property
    def undo_of(self) -> Literal["answer", "must-have", "finish"] | None:
        """What an undo would take back now."""
        if self.finished is not None:
            return "finish"
        if not self.events:
            return None
        return "answer" if "answer" in self.events[-1] else "must-have"


def in_force(events: Sequence[Mapping[str, Any]]) -> InForce:
    """What a log comes to; whatever is said after a finish opens the interview again."""
    now = InForce()
    for event in events:
        now = _after(now, event)
    return now


def _after(now: InForce, event: Mapping[str, Any]) -> InForce:
    match event:
        case {"undo": True}:
            return _undone(now)
        case {"finish": Mapping() as configuration}:
            return InForce(now.events, dict(configuration))
        case {"change": int(number), "answer": answer}:
            return InForce(_changed(now.events, number, answer))
        case {"require": str(rule)}:
            return InForce(
                now.events if written_like(rule, now.must_haves) else (*now.events, {"require": rule.strip()})
            )
        case {"drop": str(rule)}:
            return InForce((*now.events, {"drop": written_like(rule, now.must_haves) or rule.strip()}))
        case {"question": [*_], "answer": _}:
            return InForce((*now.events, dict(event)))
    raise InterviewError(f"{short(dict(event))} is no event of an interview")


def _undone(now: InForce) -> InForce:
    if now.finished is not None:
        return InForce(now.events)
    if not now.events:
        raise InterviewError("there is nothing to undo")
    return InForce(now.events[:-1])


def _changed(events: tuple[Document, ...], number: int, answer: Document) -> tuple[Document, ...]:
    given = [place for place, event in enumerate(events) if "answer" in event]
    if not 0 <= number < len(given):
        raise InterviewError(f"there is no answer {number + 1}; {len(given)} were given")
    place = given[number]
    return (*events[:place], {**events[place], "answer": answer}, *events[place + 1 :])
