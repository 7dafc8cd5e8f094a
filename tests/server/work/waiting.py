"""What tests of real processes share: how to wait for them, and for whom nothing is too long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
LIMIT = 60.0


def run(what: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(what)


def until(is_so: Callable[[], bool]) -> None:
    """Wait for another thread or process; a test that waits in vain fails."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)
