"""Whom a call is for, and what everybody has used lately.

The middleware says for whom a request is answered (`CLIENT`); everything that is worked out for it counts for that
client. Nobody: the server works for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from math import log2
from threading import Lock
from time import monotonic
from typing import Final

from setmargin.lru import Lru

NOBODY: Final = ""
CLIENT: ContextVar[str] = ContextVar("client", default=NOBODY)
"""Whom the request that is being answered counts for."""
HALF_LIFE: Final = 30.0
"""Seconds after which half of what was used is forgotten."""
LITTLE: Final = 2.0
"""Seconds of work that are nothing to speak of: as much as an interview takes on a busy machine."""
MOST_ACCOUNTS: Final = 20_000


class Accounts:
    """Seconds of work that each client, or each interview, has used lately; safe to use from any thread."""

    def __init__(self, *, most: int = MOST_ACCOUNTS, clock: Callable[[], float] = monotonic) -> None:
        self._used: Lru[str, tuple[float, float]] = Lru(most)
        self._lock, self._clock = Lock(), clock

    def add(self, name: str, seconds: float) -> None:
        """So much was done for them."""
        with self._lock:
            self._used[name] = self._now(name) + seconds, self._clock()

    def used(self, name: str) -> float:
        """Seconds, those of long ago less and less."""
        with self._lock:
            return self._now(name)

    def level(self, name: str) -> int:
        """0 for those who used little, one more for each doubling beyond that: small differences do not matter."""
        return int(log2(max(1.0, self.used(name) / LITTLE)))

    def _now(self, name: str) -> float:
        used, then = self._used.get(name) or (0.0, self._clock())
        return float(used * 0.5 ** ((self._clock() - then) / HALF_LIFE))
