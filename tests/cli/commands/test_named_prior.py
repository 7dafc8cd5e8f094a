"""A catalogue that names its prior: commands use it, say where it is wrong, and let another one win."""

from __future__ import annotations

from pathlib import Path

import pytest

from setmargin import Interview, learn_population
from setmargin.cli.commands.serve import _settings
from setmargin.experiments import make_grid
from setmargin.learning import save_prior
from setmargin.strategies.bayes.strategy import Bayes
from tests.cli.running import Shell
from tests.learning.files import written

LINES = ["catalogue: little", "attributes: {a: [x, y], b: [on, off]}"]
LOVED, OTHER = {"a": "y", "b": "off"}, {"a": "x", "b": "off"}


def learnt(file: Path, loved: dict[str, str], catalogue: Path) -> Path:
    save_prior(learn_population(str(catalogue), sales=[loved] * 60), file)
    return file


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    """It names a file in a folder beside it."""
    (tmp_path / "learnt").mkdir()
    file = written(tmp_path / "little.yaml", [*LINES, "prior: learnt/people.yaml"])
    learnt(tmp_path / "learnt" / "people.yaml", LOVED, file)
    return file


def prior_in(strategy: object) -> dict[str, object] | None:
    assert isinstance(strategy, Bayes)
    found: dict[str, object] | None = strategy.options()["prior"]
    return found


def test_an_interview_starts_from_it_unless_another_one_is_given(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    def best(*more: object) -> object:
        found = shell("interview", catalogue, "--json", *more)
        assert found.code == 0, found.err
        return found.document["recommendation"]["configuration"]

    plain = written(tmp_path / "plain.yaml", LINES)
    assert best() == LOVED
    assert best("--prior", learnt(tmp_path / "other.yaml", OTHER, plain)) == OTHER
    without = shell("interview", plain, "--json").document["recommendation"]
    assert best("--prior", "none") == without["configuration"] != LOVED
    assert best("--strategy", "random") is not None


def test_python_knows_it_where_the_file_and_the_strategy_are_named(catalogue: Path) -> None:
    assert Interview(str(catalogue)).recommend().configuration == LOVED
    assert prior_in(Interview(catalogue, "bayes").strategy) is not None
    assert prior_in(Interview(catalogue, Bayes()).strategy) is None


def test_simulations_start_from_it(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    few = ("--people", 2, "--questions", 1, "--jobs", 1, "--json")
    assert shell("simulate", catalogue, *few).code == 0
    assert shell("simulate", catalogue, "--strategy", "eus", *few).code == 0
    compared = shell("compare", "--catalogue", catalogue, "--strategy", "bayes", "--out", tmp_path / "out", *few)
    assert compared.code == 0, compared.err


def test_in_a_grid_each_catalogue_has_its_own(catalogue: Path) -> None:
    grid = make_grid(catalogue=[str(catalogue), "synthetic:2"], strategy=["bayes", "eus"])
    bayes = [setting for setting in grid.settings if setting.strategy.name == "bayes"]
    found = {setting.space.name: prior_in(setting.strategy) is not None for setting in bayes}
    assert found == {"little": True, "synthetic:2": False}
    without = make_grid(catalogue=[str(catalogue)], strategy=[{"name": "bayes", "prior": None}])
    assert prior_in(without.settings[0].strategy) is None


def test_a_prior_of_compare_is_for_strategies_that_start_from_one(
    shell: Shell, catalogue: Path, tmp_path: Path
) -> None:
    few = ("--people", 1, "--questions", 1, "--jobs", 1, "--json", "--out", tmp_path / "out")
    prior = tmp_path / "learnt" / "people.yaml"
    both = shell(
        "compare", "--catalogue", catalogue, "--strategy", "bayes", "--strategy", "eus", "--prior", prior, *few
    )
    assert both.code == 0, both.err
    none = shell("compare", "--catalogue", catalogue, "--strategy", "eus", "--prior", prior, *few)
    assert (none.code, "--prior is for bayes, and not for eus" in none.err) == (2, True)


def test_a_server_gives_it_to_its_catalogue_unless_another_one_is_given(catalogue: Path, tmp_path: Path) -> None:
    def served(*priors: str) -> str:
        settings = _settings([str(catalogue)], "sqlite://", list(priors), workers=1)
        assert "prior" not in settings.catalogues[0]
        return str(settings.priors["little"]["favourites"]["attributes"]["a"]["chances"])

    other = learnt(tmp_path / "other.yaml", OTHER, written(tmp_path / "plain.yaml", LINES))
    assert served() != served(f"little={other}")


def test_check_says_what_it_is(shell: Shell, catalogue: Path) -> None:
    report = shell("check", catalogue, "--json").document["prior"]
    assert (report["people"], report["notes"]) == (60, [])
    assert "60 people" in shell("check", catalogue).out.replace("\n", "")
    assert shell("check", "pc", "--json").document["prior"] is None


@pytest.mark.parametrize("command", ["check", "interview", "simulate", "serve"])
def test_a_file_that_is_missing_is_said_with_line_and_cure(shell: Shell, tmp_path: Path, command: str) -> None:
    catalogue = written(tmp_path / "little.yaml", [*LINES, "prior: nowhere.yaml"])
    found = shell(command, catalogue)
    assert found.code == 2
    assert f"{catalogue}:3: prior: {tmp_path / 'nowhere.yaml'}: cannot be read: No such file" in found.err
    assert "write one with setmargin learn, or leave this line out" in found.err


def test_a_file_about_something_else_is_refused(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other.yaml", ["prior: learnt/people.yaml", "catalogue: o", "attributes: {c: [1, 2]}"])
    found = shell("check", other)
    assert (found.code, f"{other}:1: prior: the prior was learnt with the catalogue little" in found.err) == (2, True)
    assert "nothing in common with o" in found.err
    damaged = written(tmp_path / "learnt" / "people.yaml", ["format: 7"])
    found = shell("check", catalogue)
    assert (found.code, f"{catalogue}:3: prior: {damaged}:1: the format is 7" in found.err) == (2, True)
