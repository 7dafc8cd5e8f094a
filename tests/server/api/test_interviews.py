from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from setmargin.answers import from_document
from setmargin.interview.interview import Interview
from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from setmargin.space.catalogue import loads
from setmargin.strategies.bayes.strategy import Bayes
from setmargin.strategies.registry import make_strategy
from tests.server.api.calling import API, OWNER, TEA, Caller, Talk, calling
from tests.server.api.inline import InlinePool


def shown(interview: Interview) -> list[dict[str, Any]] | None:
    question = interview.ask()
    return None if question is None else [dict(option) for option in question.options]


def asked(state: dict[str, Any]) -> list[dict[str, Any]] | None:
    return state["question"] and [option["values"] for option in state["question"]["options"]]


STEPS = st.lists(
    st.one_of(
        st.sampled_from([{"choice": 0}, {"choice": 1}, {"equal": True}, {"skip": True}, {"ranking": [1, 0]}]),
        st.sampled_from(["undo", "require cups >= 2", "require price <= 12", "drop cups>=2", "finish"]),
        st.tuples(st.integers(1, 3), st.sampled_from([{"choice": 0}, {"equal": True}])),
    ),
    max_size=7,
)


def in_python(interview: Interview, step: Any, finished: bool) -> bool:
    """The same step on an interview in Python; says whether it is finished then."""
    match step:
        case dict():
            interview.tell(from_document(step))
        case (number, answer):
            interview.change(number - 1, from_document(answer))
        case "undo" if not finished:
            interview.undo()
        case str() if step.startswith("require"):
            interview.require(step.removeprefix("require "))
        case str() if step.startswith("drop"):
            interview.drop(step.removeprefix("drop "))
        case "finish":
            return True
    return False


def through_api(talk: Talk, step: Any) -> None:
    match step:
        case dict():
            talk.do("POST", "/answers", answer=step)
        case (number, answer):
            talk.do("PUT", f"/answers/{number}", answer=answer)
        case "undo":
            talk.do("POST", "/undo")
        case str() if step.startswith("require"):
            talk.do("POST", "/must-haves", rule=step.removeprefix("require "))
        case str() if step.startswith("drop"):
            query = {"rule": step.removeprefix("drop "), "version": talk.state["version"]}
            reply = talk.call("DELETE", f"{talk.place}/must-haves", params=query)
            assert reply.status_code == 200, reply.text
            talk.state = reply.json()
        case "finish":
            talk.do("POST", "/finish")


def is_possible(interview: Interview, step: Any, finished: bool) -> bool:
    match step:
        case dict():
            return not finished and interview.ask() is not None
        case (number, _):
            return bool(number <= len(interview.history))
        case "undo":
            return finished or bool(interview.events)
        case str() if step.startswith("drop"):
            return "cups >= 2" in interview.must_haves
    return True


@settings(derandomize=True, deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, strategy=st.sampled_from(["bayes", "random"]))
def test_an_interview_through_the_api_is_the_interview_in_python(call: Caller, steps: list[Any], strategy: str) -> None:
    talk = Talk(call, strategy=strategy)
    options = {"policy": "comparisons", "set_size": 2} if strategy == "bayes" else {}
    twin, finished = Interview(loads(TEA), make_strategy(strategy, **options), seed=3), False
    for step in steps:
        if is_possible(twin, step, finished):
            finished = in_python(twin, step, finished)
            through_api(talk, step)
        assert talk.state == talk.get()
        assert asked(talk.state) == (None if finished else shown(twin))
        assert talk.state["best"]["values"] == dict(twin.recommend().configuration)
        assert talk.state["must_haves"] == list(twin.must_haves)
        assert talk.state["answered"] == twin.belief.answered
        assert (talk.state["finished"] is not None) == finished
    twin.ask()  # what is asked is a part of it, unless the interview is finished
    kept = {name: part for name, part in twin.document().items() if name != "question" or not finished}
    assert talk.get("/export") == kept
    again = Interview.from_document(talk.get("/export"))
    assert (again.events, again.recommend()) == (twin.events, twin.recommend())
    result = talk.get("/recommendation")
    assert result["best"]["values"] == dict(twin.recommend().configuration)
    assert {each["name"]: each["share"] for each in result["importance"]} == twin.explain().importance
    assert [each["answer"] for each in talk.get("/answers")["answers"]] == [
        each["answer"] for each in result["answers"]
    ]


def test_a_whole_interview_ends_with_what_the_person_likes(talk: Talk) -> None:
    while talk.state["question"]:
        options = talk.state["question"]["options"]
        talk.tell(min((0, 1), key=lambda number: options[number]["amounts"]["price"]))
    assert talk.state["done"]
    assert talk.state["best"]["values"] == {"kind": "black", "cups": 1, "pot": "glass"}
    assert talk.state["best"]["amounts"] == {"price": 8.0}
    assert talk.do("POST", "/finish")["finished"] == talk.state["best"]


def test_on_either_database_an_interview_survives_a_restart(database: str, options: Settings) -> None:
    settings = replace(options, database=database)
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        talk = Talk(call, strategy="random")
        for _ in range(6):
            talk.tell(0)
        talk.do("PUT", "/answers/2", answer={"equal": True})
    with calling(create_app(settings, make_pool=InlinePool)) as call:
        assert call("GET", talk.place).json() == talk.state


def test_a_new_interview_says_where_it_is_and_begins_with_its_must_haves(call: Caller) -> None:
    body = {
        "catalogue": "tea",
        "must_haves": ["kind = green", "cups>=2"],
        "set_size": 3,
        "differences": 2,
        "until": 0.1,
    }
    reply = call("POST", f"{API}/interviews", json=body)
    assert reply.status_code == 201
    state = reply.json()
    assert reply.headers["Location"] == f"{API}/interviews/{state['id']}"
    assert (state["version"], state["must_haves"], state["undo_of"]) == (2, ["kind = green", "cups>=2"], "must-have")
    policy = state["strategy"].pop("policy")
    assert policy == Bayes().policy
    assert state.pop("strategy") == {"name": "bayes", "set_size": 3, "differences": 2}
    assert state.items() <= call("GET", reply.headers["Location"]).json().items()
    assert {option["values"]["kind"] for option in state["question"]["options"]} == {"green"}


def test_the_question_has_a_route_of_its_own_until_there_is_none(talk: Talk) -> None:
    assert talk.get("/question") == {"version": 0, "question": talk.state["question"], "done": False}
    talk.do("POST", "/finish")
    assert talk.get("/question") == {"version": 1, "question": None, "done": True}


def test_names_differ_or_are_alike_and_none_is_missing(talk: Talk) -> None:
    question = talk.state["question"]
    options = [{**option["values"], **option["amounts"]} for option in question["options"]]
    assert sorted(question["differing"] + question["alike"]) == ["cups", "kind", "pot", "price"]
    for name in options[0]:
        assert (len({option[name] for option in options}) > 1) == (name in question["differing"])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"choice": 2}, "option 2 was chosen, but the options are 0 to 1"),
        ({"ranking": [0, 0]}, "must name each of the options 0 to 1 once"),
        ({"ranking": [0, 1, 2]}, "must name each of the options 0 to 1 once"),
    ],
)
def test_an_answer_that_does_not_fit_the_question_changes_nothing(
    talk: Talk, answer: dict[str, Any], said: str
) -> None:
    reply = talk.send("POST", "/answers", answer=answer)
    assert reply.status_code == 422
    assert said in reply.json()["detail"]
    assert talk.get() == talk.state


@pytest.mark.parametrize(
    "body",
    [
        {"answer": {"choice": 0}},
        {"version": 0},
        {"version": 0, "answer": {}},
        {"version": 0, "answer": {"choice": 0, "skip": True}},
        {"version": 0, "answer": {"choice": "0"}},
        {"version": 0, "answer": {"choice": True}},
        {"version": 0, "answer": {"choice": -1}},
        {"version": 0, "answer": {"equal": False}},
        {"version": 0, "answer": {"equal": 1}},
        {"version": 0, "answer": {"ranking": "01"}},
        {"version": 0.5, "answer": {"choice": 0}},
        {"version": "0", "answer": {"choice": 0}},
        {"version": 0, "answer": {"choice": 0}, "more": 1},
        [],
        None,
    ],
)
def test_what_is_no_answer_is_refused_before_anything_is_done(talk: Talk, body: object) -> None:
    reply = talk.call("POST", f"{talk.place}/answers", json=body)
    assert reply.status_code == 422
    assert reply.json()["type"].endswith("/validation")
    assert talk.get()["version"] == 0


def interviews(call: Caller) -> int:
    summary = call("GET", f"{API}/owner/summary", headers=OWNER).json()
    count: int = summary["catalogues"][0]["interviews"]
    return count


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"strategy": "nonsense"}, "strategy"),
        ({"strategy": "random", "until": 0.1}, "random has no option 'until'"),
        ({"set_size": 7}, "set_size"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**53}, "seed"),
        ({"until": 1.0}, "until"),
        ({"differences": 0}, "differences"),
        ({"must_haves": ["kind = "]}, "kind ="),
        ({"must_haves": ["colour = red"]}, "colour"),
        ({"must_haves": ["kind = green"] * 51}, "must_haves"),
        ({"must_haves": ["x" * 501]}, "must_haves"),
        ({"shoe": 1}, "shoe"),
    ],
)
def test_an_interview_that_cannot_begin_is_not_stored(call: Caller, wanted: dict[str, Any], said: str) -> None:
    before = interviews(call)
    reply = call("POST", f"{API}/interviews", json={"catalogue": "tea", **wanted})
    assert reply.status_code == 422
    assert said in reply.json()["detail"]
    assert interviews(call) == before


def test_numbers_that_are_none_are_refused(call: Caller) -> None:
    for text in ("NaN", "Infinity", "1e999"):
        content = f'{{"catalogue": "tea", "until": {text}}}'.encode()
        reply = call("POST", f"{API}/interviews", content=content, headers={"Content-Type": "application/json"})
        assert (reply.status_code, reply.headers["Content-Type"]) == (422, "application/problem+json")


def test_an_impossible_must_have_comes_back_with_the_smallest_conflict(talk: Talk) -> None:
    talk.do("POST", "/must-haves", rule="cups >= 2")
    talk.do("POST", "/must-haves", rule="kind = white")
    reply = talk.send("POST", "/must-haves", rule="pot = clay")
    assert reply.status_code == 409
    problem = reply.json()
    assert problem["type"].endswith("/impossible")
    assert sorted(problem["conflict"]) == ["kind = white", "pot = clay"]
    assert talk.get() == talk.state


def test_a_must_have_that_is_not_in_force_cannot_be_dropped(talk: Talk) -> None:
    reply = talk.call("DELETE", f"{talk.place}/must-haves", params={"rule": "cups >= 2", "version": 0})
    assert (reply.status_code, talk.get()["version"]) == (422, 0)
    assert "there is no must-have" in reply.json()["detail"]


def test_undo_says_what_it_takes_back_and_has_an_end(talk: Talk) -> None:
    assert (talk.state["can_undo"], talk.state["undo_of"]) == (False, None)
    assert talk.send("POST", "/undo").status_code == 422
    assert talk.tell(0)["undo_of"] == "answer"
    assert talk.do("POST", "/must-haves", rule="cups >= 2")["undo_of"] == "must-have"
    assert talk.do("POST", "/finish")["undo_of"] == "finish"
    for rest in ("must-have", "answer", None):
        assert talk.do("POST", "/undo")["undo_of"] == rest
    assert talk.state["version"] == 6


def test_a_person_may_take_any_configuration_that_can_be_built(talk: Talk) -> None:
    white = {"kind": "white", "cups": 4, "pot": "clay"}
    assert talk.send("POST", "/finish", configuration=white).status_code == 422
    assert talk.send("POST", "/finish", configuration={"kind": "white"}).status_code == 422
    assert talk.do("POST", "/finish", configuration=white | {"pot": "glass"})["finished"]["amounts"] == {"price": 15.0}


def test_an_answer_that_was_never_given_cannot_be_changed(talk: Talk) -> None:
    talk.tell(0)
    reply = talk.send("PUT", "/answers/2", answer={"choice": 1})
    assert (reply.status_code, reply.json()["detail"]) == (422, "there is no answer 2; 1 were given")
    assert talk.do("PUT", "/answers/1", answer={"choice": 1})["answered"] == 1
    assert talk.get("/answers")["answers"][0]["answer"] == {"choice": 1}


def test_the_export_is_a_file_to_keep(talk: Talk) -> None:
    reply = talk.call("GET", f"{talk.place}/export")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="interview.json"'
    assert reply.json()["setmargin"] == 1


def test_an_interview_has_an_end(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setmargin.server.services.interviews.MOST_EVENTS", 2)
    talk.tell(0)
    talk.do("POST", "/undo")
    assert talk.send("POST", "/finish").json()["detail"] == "an interview ends after 2 changes"
