"""Where a request becomes an event: worked out first, stored durably second, answered third, and prepared for after."""

from __future__ import annotations

import asyncio
import json
from base64 import urlsafe_b64encode
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from secrets import token_urlsafe
from typing import Annotated, Any, Final, cast

from fastapi import Depends, Request

from setmargin.errors import OptionError, SetmarginError
from setmargin.server.api import models
from setmargin.server.api.logs import LOGGER
from setmargin.server.api.metrics import Metrics
from setmargin.server.api.problems import ProblemError
from setmargin.server.api.thinking import Thinking
from setmargin.server.services.catalogues import Shelf
from setmargin.server.store import Conflict, Progress, Store, UnknownInterview
from setmargin.server.store.store import ID_BYTES
from setmargin.server.work.lru import Lru
from setmargin.server.work.session import Job
from setmargin.server.work.views import View

MOST_EVENTS: Final = 1000
"""More than any person does; an interview that anybody may write to must not grow without end."""
KEPT_EVERY: Final = 5
"""A belief is kept after so many events: a few are quickly learnt again where it is needed."""
SEEN_SECONDS: Final = 60.0
MOST_NOTED: Final = 5000
MOST_BEGINNINGS: Final = 200
MOST_RESULTS: Final = 500
MOST_LATER: Final = 200
"""What may wait to be done after the reply; beyond that it is left out, as it only saves time later."""
CHECK_SECONDS: Final = 5.0
CLOSE_SECONDS: Final = 2.0


@dataclass(frozen=True)
class Act:
    """What a person does: which kind, to which version they have seen, as which event, and under which key if any."""

    kind: str
    version: int
    event: Mapping[str, Any]
    key: str | None = None

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


class Desk:
    """The interviews of one server."""

    def __init__(self, store: Store, work: Thinking, shelf: Shelf, metrics: Metrics) -> None:
        self._store, self._work, self._shelf, self._metrics = store, work, shelf, metrics
        self._beginnings: Lru[str, tuple[Job, View]] = Lru(MOST_BEGINNINGS)
        self._results: Lru[tuple[str, int], models.Result] = Lru(MOST_RESULTS)
        self._seen: Lru[str, float] = Lru(MOST_NOTED)
        self._later: set[asyncio.Task[None]] = set()

    # Reading

    async def state(self, id: str) -> models.State:
        """The interview as it is now."""
        job = await self._job(id)
        view = await self._work.view(job)
        self._work.prepare(job, view)
        return _state(view)

    async def result(self, id: str) -> models.Result:
        """The recommendation and its reasons, which stay the same as long as nothing happens."""
        job = await self._job(id)
        known = self._results.get((id, job.version))
        if known is None:
            result = await self._work.result(job)
            known = self._results[id, job.version] = models.Result.model_validate(result.document())
        return known

    async def catalogue(self, id: str) -> models.Catalogue:
        """The catalogue as it was when the interview began."""
        stored = await asyncio.to_thread(self._store.interview, id)
        return await self._shelf.described_as(stored.digest)

    async def export(self, id: str) -> dict[str, Any]:
        """The whole interview, as `Interview.from_document` takes it."""
        return await self._work.export(await self._job(id))

    # Writing

    async def start(self, wanted: models.Start, key: str | None = None) -> models.State:
        """A new interview; nothing is stored of one that cannot begin."""
        id = token_urlsafe(ID_BYTES) if key is None else _id_of(key, wanted)
        if key is not None and await self._is_there(id):
            return await self.state(id)
        job, view = await self._beginning(wanted)
        job, view = replace(job, id=id), replace(view, id=id)
        events = [dict(event) for event in job.events]
        await asyncio.to_thread(self._store.start, job.digest, job.strategy, job.seed, events=events, id=id)
        self._metrics.event(view.catalogue["name"], "start", asked=view.question is not None)
        self._note(id)
        self._work.prepare(job, view)
        return _state(view)

    async def _beginning(self, wanted: models.Start) -> tuple[Job, View]:
        """What such an interview begins with, which is the same for everybody."""
        catalogue = await self._shelf.named(wanted.catalogue)
        key = f"{catalogue.digest} {wanted.model_dump_json()}"
        if (known := self._beginnings.get(key)) is not None:
            return known
        job = Job(
            id=token_urlsafe(),  # any will do, and so any process
            digest=catalogue.digest,
            catalogue=catalogue.document,
            strategy=_strategy(wanted),
            seed=wanted.seed or 0,
            events=tuple({"require": rule.strip()} for rule in wanted.must_haves),
            version=len(wanted.must_haves),
        )
        view = await self._work.view(job)
        self._beginnings[key] = job, view
        return job, view

    async def _is_there(self, id: str) -> bool:
        try:
            await asyncio.to_thread(self._store.version_of, id)
        except UnknownInterview:
            return False
        return True

    async def do(self, id: str, act: Act) -> models.State:
        """Let something happen, once; it is durable before the reply is sent."""
        job = await self._job(id)
        if act.version != job.version:
            return await self._again(job, act)
        if job.version >= MOST_EVENTS:
            raise ProblemError("validation", f"an interview ends after {MOST_EVENTS:,} changes", cure="start a new one")
        view = await self._work.apply(job, act.event)
        if not await self._append(id, act, view):
            return await self.state(id)
        self._metrics.event(view.catalogue["name"], act.kind, asked=view.question is not None)
        self._work.prepare(job := _following(job, view), view)
        if job.version % KEPT_EVERY == 0:
            self._afterwards(self._keep_belief(job))
        return _state(view)

    async def _again(self, job: Job, act: Act) -> models.State:
        """A request for an earlier version is one that was heard already, or comes from somebody who is behind."""
        repeated = await asyncio.to_thread(self._store.repeated, job.id, key=act.full_key, request=act.request)
        if repeated is None:
            raise Conflict(after=act.version, current=job.version)
        return await self.state(job.id)

    async def _append(self, id: str, act: Act, view: View) -> bool:
        """Store what happened; False if that was done before."""
        appended = await asyncio.to_thread(
            self._store.append,
            id,
            view.event or {},
            after=act.version,
            key=act.full_key,
            request=act.request,
            progress=cast(Progress, view.progress),
        )
        return not appended.repeated

    # Around it

    async def check(self) -> None:
        """Raise an error unless people can be served."""
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                await asyncio.to_thread(self._store.ping)
        except TimeoutError:
            raise ProblemError("unavailable", "the store does not answer") from None
        if not self._work.stats()["processes"]:
            raise ProblemError("unavailable", "no process works")

    def warm_up(self) -> None:
        """Look at what is offered before the first person does."""
        self._afterwards(self._begin_all())

    async def _begin_all(self) -> None:
        for catalogue in await self._shelf.offered():
            await self._beginning(models.Start.model_validate({"catalogue": catalogue.name}))

    async def aclose(self) -> None:
        """Finish what was left for later, or give it up where that takes long."""
        left = list(self._later)
        if left:
            _, unfinished = await asyncio.wait(left, timeout=CLOSE_SECONDS)
            for task in unfinished:
                task.cancel()

    async def _job(self, id: str) -> Job:
        """The interview as the store has it; its belief only where it was not on this desk lately."""
        stored = await asyncio.to_thread(self._store.interview, id)
        catalogue = await self._shelf.of(stored.digest)
        belief = None if id in self._seen else await asyncio.to_thread(self._store.belief, id)
        self._note(id)
        return Job(
            id=id,
            digest=stored.digest,
            catalogue=catalogue.document,
            strategy=stored.strategy,
            seed=stored.seed,
            events=stored.events,
            version=stored.version,
            belief=belief,
        )

    def _note(self, id: str) -> None:
        """The person is there; the store hears of it now and then."""
        now = asyncio.get_running_loop().time()
        told = self._seen.get(id)
        if told is None or now - told >= SEEN_SECONDS:
            self._seen[id] = now
            self._afterwards(asyncio.to_thread(self._store.seen, id))

    async def _keep_belief(self, job: Job) -> None:
        body = await self._work.belief(job)
        await asyncio.to_thread(self._store.put_belief, job.id, job.version, body)

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


def _id_of(key: str, wanted: models.Start) -> str:
    """The same request under the same key is the same interview; who cannot guess the key cannot guess the id."""
    digest = sha256(f"{key} {wanted.model_dump_json()}".encode()).digest()
    return urlsafe_b64encode(digest[:ID_BYTES]).decode()


def _strategy(wanted: models.Start) -> dict[str, Any]:
    """The strategy as the registry takes it; what only one has is refused for the others."""
    own = {"until": wanted.until, "differences": wanted.differences}
    given = {name: value for name, value in own.items() if value is not None}
    if given and wanted.strategy != "bayes":
        raise OptionError(f"{' and '.join(given)} can be said for strategy bayes only; leave it out")
    return {"name": wanted.strategy, "set_size": wanted.set_size, **given}


def _following(job: Job, view: View) -> Job:
    """The interview with the event that led to the view."""
    return replace(job, events=(*job.events, view.event or {}), version=view.version, belief=None)


def _state(view: View) -> models.State:
    return models.State.model_validate(view.document())


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


TheDesk = Annotated[Desk, Depends(_desk)]
