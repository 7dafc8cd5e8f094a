"""Where a request becomes an event: worked out first, stored durably second, answered third, and prepared for after."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any, Final, cast

from setmargin import documents
from setmargin.errors import SetmarginError
from setmargin.interview.log import Answered, check_shown, read_entry, read_question
from setmargin.lru import Lru
from setmargin.server.errors import Conflict, RequestError, StoreError, Unavailable, UnknownInterview
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.beginning import Beginnings, id_of
from setmargin.server.services.catalogues import CatalogueService
from setmargin.server.services.priors import PriorService
from setmargin.server.services.resuming import ResumingPool, reply_by
from setmargin.server.services.state_text import state_text
from setmargin.server.store import GivenQuestion, Progress, Store, StoredInterview
from setmargin.server.store.checkpoints import LONG, is_kept_after, is_long
from setmargin.server.store.outbox import OutboxMessage
from setmargin.server.store.store import ID_BYTES
from setmargin.server.work.describe import Step
from setmargin.server.work.job import Job
from setmargin.server.work.pool import WorkerPool

LOGGER: Final = logging.getLogger(__name__)
MOST_EVENTS: Final = 1000
"""More than any person does; an interview that anybody may write to must not grow without end."""
SEEN_SECONDS: Final = 60.0
MOST_NOTED: Final = 5000
MOST_RESULTS: Final = 500
MOST_JOBS: Final = 1000
MOST_LATER: Final = 200
"""What may wait to be done after the reply; beyond that it is left out, as it only saves time later."""
TRY_EVERY_SECONDS: Final = 1.0
LONGEST_WAIT: Final = 5.0
"""Seconds that somebody may wait for a process while the server still counts as ready."""
CLOSE_SECONDS: Final = 2.0
MOST_CAUGHT_UP: Final = 500
"""Long interviews that are looked at when the server starts."""
IDLE_SECONDS: Final = 1.0


@dataclass(frozen=True)
class RequestedEvent:
    """What a person does: which kind, to which version they have seen, as which event, and under which key if any."""

    kind: str
    version: int
    event: Mapping[str, Any]
    key: str | None = None

    @property
    def shown(self) -> str | None:
        """The id of the question that the person was shown, where they say so."""
        return self.event.get("question")

    @property
    def request(self) -> list[Any]:
        """What makes two requests the same."""
        return [self.kind, self.version, dict(self.event)]

    @property
    def full_key(self) -> str:
        """Without a key of its own, a request is known by what it says: a double click is one click."""
        if self.key is not None:
            return f"given {self.key}"
        return f"same {sha256(json.dumps(self.request, sort_keys=True).encode()).hexdigest()}"


OnEvent = Callable[[str, str, bool], None]
"""Told of the catalogue, of what somebody did, and whether they got a question."""
Messages = Callable[[documents.State], Sequence[OutboxMessage]]
"""What others are told of an interview that is finished."""


class InterviewService:
    """The interviews of one server."""

    def __init__(
        self,
        store: AsyncStore,
        workers: WorkerPool,
        catalogues: CatalogueService,
        priors: PriorService,
        *,
        on_event: OnEvent,
        messages: Messages = lambda _: (),
    ) -> None:
        self._store, self._pool, self._catalogues, self._priors = store, workers, catalogues, priors
        self._workers = ResumingPool(workers, store)
        self._on_event, self._messages = on_event, messages
        self._beginnings = Beginnings(self._workers, catalogues, priors)
        self._results: Lru[tuple[str, int], documents.Result] = Lru(MOST_RESULTS)
        self._jobs: Lru[str, Job] = Lru(MOST_JOBS)
        """Interviews as this server wrote them last; others may have written since, which the store notices."""
        self._seen: Lru[str, float] = Lru(MOST_NOTED)
        self._later: set[asyncio.Task[None]] = set()
        self._trial: asyncio.Future[None] | None = None
        self._tried_at = 0.0

    # Reading

    async def state(self, id: str) -> documents.State:
        """The interview as it is now."""
        job, step = await self._given(await self._job(id))
        self._workers.prepare(job, step)
        return step.state

    async def result(self, id: str) -> documents.Result:
        """The recommendation and its reasons, which stay the same as long as nothing happens."""
        job = await self._job(id, with_state=False)
        known = self._results.get((id, job.version))
        if known is None:
            known = self._results[id, job.version] = await self._workers.result(job)
        return known

    async def changes(self, id: str) -> documents.ChangesOfBest:
        """What can be asked for instead of the recommendation."""
        return await self._workers.changes(await self._job(id))

    async def previews(self, id: str, name: str) -> documents.Previews:
        """What each other value of an attribute of the recommendation would come to."""
        return await self._workers.previews(await self._job(id), name)

    async def answer_preview(self, id: str, change: RequestedEvent) -> documents.AnswerPreview:
        """What would be recommended if an earlier question were answered differently; nothing is stored."""
        job = await self._job(id)
        if change.version != job.version:
            raise Conflict(after=change.version, current=job.version)
        return await self._workers.answer_preview(job, change.event)

    async def catalogue(self, id: str, languages: Sequence[str] = ()) -> documents.Catalogue:
        """The catalogue as it was when the interview began, in the first of these languages that it has texts in."""
        stored = await self._store.read(Store.interview, id)
        return await self._catalogues.described_as(stored.digest, languages)

    async def export(self, id: str) -> dict[str, Any]:
        """The whole interview, as `Interview.from_document` takes it."""
        return await self._workers.export(await self._job(id))

    # Writing

    async def start(self, wanted: documents.Start, key: str | None = None) -> documents.State:
        """A new interview; nothing is stored of one that cannot begin."""
        id = token_urlsafe(ID_BYTES) if key is None else id_of(key, wanted)
        if key is not None and await self._is_there(id):
            return await self.state(id)
        job, step = await self._beginnings.of(wanted)
        job, step = replace(job, id=id), replace(step, state=replace(step.state, id=id))
        events = [dict(event) for event in job.events]
        given = _question_of(step)
        stored = await self._store.write(
            Store.start, job.digest, job.strategy, job.seed, events=events, question=given, id=id
        )
        same = (stored.digest, stored.strategy) == (job.digest, job.strategy)
        if not same or stored.questions != {job.version: given}:
            return await self.state(id)  # somebody was quicker under the same key, and may have been asked another one
        self._on_event(step.state.catalogue.name, "start", step.state.question is not None)
        self._note(id)
        self._jobs[id] = replace(job, is_searched=False)
        self._workers.prepare(job, step)
        return step.state

    async def _is_there(self, id: str) -> bool:
        try:
            await self._store.read(Store.version_of, id)
        except UnknownInterview:
            return False
        return True

    async def do(self, id: str, change: RequestedEvent) -> documents.State:
        """Let something happen, once; it is durable before the reply is sent."""
        job = self._jobs.get(id)
        if job is None or job.version != change.version:
            job = await self._job(id, with_state=False)
        self._jobs.discard(id)  # until it is known to be written
        if change.version != job.version:
            return await self._again(job, change)
        if job.version >= MOST_EVENTS:
            raise RequestError(f"an interview ends after {MOST_EVENTS:,} changes", cure="start a new one")
        step, answers = await self._applied(job, change)
        appended = await self._store.write(
            Store.append,
            id,
            step.event or {},
            after=change.version,
            key=change.full_key,
            request=change.request,
            progress=cast(Progress, step.progress),
            state=state_text(step.state),
            answers=answers,
            question=_question_of(step),
            messages=self._messages(step.state) if change.kind == "finish" else (),
        )
        if appended.repeated:
            return await self.state(id)
        self._on_event(step.state.catalogue.name, change.kind, step.state.question is not None)
        self._note(id)
        self._jobs[id] = job = _following(job, step, is_answer=answers is not None)
        self._workers.prepare(job, step)
        if is_kept_after(job.version):
            self._afterwards(self._keep_checkpoint(job))
        return step.state

    async def _applied(self, job: Job, change: RequestedEvent) -> tuple[Step, str | None]:
        """What the change leads to, and the id of the question that it answers, if it answers one.

        An answer is to the question that was stored when it was given, whoever worked that out.
        """
        until = reply_by()
        if change.kind != "answer":
            return await self._workers.apply(job, change.event, until=until), None
        if job.version not in job.questions:
            job, _ = await self._given(job, until=until)
        event, current = change.event, job.questions.get(job.version)
        if current is not None:
            if change.shown is not None:
                check_shown(read_question(current), change.shown)
            event = {"answer": event["answer"]}  # as what was worked out ahead is called
        step = await self._workers.apply(job, event, until=until)
        answered = read_entry(step.event)
        assert isinstance(answered, Answered)
        return step, answered.question.id

    async def _given(self, job: Job, *, until: float | None = None) -> tuple[Job, Step]:
        """The interview with its current question, which is stored before anybody sees it."""
        return await self._giving(job, await self._workers.step(job, until=until))

    async def _giving(self, job: Job, step: Step) -> tuple[Job, Step]:
        if job.version not in job.questions and step.state.finished is None:
            ours = _question_of(step)
            assert ours is not None
            stored = await self._store.write(Store.give, job.id, job.version, ours)
            job = replace(job, questions={**job.questions, job.version: stored.document})
            if stored != ours:
                step = await self._workers.step(job)
        if job.state is None and is_long(job.version):
            progress = cast(Progress, step.progress)
            self._afterwards(
                self._store.write(Store.put_progress, job.id, job.version, progress, state_text(step.state))
            )
        return job, step

    async def _again(self, job: Job, change: RequestedEvent) -> documents.State:
        """A request for an earlier version is one that was heard already, or comes from somebody who is behind."""
        repeated = await self._store.read(Store.repeated, job.id, key=change.full_key, request=change.request)
        if repeated is None:
            raise Conflict(after=change.version, current=job.version)
        return await self.state(job.id)

    # Forgetting

    async def forget(self, id: str) -> None:
        """Delete the interview with all that was shown and said."""
        await self._store.patient(Store.forget, id)
        self.forgotten([id])

    async def forget_unseen(self, days: float) -> int:
        """Delete the interviews that nobody has looked at for so many days; says how many."""
        ids: list[str] = []
        forgotten = await self._store.patient(Store.forget_unseen, timedelta(days=days), on_forgotten=ids.extend)
        self.forgotten(ids)
        return forgotten

    def forgotten(self, ids: Collection[str]) -> None:
        """These interviews were deleted: nothing of them stays in memory, here or in the processes."""
        gone = set(ids)
        if gone:
            for id in gone:
                self._jobs.discard(id)
            self._results.discard_where(lambda key, _: key[0] in gone)
            self._seen.discard_where(lambda id, _: id in gone)
            self._workers.forget(gone)

    # Around it

    async def check(self) -> None:
        """Raise an error unless people can be served: the store can be read and written, and the processes keep up."""
        await self._store.read(Store.ping)
        await self._try_write()
        stats = self._pool.stats()
        if not stats["processes"]:
            raise Unavailable("no process works")
        if stats.get("longest_wait", 0.0) > LONGEST_WAIT:
            raise Unavailable(f"somebody has waited for {stats['longest_wait']:.0f} seconds; add workers or servers")

    async def _try_write(self) -> None:
        """Write something, at most once a second: anybody may ask, and it costs a turn of the disk."""
        now = asyncio.get_running_loop().time()
        if self._trial is None or (self._trial.done() and now - self._tried_at >= TRY_EVERY_SECONDS):
            self._trial, self._tried_at = asyncio.ensure_future(self._store.write(Store.try_write)), now
        await asyncio.shield(self._trial)

    def warm_up(self) -> None:
        """Look at what is offered before the first person does."""
        self._afterwards(self._begin_all())

    def prepare(self, name: str) -> None:
        """Look at one catalogue again, whose prior is new, before the next person does."""
        self._afterwards(self._begin(name))

    async def _begin_all(self) -> None:
        for catalogue in await self._catalogues.offered():
            await self._begin(catalogue.name)

    async def _begin(self, name: str) -> None:
        await self._beginnings.of(documents.Start(name))

    async def catch_up(self) -> None:
        """Replay what nobody could be shown at once, while nobody waits: long interviews without a checkpoint.

        There are such where a database comes from another version of setmargin. Those that somebody was at last come
        first; each is worked on in the slow lane, and only while nobody waits for a process.
        """
        try:
            ids = await self._store.patient(Store.long_interviews, least=LONG, most=MOST_CAUGHT_UP)
        except StoreError as error:
            return LOGGER.warning("long interviews are not looked at: %s", error)
        for id in ids:
            while self._pool.stats()["queue"]:
                await asyncio.sleep(IDLE_SECONDS)
            await _harmless(self._catch_up(id))
        return None

    async def _catch_up(self, id: str) -> None:
        job = await self._job(id, is_noted=False)
        await self._giving(job, await self._workers.slowly(job))

    async def aclose(self) -> None:
        """Finish what was left for later, or give it up where that takes long."""
        await self._workers.aclose()
        left = list(self._later)
        if left:
            _, unfinished = await asyncio.wait(left, timeout=CLOSE_SECONDS)
            for task in unfinished:
                task.cancel()

    async def _job(self, id: str, *, with_state: bool = True, is_noted: bool = True) -> Job:
        """The interview as the store has it; unless it is for nobody, the person is there."""
        stored = await self._store.read(Store.interview, id, with_state=with_state)
        catalogue = await self._catalogues.of(stored.digest)
        if is_noted:
            self._note(id)
        return Job(
            id=id,
            digest=stored.digest,
            catalogue=catalogue.document,
            strategy=stored.strategy,
            seed=stored.seed,
            events=stored.events,
            version=stored.version,
            is_searched=False,
            state=_shown(stored),
            prior=await self._priors.document_of(stored.strategy),
            questions={version: question.document for version, question in stored.questions.items()},
        )

    def _note(self, id: str) -> None:
        """The person is there; the store hears of it now and then."""
        now = asyncio.get_running_loop().time()
        told = self._seen.get(id)
        if told is None or now - told >= SEEN_SECONDS:
            self._seen[id] = now
            self._afterwards(self._store.write(Store.seen, id))

    async def _keep_checkpoint(self, job: Job) -> None:
        checkpoint = await self._workers.belief(job)
        await self._store.write(Store.put_checkpoint, job.id, job.version, checkpoint)

    def _afterwards(self, what: Coroutine[Any, Any, None]) -> None:
        """Do what nobody waits for, and may fail or be left out without harm."""
        if len(self._later) >= MOST_LATER:
            return what.close()
        task = asyncio.create_task(_harmless(what))
        self._later.add(task)
        task.add_done_callback(self._later.discard)
        return None


async def _harmless(what: Coroutine[Any, Any, None]) -> None:
    try:
        await what
    except SetmarginError as error:
        LOGGER.warning("left out: %s", error)


def _shown(stored: StoredInterview) -> dict[str, Any] | None:
    """What was shown last, where that is still so: with the question that is stored as given."""
    state = stored.state
    if state is None or state["finished"] is not None:
        return state
    given = stored.questions.get(stored.version)
    shown = "" if state["question"] is None else state["question"]["id"]
    return state if given is not None and given.id == shown else None


def _question_of(step: Step) -> GivenQuestion | None:
    """What is asked now, as the store keeps it; one that is finished asks nothing until it is opened again."""
    state = step.state
    if state.finished is not None:
        return None
    return GivenQuestion("" if state.question is None else state.question.id, step.question)


def _following(job: Job, step: Step, *, is_answer: bool) -> Job:
    """The interview with the event that led to the step, and the question that came of it; one may be answered."""
    version, given = step.state.version, _question_of(step)
    questions = {at: each for at, each in job.questions.items() if not (is_answer and at == job.version)}
    if given is not None:
        questions[version] = given.document
    return replace(job, events=(*job.events, step.event or {}), version=version, state=None, questions=questions)
