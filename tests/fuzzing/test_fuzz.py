"""The fuzzer in short: nothing that it makes breaks anything, it finds what is broken, and it can show it again."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripts.fuzzing import checking, running
from scripts.fuzzing.catalogues import TEA, catalogue
from scripts.fuzzing.checking import Checked
from scripts.fuzzing.http import Reply, Request
from scripts.fuzzing.rules import Vocabulary, rule
from scripts.fuzzing.running import Judge
from scripts.fuzzing.sessions import Session

from setmargin.errors import SpaceError
from setmargin.space.catalogue import loads
from tests.systems import on_unix

pytestmark = on_unix
WORDS = {"tea": Vocabulary({"kind": ["green", "black"], "cups": [1, 2]}, ["price"])}
claims = settings(derandomize=True, deadline=None, max_examples=15)


def wanted(tmp_path: Path, **more: object) -> argparse.Namespace:
    options = {
        "seed": 0,
        "first": 0,
        "seconds": 300.0,
        "hang": 120.0,
        "think": 10.0,
        "threads": 2,
        "processes": 1,
        "on": ["tea"],
    }
    failures = str(tmp_path / "failures.jsonl")
    counts = {"on": ["tea"], "requests": 0, "catalogues": 0, "replay": None, "json": True}
    return argparse.Namespace(**{**options, **counts, "failures": failures, **more})


def sent_by(session: Session, requests: int, reply: Reply) -> list[bytes]:
    """What a session sends where it always gets the same reply."""
    sent = []

    def send(request: Request) -> Reply:
        sent.append(request.encoded())
        return reply

    session.run(requests, send)
    return sent


def test_a_server_withstands_hostile_requests_and_goes_on(tmp_path: Path) -> None:
    found = running.run(wanted(tmp_path, requests=80))
    assert (found.failures, found.first_failures) == (0, [])
    assert found.requests == 80
    assert {"200", "201", "404", "422"} <= found.statuses.keys()
    assert 0 < found.megabytes < running.MOST_MEGABYTES


def test_the_library_withstands_hostile_catalogues(tmp_path: Path) -> None:
    found = running.run(wanted(tmp_path, catalogues=30))
    assert (found.failures, found.first_failures) == (0, [])
    assert found.catalogues == 30
    assert {"accepted", "refused"} == found.outcomes.keys()


@claims
@given(st.integers(0, 2**32), st.integers(0, 10**6))
def test_a_session_and_a_catalogue_are_the_same_for_the_same_seed(seed: int, number: int) -> None:
    reply = Reply(422, (), b"{}")
    first, again = (sent_by(Session(seed, number, WORDS), 12, reply) for _ in range(2))
    assert first == again
    assert catalogue(seed, number) == catalogue(seed, number)


@claims
@given(st.integers(0, 2**32))
def test_the_grammar_makes_rules_that_can_be_read(seed: int) -> None:
    space = loads(TEA)
    words = Vocabulary({each.name: list(each.values) for each in space.attributes}, ["price"])
    text = rule(random.Random(seed), words)
    said = ""
    try:
        space.with_rules(text)
    except SpaceError as error:
        said = str(error)
    # Numbers that are too large are refused for what they say, not for how it is written.
    assert not said or "too large" in said, said


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        (Reply(200, [("Content-Type", "application/json")], b"{}"), ""),
        (Reply(422), ""),
        (Reply(500), "status 500"),
        (Reply(503), "status 503"),
        (Reply(503, [("Retry-After", "2")]), ""),
        (Reply(0, problem="hang"), "hang"),
        (Reply(0, problem="ConnectionResetError"), "no reply (ConnectionResetError)"),
        (Reply(200, [("Content-Type", "application/json")], b"{"), "no JSON"),
    ],
)
def test_the_judge_finds_what_is_wrong_with_a_reply(tmp_path: Path, reply: Reply, wrong: str) -> None:
    judge = Judge(wanted(tmp_path))
    judge.heard(3, 7, Request("GET", "/"), reply, 0.1)
    kept = Path(judge.wanted.failures)
    records = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    assert [record["why"] for record in records] == ([wrong] if wrong else [])
    assert all((record["session"], record["place"]) == (3, 7) for record in records)
    assert judge.figures.busy == ({"connections": 1} if reply.header("retry-after") else {})


def test_what_a_catalogue_breaks_is_found_and_shown_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = wanted(tmp_path)
    judge = Judge(options)
    judge.checked(Checked(9, "failed", 0.1, 50.0, "Traceback: MemoryError", TEA.encode()))
    assert judge.figures.failures == 1
    seen = []

    def check(_: object, seed: int, number: int, content: bytes | None = None) -> Checked:
        seen.append((seed, number, content))
        return Checked(number, "accepted", 0.1, 50.0)

    monkeypatch.setattr(checking.Checker, "__init__", lambda *_: None)
    monkeypatch.setattr(checking.Checker, "close", lambda *_: None)
    monkeypatch.setattr(checking.Checker, "check", check)
    options.replay = options.failures
    running.replay(options, Judge(options), until=0.0)
    assert seen == [(0, 9, TEA.encode())]


def test_errors_that_are_not_the_package_s_own_are_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checking.check(TEA.encode()) == ("accepted", "")
    outcome, said = checking.check(b"catalogue: [")
    assert (outcome, said.startswith("setmargin: ")) == ("refused", True)
    monkeypatch.setattr("setmargin.cli.commands.check.describe", lambda _: 1 / 0)
    outcome, said = checking.check(TEA.encode())
    assert (outcome, "ZeroDivisionError" in said) == ("failed", True)
