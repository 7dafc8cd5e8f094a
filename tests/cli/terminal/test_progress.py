"""Progress for those who watch, and for those who do not."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest
from rich.console import Console

from setmargin.cli.terminal import progress
from setmargin.cli.terminal.progress import TrialCounts, duration, progress_bars, shown_progress, time_left
from setmargin.experiments.grid import Experiment, make_grid
from setmargin.experiments.running import ExperimentStep

GRID = make_grid(catalogue=["synthetic:3"], strategy=["random", "perceptron"], people=10)


def steps() -> Iterator[ExperimentStep]:
    for _ in range(10):
        for setting in GRID.settings:
            yield ExperimentStep(setting, 1, 8.0, fresh=True)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (44.6, "45 s"), (200, "3 min"), (3600, "1 h 0 min"), (7500, "2 h 5 min")]
)
def test_durations_are_short(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_where_nobody_watches_there_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    ticks = iter(range(500, 1000, 8))  # the first trial is there after a long start
    with shown_progress(TrialCounts(GRID), silent=False, clock=lambda: next(ticks)) as add:
        for step in steps():
            add(step)
    assert capsys.readouterr().err.splitlines() == [
        "setmargin: 2 of 20 trials, about 2 min left",
        "setmargin: 6 of 20 trials, about 2 min left",
        "setmargin: 10 of 20 trials, about 1 min left",
        "setmargin: 14 of 20 trials, about 48 s left",
        "setmargin: 18 of 20 trials, about 16 s left",
    ]


def test_silence_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    counts = TrialCounts(GRID)
    with shown_progress(counts, silent=True) as add:
        for step in steps():
            add(step)
    assert counts.done == 20
    assert capsys.readouterr().err == ""


def test_who_watches_sees_a_bar_for_each_strategy_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    monkeypatch.setattr(progress, "make_console", lambda **_: screen)
    counts = TrialCounts(GRID)
    with progress_bars(counts) as show:
        for step in list(steps())[:5]:
            counts.add(step)
        show(40.0)
    drawn = screen.file.getvalue()  # type: ignore[attr-defined]
    assert re.search(r"random \(k = 2\) .* 3/10", drawn)
    assert re.search(r"perceptron \(k = 2\) .* 2/10", drawn)
    assert re.search(r"all .* 5/20 *about 2 min left", drawn)


def test_a_single_strategy_has_one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    monkeypatch.setattr(progress, "make_console", lambda **_: screen)
    with progress_bars(TrialCounts(make_grid(catalogue=["synthetic:3"], strategy=["random"], people=3))):
        pass
    drawn = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "0/3" in drawn
    assert "random" not in drawn


def test_the_first_moments_are_no_base_for_an_estimate() -> None:
    counts = TrialCounts(GRID)
    counts.add(ExperimentStep(GRID.settings[0], 1, 8.0, fresh=True))
    assert time_left(counts, 4.0) == "estimating the time left"
    assert time_left(counts, 12.0) == "about 4 min left"
    counts.add(ExperimentStep(GRID.settings[0], 9, 8.0, fresh=True))
    counts.add(ExperimentStep(GRID.settings[1], 10, 8.0, fresh=True))
    assert time_left(counts, 12.0) == "done"


# How long the rest takes, on steps made by hand


def grids() -> Experiment:
    return make_grid(catalogue=["synthetic:3", "synthetic:4"], strategy=["random", "perceptron"], people=10)


def counted(*steps: tuple[int, int, float, bool]) -> TrialCounts:
    """After steps of (setting, people, seconds, fresh)."""
    experiment = grids()
    counts = TrialCounts(experiment)
    for number, people, seconds, fresh in steps:
        counts.add(ExperimentStep(experiment.settings[number], people, seconds, fresh))
    return counts


def test_parts_are_counted_by_strategy() -> None:
    counts = counted((0, 4, 1.0, False), (2, 1, 1.0, True), (1, 3, 1.0, True))
    assert counts.by_strategy() == {"random (k = 2)": (5, 20), "perceptron (k = 2)": (3, 20)}
    assert (counts.done, counts.total, counts.fresh) == (8, 40, 4)


def test_nothing_is_known_before_the_first_trial() -> None:
    assert counted((0, 4, 100.0, False)).left(10.0) is None


def test_the_time_left_weighs_each_setting_by_what_its_trials_take() -> None:
    # Two jobs did 30 s of work in 15 s. Left: 9 trials of 20 s, 9 of 10 s, and two settings of 10 trials of which only
    # those of the same strategy are known.
    counts = counted((0, 1, 20.0, True), (1, 1, 10.0, True))
    assert counts.left(15.0) == pytest.approx((9 * 20 + 9 * 10 + 10 * 20 + 10 * 10) / 2)


def test_trials_found_on_disk_tell_what_one_takes_but_not_how_fast_it_goes() -> None:
    counts = counted((0, 9, 90.0, False), (1, 10, 10.0, False), (3, 10, 10.0, False), (2, 5, 100.0, True))
    assert counts.left(50.0) == pytest.approx((1 * 10 + 5 * 20) / 2)


def test_an_unknown_strategy_is_taken_for_an_average_one() -> None:
    counts = counted((0, 10, 10.0, True), (2, 10, 30.0, True))
    assert counts.left(40.0) == pytest.approx(20 * 2.0)


def test_nothing_is_left_at_the_end() -> None:
    assert counted(*((number, 10, 1.0, False) for number in range(4))).left(0.1) == 0
