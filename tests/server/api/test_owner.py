"""The owner's view is honest: what people did, where they stopped, what they took and could not have."""

from __future__ import annotations

import asyncio
from typing import Any

from setmargin.server.services.owner import budgets
from tests.server.api.calling import API, OWNER, Caller, Talk


def summary(call: Caller) -> dict[str, Any]:
    call.wait(asyncio.sleep(0))
    call.wait(call.app.state.owner.aclose())
    (tea,) = call("GET", f"{API}/owner/summary", headers=OWNER).json()["catalogues"]
    return dict(tea)


def test_the_funnel_counts_those_who_came_answered_looked_and_took(call: Caller) -> None:
    Talk(call)
    through = Talk(call, must_haves=["price <= 12"])
    while through.state["question"] is not None:
        through.tell(0)
    taking = Talk(call, must_haves=["price <= 12.5", "cups = 2"])
    taking.tell(1)
    for _ in range(2):
        taking.get("/recommendation")
    taken = taking.do("POST", "/finish")["finished"]
    tea = summary(call)
    assert {name: tea[name] for name in ("interviews", "answered", "five", "result_seen", "taken", "finished")} == {
        "interviews": 3,
        "answered": 2,
        "five": 2,
        "result_seen": 1,
        "taken": 1,
        "finished": 2,  # one of them by answering all there was
    }
    assert tea["stopped"] == {"before_first": 0, "answering": 0, "at_result": 0}  # all were there just now
    assert tea["configurations"] == [{"count": 1, "option": taken}]
    assert {each["name"]: each["values"] for each in tea["values"]}["cups"] == [{"count": 1, "value": "2"}]
    assert tea["budgets"] == [{"name": "price", "side": "most", "count": 2, "low": 12.0, "median": 12.0, "high": 12.5}]
    assert tea["must_haves"] == [{"count": 1, "rule": "cups = 2"}]


def test_a_must_have_that_is_refused_is_noted_whether_an_interview_has_begun_or_not(call: Caller) -> None:
    talk = Talk(call, must_haves=["kind = white"])
    before = summary(call)["interviews"]
    for _ in range(2):
        assert talk.send("POST", "/must-haves", rule="pot = clay").status_code == 409
    assert talk.send("POST", "/must-haves", rule="no such thing = 1").status_code == 422
    start = {"catalogue": "tea", "must_haves": ["kind = white", "pot = clay"]}
    assert call("POST", f"{API}/interviews", json=start).status_code == 409
    tea = summary(call)
    assert tea["interviews"] == before
    (refused,) = tea["refused"]
    assert (refused["rule"], refused["count"]) == ("pot = clay", 3)
    assert {"pot = clay", "kind = white"} <= set(refused["conflict"])


def test_budgets_are_limits_on_quantities_however_they_are_quoted() -> None:
    rules = {"price <= 900": 3, '"price" < 1000.5': 1, "weight >= 2": 1, "cups <= 2": 4, "price <= 9 or cups = 1": 2}
    found = {(each.name, each.side): (each.count, each.low, each.high) for each in budgets(rules, {"price", "weight"})}
    assert found == {("price", "most"): (4, 900.0, 1000.5), ("weight", "least"): (1, 2.0, 2.0)}
