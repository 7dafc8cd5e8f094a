"""Values, amounts and numbers as people read them, and the words of the catalogue in their language."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from setmargin.space.presentation import EMPTY, Appearance, Presentation

if TYPE_CHECKING:
    from setmargin.space.attributes import Attribute, Quantity
    from setmargin.space.space import Space
    from setmargin.space.text import Value

SEPARATOR = " · "
_SPOKEN: ContextVar[tuple[Presentation, str]] = ContextVar("spoken", default=(EMPTY, ""))
"""What people see of the catalogue, and in which language: the same on every page of one interview."""


@contextmanager
def speaking(presentation: Presentation, language: str) -> Iterator[None]:
    """Show the catalogue so from here on."""
    before = _SPOKEN.set((presentation, language))
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def languages_of_terminal() -> list[str]:
    """What the person's settings ask for: `de_AT.UTF-8` is `de-AT`."""
    found = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    code = found.partition(".")[0].partition("@")[0].replace("_", "-")
    return [] if code in ("", "C", "POSIX") else [code]


def _seen(name: str) -> Appearance:
    presentation, _ = _SPOKEN.get()
    return presentation.of(name)


def _said(words: Mapping[str, str]) -> str:
    presentation, language = _SPOKEN.get()
    return presentation.said(words, language)


def catalogue_title(space: Space) -> str:
    """What the catalogue is called where people look."""
    return _said(space.presentation.title) or space.title or space.name


def help_lines(space: Space) -> list[tuple[str, str]]:
    """What the catalogue explains, by what that is called."""
    things: tuple[Attribute | Quantity, ...] = (*space.attributes, *space.quantities)
    return [(label(thing), text) for thing in things if (text := _said(_seen(thing.name).help))]


def number(amount: float) -> str:
    """`1,480`, `11.3`: all the digits that were written, and no more."""
    return f"{round(amount, 6):,}".removesuffix(".0").replace("-", "−")


def with_unit(text: str, unit: str) -> str:
    """`500 Wh`."""
    return f"{text} {unit}" if unit else text


def value(attribute: Attribute, chosen: Value) -> str:
    """A value and its unit, unless it is called something else. No thousands separators: it may be a year or a model.

    A word among numbers ("mains" among litres) has no unit.
    """
    seen = _seen(attribute.name)
    text = str(chosen)
    if titled := _said(seen.values.get(text, Appearance()).title):
        return titled
    return with_unit(text, _unit(attribute) if text[:1].isdigit() or not isinstance(chosen, str) else "")


def named(attribute: Attribute, chosen: Value) -> str:
    """`brakes rim`, but `no motor` alone: a value that says by itself what it is of."""
    text = value(attribute, chosen)
    return text if names_itself(attribute, chosen) else f"{label(attribute)} {text}"


def names_itself(attribute: Attribute, chosen: Value) -> bool:
    """Whether what a value is called says what it is of: `no motor`."""
    return label(attribute).casefold() in value(attribute, chosen).casefold()


def amount(quantity: Quantity, much: float) -> str:
    """An amount and its unit, with as many decimals as the catalogue wants."""
    decimals = _seen(quantity.name).decimals
    text = number(much) if decimals is None else f"{much:,.{decimals}f}".replace("-", "−")
    return with_unit(text, _unit(quantity))


def _unit(thing: Attribute | Quantity) -> str:
    return _said(_seen(thing.name).unit) or thing.unit


def change(much: float) -> str:
    """` (+320)` or ` (−0.8)`; nothing where nothing changes."""
    rounded = round(much, 6)
    sign = "+" if rounded > 0 else ""
    return f" ({sign}{number(rounded)})" if rounded else ""


def count(many: int, thing: str, things: str = "") -> str:
    """`1 rule`, `16 rules`, `64,476 configurations`."""
    return f"{many:,} {thing if many == 1 else things or thing + 's'}"


def percent(share: float) -> str:
    """`12%`; never 0% or 100% of what is only nearly so."""
    if 0 < share < 0.005:
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 else f"{share:.0%}"


def listed(texts: Iterable[str]) -> str:
    return SEPARATOR.join(texts)


def label(thing: Attribute | Quantity) -> str:
    """What it is called where people look: its title if it has one."""
    return _said(_seen(thing.name).title) or thing.title or thing.name


def sentence(error: Exception) -> str:
    """What went wrong, where it stands alone."""
    text = str(error).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."
