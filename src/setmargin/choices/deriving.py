"""A catalogue derived from the columns of a file of choices."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from setmargin.choices.table import ChoiceTable
from setmargin.errors import ChoicesError, SpaceError
from setmargin.space.attributes import DIRECTIONS, Attribute, Direction
from setmargin.space.space import Space
from setmargin.space.space_checks import NAME
from setmargin.space.text import Value, read_number, short, suggest

MOST_WORDS = 60
"""A column with more different words than this describes no option, but numbers or names it."""
LEVELS = 16
"""More different numbers than this are rounded to as many: finer differences decide no choice that can be learnt."""
ORDERED_FROM = 3
"""With fewer values there is no place between the ends, so nothing to say about their order."""
LEADING_NUMBER = re.compile(r"[^0-9]*(-?[0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True)
class Derived:
    """A catalogue derived from a file.

    Parameters
    ----------
    space : Space
    notes : tuple of str
        What was decided on the way, a sentence each.
    levels : mapping
        Columns whose numbers were rounded, each with the numbers that are left.
    """

    space: Space
    notes: tuple[str, ...]
    levels: Mapping[str, tuple[float, ...]]


def derive(
    table: ChoiceTable,
    *,
    better: Mapping[str, str] | None = None,
    ordered: Mapping[str, Sequence[str]] | None = None,
    levels: int = LEVELS,
) -> Derived:
    """A catalogue with an attribute for each column that tells options apart, and no rules.

    Words become values as they are. Numbers become values in their order, rounded to the nearest of `levels` of them
    where they are more.

    Parameters
    ----------
    table : ChoiceTable
    better : mapping, optional
        For some columns `higher`, `lower` or `peak`, as in a catalogue. Numbers that nothing is said of have a `peak`:
        near numbers are alike, and which ones are best differs between people; `none` says that not even that is so.
    ordered : mapping, optional
        For some columns of words all their words from least to most; or none, where all begin with a number.
    levels : int
        How many different numbers an attribute may have.

    Raises
    ------
    ChoicesError
        Where something is said of a column that does not fit it, or a column has too many different words.
    """
    better, ordered = dict(better or {}), dict(ordered or {})
    for column in [*better, *ordered]:
        if column not in table.columns:
            hint = suggest(column, table.columns, what="the columns are")
            raise ChoicesError(f"{table.file}: there is no column {short(column)} to be ordered; {hint}")
    varying = varying_columns(table)
    notes = [
        f"{each} is the same for all options of every task, and is left out"
        for each in table.columns
        if each not in varying
    ]
    if not varying:
        raise ChoicesError(f"{table.file}: no column differs between the options of a task; there is nothing to learn")
    rounded: dict[str, tuple[float, ...]] = {}
    attributes = []
    for column in varying:
        cells = [line.cells[column] for line in table.lines]
        values, order = _values(table.file, column, cells, ordered.get(column), levels)
        if isinstance(values[0], float | int) and len(values) < len(set(cells)) and len(values) == levels:
            rounded[column] = tuple(float(value) for value in values)
            notes.append(f"{column} has {len(set(cells))} different numbers, which are rounded to {levels}")
        attributes.append(_attribute(table.file, column, values, order=order, better=better.get(column)))
    return Derived(Space(attributes, name=_name(table.file)), tuple(notes), rounded)


def varying_columns(table: ChoiceTable) -> tuple[str, ...]:
    """The columns in which the options of some task differ; what describes people does not."""
    tasks = [task.lines for tasks in table.people.values() for task in tasks]
    return tuple(
        column
        for column in table.columns
        if any(line.cells[column] != lines[0].cells[column] for lines in tasks for line in lines[1:])
    )


def _values(
    file: str, column: str, cells: Sequence[str], order: Sequence[str] | None, levels: int
) -> tuple[list[Value], bool]:
    """The values of the attribute, and whether they are words in an order."""
    words = list(dict.fromkeys(cells))
    numbers = {word: read_number(word) for word in words}
    if order is None and all(number is not None for number in numbers.values()):
        return _numbers([float(numbers[cell] or 0) for cell in cells], levels), False
    if len(words) > MOST_WORDS:
        raise ChoicesError(
            f"{file}: {column} has {len(words):,} different words; leave it out with --drop if it only names things, "
            f"or put them into at most {MOST_WORDS} groups"
        )
    if order is None:
        return sorted(words), False
    return [*_ordered_words(file, column, words, order)], True


def _numbers(numbers: Sequence[float], levels: int) -> list[Value]:
    """All different ones or, where they are many, those that equal shares of the lines are nearest to."""
    different = sorted(set(numbers))
    if len(different) > levels:
        shares = (np.arange(levels) + 0.5) / levels
        different = sorted(set(np.quantile(numbers, shares, method="nearest").tolist()))
    return [int(number) if number.is_integer() else number for number in different]


def _ordered_words(file: str, column: str, words: Collection[str], order: Sequence[str]) -> list[str]:
    if order:
        unknown, missing = [w for w in order if w not in words], [w for w in words if w not in order]
        if unknown or missing or len(set(order)) < len(order):
            raise ChoicesError(
                f"{file}: the order of {column} is {', '.join(order)}, but its words are {', '.join(sorted(words))}; "
                f"list each of them once, from least to most"
            )
        return list(order)
    leading = {word: LEADING_NUMBER.match(word) for word in words}
    if not all(leading.values()) or len({match[1] for match in leading.values() if match}) < len(words):
        example = ",".join(sorted(words)[:4])
        raise ChoicesError(
            f"{file}: the words of {column} have no number of their own each; list them from least to most: "
            f"--ordered {column}={example}"
        )
    return sorted(words, key=lambda word: float(match[1]) if (match := leading[word]) else 0.0)


def _attribute(file: str, column: str, values: Sequence[Value], *, order: bool, better: str | None) -> Attribute:
    is_number = not isinstance(values[0], str)
    if better is None and is_number and len(values) >= ORDERED_FROM:
        better = "peak"
    elif better == "none":
        better = None
    elif better is not None and better not in DIRECTIONS:
        raise ChoicesError(f"{file}: better is {short(better)} for {column}; give higher, lower, peak or none")
    direction: Direction | None = next((each for each in DIRECTIONS if each == better), None)
    if direction and not (is_number or order):
        raise ChoicesError(
            f"{file}: {better} is said to be better for {column}, whose words have no order; list them from least to "
            f"most: --ordered {column}={','.join(map(str, values[:4]))}"
        )
    try:
        return Attribute(column, values, better=direction, ordered=order)
    except SpaceError as error:
        raise ChoicesError(f"{file}: {error}; change the column, or leave it out with --drop") from None


def _name(file: str) -> str:
    """The file's name as that of a catalogue."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", Path(file).stem).strip("-._")[:60]
    return plain if NAME.fullmatch(plain) else "choices"
