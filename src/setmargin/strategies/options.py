"""Options of strategies: declared once, as fields; checked, written as plain data and read from words by this alone.

    @dataclass(frozen=True, kw_only=True)
    class Mine(Strategy[Belief]):
        depth: int = option(3, give="how far to look ahead, 1 or more", allowed=lambda depth: depth >= 1)

Every field of a strategy is an option, unless it is declared with `no_option`. A plain `depth: int = 3` will do, too:
then any whole number is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import lru_cache
from numbers import Real
from operator import index
from typing import Any

from setmargin.errors import OptionError
from setmargin.space.text import short

_DECLARED = "setmargin option"


def option(
    default: Any = MISSING,
    *,
    give: str = "",
    allowed: Callable[[Any], bool] | None = None,
    choices: Sequence[str] = (),
    read: Callable[[Any], Any] | None = None,
    write: Callable[[Any], Any] | None = None,
    or_none: bool = False,
    factory: Any = MISSING,
) -> Any:
    """A field that is an option: its default, and the cure that is offered where a value is not allowed.

    Of a whole number, a number and a word the default says how it is read. Anything else has `read`, which makes the
    value out of plain data or raises TypeError or ValueError, and `write`, which makes plain data out of it.
    """
    declared = Declaration(give, allowed, tuple(choices), read, write, or_none or default is None)
    hashed = None if factory is MISSING else False
    return field(default=default, default_factory=factory, hash=hashed, metadata={_DECLARED: declared})


def no_option(default: Any = MISSING, *, factory: Any = MISSING) -> Any:
    """A field that only Python can set: it is left out of `options()`, so saved interviews do not keep it."""
    return field(default=default, default_factory=factory, compare=factory is MISSING, metadata={_DECLARED: None})


@dataclass(frozen=True)
class Declaration:
    give: str = ""
    allowed: Callable[[Any], bool] | None = None
    choices: tuple[str, ...] = ()
    read: Callable[[Any], Any] | None = None
    write: Callable[[Any], Any] | None = None
    or_none: bool = False


@dataclass(frozen=True)
class OptionField:
    """An option as a strategy's class declares it, with its name and default."""

    name: str
    default: Any
    declared: Declaration

    def checked(self, value: Any) -> Any:
        """The value as the strategy wants it; OptionError where it is not allowed, with the cure."""
        declared = self.declared
        if value is None and declared.or_none:
            return None
        try:
            read = self._read(value)
            if (not declared.choices or read in declared.choices) and (not declared.allowed or declared.allowed(read)):
                return read
        except OptionError:
            raise
        except (TypeError, ValueError, AttributeError):
            pass
        what = f"the {self.name.replace('_', ' ')}" if "_" in self.name else self.name
        raise OptionError(f"{what} is {short(value)}; give {self._give}")

    def _read(self, value: Any) -> Any:
        if self.declared.read is not None:
            return self.declared.read(value)
        read, _ = _READERS.get(type(self.default), (None, ""))
        return value if read is None else read(value)

    @property
    def _give(self) -> str:
        if self.declared.choices:
            return " or ".join(self.declared.choices)
        return self.declared.give or _READERS.get(type(self.default), (None, "another value"))[1]

    def plain(self, value: Any) -> Any:
        """The value as plain data, which `checked` reads again."""
        return value if value is None or self.declared.write is None else self.declared.write(value)

    def from_text(self, text: str, *, what: str = "") -> Any:
        """Plain data from the command line or a file: `3`, `0.5`, `3%`, `none`, a word, or JSON."""
        usual = self.plain(self.default)
        if isinstance(usual, str):
            return text
        value = _from_json(text)
        for kind, taken, words in _PLAIN:
            if isinstance(usual, kind) and (not isinstance(value, taken) or isinstance(value, bool)):
                raise OptionError(f"{what or self.name} is {text!r}; give {words}, such as {json.dumps(usual)}")
        return value


@lru_cache(maxsize=64)
def options_of(strategy: type) -> Mapping[str, OptionField]:
    """The options of a class of strategies, by name."""
    return {each.name: _option(each) for each in fields(strategy) if each.metadata.get(_DECLARED, True) is not None}


def _option(each: Field[Any]) -> OptionField:
    # By its type: a class that was sent to another process by value has another MISSING.
    make: Any = each.default_factory
    default = each.default if isinstance(make, type(MISSING)) else make()
    return OptionField(each.name, default, each.metadata.get(_DECLARED, Declaration(or_none=default is None)))


def whole(value: Any) -> int:
    """A whole number of any kind, NumPy's too."""
    if isinstance(value, bool):
        raise TypeError("a truth value is no number")
    return index(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError("this is no number")
    return float(value)


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("this is no word")
    return value


def _from_json(text: str) -> Any:
    if text.endswith("%"):
        number = _from_json(text.removesuffix("%").rstrip())
        return number / 100 if isinstance(number, int | float) else text
    try:
        return None if text == "none" else json.loads(text)
    except ValueError:
        return text


_READERS: Mapping[type, tuple[Callable[[Any], Any], str]] = {
    int: (whole, "a whole number"),
    float: (_number, "a number"),
    str: (_word, "a word"),
}
# What plain data may be, given what it usually is.
_PLAIN: tuple[tuple[type, tuple[type, ...], str], ...] = (
    (int, (int,), "a whole number"),
    (float, (int, float), "a number"),
    (list, (list,), "a list"),
    (dict, (dict, type(None)), "a mapping in JSON, or none"),
)
