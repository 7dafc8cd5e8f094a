"""What was published is read as it stands, and its parts agree with each other."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest

from setmargin.experiments.families import PaperWeights
from setmargin.experiments.published import Axis, Published, Reported, Statistic, points, read_published
from setmargin.strategies.registry import strategy_names

EVERYTHING = read_published()


def one(figure: str, measure: Reported, at: float, *, statistic: Statistic = "median", **more: object) -> float | None:
    """The only published number of that description."""
    asked = {"figure": figure, "measure": measure, "at": at, "statistic": statistic, **more}
    (found,) = [each for each in EVERYTHING if asked.items() <= vars(each).items()]
    return found.value


def test_every_word_is_one_that_the_package_knows() -> None:
    assert {each.axis for each in EVERYTHING} == set(get_args(Axis))
    assert {each.measure for each in EVERYTHING} == set(get_args(Reported))
    assert {each.statistic for each in EVERYTHING} == set(get_args(Statistic))
    assert {each.weights for each in EVERYTHING} == set(get_args(PaperWeights))
    assert {each.strategy for each in EVERYTHING} == {"setmargin", "rivoi", "qi", "eus"} <= set(strategy_names())
    assert {each.catalogue for each in EVERYTHING} == {"synthetic:3", "synthetic:4", "synthetic:5", "pc"}


def test_nothing_is_there_twice() -> None:
    def description(each: Published) -> tuple[object, ...]:
        return tuple(value for name, value in vars(each).items() if name != "value")

    assert max(Counter(map(description, EVERYTHING)).values()) == 1


def test_all_settings_of_the_three_figures_are_there() -> None:
    settings = {(e.figure, e.catalogue, e.weights, e.strategy, e.set_size) for e in EVERYTHING}
    assert Counter(figure for figure, *_ in settings) == {"comparison": 2 * 4 * 4, "set-size": 2 * 2 * 3, "pc": 2 * 3}


@pytest.mark.parametrize(
    ("found", "printed"),
    [
        (one("comparison", "loss", 5, catalogue="synthetic:4", weights="uniform", strategy="eus"), 26.7),
        (one("comparison", "seconds", 30, catalogue="synthetic:4", weights="sparse-normal", strategy="eus"), 1160.0),
        (one("set-size", "loss", 5, catalogue="synthetic:5", weights="uniform", set_size=4), 174.1),
        (one("pc", "loss", 100, weights="sparse-uniform", set_size=3, axis="pair"), 14.4),
        (one("pc", "without_loss", 50, statistic="count", weights="sparse-normal", set_size=3), 9.0),
        (one("pc", "needed", 0.0, statistic="first", weights="sparse-uniform", set_size=2, axis="pair"), None),
    ],
)
def test_numbers_are_those_of_the_raw_data(found: float | None, printed: float | None) -> None:
    assert found == printed


def test_lasting_is_never_earlier_than_the_first_time() -> None:
    firsts = {
        (e.figure, e.catalogue, e.weights, e.strategy, e.set_size, e.axis, e.at): e
        for e in EVERYTHING
        if e.statistic == "first"
    }
    lasting = [each for each in EVERYTHING if each.statistic == "lasting"]
    assert len(lasting) == len(firsts) > 0
    for each in lasting:
        key = (each.figure, each.catalogue, each.weights, each.strategy, each.set_size, each.axis, each.at)
        first = firsts[key].value
        assert each.value is None or (first is not None and first <= each.value)


def test_a_median_of_zero_comes_after_the_questions_that_it_needed() -> None:
    """Two columns of the source that were computed apart."""
    losses = [e for e in EVERYTHING if e.measure == "loss" and e.statistic == "median"]
    late = 0
    for each in losses:
        ((_, needed),) = (
            pair
            for pair in points(
                each.figure,
                catalogue=each.catalogue,
                weights=each.weights,
                strategy=each.strategy,
                set_size=each.set_size,
                axis=each.axis,
                measure="needed",
                statistic="lasting",
            )
            if pair[0] == 0
        )
        if needed is not None and each.at >= needed:
            assert each.value == 0, each
            late += 1
    assert late > 10


def test_there_are_no_points_where_nothing_was_published() -> None:
    said = points("pc", catalogue="pc", weights="uniform", strategy="bayes", set_size=2, axis="pair", measure="loss")
    assert said == []
