"""What runs in a process of its own: one call after the other, read from one pipe and answered on another.

It ends as soon as the first pipe is closed, whatever it is doing then: a server that is gone needs no answers.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any, BinaryIO

from setmargin.errors import SetmarginError
from setmargin.server.work.session import Sessions, UnknownCatalogue


@dataclass(frozen=True)
class Call:
    """A function and what it is given after the sessions of the process."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Reply:
    """What came of a call: a value, an error that is the caller's, or the trace of one that is ours."""

    value: Any = None
    error: SetmarginError | None = None
    trace: str | None = None
    unknown: bool = False
    """The catalogue has to be sent along."""
    seconds: float = 0.0


def reply_to(call: Call, sessions: Sessions) -> Reply:
    """Call it; nothing that goes wrong ends the process."""
    began = perf_counter()
    try:
        value = call.function(sessions, *call.arguments)
        return Reply(value, seconds=perf_counter() - began)
    except UnknownCatalogue:
        return Reply(unknown=True, seconds=perf_counter() - began)
    except SetmarginError as error:
        return Reply(error=error.with_traceback(None), seconds=perf_counter() - began)
    except Exception:
        return Reply(trace=traceback.format_exc(), seconds=perf_counter() - began)


def main(seconds: str) -> None:
    """Answer until there is nobody left to answer to."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the server decides when it is over
    calls: SimpleQueue[Call] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, calls), daemon=True).start()
    sessions = Sessions(seconds=float(seconds))
    with _replies() as replies:
        _send(replies, Reply())
        while True:
            _send(replies, reply_to(calls.get(), sessions))


def _listen(pipe: BinaryIO, calls: SimpleQueue[Call]) -> None:
    try:
        while True:
            calls.put(pickle.load(pipe))
    except EOFError:
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _replies() -> BinaryIO:
    """The pipe behind standard output; what anything prints from now on goes to standard error instead."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return replies


def _send(replies: BinaryIO, reply: Reply) -> None:
    try:
        pickle.dump(reply, replies, protocol=5)
        replies.flush()
    except BrokenPipeError:
        os._exit(0)
