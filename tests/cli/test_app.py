from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

from setmargin.space.document import schema
from tests.cli.running import Shell

HEAVY = ("numpy", "scipy", "highspy", "yaml", "jsonschema", "lark", "rich", "setmargin.interview.interview")


def test_the_version_is_that_of_the_package(shell: Shell) -> None:
    result = shell("--version")
    assert (result.code, result.out) == (0, f"setmargin {version('setmargin')}\n")


def test_python_dash_m_is_the_same_command() -> None:
    done = subprocess.run([sys.executable, "-m", "setmargin", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"setmargin {version('setmargin')}\n"


@pytest.mark.parametrize("command", ["interview", "check", "catalogues", "schema", "simulate", "serve"])
def test_every_command_is_listed_and_explains_itself(shell: Shell, command: str) -> None:
    assert f"\n  {command} " in shell("--help").out
    assert f"Usage: setmargin {command}" in shell(command, "--help").out


def test_nothing_heavy_is_imported_for_the_help() -> None:
    code = f"import sys, setmargin.cli; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("chek", "no such command 'chek'"),
        ("check", "missing argument"),
        ("check pc --nope", "no such option: --nope"),
        ("interview pc --questions 0", "--questions is 0; give 1 or more"),
        ("interview pc --questions x", "--questions: 'x' is not a whole number"),
        ("interview pc --set-size x", "--set-size: 'x' is not a whole number"),
        ("interview pc --answers foo", "--answers: 'foo' is not one of 'choice', 'pairs', 'ranking', 'sort'"),
        ("interview pc --seed -1", "the seed is -1; give a whole number that is not negative"),
        ("simulate pc --wrong x", "--wrong: 'x' is not a number"),
    ],
)
def test_wrong_usage_is_one_plain_line(shell: Shell, arguments: str, said: str) -> None:
    result = shell(*arguments.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"setmargin: {said}")
    assert result.err.count("\n") == 1


def test_no_argument_at_all_shows_the_help(shell: Shell) -> None:
    result = shell()
    assert "Usage: setmargin" in result.out + result.err


def test_a_mistake_is_one_line_on_stderr_and_exit_code_2(shell: Shell) -> None:
    result = shell("check", "bycicle")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("setmargin: bycicle: ")
    assert "did you mean bicycle?" in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("command", [["check", "pc"], ["schema"], ["catalogues", "--json"]])
def test_a_closed_pipe_is_a_quiet_end(command: list[str]) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "setmargin", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout
    assert running.stderr
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait() in (0, 1)


def test_ctrl_c_is_a_quiet_exit_130(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("setmargin.space.catalogue.load", interrupted)
    result = shell("check", "pc")
    assert result == (130, "", "")


def test_the_schema_is_the_published_one(shell: Shell) -> None:
    result = shell("schema")
    assert result.code == 0
    assert json.loads(result.out) == schema()
