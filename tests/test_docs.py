"""What the documentation shows is run: every Python block, every catalogue, every command; and its links lead on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from setmargin import load, loads, oracle_for
from setmargin.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


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


COMMANDS = typer.main.get_command(app)


def commands_of(text: str) -> Iterator[list[str]]:
    """The words of each command of a block; other programs than ours are few."""
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["setmargin"]:
            yield words[1:]
        else:
            assert words[:1] in ([], ["make"], ["python"], ["pip"]), line


@pytest.mark.parametrize("text", blocks("sh"))
def test_commands_in_the_documentation_are_understood(text: str) -> None:
    for words in commands_of(text):
        command: object = COMMANDS
        while hasattr(command, "commands") and words:
            command = command.commands[words.pop(0)]
        asked = [word for word in words if word != "--help"]
        with command.make_context("setmargin", asked):  # type: ignore[attr-defined]  # refuses what is wrong
            pass


WAITS = ("serve", "reproduce")
"""Commands that a tutorial shows, and that go on for longer than a test may."""


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_a_tutorial_can_be_followed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, text in re.findall(r"```(yaml|sh)\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        if kind == "yaml":
            (tmp_path / "lamp.yaml").write_text(text, encoding="utf-8")
            continue
        for words in commands_of(text):
            if words[0] not in WAITS:
                here = ["--jobs", "1"] if words[0] == "compare" else []  # other processes take longer than the work
                found = CliRunner().invoke(app, [*words, *here], input="1\n" * 40)
                assert found.exit_code == 0, f"{words}: {found.output} {found.exception}"
        if "Seven lamps are left" in page.read_text("utf-8"):
            last = load(tmp_path / "lamp.yaml")
            assert oracle_for(last).count() == (7 if last.rules else 9)


def headings(text: str) -> set[str]:
    """The anchors of a page, as the site and the usual host make them."""
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", plain, re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    site = "https://setmargin.github.io/setmargin/"
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text):
        if target.startswith(site):
            place = ROOT / "docs" / f"{target.removeprefix(site).strip('/') or 'index'}.md"
        elif "://" in target:
            place = ROOT / target.partition("/main/")[2] if "/main/" in target else page
        else:
            place = (page.parent / target).resolve() if target else page
        if place.relative_to(ROOT / "docs" if "docs" in place.parts else ROOT).as_posix() in GENERATED:
            continue
        assert place.exists(), target
        assert not anchor or anchor in headings(place.read_text("utf-8")), f"{target}#{anchor}"


GENERATED = {f"reference/{name}.md" for name in ("python", "command-line", "catalogue-schema", "rest")}


def test_the_reference_is_written_from_the_program_and_every_page_is_in_the_navigation() -> None:
    pytest.importorskip("mkdocs", reason="mkdocs, which builds the site, is not installed")
    from scripts.site_hooks import generated_pages, with_equations

    pages = generated_pages()
    assert set(pages) == GENERATED
    for name in ("interview.interview.Interview", "space.space.Space"):
        assert f"::: setmargin.{name}\n    options:\n      inherited_members: true\n" in pages["reference/python.md"]
    assert "::: setmargin.strategies.bayes.strategy.Bayes\n\n" in pages["reference/python.md"]
    assert "## setmargin database " in pages["reference/command-line.md"]
    assert "## POST /api/v1/interviews\n" in pages["reference/rest.md"]
    assert "| `catalogue` (needed) |" in pages["reference/catalogue-schema.md"]
    assert with_equations("a $x$ and `$y$`").startswith("a <math")
    shown = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE))
    docs = ROOT / "docs"
    assert shown == GENERATED | {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}


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
