"""Attributes and quantities: what is chosen, and what follows linearly from the choices."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from setmargin.errors import SpaceError

Value = str | int | float
Better = Literal["lower", "higher"]

LONGEST_NAME = 200


@dataclass(frozen=True)
class Attribute:
    """Something chosen from a list of values, which are words or numbers."""

    name: str
    values: tuple[Value, ...]
    unit: str = ""
    title: str = ""

    def __init__(self, name: str, values: Iterable[Value], *, unit: str = "", title: str = "") -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", tuple(values))
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "title", title)
        _check_name(name, "attribute")
        _check_values(self)

    @property
    def is_numeric(self) -> bool:
        """Whether every value is a number, so that values can be ordered."""
        return all(not isinstance(value, str) for value in self.values)

    @property
    def labels(self) -> tuple[str, ...]:
        """The values as they are written in feature names and rules."""
        return tuple(str(value) for value in self.values)

    def index(self, value: Value) -> int:
        """The position of a value; numbers are compared as numbers, so 10, 10.0 and "10" are all the same one."""
        text = str(value)
        number = float(text) if _is_number(text.lstrip("-")) else None
        for position, own in enumerate(self.values):
            if str(own) == text or (number is not None and own == number):
                return position
        raise SpaceError(f"{self.name} has no value {show(value)}; {self.suggest(value)}")

    def suggest(self, value: Value) -> str:
        """A hint towards the values that exist."""
        return suggest(str(value), self.labels, what="its values are")


@dataclass(frozen=True)
class Quantity:
    """Something linear in the choices: a constant plus one number per chosen value.

    `terms` maps an attribute's name to the number that each of its values adds, or to one factor for a numeric
    attribute. With `better="lower"` the feature is turned around, so that every weight stays non-negative.
    """

    name: str
    terms: Mapping[str, Mapping[str, float] | float] = field(hash=False)
    unit: str = ""
    better: Better = "higher"
    base: float = 0.0
    title: str = ""

    def __init__(
        self,
        name: str,
        terms: Mapping[str, Mapping[Value, float] | float],
        *,
        unit: str = "",
        better: Better = "higher",
        base: float = 0.0,
        title: str = "",
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "terms", {key: _by_label(name, key, term) for key, term in terms.items()})
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "better", better)
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "title", title)
        _check_name(name, "quantity")
        if better not in ("lower", "higher"):
            raise SpaceError(f"quantity {name}: better is {better!r}; write lower or higher", at=("better",))
        if not terms:
            raise SpaceError(f"quantity {name} sums over no attribute; give it at least one", at=("sum",))
        _check_number(base, f"quantity {name}: base", at=("base",))

    def table(self, attribute: Attribute) -> tuple[float, ...]:
        """What each value of the attribute adds; zeros for an attribute that does not matter."""
        term = self.terms.get(attribute.name, 0.0)
        if isinstance(term, Mapping):
            return self._listed(attribute, term)
        _check_number(
            term, f"quantity {self.name}: the factor of {attribute.name}", at=("sum", attribute.name)
        )
        if term == 0:
            return (0.0,) * len(attribute.values)
        if not attribute.is_numeric:
            raise SpaceError(
                f"quantity {self.name} has one factor for {attribute.name}, whose values are not all numbers; "
                f"list a number for each value instead",
                at=("sum", attribute.name),
            )
        return tuple(term * float(value) for value in attribute.values)

    def _listed(self, attribute: Attribute, term: Mapping[str, float]) -> tuple[float, ...]:
        found: dict[int, float] = {}
        for value, number in term.items():
            where = ("sum", attribute.name, value)
            try:
                position = attribute.index(value)
            except SpaceError as error:
                raise SpaceError(f"quantity {self.name}: {error}", at=where) from None
            if position in found:
                raise SpaceError(
                    f"quantity {self.name} lists {attribute.name}={value} twice; keep one", at=where
                )
            _check_number(number, f"quantity {self.name}: {attribute.name}={value}", at=where)
            found[position] = float(number)
        missing = [label for position, label in enumerate(attribute.labels) if position not in found]
        if missing:
            raise SpaceError(
                f"quantity {self.name} has no number for {attribute.name} = {', '.join(missing)}; "
                f"add {'it' if len(missing) == 1 else 'them'} (0 if nothing is added)",
                at=("sum", attribute.name),
            )
        return tuple(found[position] for position in range(len(attribute.values)))


def _by_label(quantity: str, name: str, term: Mapping[Value, float] | float) -> dict[str, float] | float:
    """Numbers under the labels of their values, as in a file, where every key is a text."""
    if not isinstance(term, Mapping):
        return term
    labelled = {str(value): number for value, number in term.items()}
    if len(labelled) < len(term):
        raise SpaceError(f"quantity {quantity} lists a value of {name} twice; keep one", at=("sum", name))
    return labelled


def show(value: Value) -> str:
    """A value as it has to be written in a rule: words with spaces in double quotes."""
    text = str(value)
    bare = re.fullmatch(r"[\w.]+(-[\w.]+)*", text) and text not in ("and", "or", "not", "in")
    if not isinstance(value, str):
        return text
    if bare and not _is_number(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def suggest(word: str, known: Sequence[str], *, what: str) -> str:
    """Either the closest known word, or the list of them."""
    close = get_close_matches(word, known, n=1)
    if close and close[0] != word:
        return f"did you mean {close[0]}?"
    listed = ", ".join(known[:12]) + (f", … ({len(known)} in all)" if len(known) > 12 else "")
    return f"{what} {listed or 'none'}"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text) is not None


def _check_number(number: object, what: str, *, at: tuple[str | int, ...]) -> None:
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise SpaceError(f"{what} is {number!r}; it must be a finite number", at=at)
    if abs(number) > 1e12:
        raise SpaceError(f"{what} is {number!r}; choose a larger unit so that it stays below 1e12", at=at)


def _check_name(name: object, what: str) -> None:
    if not isinstance(name, str) or not name or name != name.strip():
        raise SpaceError(f"{what} name {name!r} is empty or has spaces around it; give it a plain name")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise SpaceError(
            f"{what} name {name[:40]!r} is too long or has unprintable characters; "
            f"use up to {LONGEST_NAME} printable ones"
        )


def _check_values(attribute: Attribute) -> None:
    if not attribute.values:
        raise SpaceError(f"attribute {attribute.name} has no values; list at least one", at=("values",))
    seen: dict[str, Value] = {}
    numbers: dict[float, Value] = {}
    for position, value in enumerate(attribute.values):
        at = ("values", position)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise SpaceError(
                f"attribute {attribute.name}: value {value!r} is neither a word nor a number", at=at
            )
        if isinstance(value, str):
            _check_word(attribute.name, value, at)
        else:
            _check_number(value, f"attribute {attribute.name}: value {value!r}", at=at)
            if value in numbers:
                raise SpaceError(f"attribute {attribute.name} lists the value {value} twice; keep one", at=at)
            numbers[value] = value
        if str(value) in seen:
            raise SpaceError(f"attribute {attribute.name} lists the value {value} twice; keep one", at=at)
        seen[str(value)] = value


def _check_word(attribute: str, value: str, at: tuple[str | int, ...]) -> None:
    if not value or value != value.strip() or not value.isprintable() or len(value) > LONGEST_NAME:
        raise SpaceError(
            f"attribute {attribute}: value {value[:40]!r} is empty, too long, or has spaces around it "
            f"or unprintable characters; write a plain word",
            at=at,
        )
