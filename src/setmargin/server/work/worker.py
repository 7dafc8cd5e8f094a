"""A worker: a process, a queue in front of it, and a thread that brings them together.

One call at a time, each in its turn (`queueing`). A call that takes too long ends itself, and costs nobody else what
the process has at hand. A process that dies is replaced, and the call it had is made once more; one that neither
answers nor ends a call is killed and replaced, and its caller is told.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from itertools import count
from threading import Condition, Thread
from time import monotonic, perf_counter
from typing import Any, Final

from setmargin.errors import TimeIsUp
from setmargin.server.errors import WorkError, WorkStarved, WorkTimeout, WorkTooLong
from setmargin.server.work.clients import NOBODY, Accounts
from setmargin.server.work.job import Job
from setmargin.server.work.process import Call, Died, Overran, Reply, WorkerProcess
from setmargin.server.work.queueing import LATER, NOW, PREFETCH, Queue, Task

__all__ = ["LATER", "NOW", "PREFETCH", "Worker"]

TRIES: Final = 2
STOPPING: Final = "the server is stopping; try again in a moment"
MOST_PREFETCH: Final = 80
"""Calls ahead of time that may wait; beyond that the machine is too busy for them."""
LOOK_EVERY: Final = 8
"""Where too many wait, what is no longer wanted is looked for once in so many calls: looking at all of them is dear."""
KILL_SECONDS: Final = 2.0
"""How much longer than it may take a call can go on before its process is killed."""
MOSTLY_BUSY: Final = 0.4
"""The share of its time that a call has to work, and not to wait for the processor, to be too long by itself."""


class Worker:
    """Calls from any thread, answered by one process."""

    def __init__(
        self,
        *,
        seconds: float,
        memory: int = 0,
        niceness: int = 0,
        clients: Accounts | None = None,
        interviews: Accounts | None = None,
    ) -> None:
        """`seconds` is what a call may take, `memory` how many megabytes the process may have (0: any number).

        `niceness` is how far it stands back for other processes; the accounts say what was used by whom.
        """
        self._limit, self._memory, self._niceness = seconds, memory, niceness
        self._clients, self._interviews = clients or Accounts(), interviews or Accounts()
        self.calls = self.restarts = self.timeouts = self.dropped = 0
        self.seconds = 0.0
        self._numbers, self._crowds = count(), count()
        self._waiting = Queue(self._clients, self._interviews)
        self._change = Condition()
        self._closing = False
        self._process: WorkerProcess | None = None
        self._sent: set[str] = set()
        self._thread = Thread(target=self._run, name="setmargin-worker", daemon=True)

    def start(self, *, at_once: bool = True) -> None:
        """Start the process, and wait until it can be called; or let it start with its first call."""
        try:
            if at_once:
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
        return sum(task.is_awaited for task in self._waiting)

    @property
    def longest_wait(self) -> float:
        """Seconds that somebody has been waiting for a call that has not begun; 0 where nobody does."""
        began = [task.since for task in self._waiting if task.is_awaited]
        return monotonic() - min(began) if began else 0.0

    @property
    def waiting_prefetch(self) -> int:
        """Calls ahead of time that have not begun."""
        return self._waiting.prefetch

    def submit(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        urgency: tuple[int, int] = (NOW, 0),
        wanted: Callable[[], bool] = lambda: True,
        client: str = NOBODY,
        interview: str = "",
        seconds: float | None = None,
    ) -> Future[Any]:
        """Let the process call it in its turn, unless it is no longer wanted then.

        It counts for the client and the interview, and may take so many `seconds` where that is less than usual:
        TimeIsUp says then that it needs more.
        """
        call = Call(function, arguments, seconds)
        task = Task(urgency, next(self._numbers), call, wanted, client, interview)
        with self._change:
            if self._closing:
                task.future.set_exception(WorkError(STOPPING))
            elif task.is_prefetch and self._is_crowded(client):
                self._drop(task)
            else:
                self._waiting.add(task)
                self._change.notify()
        return task.future

    def _is_crowded(self, client: str) -> bool:
        """Whether too much waits, even without what is no longer wanted, and nobody has more of it waiting."""
        if self.waiting_prefetch < MOST_PREFETCH:
            return False
        looks = next(self._crowds) % LOOK_EVERY == 0
        unwanted = [each for each in self._waiting if not each.wanted()] if looks else []
        if not unwanted and (greediest := self._waiting.greediest()).client != client:
            unwanted = [greediest]
        self._waiting.remove(unwanted)
        for task in unwanted:
            self._drop(task)
        return not unwanted

    def _drop(self, task: Task) -> None:
        self.dropped += 1
        task.future.cancel()

    # Closing

    def close(self) -> None:
        """Take nothing new, and forget what nobody waits for."""
        with self._change:
            self._closing = True
            ahead = [task for task in self._waiting if task.is_prefetch]
            self._waiting.remove(ahead)
            for task in ahead:
                task.future.cancel()
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
            return self._waiting.take()

    def _charged(self, task: Task) -> Reply:
        """What comes of it; the time that it took counts for its client and its interview, whatever comes of it."""
        began = perf_counter()
        try:
            return self._reply(task.call)
        finally:
            seconds = perf_counter() - began
            if task.client != NOBODY:
                self._clients.add(task.account(task.client), seconds)
            if task.interview:
                self._interviews.add(task.account(task.interview), seconds)

    def _settle(self, task: Task) -> None:
        try:
            reply = self._charged(task)
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
                self._replace()
                raise self._timeout() from None
        raise WorkError(f"a process died {TRIES} times with the same call; try something else, and look at the log")

    def _timeout(self) -> WorkTimeout:
        self.timeouts += 1
        return WorkTimeout(f"this took longer than {self._limit:g} seconds; try again, or ask for less")

    def _ended(self, reply: Reply) -> WorkTimeout:
        """Why it ended itself: what was at work for most of its time would be so again, whoever else is busy."""
        self.timeouts += 1
        if reply.busy_seconds > MOSTLY_BUSY * self._limit:
            return WorkTooLong(f"this takes longer than {self._limit:g} seconds to work out; ask for less")
        return WorkStarved(f"others were at work for longer than {self._limit:g} seconds; try again")

    def _asked(self, process: WorkerProcess, call: Call) -> Reply:
        """The catalogue and the prior go along only where the process may not have them."""
        reply = self._timed(process, _lightened(call, self._sent))
        if reply.needs_documents:
            reply = self._timed(process, call)
        for job in (each for each in call.arguments if isinstance(each, Job)):
            self._sent |= {job.digest, job.prior_key}
        return reply

    def _timed(self, process: WorkerProcess, call: Call) -> Reply:
        may_take = min(self._limit, call.seconds or self._limit)
        reply = process.call(replace(call, seconds=may_take), seconds=self._limit + KILL_SECONDS)
        self.calls += 1
        self.seconds += reply.seconds
        if isinstance(reply.error, TimeIsUp) and may_take == self._limit:
            return replace(reply, error=self._ended(reply))
        return reply

    def _begin(self) -> WorkerProcess:
        if self._process is None:
            if self._closing:
                raise WorkError(STOPPING)
            self._process, self._sent = self._started(), set()
        return self._process

    def _started(self) -> WorkerProcess:
        return WorkerProcess(seconds=self._limit, memory=self._memory, niceness=self._niceness)

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
