"""What the tests of the work share: a small space, jobs on it, and things that happen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from setmargin.server.work.describe import Step
from setmargin.server.work.job import Job
from setmargin.server.work.sessions import Sessions
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space

SPACE = Space(
    {"colour": ["red", "green", "blue"], "size": [1, 2, 3], "box": ["yes", "no"]},
    quantities=[Quantity("price", {"size": 2.0, "box": {"yes": 1, "no": 0.5}}, better="lower", unit="€")],
    rules=["colour = red => size >= 2"],
    name="boxes",
    title="Find your box",
)
BAYES = {"name": "bayes", "policy": "comparisons", "set_size": 2, "until": 0.0, "people": 32}
RANDOM = {"name": "random", "set_size": 3}
SETMARGIN = {"name": "setmargin", "mode": "fast", "fits": 4, "tuning": None}


def new_job(id: str = "one", strategy: Mapping[str, Any] = RANDOM, *, seed: int = 4) -> Job:
    """An interview in which nothing happened yet."""
    return Job(id, "boxes", SPACE.document(), strategy, seed, (), 0)


def following(job: Job, step: Step) -> Job:
    """The job once the event that led to the step is stored."""
    assert step.event is not None
    given = {} if step.state.finished else {step.state.version: step.question}
    questions = {**job.questions, **given}
    return replace(job, events=(*job.events, step.event), version=step.state.version, questions=questions)


def happened(sessions: Sessions, job: Job, *events: Mapping[str, Any]) -> Job:
    """The job after these events."""
    for event in events:
        job = following(job, sessions.apply(job, event))
    return job


EVENTFUL: tuple[dict[str, Any], ...] = (
    {"answer": {"choice": 1}},
    {"require": " size >= 2 "},
    {"answer": {"equal": True}},
    {"answer": {"skip": True}},
    {"require": "colour != blue"},
    {"undo": True},
    {"answer": {"choice": 0}},
    {"drop": "size>=2"},
    {"change": 1, "answer": {"choice": 0}},
    {"answer": {"choice": 1}},
)
