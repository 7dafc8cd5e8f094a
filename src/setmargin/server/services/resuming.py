"""Work on interviews that may first have to be replayed: from a checkpoint, and in steps that keep nobody waiting.

What a process has at hand is worked on at once. Otherwise it asks for the checkpoint that follows most of the events,
and replays the others for a moment at a time; after each such moment there is a new checkpoint. What takes more than a
moment goes on in the slow lane, where it keeps nobody else waiting. Whoever waits for it is told in time how far it is
and to come back, and it goes on without them: whoever then asks the same again finds it under way, or done.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar, cast

from setmargin import documents
from setmargin.lru import Lru
from setmargin.server.checkpoint import Checkpoint
from setmargin.server.errors import CheckpointNeeded, ReplayUnfinished, StillReplaying, StoreError
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.store import Store
from setmargin.server.work.describe import Step
from setmargin.server.work.job import Job
from setmargin.server.work.pool import WorkerPool
from setmargin.server.work.sessions import Sessions
from setmargin.server.work.worker import LATER

LOGGER: Final = logging.getLogger(__name__)
T = TypeVar("T")
REPLY_SECONDS: Final = 1.5
"""How long somebody waits for what needs a replay; with the store and the way there the reply takes less than two."""
MOST_REPLAYS: Final = 20
"""Interviews that are replayed at once without anybody waiting; others go on whenever somebody asks again."""
MOST_UNFETCHED: Final = 100
"""What was found after whoever asked for it had been told to come back."""

BRANCHING: Final = (Sessions.apply, Sessions.answer_preview)
"""What comes to other events than those that are in force."""

Key = tuple[str, int, str]
Usual = Callable[[Job], Awaitable[T]]


@dataclass(eq=False)
class _Resumption:
    """Something that is being worked out about an interview, whoever waits for it."""

    job: Job
    reached: tuple[int, int] | None = None
    """How many events of how many are replayed; None while nobody knows that any have to be."""
    is_slow: bool = False
    """Whether it is replayed in the slow lane."""
    is_later: bool = False
    """Whether it began without anybody waiting."""
    waiting: int = 0
    task: asyncio.Task[Any] = field(init=False)


class ResumingPool:
    """A worker pool for interviews of any length; its methods are those of `WorkerPool`.

    Where a method takes `until` (see `reply_by`), whoever waits is told by then to come back.
    """

    def __init__(self, workers: WorkerPool, store: AsyncStore) -> None:
        self._workers, self._store = workers, store
        self._works: dict[Key, _Resumption] = {}
        self._unfetched: Lru[Key, asyncio.Task[Any]] = Lru(MOST_UNFETCHED)

    async def aclose(self) -> None:
        """Leave replays as they are: their checkpoints are kept."""
        for work in list(self._works.values()):
            work.task.cancel()

    async def step(self, job: Job, *, until: float | None = None) -> Step:
        """The interview after its events: as it was shown, where that is known, and worked out otherwise."""
        known = self._workers.prefetched.step(job.id, job.version)
        if known is not None:
            return known
        if job.state is not None:
            self._go_on(job)
            return Step(documents.read(documents.State, job.state), {}, None)
        return await self._resumed(job, self._workers.step, Sessions.step, until=until)

    async def apply(self, job: Job, event: Mapping[str, Any], *, until: float | None = None) -> Step:
        """The interview after one event more."""

        async def usual(job: Job) -> Step:
            return await self._workers.apply(job, event)

        return await self._resumed(job, usual, Sessions.apply, event, until=until)

    async def result(self, job: Job) -> documents.Result:
        """The recommendation with its reasons."""
        return await self._resumed(job, self._workers.result, Sessions.result)

    async def changes(self, job: Job) -> documents.ChangesOfBest:
        """What can be asked for instead of the recommendation."""
        return await self._resumed(job, self._workers.changes, Sessions.changes)

    async def previews(self, job: Job, name: str) -> documents.Previews:
        """What each other value of an attribute of the recommendation would come to."""

        async def usual(job: Job) -> documents.Previews:
            return await self._workers.previews(job, name)

        return await self._resumed(job, usual, Sessions.previews, name)

    async def answer_preview(self, job: Job, event: Mapping[str, Any]) -> documents.AnswerPreview:
        """What would be recommended if an earlier question were answered differently."""

        async def usual(job: Job) -> documents.AnswerPreview:
            return await self._workers.answer_preview(job, event)

        return await self._resumed(job, usual, Sessions.answer_preview, event)

    async def export(self, job: Job) -> dict[str, Any]:
        """The interview as `Interview.load` reads it, which needs no replay."""
        return await self._workers.export(job)

    async def belief(self, job: Job) -> Checkpoint:
        """The belief after the events; nobody waits for it, however long it takes."""
        return await self._worked(_Resumption(job), self._workers.belief, Sessions.belief, ())

    async def slowly(self, job: Job) -> Step:
        """The interview after its events, from where it keeps nobody waiting; its checkpoint is kept then."""
        return await self._worked(_Resumption(job, is_slow=True), self._workers.step, Sessions.step, ())

    def forget(self, ids: Collection[str]) -> None:
        """Let go of whatever is known of interviews that are no more."""
        gone = set(ids)
        for (id, *_), work in list(self._works.items()):
            if id in gone:
                work.task.cancel()
        self._unfetched.discard_where(lambda key, _: key[0] in gone)
        self._workers.forget(gone)

    def prepare(self, job: Job, step: Step) -> None:
        """Work out what each likely answer leads to, unless the interview itself is yet to be replayed."""
        if _key(job, Sessions.step, ()) not in self._works:
            self._workers.prepare(job, step)

    # What is under way

    async def _resumed(
        self,
        job: Job,
        usual: Usual[T],
        function: Callable[..., T],
        *arguments: Any,
        until: float | None = None,
    ) -> T:
        """What the call returns; StillReplaying where events have to be replayed for longer than somebody waits."""
        until = reply_by() if until is None else until
        key = _key(job, function, arguments)
        replay = self._works.get(_key(job, Sessions.step, ()))
        if replay is not None and replay.is_slow and function is not Sessions.step:
            await self._waited(replay, until)  # its end is where this begins
        task = self._unfetched.get(key)
        if task is None:
            work = self._works.get(key) or self._begun(key, _Resumption(job), usual, function, arguments)
            await self._waited(work, until)
            task = work.task
        self._unfetched.discard(key)
        return cast(T, task.result())

    async def _waited(self, work: _Resumption, until: float) -> None:
        """Return once it is done; StillReplaying where it is not until then, and the reason is a replay."""
        loop = asyncio.get_running_loop()
        work.waiting += 1
        try:
            while not work.task.done():
                left = until - loop.time()
                if left <= 0 and work.reached is not None:
                    if sum(each.reached is not None for each in self._works.values()) > MOST_REPLAYS:
                        work.task.cancel()
                    raise StillReplaying(*work.reached)
                await asyncio.wait([work.task], timeout=max(0.1, left))
        finally:
            work.waiting -= 1
        if work.task.cancelled():
            raise StillReplaying(*(work.reached or (0, work.job.version)))

    def _begun(
        self, key: Key, work: _Resumption, usual: Usual[T], function: Callable[..., T], arguments: tuple[Any, ...]
    ) -> _Resumption:
        self._works[key] = work
        work.task = asyncio.create_task(self._worked(work, usual, function, arguments))
        work.task.add_done_callback(lambda task: self._ended(key, work, task))
        return work

    def _ended(self, key: Key, work: _Resumption, task: asyncio.Task[Any]) -> None:
        """Somebody waits for it, or comes back for it, or nobody ever wanted more than that it is at hand."""
        self._works.pop(key, None)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not work.waiting:
            LOGGER.warning("an interview is not replayed: %s", error)
        elif not work.waiting and not work.is_later:
            self._unfetched[key] = task
        if error is None and work.is_later:
            self._workers.prepare(work.job, task.result())
        elif error is None and work.is_slow and key == _key(work.job, Sessions.step, ()):
            self._go_on(work.job)  # from the checkpoint that is there now, where people are answered

    def _go_on(self, job: Job) -> None:
        """Have the interview at hand for what the person will say, and prepare for it, without anybody waiting."""

        async def usual(job: Job) -> Step:
            return await self._workers.run(Sessions.step, job, key=job.id, urgency=LATER)

        key = _key(job, Sessions.step, ())
        if key not in self._works and len(self._works) < MOST_REPLAYS:
            self._begun(key, _Resumption(job, is_later=True), usual, Sessions.step, ())

    # Replays

    async def _worked(
        self, work: _Resumption, usual: Usual[T], function: Callable[..., T], arguments: tuple[Any, ...]
    ) -> T:
        """What the call returns once all is replayed: at hand, from a checkpoint, or step by step in the slow lane."""
        loop = asyncio.get_running_loop()
        job, began = work.job, loop.time()
        while True:
            before, since = 0 if job.checkpoint is None else job.checkpoint.events, loop.time()
            try:
                if not work.is_slow:
                    return await usual(job)
                found = await self._workers.run(function, job, *arguments, key=job.id, urgency=LATER, slow=True)
                if function not in BRANCHING:
                    await self._keep_end(job)
                return found
            except CheckpointNeeded as needed:
                kept = await self._store.read(Store.checkpoint, job.id, needed.keys)
                job = replace(job, checkpoint=kept, is_searched=True)
                work.reached = 0 if kept is None else kept.events, len(needed.keys) - 1
            except ReplayUnfinished as unfinished:
                job = replace(job, checkpoint=await self._kept(job, unfinished), is_searched=True)
                work.reached = unfinished.done, unfinished.total
                pace = (loop.time() - since) / max(1, unfinished.done - before)
                lasts = loop.time() - began + pace * (unfinished.total - unfinished.done)
                work.is_slow = work.is_slow or lasts > REPLY_SECONDS

    async def _kept(self, job: Job, unfinished: ReplayUnfinished) -> Checkpoint:
        """How far it came; where the store cannot keep that, at least this job does.

        What is no part of the interview as it is, such as answers after one that is being changed, is not stored: it
        would take the place of what is.
        """
        checkpoint = Checkpoint(unfinished.done, unfinished.key, unfinished.body)
        if unfinished.newest is not None:
            await self._stored(job, checkpoint, unfinished.newest)
        return checkpoint

    async def _keep_end(self, job: Job) -> None:
        """What was replayed in the slow lane is what others go on from, unless they have just that already."""
        end = await self._workers.run(Sessions.belief, job, key=job.id, urgency=LATER, slow=True)
        if job.checkpoint is None or job.checkpoint.events < end.events:
            await self._stored(job, end, end.events)

    async def _stored(self, job: Job, checkpoint: Checkpoint, newest: int) -> None:
        try:
            await self._store.write(Store.put_checkpoint, job.id, job.version, checkpoint, newest=newest)
        except StoreError as error:
            LOGGER.warning("a checkpoint is not kept: %s", error)


def reply_by() -> float:
    """When somebody who asks now has to be told something, as a time of the running loop."""
    return asyncio.get_running_loop().time() + REPLY_SECONDS


def _key(job: Job, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Key:
    """What makes two calls the same: the interview with the question that was given, and what is asked about it."""
    given = job.questions.get(job.version, "not yet")
    return job.id, job.version, json.dumps([function.__name__, arguments, given], sort_keys=True)
