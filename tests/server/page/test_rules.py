"""Must-haves that the page writes mean to the library what the person picked, however odd the names are."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from setmargin import Attribute, Space
from tests.server.page.browsing import Visitor

WRITE = """async ([name, want, catalogue]) => {
  const { written, understood } = await import("/static/rules.js");
  const rules = written(name, want);
  const { wants, others } = understood(rules, catalogue);
  return [rules, [...wants], others];
}"""
WORDS = st.one_of(
    st.sampled_from(
        ["in", "and", "not", "none", "500", "x-y", "a b", '"', "\\", 'say "hi"', "a,b", "{x}", "größe", "-"]
    ),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=6),
)


@pytest.fixture
def page(visitor: Visitor) -> Page:
    return visitor.page("/")


def values_left(space: Space, name: str, rules: list[str]) -> list[Any]:
    """Brute force: which values of the attribute obey the rules."""
    strict = space.with_rules(*rules)
    everything = (
        dict(zip(space.names.positions, chosen, strict=True))
        for chosen in product(*(a.values for a in space.attributes))
    )
    return [each[name] for each in everything if not strict.broken_rules(each)]


def catalogue(attribute: Attribute) -> dict[str, Any]:
    one = {"name": attribute.name, "unit": None, "values": list(attribute.values), "numeric": attribute.is_numeric}
    return {"attributes": [one], "quantities": []}


@given(data=st.data(), name=WORDS, values=st.lists(WORDS, min_size=1, max_size=4, unique=True))
@settings(derandomize=True, deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_allowed_values_are_the_values_allowed(page: Page, data: st.DataObject, name: str, values: list[str]) -> None:
    allowed = data.draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
    attribute = Attribute(name, values)
    rules, wants, others = page.evaluate(WRITE, [name, {"allowed": allowed}, catalogue(attribute)])
    assert set(values_left(Space([attribute]), name, rules)) == set(allowed)
    assert others == []
    assert wants == [[name, {"allowed": allowed}]]


def test_numbers_have_a_least_and_a_most(page: Page) -> None:
    attribute = Attribute("tyre width", [-2, 0.5, 28, 60])
    want = {"least": 0.5, "most": 28}
    rules, wants, others = page.evaluate(WRITE, ["tyre width", want, catalogue(attribute)])
    assert values_left(Space([attribute]), "tyre width", rules) == [0.5, 28]
    assert others == []
    assert wants == [["tyre width", want]]


def test_rules_that_are_no_simple_choice_are_left_as_they_are(page: Page) -> None:
    script = """async ([rules, catalogue]) => {
      const { understood, inWords } = await import("/static/rules.js");
      return [understood(rules, catalogue).others, rules.map((rule) => inWords(rule, catalogue))];
    }"""
    odd = ["width = 3 => width != 2", "width in {1, 7}", "not width != 1", "not depth = 1", "width <= width"]
    others, words = page.evaluate(script, [odd, catalogue(Attribute("width", [1, 2, 3]))])
    assert others == odd
    assert words == odd
    others, words = page.evaluate(script, [["width = 3", "width in {1, 2}"], catalogue(Attribute("width", [1, 2, 3]))])
    assert others == ["width = 3", "width in {1, 2}"]
    assert words == ["width: 3", "width: 1 or 2"]


def test_what_is_ruled_out_is_said_as_what_is_left(page: Page) -> None:
    script = """async ([rules, catalogue]) => {
      const { inWords } = await import("/static/rules.js");
      return rules.map((rule) => inWords(rule, catalogue));
    }"""
    left = ["width != 1", "width not in {1}", "not width = 1", "not width in {1}", '"width" != 1']
    joined = ["width != 1 and width <= 2", "width != 1 and depth = 2", "width != 1 or width = 1"]
    words = page.evaluate(script, [[*left, *joined], catalogue(Attribute("width", [1, 2, 3]))])
    assert words == ["width: 2 or 3"] * len(left) + ["width: 2 or 3, width at most 2", *joined[1:]]
