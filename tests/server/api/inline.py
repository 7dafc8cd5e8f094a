"""A worker pool in the test's own thread: the sessions of a process, without the time that one takes to start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

from setmargin.server.settings import Settings
from setmargin.server.work.describe import Step
from setmargin.server.work.job import Job
from setmargin.server.work.pool import WorkerPool
from setmargin.server.work.sessions import Sessions
from setmargin.server.work.worker import NOW

T = TypeVar("T")


class InlinePool(WorkerPool):
    def __init__(self, _: Settings | None = None) -> None:
        super().__init__(workers=1)
        self.sessions, self.processes, self.longest_wait = Sessions(), 1, 0.0
        self.prepared: list[tuple[str, int]] = []
        self.opened: list[str] = []
        self.results = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None: ...

    async def run(
        self,
        function: Callable[..., T],
        *arguments: Any,
        key: str,
        urgency: int = NOW,  # noqa: ARG002
        slow: bool = False,  # noqa: ARG002
    ) -> T:
        if function is Sessions.step:
            self.opened.append(key)
        self.results += function is Sessions.result
        return function(self.sessions, *arguments)

    def prepare(self, job: Job, step: Step) -> None:
        self.prepared.append((job.id, step.state.version))

    def stats(self) -> dict[str, float]:
        return {"ready_hits": 1.0, "queue": 2.0, "processes": self.processes, "longest_wait": self.longest_wait}
