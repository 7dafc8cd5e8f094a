"""What holds for the files of the page without a browser."""

from __future__ import annotations

import gzip
import re
from importlib import resources
from pathlib import Path

PAGE = Path(str(resources.files("setmargin.server"))) / "page"
SCRIPTS = sorted(PAGE.rglob("*.js"))
STYLES = sorted(PAGE.rglob("*.css"))
INDEX = (PAGE / "index.html").read_text(encoding="utf-8")
TEXTS = sorted((PAGE / "texts").glob("*.js"))


def all_of(pattern: str, files: list[Path] = SCRIPTS) -> set[str]:
    return {found for file in files for found in re.findall(pattern, file.read_text("utf-8"))}


def texts_of(file: Path) -> set[str]:
    return set(re.findall(r"^  (\w+):", file.read_text("utf-8"), re.MULTILINE))


def test_every_text_that_is_shown_exists_and_every_text_that_exists_is_shown() -> None:
    written = texts_of(PAGE / "texts" / "en.js")
    speaking = [file for file in SCRIPTS if re.search(r"\btext }", file.read_text("utf-8"))]
    assert all_of(r"(?<![/\w])text\.(\w+)", [*speaking, *TEXTS]) == written
    assert len(written) > 100


def test_every_language_has_the_same_texts_in_the_same_order() -> None:
    first = re.findall(r"^  (\w+):", (PAGE / "texts" / "en.js").read_text("utf-8"), re.MULTILINE)
    for file in TEXTS:
        assert re.findall(r"^  (\w+):", file.read_text("utf-8"), re.MULTILINE) == first, file.name


def test_a_page_load_is_light() -> None:
    """What one visitor loads, in one language, as it is sent: compressed."""
    spoken = [file for file in SCRIPTS if file.parent.name != "texts" or file.stem == "de"]
    weight = sum(len(gzip.compress(file.read_bytes())) for file in [*spoken, *STYLES, PAGE / "index.html"])
    assert weight < 120_000


def test_nothing_on_the_page_is_made_from_markup_or_evaluated() -> None:
    assert all_of(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function") == set()


def test_the_index_has_no_inline_script_or_style() -> None:
    assert not re.search(r"<style|\sstyle=|\son\w+=", INDEX)
    assert re.findall(r"<script[^>]*>(.*?)</script>", INDEX, re.DOTALL) == [""]


def test_no_file_asks_another_place() -> None:
    files = [*SCRIPTS, *STYLES, PAGE / "index.html", PAGE / "icon.svg"]
    assert all_of(r"https?:[^\s\"']*", files) == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert all_of(r"[\"'(]//[^\s\"']*", files) == set()


def test_everything_that_is_loaded_is_there() -> None:
    loaded = [PAGE / path for path in re.findall(r'(?:href|src)="/static/([^"]+)"', INDEX)]
    imported = [
        file.parent / path for file in SCRIPTS for path in re.findall(r'from "(\.[^"]+)"', file.read_text("utf-8"))
    ]
    assert len(loaded) > 5
    assert len(imported) > 20
    assert not [path for path in [*loaded, *imported] if not path.is_file()]


def test_every_script_is_asked_for_at_once() -> None:
    loaded = {PAGE / path for path in re.findall(r'(?:href|src)="/static/([^"]+\.js)"', INDEX)}
    assert loaded == set(SCRIPTS) - {file for file in TEXTS if file.stem != "en"}


def test_nothing_looks_chosen_because_it_was_tapped_last() -> None:
    """Touch screens keep :hover on what was tapped, so it counts only where there is a mouse."""
    for file in STYLES:
        styles = re.sub(r"/\*.*?\*/", "", file.read_text("utf-8"), flags=re.DOTALL)
        without = re.sub(r"@media \(hover: hover\) \{(?:[^{}]|\{[^{}]*\})*\}", "", styles)
        assert ":hover" not in without, file.name


def test_every_class_of_the_styles_is_used() -> None:
    selectors = all_of(r"([^{};]+)\{", STYLES)
    styled = {name for each in selectors for name in re.findall(r"\.([a-z][\w-]*)", re.sub(r"/\*.*?\*/", "", each))}
    scripts = INDEX + "".join(file.read_text("utf-8") for file in SCRIPTS)
    assert {name for name in styled if not re.search(rf"\b{name}\b", scripts)} == set()
