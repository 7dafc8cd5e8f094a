"""Processes that do not outlive whoever started them, even where that is killed and can clean nothing up."""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Callable
from typing import Final

PR_SET_PDEATHSIG: Final = 1


def ending_with_us(number: signal.Signals = signal.SIGTERM) -> Callable[[], None] | None:
    """For `preexec_fn` of a subprocess: the signal that it gets when we end. Only Linux can do that."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up before the fork, after which little is safe
    return lambda: prctl(PR_SET_PDEATHSIG, int(number))
