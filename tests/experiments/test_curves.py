"""Agreement with what was published: equal people agree, others do not, and the error is that of a median."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from setmargin.experiments.figures.curves import THEIRS, Agreement, agreements
from tests.experiments.frames import line


def people(losses: list[float], **words: str) -> pl.DataFrame:
    """Everybody loses the same after each of five questions."""
    return line(*([loss] * 5 for loss in losses), **words)  # type: ignore[arg-type]


def published(after: int) -> Agreement:
    """r = 4, uniform, eus: 78.3 after 1 question, 26.7 after 5."""
    rng = np.random.default_rng(3)
    frame = people(rng.normal(after, 30, 20).clip(0).tolist(), strategy="eus", catalogue="synthetic:4")
    return agreements(frame, "comparison")[0]


def test_points_are_those_that_were_reached() -> None:
    found = agreements(people([20, 30], strategy="eus", catalogue="synthetic:4"), "comparison")
    assert [(each.at, each.published) for each in found] == [(1, 78.3), (5, 26.7)]
    assert [each.ours for each in found] == [25, 25]


def test_pairs_count_on_an_axis_of_their_own() -> None:
    frame = line([9.0] * 10, [7.0] * 10, set_size=3, catalogue="synthetic:4")
    assert [each.at for each in agreements(frame, "set-size", axis="pair")] == [10, 30]
    assert [each.at for each in agreements(frame, "set-size")] == [1, 5, 10]


def test_like_people_agree_and_others_do_not() -> None:
    assert published(after=80).agrees
    assert not published(after=10).agrees
    assert published(after=10).difference < 0
    assert not published(after=150).agrees


def test_the_error_is_that_of_two_medians() -> None:
    """Of a normal sample the median has √(π/2) times the error of the mean."""
    rng = np.random.default_rng(0)
    frame = people((100 + 10 * rng.standard_normal(400)).tolist(), strategy="eus", catalogue="synthetic:4")
    one = np.sqrt(np.pi / 2) * 10
    assert agreements(frame, "comparison")[0].error == pytest.approx(
        np.hypot(one / np.sqrt(400), one / np.sqrt(THEIRS)), rel=0.15
    )


def test_people_who_are_all_alike_leave_nothing_to_chance() -> None:
    found = agreements(people([0, 0, 0], strategy="rivoi"), "comparison")
    assert [(each.at, each.agrees) for each in found] == [(1, False), (5, False)]
    assert {each.error for each in found} == {0.0}


def test_the_pc_without_rules_lies_beside_the_published_pc() -> None:
    frame = people([100, 200], catalogue="pc without rules", weights="sparse-uniform")
    assert [each.published for each in agreements(frame, "pc")] == [304.6, 239.6]


def test_nothing_is_said_where_nothing_was_published() -> None:
    assert agreements(people([1, 2], strategy="bayes"), "comparison") == []
