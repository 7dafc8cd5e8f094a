"""Whoever comes to a point where somebody was before finds what was worked out there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from setmargin.errors import AnswerError
from setmargin.server.work.describe import Step
from setmargin.server.work.job import Job
from setmargin.server.work.points import SharedSteps, home_of, point_after
from setmargin.server.work.sessions import Sessions
from tests.server.work.talks import new_job

FIRST: dict[str, Any] = {"answer": {"choice": 0}}
SECOND: dict[str, Any] = {"answer": {"choice": 1}}
SESSIONS = Sessions()


def started(id: str = "one", **more: Any) -> Job:
    """An interview with its first question, as the store has it."""
    job = replace(new_job(**more), id=id)
    return replace(job, questions={job.version: SESSIONS.step(job).question})


def after(job: Job, event: dict[str, Any]) -> tuple[Job, Step]:
    step = SESSIONS.apply(job, event)
    assert step.event is not None
    version = job.version + 1
    questions = {**job.questions, version: step.question}
    return replace(job, events=(*job.events, step.event), version=version, questions=questions), step


def test_people_who_said_the_same_are_at_the_same_point() -> None:
    one, other = started("one"), started("two")
    assert point_after(one, FIRST) == point_after(other, FIRST) != point_after(one, SECOND)
    assert point_after(after(one, FIRST)[0], FIRST) == point_after(after(other, FIRST)[0], FIRST)
    assert point_after(after(one, FIRST)[0], FIRST) != point_after(after(one, SECOND)[0], FIRST)


@pytest.mark.parametrize("change", [{"seed": 7}, {"digest": "another"}, {"strategy": {"name": "random"}}])
def test_another_catalogue_strategy_or_seed_is_another_point(change: dict[str, Any]) -> None:
    assert point_after(started(), FIRST) != point_after(replace(started(), **change), FIRST)


def test_who_was_asked_something_else_is_at_another_point() -> None:
    job = started()
    asked = dict(job.questions[0] or {})
    other = replace(job, questions={0: {**asked, "options": asked["options"][::-1]}})
    assert point_after(job, FIRST) != point_after(other, FIRST)
    assert point_after(job, FIRST) != point_after(replace(job, questions={}), FIRST)


def test_what_was_taken_back_makes_the_point_ones_own() -> None:
    one, other = ({"undo": True} for _ in range(2))
    mine = replace(started("one"), events=(one,), version=1)
    theirs = replace(started("two"), events=(other,), version=1)
    assert point_after(mine, FIRST) != point_after(theirs, FIRST)
    assert point_after(mine, FIRST) == point_after(mine, FIRST)


@pytest.mark.parametrize("event", [{"undo": True}, {"finish": None}, {"change": 0, **FIRST}, {"require": "a = 1"}])
def test_only_answers_lead_to_points(event: dict[str, Any]) -> None:
    assert point_after(started(), event) is None


def test_what_was_worked_out_for_another_is_what_one_would_have_got() -> None:
    shared, one, other = SharedSteps(), started("one"), started("two")
    shared.put(point_after(one, FIRST), SESSIONS.apply(one, FIRST))
    assert shared.get(point_after(other, FIRST), "two") == Sessions().apply(other, FIRST)
    assert shared.get(point_after(other, SECOND), "two") is None


def test_an_interview_stays_at_home_from_its_third_answer_on() -> None:
    job = started()
    homes = [home_of(job)]
    for _ in range(5):
        assert home_of(job, FIRST) == home_of(after(job, FIRST)[0])  # where it will be is where it is worked out
        job, _ = after(job, FIRST)
        homes.append(home_of(job))
    assert len(set(homes[:4])) == 4
    assert len(set(homes[3:])) == 1


@pytest.mark.parametrize("event", [{"undo": True}, {"finish": None}, {"change": 0, **SECOND}])
def test_what_is_no_answer_moves_nobody(event: dict[str, Any]) -> None:
    job, _ = after(started(), FIRST)
    assert home_of(job, event) == home_of(job)
    assert home_of(after(job, event)[0]) == home_of(job)


def test_work_under_way_is_waited_for_and_its_errors_are_everybodys() -> None:
    shared, calls, step = SharedSteps(), [], SESSIONS.step(new_job())

    async def work() -> Step:
        calls.append(1)
        await asyncio.sleep(0.01)
        if len(calls) > 1:
            raise AnswerError("no")
        return step

    async def people() -> None:
        found = await asyncio.gather(*(shared.once("there", id, work) for id in ("a", "b", "c")))
        assert [each.state.id for each in found] == ["a", "b", "c"]
        assert len(calls) == 1
        errors = await asyncio.gather(*(shared.once("beyond", "a", work) for _ in range(2)), return_exceptions=True)
        assert [type(error) for error in errors] == [AnswerError, AnswerError]
        assert len(calls) == 2
        with pytest.raises(AnswerError):
            await shared.once("beyond", "a", work)  # an error is not kept

    asyncio.run(people())
    assert "there" in shared
    assert "beyond" not in shared


def test_somebody_who_leaves_does_not_take_the_work_from_the_others() -> None:
    shared, step = SharedSteps(), SESSIONS.step(new_job())

    async def work() -> Step:
        await asyncio.sleep(0.05)
        return step

    async def people() -> None:
        leaves = asyncio.create_task(shared.once("there", "a", work))
        stays = asyncio.create_task(shared.once("there", "b", work))
        await asyncio.sleep(0)
        leaves.cancel()
        assert (await stays).state.id == "b"

    asyncio.run(people())
