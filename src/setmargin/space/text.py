"""Words and numbers: what names and values may be, how they are written, and hints towards the right ones."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from numbers import Integral, Real
from typing import TypeVar

from setmargin.errors import SpaceError

Value = str | int | float
Path = tuple[str | int, ...]
Given = TypeVar("Given")

LONGEST_NAME = 200
LONGEST_UNIT = 40
LARGEST_NUMBER = 10**12
KEYWORDS = ("and", "or", "not", "in")
# The same two patterns as WORD and NUMBER in rules.lark.
BARE = re.compile(r"[\w.]+(-[\w.]+)*")
NUMBER = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?([0-9]+))?")


def in_words(values: Mapping[str, Value], most: int = 5) -> str:
    """A configuration in one line: `frame = steel, brakes = disc, …`."""
    shown = [f"{name} = {value}" for name, value in values.items()]
    return ", ".join(shown[:most] + ["…"] * (len(shown) > most))


def exact(number: float) -> Fraction:
    """The decimal number that was written, not its binary neighbour: 0.1 is one tenth."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def read_number(text: str) -> Fraction | None:
    """The number that the text is, if it is one of a sensible size (1e999999999 would fill the memory)."""
    found = NUMBER.fullmatch(text) if len(text) <= LONGEST_NAME else None
    return Fraction(text) if found and int(found[4] or 0) <= LONGEST_NAME else None


def native(value: Given) -> Given | int | float | str:
    """NumPy's and other libraries' words and numbers as Python's own; anything else unchanged, to be refused."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def show(value: Value) -> str:
    """A name or value as it has to be written in a rule: in double quotes unless it is a number or a plain word."""
    text = str(value)
    plain = BARE.fullmatch(text) and not NUMBER.fullmatch(text) and text not in KEYWORDS
    if plain or not isinstance(value, str):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def short(value: object, length: int = 60) -> str:
    """A value in a message: quoted if it is a text, and never long."""
    if isinstance(value, str) and len(value) > length:
        return repr(value[: length - 1] + "…")
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of more than 60 digits"  # Python refuses to write out very long ones
    text = repr(value)
    return text if len(text) <= length or isinstance(value, str) else text[: length - 1] + "…"


def suggest(word: str, known: Sequence[str], *, what: str) -> str:
    """Either the closest known word, or the list of them."""
    close = get_close_matches(word[:LONGEST_NAME], known[:2000], n=1)
    if close and close[0] != word:
        return f"did you mean {close[0]}?"
    listed = ", ".join(known[:12]) + (f", … ({len(known)} in all)" if len(known) > 12 else "")
    return f"{what} {listed or 'none'}"


def check_number(number: object, what: str, *, at: Path) -> None:
    """Refuse what is no number, or so large that sums would lose their last digits."""
    number = native(number)
    if isinstance(number, bool) or not isinstance(number, int | float) or number != number:
        raise SpaceError(f"{what} is {short(number)}; it must be a number", at=at)
    if abs(number) == math.inf:
        raise SpaceError(f"{what} is {number}; it must be finite", at=at)
    if abs(number) > LARGEST_NUMBER:
        raise SpaceError(f"{what} is {short(number)}; choose a larger unit so that it stays below 1e12", at=at)


def check_name(name: object, what: str) -> None:
    """Refuse names that nobody could read or write."""
    if not isinstance(name, str):
        raise SpaceError(f"the {what} name {short(name)} is not a text; put it in quotes")
    check_word(name, f"the name of {'an' if what[0] in 'aeiou' else 'a'} {what}", at=())


def check_word(text: str, what: str, *, at: Path) -> None:
    if not text or text != text.strip():
        wrong = "has spaces around it" if text.strip() else "is empty"
        raise SpaceError(f"{what}: {short(text)} {wrong}; write a plain word", at=at)
    if len(text) > LONGEST_NAME:
        raise SpaceError(f"{what}: {short(text)} is too long; use up to {LONGEST_NAME} characters", at=at)
    if not text.isprintable():
        raise SpaceError(f"{what}: {short(text)} has unprintable characters; remove them", at=at)


def check_text(text: str, what: str, *, at: Path, longest: int = LONGEST_NAME) -> str:
    """The text, if people can read it; it may be empty and have several lines."""
    if not isinstance(text, str):
        raise SpaceError(f"{what} is {short(text)}; write a text", at=at)
    if len(text) > longest:
        raise SpaceError(f"{what} has {len(text):,} characters; use up to {longest:,}", at=at)
    if not text.replace("\n", "").isprintable():
        raise SpaceError(f"{what} is {short(text)}; remove the unprintable characters", at=at)
    return text
