"""Thinking in the test's own thread: the same sessions as in the processes, without the time those take to start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from setmargin.server.settings import Settings
from setmargin.server.work.session import Job, Sessions
from setmargin.server.work.views import CatalogueView, Result, View, catalogue_of
from setmargin.space.document import from_document


class Inline:
    def __init__(self, _: Settings | None = None) -> None:
        self.sessions, self.processes = Sessions(), 1
        self.prepared: list[tuple[str, int]] = []
        self.viewed: list[str] = []
        self.results = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None: ...

    async def view(self, job: Job) -> View:
        self.viewed.append(job.id)
        return self.sessions.view(job)

    async def apply(self, job: Job, event: Mapping[str, Any]) -> View:
        return self.sessions.apply(job, event)

    async def result(self, job: Job) -> Result:
        self.results += 1
        return self.sessions.result(job)

    async def export(self, job: Job) -> dict[str, Any]:
        return self.sessions.export(job)

    async def belief(self, job: Job) -> bytes:
        return self.sessions.belief(job)

    async def catalogue(self, document: Mapping[str, Any]) -> CatalogueView:
        return catalogue_of(from_document(document))

    def prepare(self, job: Job, view: View) -> None:
        self.prepared.append((job.id, view.version))

    def stats(self) -> Mapping[str, float]:
        return {"ready_hits": 1.0, "queue": 2.0, "processes": self.processes}
