"""Every command line of the documentation runs as it is written; those that take long do a little of their work."""

from __future__ import annotations

import re
import shlex
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from setmargin import Interview
from setmargin.cli.commands import serve
from setmargin.experiments import Experiment
from setmargin.server.store import Store
from setmargin.space.catalogue import dumps, load
from tests.cli.running import Shell

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OLDER = [
    "setmargin compare --catalogue pc --strategy qi --strategy bayes --option particles=5000 --option bayes.people=512"
]
"""What earlier versions of the documentation showed."""
SHORT = {"interview": "", "simulate": "--people 1 --questions 1"}
"""What makes a command quick; where an option is given twice, the last one counts."""


def command_lines() -> list[str]:
    """Those of shell blocks, and those between the lines that are whole: with a catalogue, a file or a figure."""
    found = list(OLDER)
    for page in PAGES:
        text = page.read_text("utf-8")
        for block in re.findall(r"```(?:sh)?\n(.*?)```", text, re.DOTALL):
            found += [line.partition("#")[0].strip() for line in block.splitlines() if line.startswith("setmargin ")]
        found += re.findall(r"`(setmargin \w+ [^`|]*)`", text)
    return sorted({line for line in found if "FILE" not in line})


@cache
def files() -> dict[str, str]:
    """What the files hold that the documentation speaks of: catalogues of one's own, and blocks of its pages."""
    pages = {name: (ROOT / f"docs/{name}.md").read_text("utf-8") for name in ("catalogues", "experiments", "lists")}
    bicycle = dumps(load("bicycle"))
    found = {f"{name}.yaml": bicycle for name in ("mine", "lamp", "my-bikes")}
    found["shop.yaml"] = bicycle.replace("bicycle", "shop", 1)
    for page, block, name in (
        ("experiments", "text\n(name: noise\n.*?)", "noise.yaml"),
        ("catalogues", "yaml\n(catalogue: lamp\nlanguages.*?)", "shop/lamp.yaml"),
        ("catalogues", "yaml\n(catalogue: lamp  .*?)", "lamps.yaml"),
        ("lists", "csv\n(.*?)", "products.csv"),
        ("lists", "text\n(features.*?)", "sandwich.uvl"),
    ):
        shown = re.search(f"```{block}```", pages[page], re.DOTALL)
        assert shown, name
        found[name] = shown[1]
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with these files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SETMARGIN_DATABASE", f"sqlite:///{tmp_path / 'setmargin.db'}")
    (tmp_path / "shop").mkdir()
    for name, text in files().items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


class Ready(Exception):
    """All that stands before the work is done."""


@pytest.fixture
def experiments(monkeypatch: pytest.MonkeyPatch) -> list[Experiment]:
    """Those that would have been run: of each, one person gets one question in the first and the last setting."""
    found: list[Experiment] = []

    def run_a_little(experiment: Experiment, out: Path, **_: Any) -> None:
        for setting in {experiment.settings[0], experiment.settings[-1]}:
            assert len(replace(setting, questions=1).run(1)) == 1
        assert out.name
        found.append(experiment)

    monkeypatch.setattr("setmargin.cli.run.run_grid", run_a_little)
    return found


def test_there_are_command_lines_of_every_kind() -> None:
    kinds = {line.split()[1] for line in command_lines()}
    assert kinds >= {"catalogues", "check", "compare", "interview", "reproduce", "serve", "simulate"}
    assert len(command_lines()) > 25


@pytest.mark.parametrize("line", command_lines())
def test_it_runs(
    line: str, shell: Shell, experiments: list[Experiment], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    _, command, *arguments = shlex.split(line)
    if command == "certain":
        begun = Interview("synthetic:2")
        begun.tell(0)
        begun.save(folder / "me.json")
    if command == "serve" and "--help" not in arguments:

        def no_listening(host: str, port: int) -> None:
            assert (host, port > 0) == ("127.0.0.1", True)
            raise Ready

        monkeypatch.setattr(serve, "_listening", no_listening)
        with pytest.raises(Ready):
            shell(command, *arguments)
        assert (folder / "setmargin.db").exists()
        return
    if command == "database":
        with closing(Store.open(f"sqlite:///{folder / 'setmargin.db'}")) as store:
            store.put_catalogue("shop", load("bicycle").document())
    result = shell(command, *arguments, *SHORT.get(command, "").split(), typed="1\nt\n")
    assert (result.code, result.err) == (0, "")
    assert result.out or experiments
    assert len(experiments) == (command in ("compare", "reproduce"))
