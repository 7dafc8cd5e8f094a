"""What the documentation shows is run: every Python block, every catalogue, every command's options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from setmargin import loads, oracle_for
from setmargin.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[object]:
    found: list[object] = []
    for page in PAGES:
        for number, match in enumerate(re.finditer(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)):
            found.append(pytest.param(match[1], id=f"{page.name}:{number}"))
    return found


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "<documentation>", "exec"), {"__name__": "documentation"})
    printed = capsys.readouterr().out
    for line in re.findall(r"print\(.*\)\s+# (\d+), exactly", code):
        assert line in printed


@pytest.mark.parametrize("text", blocks("yaml"))
def test_catalogues_in_the_documentation_load(text: str) -> None:
    assert (oracle_for(loads(text)).count() or 0) > 1


@pytest.mark.parametrize("text", blocks("sh"))
def test_commands_in_the_documentation_exist_with_their_options(text: str) -> None:
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if words[:1] != ["setmargin"]:
            assert words[:1] in ([], ["make"], ["python"]), line
            continue
        help_text = CliRunner().invoke(app, [words[1], "--help"]).output
        for option in (word for word in words if word.startswith("--")):
            assert option in help_text, f"{words[1]} has no {option}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
