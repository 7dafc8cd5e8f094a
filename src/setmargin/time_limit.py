"""How long what is under way may still take: set once around a call, looked at wherever work is done.

    with time_limit(2.0):
        oracle_for(space)                      # TimeIsUp once two seconds are over

Limits by work (arcs, labels, nodes) decide what people get, so that it is the same on every machine. The clock only
ends what would take too long all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic

from setmargin.errors import TimeIsUp

_END: ContextVar[float] = ContextVar("end", default=inf)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Let nothing inside go on for longer; a limit around this one holds as well."""
    token = _END.set(min(_END.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _END.reset(token)


def seconds_left() -> float:
    """How long what is under way may still take; infinite without a limit, never below 0."""
    return max(0.0, _END.get() - monotonic())


def check_time() -> None:
    """Raise TimeIsUp where the time is over."""
    if monotonic() > _END.get():
        raise TimeIsUp("there was not enough time to work this out; ask for something simpler, or give it more time")
