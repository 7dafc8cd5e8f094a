"""Real processes: they answer as the library does, are replaced when they die or hang, and end when they should."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import pytest

from setmargin import errors
from setmargin.errors import AnswerError, CatalogueError, InfeasibleSpace, OptionError, SetmarginError, TimeIsUp
from setmargin.server.errors import (
    ReplayUnfinished,
    WorkBusy,
    WorkCrowded,
    WorkError,
    WorkStarved,
    WorkTimeout,
    WorkTooLarge,
    WorkTooLong,
)
from setmargin.server.work import worker as worker_module
from setmargin.server.work.clients import CLIENT, NOBODY
from setmargin.server.work.describe import Step
from setmargin.server.work.pool import WorkerPool
from setmargin.server.work.process import Call, Died, Reply, WorkerProcess, reply_to
from setmargin.server.work.sessions import Sessions
from setmargin.server.work.worker import LATER, NOW, PREFETCH, Worker
from setmargin.space.space import Space
from tests.server.work import calls
from tests.server.work.talks import BAYES, EVENTFUL, SPACE, following, happened, new_job
from tests.systems import on_unix

T = TypeVar("T")
LIMIT = 60.0


def run(what: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(what)


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    """One process behind all tests that do not end it for good."""
    pool = WorkerPool(workers=1, seconds=LIMIT)
    run(pool.__aenter__())
    yield pool
    run(pool.__aexit__())


@pytest.fixture
def worker(pool: WorkerPool) -> Worker:
    return pool.workers[0]


def until(is_so: Callable[[], bool]) -> None:
    """Wait for another thread or process; a test that waits in vain fails."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


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


# Death


def resumed(call: Callable[[], Coroutine[Any, Any, Step]]) -> Step:
    """What the call returns; on a busy machine a replay takes several calls, each of which comes further."""
    for _ in EVENTFUL:
        with suppress(ReplayUnfinished):
            return run(call())
    return run(call())


@on_unix
def test_a_process_that_is_killed_in_the_middle_of_a_call_is_replaced_and_all_goes_on(
    pool: WorkerPool, worker: Worker, tmp_path: Path
) -> None:
    job, path = happened(Sessions(), new_job("victim", BAYES), *EVENTFUL), tmp_path / "go"
    step, restarts, pid = run(pool.step(job)), worker.restarts, worker.pid
    held = worker.submit(calls.wait_for, path)
    until(path.with_suffix(".begun").exists)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    path.touch()
    assert held.result() == worker.pid != pid
    assert worker.restarts == restarts + 1
    assert resumed(lambda: pool.step(job)) == step
    assert resumed(lambda: pool.apply(job, {"undo": True})) == Sessions().apply(job, {"undo": True})


def test_a_call_that_kills_twice_is_given_up_and_the_next_one_is_served(worker: Worker) -> None:
    with pytest.raises(WorkError, match="died 2 times"):
        worker.submit(calls.die).result()
    assert worker.submit(calls.pid).result() == worker.pid


@pytest.mark.parametrize("hang", [calls.begin_and_hang, calls.look_at_the_clock], ids=["sleeps", "works"])
def test_a_call_that_takes_too_long_ends_and_costs_nobody_what_is_at_hand(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hang: Callable[..., Any]
) -> None:
    before, timeouts = worker.submit(calls.pid).result(), worker.timeouts
    monkeypatch.setattr(worker, "_limit", 0.1)
    hung = worker.submit(hang, *((tmp_path / "begun",) if hang is calls.begin_and_hang else ()))
    waiting = worker.submit(calls.pid)
    with pytest.raises(WorkTimeout, match=r"longer than 0\.1 seconds"):
        hung.result()
    assert waiting.result() == before
    assert worker.timeouts == timeouts + 1


@pytest.mark.parametrize(("busy", "error"), [(9.0, WorkTooLong), (1.0, WorkStarved)])
def test_whether_a_call_or_the_others_took_too_long_is_told_by_how_much_it_worked(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, busy: float, error: type[WorkTimeout]
) -> None:
    late = Reply(error=TimeIsUp("late"), seconds=10.0, busy_seconds=busy)
    monkeypatch.setattr(worker, "_limit", 10.0)
    monkeypatch.setattr(WorkerProcess, "call", lambda *_, **__: late)
    with pytest.raises(WorkTimeout, match="longer than 10 seconds") as told:
        worker.submit(calls.pid).result()
    assert type(told.value) is error


def test_time_for_which_a_process_only_waits_is_no_work() -> None:
    waited, worked = (reply_to(Call(call, (), None), Sessions()) for call in (calls.wait, calls.work))
    assert waited.busy_seconds < waited.seconds / 2
    assert worked.busy_seconds >= calls.WORK_SECONDS


@on_unix
def test_a_process_that_cannot_end_a_call_is_killed_and_the_next_one_is_served(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, timeouts = worker.submit(calls.pid).result(), worker.timeouts
    monkeypatch.setattr(worker, "_limit", 0.1)
    monkeypatch.setattr(worker_module, "KILL_SECONDS", 1.5)
    hung = worker.submit(calls.hang_unaware, tmp_path / "begun")
    waiting = worker.submit(calls.pid)
    with pytest.raises(WorkTimeout, match=r"longer than 0\.1 seconds"):
        hung.result()
    assert waiting.result() != before
    assert worker.timeouts == timeouts + 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts a process's memory in this way")
def test_a_call_that_needs_too_much_memory_is_refused_and_the_process_goes_on() -> None:
    small = Worker(seconds=LIMIT, memory=400)
    small.start()
    try:
        before = small.submit(calls.pid).result()
        with pytest.raises(WorkTooLarge, match="more memory than a process may have; ask for something simpler"):
            small.submit(calls.hoard, 500).result()
        assert small.submit(calls.hoard, 50).result() == 50
        assert small.submit(calls.pid).result() == before
    finally:
        small.close()
        small.join(5.0)


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


# Processes


def test_a_process_knows_neither_the_owners_token_nor_the_way_into_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = ("SETMARGIN_OWNER_TOKEN", "SETMARGIN_DATABASE", "PGPASSWORD")
    for name in secrets:
        monkeypatch.setenv(name, "secret")
    worker = Worker(seconds=30)
    worker.start()
    try:
        assert [worker.submit(calls.environment, name).result() for name in secrets] == [None, None, None]
    finally:
        worker.close()
        worker.join(5)


def test_a_call_that_waits_is_known_to_wait(worker: Worker, tmp_path: Path) -> None:
    assert worker.longest_wait == 0.0
    running = worker.submit(calls.wait_for, tmp_path / "go")
    waiting = worker.submit(calls.pid)
    until(lambda: worker.longest_wait > 0.01)
    (tmp_path / "go").touch()
    assert waiting.result() == running.result()
    assert worker.longest_wait == 0.0


@on_unix
def test_a_process_has_one_thread_for_linear_algebra_and_hears_no_signals(worker: Worker) -> None:
    before = worker.submit(calls.pid).result()
    assert worker.submit(calls.environment, "OPENBLAS_NUM_THREADS").result() == "1"
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(before, number)
    assert worker.submit(calls.chatter).result() == "said"  # and what is printed disturbs nothing
    assert worker.submit(calls.pid).result() == before
    assert os.getpgid(before) != os.getpgid(0)


def test_a_process_that_stands_back_does_so_where_sessions_are_groups_too() -> None:
    process = WorkerProcess(seconds=60.0, niceness=10)
    try:
        found = [process.call(Call(ask, ()), seconds=60.0).value for ask in (calls.priority, calls.group_priority)]
    finally:
        process.close()
    assert found[0] >= 10
    assert found[1] in (None, 10)


def test_calls_import_nothing_as_a_time_limit_in_the_middle_could_not_be_mended() -> None:
    process = WorkerProcess(seconds=60.0)
    try:
        reply = process.call(Call(calls.imported_late, ()), seconds=120.0)
    finally:
        process.close()
    assert reply.trace is None
    assert reply.value == set()


def test_a_process_ends_with_its_server_even_in_the_middle_of_a_call(tmp_path: Path) -> None:
    process = WorkerProcess(seconds=60.0)
    outcome: Future[Any] = Future()

    def call() -> None:
        try:
            process.call(Call(calls.begin_and_hang, (tmp_path / "begun",)), seconds=60.0)
        except Died as died:
            outcome.set_result(died)

    caller = Thread(target=call)
    caller.start()
    until((tmp_path / "begun").exists)
    process._stdin.close()  # as the end of the server would
    caller.join()
    assert isinstance(outcome.result(), Died)
    assert process._process.wait() == 0  # by itself
    process.close()


def test_closing_finishes_what_somebody_waits_for_and_drops_the_rest(tmp_path: Path) -> None:
    async def close() -> None:
        async with WorkerPool(workers=1, seconds=60.0) as pool:
            worker = pool.workers[0]
            held = worker.submit(calls.wait_for, tmp_path / "go")
            asked, guessed = worker.submit(calls.pid), worker.submit(calls.pid, urgency=(PREFETCH, 0))
            pid = worker.pid
            asyncio.get_running_loop().call_later(0.1, (tmp_path / "go").touch)
        assert held.result() == asked.result() == pid
        assert guessed.cancelled()
        with pytest.raises(ProcessLookupError):
            os.kill(asked.result(), 0)
        with pytest.raises(WorkError, match="stopping"):
            await pool.step(new_job())

    run(close())


def test_a_process_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setmargin.server.work.process.START", "raise SystemExit(3)")
    with pytest.raises(WorkError, match="did not start: it ended"):
        run(WorkerPool(workers=2).__aenter__())
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(Died, match=r"did not start: .*No such file"):
        WorkerProcess(seconds=1.0)


def test_what_waits_when_the_time_to_close_is_over_is_told_and_starts_nothing(tmp_path: Path) -> None:
    worker = Worker(seconds=60.0)
    worker.start()
    hung, waiting = worker.submit(calls.begin_and_hang, tmp_path / "begun"), worker.submit(calls.pid)
    until((tmp_path / "begun").exists)
    worker.close()
    worker.join(0.0)
    for each in (hung, waiting):
        with pytest.raises(WorkError, match="stopping"):
            each.result()
    assert worker.pid is None


def test_preparation_that_is_too_much_is_given_up(
    pool: WorkerPool, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = new_job("heavy", BAYES, seed=23)
    step = run(pool.step(job))
    dropped, made = worker.dropped, worker.calls
    monkeypatch.setattr(Sessions, "apply", calls.fail)
    pool.prepare(job, step)
    until(lambda: worker.dropped == dropped + 3)
    assert worker.calls == made + 1
    assert pool.prefetched.read(step)  # nothing is being worked out for them any more


def test_what_is_forgotten_is_no_longer_in_a_process() -> None:
    async def at_hand() -> tuple[int, int]:
        async with WorkerPool(workers=1) as pool:
            job = new_job()
            pool.prepare(job, await pool.step(job))
            before = await pool.run(Sessions.__len__, key=job.id)
            pool.forget([job.id])
            return before, await pool.run(Sessions.__len__, key=job.id, urgency=LATER)

    before, after = run(at_hand())
    assert before
    assert not after
