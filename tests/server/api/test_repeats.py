"""Two tabs, double clicks, lost replies: every change happens once, or is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from setmargin.interview.interview import Interview
from tests.server.api.calling import API, Caller, Talk

FIRST: dict[str, Any] = {"version": 0, "answer": {"choice": 0}}
SECOND: dict[str, Any] = {"version": 0, "answer": {"choice": 1}}


def answer(talk: Talk, body: dict[str, Any], key: str | None = None) -> tuple[int, dict[str, Any]]:
    headers = {} if key is None else {"Idempotency-Key": key}
    reply = talk.call("POST", f"{talk.place}/answers", json=body, headers=headers)
    return reply.status_code, reply.json()


@pytest.mark.parametrize("key", [None, "click"])
def test_a_repeated_request_changes_nothing_and_gives_the_interview_as_it_is(talk: Talk, key: str | None) -> None:
    first = answer(talk, FIRST, key)
    assert first[0] == 200
    assert answer(talk, FIRST, key) == first
    later = answer(talk, {**FIRST, "version": 1}, key and "another click")
    assert answer(talk, FIRST, key) == later
    assert talk.get()["version"] == 2


@pytest.mark.parametrize("key", [None, "click"])
def test_a_double_click_is_one_click(talk: Talk, key: str | None) -> None:
    headers = {} if key is None else {"Idempotency-Key": key}
    call = ("POST", f"{talk.place}/answers", {"json": FIRST, "headers": headers})
    replies = talk.call.many(call, call, call)
    assert [reply.status_code for reply in replies] == [200] * 3
    assert {reply.json()["version"] for reply in replies} == {1}
    assert talk.get()["answered"] == 1


def test_the_second_of_two_tabs_gets_a_conflict_and_the_version_there_is(talk: Talk) -> None:
    assert answer(talk, FIRST, "tab 1")[0] == 200
    status, problem = answer(talk, SECOND, "tab 2")
    assert (status, problem["current"]) == (409, 1)
    assert problem["type"].endswith("/conflict")
    assert talk.get("/answers")["answers"][0]["answer"] == {"choice": 0}


def test_of_two_tabs_at_once_exactly_one_is_heard(talk: Talk) -> None:
    replies = talk.call.many(*[("POST", f"{talk.place}/answers", {"json": body}) for body in (FIRST, SECOND)])
    assert sorted(reply.status_code for reply in replies) == [200, 409]
    heard = next(body for body, reply in zip((FIRST, SECOND), replies, strict=True) if reply.status_code == 200)
    assert [each["answer"] for each in talk.get("/answers")["answers"]] == [heard["answer"]]


def test_a_version_that_is_not_there_yet_is_a_conflict(talk: Talk) -> None:
    assert answer(talk, {**FIRST, "version": 5})[0] == 409


def test_a_key_stands_for_one_request_only(talk: Talk) -> None:
    assert answer(talk, FIRST, "key")[0] == 200
    for body in (SECOND, {**FIRST, "version": 1}):
        status, problem = answer(talk, body, "key")
        assert (status, problem["type"].rsplit("/", 1)[-1]) == (422, "key-reused")
    assert talk.get()["version"] == 1


def test_a_key_belongs_to_its_interview(call: Caller) -> None:
    assert [answer(Talk(call), FIRST, "key")[0] for _ in range(2)] == [200, 200]


def test_a_key_may_have_128_characters(talk: Talk) -> None:
    assert answer(talk, FIRST, "k" * 129)[0] == 422
    assert answer(talk, FIRST, "k" * 128)[0] == 200


def test_an_undo_that_was_sent_twice_takes_one_thing_back(talk: Talk) -> None:
    talk.tell(0)
    talk.tell(0)
    replies = [talk.call("POST", f"{talk.place}/undo", json={"version": 2}) for _ in range(3)]
    assert [reply.json()["answered"] for reply in replies] == [1, 1, 1]


def test_the_same_must_have_twice_is_one_and_dropping_it_twice_too(talk: Talk) -> None:
    for _ in range(2):
        reply = talk.call("POST", f"{talk.place}/must-haves", json={"version": 0, "rule": "cups >= 2"})
        assert reply.json()["must_haves"] == ["cups >= 2"]
    for _ in range(2):
        reply = talk.call("DELETE", f"{talk.place}/must-haves", params={"version": 1, "rule": "cups >= 2"})
        assert (reply.status_code, reply.json()["must_haves"]) == (200, [])


@settings(derandomize=True, deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=8))
def test_whatever_is_lost_every_acknowledged_answer_is_there_once(call: Caller, steps: list[tuple[int, bool]]) -> None:
    """Three tabs with views of their own; a lost reply is sent again under the same key."""
    talk = Talk(call, strategy="random")
    seen, acknowledged = [0, 0, 0], 0
    for number, (tab, lost) in enumerate(steps):
        body = {"version": seen[tab], "answer": {"choice": tab % 2}}
        status, reply = answer(talk, body, f"{tab}-{number}")
        if lost:
            assert answer(talk, body, f"{tab}-{number}") == (status, reply)
        acknowledged += status == 200
        seen[tab] = reply["version"] if status == 200 else reply["current"]
    assert (talk.get()["version"], talk.get()["answered"]) == (acknowledged, acknowledged)


def test_an_interview_whose_reply_was_lost_is_started_once(call: Caller) -> None:
    def start(key: str, **more: Any) -> tuple[int, dict[str, Any]]:
        body = {"catalogue": "tea", "must_haves": ["cups >= 2"], **more}
        reply = call("POST", f"{API}/interviews", json=body, headers={"Idempotency-Key": key})
        return reply.status_code, reply.json()

    status, first = start("a key that is long")
    assert (status, start("a key that is long")) == (201, (201, first))
    call("POST", f"{API}/interviews/{first['id']}/undo", json={"version": 1})
    assert start("a key that is long")[1]["version"] == 2
    others = [start("a key that is also long")[1]["id"], start("a key that is long", seed=1)[1]["id"]]
    assert len({first["id"], *others}) == 3
    assert start("too short")[0] == 422


def test_two_starts_at_once_under_one_key_are_one(call: Caller) -> None:
    request = {"json": {"catalogue": "tea", "must_haves": ["cups >= 2"]}, "headers": {"Idempotency-Key": "k" * 16}}
    replies = call.many(*[("POST", f"{API}/interviews", request)] * 3)
    assert [reply.status_code for reply in replies] == [201] * 3
    assert len({reply.json()["id"] for reply in replies}) == 1
    assert Interview.from_document(call("GET", f"{replies[0].headers['Location']}/export").json()).must_haves == (
        "cups >= 2",
    )


def test_no_id_can_be_guessed_and_none_lists_others(call: Caller) -> None:
    ids = {Talk(call).state["id"] for _ in range(3)}
    assert len(ids) == 3
    assert min(map(len, ids)) >= 24
    for path in ("", "/", "/*", "/%25", "/..%2f"):
        assert call("GET", f"{API}/interviews{path}").status_code in (404, 405)
