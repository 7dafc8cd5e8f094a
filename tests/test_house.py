"""One definition of everything, and knowledge where it belongs: what linters do not see."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from setmargin.strategies.registry import _HERE as STRATEGIES

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "setmargin"
UNIX_ALONE = {"curses", "fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module by its path."""
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}


def test_every_class_has_a_name_of_its_own_but_for_what_the_api_shows_of_it() -> None:
    places = defaultdict(set)
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(module)
    assert len(places) > 200
    twice = {
        name: where
        for name, where in places.items()
        if len({file for file in where if not file.startswith("documents/")}) > 1
    }
    assert not twice, "rename all but one"


def test_nothing_outside_strategies_tests_the_name_of_one() -> None:
    compared = [
        f"{module}:{node.lineno}"
        for module, tree in modules().items()
        if not module.startswith("strategies/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare | ast.MatchValue)
        and any(isinstance(each, ast.Constant) and each.value in STRATEGIES for each in ast.walk(node))
    ]
    # Not a strategy: the name of the program, of the format of saved interviews, and of a way to pick who is asked.
    others = ("cli/run.py", "interview/saving.py", "experiments/together.py")
    assert not [place for place in compared if place.partition(":")[0] not in others]


def test_no_test_imports_another() -> None:
    tests = [path for path in Path(__file__).parent.rglob("*.py") if path != Path(__file__)]
    imported = [
        f"{path.name}: {name}"
        for path in tests
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for name in [node.module or ""]
        if name.startswith("tests.") and name.rpartition(".")[2].startswith("test_")
    ]
    assert len(tests) > 100
    assert not imported


def test_nothing_imports_at_once_what_is_only_on_unix() -> None:
    files = [path for room in ("src", "tests", "benchmarks", "scripts") for path in (ROOT / room).rglob("*.py")]
    imported = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
        if name in UNIX_ALONE
    ]
    assert len(files) > 500
    assert not imported, "import it in the function that uses it, where the system has it"
