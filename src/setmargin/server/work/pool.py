"""Processes that think for the server, and what it can ask of them.

    async with WorkerPool(workers=2) as pool:
        step = await pool.step(job)
        pool.prepare(job, step)                                   # while the person reads
        step = await pool.apply(job, {"answer": {"choice": 0}})   # ready, or worked out now

An interview goes to the process that has it at hand, or what others who began alike have come to. Mistakes of the
caller come back as the errors of the library, such as AnswerError and InfeasibleSpace; WorkTimeout says that something
took too long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from time import monotonic
from typing import Any, Final, Self, TypeVar, cast
from zlib import crc32

from setmargin.documents import USUAL_STRATEGY, AnswerPreview, Catalogue, ChangesOfBest, Possible, Previews, Result
from setmargin.errors import OptionError, TimeIsUp
from setmargin.server.checkpoint import Checkpoint
from setmargin.server.errors import WorkBusy, WorkCrowded, WorkError
from setmargin.server.work.clients import CLIENT, NOBODY, Accounts
from setmargin.server.work.describe import Step
from setmargin.server.work.job import Job
from setmargin.server.work.lanes import MUCH, SHORT_SECONDS, USUAL_SECONDS, Slow, UnderWay, is_long
from setmargin.server.work.points import SharedSteps, home_of, point_after
from setmargin.server.work.prefetch import Prefetched, likely_answers, says_more
from setmargin.server.work.priors import PriorReport
from setmargin.server.work.process import STANDS_BACK, WORKS_BEHIND
from setmargin.server.work.sessions import Sessions
from setmargin.server.work.worker import LATER, NOW, PREFETCH, Worker

T = TypeVar("T")
GRACE_SECONDS: Final = 5.0
"""How long calls under way may take once the server stops."""
MOST_CALLS, MOST_SLOW_CALLS = 64, 16
"""How many calls one client may wait for at once: many people may be behind one address."""
MOST_OF_ONE: Final = 8
"""How many calls may wait about one interview, which is one person's."""


class WorkerPool:
    """So many processes, each with a time limit of so many seconds for a call.

    A call waits for its turn no longer than `wait` seconds in all. `patience` is how long a person may read before
    what is worked out ahead of their answer is given up. Each process may have so many megabytes of `memory`; 0: any
    number. What takes long has processes of its own (`lanes`), which start with the first such call.
    """

    def __init__(
        self,
        *,
        workers: int = 2,
        seconds: float = 10.0,
        wait: float = 30.0,
        patience: float = 120.0,
        memory: int = 0,
    ) -> None:
        if workers < 1:
            raise OptionError(f"{workers} workers cannot work; give 1 or more")
        self._clients, interviews = Accounts(), Accounts()
        make = partial(Worker, seconds=seconds, memory=memory, clients=self._clients, interviews=interviews)
        self.workers = tuple(make(niceness=WORKS_BEHIND) for _ in range(workers))
        self.slow_workers = tuple(make(niceness=STANDS_BACK) for _ in range(max(1, workers // 2)))
        self._seconds, self._slow, self._moved = seconds, Slow(), 0
        self._under_way = UnderWay(most=MOST_CALLS, most_of_one=MOST_OF_ONE)
        self._slow_under_way = UnderWay(most=MOST_SLOW_CALLS, most_of_one=MOST_OF_ONE)
        self._crowded = 0
        self._wait = wait
        self.prefetched = Prefetched(patience=patience)
        self._shared = SharedSteps()
        self._hits = self._misses = 0

    async def __aenter__(self) -> Self:
        """Start the processes, and wait until all of them can be called."""
        try:
            await asyncio.gather(*(asyncio.to_thread(worker.start) for worker in self.workers))
            for worker in self.slow_workers:
                worker.start(at_once=False)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Finish what somebody waits for, drop the rest, end the processes."""
        everybody = (*self.workers, *self.slow_workers)
        for worker in everybody:
            worker.close()
        deadline = monotonic() + GRACE_SECONDS
        await asyncio.gather(*(asyncio.to_thread(worker.join, deadline - monotonic()) for worker in everybody))

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
        self.prefetched.give_up(job.id, job.version)
        point = point_after(job, event)
        known = self._shared.get(point, job.id)
        if "answer" in event and "change" not in event:
            self._hits, self._misses = self._hits + (known is not None), self._misses + (known is None)
        if known is not None:
            return known
        return await self._shared.once(point, job.id, lambda: self.run(Sessions.apply, job, event, key=job.id))

    async def result(self, job: Job) -> Result:
        """The recommendation with its reasons."""
        return await self.run(Sessions.result, job, key=job.id)

    async def changes(self, job: Job) -> ChangesOfBest:
        """What can be asked for instead of the recommendation."""
        return await self.run(Sessions.changes, job, key=job.id)

    async def previews(self, job: Job, name: str) -> Previews:
        """What each other value of an attribute of the recommendation would come to."""
        return await self.run(Sessions.previews, job, name, key=job.id)

    async def answer_preview(self, job: Job, event: Mapping[str, Any]) -> AnswerPreview:
        """What would be recommended if an earlier question were answered differently."""
        return await self.run(Sessions.answer_preview, job, event, key=job.id)

    async def export(self, job: Job) -> dict[str, Any]:
        """The interview as `Interview.load` reads it."""
        return await self.run(Sessions.export, job, key=job.id)

    async def belief(self, job: Job) -> Checkpoint:
        """The belief after the events, for the store to keep; nobody waits for it."""
        return await self.run(Sessions.belief, job, key=job.id, urgency=LATER)

    def prepare(self, job: Job, step: Step) -> None:
        """The person sees this now: work out what each likely answer leads to, as long as nobody waits."""
        if not self.prefetched.read(step) or says_more(job.events):
            return
        is_slow, client = self._is_slow(job.id, (job,)), CLIENT.get()
        for chance, answer in likely_answers(step):
            event = {"answer": answer}
            point = point_after(job, event)
            if point is None or point in self._shared or not self.prefetched.want(point, job.id, job.version):
                continue
            future = self._worker(job.id, (job, event), slow=is_slow).submit(
                Sessions.apply,
                job,
                event,
                urgency=(PREFETCH, round(100 * (1 - chance))),
                wanted=partial(self.prefetched.is_wanted, point),
                client=client,
                interview=job.id,
                seconds=None if is_slow else self._usual_seconds(client),
            )
            future.add_done_callback(partial(self._keep, job, point))

    def _keep(self, job: Job, point: str, future: Future[Step]) -> None:
        self.prefetched.done(point)
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._shared.put(point, future.result())
        elif isinstance(error, WorkError | TimeIsUp):
            self.prefetched.give_up(job.id, job.version)  # what is too much for one answer is too much for the others

    def forget(self, ids: Collection[str]) -> None:
        """Let go of whatever is at hand of interviews that are no more; best effort: nobody waits for it."""
        self._shared.forget(ids)
        for id in ids:
            self.prefetched.forget(id)
        for worker in (*self.workers, *self.slow_workers):
            if worker.pid is not None:
                worker.submit(Sessions.forget, tuple(ids), urgency=(LATER, 0))

    # Catalogues

    async def catalogue(self, document: Mapping[str, Any], digest: str) -> Catalogue:
        """What a catalogue holds, counted; raises SpaceError or InfeasibleSpace where it cannot be used.

        Who looks at a catalogue may soon start an interview on it, so all processes get to know it.
        """
        described = await self.run(Sessions.catalogue, document, digest, key=digest)
        for worker in self.workers if digest not in self._slow else ():
            worker.submit(Sessions.prepare_catalogue, document, urgency=(LATER, 0))
        return described

    async def possible(self, document: Mapping[str, Any], digest: str, must_haves: Sequence[str]) -> Possible:
        """What must-haves leave of a catalogue; raises RuleError where one means nothing in it."""
        key = f"{digest} {CLIENT.get()}"  # others who look at the same catalogue are not in each other's way
        strategy = {"name": USUAL_STRATEGY}
        job = Job(id=key, digest=digest, catalogue=document, strategy=strategy, seed=0, events=(), version=0)
        return await self.run(Sessions.possible, job, *({"require": rule} for rule in must_haves), key=key)

    async def prior(self, document: Mapping[str, Any], catalogue: Mapping[str, Any], digest: str) -> PriorReport:
        """What a prior says about the people of a catalogue; raises an error where it does not fit it."""
        return await self.run(Sessions.prior, document, catalogue, key=digest)

    # Processes

    async def run(
        self, function: Callable[..., T], *arguments: Any, key: str, urgency: int = NOW, slow: bool = False
    ) -> T:
        """Let the process that has what belongs to the key call a function with its sessions and these arguments.

        It counts for whomever the request is from. What takes long is moved to the slow lane; where that is known, it
        goes there at once (`slow`).
        """
        if not slow and not self._is_slow(key, arguments):
            try:
                return await self._run(function, arguments, key, urgency, slow=False)
            except TimeIsUp:
                self._slow.note(key)
                self._moved += 1
        return await self._run(function, arguments, key, urgency, slow=True)

    async def _run(
        self, function: Callable[..., T], arguments: tuple[Any, ...], key: str, urgency: int, *, slow: bool
    ) -> T:
        client, under_way = CLIENT.get(), self._slow_under_way if slow else self._under_way
        try:
            under_way.enter(client, key)
        except WorkCrowded:
            self._crowded += 1
            raise
        future = self._worker(key, arguments, slow=slow).submit(
            function,
            *arguments,
            urgency=(urgency, 0),
            client=client,
            interview=key,
            seconds=None if slow else self._usual_seconds(client),
        )
        future.add_done_callback(lambda _: under_way.leave(client, key))
        try:
            async with asyncio.timeout(self._wait):
                return cast(T, await asyncio.wrap_future(future))
        except TimeoutError:
            raise WorkBusy("everybody is busy; try again in a moment") from None

    def _is_slow(self, key: str, arguments: tuple[Any, ...]) -> bool:
        return key in self._slow or is_long(arguments)

    def _usual_seconds(self, client: str) -> float | None:
        """What a call may take before it is moved; None: the server's own work may take as long as any."""
        if client == NOBODY:
            return None
        return SHORT_SECONDS if self._clients.used(client) > MUCH else USUAL_SECONDS

    def stats(self) -> dict[str, float]:
        """What happened so far, and how many calls are waiting (`queue`: somebody waits for them)."""
        workers = (*self.workers, *self.slow_workers)
        return {
            "ready_hits": self._hits,
            "ready_misses": self._misses,
            "ahead_dropped": sum(worker.dropped for worker in workers),
            "calls": sum(worker.calls for worker in workers),
            "seconds": sum(worker.seconds for worker in workers),
            "restarts": sum(worker.restarts for worker in workers),
            "timeouts": sum(worker.timeouts for worker in workers),
            "moved": self._moved,
            "crowded": self._crowded,
            "processes": sum(worker.pid is not None for worker in self.workers),
            "queue": sum(worker.waiting for worker in workers),
            "longest_wait": max(worker.longest_wait for worker in self.workers),
            "ahead_queue": sum(worker.waiting_prefetch for worker in workers),
        }

    def _worker(self, key: str, arguments: tuple[Any, ...] = (), *, slow: bool = False) -> Worker:
        """The process for what belongs to the key; for an interview, the one where it is at home."""
        workers = self.slow_workers if slow else self.workers
        if arguments and isinstance(arguments[0], Job):
            key = home_of(arguments[0], *(each for each in arguments[1:2] if isinstance(each, Mapping)))
        return workers[crc32(key.encode()) % len(workers)]
