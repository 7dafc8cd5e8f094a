"""Strategies by name. One is imported when it is used; one of your own joins them with `register`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeVar

from setmargin.errors import OptionError
from setmargin.space.text import suggest
from setmargin.strategies.base import Strategy

DEFAULT = "bayes"
_HERE = {
    "bayes": ("bayes.strategy", "Bayes"),
    "setmargin": ("setmargin.strategy", "SetMargin"),
    "random": ("rivals.random", "RandomStrategy"),
    "perceptron": ("rivals.perceptron", "Perceptron"),
    "rivoi": ("rivals.rivoi", "Rivoi"),
    "eus": ("rivals.particles.strategy", "Eus"),
    "qi": ("rivals.particles.strategy", "Qi"),
    "polyhedral": ("rivals.polyhedral.strategy", "Polyhedral"),
    "regret": ("rivals.regret.strategy", "Regret"),
}
_REGISTERED: dict[str, type[Strategy[Any]]] = {}
S = TypeVar("S", bound=type[Strategy[Any]])


def strategy_names() -> tuple[str, ...]:
    """The names that `make_strategy` takes."""
    return (*_HERE, *_REGISTERED)


def strategies() -> dict[str, str]:
    """The names that `make_strategy` takes, each with a line that says what that strategy does."""
    return {name: (strategy_class(name).__doc__ or "").partition("\n")[0] for name in strategy_names()}


def strategy_class(name: str) -> type[Strategy[Any]]:
    """The class of the strategies of that name."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name not in _HERE:
        hint = suggest(str(name), sorted(strategy_names()), what="there is")
        raise OptionError(f"there is no strategy {name!r}; {hint}")
    module, variable = _HERE[name]
    found: type[Strategy[Any]] = getattr(import_module(f"setmargin.strategies.{module}"), variable)
    return found


def make_strategy(name: str = DEFAULT, **options: Any) -> Strategy[Any]:
    """The strategy of that name with these options, which are plain data as in `Strategy.options`."""
    return strategy_class(name).from_options(options)


def make_for_simulation(name: str = DEFAULT, **options: Any) -> Strategy[Any]:
    """The strategy as simulations want it, where the options do not say otherwise."""
    return make_strategy(name, **{**strategy_class(name).when_simulated, **options})


def register(strategy: S) -> S:
    """Make a class of strategies known by its `name`; to be used as a decorator.

    Then `make_strategy`, `Interview`, `simulate` and `compare` take it by name, and saved interviews with it can be
    continued. Raises OptionError where the name is missing or taken.
    """
    name = getattr(strategy, "name", None)
    if not (isinstance(strategy, type) and issubclass(strategy, Strategy) and isinstance(name, str) and name):
        raise OptionError(f"{strategy!r} cannot be registered; give a class derived from Strategy that has a name")
    taken = _REGISTERED.get(name)
    if name in _HERE or (taken is not None and _place(taken) != _place(strategy)):
        raise OptionError(f"there is a strategy {name!r} already; give yours another name")
    _REGISTERED[name] = strategy
    return strategy


def _place(strategy: type) -> tuple[str, str]:
    """A class that is defined anew, as in a notebook, may take its own place."""
    return strategy.__module__, strategy.__qualname__
