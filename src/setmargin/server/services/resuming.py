"""Work on interviews that may first have to be replayed: from a checkpoint, and in steps that keep nobody waiting.

What a process has at hand is worked on at once. Otherwise it asks for the checkpoint that follows most of the events,
and replays the others for a moment at a time; after each such moment there is a new checkpoint, and the others have
their turn. A person waits for that a little while; then they are told to come back, and it goes on without them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from setmargin import documents
from setmargin.errors import SetmarginError
from setmargin.server.checkpoint import Checkpoint
from setmargin.server.errors import CheckpointNeeded, ReplayUnfinished, StillReplaying, StoreError
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.store import Store
from setmargin.server.work.describe import Step
from setmargin.server.work.pool import WorkerPool
from setmargin.server.work.sessions import Job, Sessions
from setmargin.server.work.worker import LATER

LOGGER: Final = logging.getLogger(__name__)
T = TypeVar("T")
PATIENCE_SECONDS: Final = 4.0
"""How long somebody waits for a replay; where it will take longer they are told at once to come back."""
MOST_REPLAYS: Final = 20
"""Interviews that are replayed at once without anybody waiting; others go on whenever somebody asks again."""


class ResumingPool:
    """A worker pool for interviews of any length; its methods are those of `WorkerPool`."""

    def __init__(self, workers: WorkerPool, store: AsyncStore) -> None:
        self._workers, self._store = workers, store
        self._replays: dict[str, asyncio.Task[None]] = {}
        self._reached: dict[str, tuple[int, int]] = {}
        """How many events of how many are replayed, of interviews that are so without anybody waiting."""

    async def aclose(self) -> None:
        """Leave replays as they are: their checkpoints are kept."""
        for task in list(self._replays.values()):
            task.cancel()

    async def step(self, job: Job) -> Step:
        """The interview after its events: as it was shown, where that is known, and worked out otherwise."""
        known = self._workers.prefetched.step(job.id, job.version)
        if known is not None:
            return known
        if job.state is not None:
            self._go_on(job)
            return Step(documents.read(documents.State, job.state), {}, None)
        return await self._resumed(job, self._workers.step)

    async def apply(self, job: Job, event: Mapping[str, Any]) -> Step:
        """The interview after one event more."""
        return await self._resumed(job, lambda job: self._workers.apply(job, event))

    async def result(self, job: Job) -> documents.Result:
        """The recommendation with its reasons."""
        return await self._resumed(job, self._workers.result)

    async def changes(self, job: Job) -> documents.ChangesOfBest:
        """What can be asked for instead of the recommendation."""
        return await self._resumed(job, self._workers.changes)

    async def previews(self, job: Job, name: str) -> documents.Previews:
        """What each other value of an attribute of the recommendation would come to."""
        return await self._resumed(job, lambda job: self._workers.previews(job, name))

    async def answer_preview(self, job: Job, event: Mapping[str, Any]) -> documents.AnswerPreview:
        """What would be recommended if an earlier question were answered differently."""
        return await self._resumed(job, lambda job: self._workers.answer_preview(job, event))

    async def export(self, job: Job) -> dict[str, Any]:
        """The interview as `Interview.load` reads it, which needs no replay."""
        return await self._workers.export(job)

    async def belief(self, job: Job) -> Checkpoint:
        """The belief after the events; nobody waits for it."""
        return await self._resumed(job, self._workers.belief)

    def prepare(self, job: Job, step: Step) -> None:
        """Work out what each likely answer leads to, unless the interview itself is yet to be replayed."""
        if job.id not in self._replays:
            self._workers.prepare(job, step)

    # Replays

    async def _resumed(self, job: Job, call: Callable[[Job], Awaitable[T]], *, patiently: bool = False) -> T:
        """What the call returns once all is replayed; StillReplaying where that would take too long to wait for."""
        if not patiently and job.id in self._reached:
            raise StillReplaying(*self._reached[job.id])
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            before = 0 if job.checkpoint is None else job.checkpoint.events
            since = loop.time()
            try:
                return await call(job)
            except CheckpointNeeded as needed:
                found = await self._store.read(Store.checkpoint, job.id, needed.keys)
                job = replace(job, checkpoint=found, is_searched=True)
            except ReplayUnfinished as unfinished:
                job = replace(job, checkpoint=await self._kept(job, unfinished), is_searched=True)
                if patiently:
                    self._reached[job.id] = unfinished.done, unfinished.total
                now = loop.time()
                pace = (now - since) / max(1, unfinished.done - before)
                lasts = now - began + pace * (unfinished.total - unfinished.done)
                if not patiently and lasts > PATIENCE_SECONDS:
                    self._go_on(job)
                    raise StillReplaying(unfinished.done, unfinished.total) from None

    async def _kept(self, job: Job, unfinished: ReplayUnfinished) -> Checkpoint:
        """How far it came; where the store cannot keep that just now, at least this job does."""
        checkpoint = Checkpoint(unfinished.done, unfinished.key, unfinished.body)
        try:
            await self._store.write(Store.put_checkpoint, job.id, job.version, checkpoint)
        except StoreError as error:
            LOGGER.warning("a checkpoint is not kept: %s", error)
        return checkpoint

    def _go_on(self, job: Job) -> None:
        """Replay the interview without anybody waiting, and prepare for what the person may answer."""
        if job.id in self._replays or len(self._replays) >= MOST_REPLAYS:
            return
        task = asyncio.create_task(self._replayed(job))
        self._replays[job.id] = task
        task.add_done_callback(lambda _: self._ended(job.id))

    def _ended(self, id: str) -> None:
        self._replays.pop(id, None)
        self._reached.pop(id, None)

    async def _replayed(self, job: Job) -> None:
        async def step(job: Job) -> Step:
            return await self._workers.run(Sessions.step, job, key=job.id, urgency=LATER)

        try:
            found = await self._resumed(job, step, patiently=True)
        except SetmarginError as error:
            LOGGER.warning("an interview is not replayed: %s", error)
        else:
            self._workers.prepare(job, found)
