"""The owner forgets interviews, and whoever holds the link to one forgets that one."""

from __future__ import annotations

from typing import Any

import pytest

from setmargin.server.work.pool import WorkerPool
from tests.server.api.calling import API, OWNER, Caller, Talk


def test_the_owner_forgets_an_interview_and_nothing_is_there_any_more(call: Caller, talk: Talk) -> None:
    talk.tell(0)
    other = Talk(call)
    place = f"{API}/owner/interviews/{talk.state['id']}"
    assert call("DELETE", place).status_code == 401
    assert talk.get()["version"] == 1
    gone = call("DELETE", place, headers=OWNER)
    assert (gone.status_code, gone.content) == (204, b"")
    for path in ("", "/question", "/recommendation", "/export"):
        assert call("GET", talk.place + path).status_code == 404
    assert talk.send("POST", "/answers", answer={"choice": 0}).status_code == 404
    assert call("DELETE", place, headers=OWNER).status_code == 404
    assert other.tell(0)["version"] == 1


def test_whoever_holds_the_link_deletes_the_interview_for_good(call: Caller, talk: Talk) -> None:
    talk.tell(0)
    token = talk.send("POST", "/share").json()["token"]
    assert call("DELETE", talk.place).status_code == 204
    for place in (talk.place, f"{talk.place}/recommendation", f"{API}/shared/{token}"):
        assert call("GET", place).status_code == 404
    assert talk.send("POST", "/answers", answer={"choice": 0}).status_code == 404
    assert call("DELETE", talk.place).status_code == 404


def test_a_start_sent_again_that_comes_late_does_not_begin_what_was_deleted(call: Caller) -> None:
    start: dict[str, Any] = {
        "json": {"catalogue": "tea"},
        "headers": {"Idempotency-Key": "a-key-that-nobody-guesses-0123456789"},
    }
    first, again = (call("POST", f"{API}/interviews", **start) for _ in range(2))
    place = f"{API}/interviews/{first.json()['id']}"
    assert again.json()["id"] == first.json()["id"]
    assert call("DELETE", place).status_code == 204
    assert call("POST", f"{API}/interviews", **start).status_code == 404
    assert call("GET", place).status_code == 404


def test_the_owner_forgets_those_that_nobody_looked_at_for_some_days(call: Caller, talk: Talk) -> None:
    place = f"{API}/owner/interviews"
    assert call("DELETE", f"{place}?days=1").status_code == 401
    assert call("DELETE", f"{place}?days=1", headers=OWNER).json() == {"interviews": 0}
    assert talk.get()["version"] == 0
    for wrong in ("", "?days=0", "?days=-1", "?days=nan", "?days=inf", "?days=1e9"):
        assert call("DELETE", place + wrong, headers=OWNER).status_code == 422, wrong


def test_nothing_that_is_forgotten_stays_in_memory(call: Caller, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[set[str]] = []
    monkeypatch.setattr(WorkerPool, "forget", lambda _, ids: told.append(set(ids)))
    talk.tell(0)
    id = talk.state["id"]
    assert call("GET", f"{talk.place}/recommendation").status_code == 200
    service = call.app.state.interviews
    assert service._results.get((id, 1)) is not None
    call("DELETE", f"{API}/owner/interviews/{id}", headers=OWNER)
    assert told == [{id}]
    assert service._results.get((id, 1)) is None
    assert service._seen.get(id) is None
