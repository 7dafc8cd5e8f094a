"""Processes that think for the server, and what it can ask of them.

    async with WorkerPool(workers=2) as pool:
        step = await pool.step(job)
        pool.prepare(job, step)                                   # while the person reads
        step = await pool.apply(job, {"answer": {"choice": 0}})   # ready, or worked out now

An interview always goes to the same process, where it is at hand. Mistakes of the caller come back as the errors of
the library, such as AnswerError and InfeasibleSpace; WorkTimeout says that something took too long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from time import monotonic
from typing import Any, Final, Self, TypeVar, cast
from zlib import crc32

from setmargin.documents import Catalogue, ChangesOfBest, Result
from setmargin.errors import OptionError
from setmargin.server.checkpoint import Checkpoint
from setmargin.server.errors import WorkBusy, WorkError
from setmargin.server.work.describe import Step
from setmargin.server.work.prefetch import Prefetched, likely_answers
from setmargin.server.work.priors import PriorReport
from setmargin.server.work.sessions import Job, Sessions
from setmargin.server.work.worker import LATER, NOW, PREFETCH, Worker

T = TypeVar("T")
GRACE_SECONDS: Final = 5.0
"""How long calls under way may take once the server stops."""


class WorkerPool:
    """So many processes, each with a time limit of so many seconds for a call.

    A call waits for its turn no longer than `wait` seconds in all. `patience` is how long a person may read before
    what is worked out ahead of their answer is given up.
    """

    def __init__(self, *, workers: int = 2, seconds: float = 10.0, wait: float = 30.0, patience: float = 120.0) -> None:
        if workers < 1:
            raise OptionError(f"{workers} workers cannot work; give 1 or more")
        self.workers = tuple(Worker(seconds=seconds) for _ in range(workers))
        self._wait = wait
        self.prefetched = Prefetched(patience=patience)
        self._hits = self._misses = 0

    async def __aenter__(self) -> Self:
        """Start the processes, and wait until all of them can be called."""
        try:
            await asyncio.gather(*(asyncio.to_thread(worker.start) for worker in self.workers))
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Finish what somebody waits for, drop the rest, end the processes."""
        for worker in self.workers:
            worker.close()
        deadline = monotonic() + GRACE_SECONDS
        await asyncio.gather(*(asyncio.to_thread(worker.join, deadline - monotonic()) for worker in self.workers))

    # Interviews

    async def step(self, job: Job) -> Step:
        """The interview after its events."""
        known = self.prefetched.step(job.id, job.version)
        return known if known is not None else await self.run(Sessions.step, job, key=job.id)

    async def apply(self, job: Job, event: Mapping[str, Any]) -> Step:
        """The interview after one event more; `Step.event` is the event as it has to be stored.

        An answer may come without its question (it is then to the current one), and a finish with None (it is then
        the recommendation). Raises the errors of the library where the event is not acceptable.
        """
        known = self.prefetched.after(job.id, job.version, event)
        if "answer" in event and "change" not in event:
            self._hits, self._misses = self._hits + (known is not None), self._misses + (known is None)
        return known if known is not None else await self.run(Sessions.apply, job, event, key=job.id)

    async def result(self, job: Job) -> Result:
        """The recommendation with its reasons."""
        return await self.run(Sessions.result, job, key=job.id)

    async def changes(self, job: Job) -> ChangesOfBest:
        """What can be asked for instead of the recommendation."""
        return await self.run(Sessions.changes, job, key=job.id)

    async def export(self, job: Job) -> dict[str, Any]:
        """The interview as `Interview.load` reads it."""
        return await self.run(Sessions.export, job, key=job.id)

    async def belief(self, job: Job) -> Checkpoint:
        """The belief after the events, for the store to keep; nobody waits for it."""
        return await self.run(Sessions.belief, job, key=job.id, urgency=LATER)

    def prepare(self, job: Job, step: Step) -> None:
        """The person sees this now: work out what each likely answer leads to, as long as nobody waits."""
        if not self.prefetched.read(step):
            return
        worker, wanted = self._worker(job.id), partial(self.prefetched.is_wanted, job.id, job.version)
        for rank, answer in enumerate(likely_answers(step.state.question)):
            event = {"answer": answer}
            future = worker.submit(Sessions.apply, job, event, urgency=(PREFETCH, rank), wanted=wanted)
            future.add_done_callback(partial(self._keep, job, event))

    def _keep(self, job: Job, event: dict[str, Any], future: Future[Step]) -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self.prefetched.put(job.id, job.version, event, future.result())
        elif isinstance(error, WorkError):
            self.prefetched.give_up(job.id, job.version)  # what is too much for one answer is too much for the others

    # Catalogues

    async def catalogue(self, document: Mapping[str, Any], digest: str) -> Catalogue:
        """What a catalogue holds, counted; raises SpaceError or InfeasibleSpace where it cannot be used.

        Who looks at a catalogue may soon start an interview on it, so all processes get to know it.
        """
        described = await self.run(Sessions.catalogue, document, digest, key=digest)
        for worker in self.workers:
            worker.submit(Sessions.prepare_catalogue, document, urgency=(LATER, 0))
        return described

    async def prior(self, document: Mapping[str, Any], catalogue: Mapping[str, Any], digest: str) -> PriorReport:
        """What a prior says about the people of a catalogue; raises an error where it does not fit it."""
        return await self.run(Sessions.prior, document, catalogue, key=digest)

    # Processes

    async def run(self, function: Callable[..., T], *arguments: Any, key: str, urgency: int = NOW) -> T:
        """Let the process that has what belongs to the key call a function with its sessions and these arguments."""
        future = self._worker(key).submit(function, *arguments, urgency=(urgency, 0))
        try:
            async with asyncio.timeout(self._wait):
                return cast(T, await asyncio.wrap_future(future))
        except TimeoutError:
            raise WorkBusy("everybody is busy; try again in a moment") from None

    def stats(self) -> dict[str, float]:
        """What happened so far, and how many calls are waiting (`queue`: somebody waits for them)."""
        workers = self.workers
        return {
            "ready_hits": self._hits,
            "ready_misses": self._misses,
            "ahead_dropped": sum(worker.dropped for worker in workers),
            "calls": sum(worker.calls for worker in workers),
            "seconds": sum(worker.seconds for worker in workers),
            "restarts": sum(worker.restarts for worker in workers),
            "timeouts": sum(worker.timeouts for worker in workers),
            "processes": sum(worker.pid is not None for worker in workers),
            "queue": sum(worker.waiting for worker in workers),
            "longest_wait": max(worker.longest_wait for worker in workers),
            "ahead_queue": sum(worker.waiting_prefetch for worker in workers),
        }

    def _worker(self, key: str) -> Worker:
        return self.workers[crc32(key.encode()) % len(self.workers)]
