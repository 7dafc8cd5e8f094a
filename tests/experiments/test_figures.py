"""Curves are what their caption says, panels stand where the paper has them, and equal records give equal pictures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_rgb

from setmargin import load, make_strategy
from setmargin.errors import OptionError
from setmargin.experiments import simulate
from setmargin.experiments.figures import Band, curve_of, draw, layout_of, picture
from setmargin.experiments.figures.curves import by_pairs
from setmargin.experiments.figures.drawing import COLOURS, Styles, caption, figure_of
from setmargin.experiments.people import draw_people
from tests.experiments.frames import comparison, line, part

losses = st.lists(st.integers(0, 10), min_size=4, max_size=4)
claims = settings(derandomize=True, deadline=None, max_examples=25)


# Curves


@claims
@given(people=st.lists(losses, min_size=1, max_size=7), band=st.sampled_from(["quartiles", "standard-error"]))
def test_line_and_band_are_statistics_over_people(people: list[list[int]], band: Band) -> None:
    curve = curve_of(line(*people), axis="question", measure="loss", band=band)
    table = pl.DataFrame(people, orient="row")
    assert len(curve.at) == table.width > 0
    for place, name in enumerate(table.columns):
        column = table[name]
        assert curve.median[place] == column.median()
        if band == "quartiles":
            assert curve.low[place] == column.quantile(0.25, "linear")
            assert curve.high[place] == column.quantile(0.75, "linear")
        elif len(people) > 1:
            error = float(column.std() or 0.0) / len(people) ** 0.5  # type: ignore[arg-type]
            assert curve.high[place] - curve.median[place] == pytest.approx(error)
            assert curve.low[place] == pytest.approx(max(0.0, curve.median[place] - error))


@claims
@given(people=st.lists(losses, min_size=1, max_size=5), seed=st.integers(0, 9))
def test_the_order_of_records_does_not_matter(people: list[list[int]], seed: int) -> None:
    frame = line(*people)
    one, other = (
        curve_of(each, axis="pair", measure="seconds")
        for each in (frame, frame.sample(fraction=1, shuffle=True, seed=seed))
    )
    assert np.array_equal(one.median, other.median)


def test_seconds_add_up_to_what_was_waited_and_leave_out_the_recommendation() -> None:
    curve = curve_of(line([3, 2, 1]), axis="question", measure="seconds")
    assert curve.median == pytest.approx([1.11, 2.22, 3.33])


def test_what_was_reached_is_carried_on_where_nothing_was_left_to_ask() -> None:
    long, short = line([4, 3, 2, 1]), line([8, 6], finished=True).with_columns(person=pl.lit(2, pl.Int64))
    curve = curve_of(pl.concat([long, short]), axis="question", measure="loss")
    assert curve.median.tolist() == [6, 4.5, 4, 3.5]
    assert curve.people == 2


def test_a_question_counts_once_all_its_pairs_are_ordered() -> None:
    curve = curve_of(line([6, 3], set_size=3), axis="pair", measure="loss")
    assert dict(zip(curve.at.tolist(), curve.median.tolist(), strict=True)) == {3: 6, 4: 6, 5: 6, 6: 3}


@claims
@given(steps=st.lists(st.lists(st.integers(1, 4), min_size=3, max_size=3), min_size=1, max_size=4))
def test_values_by_pairs_are_the_last_that_were_reached(steps: list[list[int]]) -> None:
    pairs = np.cumsum(steps, axis=1).astype(float)
    at, table = by_pairs(pairs, np.arange(pairs.size, dtype=float).reshape(pairs.shape))
    assert table.shape == (len(steps), len(at))
    assert len(at) > 0
    for row, own in enumerate(pairs):
        for place, count in enumerate(at):
            assert table[row, place] == 3 * row + sum(count >= each for each in own) - 1


def test_of_pairs_every_question_is_one() -> None:
    frame = line([5, 4, 3], [6, 2, 1])
    by_question, by_pair = (curve_of(frame, axis=axis, measure="loss") for axis in ("question", "pair"))
    assert np.array_equal(by_question.median, by_pair.median)
    assert np.array_equal(by_question.at, by_pair.at)


def test_a_curve_ends_where_the_axis_does() -> None:
    curve = curve_of(line([5, 4, 3]), axis="question", measure="loss")
    assert curve.until(2).at.tolist() == [1, 2]
    assert curve.until(0).at.tolist() == [1]
    assert curve.until(None).at.tolist() == [1, 2, 3]


def test_records_of_two_experiments_make_no_line() -> None:
    with pytest.raises(OptionError, match="draw one experiment"):
        curve_of(pl.concat([line([1, 2]), line([1, 2])]), axis="question", measure="loss")


# Layouts


def test_the_comparison_has_a_row_for_each_distribution_and_loss_and_time_for_each_space() -> None:
    rows = layout_of(comparison(), "comparison").rows
    assert [row[0].row for row in rows] == ["uniform", "normal", "sparse uniform", "sparse normal"]
    assert [(panel.title, panel.measure) for panel in rows[2]] == [
        ("r = 3", "loss"),
        ("r = 3", "seconds"),
        ("r = 4", "loss"),
        ("r = 4", "seconds"),
    ]


def test_set_sizes_are_drawn_per_question_and_per_pair() -> None:
    frame = pl.concat(line([3, 2], set_size=size, catalogue=f"synthetic:{r}") for size in (2, 3) for r in (4, 5))
    (row,) = layout_of(frame, "set-size").rows
    assert [(panel.title, panel.axis) for panel in row] == [
        (r, axis) for r in ("r = 4", "r = 5") for axis in ("question", "pair")
    ]
    assert {panel.end for panel in row if panel.axis == "pair"} == {100}


def test_the_pc_with_and_without_rules_has_a_row_each() -> None:
    frame = pl.concat(line([3, 2], catalogue=name, weights="sparse-uniform") for name in ("pc without rules", "pc"))
    rows = layout_of(frame, "pc").rows
    assert [row[0].row for row in rows] == ["pc\nsparse uniform", "pc without rules\nsparse uniform"]
    assert [(panel.axis, panel.measure) for panel in rows[0]] == [
        (axis, measure) for axis in ("question", "pair") for measure in ("loss", "seconds")
    ]


def test_any_other_experiment_has_a_row_for_each_setting_that_says_what_varies() -> None:
    frame = pl.concat([line([3, 2]), line([3, 2]).with_columns(wrong=pl.lit(0.1))])
    assert [row[0].row for row in layout_of(frame).rows] == ["r = 3\nuniform\nwrong 0.0", "r = 3\nuniform\nwrong 0.1"]


def test_an_unknown_figure_is_refused_with_the_known_ones() -> None:
    with pytest.raises(OptionError, match="did you mean comparison"):
        layout_of(comparison(), "comparisn")


def test_nothing_cannot_be_drawn() -> None:
    with pytest.raises(OptionError, match="no records"):
        layout_of(comparison().clear())


# Lines


def test_options_tell_lines_apart_only_where_a_setting_has_several() -> None:
    tuned, plain = line([3, 2], options="mode=exact"), line([4, 3])
    both = Styles(pl.concat([tuned, plain]))
    assert [both.label(each) for each in both.lines] == ["setmargin", "setmargin, mode=exact"]
    elsewhere = Styles(pl.concat([tuned, plain.with_columns(weights=pl.lit("normal"))]))
    assert [elsewhere.label(each) for each in elsewhere.lines] == ["setmargin"]


def test_a_strategy_has_its_colour_in_every_figure() -> None:
    for frame in (line([1, 0]), comparison(), line([1, 0], set_size=4)):
        styles = Styles(frame)
        assert styles.lines
        for each in styles.lines:
            assert styles.stroke(each)["color"] == COLOURS[str(dict(each)["strategy"])]


def test_an_unknown_strategy_has_a_colour_of_its_own() -> None:
    styles = Styles(pl.concat([line([1, 0], strategy=name) for name in ("mine", "yours", "bayes")]))
    assert len({styles.stroke(each)["color"] for each in styles.lines}) == 3


def test_lines_of_one_figure_differ_in_stroke_as_well_as_colour() -> None:
    methods = ("setmargin", "bayes", "rivoi", "qi", "eus")
    styles = Styles(pl.concat(line([1, 0], strategy=name) for name in methods))
    assert len({str(styles.stroke(each)["linestyle"]) for each in styles.lines}) == 5


def test_every_line_is_dark_enough_to_see_on_white() -> None:
    """A ratio of luminances of 2 at least; marks and strokes do the rest."""
    for colour in COLOURS.values():
        linear = [(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in to_rgb(colour)]
        assert 1.05 / (float(np.dot([0.2126, 0.7152, 0.0722], linear)) + 0.05) >= 2


# Pictures


@pytest.mark.parametrize("band", ["quartiles", "standard-error"])
def test_the_caption_says_what_the_band_is_and_how_many_people_there_are(band: Band) -> None:
    said = caption(comparison(), layout_of(comparison(), "comparison"), band)
    assert said.startswith("Comparison of methods: 3 simulated people a line.")
    assert ("quartiles" in said) == (band == "quartiles")
    assert ("standard error" in said) == (band == "standard-error")


def test_what_is_drawn_is_the_curve_and_what_was_published() -> None:
    frame = part().filter(pl.col("strategy") == "rivoi")
    layout = layout_of(frame, "comparison")
    panel = figure_of(frame, layout).axes[0]
    drawn, published = panel.lines
    assert np.array_equal(drawn.get_xydata(), [(1, 7), (2, 4), (3, 0)])
    assert np.array_equal(published.get_xydata(), [(1, 23.9)])
    assert published.get_alpha() == pytest.approx(0.45)


def test_nothing_published_lies_beside_another_experiment() -> None:
    frame = part().filter(pl.col("strategy") == "rivoi")
    assert all(len(panel.lines) == 1 for panel in figure_of(frame, layout_of(frame)).axes)


def test_equal_records_give_equal_pictures() -> None:
    frame = part()
    first, second = (
        picture(each, name="comparison") for each in (frame, frame.sample(fraction=1, shuffle=True, seed=1))
    )
    assert first == second
    assert b"<dc:date>" not in first


def test_a_picture_is_small_and_its_text_is_text() -> None:
    svg = picture(comparison(), name="comparison").decode()
    assert len(svg) < 300_000
    assert ">sparse normal</text>" in svg
    assert not re.search(r"[ML] -?\d+\.\d{3}", svg)


def test_names_are_shown_as_they_are() -> None:
    svg = picture(line([1, 0], catalogue="cost in $ and $")).decode()
    assert "cost in $ and $" in svg


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG")])
def test_the_suffix_says_what_is_written(tmp_path: Path, suffix: str, start: bytes) -> None:
    written = draw(line([2, 1, 0]), tmp_path / "new folder" / f"figure{suffix}")
    assert written.read_bytes().startswith(start)


def test_an_unknown_suffix_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"end its name with \.svg"):
        draw(line([1]), tmp_path / "figure.jpeg")
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_an_error_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="choose another place"):
        draw(line([1]), tmp_path / "file" / "figure.svg")


def test_real_records_can_be_drawn() -> None:
    people = draw_people(load("synthetic:3"), 2)
    frame = pl.DataFrame(
        list(simulate(people, make_strategy("random", set_size=3), questions=3)), infer_schema_length=None
    )
    assert b"random" in picture(frame)
    assert [panel.axis for panel in layout_of(frame).rows[0]] == ["question", "question", "pair"]
