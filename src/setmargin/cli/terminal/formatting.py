"""Values, amounts and numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterable

from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.text import Value

SEPARATOR = " · "


def number(amount: float) -> str:
    """`1,480`, `11.3`: all the digits that were written, and no more."""
    return f"{round(amount, 6):,}".removesuffix(".0").replace("-", "−")


def with_unit(text: str, unit: str) -> str:
    """`500 Wh`."""
    return f"{text} {unit}" if unit else text


def value(attribute: Attribute, chosen: Value) -> str:
    """A value and its unit. No thousands separators: the number may be a year or a model."""
    return with_unit(str(chosen), attribute.unit)


def amount(quantity: Quantity, much: float) -> str:
    return with_unit(number(much), quantity.unit)


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
    return thing.title or thing.name


def sentence(error: Exception) -> str:
    """What went wrong, where it stands alone."""
    text = str(error).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."
