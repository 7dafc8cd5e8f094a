"""What must-haves leave of a catalogue, judged by brute force."""

from __future__ import annotations

from itertools import product

import pytest

from setmargin import Quantity, Space, load
from setmargin.errors import RuleError
from setmargin.server.work.possible import possible_of

PRICE = Quantity("price", {"frame": {"steel": 300, "carbon": 900}, "gears": 20}, better="lower")
BIKE = Space(
    {"frame": ["steel", "carbon"], "gears": [1, 8, 11], "step through": ["yes", "no"]},
    quantities=[PRICE],
    rules=["frame = carbon => gears > 1", 'not (frame = carbon and "step through" = yes)'],
)
BUDGET, STEP = "price <= 500", '"step through" = yes'
CASES = [[], [BUDGET], ["frame = carbon"], ["gears in {8, 11}", BUDGET], [STEP, "frame = carbon"], ["price <= 100"]]


def left(rules: list[str]) -> list[dict[str, str | int]]:
    strict = BIKE.with_rules(*rules)
    every = product(*(a.values for a in BIKE.attributes))
    named = [dict(zip(BIKE.names.positions, values, strict=True)) for values in every]
    return [each for each in named if not strict.broken_rules(each)]  # type: ignore[misc]


def about(name: str, rule: str) -> bool:
    return rule.strip('"').startswith(name)


@pytest.mark.parametrize("rules", CASES, ids=str)
def test_what_is_left_is_what_brute_force_finds(rules: list[str]) -> None:
    found = possible_of(BIKE, rules, digest="x")
    assert found.configurations == len(left(rules))
    for attribute in found.attributes:
        others = left([rule for rule in rules if not about(attribute.name, rule)])
        assert set(attribute.values) == {each[attribute.name] for each in others}, attribute.name
    prices = [BIKE.amounts(each)["price"] for each in left([rule for rule in rules if not about("price", rule)])]
    (price,) = found.quantities
    assert (price.least, price.most) == ((min(prices), max(prices)) if prices else (None, None))


def test_a_budget_that_is_too_low_is_told_from_where_on_there_is_something() -> None:
    found = possible_of(
        load("bicycle"),
        ["price <= 500", 'motor = "mid-drive 60 Nm"'],
        digest="x",
    )
    (price,) = (each for each in found.quantities if each.name == "price")
    assert found.configurations == 0
    assert price.least is not None
    assert price.least > 500


def test_a_rule_about_several_things_counts_for_all_of_them() -> None:
    found = possible_of(BIKE, ["frame = carbon => gears = 11", "frame = carbon"], digest="x")
    assert {each.name: each.values for each in found.attributes}["gears"] == (11,)
    with pytest.raises(RuleError, match="colour"):
        possible_of(BIKE, ["colour = red"], digest="x")
