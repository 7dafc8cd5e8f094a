"""Attributes and quantities: what they accept, find and refuse."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from setmargin.errors import SpaceError
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.text import Value, exact, read_number, short, suggest
from tests.space.generated import attributes

fixed = settings(derandomize=True, deadline=None, max_examples=100)


class Colour(StrEnum):
    RED = "red"


@given(attributes("x"))
@fixed
def test_every_value_is_found_as_itself_and_by_its_label(attribute: Attribute) -> None:
    for position, value in enumerate(attribute.values):
        assert attribute.index(value) == position
        assert attribute.index(str(value)) == position


def test_numbers_are_found_in_every_spelling() -> None:
    attribute = Attribute("x", [10, 2.5, -3])
    spellings: list[Any] = [10, 10.0, "10", "10.0", "1e1", np.int64(10)]
    assert [attribute.index(value) for value in spellings] == [0] * 6
    assert [attribute.index(v) for v in (2.5, "2.50", np.float64(2.5), -3.0, "-3")] == [1, 1, 1, 2, 2]


def test_a_word_that_looks_like_a_number_is_not_that_number() -> None:
    attribute = Attribute("x", [7, "007", "1e3"])
    assert [attribute.index(v) for v in (7, "007", "1e3")] == [0, 1, 2]


@pytest.mark.parametrize(
    "value", ["--5", "1e999999999", "9" * 5000, "", "٣", "nan", True, None, [1], {}, float("nan"), float("inf"), 3]
)
def test_an_unknown_value_is_refused_with_the_values_there_are(value: Value) -> None:
    with pytest.raises(SpaceError, match=r"x has no value .*; (its values are 1, 2, True|did you mean)"):
        Attribute("x", [1, 2, "True"]).index(value)


def test_values_of_other_libraries_become_plain_ones() -> None:
    foreign: list[Any] = [np.int64(1), np.float64(0.5), Colour.RED, np.str_("blue"), Fraction(1, 4)]
    attribute = Attribute("x", foreign)
    assert attribute.values == (1, 0.5, "red", "blue", 0.25)
    assert [type(value) for value in attribute.values] == [int, float, str, str, float]
    terms: dict[str, Any] = {"x": {np.int64(1): np.float64(2.5)}, "y": np.int64(3)}
    quantity = Quantity("q", terms)
    assert quantity.terms == {"x": {"1": 2.5}, "y": 3}
    assert type(quantity.terms["y"]) is int


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "no values; list at least one"),
        ("abc", "'abc' is not a list"),
        (["a", "b", "a"], "lists the value a twice; keep one"),
        ([1, 1.0], "lists the value 1.0 twice"),
        ([0, -0.0], "lists the value -0.0 twice"),
        ([1, "1"], "lists the value 1 twice"),
        ([True], "True is neither a word nor a number"),
        ([None], "None is neither a word nor a number"),
        ([["a"]], "neither a word nor a number"),
        ([float("nan")], "nan; it must be a number"),
        ([float("inf")], "inf; it must be finite"),
        ([10**13], "stays below 1e12"),
        ([10**5000], "stays below 1e12"),
        ([""], "'' is empty"),
        ([" a"], "' a' has spaces around it"),
        (["a\x00"], "unprintable"),
        (["\ud800"], "unprintable"),
        (["a" * 201], "use up to 200 characters"),
    ],
)
def test_values_that_nobody_could_choose_are_refused(values: list[Value], message: str) -> None:
    with pytest.raises(SpaceError) as caught:
        Attribute("x", values)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200
    assert caught.value.at[0] == "values"


@pytest.mark.parametrize("name", ["", " a", "a\n", "a" * 201, 5, None])
def test_names_that_nobody_could_write_are_refused(name: str) -> None:
    with pytest.raises(SpaceError, match="name"):
        Attribute(name, ["a"])
    with pytest.raises(SpaceError, match="name"):
        Quantity(name, {"x": 1})


@pytest.mark.parametrize(
    ("options", "at"),
    [
        ({"unit": "x" * 41}, "unit"),
        ({"title": "x" * 201}, "title"),
        ({"unit": 5}, "unit"),
        ({"title": "\x07"}, "title"),
    ],
)
def test_texts_that_nobody_could_read_are_refused(options: dict[str, str], at: str) -> None:
    for make in (lambda: Attribute("x", ["a"], **options), lambda: Quantity("x", {"a": 1}, **options)):  # type: ignore[arg-type]
        with pytest.raises(SpaceError) as caught:
            make()
        assert caught.value.at == (at,)


X = Attribute("x", ["a", "b", "c"])
N = Attribute("n", [1, 2.5, -3])


def test_a_quantity_adds_a_number_for_each_value() -> None:
    quantity = Quantity("q", {"x": {"c": 3, "a": 1, "b": 0}, "n": 0.1})
    assert quantity.table(X) == (1, 0, 3)
    assert quantity.table(N) == (0.1, 0.25, -0.3)
    assert quantity.table(Attribute("other", [5, 6])) == (0, 0)


@pytest.mark.parametrize(
    ("terms", "message", "at"),
    [
        ({"x": {"a": 1}}, "no number for x = b, c; add them", ("sum", "x")),
        ({"x": {"a": 1, "b": 1}}, "no number for x = c; add it", ("sum", "x")),
        ({"x": {"a": 1, "b": 1, "c": 1, "d": 1}}, "x has no value 'd'", ("sum", "x", "d")),
        ({"n": {1: 1, 2.5: 1, "2.50": 3, -3: 1}}, "lists n = 2.50 twice", ("sum", "n", "2.50")),
        ({"x": 2}, "list a number for each value", ("sum", "x")),
    ],
)
def test_a_quantity_that_does_not_fit_its_attribute_is_refused(
    terms: dict[str, float], message: str, at: tuple[str, ...]
) -> None:
    quantity = Quantity("q", terms)
    with pytest.raises(SpaceError) as caught:
        quantity.table(X if "x" in terms else N)
    assert message in str(caught.value)
    assert caught.value.at == at


@pytest.mark.parametrize("number", [True, None, "5", float("nan"), float("inf"), 1e13, 10**400, [1]])
def test_a_quantity_refuses_what_is_no_sensible_number(number: float) -> None:
    for terms, base in (({"x": number}, 0.0), ({"x": {"a": number}}, 0.0), ({"x": 1}, number)):
        with pytest.raises(SpaceError, match=r"must be|below 1e12"):
            Quantity("q", terms, base=base)  # type: ignore[arg-type]


def test_a_quantity_refuses_no_terms_and_an_unknown_direction() -> None:
    with pytest.raises(SpaceError, match="at least one"):
        Quantity("q", {})
    with pytest.raises(SpaceError, match="lower or higher"):
        Quantity("q", {"x": 1}, better="cheaper")  # type: ignore[arg-type]
    with pytest.raises(SpaceError, match="x = 1 twice"):
        Quantity("q", {"x": {1: 1, "1": 2}})


@pytest.mark.parametrize("terms", [5, "x", ["x"], [("x", 1)]])
def test_a_quantity_refuses_terms_that_are_no_mapping(terms: Any) -> None:
    with pytest.raises(SpaceError, match=r"quantity q sums over .*; give the numbers by attribute"):
        Quantity("q", terms)


def test_a_quantity_refuses_terms_without_the_name_of_an_attribute() -> None:
    with pytest.raises(SpaceError, match="quantity q sums over 5; give the name"):
        Quantity("q", {5: 1})  # type: ignore[dict-item]


@pytest.mark.parametrize("values", [5, None, "abc", b"abc", {"values": [1, 2], "unit": "GB"}])
def test_an_attribute_refuses_values_that_are_no_list(values: Any) -> None:
    with pytest.raises(SpaceError, match=r"attribute x: .* is not a list of values; give a list"):
        Attribute("x", values)


def test_attributes_and_quantities_show_themselves_in_one_short_line() -> None:
    assert repr(Attribute("x", ["a", 2], title="X")) == "Attribute('x', ['a', 2], title='X')"
    assert repr(Attribute("x", range(100))) == "Attribute('x', [0, 1, 2, 3, 4, 5, 6, 7, … 100 in all])"
    assert repr(Quantity("q", {"x": {"a": 1}, "n": 0.5}, base=3)) == "Quantity('q', {'x': {…}, 'n': 0.5}, base=3)"


def test_whole_numbers_are_one_number_in_either_spelling() -> None:
    whole, decimal = Quantity("q", {"x": {"a": 50}}, base=2), Quantity("q", {"x": {"a": 50.0}}, base=2.0)
    assert whole == decimal
    assert repr(whole) == repr(decimal)


def test_numbers_are_read_as_decimals_of_a_sensible_size() -> None:
    assert exact(0.1) == read_number("0.1") == Fraction(1, 10)
    assert read_number("-1e2") == -100
    assert [read_number(text) for text in ("1e201", "1e-201", "9" * 201, "a", "", "--1", "1_0")] == [None] * 7


def test_a_hint_names_the_closest_word_or_lists_a_few() -> None:
    assert suggest("lapptop", ["laptop", "tower"], what="there is") == "did you mean laptop?"
    assert suggest("zzz", ["laptop", "tower"], what="there is") == "there is laptop, tower"
    assert suggest("zzz", [], what="there is") == "there is none"
    assert suggest("zzz", [str(n) for n in range(50)], what="there is").endswith("11, … (50 in all)")


def test_long_values_are_shortened_in_messages() -> None:
    assert short("a" * 100) == repr("a" * 59 + "…")
    assert len(short([1] * 1000)) == 60
    assert short("a") == "'a'"
