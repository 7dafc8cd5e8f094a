"""Answers that say why, changes that are asked for, and changes that nobody asked for."""

from __future__ import annotations

from typing import Any

import pytest

from setmargin.answers import Question
from setmargin.interview.interview import Interview
from setmargin.strategies.bayes.strategy import Bayes, BayesBelief
from tests.server.api.calling import Caller, Talk

MOST_SCREENS = 12


def conversation(call: Caller, **wanted: Any) -> Talk:
    return Talk(call, **{"policy": "conversation", "set_size": 3, "until": 0.0, **wanted})


def until_change(talk: Talk) -> dict[str, Any]:
    """Choose until a question asks for a change."""
    for _ in range(MOST_SCREENS):
        if talk.state["question"]["asks_for_change"]:
            return dict(talk.state["question"])
        talk.tell(0)
    raise AssertionError("no such question came")


@pytest.fixture
def single(call: Caller, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """An interview that asks what to change about the best so far, and nothing else."""

    def ask(strategy: Bayes, belief: BayesBelief) -> Question | None:
        known = (("price", None),) * len(belief.history)
        return None if len(known) > 1 else Question((strategy.recommend(belief).configuration,), besides=known)

    monkeypatch.setattr(Bayes, "_ask", ask)
    return conversation(call, seed=11)


@pytest.fixture
def pairs(call: Caller) -> Talk:
    return Talk(call, policy="comparisons")


@pytest.fixture
def chat(call: Caller) -> Talk:
    return conversation(call)


def refused(talk: Talk, path: str = "/answers", **body: Any) -> str:
    """What is wrong; the interview stays as it was."""
    before = talk.get()
    reply = talk.send("POST", path, **body)
    assert reply.status_code == 422, reply.text
    assert talk.get() == before
    problem = reply.json()
    assert problem["cure"]
    return str(problem["detail"])


# Reasons


def test_a_choice_a_ranking_and_no_difference_may_say_why(call: Caller) -> None:
    talk = Talk(call, policy="comparisons", set_size=3, until=0.0)
    given: list[dict[str, Any]] = []
    for answer in ({"choice": 1}, {"ranking": [2, 0, 1]}, {"equal": True}):
        reasons = talk.state["question"]["differing"][:2]
        given.append({**answer, "because": reasons})
        talk.do("POST", "/answers", answer=given[-1])
    assert [each["answer"] for each in talk.get("/answers")["answers"]] == given
    exported = talk.get("/export")
    assert [event["answer"] for event in exported["events"]] == given
    interview = Interview.from_document(exported)
    assert dict(interview.recommend().configuration) == talk.state["best"]["values"]
    talk.do("PUT", "/answers/1", answer={"choice": 1})
    assert talk.get("/answers")["answers"][0]["answer"] == {"choice": 1}


def test_a_reason_changes_what_is_learnt(call: Caller) -> None:
    def begun(seed: int) -> Talk:
        return Talk(call, policy="comparisons", seed=seed)

    seed = next(seed for seed in range(20) if "price" in begun(seed).state["question"]["differing"])
    shares: list[float] = []
    for because in ([], ["price"]):
        talk = begun(seed)
        prices = [option["amounts"]["price"] for option in talk.state["question"]["options"]]
        talk.do("POST", "/answers", answer={"choice": prices.index(min(prices)), "because": because})
        shares += [each["share"] for each in talk.get("/recommendation")["importance"] if each["name"] == "price"]
    assert shares[0] < shares[1]


def test_a_reason_has_to_differ_and_to_be_there(call: Caller) -> None:
    talk = Talk(call, policy="comparisons", differences=1)
    alike = next(name for name in talk.state["question"]["alike"] if name != "price")
    assert f"the reason {alike} is the same in all options" in refused(talk, answer={"choice": 0, "because": [alike]})
    assert "the reason 'prize' is unknown" in refused(talk, answer={"choice": 0, "because": ["prize"]})


@pytest.mark.parametrize(
    "answer",
    [
        {"choice": 0, "because": "price"},
        {"choice": 0, "because": [7]},
        {"choice": 0, "because": [""]},
        {"choice": 0, "because": ["price"] * 51},
        {"choice": 0, "why": ["price"]},
        {"skip": True, "because": ["price"]},
        {"change": {"name": "kind", "value": True}},
        {"change": {"name": "kind", "value": ["green"]}},
        {"change": {"name": "kind", "value": "green", "option": -1}},
        {"change": {"attribute": "kind"}},
        {"change": None},
        {"change": {}, "because": ["price"]},
    ],
)
def test_answers_of_another_shape_are_refused(pairs: Talk, answer: dict[str, Any]) -> None:
    assert "answer" in refused(pairs, answer=answer)


# Changes


def test_a_question_says_whether_it_asks_for_a_change_and_what_there_is(chat: Talk) -> None:
    question = until_change(chat)
    assert len(question["changes"]) == len(question["options"])
    for option, changes in zip(question["options"], question["changes"], strict=True):
        assert changes["better"] in (["price"], [])
        for attribute in changes["attributes"]:
            name = attribute["name"]
            assert option["values"][name] not in [each["value"] for each in attribute["values"]]
        (kinds,) = [each["values"] for each in changes["attributes"] if each["name"] == "kind"]
        prices = {"green": 3, "black": 2, "white": 6}
        now = prices[option["values"]["kind"]]
        assert {each["value"]: each["amounts"] for each in kinds} == {
            kind: {"price": price - now} for kind, price in prices.items() if price != now
        }


def test_a_change_is_answered_and_known_from_then_on(chat: Talk) -> None:
    question = until_change(chat)
    option = len(question["options"]) - 1
    attribute = question["changes"][option]["attributes"][0]
    wish = {"name": attribute["name"], "value": attribute["values"][0]["value"]}
    chat.do("POST", "/answers", answer={"change": {**wish, "option": option}})
    given = chat.get("/answers")["answers"][-1]["answer"]
    assert given == {"change": {**wish, **({"option": option} if option else {})}}
    assert Interview.from_document(chat.get("/export")).history[-1][1].value == wish["value"]  # type: ignore[union-attr]
    question = until_change(chat)
    assert wish in question["besides"]
    for changes in question["changes"]:
        offered = {(a["name"], v["value"]) for a in changes["attributes"] for v in a["values"]}
        assert (wish["name"], wish["value"]) not in offered
    if question["options"][0]["values"][wish["name"]] != wish["value"]:
        assert "is known already" in refused(chat, answer={"change": wish})


def test_a_client_that_knows_choices_only_gets_along(single: Talk) -> None:
    question = single.state["question"]
    assert (len(question["options"]), question["differing"], question["asks_for_change"]) == (1, [], True)
    single.tell(0)
    assert single.get("/answers")["answers"][-1]["answer"] == {"change": {}}
    assert single.state["question"]["besides"] == [{"name": "price", "value": None}]
    assert single.state["question"]["changes"][0]["better"] == []
    single.do("POST", "/answers", answer={"skip": True})


def test_what_cannot_be_changed_is_named(chat: Talk) -> None:
    question = until_change(chat)
    kind = question["options"][0]["values"]["kind"]
    assert f"kind is {kind} already" in refused(chat, answer={"change": {"name": "kind", "value": kind}})
    assert "'lid' cannot be changed" in refused(chat, answer={"change": {"name": "lid", "value": "red"}})
    assert "kind has no value 'red'" in refused(chat, answer={"change": {"name": "kind", "value": "red"}})
    assert "should be what?" in refused(chat, answer={"change": {"name": "kind"}})
    assert "cannot be set to 3" in refused(chat, answer={"change": {"name": "price", "value": 3}})
    assert "Name the attribute" in refused(chat, answer={"change": {"value": "green"}})
    assert "option 5 was chosen" in refused(chat, answer={"change": {"name": "price", "option": 5}})


def test_a_single_option_cannot_be_compared(single: Talk) -> None:
    assert "a single option is shown" in refused(single, answer={"equal": True})
    assert "option 1 was chosen" in refused(single, answer={"choice": 1})
    assert "a single option is shown" in refused(single, answer={"ranking": [0, 1]})


def test_what_must_haves_exclude_is_not_offered_and_refused(call: Caller) -> None:
    talk = conversation(call, must_haves=["kind != white"])
    offered = [each for each in talk.get("/changes")["changes"]["attributes"] if each["name"] == "kind"]
    assert "white" not in [each["value"] for attribute in offered for each in attribute["values"]]
    assert "white" in refused(talk, "/adjustments", name="kind", value="white")


# Changes that nobody asked for


def test_the_best_so_far_can_be_adjusted(pairs: Talk) -> None:
    changes = pairs.get("/changes")
    assert changes["best"] == pairs.state["best"]
    cups = next(each for each in changes["changes"]["attributes"] if each["name"] == "cups")
    wanted = cups["values"][0]["value"]
    before = pairs.state
    state = pairs.do("POST", "/adjustments", name="cups", value=str(wanted))
    assert (state["version"], state["answered"], state["undo_of"]) == (1, 1, "answer")
    (given,) = pairs.get("/answers")["answers"]
    assert given["answer"] == {"change": {"name": "cups", "value": wanted}}  # as it is in the catalogue
    assert [option["values"] for option in given["options"]] == [before["best"]["values"]]
    assert pairs.get("/changes")["besides"] == [{"name": "cups", "value": wanted}]
    interview = Interview.from_document(pairs.get("/export"))
    assert interview.belief.answered == 1
    undone = pairs.do("POST", "/undo")
    assert (undone["question"], undone["best"]) == (before["question"], before["best"])


def test_a_quantity_can_be_asked_to_be_better_and_nothing_to_change(pairs: Talk) -> None:
    pairs.do("POST", "/adjustments", name="price")
    pairs.do("POST", "/adjustments")
    given = [each["answer"] for each in pairs.get("/answers")["answers"]]
    assert given == [{"change": {"name": "price"}}, {"change": {}}]
    assert pairs.get("/export")["events"][1]["besides"] == [["price", None]]


def test_one_wish_may_be_repeated(pairs: Talk) -> None:
    for _ in range(2):
        pairs.do("POST", "/adjustments", name="price")
    assert pairs.state["answered"] == 2


def test_an_adjustment_that_makes_no_sense_is_refused(pairs: Talk) -> None:
    kind = pairs.state["best"]["values"]["kind"]
    assert f"kind is {kind} already" in refused(pairs, "/adjustments", name="kind", value=kind)
    assert "'lid' cannot be changed" in refused(pairs, "/adjustments", name="lid", value=1)
    assert "name the attribute" in refused(pairs, "/adjustments", value=1).lower()
    assert "Unexpected" in refused(pairs, "/adjustments", option=1)


def test_an_adjustment_happens_once_and_not_to_another_version(pairs: Talk) -> None:
    first = pairs.send("POST", "/adjustments", name="price", key="a key for it")
    again = pairs.send("POST", "/adjustments", name="price", key="a key for it")
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json()["version"] == 1
    late = pairs.send("POST", "/adjustments", name="price", key="another key")
    assert (late.status_code, late.json()["current"]) == (409, 1)
    other = pairs.send("POST", "/adjustments", key="a key for it")
    assert (other.status_code, other.json()["type"].rsplit("/", 1)[-1]) == (422, "key-reused")


# How it begins


@pytest.mark.parametrize(("policy", "size"), [("comparisons", 2), ("conversation", 4)])
def test_what_is_usual_is_written_down(call: Caller, policy: str, size: int) -> None:
    talk = Talk(call, policy=policy)
    assert talk.state["strategy"] == {"name": "bayes", "set_size": size, "differences": None, "policy": policy}
    strategy = talk.get("/export")["strategy"]
    assert (strategy["policy"], strategy["set_size"]) == (policy, size)


def test_only_bayes_has_a_policy(call: Caller) -> None:
    body = {"catalogue": "tea", "strategy": "random", "policy": "conversation"}
    reply = call("POST", "/api/v1/interviews", json=body)
    assert (reply.status_code, "random has no option 'policy'" in reply.json()["detail"]) == (422, True)
    assert call("POST", "/api/v1/interviews", json={"catalogue": "tea", "policy": "monologue"}).status_code == 422
