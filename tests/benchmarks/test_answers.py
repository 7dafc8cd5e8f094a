"""The benchmark of answers that say more: its tables where they can be known beforehand, and a quick run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from benchmarks.answers import (
    claims_of,
    differences_grid,
    document_of,
    effort_until,
    kinds_grid,
    medians_grid,
    needed_grid,
    run,
    stopped_grid,
    sure_claims,
    talk_groups,
)
from benchmarks.answers_cases import (
    CONVERSATION,
    Case,
    Outcomes,
    curve_cases,
    grid_cases,
    interviews,
    large_case,
    stopping_cases,
)
from benchmarks.answers_figure import DRAWN, draw
from benchmarks.bayes import grid_space

from setmargin.answers import How
from setmargin.experiments.responses import Response

CASE = Case(name="somebody", space=grid_space(3, 3), screens=3)
LOSSES = [[0.5, 0.06, 0.0], [0.3, 0.02, 0.02]]


def outcomes(loss: list[list[float]], *, asked: tuple[int, ...] = (3, 2)) -> Outcomes:
    table = np.array(loss)
    seen = np.arange(table.shape[1]) < np.array(asked)[:, None]
    time = np.where(seen, 10.0, np.nan)
    kinds = tuple(("pair",) * (number - 1) + ("change",) for number in asked)
    return Outcomes(table, table, 1 - table, time, time, kinds, np.array([80.0, 90.0]))


FOUND = {CASE.name: outcomes(LOSSES)}


def test_screens_and_effort_are_those_until_the_mean_loss_is_kept() -> None:
    ((name, ten, three, one, effort, goal),) = needed_grid([CASE], FOUND).rows
    assert (name, ten, three, one, effort, goal) == ("somebody", "2 (20 s)", "3 (25 s)", "3 (25 s)", "10.0", "–")


def test_effort_ends_where_somebody_stopped() -> None:
    assert effort_until(FOUND[CASE.name], 1) == 10
    assert effort_until(FOUND[CASE.name], 3) == 25


def test_who_stopped_is_told_with_the_loss_then() -> None:
    ((_, screens, _, effort, stopped, loss, _),) = stopped_grid([CASE], FOUND).rows
    assert (screens, effort, stopped, loss) == ("2.5 ± 0.5", "25", "50%", "1.0 ± 1.0")


def test_kinds_of_screens_are_shares_of_all() -> None:
    grid = kinds_grid([CASE], FOUND)
    assert (list(grid.headers), grid.rows) == (["people", "change", "pair"], [["somebody", "40", "60"]])


def test_few_differences_are_held_against_any_number() -> None:
    few = replace(CASE, name="x, 4 differences", options={**CONVERSATION, "differences": 4})
    found = {few.name: outcomes(LOSSES, asked=(3, 3)), "x, conversation": outcomes(LOSSES, asked=(3, 1))}
    ((_, screens, effort, _),) = differences_grid([few], found).rows
    assert (screens, effort) == ("1.50", "1.50")


def test_a_median_of_zero_counts_when_it_is_kept() -> None:
    found = {CASE.name: outcomes([[0.5, 0.0, 0.0], [0.5, 0.0, 0.0]])}
    assert medians_grid([CASE], found).rows == [["somebody", "50.0", "0.0", "0.0", "2", ""]]


def test_sure_claims_are_counted_where_they_hold() -> None:
    within, expected = claims_of([outcomes([[0.02, 0.06], [0.08, 0.5]], asked=(2, 2))])
    assert sure_claims(within) == {"times": 3, "claimed": pytest.approx(1 - 0.16 / 3), "held": pytest.approx(1 / 3)}
    assert expected[0].tolist() == expected[1].tolist()
    assert sure_claims((np.array([0.5]), np.array([1.0]))) == {"times": 0, "claimed": None, "held": None}


def test_cases_are_told_apart_by_their_names() -> None:
    cases = [*curve_cases(), *stopping_cases(), *grid_cases(), large_case(quick=False)]
    assert len({case.name for case in cases}) == len(cases)
    assert set(DRAWN) <= {case.name for case in curve_cases()}
    assert {name: len(group) for name, group in talk_groups(curve_cases()).items()} == {
        "with reasons": 4,
        "3 of 10 careless": 1,
        "none": 1,
    }


def test_interviews_are_the_same_whoever_runs_them() -> None:
    cases = [replace(CASE, name=name, response=Response(reasons=0.7, changes=0.7)) for name in ("one", "two")]
    found = interviews(cases, 2, print)
    one, two = found["one"], found["two"]
    assert one.loss.tolist() == two.loss.tolist()
    assert one.kinds == two.kinds
    assert all(kind == "change" or kind.split()[0] in ("pair", *get_args(How)) for kinds in one.kinds for kind in kinds)
    assert (one.kilobytes > 1).all()


def test_a_quick_run_has_tables_data_and_a_picture(tmp_path: Path) -> None:
    said: list[str] = []
    report = run(True, said.append)
    assert "answers: conversation" in said
    assert all(grid.rows for grid in report.grids[:7])
    curves = report.document["curves"]
    assert isinstance(curves, dict)
    assert set(curves["conversation"]) == set(document_of(FOUND[CASE.name], CASE))
    assert draw(report.document, tmp_path).stat().st_size > 1000
