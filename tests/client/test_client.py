from __future__ import annotations

import re
import socket
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from setmargin import client as module
from setmargin.client import Client, ClientError
from setmargin.documents import Changing, Chosen, Skipped, Value, WantedChange
from setmargin.errors import OptionError
from setmargin.interview.interview import Interview
from setmargin.space.catalogue import loads
from setmargin.strategies.bayes.strategy import Bayes
from tests.server.api.calling import TEA
from tests.server.api.listening import BadLine


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client waited, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr("setmargin.client.client.time.sleep", waited.append)
    return waited


def test_the_example_of_its_docstring_runs(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.sub("^    ", "", module.__doc__.split("\n\n")[1], flags=re.MULTILINE)
    code = code.replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace('"bicycle", ', '"bicycle", until=0.3, ')
    exec(code, {"Client": Client})
    assert capsys.readouterr().out.startswith("{'style': ")


def test_it_needs_the_standard_library_only() -> None:
    source = str(Path(module.__file__).parents[2])
    code = f"import sys; sys.path.insert(0, {source!r}); import setmargin.client; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert {name.split(".")[0] for name in done.stdout.split()} - sys.stdlib_module_names == {"__main__", "setmargin"}


def test_an_interview_by_client_is_the_interview_in_python(client: Client) -> None:
    remote = client.start("tea", policy="comparisons", seed=5, must_haves=["cups >= 2"])
    twin = Interview(loads(TEA), Bayes(policy="comparisons", set_size=2), seed=5)
    twin.require("cups >= 2")
    for number in range(4):
        question, same = remote.ask(), twin.ask()
        assert question is not None
        assert same is not None
        assert [dict(option.values) for option in question.options] == [dict(option) for option in same.options]
        assert question.number == number + 1
        remote.tell(number % 2)
        twin.tell(number % 2)
    assert dict(remote.state.best.values) == dict(twin.recommend().configuration)
    twin.ask()  # what is asked now is a part of it
    assert remote.export() == twin.document()
    assert remote.state.must_haves == ("cups >= 2",)


def test_every_verb_does_what_it_says(client: Client) -> None:
    interview = client.start("tea", strategy="random", set_size=3)
    assert interview.rank([2, 0, 1]).answered == 1
    assert interview.equal().answered == 2
    assert interview.skip().answered == 2  # a skip is no answer
    assert interview.change(0, 1).answered == 2
    assert interview.change(1, {"skip": True}).version == 5
    assert [given.answer for given in interview.result().answers] == [Chosen(1), Skipped(True), Skipped(True)]
    assert interview.undo().answered == 1
    assert interview.require("kind = white").must_haves == ("kind = white",)
    assert interview.drop("kind=white").must_haves == ()
    taken: dict[str, Value] = {"kind": "white", "cups": 4, "pot": "glass"}
    finished = interview.finish(taken).finished
    assert finished is not None
    assert (finished.values, finished.amounts) == (taken, {"price": 15.0})
    assert interview.state.undo_of == "finish"
    assert interview.ask() is None
    again = client.resume(interview.id)
    assert again.state == interview.state == again.refresh()


def test_the_result_has_its_reasons(client: Client) -> None:
    interview = client.start("tea")
    while (question := interview.ask()) is not None:
        interview.tell(min((0, 1), key=lambda number: question.options[number].amounts["price"]))
    result = interview.result()
    assert result.best == interview.state.best
    assert {each.name for each in result.importance} == {"kind", "cups", "pot", "price"}
    assert all((each.low or 0) <= each.share <= (each.high or 1) for each in result.importance)
    assert result.stakes == interview.state.stakes
    assert all(other.option != result.best for other in result.alternatives)


def test_catalogues_can_be_listed_read_and_put(client: Client) -> None:
    assert [each.name for each in client.catalogues()][:2] == ["bicycle", "tea"]
    assert client.catalogue("tea").rules == ("kind = white => pot = glass",)
    put = client.put_catalogue("mug", "catalogue: mug\nattributes: {size: [1, 2]}\n")
    assert client.catalogue("mug") == put
    assert client.start("mug").catalogue() == put
    assert {each.name for each in client.summary().catalogues} >= {"tea", "mug"}
    known = client.priors()
    assert (known.learning, known.least) == (False, None)
    assert {each.catalogue: each.used for each in known.catalogues}["mug"] is None


def test_what_a_newer_server_adds_is_passed_over(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = client.catalogues()
    newer = [{**asdict(each), "picture": "mug.svg"} for each in before]
    monkeypatch.setattr(client, "call", lambda *_: {"catalogues": newer, "next": None})
    assert client.catalogues() == before


def test_a_refusal_is_an_error_with_reason_cure_and_conflict(client: Client) -> None:
    interview = client.start("tea", must_haves=["kind = white"])
    with pytest.raises(ClientError) as refused:
        interview.require("pot = clay")
    error = refused.value
    assert (error.status, error.kind, set(error.conflict)) == (409, "impossible", {"kind = white", "pot = clay"})
    assert error.cure == "drop one of the rules in conflict"
    assert "nothing satisfies" in str(error)


def test_the_second_of_two_clients_learns_the_version_and_can_go_on(client: Client) -> None:
    first = client.start("tea")
    second = client.resume(first.id)
    first.tell(0)
    with pytest.raises(ClientError) as refused:
        second.tell(1)
    assert (refused.value.kind, refused.value.current) == ("conflict", 1)
    second.refresh()
    assert second.tell(1).answered == 2


@pytest.mark.parametrize(("times", "pauses"), [(1, []), (3, [0.2, 0.4])])
def test_an_answer_whose_reply_was_lost_is_given_once(
    line: BadLine, waits: list[float], times: int, pauses: list[float]
) -> None:
    with Client(f"127.0.0.1:{line.server_port}") as client:
        interview = client.start("tea")
        line.keys.clear()
        line.fates += ["lost"] * times
        assert interview.tell(0).answered == 1
        assert len(line.keys) == times + 1
        assert len(set(line.keys)) == 1
        assert interview.refresh().version == 1
    assert waits == pauses


def test_an_interview_whose_reply_was_lost_is_started_once(line: BadLine, client: Client) -> None:
    before = _interviews(client)
    with Client(f"127.0.0.1:{line.server_port}") as other:
        other.catalogues()
        line.fates += ["lost"]
        assert other.start("tea").state.version == 0
    assert _interviews(client) == before + 1


def _interviews(client: Client) -> int:
    return sum(each.interviews for each in client.summary().catalogues)


def test_a_busy_server_is_asked_again_when_it_says(line: BadLine, waits: list[float]) -> None:
    with Client(f"127.0.0.1:{line.server_port}") as client:
        line.fates += ["busy", "busy"]
        assert client.start("tea").state.version == 0
        assert waits == [1.0, 1.0]
        line.fates += ["busy"] * 5
        with pytest.raises(ClientError, match="the server answered with status 503"):
            client.catalogues()


def test_what_takes_too_long_is_not_tried_again(line: BadLine, waits: list[float]) -> None:
    with Client(f"127.0.0.1:{line.server_port}") as client:
        line.fates += ["slow"]
        with pytest.raises(ClientError, match="the server answered with status 503"):
            client.catalogues()
    assert waits == []


def test_different_requests_have_different_keys(line: BadLine) -> None:
    with Client(f"127.0.0.1:{line.server_port}") as client:
        interview = client.start("tea")
        interview.tell(0)
        interview.tell(0)
    assert len(set(line.keys)) == 3


def test_a_server_that_is_not_there_is_said_with_the_cure(waits: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ClientError, match=r"no reply from 127\.0\.0\.1.*; see that the server runs") as refused:
        Client(f"http://127.0.0.1:{port}").catalogues()
    assert refused.value.status == 0
    assert len(waits) == 4


@pytest.mark.parametrize("url", ["", "ftp://x", "http://", "http://x:99999", "http://x:port", "http://[::1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(OptionError, match="is no address of a server"):
        Client(url)


def test_a_result_is_previewed_kept_shared_and_asked_on_about(client: Client) -> None:
    interview = client.start("tea", policy="comparisons")
    interview.tell(0)
    preview = next(each for each in interview.previews("kind").previews if each.option)
    assert interview.adjust("kind", preview.value, keep=True).best == preview.option
    shared = client.shared(interview.share())
    assert shared.result.best == preview.option
    assert shared.catalogue.name == "tea"
    answer = interview.preview(0, 1)
    assert (answer.number, answer.before) == (1, preview.option)
    assert interview.ask_on().question is not None


def test_reasons_and_changes_are_told_with_the_same_verbs(client: Client) -> None:
    interview = client.start("tea", policy="conversation", set_size=3, seed=3, until=0.0)
    question = interview.ask()
    assert question is not None
    interview.tell(0, because=question.differing[0])
    interview.equal(because=(interview.ask() or question).differing[:1])
    interview.adjust("price")
    changes = interview.changes()
    assert changes.best == interview.state.best
    assert [(wish.name, wish.value) for wish in changes.besides] == [("price", None)]
    wanted = changes.changes.attributes[0]
    interview.adjust(wanted.name, wanted.values[0].value)
    interview.adjust()
    given = [answer.answer for answer in interview.result().answers]
    change = WantedChange(wanted.name, wanted.values[0].value)
    assert given[0] == Chosen(0, [question.differing[0]])
    assert given[2:] == [Changing(WantedChange("price")), Changing(change), Changing(WantedChange())]
    interview.change(0, Chosen(1, [question.differing[-1]]))
    assert interview.result().answers[0].answer == Chosen(1, [question.differing[-1]])
    with pytest.raises(ClientError, match="the reason 'prize' is unknown"):
        interview.change(0, {"choice": 0, "because": ["prize"]})
