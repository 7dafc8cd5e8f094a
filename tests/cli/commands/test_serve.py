from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from urllib.request import urlopen

import pytest

from setmargin.cli.commands import serve
from setmargin.client import Client, ClientError
from setmargin.server.api.running import is_root
from setmargin.server.settings import data_directory
from setmargin.server.store import Store
from tests.cli.running import Shell

TOKEN = "the-owner-of-everything"
MUG = "catalogue: mug\ntitle: Find your mug\nattributes: {size: [1, 2], colour: [red, blue, green]}\n"


@contextmanager
def serving(directory: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server of its own process on a free port, and its address."""
    database = f"sqlite:///{directory}/setmargin.db"
    command = [sys.executable, "-m", "setmargin", "serve", "--port", "0", "--workers", "1", "--database", database]
    with subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "SETMARGIN_OWNER_TOKEN": TOKEN},
    ) as running:
        try:
            assert running.stdout is not None
            line = running.stdout.readline()
            found = re.match(
                r"setmargin serves (http://127\.0\.0\.1:\d+) and keeps interviews in (\S+); stop with", line
            )
            assert found, line + (running.stderr.read() if running.stderr else "")
            assert found[2] == f"{directory}/setmargin.db"
            yield running, found[1]
        finally:
            running.kill()


def test_a_server_serves_page_and_api_and_stops_when_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "mug.yaml").write_text(MUG)
    with serving(tmp_path, str(tmp_path / "mug.yaml"), "--log", "json") as (running, address):
        with urlopen(address) as page:
            assert page.status == 200
            assert b"<html" in page.read().lower()
        with urlopen(f"{address}/ready") as ready:
            assert json.load(ready) == {"status": "ok"}
        with Client(address, token=TOKEN) as client:
            assert [each.title for each in client.catalogues()] == ["Find your mug"]
            interview = client.start("mug")
            for _ in range(2):
                interview.tell(0)
            best = interview.finish().best
            assert client.summary().catalogues[0].finished == 1
        running.send_signal(signal.SIGTERM)
        _, log = running.communicate(timeout=30)
    assert running.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    warned = [line["message"] for line in lines if line["level"] == "warning"]
    assert [text.partition(";")[0] for text in warned] == ["the server runs as root"] * is_root()
    assert [line["route"] for line in lines if line.get("route", "").endswith("answers")] == [
        "/api/v1/interviews/{id}/answers"
    ] * 2
    assert interview.id not in log
    assert TOKEN not in log
    with pytest.raises(ClientError, match="no reply"):
        Client(address, retries=0).catalogues()
    with Store.open(f"sqlite:///{tmp_path}/setmargin.db") as store:
        assert store.interview(interview.id).events[-1] == {"finish": dict(best.values)}


def test_a_server_learns_from_people_who_finished_and_another_one_takes_the_file(tmp_path: Path) -> None:
    mug = tmp_path / "mug.yaml"
    mug.write_text(MUG)
    with (
        serving(tmp_path, str(mug), "--learning", "--learning-least", "10", "--rate", "0") as (_, address),
        Client(address, token=TOKEN) as client,
    ):
        before = client.start("mug")
        for seed in range(10):
            interview = client.start("mug", strategy="random", seed=seed)
            for _ in range(3):
                question = interview.ask()
                assert question is not None
                colours = [option.values["colour"] for option in question.options]
                interview.tell(colours.index("green") if "green" in colours else 0)
            interview.finish()
        (found,) = client.priors().catalogues
        while found.used is None or found.learnt_at == 10:  # it is used before the next time is set
            sleep(0.2)  # what is learnt stands back for requests
            (found,) = client.priors().catalogues
        assert (found.used.version, found.used.people, found.used.source) == (1, 10, "learnt")
        assert (found.finished, found.learnt_at, found.notes) == (10, 12, ())
        after = client.start("mug", seed=1)
        assert after.state.best.values["colour"] == "green"
        assert after.state.best != before.refresh().best
        prior = client.prior("mug", 1)
    assert "10 finished interviews" in prior.document["sources"]
    file = tmp_path / "people.json"
    file.write_text(json.dumps(prior.document))
    (elsewhere := tmp_path / "elsewhere").mkdir()
    with (
        serving(elsewhere, str(mug), "--prior", f"mug={file}") as (_, address),
        Client(address, token=TOKEN) as client,
    ):
        assert [each.used and each.used.source for each in client.priors().catalogues] == ["given"]
        assert client.start("mug", seed=1).state.best == after.state.best


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/setmargin.db"


def test_a_port_that_is_taken_is_said_with_the_cure(shell: Shell, database: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = shell("serve", "pc", "--port", port, "--database", database)
    assert result.code == 2
    assert result.err == (
        f"setmargin: cannot listen on 127.0.0.1 port {port}: address already in use; "
        "choose another --port, or 0 for a free one\n"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "99999"], "65535"),
        (["--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid port 8000"),
        (["--workers", "0"], "0 workers cannot work; give 1 or more"),
        (["--seconds", "0"], "the time limit is 0.0 seconds"),
        (["--uploads"], "uploads need the owner's token; set SETMARGIN_OWNER_TOKEN"),
        (["--learning", "--learning-least", "3"], "learning from 3 people would say too much about each of them"),
        (["--prior", "pc=nowhere.yaml"], "nowhere.yaml: cannot be read"),
        (["--log", "xml"], "--log: 'xml' is not one of"),
        (["--database", "mysql://x"], "there is no store for mysql"),
        (["--database", "sqlite:////nowhere/at/all.db"], "cannot be used"),
        (["bycicle"], "bycicle: there is no such file or shipped catalogue; did you mean bicycle?"),
        (["pc", "pc"], "pc and pc are both called pc; rename one"),
    ],
)
def test_what_cannot_be_served_is_one_plain_line(
    shell: Shell, database: str, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.delenv("SETMARGIN_OWNER_TOKEN", raising=False)
    monkeypatch.setattr("setmargin.space.catalogue.shipped", lambda: ("pc", "bicycle"))
    own = [] if "--database" in options else ["--database", database]
    result = shell("serve", *options, *own)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert result.err.count("\n") == 1


def test_a_token_that_is_too_short_is_refused_without_showing_it(
    shell: Shell, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SETMARGIN_OWNER_TOKEN", "hunter2")
    result = shell("serve", "pc", "--database", database)
    assert (result.code, "hunter2" in result.err) == (2, False)
    assert "SETMARGIN_OWNER_TOKEN has 7 characters" in result.err


def test_rules_that_contradict_each_other_are_said_with_file_and_lines(
    shell: Shell, tmp_path: Path, database: str
) -> None:
    file = tmp_path / "pit.yaml"
    file.write_text("catalogue: pit\nattributes: {size: [1, 2]}\nrules:\n  - size = 1\n  - size = 2\n")
    result = shell("serve", file, "--database", database)
    assert result.code == 2
    assert f"{file} (lines 4, 5): nothing satisfies" in result.err


def test_without_its_extra_it_says_what_to_install(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    result = shell("serve", "pc")
    assert (result.code, result.err) == (2, "setmargin: fastapi is not installed; pip install 'setmargin[web]'\n")


def test_the_usual_database_is_a_file_in_the_users_data_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert data_directory() == tmp_path / "setmargin"
    assert serve._usual_database() == f"sqlite:///{tmp_path}/setmargin/setmargin.db"
    assert (tmp_path / "setmargin").is_dir()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(Exception, match="choose a place with --database"):
        serve._usual_database()


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("fd00::1", "http://[fd00::1]:80"),
        ("shop.example", "http://shop.example:80"),
    ],
)
def test_the_address_is_one_that_a_browser_can_open(host: str, shown: str) -> None:
    assert serve._address(host, 80) == shown


def test_a_password_in_the_address_of_the_database_is_not_shown() -> None:
    assert serve._shown("postgresql://owner:secret@db.example/shop") == "postgresql://owner:***@db.example/shop"
