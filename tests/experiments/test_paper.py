"""The grids behind the paper's figures are those of the paper."""

from __future__ import annotations

import pytest

from setmargin.errors import OptionError
from setmargin.experiments.paper import FIGURES, paper_experiment


def test_comparison_has_eight_panels_of_five_methods() -> None:
    settings = paper_experiment("comparison").settings
    panels = {(setting.space.name, setting.weights) for setting in settings}
    methods = {setting.strategy.name for setting in settings}
    assert (len(panels), len(settings)) == (8, 40)
    assert methods == {"setmargin", "rivoi", "eus", "qi", "bayes"}
    assert {(setting.strategy.set_size, setting.questions) for setting in settings} == {(2, 30)}


def test_set_size_has_four_panels_of_three_set_sizes() -> None:
    settings = paper_experiment("set-size").settings
    panels = {(setting.space.name, setting.weights) for setting in settings}
    assert panels == {(f"synthetic:{r}", kind) for r in (4, 5) for kind in ("uniform", "sparse-normal")}
    assert {setting.strategy.set_size for setting in settings} == {2, 3, 4}
    assert len(settings) == 4 * 3 * 2


def test_pc_people_are_sparse_and_do_not_care_about_the_price() -> None:
    settings = paper_experiment("pc").settings
    assert {(setting.space.name, setting.weights) for setting in settings} == {("pc", "sparse-uniform")}
    price = settings[0].space.feature_names.index("price")
    assert {float(setting.person(1).weights[price]) for setting in settings} == {0.0}


@pytest.mark.parametrize("figure", FIGURES)
def test_every_curve_reaches_a_hundred_queries_where_the_paper_counts_them(figure: str) -> None:
    settings = paper_experiment(figure).settings
    assert len(settings) > 5
    for setting in settings:
        pairs = setting.strategy.set_size * (setting.strategy.set_size - 1) // 2
        assert pairs * setting.questions >= (30 if figure == "comparison" else 100)


@pytest.mark.parametrize("figure", FIGURES)
def test_everybody_is_asked_as_the_paper_asks(figure: str) -> None:
    whole = paper_experiment(figure)
    assert whole.people == 20
    assert {(each.how, each.response.model, each.response.wrong) for each in whole.settings} == {
        ("pairs", "proportional", 0.0)
    }
    assert {each.strategy.options().get("until", 0.0) for each in whole.settings} == {0.0}


def test_the_pc_can_be_built_without_rules() -> None:
    names = {setting.space.name for setting in paper_experiment("pc", rules=False).settings}
    assert names == {"pc-without-rules"}


def test_a_quick_run_is_a_small_one_with_every_panel() -> None:
    for figure in FIGURES:
        whole, quick = paper_experiment(figure), paper_experiment(figure, quick=True)
        assert {each.title for each in quick.settings} == {each.title for each in whole.settings}
        assert 8 * len(quick) < len(whole) + 1
        assert sum(each.questions for each in quick.settings) < sum(each.questions for each in whole.settings) / 4


def test_methods_people_and_seed_may_be_chosen() -> None:
    chosen = paper_experiment("comparison", methods=["random", "eus", "random"], people=3, seed=4)
    assert [setting.strategy.name for setting in chosen.settings[:2]] == ["random", "eus"]
    assert (len(chosen), {setting.seed for setting in chosen.settings}) == (8 * 2 * 3, {4})


def test_what_the_paper_does_not_have_is_refused() -> None:
    with pytest.raises(OptionError, match="the figure is 'setsize'; did you mean set-size"):
        paper_experiment("setsize")
    with pytest.raises(OptionError, match="there is no method 'rivio'; did you mean rivoi"):
        paper_experiment("comparison", methods=["rivio"])
    with pytest.raises(OptionError, match="--no-rules is for pc"):
        paper_experiment("comparison", rules=False)
