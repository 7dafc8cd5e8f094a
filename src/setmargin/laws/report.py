"""The laws tried on one strategy, and what came out, as text and as JSON."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from setmargin.errors import OptionError
from setmargin.laws.checks import Law, Make, laws
from setmargin.strategies.base import Strategy
from setmargin.strategies.options import options_of
from setmargin.strategies.registry import strategy_class


@dataclass(frozen=True)
class LawResult:
    """Whether a strategy obeys one law, and where it does not, what was seen."""

    law: str
    says: str
    obeyed: bool
    seen: str
    seconds: float

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def try_laws(make: Make) -> Iterator[LawResult]:
    """Try each law on a strategy, one result after the other.

    Parameters
    ----------
    make
        What makes the strategy afresh: its class, or a function without arguments.

    Examples
    --------
    >>> from setmargin import make_strategy
    >>> from setmargin.laws import try_laws
    >>> all(result.obeyed for result in try_laws(lambda: make_strategy("random")))
    True
    """
    if not __debug__:
        raise OptionError("the laws are assertions, which python -O leaves out; run Python without -O")
    return (_tried(law, make) for law in laws())


def _tried(law: Law, make: Make) -> LawResult:
    name = law.__name__.removeprefix("check_").replace("_", " ")
    says = (law.__doc__ or "").partition("\n")[0]
    start = perf_counter()
    try:
        law(make)
        seen = ""
    except Exception as error:
        seen = _what_was_seen(error)
    return LawResult(name, says, not seen, seen, perf_counter() - start)


def _what_was_seen(error: Exception) -> str:
    """The error, or the assertion that failed, and the last place in the strategy's own code that took part."""
    frames = traceback.extract_tb(error.__traceback__)
    said = str(error) or f"not true: {(frames[-1].line or '').removeprefix('assert ')}"
    kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
    here = Path(__file__).parent.parent
    own = [frame for frame in frames if here not in Path(frame.filename).parents]
    where = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
    return f"{kind}{' '.join(said.split())}{where}"


def find_strategy(source: str) -> type[Strategy[Any]]:
    """The class behind `package.module:Class`, or behind the name of a strategy.

    Raises
    ------
    OptionError
        Where there is none, with the reason.
    """
    module, colon, name = source.partition(":")
    if not colon:
        return strategy_class(source)
    if "" not in sys.path:
        sys.path.insert(0, "")  # what is in the current folder need not be installed
    try:
        found = getattr(import_module(module), name)
    except Exception as error:
        raise OptionError(f"{source} cannot be loaded: {error or type(error).__name__}; write module:Class") from error
    if not (isinstance(found, type) and issubclass(found, Strategy)):
        raise OptionError(f"{source} is no class of strategies; derive it from setmargin.Strategy")
    return found


def maker(strategy: type[Strategy[Any]], texts: tuple[str, ...] = ()) -> Make:
    """What makes the strategy with options NAME=VALUE, for the rest as simulations want it: asking to the very end."""
    known = options_of(strategy)
    given: dict[str, Any] = dict(strategy.when_simulated)
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in known:
            raise OptionError(f"--option is {text!r}; write NAME=VALUE with one of {', '.join(known)}")
        given[name] = known[name].from_text(value, what=f"--option {name}")
    strategy.from_options(given)
    return lambda: strategy.from_options(given)
