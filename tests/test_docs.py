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


SOURCE = ROOT / "src" / "setmargin"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
HOUSE = re.search(r"src/setmargin/\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)


def test_one_answer_takes_at_most_fifteen_steps_through_files_that_exist() -> None:
    steps = re.findall(r"^(\d+)\. \*\*", ARCHITECTURE, re.MULTILINE)
    named = set(re.findall(r"`([\w/]+\.(?:py|js))`", ARCHITECTURE))
    assert [int(step) for step in steps] == list(range(1, len(steps) + 1))
    assert 10 <= len(steps) <= 15
    assert len(named) > 20
    assert not [name for name in sorted(named) if not (SOURCE / name).is_file()]


def test_functions_named_on_the_way_of_an_answer_are_where_it_says() -> None:
    places = re.findall(r"`([\w/]+\.(?:py|js))` \(((?:`[\w.]+`(?:, (?:then )?)?)+)\)", ARCHITECTURE)
    assert len(places) > 10
    for path, functions in places:
        text = (SOURCE / path).read_text("utf-8")
        for function in re.findall(r"`(?:\w+\.)?(\w+)`", functions):
            assert re.search(rf"(?:def |function |^  ){function}\(", text, re.MULTILINE), f"{path} has no {function}"


def test_the_house_shows_every_room_and_no_other() -> None:
    assert HOUSE is not None
    inside = [path for room in ("", "cli", "server", "solve", "strategies") for path in (SOURCE / room).iterdir()]
    rooms = {f"{path.name}/" for path in inside if path.is_dir() and not path.name.startswith("_")}
    assert set(re.findall(r"^ {2,4}(\w+/) ", HOUSE[1], re.MULTILINE)) == rooms
    files = set(re.findall(r"\b(\w+\.py)\b", HOUSE[1]))
    assert {path.name for path in SOURCE.glob("*.py")} - {"__main__.py"} <= files
    assert not [name for name in files if not list(SOURCE.rglob(name))]
