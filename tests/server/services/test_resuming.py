"""Long interviews: opened at once from what was shown, replayed in steps, and never more than is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import delete, select, update

from setmargin.interview.interview import Interview
from setmargin.server.api.app import create_app
from setmargin.server.errors import CheckpointNeeded, ReplayUnfinished
from setmargin.server.services import resuming
from setmargin.server.services.interviews import InterviewService
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.server.store.tables import checkpoints, progress
from setmargin.server.work import sessions as sessions_module
from setmargin.server.work.sessions import Sessions
from setmargin.server.work.worker import NOW
from setmargin.space.catalogue import loads
from setmargin.strategies.rivals.random import RandomStrategy
from tests.server.api.calling import TEA, Caller, Talk, calling
from tests.server.api.inline import InlinePool
from tests.server.work.talks import EVENTFUL, happened, new_job

LENGTH = 12
T = TypeVar("T")


class Learnings:
    """Counts what is learnt."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.number = 0
        learn = RandomStrategy.learn

        def counting(strategy: Any, *arguments: Any) -> Any:
            self.number += 1
            return learn(strategy, *arguments)

        monkeypatch.setattr(RandomStrategy, "learn", counting)

    def since(self) -> int:
        number, self.number = self.number, 0
        return number


@pytest.fixture
def learnings(monkeypatch: pytest.MonkeyPatch) -> Learnings:
    return Learnings(monkeypatch)


@pytest.fixture(autouse=True)
def nothing_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers here are many and live for a moment."""
    monkeypatch.setattr(InterviewService, "warm_up", lambda _: None)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database=f"sqlite:///{tmp_path}/own.db", catalogues=(loads(TEA).document(),), rate=0)


@pytest.fixture
def long(settings: Settings) -> str:
    """The id of an interview of so many answers, whose server is gone."""
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        talk = Talk(call, strategy="random")
        for number in range(LENGTH):
            talk.tell(number % 2)
    id: str = talk.state["id"]
    return id


class SlowPool(InlinePool):
    """Replays one event in each call."""

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.sessions = Sessions(seconds=1e-9)


def forget(settings: Settings, *, shown: bool = False) -> None:
    """Empty the caches, as an upgrade or an owner may."""
    with Store.open(settings.database) as store, store.transaction("write") as connection:
        connection.execute(delete(checkpoints))
        if shown:
            connection.execute(update(progress).values(state=None))


def place(id: str, rest: str = "") -> str:
    return f"/api/v1/interviews/{id}{rest}"


def until_done(call: Caller, path: str) -> tuple[int, Any]:
    """How often one has to come back, and what is there then."""
    for tries in range(100):
        reply = call("GET", path)
        if reply.status_code == 200:
            return tries, reply.json()
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "2")
        assert reply.json()["type"].endswith("/replaying")
        assert 0 <= reply.json()["done"] <= reply.json()["total"] == LENGTH
    raise AssertionError("it does not end")


def test_what_was_shown_is_there_at_once_without_any_belief(
    settings: Settings, long: str, learnings: Learnings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        before = call("GET", place(long)).json()
    forget(settings)
    monkeypatch.setattr(resuming.ResumingPool, "_go_on", lambda *_: None)
    learnings.since()
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        assert call("GET", place(long)).json() == before
        assert before["question"]
        assert before["version"] == LENGTH
    assert learnings.since() == 0


def test_an_export_comes_straight_from_the_events(settings: Settings, long: str, learnings: Learnings) -> None:
    forget(settings, shown=True)
    learnings.since()
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        export = call("GET", place(long, "/export")).json()
    assert learnings.since() == 0
    interview = Interview.from_document(export)
    assert len(interview.history) == LENGTH
    assert interview.document() == export


def test_a_checkpoint_saves_the_replay_of_what_came_before_it(
    settings: Settings, long: str, learnings: Learnings
) -> None:
    learnings.since()
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        assert call("GET", place(long, "/recommendation")).status_code == 200
    assert learnings.since() == 0  # there is one after every fourth event


class FewStepsPool(SlowPool):
    """Replays a few events and no more."""

    left = 5

    async def run(self, function: Callable[..., T], *arguments: Any, **more: Any) -> T:
        if not self.left and function is Sessions.result:
            await asyncio.Event().wait()
        try:
            return await super().run(function, *arguments, **more)
        except ReplayUnfinished:
            self.left -= 1
            raise


def test_whatever_must_be_replayed_is_so_in_steps_that_are_kept(
    settings: Settings, long: str, learnings: Learnings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the process that did it is lost each time."""
    forget(settings, shown=True)
    monkeypatch.setattr(resuming, "REPLY_SECONDS", 0.01)
    learnings.since()
    lives = []
    for _ in range(5):
        pool = FewStepsPool()
        with calling(create_app(settings, make_pool=lambda _, pool=pool: pool)) as call:  # type: ignore[misc]
            while (status := call("GET", place(long, "/recommendation")).status_code) == 503 and pool.left:
                pass
        lives.append(status)
        if status == 200:
            break
    assert lives[-1] == 200
    assert len(lives) > 1
    assert learnings.since() <= 2 * LENGTH


def test_it_goes_on_without_anybody_waiting(settings: Settings, long: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        before = call("GET", place(long, "/recommendation")).json()
    forget(settings, shown=True)
    monkeypatch.setattr(resuming, "REPLY_SECONDS", -1.0)
    with calling(create_app(settings, make_pool=SlowPool)) as call:
        tries, after = until_done(call, place(long, "/recommendation"))
        assert after == before
        assert tries < 50


def test_an_undo_is_replayed_from_a_checkpoint_before_it(
    settings: Settings, learnings: Learnings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setmargin.server.store.checkpoints.SHORT", 4)
    monkeypatch.setattr("setmargin.server.store.checkpoints.LONG", 4)
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        talk = Talk(call, strategy="random")
        for number in range(LENGTH):
            talk.tell(number % 2)
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        talk.call = call
        monkeypatch.setattr(resuming.ResumingPool, "_go_on", lambda *_: None)
        learnings.since()
        assert talk.do("POST", "/undo")["version"] == LENGTH + 1
        assert learnings.since() <= 1


class HeldPool(SlowPool):
    """One whose slow lane waits until it is let go."""

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.go, self.slow_calls = asyncio.Event(), 0

    async def run(
        self, function: Callable[..., T], *arguments: Any, key: str, urgency: int = NOW, slow: bool = False
    ) -> T:
        if slow:
            self.slow_calls += 1
            await self.go.wait()
        return await super().run(function, *arguments, key=key, urgency=urgency, slow=slow)

    def stats(self) -> dict[str, float]:
        return super().stats() | {"queue": 0.0}


@pytest.fixture
def pool() -> HeldPool:
    return HeldPool()


def kept_after(settings: Settings, id: str) -> list[int]:
    with Store.open(settings.database) as store, store.transaction("read") as connection:
        query = select(checkpoints.c.events).where(checkpoints.c.interview == id)
        return list(connection.scalars(query.order_by(checkpoints.c.events)))


def eventually(call: Caller, holds: Callable[[], bool]) -> None:
    for _ in range(500):
        call.wait(asyncio.sleep(0.01))
        if holds():
            return
    raise AssertionError("it never holds")


def test_nobody_waits_for_a_replay_that_does_not_move(
    settings: Settings, long: str, pool: HeldPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a process takes, the reply says how far it is, and what comes of it is there for whoever returns."""
    forget(settings, shown=True)
    monkeypatch.setattr(resuming, "REPLY_SECONDS", 0.01)
    with calling(create_app(settings, make_pool=lambda _: pool)) as call:
        paths = [place(long), place(long, "/recommendation"), place(long, "/changes")]
        assert call("GET", paths[0]).status_code == 503
        eventually(call, lambda: pool.slow_calls == 1)
        for path in paths * 2:
            reply = call("GET", path)
            assert (reply.status_code, reply.headers["Retry-After"]) == (503, "2")
            assert (reply.json()["type"].rpartition("/")[2], reply.json()["total"]) == ("replaying", LENGTH)
        assert pool.slow_calls == 1
        pool.go.set()
        assert [until_done(call, path)[1]["version"] for path in paths] == [LENGTH] * 3


def test_what_was_replayed_without_anybody_waiting_is_not_worked_out_again(
    settings: Settings, long: str, pool: HeldPool, learnings: Learnings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An early answer is changed: everything after it has to be learnt again."""
    monkeypatch.setattr(resuming, "REPLY_SECONDS", 0.01)
    other = {"version": LENGTH, "answer": {"choice": 1}}
    with calling(create_app(settings, make_pool=lambda _: pool)) as call:
        before = kept_after(settings, long)
        assert before[-1] == LENGTH
        replies = [call("PUT", place(long, "/answers/1"), json=other) for _ in range(2)]
        assert {reply.json()["type"].rpartition("/")[2] for reply in replies} == {"replaying"}
        assert kept_after(settings, long) == before  # the interview is still what it was
        assert call("GET", place(long)).json()["version"] == LENGTH
        pool.go.set()
        eventually(call, lambda: bool(len(call.app.state.interviews._workers._unfetched)))
        learnings.since()
        reply = call("PUT", place(long, "/answers/1"), json=other)
        assert (reply.status_code, reply.json()["version"]) == (200, LENGTH + 1)
        assert learnings.since() == 0
        export = call("GET", place(long, "/export")).json()
        assert export["events"][0]["answer"] == {"choice": 1}


def test_what_another_version_left_is_replayed_while_nobody_waits(
    settings: Settings, long: str, pool: HeldPool, learnings: Learnings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setmargin.server.services.interviews.LONG", LENGTH)
    monkeypatch.setattr("setmargin.server.store.checkpoints.LONG", LENGTH)
    forget(settings, shown=True)
    pool.go.set()
    with calling(create_app(settings, make_pool=lambda _: pool)) as call:
        eventually(call, lambda: kept_after(settings, long) == [LENGTH])
        learnings.since()
        reply = call("GET", place(long))
        assert (reply.status_code, reply.json()["version"]) == (200, LENGTH)
    with Store.open(settings.database) as store:
        assert store.interview(long).state is not None
    learnings.since()
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        assert call("GET", place(long, "/recommendation")).status_code == 200
    assert learnings.since() == 0


def test_a_server_stops_in_the_middle_of_such_a_replay(
    settings: Settings, long: str, pool: HeldPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setmargin.server.services.interviews.LONG", LENGTH)
    forget(settings, shown=True)
    with calling(create_app(settings, make_pool=lambda _: pool)) as call:
        eventually(call, lambda: pool.slow_calls == 1)
    assert kept_after(settings, long) == []


# What a process says


def test_a_replay_leaves_at_hand_what_others_have_there(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Sessions()
    job = happened(known, new_job(), *[{"answer": {"choice": 0}}] * 3, *[{"answer": {"skip": True}}] * 17)
    monkeypatch.setattr(sessions_module, "REPLAY_SECONDS", -1.0)
    hurried = Sessions(seconds=100.0)
    for _ in range(len(job.events)):
        with suppress(ReplayUnfinished):
            hurried.step(job)
    assert len(hurried) <= sessions_module.EVERYBODYS + sessions_module.KEPT_BEHIND + 1
    assert hurried.step(job) == known.step(job)


def test_a_process_asks_for_a_checkpoint_where_that_would_save_work() -> None:
    known = Sessions()
    job = happened(known, new_job(), *EVENTFUL)
    cold = replace(job, is_searched=False)
    with pytest.raises(CheckpointNeeded) as needed:
        Sessions().step(cold)
    kept = known.belief(job)
    assert needed.value.keys[kept.events] == kept.key
    assert known.step(cold) == known.step(job)
    assert Sessions().step(replace(cold, checkpoint=kept, is_searched=True)) == known.step(job)
    assert len(Sessions().export(cold)["events"]) == kept.events


def test_a_replay_goes_on_where_the_last_call_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Sessions()
    job = happened(known, new_job(), *EVENTFUL)
    monkeypatch.setattr(sessions_module, "REPLAY_SECONDS", -1.0)
    hurried = Sessions(seconds=100.0)
    done = []
    for _ in range(20):
        try:
            assert hurried.step(job) == known.step(job)
            break
        except ReplayUnfinished as unfinished:
            done.append(unfinished.done)
    assert done
    assert done == sorted(set(done))
