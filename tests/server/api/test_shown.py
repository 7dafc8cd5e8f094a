"""What was shown is what was answered, on every server and after every detour, whatever each of them would ask."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from setmargin.interview.interview import Interview
from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from setmargin.server.store import GivenQuestion, Store
from setmargin.server.work.job import Job
from setmargin.server.work.sessions import Sessions
from setmargin.space.catalogue import loads
from tests.server.api.calling import API, TEA, Caller, Talk, calling
from tests.server.api.inline import InlinePool


class OwnMind(Sessions):
    """Asks what no other process would ask, as a strategy may that stops by the clock."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def _opened(self, job: Job, *more: Any) -> Interview:
        return super()._opened(replace(job, seed=job.seed + 1000 * self._number), *more)


def thinking(number: int) -> InlinePool:
    pool = InlinePool()
    pool.sessions = OwnMind(number)
    return pool


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shown") / "setmargin.db"


@pytest.fixture(scope="module")
def servers(file: Path) -> Iterator[list[Caller]]:
    """Three servers on one database, each with a mind of its own; every test has interviews of its own."""
    settings = Settings(database=f"sqlite:///{file}", catalogues=(loads(TEA).document(),), rate=0)
    with ExitStack() as stack:
        apps = [
            create_app(settings, make_pool=lambda _, number=number: thinking(number))  # type: ignore[misc]
            for number in range(3)
        ]
        yield [stack.enter_context(calling(app)) for app in apps]


def begun(servers: list[Caller]) -> tuple[Talk, list[Talk]]:
    """An interview on the first server, and the same one through each of them."""
    first = Talk(servers[0], strategy="random")
    talks = []
    for call in servers:
        talk = object.__new__(Talk)
        talk.call, talk.state = call, first.state
        talks.append(talk)
    return first, talks


def answered(talk: Talk) -> list[list[dict[str, Any]]]:
    return [[option["values"] for option in given["options"]] for given in talk.get("/answers")["answers"]]


def shown(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [option["values"] for option in state["question"]["options"]]


def test_each_of_these_servers_would_ask_something_else(servers: list[Caller]) -> None:
    states = [Talk(call, strategy="random").state for call in servers]
    assert len({state["question"]["id"] for state in states}) == 3


def test_any_server_takes_the_answer_to_what_any_other_has_shown(servers: list[Caller]) -> None:
    first, talks = begun(servers)
    state, seen = first.state, []
    for number in range(6):
        talk = talks[(number + 1) % 3]
        talk.state = state
        assert talks[number % 3].get()["question"] == state["question"]
        seen.append(shown(state))
        state = talk.do("POST", "/answers", answer={"choice": 0}, question=state["question"]["id"])
    assert answered(talks[2]) == seen


def test_an_answer_that_names_no_question_is_to_the_one_that_was_shown(servers: list[Caller]) -> None:
    first, (_, second, _) = begun(servers)
    second.tell(1)
    assert answered(second) == [shown(first.state)]


def test_an_answer_to_another_question_is_refused_and_changes_nothing(servers: list[Caller]) -> None:
    first, _ = begun(servers)
    other = Talk(servers[1], strategy="random").state["question"]["id"]
    reply = first.send("POST", "/answers", answer={"choice": 0}, question=other)
    problem = reply.json()
    assert (reply.status_code, problem["type"].rpartition("/")[2]) == (409, "other-question")
    assert problem["title"] == "This answers another question"
    assert "load the interview again" in problem["cure"]
    assert first.get()["version"] == 0
    before = first.tell(0)
    reply = first.send("PUT", "/answers/1", answer={"choice": 1}, question=other)
    assert (reply.status_code, reply.json()["type"].rpartition("/")[2]) == (409, "other-question")
    given = first.get("/answers")["answers"][0]["question"]
    assert first.do("PUT", "/answers/1", answer={"choice": 1}, question=given)["version"] == before["version"] + 1


@pytest.mark.parametrize("detour", ["answer", "must-have", "finish", "adjustment"])
def test_undo_comes_back_to_the_question_that_was_shown_there(servers: list[Caller], detour: str) -> None:
    first, (_, second, third) = begun(servers)
    state = first.tell(0)
    second.state = state
    match detour:
        case "answer":
            second.tell(1)
        case "must-have":
            second.do("POST", "/must-haves", rule="cups >= 2")
        case "finish":
            second.do("POST", "/finish")
        case "adjustment":
            second.do("POST", "/adjustments", name="price")
    third.state = second.state
    assert third.do("POST", "/undo")["question"] == state["question"]
    assert first.get()["question"] == state["question"]


def test_the_same_answer_after_an_undo_leads_to_the_same_question(servers: list[Caller]) -> None:
    first, (_, second, third) = begun(servers)
    second.state = after = first.tell(0)
    second.do("POST", "/undo")
    third.state = second.state
    assert third.tell(0)["question"] == after["question"]


def test_a_change_there_and_back_leads_to_the_same_question(servers: list[Caller]) -> None:
    first, (_, second, third) = begun(servers)
    second.state = after = first.tell(0)
    third.state = second.do("PUT", "/answers/1", answer={"choice": 1})
    assert third.do("PUT", "/answers/1", answer={"choice": 0})["question"] == after["question"]


def test_one_key_is_one_interview_with_one_first_question(servers: list[Caller]) -> None:
    body, headers = {"catalogue": "tea", "strategy": "random"}, {"Idempotency-Key": "k" * 16}
    states = [call("POST", f"{API}/interviews", json=body, headers=headers).json() for call in servers]
    assert states[1:] == states[:1] * 2


def test_an_interview_of_an_older_version_gets_its_question_from_whoever_is_asked_first(
    servers: list[Caller], file: Path
) -> None:
    first, talks = begun(servers)
    first.tell(0)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM questions")
    question = talks[1].get()["question"]
    assert question["id"] != first.state["question"]["id"]
    talks[2].state = talks[2].get()
    assert talks[2].state["question"] == question
    talks[2].tell(1)
    assert answered(talks[2])[1] == [option["values"] for option in question["options"]]


def test_an_answer_to_an_interview_of_an_older_version_is_to_a_question_that_is_written_down(
    servers: list[Caller], file: Path
) -> None:
    first, talks = begun(servers)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM questions")
    reply = talks[1].send("POST", "/answers", answer={"choice": 0}, question=first.state["question"]["id"])
    assert reply.status_code == 409
    assert talks[2].get()["question"]["id"] != first.state["question"]["id"]


def test_two_servers_that_give_a_question_at_once_give_one(file: Path, servers: list[Caller]) -> None:
    first, talks = begun(servers)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM questions")
    with Store.open(f"sqlite:///{file}") as store:
        ours = GivenQuestion("", None)
        assert store.give(first.state["id"], 0, ours) == ours
        assert store.give(first.state["id"], 0, GivenQuestion("other", {})) == ours
    assert talks[1].get()["done"]


def test_a_server_that_is_behind_notices_when_it_writes(servers: list[Caller]) -> None:
    """It remembers what it wrote last, and others have written since."""
    first, (_, second, _) = begun(servers)
    first.tell(0)
    second.state = dict(first.state)
    second.tell(1)
    reply = first.send("POST", "/answers", answer={"choice": 0})
    assert reply.status_code == 409
    assert reply.json()["current"] == 2
    first.state = second.state
    assert first.tell(0)["version"] == 3
    assert len(answered(second)) == 3


def test_an_export_goes_on_with_the_question_that_is_shown(servers: list[Caller]) -> None:
    first, (_, second, _) = begun(servers)
    second.state = state = first.tell(0)
    loaded = Interview.from_document(second.get("/export"))
    question = loaded.ask()
    assert question is not None
    assert (question.id, [dict(each) for each in question.options]) == (state["question"]["id"], shown(state))
