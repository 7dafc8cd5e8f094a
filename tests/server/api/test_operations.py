"""Metrics and readiness."""

from __future__ import annotations

import re

import pytest

from setmargin.server.api.app import create_app
from setmargin.server.errors import StoreError
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from tests.server.api.calling import API, OWNER, Caller, Talk, calling
from tests.server.api.inline import InlinePool


def number(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_metrics_count_requests_questions_and_work_without_any_id(options: Settings) -> None:
    with calling(create_app(options, make_pool=InlinePool)) as call:
        talk = Talk(call)
        talk.tell(0)
        talk.do("POST", "/finish")
        text = call("GET", "/metrics", headers=OWNER).text
    answers = f'{{method="POST",route="{API}/interviews/{{id}}/answers"'
    assert number(text, f"setmargin_request_seconds_count{answers}}}") == 1
    assert number(text, f'setmargin_requests_total{answers},status="200"}}') == 1
    assert number(text, 'setmargin_questions_total{catalogue="tea"}') == 2
    assert number(text, 'setmargin_events_total{catalogue="tea",kind="finish"}') == 1
    assert number(text, "setmargin_work_ready_hits_total") == 1
    assert number(text, "setmargin_work_queue") == 2
    assert talk.state["id"] not in text


@pytest.mark.parametrize(
    ("at", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("203.0.113.9", OWNER, 200),
        ("203.0.113.9", {}, 401),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}, 401),
        ("nowhere", {}, 401),
    ],
)
def test_metrics_are_for_this_machine_and_for_the_owner(
    call: Caller, at: str, headers: dict[str, str], status: int
) -> None:
    assert call("GET", "/metrics", at=at, headers=headers).status_code == status


def test_a_server_is_ready_while_its_store_answers(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (call("GET", "/health").json(), call("GET", "/ready").json()) == ({"status": "ok"}, {"status": "ok"})

    def fail(_: Store) -> None:
        raise StoreError("gone")

    monkeypatch.setattr(Store, "ping", fail)
    assert [call("GET", path).status_code for path in ("/health", "/ready")] == [200, 503]


def test_a_server_without_processes_is_not_ready(options: Settings) -> None:
    pool = InlinePool()
    with calling(create_app(options, make_pool=lambda _: pool)) as call:
        pool.processes = 0
        reply = call("GET", "/ready")
    assert (reply.status_code, reply.json()["detail"]) == (503, "no process works")
