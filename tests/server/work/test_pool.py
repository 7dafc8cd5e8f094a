"""The pool of real processes: it answers as the library does, what is urgent first, and is fair."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Coroutine
from concurrent.futures import wait
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from setmargin import errors
from setmargin.errors import AnswerError, CatalogueError, InfeasibleSpace, OptionError, SetmarginError
from setmargin.server.errors import (
    WorkBusy,
    WorkCrowded,
    WorkError,
)
from setmargin.server.work import worker as worker_module
from setmargin.server.work.clients import CLIENT, NOBODY
from setmargin.server.work.pool import WorkerPool
from setmargin.server.work.sessions import Sessions
from setmargin.server.work.worker import LATER, NOW, PREFETCH, Worker
from setmargin.space.space import Space
from tests.server.work import calls
from tests.server.work.talks import BAYES, EVENTFUL, SPACE, following, happened, new_job
from tests.server.work.waiting import LIMIT, T, run, until

# Interviews


def test_a_process_says_what_the_library_says(pool: WorkerPool) -> None:
    async def talk() -> None:
        sessions, job = Sessions(), new_job(strategy=BAYES)
        assert await pool.step(job) == sessions.step(job)
        for event in EVENTFUL:
            step = await pool.apply(job, event)
            assert step == sessions.apply(job, event)
            job = following(job, step)
        assert await pool.result(job) == sessions.result(job)
        assert await pool.export(job) == sessions.export(job)
        assert await pool.belief(job) == sessions.belief(job)

    run(talk())


def test_mistakes_come_back_as_the_errors_of_the_library(pool: WorkerPool) -> None:
    job = happened(Sessions(), new_job(), {"require": "size >= 2"})
    with pytest.raises(AnswerError, match="option 7 was chosen"):
        run(pool.apply(job, {"answer": {"choice": 7}}))
    with pytest.raises(InfeasibleSpace) as caught:
        run(pool.apply(job, {"require": "price <= 3"}))
    assert set(caught.value.conflict) == {"size >= 2", "price <= 3"}


def test_every_error_of_the_library_survives_the_way() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SetmarginError)]
    assert len(kinds) > 10
    for kind in kinds:
        error = kind("why", file="a.yaml", line=3) if kind is CatalogueError else kind("why")
        error.__dict__["conflict"] = ("a", "b")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (kind, str(error))
        if kind is not CatalogueError:
            assert again.conflict == ("a", "b")


def test_a_catalogue_is_counted_and_made_known_to_every_process(pool: WorkerPool) -> None:
    before = pool.stats()["calls"]
    described = run(pool.catalogue(SPACE.document(), "its digest"))
    assert (described.digest, described.configurations) == ("its digest", 16)
    until(lambda: pool.stats()["calls"] == before + 2)  # once to count, and once so that interviews start at once
    with pytest.raises(InfeasibleSpace):
        run(pool.catalogue(Space({"a": [1, 2]}, rules=["a > 2"]).document(), "none"))


def test_a_catalogue_is_sent_along_only_where_it_is_needed(pool: WorkerPool, worker: Worker) -> None:
    job = new_job("two", seed=11)
    run(pool.step(job))
    assert job.digest in worker._sent
    worker._sent.add("never sent")
    other = happened(Sessions(), new_job("two", seed=12), {"answer": {"choice": 0}})
    unknown = other.__class__(**{**vars(other), "digest": "never sent"})
    assert run(pool.step(unknown)).state.answered == 1  # the process asked for it


# Prefetched before the answer


def test_an_answer_that_was_prepared_for_is_ready_and_the_same_as_one_that_was_not(
    pool: WorkerPool, worker: Worker
) -> None:
    async def talk() -> None:
        job, before = new_job("reader", BAYES, seed=21), pool.stats()
        step = await pool.step(job)
        event = {"answer": {"choice": 1}}
        missed = await pool.apply(job, event)
        pool.prepare(job, step)
        last = worker.submit(calls.pid, urgency=(PREFETCH, 9))  # after all that was prepared
        await asyncio.wrap_future(last)
        called = pool.stats()["calls"]
        assert await pool.apply(job, event) == missed
        assert pool.stats()["calls"] == called
        assert pool.stats()["ready_hits"] == before["ready_hits"] + 1
        assert pool.stats()["ready_misses"] == before["ready_misses"] + 1
        with pytest.raises(AnswerError):
            await pool.apply(job, {"answer": {"choice": 7}})  # a miss, too

    run(talk())


def test_what_is_no_longer_wanted_is_dropped(pool: WorkerPool, worker: Worker, tmp_path: Path) -> None:
    async def talk() -> None:
        job = new_job("leaver", BAYES, seed=22)
        step = await pool.step(job)
        dropped, calls_made = worker.dropped, worker.calls
        held = worker.submit(calls.wait_for, tmp_path / "go")
        pool.prepare(job, step)
        answered = asyncio.create_task(pool.apply(job, {"answer": {"choice": 0}}))
        await asyncio.sleep(0)
        (tmp_path / "go").touch()
        await answered
        await asyncio.to_thread(until, lambda: worker.waiting_prefetch == 0 and worker.dropped == dropped + 4)
        assert held.done()
        assert worker.calls == calls_made + 2

    run(talk())


def test_the_most_urgent_call_goes_first_and_what_was_cancelled_never(worker: Worker, tmp_path: Path) -> None:
    held = worker.submit(calls.wait_for, tmp_path / "go")
    until(held.running)
    urgencies = [(PREFETCH, 1), (PREFETCH, 0), (LATER, 0), (NOW, 0), (NOW, 0)]
    futures = [worker.submit(calls.note, (n, urgency), urgency=urgency) for n, urgency in enumerate(urgencies)]
    assert (worker.waiting, worker.waiting_prefetch) == (2, 2)
    assert futures[4].cancel()
    (tmp_path / "go").touch()
    wait(futures)
    notes = worker.submit(calls.note, "last").result()
    assert notes[-5:] == [(3, (NOW, 0)), (2, (LATER, 0)), (1, (PREFETCH, 0)), (0, (PREFETCH, 1)), "last"]


def test_a_crowd_of_calls_ahead_is_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MOST_PREFETCH", 3)
    resting = Worker(seconds=LIMIT)  # never started: what waits stays where it is
    left = [False]
    futures = [resting.submit(calls.pid, urgency=(PREFETCH, 0), wanted=lambda: not left[0]) for _ in range(5)]
    assert [future.cancelled() for future in futures] == [False, False, False, True, True]
    left[0] = True
    late = [resting.submit(calls.pid, urgency=(PREFETCH, 0)) for _ in range(worker_module.LOOK_EVERY - 1)]
    assert not late[-1].cancelled()
    assert all(future.cancelled() for future in futures)
    assert resting.waiting_prefetch == 1
    assert not resting.submit(calls.pid).cancelled()


def test_who_waits_too_long_for_their_turn_is_told() -> None:
    resting = WorkerPool(workers=1, wait=0.01)  # never started
    with pytest.raises(WorkBusy, match="busy"):
        run(resting.step(new_job()))
    assert resting.workers[0].waiting == 0
    with pytest.raises(OptionError, match="0 workers"):
        WorkerPool(workers=0)


# Fairness


def from_client(name: str, what: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Let it count for a client."""
    context = copy_context()
    context.run(CLIENT.set, name)
    return asyncio.get_running_loop().create_task(what, context=context)


def test_who_has_used_much_waits_behind_who_has_not(pool: WorkerPool, worker: Worker, tmp_path: Path) -> None:
    async def talk() -> list[Any]:
        pool._clients.add("greedy", 9.0)
        held = worker.submit(calls.wait_for, tmp_path / "go")
        greedy = [from_client("greedy", pool.run(calls.note, ("greedy", n), key=str(n))) for n in range(3)]
        await asyncio.sleep(0)
        modest = from_client("modest", pool.run(calls.note, "modest", key="m"))
        await asyncio.sleep(0)
        assert not held.done()
        (tmp_path / "go").touch()
        await asyncio.gather(*greedy, modest)
        return list(worker.submit(calls.note, "last").result()[-5:])

    assert run(talk()) == ["modest", ("greedy", 0), ("greedy", 1), ("greedy", 2), "last"]


def test_what_is_worked_out_counts_for_the_client_and_the_server_itself_is_nobody(pool: WorkerPool) -> None:
    async def talk() -> None:
        await from_client("counted", pool.step(new_job("counted", BAYES)))

    run(talk())
    assert pool._clients.used("counted") > 0
    assert pool._clients.used(NOBODY) == 0


def test_a_client_or_an_interview_with_too_many_calls_is_refused_and_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("setmargin.server.work.pool.MOST_CALLS", 3)
    monkeypatch.setattr("setmargin.server.work.pool.MOST_OF_ONE", 2)

    async def talk() -> None:
        resting = WorkerPool(workers=1, wait=0.2)  # never started
        waiting = [from_client("many", resting.step(new_job(id))) for id in ("a", "a", "b")]
        other = from_client("other", resting.step(new_job("c")))
        await asyncio.sleep(0)
        with pytest.raises(WorkCrowded, match="3 requests from this address"):
            await from_client("many", resting.step(new_job("d")))
        assert resting.stats()["crowded"] == 1
        for each in (*waiting, other):
            with pytest.raises(WorkBusy):
                await each
        waiting = [from_client("many", resting.step(new_job("a"))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(WorkCrowded, match="2 requests about this interview"):
            await from_client("many", resting.step(new_job("a")))
        await asyncio.wait(waiting)

    run(talk())


def test_what_takes_long_has_a_lane_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setmargin.server.work.pool.USUAL_SECONDS", 0.2)

    async def talk() -> None:
        async with WorkerPool(workers=1, seconds=LIMIT) as pool:
            (slow,) = pool.slow_workers
            assert slow.pid is None  # until it is needed
            took = await from_client("somebody", pool.run(calls.take, 0.5, key="long"))
            assert took == slow.pid != pool.workers[0].pid
            assert pool.stats()["moved"] == 1
            again = await from_client("somebody", pool.run(calls.take, 0.0, key="long"))
            assert again == slow.pid  # where it is at hand
            usual = await from_client("somebody", pool.run(calls.take, 0.0, key="other"))
            assert usual == pool.workers[0].pid
            assert await pool.run(calls.take, 0.5, key="own") == usual  # the server's own work is not moved

    run(talk())


def test_a_mistake_of_our_own_is_told_with_its_trace_and_harms_nobody(worker: Worker) -> None:
    before = worker.submit(calls.pid).result()
    with pytest.raises(WorkError, match="ZeroDivisionError: of our own"):
        worker.submit(calls.fail).result()
    with pytest.raises(AttributeError, match="pickle"):
        worker.submit(lambda _: 1).result()  # what cannot be sent
    assert worker.submit(calls.pid).result() == before
