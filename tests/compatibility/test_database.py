"""A database that an earlier setmargin wrote (commit b44ee99) opens, and reads as it did then.

`interviews.sql` is the dump of its SQLite file, made through its API; `replies.json` is what that API then answered.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from setmargin.interview.interview import Interview
from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from setmargin.server.work.sessions import Sessions
from setmargin.strategies.registry import restore_strategy
from tests.compatibility.reading import as_then
from tests.server.api.calling import API, OWNER, TOKEN, Caller, calling
from tests.server.api.inline import InlinePool

HERE = Path(__file__).parent
REPLIES: dict[str, Any] = json.loads((HERE / "replies.json").read_text(encoding="utf-8"))
INTERVIEWS = sorted(set(REPLIES) - {"summary"})


def as_hurried_as_then(_: Settings) -> InlinePool:
    """The export names the time limit that the strategy was given by its server."""
    work = InlinePool()
    work.sessions = Sessions(seconds=30)
    return work


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    file = tmp_path_factory.mktemp("old") / "setmargin.db"
    with sqlite3.connect(file) as connection:
        connection.executescript((HERE / "interviews.sql").read_text(encoding="utf-8"))
    connection.close()
    settings = Settings(database=f"sqlite:///{file}", owner_token=TOKEN, rate=0)
    with calling(create_app(settings, make_pool=as_hurried_as_then)) as caller:
        yield caller


def get(call: Caller, name: str, path: str = "") -> Any:
    reply = call("GET", f"{API}/interviews/{REPLIES[name]['id']}{path}")
    assert reply.status_code == 200, reply.text
    return reply.json()


def close(document: Any) -> Any:
    """The same document, whose real numbers may differ in the last digits."""
    match document:
        case dict():
            # How many questions are left is estimated otherwise now.
            return {key: ANY if key == "questions_left" else close(part) for key, part in document.items()}
        case list():
            return [close(part) for part in document]
        case float():
            return pytest.approx(document, rel=1e-6, abs=1e-9)
    return document


def test_there_are_interviews_to_read() -> None:
    assert {"bayes", "setmargin", "ranked", "finished"} <= set(INTERVIEWS)


@pytest.mark.parametrize("name", INTERVIEWS)
def test_what_happened_is_read_as_it_was_written(call: Caller, name: str) -> None:
    then = REPLIES[name]
    export = get(call, name, "/export")
    assert as_then(export, then["export"]) | {"strategy": None} == then["export"] | {"strategy": None}
    # Names of options may be newer.
    assert restore_strategy(**export["strategy"]) == restore_strategy(**then["export"]["strategy"])
    assert as_then(get(call, name, "/answers"), then["answers"]) == then["answers"]
    now = get(call, name, "/catalogue")
    assert {part: now[part] for part in then["catalogue"]} == then["catalogue"]


@pytest.mark.parametrize("name", INTERVIEWS)
def test_where_the_interview_stands_is_read_as_it_was_written(call: Caller, name: str) -> None:
    now, then = get(call, name), REPLIES[name]["state"]
    for part in ("id", "version", "catalogue", "strategy", "must_haves", "finished", "done", "can_undo", "undo_of"):
        assert as_then(now[part], then[part]) == then[part]


@pytest.mark.parametrize("name", INTERVIEWS)
def test_what_follows_from_it_is_worked_out_again(call: Caller, name: str) -> None:
    """What strategies expect of people gets better, so the numbers need not be those of then."""
    then, state = REPLIES[name], get(call, name)
    skipped = sum(given["answer"] == {"skip": True} for given in then["answers"]["answers"])  # counted, then
    assert state["answered"] == then["state"]["answered"] - skipped
    assert set(then["state"]) <= set(state)
    assert set(state["best"]["values"]) == set(then["state"]["best"]["values"])
    question = get(call, name, "/question")
    assert set(then["question"]) <= set(question)
    assert get(call, name, "/recommendation")["best"]["values"] == state["best"]["values"]


@pytest.mark.parametrize("name", INTERVIEWS)
def test_an_export_goes_on_in_python(name: str) -> None:
    then = REPLIES[name]
    interview = Interview.from_document(then["export"])
    assert list(interview.must_haves) == then["state"]["must_haves"]
    assert len(interview.history) == len(then["answers"]["answers"]) > 0
    interview.space.check(interview.recommend().configuration)


def test_the_owner_sees_the_same_summary(call: Caller) -> None:
    now = call("GET", f"{API}/owner/summary", headers=OWNER).json()
    for summary in now["catalogues"]:
        summary.pop("left")  # that depends on when one looks
        for newer in set(summary) - set(REPLIES["summary"]["catalogues"][0]):
            summary.pop(newer)
    then = json.loads(json.dumps(REPLIES["summary"]))
    for summary in then["catalogues"]:
        summary.pop("left")
    assert now == close(then)


@pytest.mark.parametrize("name", ["bayes", "ranked", "must-haves"])
def test_an_interview_goes_on(call: Caller, name: str) -> None:
    """Last in this file: it changes what the others read."""
    before = get(call, name)
    place = f"{API}/interviews/{before['id']}"
    reply = call("POST", f"{place}/answers", json={"version": before["version"], "answer": {"choice": 0}})
    assert reply.status_code == 200, reply.text
    assert reply.json()["version"] == before["version"] + 1
    assert len(get(call, name, "/answers")["answers"]) == len(REPLIES[name]["answers"]["answers"]) + 1
