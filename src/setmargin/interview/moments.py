"""What is known after each event of an interview, worked out from the latest one at which it is known already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from setmargin.answers import Question
from setmargin.interview.log import Answered, Event, Log, was_asked
from setmargin.solve.oracle import oracle_for
from setmargin.space.rules import bind
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, Strategy


@dataclass
class KnownMoment:
    """What is known after an event, and the question that it leads to, once that was asked."""

    belief: Belief
    question: Question | None = None
    asked: bool = False


KnownMoments: TypeAlias = Mapping[int, KnownMoment]
"""By the number of events before each; the latest one is always there, earlier ones may have been forgotten."""


def moments_until(
    events: Sequence[Event], known: KnownMoments, *, space: Space, strategy: Strategy[Any]
) -> dict[int, KnownMoment]:
    """The moments that are known, and those up to the last of the events."""
    moments = dict(known)
    place = max(moments)
    while place < len(events):
        event, belief = events[place], moments[place].belief
        if isinstance(event, Answered):
            if was_asked(event.question):
                moments[place] = KnownMoment(belief, event.question, asked=True)
            following, place = strategy.update(belief, event.question, event.answer), place + 1
        else:
            # Must-haves that follow each other are compiled together: what only some of them leave is not needed.
            rest = (number for number in range(place, len(events)) if isinstance(events[number], Answered))
            end = next(rest, len(events))
            following, place = _restricted(belief, events[:place], events[place:end], space, strategy), end
        moments[place] = KnownMoment(following)
    return moments


def _restricted(
    belief: Belief, before: Sequence[Event], events: Sequence[Event], space: Space, strategy: Strategy[Any]
) -> Belief:
    """The belief under the must-haves that are in force after these events, none of which is an answer."""
    start = now = Log(tuple(before))
    for event in events:
        now = now.after(event)
    if now.must_haves == start.must_haves:
        return belief
    rules = [bind(text, space.names) for text in now.must_haves]
    restricted: Belief = strategy.restrict(belief, oracle_for(space, must=rules).space)
    return restricted
