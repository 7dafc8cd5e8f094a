"""What people are told while the store is held, stalled or gone."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from setmargin.server.api.app import create_app
from setmargin.server.services import async_store
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from tests.server.api.calling import API, Caller, Talk, calling
from tests.server.api.inline import InlinePool

IN_TIME = 2.0


@pytest.fixture
def own(options: Settings, tmp_path: Path) -> Iterator[tuple[Caller, Path]]:
    """A server with a database of its own, which may come to harm."""
    path = tmp_path / "own.db"
    with calling(create_app(replace(options, database=f"sqlite:///{path}"), make_pool=InlinePool)) as call:
        yield call, path


@contextmanager
def held(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def test_while_the_database_is_held_answers_are_refused_in_time_and_everything_can_be_read(
    own: tuple[Caller, Path],
) -> None:
    call, path = own
    talk = Talk(call)
    with held(path):
        began = monotonic()
        refused = talk.send("POST", "/answers", answer={"choice": 0})
        assert monotonic() - began < IN_TIME
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "2")
        for path_of_view in ("", "/question", "/recommendation", "/export"):
            talk.get(path_of_view)
        assert call("GET", f"{API}/catalogues").status_code == 200
        assert call("GET", "/ready").status_code == 503
    assert talk.tell(0)["version"] == 1


def test_many_writers_that_are_stuck_keep_nobody_from_reading(
    own: tuple[Caller, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that does not answer: the calls do not return for as long as it likes."""
    call, _ = own
    talk = Talk(call)
    answers, append = threading.Event(), Store.append

    def stuck(store: Store, *arguments: object, **named: object) -> object:
        answers.wait(30)
        return append(store, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "append", stuck)
    monkeypatch.setattr(async_store, "ANSWER_SECONDS", 0.3)
    body = {"json": {"version": 0, "answer": {"choice": 0}}}
    refused = call.many(*[("POST", f"{talk.place}/answers", body)] * 20)
    assert {reply.status_code for reply in refused} == {503}
    assert talk.get()["version"] == 0
    answers.set()
    monkeypatch.undo()
    for _ in range(1000):
        if talk.get()["version"] == 1:
            break
        call.wait(asyncio.sleep(0.02))
    again = talk.send("POST", "/answers", answer={"choice": 0})
    assert (again.status_code, again.json()["version"]) == (200, 1)  # heard once, however often it was sent


def test_a_server_whose_database_is_gone_says_so_and_acknowledges_nothing(own: tuple[Caller, Path]) -> None:
    call, path = own
    talk = Talk(call)
    path.unlink()
    assert talk.send("POST", "/answers", answer={"choice": 0}).status_code == 503
    assert [call("GET", each).status_code for each in ("/health", "/ready")] == [200, 503]


def test_a_server_whose_queue_does_not_move_is_not_ready(options: Settings) -> None:
    pool = InlinePool()
    with calling(create_app(options, make_pool=lambda _: pool)) as call:
        assert call("GET", "/ready").status_code == 200
        pool.longest_wait = 7.0
        reply = call("GET", "/ready")
    assert (reply.status_code, reply.json()["detail"][:31]) == (503, "somebody has waited for 7 secon")


def test_readiness_is_tried_once_a_second_however_often_it_is_asked_for(
    own: tuple[Caller, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    monkeypatch.setattr(Store, "try_write", lambda _: tried.append(1))
    assert {reply.status_code for reply in own[0].many(*[("GET", "/ready", {})] * 20)} == {200}
    assert len(tried) == 1
