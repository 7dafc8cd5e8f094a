"""What stands around the routes: headers, logs, metrics, readiness, the page."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI

from setmargin.errors import OptionError
from setmargin.server.api import pages
from setmargin.server.api.app import create_app, tidy
from setmargin.server.api.logs import LOGGER, JsonLines, TextLines
from setmargin.server.errors import StoreError
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.server.store.store import now
from tests.server.api.calling import API, OWNER, TOKEN, Caller, Talk, calling
from tests.server.api.inline import InlinePool

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@pytest.mark.parametrize(
    "path", ["/", "/nowhere", "/health", f"{API}/catalogues", f"{API}/interviews/none", "/static/x"]
)
def test_every_reply_is_guarded(call: Caller, path: str) -> None:
    headers = call("GET", path).headers
    assert headers["Content-Security-Policy"] == POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == ("no-cache" if path == "/" else "no-store")
    assert "server" not in headers


# The log


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """The log as it is written, in both forms."""
    written: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.extend(form.format(record) for form in (JsonLines(), TextLines()))

    handler = Kept()
    LOGGER.addHandler(handler)
    before = LOGGER.level
    LOGGER.setLevel(logging.DEBUG)
    yield written
    LOGGER.removeHandler(handler)
    LOGGER.setLevel(before)


def test_a_request_is_one_line_that_names_the_route_and_no_interview(call: Caller, lines: list[str]) -> None:
    talk = Talk(call)
    lines.clear()
    talk.tell(0)
    said = json.loads(lines[0])
    assert set(said) == {"time", "level", "message", "request", "method", "route", "status", "ms"}
    assert (said["method"], said["route"], said["status"]) == ("POST", f"{API}/interviews/{{id}}/answers", 200)
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d info    request request=\w+ method=POST route=\S+ status=200 ms=[\d.]+", lines[1]
    )


def test_neither_ids_nor_tokens_nor_keys_nor_what_people_say_are_logged(call: Caller, lines: list[str]) -> None:
    talk = Talk(call)
    talk.do("POST", "/must-haves", rule="cups >= 2", key="a-key-of-mine")
    talk.send("POST", "/answers", answer={"choice": 9})
    talk.get("/recommendation")
    for path in ("/i/{id}", "/i/{id}/result", f"{API}/owner/summary?token={TOKEN}", "/nowhere/{id}"):
        call("GET", path.format(id=talk.state["id"]), headers=OWNER)
    call("GET", f"{API}/owner/summary", headers={"Authorization": "Bearer wrong-secret"})
    text = "\n".join(lines)
    assert '"unmatched"' in text
    for secret in (talk.state["id"], TOKEN, "a-key-of-mine", "cups", "wrong-secret", "203.0.113"):
        assert secret not in text


def test_a_mistake_of_ours_leaves_a_traceback_that_the_request_id_leads_to(options: Settings, lines: list[str]) -> None:
    class Wrong(InlinePool):
        async def export(self, *_: object) -> dict[str, object]:
            raise ZeroDivisionError

    with calling(create_app(options, make_pool=Wrong)) as call:
        reply = call("GET", f"{Talk(call).place}/export", headers={"X-Request-ID": "from-the-proxy"})
    assert (reply.status_code, reply.headers["X-Request-ID"]) == (500, "from-the-proxy")
    assert "from-the-proxy" in reply.json()["detail"]
    (mistake,) = (json.loads(line) for line in lines if line.startswith("{") and "traceback" in line)
    assert mistake["request"] == "from-the-proxy"
    assert "ZeroDivisionError" in mistake["traceback"]


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, 'a"}', "ü"])
def test_a_request_id_that_could_spoil_the_log_is_replaced(call: Caller, given: str) -> None:
    reply = call("GET", "/health", headers={"X-Request-ID": given.encode()})
    assert re.fullmatch(r"[0-9a-f]{16}", reply.headers["X-Request-ID"])


# Metrics and readiness


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
    mind = InlinePool()
    with calling(create_app(options, make_pool=lambda _: mind)) as call:
        mind.processes = 0
        reply = call("GET", "/ready")
    assert (reply.status_code, reply.json()["detail"]) == (503, "no process works")


def test_the_first_person_finds_the_first_question_ready(options: Settings) -> None:
    mind = InlinePool()
    with calling(create_app(options, make_pool=lambda _: mind)) as call:
        for _ in range(1000):
            if not mind.opened:
                call("GET", "/health")
        assert len(mind.opened) == 1
        assert Talk(call, seed=None).state["question"]
    assert len(mind.opened) == 1


def test_an_interview_begins_with_all_its_must_haves_in_one_step(options: Settings) -> None:
    mind = InlinePool()
    with calling(create_app(options, make_pool=lambda _: mind)) as call:
        rules = [f"price <= {limit}" for limit in range(30, 10, -1)]
        state = Talk(call, must_haves=rules).state
    assert (state["must_haves"], state["version"]) == (rules, 20)
    assert len(mind.opened) <= 2  # with the first question that is ready for everybody


def test_the_result_is_worked_out_once_for_each_version(options: Settings) -> None:
    mind = InlinePool()
    with calling(create_app(options, make_pool=lambda _: mind)) as call:
        talk = Talk(call)
        talk.tell(0)
        before = talk.get("/recommendation")
        assert talk.get("/answers")["answers"] == before["answers"]
        assert (talk.get("/recommendation"), mind.results) == (before, 1)
        talk.tell(1)
        assert len(talk.get("/recommendation")["answers"]) == 2
    assert mind.results == 2


def test_while_the_person_reads_the_next_question_is_prepared_and_beliefs_are_kept_now_and_then(
    options: Settings,
) -> None:
    mind = InlinePool()
    with calling(create_app(options, make_pool=lambda _: mind)) as call:
        talk = Talk(call, strategy="random")
        for _ in range(5):
            talk.tell(0)
        talk.get()
    assert [version for _, version in mind.prepared] == [0, 1, 2, 3, 4, 5, 5]
    with Store.open(options.database) as store:
        kept = store.belief(talk.state["id"])
    assert kept is not None
    assert kept[0] == 5


@pytest.mark.parametrize(("days", "is_kept"), [(0.5, True), (1.5, False)])
def test_beliefs_of_people_who_left_are_dropped(options: Settings, days: float, is_kept: bool) -> None:
    with calling(create_app(options, make_pool=InlinePool)) as call:
        talk = Talk(call, strategy="random")
        for _ in range(5):
            talk.tell(0)
    with Store.open(options.database, clock=lambda: now() + timedelta(days=days)) as store:
        with suppress(TimeoutError):
            asyncio.run(asyncio.wait_for(tidy(store), 1))
        assert (store.belief(talk.state["id"]) is not None) == is_kept


# The page


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Caller]:
    (tmp_path / "index.html").write_text("<!doctype html><title>hello</title>")
    (tmp_path / "app.js").write_text("export const one = 1;\n")
    app = FastAPI()
    pages.install(app, tmp_path)
    with calling(app) as caller:
        yield caller


@pytest.mark.parametrize("path", ["/", "/c/pc", "/i/abc", "/i/abc/result", "/owner"])
def test_every_address_of_the_page_gives_its_index(site: Caller, path: str) -> None:
    reply = site("GET", path)
    assert (reply.status_code, reply.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "hello" in reply.text
    assert site("HEAD", path).status_code == 200


def test_files_are_sent_once_and_then_only_asked_about(site: Caller) -> None:
    first = site("GET", "/static/app.js")
    assert (first.status_code, first.headers["Cache-Control"]) == (200, "no-cache")
    assert first.headers["Content-Type"].startswith("text/javascript")
    again = site("GET", "/static/app.js", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/static/../secret", "/static/%2e%2e/secret", "/static/..%2fsecret", "/static/none", "/x"]
)
def test_nothing_else_is_served(site: Caller, tmp_path: Path, path: str) -> None:
    (tmp_path.parent / "secret").write_text("secret")
    assert site("GET", path).status_code == 404


def test_the_page_ships_with_the_server() -> None:
    assert (pages.PAGE / "index.html").is_file()


# Settings


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"workers": 0}, "0 workers cannot work"),
        ({"seconds": 0}, "the time limit is 0 seconds"),
        ({"rate": -1}, "the rate is -1"),
        ({"burst": 0}, "bursts of 0"),
        ({"owner_token": "short"}, "has 5 characters"),
        ({"uploads": True}, "uploads need the owner's token"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=re.escape(said)):
        Settings(database="sqlite:///x.db", **wrong)  # type: ignore[arg-type]


def test_the_token_is_in_no_text_about_the_settings() -> None:
    assert TOKEN not in repr(Settings(database="sqlite:///x.db", owner_token=TOKEN))
