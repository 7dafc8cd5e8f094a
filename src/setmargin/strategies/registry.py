"""Strategies by name. One is imported when it is used.

One of your own joins them with `register`, or by an entry point of the package that it is in: see `setmargin.plugins`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeVar

from setmargin.errors import OptionError, PluginError
from setmargin.plugins import is_plugin, load_plugin, plugin_names, refuse_plugin
from setmargin.space.text import suggest
from setmargin.strategies.base import Strategy
from setmargin.strategies.options import options_of

DEFAULT = "bayes"
_HERE = {
    "bayes": ("bayes.strategy", "Bayes"),
    "setmargin": ("setmargin.strategy", "SetMargin"),
    "random": ("rivals.random", "RandomStrategy"),
    "perceptron": ("rivals.perceptron", "Perceptron"),
    "rivoi": ("rivals.rivoi", "Rivoi"),
    "eus": ("rivals.eus_qi", "Eus"),
    "qi": ("rivals.eus_qi", "Qi"),
    "coactive": ("rivals.coactive", "Coactive"),
    "polyhedral": ("rivals.polyhedral.strategy", "Polyhedral"),
    "regret": ("rivals.regret.strategy", "Regret"),
    "musm": ("rivals.musm", "Musm"),
}
_REGISTERED: dict[str, type[Strategy[Any]]] = {}
S = TypeVar("S", bound=type[Strategy[Any]])


def strategy_names() -> tuple[str, ...]:
    """The names that `make_strategy` takes."""
    return tuple(dict.fromkeys((*_HERE, *_REGISTERED, *plugin_names("strategies"))))


def list_strategies() -> dict[str, str]:
    """The names that `make_strategy` and `Interview` take, each with a line that says what that strategy does.

    >>> list_strategies()["random"]
    'Asks about random configurations; so whatever is better than it owes that to its questions.'
    """
    return {name: _line(name) for name in strategy_names()}


def _line(name: str) -> str:
    """What a strategy does; of one that cannot be loaded, why not, so that it does not hide the others."""
    try:
        return (strategy_class(name).__doc__ or "").partition("\n")[0]
    except PluginError as error:
        return f"{error}."


def import_strategies() -> None:
    """Import all strategies of this package, where none may be imported later; those of others come when named."""
    for name in strategy_names():
        if name in _HERE:
            strategy_class(name)


def strategies_with(option: str) -> list[str]:
    """The names of the strategies that have such an option."""
    return [name for name in _HERE if option in options_of(strategy_class(name))]


def strategy_class(name: str) -> type[Strategy[Any]]:
    """The class of the strategies of that name."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name not in _HERE and is_plugin("strategies", str(name)):
        return _from_plugin(name)
    if name not in _HERE:
        hint = suggest(str(name), sorted(strategy_names()), what="there is")
        raise OptionError(f"there is no strategy {name!r}; {hint}")
    module, variable = _HERE[name]
    found: type[Strategy[Any]] = getattr(import_module(f"setmargin.strategies.{module}"), variable)
    return found


def _from_plugin(name: str) -> type[Strategy[Any]]:
    found = load_plugin("strategies", name)
    if not (isinstance(found, type) and issubclass(found, Strategy)):
        raise refuse_plugin("strategies", name, "is no class derived from Strategy; name one in the entry point")
    if getattr(found, "name", None) != name:
        said = getattr(found, "name", "nothing")
        raise refuse_plugin("strategies", name, f"calls itself {said!r}; give class and entry point one name")
    return found


def make_strategy(name: str = DEFAULT, **options: Any) -> Strategy[Any]:
    """A strategy by its name.

    Parameters
    ----------
    name : str
        One of `list_strategies()`.
    **options
        As the class takes them, or as plain data as in `Strategy.options`.

    Raises
    ------
    OptionError
        Where there is no such strategy or option, or the option has an impossible value.

    Examples
    --------
    >>> make_strategy("bayes", until=0.01).until
    0.01
    >>> strategy = make_strategy("setmargin", set_size=3)
    >>> make_strategy(strategy.name, **strategy.options()) == strategy
    True
    """
    return strategy_class(name).from_options(options)


def takes_learnt_prior(name: str) -> bool:
    """Whether the strategies of that name can start from what `setmargin learn` writes."""
    return strategy_class(name).takes_learnt_prior


def takes_hints(name: str) -> bool:
    """Whether the strategies of that name can be told how likely things matter."""
    return "hints" in options_of(strategy_class(name))


def as_strategy(strategy: Strategy[Any] | str | None) -> Strategy[Any]:
    """A strategy as it is, or by its name; the usual one where nothing is said."""
    if isinstance(strategy, Strategy):
        return strategy
    if strategy is None or isinstance(strategy, str):
        return make_strategy(strategy or DEFAULT)
    hint = "; make one: add ()" if isinstance(strategy, type) else ""
    raise OptionError(f"{strategy!r} is no strategy{hint}; give one such as Bayes(until=0.01), or its name")


def make_for_simulation(name: str = DEFAULT, *, talking: bool = False, **options: Any) -> Strategy[Any]:
    """The strategy as simulations want it, where the options do not say otherwise; `talking`: people give reasons."""
    found = strategy_class(name)
    usual = {**found.when_simulated, **(found.when_simulated_talking if talking else {})}
    return make_strategy(name, **{**usual, **options})


def make_for_study(name: str = DEFAULT, **options: Any) -> Strategy[Any]:
    """The strategy as the choices of real people in a study want it, where the options do not say otherwise."""
    found = strategy_class(name)
    return make_strategy(name, **{**found.when_simulated, **found.when_studied, **options})


def restore_strategy(name: str, **options: Any) -> Strategy[Any]:
    """The strategy of something saved, perhaps by an older version: what it does not name is as it was then."""
    return make_strategy(name, **{**strategy_class(name).added_options, **options})


def registered_class(strategy: Strategy[Any]) -> type[Strategy[Any]] | None:
    """The class of a strategy that `register` made known here, and that other processes have to be told of."""
    found = _REGISTERED.get(strategy.name)
    return found if found is type(strategy) else None


def register(strategy: S) -> S:
    """Make a class of strategies of your own known by its `name`; to be used as a decorator.

    Then `make_strategy`, `Interview`, `simulate` and `compare` take it by name, and saved interviews with it can be
    continued, in every process that has registered it.

    Raises
    ------
    OptionError
        Where the name is missing, or taken by another class.

    Examples
    --------
    >>> @register
    ... @dataclass(frozen=True, kw_only=True)
    ... class Patient(Bayes):
    ...     \"\"\"Like bayes, but goes on for longer.\"\"\"
    ...
    ...     name = "patient"
    ...     until: float = 0.001
    >>> Interview("synthetic:3", "patient").strategy.options()["until"]
    0.001
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
