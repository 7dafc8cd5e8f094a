"""Every kind of problem, as a document with status, reason and cure."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter

from setmargin.documents import PROBLEM_TYPES, Problem
from setmargin.errors import AnswerError, InfeasibleSpace, ModelInfeasible, NoSolutionInTime, SetmarginError
from setmargin.server.api import problems
from setmargin.server.api.app import create_app
from setmargin.server.errors import (
    Conflict,
    StoreError,
    UnknownInterview,
    WorkBusy,
    WorkError,
    WorkStarved,
    WorkTimeout,
    WorkTooLong,
)
from setmargin.server.settings import Settings
from tests.server.api.calling import API, OWNER, Caller, Talk, calling
from tests.server.api.inline import InlinePool

START = {"catalogue": "tea"}


def kinds() -> dict[str, Callable[[Caller], Any]]:
    large = {"Content-Type": "application/json"}
    return {
        "not-found": lambda call: call("GET", f"{API}/interviews/none"),
        "method": lambda call: call("PATCH", f"{API}/interviews"),
        "validation": lambda call: call("POST", f"{API}/interviews", json={}),
        "bad-request": lambda call: call("POST", f"{API}/interviews", content=b"[" * 60_000, headers=large),
        "too-large": lambda call: call("POST", f"{API}/interviews", content=b" " * 70_000, headers=large),
        "unauthorized": lambda call: call("GET", f"{API}/owner/summary"),
        "conflict": lambda call: Talk(call).send("POST", "/undo", version=9),
        "impossible": lambda call: call("POST", f"{API}/interviews", json={**START, "must_haves": ["price <= 1"]}),
    }


@pytest.mark.parametrize("kind", kinds())
def test_a_problem_is_a_document_with_status_reason_and_cure(call: Caller, kind: str) -> None:
    reply = kinds()[kind](call)
    problem = reply.json()
    assert reply.headers["Content-Type"] == problems.MEDIA
    assert problem["type"] == PROBLEM_TYPES + kind
    assert reply.status_code == problem["status"] == problems.KINDS[kind][0]
    assert problem["detail"]
    assert problem["cure"]
    TypeAdapter(Problem).validate_python(problem)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (f"{API}/interviews", {"POST"}),
        (f"{API}/catalogues/tea", {"GET", "PUT"}),
        (f"{API}/interviews/x/answers", {"GET", "POST"}),
        (f"{API}/interviews/x/must-haves", {"POST", "DELETE"}),
        ("/", {"GET", "HEAD"}),
        ("/static/app.js", {"GET", "HEAD"}),
    ],
)
def test_a_refused_method_says_which_are_allowed(call: Caller, path: str, allowed: set[str]) -> None:
    reply = call("PATCH", path)
    assert (reply.status_code, set(reply.headers["Allow"].split(", "))) == (405, allowed)


def test_an_unknown_catalogue_comes_with_a_hint(call: Caller) -> None:
    problem = call("GET", f"{API}/catalogues/te").json()
    assert (problem["detail"], problem["cure"]) == ("there is no catalogue 'te'", "did you mean tea?")


def test_what_was_sent_is_not_sent_back(call: Caller) -> None:
    reply = call("POST", f"{API}/interviews", json={"catalogue": "tea", "password": "secret", "seed": "secret"})
    assert "secret" not in reply.text
    assert reply.json()["detail"].startswith("seed: ")
    assert {each["at"] for each in reply.json()["errors"]} == {"body.password", "body.seed"}


@pytest.mark.parametrize("text", [b'{"catalogue": "\\ud800"}', b'{"catalogue": "\xff"}', b"{", b"", b"null"])
def test_a_body_that_is_no_json_is_refused(call: Caller, text: bytes) -> None:
    reply = call("POST", f"{API}/interviews", content=text, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422)
    assert json.loads(reply.content)["cure"]


ERRORS: list[tuple[SetmarginError, str]] = [
    (UnknownInterview("x"), "not-found"),
    (Conflict(after=1, current=2), "conflict"),
    (InfeasibleSpace("nothing", conflict=["a"]), "impossible"),
    (AnswerError("no answer"), "validation"),
    (StoreError("postgresql://user@secret cannot be used"), "unavailable"),
    (WorkTimeout("slow"), "timeout"),
    (WorkTooLong("slow by itself"), "too-complex"),
    (WorkStarved("slow because of others"), "unavailable"),
    (WorkBusy("later"), "unavailable"),
    (WorkError("dead"), "unavailable"),
    (NoSolutionInTime("slow"), "timeout"),
    (ModelInfeasible("wrong"), "internal"),
]


@pytest.mark.parametrize(("error", "kind"), ERRORS, ids=lambda value: type(value).__name__)
def test_every_error_has_a_kind_of_problem(error: SetmarginError, kind: str) -> None:
    assert problems.problem_of(error).kind == kind


def all_below(error: type[SetmarginError]) -> list[type[SetmarginError]]:
    return [error, *(deeper for each in error.__subclasses__() for deeper in all_below(each))]


def test_no_error_of_the_library_is_without_one() -> None:
    assert all(any(each in problems.ERRORS for each in error.__mro__) for error in all_below(SetmarginError))


class Failing(InlinePool):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    async def result(self, *_: object) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (WorkTimeout("slow"), 503, "timeout"),
        (StoreError("sqlite:////secret/place"), 503, "unavailable"),
        (RuntimeError("secret"), 500, "internal"),
    ],
)
def test_what_fails_inside_is_said_without_details(
    options: Settings, error: Exception, status: int, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with calling(create_app(options, make_pool=lambda _: Failing(error))) as call:
        reply = call("GET", f"{Talk(call).place}/recommendation")
    assert (reply.status_code, reply.json()["type"]) == (status, PROBLEM_TYPES + kind)
    assert "secret" not in reply.text
    assert str(error) in caplog.text
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers.get("Retry-After") == ("2" if kind == "unavailable" else None)


def test_without_a_token_everything_of_the_owner_is_off(options: Settings) -> None:
    quiet = Settings(database=options.database, rate=0)
    with calling(create_app(quiet, make_pool=InlinePool)) as call:
        for method, path in (("GET", "owner/summary"), ("PUT", "catalogues/tea"), ("POST", "catalogues/check")):
            reply = call(method, f"{API}/{path}", headers=OWNER)
            assert (reply.status_code, reply.json()["type"]) == (403, f"{PROBLEM_TYPES}off")


def test_uploads_are_off_unless_they_are_wanted(options: Settings) -> None:
    quiet = Settings(database=options.database, rate=0, owner_token=options.owner_token)
    with calling(create_app(quiet, make_pool=InlinePool)) as call:
        reply = call("PUT", f"{API}/catalogues/tea", headers=OWNER)
        assert (reply.status_code, reply.json()["cure"]) == (403, "start the server with --uploads")
        assert call("GET", f"{API}/owner/summary", headers=OWNER).status_code == 200


def test_who_asks_too_often_is_told_when_to_come_back(options: Settings) -> None:
    busy = Settings(database=options.database, rate=0.5, burst=2)
    with calling(create_app(busy, make_pool=InlinePool)) as call:
        statuses = [call("GET", f"{API}/catalogues").status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert call("GET", f"{API}/catalogues", at="203.0.113.10").status_code == 200
        assert call("GET", "/health").status_code == 200
