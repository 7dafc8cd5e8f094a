"""What the tests of interviews share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from setmargin.answers import Comparisons, NoDifference, Outcome, Question, Ranking
from setmargin.interview.interview import Interview
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import make_strategy

SPACE = Space(
    {"colour": ["red", "green", "blue"], "size": [1, 2, 3], "box": ["yes", "no"]},
    quantities=[Quantity("price", {"size": 2.0, "box": {"yes": 1, "no": 0.5}}, better="lower")],
    rules=["colour = red => size >= 2", "price <= 4.5 or colour != green"],
    name="boxes",
)

STRATEGIES: dict[str, Callable[[], Strategy[Any]]] = {
    "bayes": lambda: make_strategy("bayes", until=0.0, samples=48),
    "random": lambda: make_strategy("random", set_size=3),
    "setmargin": lambda: make_strategy("setmargin", mode="fast", fits=4, tuning=None),
}
Make = Callable[[], Interview]


def asked(interview: Interview) -> Question:
    question = interview.ask()
    assert question is not None
    return question


def eventful(make: Make) -> Interview:
    """An interview in which everything happened, must-haves between answers."""
    interview = make()
    interview.tell(1)
    interview.require("size >= 2")
    interview.tell(NoDifference())
    interview.skip()
    interview.require("colour != blue")
    interview.tell(Ranking(tuple(range(len(asked(interview).options)))))
    interview.drop("size >= 2")
    interview.tell(Comparisons(((0, 1, Outcome.SECOND),)))
    return interview


def assert_same(one: Interview, other: Interview) -> None:
    assert one.events == other.events
    assert one.must_haves == other.must_haves
    assert one.belief == other.belief
    assert one.ask() == other.ask()
    assert one.recommend() == other.recommend()
