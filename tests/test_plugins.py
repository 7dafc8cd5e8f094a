"""What other packages bring along: by name everywhere, in other processes too; what is wrong with it is said."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import setmargin
from setmargin import load, make_strategy, plugins
from setmargin.errors import OptionError, PluginError
from setmargin.experiments import Response, code, draw_people, make_grid
from setmargin.experiments.code import digest_of
from setmargin.laws.__main__ import main as run_laws
from setmargin.space.catalogue import catalogue_names, prior_named_in
from tests.plugin_site import EXAMPLE, example_site, write_site


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The example package, as if it were installed; gives what PYTHONPATH has to be for other processes."""
    path = example_site(tmp_path)
    for folder in reversed(path.split(os.pathsep)):
        monkeypatch.syspath_prepend(folder)
    plugins._found.cache_clear()
    yield path
    plugins._found.cache_clear()


def test_the_example_is_known_by_name(example: str) -> None:
    del example
    assert "hillclimb" in setmargin.list_strategies()
    assert "tent" in catalogue_names()
    assert prior_named_in("tent") is None
    grid = make_grid(catalogue=["tent"], strategy=["hillclimb"], weights=["thrifty"], response=["hesitant"])
    assert grid.settings[0].strategy == make_strategy("hillclimb")
    assert next(iter(draw_people(load("tent"), 1, weights="thrifty"))).kind == "thrifty"
    assert Response(model="hesitant").of_pair(0.5).tolist() == [0, 0, 1]


def test_the_example_passes_its_own_tests_and_is_compared_in_a_process_of_its_own(example: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": example, "OPENBLAS_NUM_THREADS": "1"}
    out = tmp_path / "out"
    words = ["compare", "--catalogue", "tent", "--strategy", "hillclimb", "--weights", "thrifty", "--people", "2"]
    more = ["--response", "hesitant", "--questions", "3", "--jobs", "1", "--json", "--out", str(out)]
    run = subprocess.run(
        [sys.executable, "-m", "setmargin", *words, *more], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["settings"][0]["strategy"] == "hillclimb"
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE / "tests")]
    passed = subprocess.run(tests, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert passed.returncode == 0, passed.stdout


SCRIPT = """
from dataclasses import dataclass
from setmargin import register
from setmargin.experiments import make_grid, read_records, run_experiment
from setmargin.strategies.rivals.random import RandomStrategy

@register
@dataclass(frozen=True, kw_only=True)
class Mine(RandomStrategy):
    name = "mine"

if __name__ == "__main__":
    grid = make_grid(catalogue=["tent"], strategy=["mine", "hillclimb"], weights=["thrifty"], people=2, questions=2)
    assert sum(step.fresh for step in run_experiment(grid, "out", jobs=2)) == 4
    print(read_records("out")["code"].n_unique())
"""


def test_what_a_package_brings_and_what_a_script_registers_work_in_other_processes(
    example: str, tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": example, "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run([sys.executable, "script.py"], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "2\n"), run.stderr


def test_results_of_other_code_have_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (EXAMPLE / "src" / "setmargin_hillclimb" / "strategy.py").read_text("utf-8")
    commented = source.replace('"""Compares', '"""Always compares').replace("def likeness", "# Near\ndef likeness")
    keys = []
    for number, text in enumerate((source, commented, source.replace("1.0 for", "2.0 for"))):
        (tmp_path / f"mine{number}").mkdir()
        (tmp_path / f"mine{number}" / "climbing.py").write_text(text, encoding="utf-8")
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(tmp_path / f"mine{number}"))
            climbing = importlib.import_module("climbing")
            keys.append(digest_of(climbing.HillClimb))
        del sys.modules["climbing"]
        code._file_of.cache_clear()
    assert keys[0] == keys[1] != keys[2], "words do not count, code does"


def test_the_laws_print_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_laws(["random"]) == 0
    assert "obeyed  no question is asked twice" in capsys.readouterr().out
    assert run_laws(["tests.strategies.broken:Stubborn", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    broken = {law["law"]: law["seen"] for law in found["laws"] if not law["obeyed"]}
    assert found["broken"] == len(broken) > 0
    assert "asked the same question twice" in broken["no question is asked twice"]
    for wrong, said in (("no.such:Thing", "cannot be loaded"), ("json:dumps", "no class of strategies")):
        assert run_laws([wrong]) == 2
        assert said in capsys.readouterr().err


WRONG = {
    "setmargin.strategies": {"gone": "no_such_package:Thing", "other": "json:JSONDecoder", "random": "json:dumps"},
    "setmargin.people": {"short": "wrong_plugin:short"},
    "setmargin.catalogues": {"empty": "wrong_plugin"},
    "setmargin.responses": {"odd": "wrong_plugin:short"},
    "setmargin.solvers": {"none": "wrong_plugin:nothing"},
}


@pytest.fixture
def _wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    write_site(tmp_path, "wrong", WRONG)
    write_site(tmp_path, "twice", {"setmargin.strategies": {"gone": "somewhere:Else", "twice": "a:B"}})
    write_site(tmp_path, "again", {"setmargin.strategies": {"twice": "c:D"}})
    (tmp_path / "wrong_plugin.py").write_text(
        "def short(*_, **__): return [1.0]\ndef nothing(): return None\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins._found.cache_clear()
    yield
    plugins._found.cache_clear()


@pytest.mark.usefixtures("_wrong")
def test_what_cannot_be_used_is_named() -> None:
    with pytest.raises(PluginError, match=r"the strategy 'other' of wrong 1.0 \(json:JSONDecoder\) is no class"):
        make_strategy("other")
    with pytest.raises(PluginError, match=r"again 1.0 and twice 1.0 both bring a strategy 'twice'"):
        make_strategy("twice")
    with pytest.raises(PluginError, match=r"'short' of wrong 1.0 .* draws \(1,\) weights for 9 features"):
        next(draw_people(load("synthetic:3"), 1, weights="short"))
    with pytest.raises(PluginError, match=r"is no package that holds empty\.yaml"):
        load("empty")
    with pytest.raises(PluginError, match="is not derived from"):
        Response(model="odd")
    with pytest.raises(OptionError, match="opens no models"):
        make_strategy("setmargin", solver="none")
    listed = setmargin.list_strategies()
    assert "cannot be loaded" in listed["gone"] or "both bring" in listed["gone"]
    assert listed["random"].startswith("Asks about random"), "a name of our own stays ours"
