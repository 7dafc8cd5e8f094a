"""Every strategy obeys every law."""

from __future__ import annotations

import pytest

from setmargin.strategies.laws import Law, Make, laws
from setmargin.strategies.registry import make_strategy

STRATEGIES: dict[str, Make] = {
    "bayes": lambda: make_strategy("bayes", until=0.0),
    "bayes-3": lambda: make_strategy("bayes", until=0.0, set_size=3, differences=2),
    "setmargin": lambda: make_strategy("setmargin", mode="exact"),
    "setmargin-fast": lambda: make_strategy("setmargin", mode="fast"),
    "setmargin-3": lambda: make_strategy("setmargin", mode="fast", set_size=3),
    "setmargin-paper": lambda: make_strategy("setmargin", mode="fast", form="paper"),
    "rivoi": lambda: make_strategy("rivoi"),
    "eus": lambda: make_strategy("eus", particles=1_500),
    "eus-3": lambda: make_strategy("eus", set_size=3, particles=1_500),
    "qi": lambda: make_strategy("qi", particles=1_500),
    "qi-3": lambda: make_strategy("qi", set_size=3, particles=1_500),
    "random": lambda: make_strategy("random"),
    "random-4": lambda: make_strategy("random", set_size=4),
    "perceptron": lambda: make_strategy("perceptron"),
    "perceptron-4": lambda: make_strategy("perceptron", set_size=4),
    "polyhedral": lambda: make_strategy("polyhedral"),
    "polyhedral-3": lambda: make_strategy("polyhedral", set_size=3),
    "regret": lambda: make_strategy("regret"),
    "regret-setwise-3": lambda: make_strategy("regret", set_size=3, kind="setwise"),
}


@pytest.mark.parametrize(
    ("make", "law"),
    [pytest.param(make, law, id=f"{name}:{law.__name__}") for name, make in STRATEGIES.items() for law in laws()],
)
def test_law(make: Make, law: Law) -> None:
    law(make)


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_options_make_an_equal_strategy(name: str) -> None:
    strategy = STRATEGIES[name]()
    again = make_strategy(strategy.name, **strategy.options())
    assert again.options() == strategy.options()
