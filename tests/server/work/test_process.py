"""Real processes are replaced when they die or hang, take no more than they may, and end when they should."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from setmargin.errors import TimeIsUp
from setmargin.server.errors import (
    ReplayUnfinished,
    WorkError,
    WorkStarved,
    WorkTimeout,
    WorkTooLarge,
    WorkTooLong,
)
from setmargin.server.work import worker as worker_module
from setmargin.server.work.describe import Step
from setmargin.server.work.pool import WorkerPool
from setmargin.server.work.process import Call, Died, Reply, WorkerProcess, reply_to
from setmargin.server.work.sessions import Sessions
from setmargin.server.work.worker import LATER, PREFETCH, Worker
from tests.server.work import calls
from tests.server.work.talks import BAYES, EVENTFUL, happened, new_job
from tests.server.work.waiting import LIMIT, run, until
from tests.systems import on_unix

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
