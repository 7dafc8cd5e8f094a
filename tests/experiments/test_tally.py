"""How far a run is, and how long the rest takes, on steps made by hand."""

from __future__ import annotations

import pytest

from setmargin.cli.terminal.progress import Tally
from setmargin.experiments.grid import Experiment, make_grid
from setmargin.experiments.running import Step


def grid() -> Experiment:
    return make_grid(catalogue=["synthetic:3", "synthetic:4"], strategy=["random", "perceptron"], people=10)


def tallied(*steps: tuple[int, int, float, bool]) -> Tally:
    """After steps of (setting, people, seconds, fresh)."""
    experiment = grid()
    tally = Tally(experiment)
    for number, people, seconds, fresh in steps:
        tally.add(Step(experiment.settings[number], people, seconds, fresh))
    return tally


def test_parts_are_counted_by_strategy() -> None:
    tally = tallied((0, 4, 1.0, False), (2, 1, 1.0, True), (1, 3, 1.0, True))
    assert [(part.label, part.done, part.total) for part in tally.parts()] == [
        ("random (k = 2)", 5, 20),
        ("perceptron (k = 2)", 3, 20),
    ]
    assert (tally.done, tally.total, tally.fresh) == (8, 40, 4)


def test_nothing_is_known_before_the_first_trial() -> None:
    assert tallied((0, 4, 100.0, False)).left(10.0) is None


def test_the_time_left_weighs_each_setting_by_what_its_trials_take() -> None:
    # Two jobs did 30 s of work in 15 s. Left: 9 trials of 20 s, 9 of 10 s, and two settings of 10 trials of which only
    # those of the same strategy are known.
    tally = tallied((0, 1, 20.0, True), (1, 1, 10.0, True))
    assert tally.left(15.0) == pytest.approx((9 * 20 + 9 * 10 + 10 * 20 + 10 * 10) / 2)


def test_trials_found_on_disk_tell_what_one_takes_but_not_how_fast_it_goes() -> None:
    tally = tallied((0, 9, 90.0, False), (1, 10, 10.0, False), (3, 10, 10.0, False), (2, 5, 100.0, True))
    assert tally.left(50.0) == pytest.approx((1 * 10 + 5 * 20) / 2)


def test_an_unknown_strategy_is_taken_for_an_average_one() -> None:
    tally = tallied((0, 10, 10.0, True), (2, 10, 30.0, True))
    assert tally.left(40.0) == pytest.approx(20 * 2.0)


def test_nothing_is_left_at_the_end() -> None:
    assert tallied(*((number, 10, 1.0, False) for number in range(4))).left(0.1) == 0
