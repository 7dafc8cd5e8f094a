"""What is worked out for one person is there for everybody who comes to the same point.

What an answer leads to depends on the catalogue, the strategy, the seed and the events, and on nothing else. People who
start alike are asked the same first question, and many of them agree about it: what follows is worked out once, for
the first of them, and while it is, the others wait for the same work. So the beginnings of interviews cost next to
nothing however many people come, and which process works on an interview follows from its beginning too (`home_of`),
so that it has at hand what others have led to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, Final

from setmargin.lru import Lru
from setmargin.server.work.describe import Step
from setmargin.server.work.job import Job, digest_of

MOST_STEPS: Final = 3000
"""Steps that are kept, about ten kilobytes each."""
AT_HOME: Final = 3
"""Answers by which an interview finds its process: with them people have parted, and hardly any is moved later."""
BACK: Final = frozenset({"undo", "change", "drop", "finish"})
"""Events that lead back to where somebody was before, and may have been asked something else."""


def point_after(job: Job, event: Mapping[str, Any]) -> str | None:
    """What stands for the interview after an answer, whosever it is; None for what else may happen.

    Where something was taken back or changed before, it is this interview's alone.
    """
    if set(event) != {"answer"}:
        return None
    is_plain = all(BACK.isdisjoint(each) for each in job.events)
    given = job.questions.get(job.version) if job.version in job.questions else "not given"
    return digest_of([job.trail if is_plain else [job.id, job.version], given, event])


def home_of(job: Job, *more: Mapping[str, Any]) -> str:
    """What the process of an interview is chosen by: its first answers, some of which may be about to be given."""
    said = [_said(event) for event in (*job.events, *more) if BACK.isdisjoint(event)]
    return digest_of([job.digest, job.strategy, job.seed, said[:AT_HOME]])


def _said(event: Mapping[str, Any]) -> Any:
    """What the person said, without the question, which is only added once the event has happened."""
    return event.get("answer", event)


class SharedSteps:
    """Steps by the point that they belong to; safe to use from any thread but for `once`, which is the loop's."""

    def __init__(self, *, most: int = MOST_STEPS) -> None:
        self._steps: Lru[str, Step] = Lru(most)
        self._under_way: dict[str, asyncio.Task[Step]] = {}
        self._lock = Lock()

    def __contains__(self, point: str | None) -> bool:
        with self._lock:
            return point is not None and point in self._steps

    def get(self, point: str | None, id: str) -> Step | None:
        """The step of this interview there, if anybody has come to that point."""
        if point is None:
            return None
        with self._lock:
            step = self._steps.get(point)
        return None if step is None else _as_of(step, id)

    def put(self, point: str | None, step: Step) -> None:
        """Somebody came to that point."""
        if point is not None:
            with self._lock:
                self._steps[point] = step

    def forget(self, ids: Collection[str]) -> None:
        """Let go of where these interviews came first."""
        with self._lock:
            self._steps.discard_where(lambda _, step: step.state.id in ids)

    async def once(self, point: str | None, id: str, work: Callable[[], Awaitable[Step]]) -> Step:
        """What the work comes to; where somebody else has it done already, that is waited for."""
        if point is None:
            return await work()
        task = self._under_way.get(point)
        if task is None:
            task = self._under_way[point] = asyncio.ensure_future(self._done(point, work))
            task.add_done_callback(lambda _: self._under_way.pop(point, None))
        return _as_of(await asyncio.shield(task), id)

    async def _done(self, point: str, work: Callable[[], Awaitable[Step]]) -> Step:
        step = await work()
        self.put(point, step)
        return step


def _as_of(step: Step, id: str) -> Step:
    """What others came to, as this interview's."""
    return replace(step, state=replace(step.state, id=id))
