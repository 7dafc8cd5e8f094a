"""The server put together: store, work, routes, limits and page. Nothing is global; two apps in one process are two."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, AsyncExitStack, aclosing, asynccontextmanager, closing
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI

from setmargin.server.api import catalogues, interviews, openapi, operations, pages, problems, shared, webhooks
from setmargin.server.api.headers import SecureHeaders, picture_origins
from setmargin.server.api.hosts import KnownHosts
from setmargin.server.api.limits import CountedClient, RateLimit, SizeLimit
from setmargin.server.api.logs import LOGGER, RequestLog
from setmargin.server.api.metrics import Metrics
from setmargin.server.api.sites import BasePath, OtherSites
from setmargin.server.errors import StoreError
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.catalogues import CatalogueService
from setmargin.server.services.exporting import ExportService
from setmargin.server.services.interviews import InterviewService, OnEvent
from setmargin.server.services.learning import LearningService
from setmargin.server.services.owner import OwnerService
from setmargin.server.services.priors import PriorService
from setmargin.server.services.sharing import SharingService
from setmargin.server.services.webhooks import WebhookService
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.server.store.noted import drop_refusals
from setmargin.server.work.learning import Fit, LearningProcess
from setmargin.server.work.pool import WorkerPool

OTHER_THREADS = 8
TIDY_SECONDS = 3600.0
CHECKPOINTS_KEPT = timedelta(days=1)
"""How long more than the newest checkpoint of somebody who left is kept."""

DESCRIPTION = """Ask a few well-chosen questions, learn what a person cares about, construct what suits them best.

Start an interview on a catalogue, answer its questions, read the recommendation. Every change names the `version` of
the interview that the client has seen: whoever comes second gets a `conflict`, and a repeated request changes nothing.
Problems are documents of type application/problem+json with a `detail` and a `cure`."""


def worker_pool(settings: Settings) -> WorkerPool:
    """The processes that a server with these settings has."""
    return WorkerPool(workers=settings.workers, seconds=settings.seconds, memory=settings.memory)


def learning_process(settings: Settings) -> AbstractContextManager[Fit]:
    """Where a server with these settings learns."""
    return closing(LearningProcess(seconds=settings.learning_seconds))


MakePool = Callable[[Settings], WorkerPool]
MakeFit = Callable[[Settings], AbstractContextManager[Fit]]


def create_app(
    settings: Settings, *, make_pool: MakePool = worker_pool, make_fit: MakeFit = learning_process
) -> FastAPI:
    """A server with these settings; store and processes live as long as it runs."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with _opened(settings, metrics, make_pool, make_fit) as services:
            app.state.catalogues, app.state.interviews = services.catalogues, services.interviews
            app.state.priors, app.state.learning = services.priors, services.learning
            app.state.sharing, app.state.owner = services.sharing, services.owner
            app.state.webhooks = services.webhooks
            yield

    app = FastAPI(
        title="setmargin",
        version=version("setmargin"),
        description=DESCRIPTION,
        lifespan=lifespan,
        openapi_url=openapi.ADDRESS,
        docs_url=None,  # both pages would load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings, app.state.metrics = settings, metrics
    app.state.exports = ExportService(settings.database)
    ours = (catalogues.router, catalogues.images, interviews.router, shared.router)
    for router in (*ours, operations.owner_router, webhooks.router, operations.router):
        app.include_router(router)
    pages.install(app, site=settings.site)
    problems.install(app)
    openapi.install(app, base_path=settings.site.base_path)
    _guard(app, settings, metrics)
    return app


@dataclass(frozen=True)
class Services:
    """What the routes call."""

    catalogues: CatalogueService
    interviews: InterviewService
    priors: PriorService
    sharing: SharingService
    owner: OwnerService
    webhooks: WebhookService
    learning: LearningService | None
    """None: the server does not learn."""


@asynccontextmanager
async def _opened(
    settings: Settings, metrics: Metrics, make_pool: MakePool, make_fit: MakeFit
) -> AsyncIterator[Services]:
    """The services with their store and processes, for as long as the server runs."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(OTHER_THREADS, "other"))
    opened = await asyncio.to_thread(Store.open, settings.database)
    with closing(opened), closing(AsyncStore(opened)) as store:
        async with make_pool(settings) as workers:
            metrics.follow(workers.stats)
            catalogues = CatalogueService(store, workers, base_path=settings.site.base_path)
            await catalogues.give(settings.catalogues)
            priors = PriorService(store, workers, catalogues, learning=settings.learning)
            await priors.put(settings.priors)
            webhooks = WebhookService(store, settings.webhooks, on_attempt=metrics.webhook)
            listeners: list[OnEvent] = [metrics.event, webhooks.heard]
            service = InterviewService(
                store, workers, catalogues, priors, on_event=_all(listeners), messages=webhooks.messages
            )
            async with aclosing(service) as interviews, AsyncExitStack() as stack:
                await stack.enter_async_context(
                    _meanwhile(tidy(opened, retention=settings.retention, on_forgotten=interviews.forgotten))
                )
                learning = None
                if settings.learning:
                    fit = stack.enter_context(make_fit(settings))
                    learning = LearningService(
                        store,
                        catalogues,
                        priors,
                        fit,
                        least=settings.learning_least,
                        on_fit=metrics.fit,
                        on_stored=interviews.prepare,
                    )
                    listeners.append(learning.heard)
                    await stack.enter_async_context(_meanwhile(learning.run()))
                await stack.enter_async_context(_meanwhile(webhooks.run()))
                interviews.warm_up()
                await stack.enter_async_context(_meanwhile(interviews.catch_up()))
                sharing = SharingService(store, interviews, catalogues)
                owner = await stack.enter_async_context(aclosing(OwnerService(store, catalogues)))
                yield Services(catalogues, interviews, priors, sharing, owner, webhooks, learning)


def _all(listeners: Sequence[OnEvent]) -> OnEvent:
    def tell(catalogue: str, kind: str, asked: bool) -> None:
        for each in listeners:
            each(catalogue, kind, asked)

    return tell


@asynccontextmanager
async def _meanwhile(what: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Let it go on for as long as the server runs."""
    task = asyncio.create_task(what)
    try:
        yield
    finally:
        task.cancel()


async def tidy(
    store: Store,
    *,
    retention: float | None = None,
    pause: float = TIDY_SECONDS,
    on_forgotten: Callable[[Collection[str]], None] = lambda _: None,
) -> None:
    """Drop now and then what can be spared, and interviews that nobody has looked at for `retention` days.

    A store that is busy or away is tried again.
    """
    while True:
        try:
            if retention is not None:
                ids: list[str] = []
                old = timedelta(days=retention)
                forgotten = await asyncio.to_thread(store.forget_unseen, old, on_forgotten=ids.extend)
                on_forgotten(ids)
                await asyncio.to_thread(drop_refusals, store, store.now() - old)
                if forgotten:
                    LOGGER.info("%d interviews were forgotten after %g days", forgotten, retention)
            await asyncio.to_thread(store.drop_checkpoints, unseen=CHECKPOINTS_KEPT)
        except StoreError as error:
            LOGGER.warning("not tidied: %s", error)
        await asyncio.sleep(pause)


def _guard(app: FastAPI, settings: Settings, metrics: Metrics) -> None:
    """What stands around the routes; the last one added is the first that a request meets."""
    app.add_middleware(CountedClient)
    app.add_middleware(SizeLimit, most=settings.largest_body, most_catalogue=settings.largest_catalogue)
    if settings.rate:
        app.add_middleware(RateLimit, rate=settings.rate, burst=settings.burst)
    if settings.site.origins:
        app.add_middleware(OtherSites, site=settings.site)
    if settings.hosts:
        app.add_middleware(KnownHosts, names=settings.hosts)
    app.add_middleware(RequestLog, watch=metrics.request)
    pictures = picture_origins(settings.catalogues)
    app.add_middleware(SecureHeaders, origins=settings.site.origins, pictures=pictures)
    if settings.site.base_path:
        app.add_middleware(BasePath, path=settings.site.base_path)
