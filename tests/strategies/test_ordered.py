"""Strategies on spaces whose attributes say what is better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from setmargin import Attribute, Choice, Configuration, Quantity, Question, Space, oracle_for
from setmargin.laws import checks as laws
from setmargin.laws.checks import Law
from setmargin.strategies.registry import make_strategy, strategy_names
from setmargin.strategies.rivals.particles import feature_shares
from setmargin.strategies.shared.configurations import best_unasked_pair, is_pointless
from setmargin.strategies.shared.ties import with_better_quantities

STRATEGIES: dict[str, dict[str, Any]] = {
    "setmargin": {"mode": "exact"},
    "setmargin-paper": {"mode": "fast", "form": "paper"},
    "musm": {"mode": "fast"},
    "rivoi": {},
    "rivoi-pool": {"listed": 0},
    "eus": {"particles": 1_500},
    "qi": {"particles": 1_500},
    "random": {},
    "perceptron": {},
    "coactive": {},
    "polyhedral": {},
    "regret": {},
}


def ordered_space() -> Space:
    """The small space of the laws, with an attribute of each direction: ten configurations."""
    return Space(
        [
            Attribute("colour", ["red", "green", "blue"], better="peak", ordered=True),
            Attribute("size", [1, 2, 3], better="higher"),
            Attribute("box", ["yes", "no"], better="lower", ordered=True),
        ],
        quantities=[Quantity("price", {"size": 2.0, "box": {"yes": 1, "no": 0}}, better="lower")],
        rules=["colour = red => size = 2", "price <= 4 or colour != green", "size = 3 => colour = blue"],
    )


@pytest.fixture
def ordered(monkeypatch: pytest.MonkeyPatch) -> Space:
    monkeypatch.setattr(laws, "small_space", ordered_space)
    return ordered_space()


# Where the whole interview is told by another one, or takes too long.
FEW = {"setmargin-paper", "musm", "rivoi-pool"}
FEW_LAWS = {laws.check_all_kinds_of_answers_are_understood, laws.check_restrictions_are_obeyed}


def cases() -> Iterator[Any]:
    for name in STRATEGIES:
        for law in laws.laws():
            if name not in FEW or law in FEW_LAWS:
                yield pytest.param(name, law, id=f"{name}:{law.__name__}")


@pytest.mark.parametrize(("name", "law"), list(cases()))
def test_law(name: str, law: Law, ordered: Space) -> None:
    assert ordered.trends
    law(lambda: make_strategy(name.partition("-")[0], **STRATEGIES[name]))


def test_every_strategy_is_tried_but_the_default() -> None:
    assert {name.partition("-")[0] for name in STRATEGIES} == set(strategy_names()) - {"bayes"}


# What is better counts


def test_the_trends_of_one_attribute_count_together_as_much_as_a_value() -> None:
    shares = feature_shares(ordered_space())
    assert shares.tolist() == [1.0] * 9 + [1 / 3] * 6 + [1.0]
    assert (feature_shares(laws.small_space()) == 1.0).all()


def test_equals_are_told_apart_by_what_is_better() -> None:
    space = Space([Attribute("colour", ["red", "green"]), Attribute("memory", [8, 16, 32], better="higher")])
    best = oracle_for(space).best_for_values(with_better_quantities(space, np.zeros(5))[None])[0]
    assert space.configuration(best)["memory"] == 32


def test_an_answer_about_the_ends_says_something_about_the_middle() -> None:
    space = Space([Attribute("memory", [64, 256, 512], better="higher"), Attribute("colour", ["red", "green"])])
    few, some, most = (Configuration({"memory": memory, "colour": "red"}) for memory in (64, 256, 512))
    for name in ("setmargin", "perceptron", "polyhedral", "rivoi", "eus"):
        strategy = make_strategy(name)
        belief = strategy.update(strategy.start(space), Question((few, most)), Choice(1))
        weights = strategy.recommend(belief).weights
        assert weights @ (space.encode(some) - space.encode(few)) > 0, name


def test_a_pair_with_nothing_for_one_of_them_is_asked_last() -> None:
    space = Space([Attribute("memory", [8, 16], better="higher"), Attribute("colour", ["red", "green"])])
    belief = make_strategy("random").start(space)
    values = np.array([0.0, 1.0, 1.0, 0.5])  # 16 red, 16 green, 8 red, 8 green
    asked = []
    while (question := best_unasked_pair(belief, values)) is not None:
        asked.append(question)
        belief = replace(belief, history=(*belief.history, (question, Choice(0))))
    assert len(asked) == 6
    assert [is_pointless(space, question) for question in asked] == [False] * 4 + [True] * 2
