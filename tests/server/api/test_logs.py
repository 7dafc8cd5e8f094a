"""The log tells of requests, never of people."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator

import pytest

from setmargin.server.api.app import create_app
from setmargin.server.api.logs import LOGGER, JsonLines, TextLines
from setmargin.server.settings import Settings
from tests.server.api.calling import API, OWNER, TOKEN, Caller, Talk, calling
from tests.server.api.inline import InlinePool


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
