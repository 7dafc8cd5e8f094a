"""Settings in a few numbers equal what the summary of their records says."""

from __future__ import annotations

from pathlib import Path

from setmargin.experiments import collect, summarise
from setmargin.experiments.grid import make_grid
from setmargin.experiments.records import read_records
from setmargin.experiments.running import run_experiment
from setmargin.experiments.summary import lines


def test_each_setting_has_the_summary_of_its_records(tmp_path: Path) -> None:
    grid = make_grid(catalogue=["synthetic:3"], strategy=["random", "perceptron"], people=3, questions=5)
    assert sum(step.fresh for step in run_experiment(grid, tmp_path)) == 6
    found = list(lines(read_records(tmp_path)))
    assert [line.words["strategy"] for line in found] == ["random", "perceptron"]
    for line, setting in zip(found, grid.settings, strict=True):
        records = [record for number in (1, 2, 3) for record in setting.run(number)]
        expected = summarise(collect(records))
        assert (line.summary.milestones, line.summary.mean) == (expected.milestones, expected.mean)
        assert line.document()["summary"]["people"] == 3
