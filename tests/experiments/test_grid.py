"""Grids: everything with everything, once."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from setmargin.errors import InfeasibleSpace, OptionError
from setmargin.experiments.grid import Asker, Experiment, joined, make_grid, without_rules
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load


def test_everything_is_combined_with_everything() -> None:
    grid = make_grid(
        catalogue=["synthetic:3", "synthetic:4"],
        strategy=["random", Asker("perceptron", {"passes": 3})],
        set_size=[2, 3],
        weights=["uniform", "normal"],
        wrong=[0.0, 0.2],
        people=5,
    )
    assert (len(grid.settings), len(grid)) == (32, 160)
    assert len({setting.key for setting in grid.settings}) == 32
    assert {setting.manner for setting in grid.settings} == {"", "passes=3"}


def test_a_part_of_it_has_the_same_people_in_every_setting() -> None:
    grid = make_grid(catalogue=["synthetic:3"], strategy=["random", "perceptron"], people=1000)
    first = [(trial.setting.strategy.name, trial.person) for trial in islice(grid.trials(), 4)]
    assert first == [("random", 1), ("perceptron", 1), ("random", 2), ("perceptron", 2)]


def test_the_same_setting_twice_is_refused() -> None:
    with pytest.raises(OptionError, match=r"synthetic:3, uniform: random \(k = 2\) stands there twice"):
        make_grid(catalogue=["synthetic:3"], strategy=["random", "random"])


def test_empty_experiments_are_refused() -> None:
    with pytest.raises(OptionError, match="nothing to run"):
        make_grid(catalogue=["synthetic:3"], strategy=[])
    with pytest.raises(OptionError, match="0 people"):
        make_grid(catalogue=["synthetic:3"], strategy=["random"], people=0)


def test_a_catalogue_that_leaves_nothing_to_build_is_refused_before_anything_runs(tmp_path: Path) -> None:
    file = tmp_path / "none.yaml"
    file.write_text("catalogue: none\nattributes: {a: [1, 2]}\nrules: [a = 1, a = 2]\n")
    with pytest.raises(InfeasibleSpace, match=r"none\.yaml: nothing satisfies"):
        make_grid(catalogue=[str(file)], strategy=["random"])


def test_without_rules_everything_can_be_built_and_the_name_says_so() -> None:
    free = without_rules(load("pc"))
    assert (free.name, oracle_for(free).count()) == ("pc-without-rules", 710_400)
    assert free.feature_names == load("pc").feature_names
    (setting,) = make_grid(catalogue=["pc"], strategy=["random"], rules=False).settings
    assert setting.space == free


def test_grids_are_joined_in_their_order() -> None:
    parts = [make_grid(catalogue=["synthetic:3"], strategy=["random"], set_size=[k], people=7) for k in (3, 2)]
    whole = joined("both", parts)
    assert isinstance(whole, Experiment)
    assert [setting.strategy.set_size for setting in whole.settings] == [3, 2]
    assert (whole.name, whole.people) == ("both", 7)
