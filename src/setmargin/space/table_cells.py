"""What the cells of a table mean: a value, several that will do, or any; and what its rows mean together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from setmargin.errors import RuleError, SpaceError
from setmargin.space.attributes import Attribute
from setmargin.space.formula import Box, InBoxes, InTable
from setmargin.space.text import Value, native

Cell = Value | tuple[Value, ...]
ANY: Final = "*"
"""Any value of the column's attribute, unless that has a value of this name."""
MOST_UNFOLDED: Final = 50_000
"""A table whose sets and wildcards stand for more cells than that is seldom unfolded into plain rows."""
TIMES_WRITTEN: Final = 8
"""Only where they stand for at most so many times the cells that are written: boxes are quick where they save more."""
MOST_LARGE: Final = 10_000_000
"""And for no more than these, which take some hundred megabytes."""

Meaning = int | frozenset[int] | None
"""The index of a value, those of several, or None for all."""


def plain_cell(cell: Any) -> Cell:
    """A cell as words and numbers of Python's own; several values in a tuple. What is neither is refused later."""
    if isinstance(cell, set | frozenset):
        cell = sorted(cell, key=lambda value: (str(type(value)), value))
    if isinstance(cell, str | Mapping) or not isinstance(cell, Iterable):
        return native(cell)  # type: ignore[arg-type]
    return tuple(native(value) for value in cell)


def table_formula(
    rows: Sequence[Sequence[Cell]], columns: tuple[int, ...], attributes: Sequence[Attribute], *, allow: bool
) -> InTable | InBoxes:
    """What the rows of a table say about the attributes of its columns, which stand at these places in a space."""
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    meanings = list(map(_column, cells, attributes))
    if any(meaning is None for meaning in meanings):
        _refuse(rows, attributes)
    lists: list[list[Meaning]] = [meaning for meaning in meanings if meaning is not None]
    if all(type(each) is int for meaning in lists for each in meaning):
        table = np.array(lists, dtype=np.int64).reshape(len(columns), len(rows)).T
        return InTable(columns, np.ascontiguousarray(table), allow)
    sizes = [len(attribute.values) for attribute in attributes]
    boxes = list(zip(*lists, strict=True))
    written, meant = len(columns) * len(boxes), len(columns) * sum(prod(map(_size, box, sizes)) for box in boxes)
    if meant <= max(MOST_UNFOLDED, min(TIMES_WRITTEN * written, MOST_LARGE)):
        unfolded = [row for box in boxes for row in product(*map(_members, box, sizes))]
        return InTable(columns, np.array(unfolded, dtype=np.int64), allow)
    return InBoxes(columns, tuple(_box(box) for box in boxes), allow)


def _column(cells: Sequence[Cell], attribute: Attribute) -> list[Meaning] | None:
    """What each cell of a column means; None if one of them means nothing. The same few cells come again and again."""
    known: dict[Any, Meaning] = {}
    found: list[Meaning] = []
    try:
        for cell in cells:
            # 1, 1.0 and True are the same key of a mapping, and not the same value of every attribute.
            key = cell if type(cell) is str else (type(cell), cell, repr(cell))
            if key not in known:
                known[key] = _meaning(cell, attribute)
            found.append(known[key])
    except (SpaceError, TypeError):
        return None
    return found


def _meaning(cell: Cell, attribute: Attribute) -> Meaning:
    if cell == ANY and ANY not in attribute.labels:
        return None
    if not isinstance(cell, tuple):
        return attribute.index(cell)
    values = frozenset(attribute.index(value) for value in cell)
    if not values:
        raise RuleError(f"an empty list stands for no value of {attribute.name}; list some, or remove the row")
    if len(values) == len(attribute.values):
        return None
    return min(values) if len(values) == 1 else values


def _refuse(rows: Sequence[Sequence[Cell]], attributes: Sequence[Attribute]) -> None:
    """Name the first cell that means nothing."""
    for number, row in enumerate(rows):
        for cell, attribute in zip(row, attributes, strict=True):
            try:
                _meaning(cell, attribute)
            except SpaceError as error:
                raise RuleError(f"row {number + 1} of a table: {error}", at=("rows", number)) from None


def _size(meaning: Meaning, size: int) -> int:
    return size if meaning is None else 1 if isinstance(meaning, int) else len(meaning)


def _members(meaning: Meaning, size: int) -> Iterable[int]:
    if meaning is None:
        return range(size)
    return (meaning,) if isinstance(meaning, int) else sorted(meaning)


def _box(meanings: Sequence[Meaning]) -> Box:
    return tuple(frozenset((each,)) if isinstance(each, int) else each for each in meanings)
