"""Progress for those who watch, and for those who do not."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest
from rich.console import Console

from setmargin.cli.terminal import progress
from setmargin.cli.terminal.progress import Bars, Tally, duration, left_words, watched
from setmargin.experiments.grid import make_grid
from setmargin.experiments.running import Step

GRID = make_grid(catalogue=["synthetic:3"], strategy=["random", "perceptron"], people=10)


def steps() -> Iterator[Step]:
    for _ in range(10):
        for setting in GRID.settings:
            yield Step(setting, 1, 8.0, fresh=True)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (44.6, "45 s"), (200, "3 min"), (3600, "1 h 0 min"), (7500, "2 h 5 min")]
)
def test_durations_are_short(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_where_nobody_watches_there_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    ticks = iter(range(500, 1000, 8))  # the first trial is there after a long start
    assert len(list(watched(steps(), Tally(GRID), silent=False, clock=lambda: next(ticks)))) == 20
    assert capsys.readouterr().err.splitlines() == [
        "setmargin: 2 of 20 trials, about 2 min left",
        "setmargin: 6 of 20 trials, about 2 min left",
        "setmargin: 10 of 20 trials, about 1 min left",
        "setmargin: 14 of 20 trials, about 48 s left",
        "setmargin: 18 of 20 trials, about 16 s left",
    ]


def test_silence_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(watched(steps(), Tally(GRID), silent=True))) == 20
    assert capsys.readouterr().err == ""


def test_who_watches_sees_a_bar_for_each_strategy_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    monkeypatch.setattr(progress, "make_console", lambda **_: screen)
    tally = Tally(GRID)
    with Bars(tally) as bars:
        for step in list(steps())[:5]:
            tally.add(step)
        bars.show(40.0)
        bars._progress.refresh()
        shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert re.search(r"random \(k = 2\) .* 3/10", shown)
    assert re.search(r"perceptron \(k = 2\) .* 2/10", shown)
    assert re.search(r"all .* 5/20 *about 2 min left", shown)


def test_the_first_moments_are_no_base_for_an_estimate() -> None:
    tally = Tally(GRID)
    tally.add(Step(GRID.settings[0], 1, 8.0, fresh=True))
    assert left_words(tally, 4.0) == "estimating the time left"
    assert left_words(tally, 12.0) == "about 4 min left"
    tally.add(Step(GRID.settings[0], 9, 8.0, fresh=True))
    tally.add(Step(GRID.settings[1], 10, 8.0, fresh=True))
    assert left_words(tally, 12.0) == "done"
