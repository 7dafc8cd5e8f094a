"""Grids: everything with everything, once. What decides a trial is in its key, and a setting survives as text."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from setmargin.errors import ExperimentError, InfeasibleSpace, OptionError
from setmargin.experiments.grid import Experiment, joined, make_grid, without_rules
from setmargin.experiments.people import draw_people
from setmargin.experiments.responses import Response
from setmargin.experiments.setting import Setting, read_setting
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.strategies.registry import make_for_simulation, make_strategy, strategy_names
from tests.experiments.stubs import Scripted


def test_everything_is_combined_with_everything() -> None:
    grid = make_grid(
        catalogue=["synthetic:3", "synthetic:4"],
        strategy=["random", {"name": "perceptron", "passes": 3}],
        set_size=[2, 3],
        weights=["uniform", "normal"],
        wrong=[0.0, 0.2],
        people=5,
    )
    assert (len(grid.settings), len(grid)) == (32, 160)
    assert len({setting.key for setting in grid.settings}) == 32
    assert {setting.unusual_options for setting in grid.settings} == {"", "passes=3"}


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


def setting(**changes: Any) -> Setting:
    usual = Setting(space=load("synthetic:3"), strategy=make_strategy("random"), questions=3)
    return replace(usual, **changes)


def digest_without_code(made: Setting) -> str:
    assert made.code in made.text
    return hashlib.sha256(made.text.replace(made.code, "").encode()).hexdigest()[:12]


def test_keys_change_with_the_code_and_otherwise_stay_what_they_are() -> None:
    # A new number here makes all records of all users anew: raise FORMAT when records change, and only then.
    assert digest_without_code(setting()) == "3ad2f1a58d63"


@pytest.mark.parametrize(("size", "how", "key"), [(2, "pairs", "74e5bbd0e5fb"), (3, "choice", "24d6335d0c74")])
def test_options_that_came_later_leave_keys_as_they_are_where_they_are_not_used(size: int, how: Any, key: str) -> None:
    (made,) = make_grid(catalogue=["synthetic:3"], strategy=["bayes"], set_size=[size], how=[how], questions=3).settings
    assert digest_without_code(made) == key
    assert read_setting(made.text).strategy == made.strategy


def test_where_people_talk_strategies_ask_for_what_they_can_tell() -> None:
    grid = make_grid(catalogue=["synthetic:3"], strategy=["bayes", "random"], reasons=[0.0, 1.0])
    silent, floor, talking, other = grid.settings
    assert (silent.strategy, silent.how) == (make_for_simulation("bayes"), "pairs")
    assert (talking.strategy, talking.how) == (
        make_for_simulation("bayes", policy="conversation", set_size=4),
        "choice",
    )
    assert talking.unusual_options == ""
    assert (floor.strategy, other.strategy) == (make_strategy("random"), make_strategy("random"))
    assert (other.how, other.response) == ("choice", Response(reasons=1.0))


def test_what_is_given_wins_where_people_talk() -> None:
    strategy = {"name": "bayes", "policy": "comparisons"}
    (made,) = make_grid(catalogue=["pc"], strategy=[strategy], set_size=[3], changes=[0.5], how=["ranking"]).settings
    assert (made.strategy.set_size, made.how, made.response.changes) == (3, "ranking", 0.5)
    assert made.unusual_options == "policy=comparisons"


def test_careless_people_who_say_nothing_are_refused() -> None:
    with pytest.raises(OptionError, match=r"careless is 0\.3, but nobody gives reasons or changes; give reasons 1"):
        make_grid(catalogue=["synthetic:3"], strategy=["random"], careless=[0.0, 0.3])


@pytest.mark.parametrize(
    "change",
    [
        {"space": load("synthetic:3x2")},
        {"strategy": make_strategy("random", set_size=3)},
        {"strategy": make_strategy("perceptron")},
        {"weights": "normal"},
        {"quantities": True},
        {"response": Response(model="tree")},
        {"response": Response(wrong=0.1)},
        {"response": Response(lambda1=2.0)},
        {"response": Response(reasons=0.5)},
        {"response": Response(changes=0.5)},
        {"response": Response(reasons=0.5, careless=0.1)},
        {"how": "choice"},
        {"questions": 4},
        {"seed": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_decides_a_trial_changes_its_key(change: dict[str, Any]) -> None:
    assert setting(**change).key != setting().key


def test_the_value_of_an_option_changes_the_key() -> None:
    keys = {setting(strategy=make_strategy("perceptron", passes=passes)).key for passes in (7, 8, 8)}
    assert len(keys) == 2


def test_where_a_catalogue_lies_does_not_change_the_key_and_what_it_says_does(tmp_path: Path) -> None:
    text = "catalogue: own\nattributes: {a: [1, 2, 3], b: [x, y]}\n"
    for name, rules in (("here.yaml", ""), ("there.yaml", ""), ("other.yaml", "rules: [a = 1 => b = x]\n")):
        (tmp_path / name).write_text(text + rules)
    here, there, other = (
        setting(space=load(tmp_path / name)).key for name in ("here.yaml", "there.yaml", "other.yaml")
    )
    assert here == there != other


@pytest.mark.parametrize("name", sorted(strategy_names()))
def test_a_setting_made_from_its_text_is_the_same(name: str) -> None:
    made = setting(
        space=load("pc"),
        strategy=make_for_simulation(name, set_size=2 if name in ("rivoi", "coactive") else 3),
        weights="sparse-uniform",
        seed=5,
    )
    again = read_setting(made.text)
    assert (again.text, again.key, again.title) == (made.text, made.key, made.title)
    assert again.space == made.space
    assert again.strategy == made.strategy


def test_a_person_is_the_one_of_that_number() -> None:
    drawn = list(draw_people(load("synthetic:3"), 4, weights="normal", seed=2))
    asked = setting(weights="normal", seed=2).person(4)
    assert (asked.number, asked.weights.tolist()) == (4, drawn[3].weights.tolist())
    assert asked.strategy_seed == drawn[3].strategy_seed


def test_a_trial_run_from_text_is_the_trial() -> None:
    def facts(records: list[Any]) -> list[dict[str, Any]]:
        return [{word: value for word, value in each.items() if not word.endswith("_seconds")} for each in records]

    assert facts(read_setting(setting().text).run(2)) == facts(setting().run(2))


def test_only_unusual_options_are_shown() -> None:
    assert setting(strategy=make_for_simulation("setmargin")).unusual_options == ""
    slow = make_for_simulation("setmargin", mode="exact", seconds=2.0)
    assert setting(strategy=slow).unusual_options == "mode=exact, seconds=2.0"
    assert setting(strategy=slow).title == "synthetic:3, uniform: setmargin (k = 2, mode=exact, seconds=2.0)"


def test_impossible_settings_are_refused_at_once() -> None:
    for change, words in (({"questions": 0}, "0 questions"), ({"how": "guess"}, "guess"), ({"weights": "x"}, "'x'")):
        with pytest.raises(OptionError, match=words):
            setting(**change)


def test_a_trial_that_fails_says_which_one_it_is() -> None:
    class Failing(Scripted):
        def _ask(self, _: Any) -> None:
            raise AssertionError("asked twice")

    failing = setting(strategy=Failing())
    object.__setattr__(failing, "title", "scripted (k = 2)")  # no strategy of that name is registered
    with pytest.raises(ExperimentError, match=r"scripted \(k = 2\): the trial of person 3 failed: asked twice"):
        failing.run(3)
