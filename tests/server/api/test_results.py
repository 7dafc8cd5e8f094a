"""Results through the API: previews, what is kept, changed answers before they are, asking on, and links that read."""

from __future__ import annotations

from typing import Any

import pytest

from setmargin.interview.interview import Interview
from setmargin.server.store.shared import MOST_SHARED
from tests.server.api.calling import API, OWNER, Caller, Talk


@pytest.fixture
def talk(call: Caller) -> Talk:
    return Talk(call, policy="comparisons")


def replayed(talk: Talk) -> Interview:
    """The same interview in the library."""
    return Interview.from_document(talk.get("/export"))


def test_a_preview_is_what_keeping_it_leads_to(talk: Talk) -> None:
    talk.tell(0)
    now = talk.get("/previews?name=kind")
    assert now["version"] == talk.state["version"]
    assert now["best"] == talk.state["best"]
    preview = next(each for each in now["previews"] if each["option"])
    assert preview["changed"][0] == {"name": "kind", "before": now["best"]["values"]["kind"], "now": preview["value"]}
    state = talk.do("POST", "/adjustments", name="kind", value=preview["value"], keep=True)
    assert state["best"] == preview["option"]
    assert talk.get("/recommendation")["best"] == preview["option"]
    assert dict(replayed(talk).recommend().configuration) == preview["option"]["values"]
    assert {each["name"]: each["kind"] for each in talk.get("/recommendation")["quotes"]}["kind"] == "set"
    back = talk.do("POST", "/undo")
    assert back["best"] == now["best"]


def test_a_value_that_must_haves_exclude_has_no_preview(talk: Talk) -> None:
    talk.do("POST", "/must-haves", rule="kind != white")
    previews = {each["value"]: each["option"] for each in talk.get("/previews?name=kind")["previews"]}
    assert previews["white"] is None
    reply = talk.call("GET", f"{talk.place}/previews?name=colour")
    assert (reply.status_code, reply.json()["detail"][:28]) == (422, "there is no attribute 'colou")


def test_a_changed_answer_is_shown_before_it_is_changed(talk: Talk) -> None:
    for _ in range(3):
        talk.tell(0)
    before = talk.get()
    body = {"version": talk.state["version"], "answer": {"choice": 1}}
    preview = talk.call("POST", f"{talk.place}/answers/2/preview", json=body).json()
    assert talk.get() == before
    assert (preview["number"], preview["before"]) == (2, before["best"])
    after = talk.do("PUT", "/answers/2", answer={"choice": 1})
    assert preview["after"] == after["best"]
    differing = [name for name in preview["before"]["values"] if before["best"]["values"] != after["best"]["values"]]
    assert bool(preview["changed"]) == bool(differing)
    stale = talk.call("POST", f"{talk.place}/answers/2/preview", json=body)
    assert stale.status_code == 409


def test_asking_goes_on_after_the_end_and_is_the_same_everywhere(call: Caller) -> None:
    talk = Talk(call, until=0.9)
    assert talk.state["done"]
    talk.do("POST", "/finish")
    state = talk.do("POST", "/ask-on")
    assert state["question"]
    assert not state["finished"]
    assert state["undo_of"] == "asking-on"
    interview = replayed(talk)
    assert interview.ask().id == state["question"]["id"]  # type: ignore[union-attr]
    talk.tell(0)
    assert talk.do("POST", "/undo")["question"]["id"] == state["question"]["id"]
    assert talk.do("POST", "/undo")["done"]


def test_the_result_quotes_answers_and_says_what_matters(talk: Talk) -> None:
    while talk.state["question"] and talk.state["answered"] < 5:
        options = talk.state["question"]["options"]
        cheapest = min(range(len(options)), key=lambda place: float(options[place]["amounts"]["price"]))
        talk.do("POST", "/answers", answer={"choice": cheapest, "because": because(talk.state["question"])})
    result = talk.get("/recommendation")
    price = next(each for each in result["quotes"] if each["name"] == "price")
    assert price["kind"] == "decided"
    assert price["by"] < 0
    assert "price" in result["matters"]["mostly"]
    assert {each["kind"] for each in result["alternatives"]} <= {"better", "bolder", "close"}


def because(question: dict[str, Any]) -> list[str]:
    return ["price"] if "price" in question["differing"] else []


def test_a_shared_result_can_be_read_and_nothing_else(talk: Talk, call: Caller) -> None:
    talk.tell(0)
    version = talk.state["version"]
    token = talk.call("POST", f"{talk.place}/share", json={"version": version}).json()["token"]
    again = talk.call("POST", f"{talk.place}/share", json={"version": version}).json()["token"]
    assert token == again
    shown = call("GET", f"{API}/shared/{token}").json()
    best = talk.state["best"]
    assert shown["result"]["best"] == best
    assert shown["result"]["answers"] == []
    assert shown["catalogue"]["name"] == "tea"
    assert talk.state["id"] not in str(shown)
    talk.tell(1)
    assert call("GET", f"{API}/shared/{token}").json() == shown
    body = {"version": version, "answer": {"choice": 0}}
    assert call("POST", f"{API}/interviews/{token}/answers", json=body).status_code == 404
    assert call("GET", f"{API}/interviews/{token}").status_code == 404
    stale = talk.call("POST", f"{talk.place}/share", json={"version": version})
    assert stale.status_code == 409


def test_links_are_few_and_go_with_their_interview(talk: Talk, call: Caller) -> None:
    tokens = []
    for _ in range(MOST_SHARED):
        reply = talk.send("POST", "/share")
        tokens.append(reply.json()["token"])
        talk.do("POST", "/must-haves", rule=f"price <= {50 + talk.state['version']}")
    refused = talk.send("POST", "/share")
    assert (refused.status_code, refused.json()["cure"]) == (422, "use one of them")
    assert call("GET", f"{API}/shared/{tokens[0]}").status_code == 200
    assert call("DELETE", f"{API}/owner/interviews/{talk.state['id']}", headers=OWNER).status_code in (200, 204)
    for token in (tokens[0], "none-such", "%20"):
        gone = call("GET", f"{API}/shared/{token}")
        assert gone.status_code == 404, gone.text
