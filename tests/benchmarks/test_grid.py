"""The benchmark of grids says what it measured, and whether its goal is met."""

from __future__ import annotations

import pytest
from benchmarks.grid import GOAL, SIZES, Measured

from benchmarks import grid


def made(trials: int, *, worked: float) -> Measured:
    return Measured(trials, wall=50.0, worked=worked, cpu=95.0, megabytes=200.0)


def test_the_ideal_is_two_cores_that_do_nothing_but_the_work() -> None:
    assert made(1000, worked=90.0).share == pytest.approx(0.9)
    assert made(1000, worked=90.0).busy == pytest.approx(0.95)


@pytest.mark.parametrize(("worked", "verdict"), [(100 * GOAL, "85%, met"), (80.0, "80%, missed")])
def test_the_goal_is_for_the_largest_grid(monkeypatch: pytest.MonkeyPatch, worked: float, verdict: str) -> None:
    monkeypatch.setattr(grid, "measured", lambda trials: made(trials, worked=worked if trials == SIZES[-1] else 1.0))
    said: list[str] = []
    report = grid.run(False, said.append)
    assert verdict in report.notes[-1]
    assert said == [f"grid: {size} trials" for size in SIZES]
    assert [row[0] for row in report.grids[0].rows] == ["250", "500", "1,000"]
    assert report.grids[0].rows[-1][3:] == [verdict.split(",")[0], "95%", "200"]
