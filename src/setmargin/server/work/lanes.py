"""Which calls go where: the usual ones to the usual processes, and what takes long to processes of its own.

A call is not interrupted for another, so one that takes seconds would keep everybody waiting. What is likely to take
long by what it asks for goes to the slow lane at once; what turns out to take long is given up in the usual one and
made again there, and so is everything else about that interview for a while. Where something is worked out changes
nothing about what comes of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from threading import Lock
from time import monotonic
from typing import Any, Final

from setmargin.lru import Lru
from setmargin.server.errors import WorkCrowded
from setmargin.server.work.clients import NOBODY
from setmargin.server.work.job import Job
from setmargin.strategies.registry import strategy_class

USUAL_SECONDS: Final = 2.0
"""What a call may take in the usual lane: many times what a question takes."""
SHORT_SECONDS: Final = 0.5
"""The same for a client who has used MUCH lately."""
MUCH: Final = 5.0
LONG_RULES: Final = 400
"""Characters of must-haves from which on they are likely to take long; people write about 20 for each."""
SLOW_SECONDS: Final = 300.0
"""How long what was slow once counts as slow."""
MOST_SLOW: Final = 5000


class Slow:
    """What was found to take long lately, by the key of its process."""

    def __init__(self) -> None:
        self._found: Lru[str, float] = Lru(MOST_SLOW)

    def note(self, key: str) -> None:
        """It took long."""
        self._found[key] = monotonic()

    def __contains__(self, key: str) -> bool:
        found = self._found.get(key)
        return found is not None and monotonic() - found < SLOW_SECONDS


def is_long(arguments: tuple[Any, ...]) -> bool:
    """Whether a call is likely to take long: a strategy that uses all the time it gets, or long must-haves."""
    events = [event for each in arguments for event in _events(each)]
    rules = sum(len(rule) for event in events if isinstance(rule := event.get("require"), str))
    return rules > LONG_RULES or any(isinstance(each, Job) and _keeps_time(each) for each in arguments)


def _events(argument: Any) -> tuple[Mapping[str, Any], ...]:
    if isinstance(argument, Job):
        return argument.events
    return (argument,) if isinstance(argument, Mapping) else ()


def _keeps_time(job: Job) -> bool:
    return strategy_class(str(job.strategy["name"])).keeps_time


class UnderWay:
    """How many calls each client and each interview waits for; too many are refused."""

    def __init__(self, *, most: int, most_of_one: int) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._clients: Counter[str] = Counter()
        self._interviews: Counter[str] = Counter()
        self._lock = Lock()

    def enter(self, client: str, interview: str) -> None:
        """One call more; WorkCrowded where there are too many."""
        with self._lock:
            if client != NOBODY and self._clients[client] >= self._most:
                raise WorkCrowded(f"{self._most} requests from this address are being worked on already")
            if client != NOBODY and self._interviews[interview] >= self._most_of_one:
                raise WorkCrowded(f"{self._most_of_one} requests about this interview are being worked on already")
            self._clients[client] += 1
            self._interviews[interview] += 1

    def leave(self, client: str, interview: str) -> None:
        """It is over."""
        with self._lock:
            for counts, name in ((self._clients, client), (self._interviews, interview)):
                counts[name] -= 1
                if not counts[name]:
                    del counts[name]
