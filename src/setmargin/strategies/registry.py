"""Strategies by name: add a new one to the table, and everything that takes a strategy knows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from setmargin.errors import OptionError
from setmargin.space.text import suggest
from setmargin.strategies.base import Strategy
from setmargin.strategies.bayes.strategy import Bayes
from setmargin.strategies.rivals.particles.strategy import Eus, Qi
from setmargin.strategies.rivals.perceptron import Perceptron
from setmargin.strategies.rivals.polyhedral.strategy import Polyhedral
from setmargin.strategies.rivals.random import RandomStrategy
from setmargin.strategies.rivals.regret.strategy import Regret
from setmargin.strategies.rivals.rivoi import Rivoi
from setmargin.strategies.setmargin.strategy import SetMargin

DEFAULT = "bayes"

STRATEGIES: Mapping[str, Callable[..., Strategy[Any]]] = {
    "bayes": Bayes,
    "setmargin": SetMargin.with_options,
    "random": RandomStrategy,
    "perceptron": Perceptron,
    "rivoi": Rivoi,
    "eus": Eus,
    "qi": Qi,
    "polyhedral": Polyhedral,
    "regret": Regret,
}


def make_strategy(name: str = DEFAULT, **options: Any) -> Strategy[Any]:
    """The strategy of that name with these options."""
    if name not in STRATEGIES:
        raise OptionError(f"there is no strategy {name!r}; {suggest(name, sorted(STRATEGIES), what='there is')}")
    try:
        return STRATEGIES[name](**options)
    except TypeError as error:
        raise OptionError(f"strategy {name} cannot be made with {options}: {error}") from None
