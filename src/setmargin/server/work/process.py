"""A worker's process, from both ends of its pipes: calls go in, replies come out, one after the other.

`WorkerProcess` is the process as the server sees it: started, called, and killed where it takes too long. `main` is
what runs in it. It ends as soon as its first pipe is closed, whatever it is doing then: a server that is gone needs no
answers.
"""

from __future__ import annotations

import gc
import os
import pickle
import re
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread, Timer, current_thread, main_thread
from time import perf_counter, process_time
from typing import Any, BinaryIO, Final

from setmargin.errors import SetmarginError, TimeIsUp
from setmargin.server.errors import WorkTooLarge
from setmargin.server.work.sessions import DocumentNeeded, Sessions
from setmargin.strategies.registry import import_strategies
from setmargin.threads import ONE_THREAD
from setmargin.time_limit import time_limit

UNAWARE_SECONDS: Final = 1.0
"""How much longer a call may take that does not look at the clock."""
TOO_LARGE: Final = "this needs more memory than a process may have; ask for something simpler"
MOSTLY: Final = 0.6
"""The share of its memory that a process may keep for what is at hand."""
START_SECONDS: Final = 60.0
END_SECONDS: Final = 2.0
SECRET: Final = ("SETMARGIN_", "PG")
"""How the names of variables begin that are the server's alone: its own, and those of PostgreSQL's client."""
IMPORTED_LATE: Final = (
    "email.parser",  # for the metadata of packages
    "jsonschema",
    "setmargin.interview.certain",
    "setmargin.solve.conflicts",
    "setmargin.solve.milp.engine",
    "setmargin.strategies.bayes.learnt.document",
    "setmargin.strategies.bayes.learnt.named",
)
"""What the library imports only where it is needed."""
START: Final = "import sys; from setmargin.server.work.process import main; main(*sys.argv[1:])"
YIELD: Final = "from setmargin.server.work.process import stand_back; stand_back({}); "
"""In front of START: a lower priority, where the system has priorities."""
WORKS_BEHIND: Final = 5
"""The niceness of what people wait for: behind the server itself, whose part is short, and of every reply."""
STANDS_BACK: Final = 15
"""The niceness of what nobody waits for: about a tenth of the time where those want all of it, so that it ends."""


@dataclass(frozen=True)
class Call:
    """A function and what it is given after the sessions of the process."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    seconds: float | None = None
    """How long it may take before it ends itself, and the process goes on; None: as long as the process knows."""


@dataclass(frozen=True)
class Reply:
    """What came of a call: a value, an error that is the caller's, or the trace of one that is ours."""

    value: Any = None
    error: SetmarginError | None = None
    trace: str | None = None
    needs_documents: bool = False
    """The catalogue and the prior have to be sent along."""
    seconds: float = 0.0
    busy_seconds: float = 0.0
    """Of these, what the process worked: less where others had the processor meanwhile."""


# In the server


class Died(Exception):
    """The process ended, by itself or by another hand."""


class Overran(Exception):
    """The process took longer than it may, and was killed."""


class WorkerProcess:
    """One process; calls are made one at a time, from one thread."""

    def __init__(self, *, seconds: float, yields: bool = False, memory: int = 0, niceness: int = 0) -> None:
        """Start it; `seconds` is what a call may take, as the process itself should know, and `memory` how many
        megabytes it may have, 0: as many as there are. `niceness` is how far it stands back for other processes.

        One that `yields` stands back for all others. So nobody waits here until it is ready: that
        is part of the time of its first call.
        """
        self._process = _started(seconds, memory, STANDS_BACK if yields else niceness)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._is_ready = False
        if not yields:
            self._wait()

    def _wait(self) -> None:
        """Return once it can be called."""
        try:
            with self._no_longer_than(START_SECONDS):
                self._receive()
        except (Died, Overran) as error:
            self.close()
            raise Died(f"it did not start: {error}") from None
        self._is_ready = True

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, call: Call, *, seconds: float) -> Reply:
        """What the process says; Died or Overran if it does not."""
        with self._no_longer_than(seconds):
            if not self._is_ready:
                self._receive()
                self._is_ready = True
            self._send(call)
            return self._receive()

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        """Let it go, and wait until it is gone."""
        with suppress(OSError):
            self._stdin.close()  # what it sees as the end
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()

    def _send(self, call: Call) -> None:
        whole = pickle.dumps(call, protocol=5)  # before anything is written: what cannot be pickled harms nobody
        try:
            self._stdin.write(whole)
            self._stdin.flush()
        except OSError as error:
            raise Died(str(error)) from None

    def _receive(self) -> Reply:
        try:
            reply: Reply = pickle.load(self._stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise Died(f"it ended with {self._process.poll()}: {error}") from None
        return reply

    @contextmanager
    def _no_longer_than(self, seconds: float) -> Iterator[None]:
        overran = Event()
        timer = Timer(seconds, self._overrun, (overran,))
        timer.daemon = True
        timer.start()
        try:
            yield
        except Died:
            if overran.is_set():
                raise Overran(f"after {seconds:g} seconds") from None
            raise
        finally:
            timer.cancel()

    def _overrun(self, overran: Event) -> None:
        overran.set()
        self.kill()


def _harmless_environment() -> dict[str, str]:
    """The environment without the owner's token and whatever leads into the database: nothing here needs them."""
    return {name: value for name, value in os.environ.items() if not name.startswith(SECRET)}


def _started(seconds: float, memory: int, niceness: int) -> subprocess.Popen[bytes]:
    program = YIELD.format(niceness) + START if niceness else START
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", program, str(seconds), str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**_harmless_environment(), **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # an interrupt at the terminal is for the server alone
        )
    except OSError as error:
        raise Died(f"it did not start: {error}") from None


# In the process


def reply_to(call: Call, sessions: Sessions) -> Reply:
    """Call it; nothing that goes wrong ends the process, or takes away what it has at hand for others."""
    began, busy = perf_counter(), process_time()
    reply = _reply_to(call, sessions)
    return replace(reply, seconds=perf_counter() - began, busy_seconds=process_time() - busy)


def _reply_to(call: Call, sessions: Sessions) -> Reply:
    try:
        with _ending_itself(call.seconds):
            return Reply(call.function(sessions, *call.arguments))
    except DocumentNeeded:
        return Reply(needs_documents=True)
    except SetmarginError as error:
        return Reply(error=error.with_traceback(None))
    except MemoryError:
        return Reply(error=WorkTooLarge(TOO_LARGE))
    except Exception:
        return Reply(trace=traceback.format_exc())


@contextmanager
def _ending_itself(seconds: float | None) -> Iterator[None]:
    """Raise TimeIsUp inside once the time is over: wherever somebody looks at the clock, or else a bit later anywhere.

    So a call that takes too long costs nobody else what the process has at hand, as killing it would.
    """
    if seconds is None:
        yield
        return
    with time_limit(seconds):
        if sys.platform == "win32" or current_thread() is not main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, _time_is_up)
        signal.setitimer(signal.ITIMER_REAL, seconds + UNAWARE_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)


def _time_is_up(*_: object) -> None:
    raise TimeIsUp("there was not enough time to work this out; ask for something simpler")


def stand_back(niceness: int) -> None:
    """Take less of the processor where others want it, 19 the least.

    Linux may group processes by session, and this one has a session of its own: then what counts is the niceness of
    the group.
    """
    if hasattr(os, "nice"):
        os.nice(niceness)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(niceness))


def limit_memory(megabytes: int) -> None:
    """Let this process have no more than that, where the system can say so: what needs more gets a MemoryError."""
    if megabytes and sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = megabytes << 20
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def relieve(sessions: Sessions, megabytes: int) -> None:
    """Where what is at hand takes most of the memory, and not what the last call needed, let go of half of it."""
    gc.collect()
    if _used_megabytes() > MOSTLY * megabytes:
        sessions.forget_half()


def _used_megabytes() -> float:
    """What counts for the limit."""
    try:
        found = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def import_ahead() -> None:
    """Import whatever a call may need: an import that a time limit interrupts cannot be repeated in this process."""
    import_strategies()
    for module in IMPORTED_LATE:
        import_module(module)


def main(seconds: str, memory: str = "0") -> None:
    """Answer until there is nobody left to answer to."""
    import_ahead()
    limit_memory(int(memory))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the server decides when it is over
    calls: SimpleQueue[Call] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, calls), daemon=True).start()
    sessions = Sessions(seconds=float(seconds))
    with _replies() as replies:
        _send(replies, Reply())
        while True:
            reply = reply_to(calls.get(), sessions)
            if isinstance(reply.error, WorkTooLarge):
                relieve(sessions, int(memory))
            _send(replies, reply)


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
