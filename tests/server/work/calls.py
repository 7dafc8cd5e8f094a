"""Functions that processes are made to call in tests."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from setmargin.server.work.sessions import Sessions

NOTES: list[Any] = []


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


def priority(_: Sessions) -> int:
    """How far the process stands back for others."""
    return os.nice(0)
