"""A worker: a process, a queue in front of it, and a thread that brings them together.

The most urgent call goes first, one at a time. A process that dies is replaced, and the call it had is made once more;
one that takes too long is killed and replaced, and its caller is told.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from itertools import count
from threading import Condition, Thread
from time import monotonic
from typing import Any, Final

from setmargin.server.errors import WorkError, WorkTimeout
from setmargin.server.work.process import Call, Died, Overran, Reply, WorkerProcess
from setmargin.server.work.sessions import Job

NOW: Final = 0
LATER: Final = 1
PREFETCH: Final = 2
"""How urgent a call is: somebody waits for it, nobody does, nobody may ever need it."""
TRIES: Final = 2
STOPPING: Final = "the server is stopping; try again in a moment"
MOST_PREFETCH: Final = 200
"""Calls ahead of time that may wait; beyond that the machine is too busy for them."""


@dataclass(order=True)
class Task:
    """A call that waits, the most urgent first, then the one that came first."""

    urgency: tuple[int, int]
    number: int
    call: Call = field(compare=False)
    wanted: Callable[[], bool] = field(compare=False)
    future: Future[Any] = field(compare=False, default_factory=Future)
    since: float = field(compare=False, default_factory=monotonic)

    @property
    def is_prefetch(self) -> bool:
        """Whether nobody may ever need it."""
        return self.urgency[0] == PREFETCH


class Worker:
    """Calls from any thread, answered by one process."""

    def __init__(self, *, seconds: float) -> None:
        self._limit = seconds
        self.calls = self.restarts = self.timeouts = self.dropped = 0
        self.seconds = 0.0
        self._numbers = count()
        self._waiting: list[Task] = []
        self._change = Condition()
        self._closing = False
        self._process: WorkerProcess | None = None
        self._sent: set[str] = set()
        self._thread = Thread(target=self._run, name="setmargin-worker", daemon=True)

    def start(self) -> None:
        """Start the process, and wait until it can be called."""
        try:
            self._begin()
        except Died as died:
            raise WorkError(f"a process cannot work: {died}; look at what it printed") from None
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The number of the process; None while there is none."""
        return None if self._process is None else self._process.pid

    @property
    def waiting(self) -> int:
        """Calls that somebody waits for, and that have not begun."""
        return sum(task.urgency[0] == NOW and not task.future.cancelled() for task in list(self._waiting))

    @property
    def longest_wait(self) -> float:
        """Seconds that somebody has been waiting for a call that has not begun; 0 where nobody does."""
        began = [each.since for each in list(self._waiting) if each.urgency[0] == NOW and not each.future.cancelled()]
        return monotonic() - min(began) if began else 0.0

    @property
    def waiting_prefetch(self) -> int:
        """Calls ahead of time that have not begun."""
        return sum(task.is_prefetch for task in list(self._waiting))

    def submit(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        urgency: tuple[int, int] = (NOW, 0),
        wanted: Callable[[], bool] = lambda: True,
    ) -> Future[Any]:
        """Let the process call it in its turn, unless it is no longer wanted then."""
        task = Task(urgency, next(self._numbers), Call(function, arguments), wanted)
        with self._change:
            if self._closing:
                task.future.set_exception(WorkError(STOPPING))
            elif task.is_prefetch and self._is_crowded():
                self._drop(task)
            else:
                heappush(self._waiting, task)
                self._change.notify()
        return task.future

    def _is_crowded(self) -> bool:
        """Whether too much waits even without what is no longer wanted."""
        if self.waiting_prefetch < MOST_PREFETCH:
            return False
        for task in [each for each in self._waiting if not each.wanted()]:
            self._waiting.remove(task)
            self._drop(task)
        heapify(self._waiting)
        return self.waiting_prefetch >= MOST_PREFETCH

    def _drop(self, task: Task) -> None:
        self.dropped += 1
        task.future.cancel()

    # Closing

    def close(self) -> None:
        """Take nothing new, and forget what nobody waits for."""
        with self._change:
            self._closing = True
            for task in self._waiting:
                if task.is_prefetch:
                    task.future.cancel()
            self._waiting = [task for task in self._waiting if not task.is_prefetch]
            heapify(self._waiting)
            self._change.notify()

    def join(self, seconds: float) -> None:
        """Wait for what is under way, but not for longer; then the process ends."""
        if self._thread.ident is None:
            return  # it never started
        self._thread.join(max(0.0, seconds))
        if self._thread.is_alive() and self._process is not None:
            self._process.kill()
            self._thread.join()

    # The thread

    def _run(self) -> None:
        while (task := self._next()) is not None:
            if not task.wanted():
                self._drop(task)
            elif task.future.set_running_or_notify_cancel():
                self._settle(task)
                self._revive()
        if self._process is not None:
            self._process.close()

    def _next(self) -> Task | None:
        with self._change:
            while not self._waiting and not self._closing:
                self._change.wait()
            return heappop(self._waiting) if self._waiting else None

    def _settle(self, task: Task) -> None:
        try:
            reply = self._reply(task.call)
        except Exception as error:
            task.future.set_exception(error)
            return
        if reply.error is not None:
            task.future.set_exception(reply.error)
        elif reply.trace is not None:
            task.future.set_exception(WorkError(f"a call failed, which is a mistake in this package:\n{reply.trace}"))
        else:
            task.future.set_result(reply.value)

    def _reply(self, call: Call) -> Reply:
        for _ in range(TRIES):
            try:
                return self._asked(self._begin(), call)
            except Died:
                self._replace()
            except Overran:
                self.timeouts += 1
                self._replace()
                limit = f"{self._limit:g} seconds"
                raise WorkTimeout(f"this took longer than {limit}; try again, or ask for less") from None
        raise WorkError(f"a process died {TRIES} times with the same call; try something else, and look at the log")

    def _asked(self, process: WorkerProcess, call: Call) -> Reply:
        """The catalogue and the prior go along only where the process may not have them."""
        reply = self._timed(process, _lightened(call, self._sent))
        if reply.needs_documents:
            reply = self._timed(process, call)
        for job in (each for each in call.arguments if isinstance(each, Job)):
            self._sent |= {job.digest, job.prior_key}
        return reply

    def _timed(self, process: WorkerProcess, call: Call) -> Reply:
        reply = process.call(call, seconds=self._limit)
        self.calls += 1
        self.seconds += reply.seconds
        return reply

    def _begin(self) -> WorkerProcess:
        if self._process is None:
            if self._closing:
                raise WorkError(STOPPING)
            self._process, self._sent = WorkerProcess(seconds=self._limit), set()
        return self._process

    def _replace(self) -> None:
        """The process is gone, or has to go."""
        if self._process is not None:
            self._process.kill()
            self._process.close()
            self._process = None
        self.restarts += 1

    def _revive(self) -> None:
        """Start another process before the next call has to wait for it; if it does not start, that call will try."""
        with suppress(Died, WorkError):
            self._begin()


def _lightened(call: Call, sent: set[str]) -> Call:
    def light(each: Any) -> Any:
        if not isinstance(each, Job):
            return each
        has_catalogue, has_prior = each.digest in sent, each.prior_key in sent
        return replace(
            each, catalogue=None if has_catalogue else each.catalogue, prior=None if has_prior else each.prior
        )

    return replace(call, arguments=tuple(map(light, call.arguments)))
