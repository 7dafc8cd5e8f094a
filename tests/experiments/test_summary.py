"""Records become numbers: by hand, and as settings of an experiment."""

from __future__ import annotations

import json
from math import isnan, sqrt
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from setmargin.errors import OptionError
from setmargin.experiments import Milestone, Record, collect, curve, summarise
from setmargin.experiments.grid import make_grid
from setmargin.experiments.records import read_records
from setmargin.experiments.running import run_experiment
from setmargin.experiments.summary import summarise_settings
from tests.experiments.stubs import record, trial

THREE = [*trial(1, 9, 1, 0), *trial(2, 6, 3, 0), *trial(3, 3, 2, 6)]


def test_effort_is_that_of_all_questions_of_a_person() -> None:
    assert summarise([*trial(1, 4, 2, 0), *trial(2, 4, 1, 1)]).mean_effort == 15
    older = [{key: value for key, value in each.items() if key != "effort"} for each in trial(1, 4, 2, 0)]
    assert summarise(cast(list[Record], older)).document()["mean_effort"] is None


def test_a_curve_has_median_mean_and_standard_error_by_question() -> None:
    first, second, third = curve(collect(THREE))
    assert (first.question, first.median, first.median_loss) == (1, 0.6, 6)
    assert first.mean == pytest.approx(0.6)
    assert first.standard_error == pytest.approx(0.3 / sqrt(3))
    assert (second.question, second.median, second.median_loss) == (2, 0.2, 2)
    assert third.median == 0
    assert third.mean == pytest.approx(0.2)


def test_the_order_of_records_does_not_matter() -> None:
    assert curve(collect(reversed(THREE))) == curve(collect(THREE))


def test_a_loss_is_carried_forward_where_nothing_was_left_to_ask() -> None:
    records = [*trial(1, 4, 2, finished=True), *trial(2, 8, 8, 8, 8)]
    results = collect(records)
    assert results.loss.tolist() == [[4, 2, 2, 2], [8, 8, 8, 8]]
    assert results.finished == 1


def test_a_loss_is_carried_forward_to_the_budget() -> None:
    results = collect([*trial(1, 4, 2, finished=True), *trial(2, 8, 8, 5, finished=True)], questions=5)
    assert results.relative_loss.tolist() == [[0.4, 0.2, 0.2, 0.2, 0.2], [0.8, 0.8, 0.5, 0.5, 0.5]]
    assert summarise(results).questions == 5


@pytest.mark.parametrize(
    "records",
    [
        [*trial(1, 4, 2), *trial(2, 4)],
        [*trial(1, 4, 2), *trial(1, 4, 2)],
        [record(1, 1, 4), record(1, 3, 4)],
        [record(1, 2, 4)],
    ],
    ids=["cut short", "two experiments", "a gap", "no beginning"],
)
def test_records_that_are_not_one_whole_experiment_are_refused(records: list[Record]) -> None:
    with pytest.raises(OptionError, match=r"person [12] has not one record for each of the [23] questions"):
        collect(records)


def test_a_trial_shorter_than_its_budget_is_refused() -> None:
    with pytest.raises(OptionError, match="each of the 3 questions"):
        collect(trial(1, 4, 2), questions=3)


def test_no_records_are_no_experiment() -> None:
    with pytest.raises(OptionError, match="no records"):
        collect([])


def milestones(*medians: float) -> list[tuple[int | None, int | None]]:
    found = summarise(collect(trial(1, *(10 * median for median in medians)))).milestones
    assert [milestone.level for milestone in found] == [0.1, 0.01, 0.0]
    return [(milestone.first, milestone.lasting) for milestone in found]


def test_milestones_are_the_first_question_and_the_one_from_which_it_lasts() -> None:
    assert milestones(0.5, 0.1, 0.01, 0.0) == [(2, 2), (3, 3), (4, 4)]
    assert milestones(0.5, 0.05, 0.3, 0.05) == [(2, 4), (None, None), (None, None)]
    assert milestones(0.0, 0.005) == [(1, 1), (1, 1), (1, None)]


def test_a_summary_counts_people_and_seconds() -> None:
    summary = summarise(collect(THREE))
    assert (summary.people, summary.questions, summary.without_loss, summary.finished) == (3, 3, 2, 0)
    assert summary.median == 0
    assert summary.mean == pytest.approx(0.2)
    assert summary.milestones[0] == Milestone(0.1, 3, 3)


def test_seconds_are_those_of_questions_that_were_asked() -> None:
    slow = [record(1, number, 0, seconds=number) for number in range(1, 21)]
    summary = summarise(collect([*slow, record(1, 21, 0, status="finished", seconds=1000)]))
    assert summary.median_seconds == pytest.approx(1.11 * 10.5)
    assert summary.p95_seconds == pytest.approx(1.11 * float(np.quantile(range(1, 21), 0.95)))
    assert summary.median_recommend_seconds == pytest.approx(2 * 10.5)


def test_an_experiment_without_questions_took_no_time() -> None:
    summary = summarise(collect(trial(1, 0, finished=True)))
    assert (summary.median_seconds, summary.p95_seconds, summary.without_loss, summary.finished) == (0, 0, 1, 1)


def test_the_standard_error_of_one_person_is_unknown() -> None:
    results = collect(trial(1, 4))
    assert isnan(curve(results)[0].standard_error)
    for document in (curve(results)[0].document(), summarise(results).document()):
        assert document["standard_error"] is None
        json.dumps(document, allow_nan=False)


def test_each_setting_has_the_summary_of_its_records(tmp_path: Path) -> None:
    grid = make_grid(catalogue=["synthetic:3"], strategy=["random", "perceptron"], people=3, questions=5)
    assert sum(step.fresh for step in run_experiment(grid, tmp_path)) == 6
    found = list(summarise_settings(read_records(tmp_path)))
    assert [line.words["strategy"] for line in found] == ["random", "perceptron"]
    for line, setting in zip(found, grid.settings, strict=True):
        records = [record for number in (1, 2, 3) for record in setting.run(number)]
        expected = summarise(collect(records))
        assert (line.summary.milestones, line.summary.mean) == (expected.milestones, expected.mean)
        assert line.document()["summary"]["people"] == 3
