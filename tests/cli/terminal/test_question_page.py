from __future__ import annotations

import re

import pytest

from setmargin.cli.terminal import formatting, question_page
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.space import Configuration, Space
from tests.cli.talking import LAMP, Talk, lamp
from tests.cli.terminal.pages import BLUE, DESK, FLOOR, drawn, examples


def options(*configurations: Configuration, width: int = 80, all_rows: bool = False) -> str:
    return drawn(question_page.options(LAMP, configurations, width=width, all_rows=all_rows), width)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (960.0, "960"),
        (1480.0, "1,480"),
        (11.3, "11.3"),
        (0.1 + 0.2, "0.3"),
        (-5.0, "−5"),
        (0.0, "0"),
        (1e6, "1,000,000"),
    ],
)
def test_numbers_show_the_digits_that_were_written(amount: float, text: str) -> None:
    assert formatting.number(amount) == text


@pytest.mark.parametrize(("much", "text"), [(320.0, " (+320)"), (12.1 - 11.3, " (+0.8)"), (-2.5, " (−2.5)"), (0.0, "")])
def test_changes_carry_their_sign(much: float, text: str) -> None:
    assert formatting.change(much) == text


def test_values_have_units_and_no_separators() -> None:
    assert formatting.value(Attribute("memory", [2048], unit="MB"), 2048) == "2048 MB"


def test_rows_that_differ_are_marked_and_the_others_folded_away() -> None:
    text = options(DESK, FLOOR)
    assert re.findall(r"● (\w+)", text) == ["kind", "power", "dimmer", "price"]
    assert "alike: colour red" in text


def test_all_rows_are_shown_on_demand_and_only_those_that_differ_are_marked() -> None:
    text = options(DESK, FLOOR, all_rows=True)
    assert re.findall(r"● (\w+)", text) == ["kind", "power", "dimmer", "price"]
    assert re.search(r"^  colour +red +red", text, re.MULTILINE)
    assert "alike" not in text


def test_the_key_a_shows_all_rows_and_hides_them_again() -> None:
    talk = Talk(lamp(space=LAMP.with_rules("colour = red")), "a", "a")
    assert [("alike: " in page) for page in talk.text.split("screen 1 of")[1:]] == [True, False, True]


def test_amounts_differ_from_those_of_the_first_option() -> None:
    text = options(DESK, FLOOR, BLUE)
    assert re.search(r"price +1,000 € +1,700 € \(\+700\) +1,500 € \(\+500\)", text)


def test_options_stand_side_by_side_where_they_fit() -> None:
    assert re.search(r"kind +desk +floor", options(DESK, FLOOR))


def test_options_are_listed_one_below_the_other_where_columns_would_be_too_narrow() -> None:
    text = options(DESK, FLOOR, BLUE, width=40)
    assert [line[0] for line in text.splitlines() if line[0] in "123"] == ["1", "2", "3"]
    assert "kind floor" in text


@pytest.mark.parametrize("name", ["bicycle", "pc", "trip", "laptop"])
@pytest.mark.parametrize("size", [2, 3, 6])
@pytest.mark.parametrize("all_rows", [False, True])
def test_no_line_is_wider_than_the_screen(name: str, size: int, all_rows: bool) -> None:
    space, configurations = examples(name, size)
    for width in (20, 40, 80, 120):
        text = drawn(question_page.options(space, configurations, width=width, all_rows=all_rows), width)
        assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("name", ["bicycle", "pc", "trip", "laptop"])
@pytest.mark.parametrize("size", [2, 3])
def test_two_and_three_options_stand_side_by_side_in_80_columns(name: str, size: int) -> None:
    space, configurations = examples(name, size)
    text = drawn(question_page.options(space, configurations, width=80, all_rows=False))
    assert re.search(" +".join(map(str, range(1, size + 1))), text.splitlines()[0])
    assert len(text.splitlines()) <= 20


@pytest.mark.parametrize("width", [12, 20, 30])
def test_a_whole_interview_fits_a_tiny_terminal(width: int) -> None:
    talk = Talk(lamp(set_size=3), "1", "b", "h", "r", "kind = desk", "2", width=width)
    talk.finish()
    shown = [line for line in talk.lines if not line.startswith("must-have> ")]
    assert max(map(len, shown)) <= width
    assert len(talk.interview.history) == 2


def test_titles_are_shown_instead_of_names() -> None:
    space = Space(
        [Attribute("cpu", ["a", "b"], title="Processor")],
        quantities=[Quantity("eur", {"cpu": {"a": 1, "b": 2}}, title="Price")],
    )
    pair = [Configuration({"cpu": "a"}), Configuration({"cpu": "b"})]
    text = drawn(question_page.options(space, pair, width=80, all_rows=False))
    assert "● Processor" in text
    assert "● Price" in text
