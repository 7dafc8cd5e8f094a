"""Functions that processes are made to call in tests."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from setmargin.errors import SetmarginError
from setmargin.server.work.sessions import Sessions
from setmargin.strategies.registry import strategy_names
from setmargin.time_limit import check_time
from tests.server.work.talks import SPACE, happened, new_job

NOTES: list[Any] = []
WORK_SECONDS = 0.05


def pid(_: Sessions) -> int:
    """Which process this is."""
    return os.getpid()


def note(_: Sessions, what: Any) -> list[Any]:
    """Keep it, and say what was kept so far."""
    NOTES.append(what)
    return list(NOTES)


def wait_for(_: Sessions, path: Path) -> int:
    """Say that it has begun, and wait until somebody makes the file; which process that was."""
    path.with_suffix(".begun").touch()
    while not path.exists():
        time.sleep(0.005)
    return os.getpid()


def begin_and_hang(_: Sessions, path: Path) -> None:
    """Say that it has begun, and never end."""
    path.touch()
    while True:
        time.sleep(1)


def hang_unaware(_: Sessions, path: Path) -> None:
    """The same, and nothing but a kill ends it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    begin_and_hang(_, path)


def look_at_the_clock(_: Sessions) -> None:
    """Work as solvers do."""
    while True:
        check_time()


def take(_: Sessions, seconds: float) -> int:
    """Work for so long; which process that was."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        check_time()
    return os.getpid()


def work(_: Sessions) -> None:
    """Have the processor for a moment, however long that takes."""
    until = time.process_time() + WORK_SECONDS
    while time.process_time() < until:
        pass


def wait(_: Sessions) -> None:
    """Let others have the processor."""
    time.sleep(0.2)


def hoard(_: Sessions, megabytes: int) -> int:
    """Take so much memory, and say how much."""
    return len(bytearray(megabytes << 20)) >> 20


def die(_: Sessions) -> None:
    """As a crash in a solver does."""
    os._exit(7)


def fail(_: Sessions, *_arguments: Any) -> None:
    """A mistake of our own."""
    raise ZeroDivisionError("of our own")


def chatter(_: Sessions) -> str:
    """Print where only replies belong."""
    print("hello")
    sys.stdout.flush()
    os.write(1, b"hello\n")
    return "said"


def environment(_: Sessions, name: str) -> str | None:
    """What the process was told."""
    return os.environ.get(name)


def group_priority(_: Sessions) -> int | None:
    """The same for the group that Linux makes of its session; None where there are no groups."""
    try:
        return int(Path("/proc/self/autogroup").read_text().split()[-1])
    except (OSError, IndexError):
        return None


def priority(_: Sessions) -> int:
    """How far the process stands back for others."""
    return os.nice(0)


def imported_late(sessions: Sessions) -> set[str]:
    """The modules that are imported only when all strategies are used for all there is."""
    before, document = set(sys.modules), SPACE.document()
    for name in strategy_names():
        talk = ({"answer": {"choice": 0}}, {"require": "price <= 6"}, {"answer": {"choice": 0}})
        job = happened(sessions, new_job(name, {"name": name}), *talk)
        for look in (Sessions.result, Sessions.changes, Sessions.export, Sessions.belief, Sessions.possible):
            look(sessions, job)
        sessions.previews(job, "size")
        with suppress(SetmarginError):  # nothing is as cheap as that
            sessions.apply(job, {"require": "price <= 0"})
    sessions.catalogue(document, "boxes")
    return set(sys.modules) - before
