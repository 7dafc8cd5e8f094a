"""Every strategy obeys every law, and the laws notice what breaks them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from setmargin.laws.checks import (
    Law,
    Make,
    check_a_noiseless_person_ends_at_zero_loss,
    check_a_recommendation_is_ready_before_any_answer,
    check_all_kinds_of_answers_are_understood,
    check_no_question_is_asked_twice,
    check_one_configuration_needs_no_question,
    check_questions_are_feasible_and_different,
    check_same_seed_same_questions,
    laws,
    small_space,
)
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.items import Items
from setmargin.space.space import Space
from setmargin.strategies.registry import make_strategy, strategy_names
from tests.strategies.broken import Grim, Moody, Silent, Stubborn

STRATEGIES: dict[str, dict[str, Any]] = {
    "bayes": {"until": 0.0, "samples": 128},
    "bayes-3": {"until": 0.0, "samples": 128, "set_size": 3, "differences": 1},
    "bayes-stops-early": {},
    "bayes-conversation": {"until": 0.0, "samples": 128, "set_size": 4, "policy": "conversation"},
    "setmargin": {"mode": "exact"},
    "setmargin-3": {"mode": "fast", "set_size": 3},
    "setmargin-paper": {"mode": "fast", "form": "paper"},
    "rivoi": {},
    "rivoi-pool": {"listed": 0},
    "eus": {"particles": 1_500},
    "eus-4": {"particles": 1_500, "set_size": 4},
    "eus-pool": {"particles": 1_500, "listed": 0},
    "qi": {"particles": 1_500},
    "qi-4": {"particles": 1_500, "set_size": 4},
    "random": {},
    "random-4": {"set_size": 4},
    "perceptron": {},
    "perceptron-4": {"set_size": 4},
    "coactive": {},
    "polyhedral": {},
    "polyhedral-3": {"set_size": 3},
    "musm-earlier": {"earlier": [[1, 0, 0, 1, 0, 0.5, 0, 1], [0.8, 0.3, 0, 0, 1, 0.2, 0.4, 0]]},
    "musm-crowd": {"earlier": [[0, 0, 3, 1, 0, 0, 2, 0]] * 20, "transfer": "sumcov", "set_size": 3},
    "regret": {},
    "regret-setwise-3": {"set_size": 3, "kind": "setwise"},
}
EXCEPTIONS = {
    ("bayes-stops-early", check_a_noiseless_person_ends_at_zero_loss),
    ("bayes-conversation", check_one_configuration_needs_no_question),  # it asks what to change about the only one
    ("musm-earlier", check_one_configuration_needs_no_question),  # its earlier people had another catalogue
    ("musm-crowd", check_one_configuration_needs_no_question),
}


def maker(name: str) -> Make:
    return lambda: make_strategy(name.partition("-")[0], **STRATEGIES[name])


def cases() -> Iterator[Any]:
    for name in STRATEGIES:
        for law in laws():
            if (name, law) not in EXCEPTIONS:
                yield pytest.param(maker(name), law, id=f"{name}:{law.__name__}")


@pytest.mark.parametrize(("make", "law"), list(cases()))
def test_law(make: Make, law: Law) -> None:
    law(make)


def small_list() -> Space:
    """The small space of the laws as a product list, in which the price follows from nothing else."""
    space = small_space()
    rows: list[list[Any]] = [["green", 1, "yes", 1.5], ["blue", 1, "yes", 4.25]]
    rows += [[*each.values(), *space.amounts(each).values()] for each in oracle_for(space).top({"price": 1.0}, 7)]
    cells = [[f"N{number}", *row] for number, row in enumerate(rows)]
    items = Items(["sku", *space.things], cells, id="sku")
    return Space(space.attributes, quantities=[Quantity("price", better="lower")], items=items)


@pytest.mark.parametrize("name", ["bayes-conversation", *sorted(set(strategy_names()) - {"bayes"})])
def test_a_product_list_is_asked_about_like_anything_else(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setmargin.laws.checks.small_space", small_list)
    make = maker(name) if name in STRATEGIES else lambda: make_strategy(name)
    check_all_kinds_of_answers_are_understood(make)
    if name not in ("bayes-conversation", "musm"):  # which take their time
        check_a_noiseless_person_ends_at_zero_loss(make)


def test_every_strategy_is_tried() -> None:
    assert {name.partition("-")[0] for name in STRATEGIES} == set(strategy_names())


@pytest.mark.parametrize("name", STRATEGIES)
def test_options_make_an_equal_strategy(name: str) -> None:
    strategy = maker(name)()
    again = make_strategy(strategy.name, **strategy.options())
    assert again == strategy
    assert again.options() == strategy.options()


@pytest.mark.parametrize(
    ("make", "law"),
    [
        (Silent, check_questions_are_feasible_and_different),
        (Stubborn, check_no_question_is_asked_twice),
        (Moody, check_same_seed_same_questions),
        (Grim, check_a_recommendation_is_ready_before_any_answer),
        (Grim, check_a_noiseless_person_ends_at_zero_loss),
    ],
)
def test_a_law_notices_what_breaks_it(make: Make, law: Law) -> None:
    with pytest.raises(AssertionError):
        law(make)


NEED_NO_QUESTION = {"check_one_configuration_needs_no_question", "check_a_recommendation_is_ready_before_any_answer"}


@pytest.mark.parametrize("law", [law for law in laws() if law.__name__ not in NEED_NO_QUESTION])
def test_no_law_is_content_with_a_strategy_that_asks_nothing(law: Law) -> None:
    with pytest.raises(AssertionError, match="asked nothing"):
        law(Silent)
