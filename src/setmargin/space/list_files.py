"""Tables of items: CSV and XLSX files in, columns of words and numbers out; mistakes with file, line and cure."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from setmargin.csv_reading import csv_lines
from setmargin.errors import CatalogueError, SetmarginError
from setmargin.space.items import MOST_ITEMS
from setmargin.space.text import NUMBER, Value, check_name, short

SUFFIXES: Final = (".csv", ".tsv", ".xlsx")
NOTHING_KNOWN: Final = ("", "-", "–", "—", "?", "n/a", "na", "nan", "null", "none", "#n/a")
"""What people write into a cell of which nothing is known."""
_LIKE_A_NUMBER = re.compile(r"[-+]?\d{1,3}(?:[,.'’  \u202f]\d{3})+(?:[.,]\d+)?|[-+]?\d+,\d+")
_WITH_UNIT = re.compile(r"([€$£¥]?)\s*([-+]?[\d.,'’  \u202f]*\d)\s*([^\W\d_][^\d]{0,11}|[€$£¥%\"″°]|)")
_LEADING_ZERO = re.compile(r"-?0\d")


@dataclass(frozen=True, eq=False)
class ListFile:
    """A table as it stands in a file; a column of numbers has numbers in its cells, `""` is nothing."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    lines: tuple[int, ...]
    """The line of each row in the file."""
    units: dict[str, str]
    """What stood beside all numbers of a column."""

    def column(self, name: str) -> list[Value]:
        """What stands in a column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


def is_list_file(path: str | os.PathLike[str]) -> bool:
    """Whether the name is that of a table."""
    return os.fspath(path).lower().endswith(SUFFIXES)


def read_list(path: str | os.PathLike[str]) -> ListFile:
    """The table in a CSV or XLSX file, with names in its first line.

    Raises:
        CatalogueError: where it cannot be read, is ragged, has two columns of one name or numbers with commas.
    """
    file = os.fspath(path)
    lines = _xlsx_lines(file) if file.lower().endswith(".xlsx") else _csv_lines(file)
    line, names = next(lines, (1, []))
    if not names:
        raise CatalogueError("there is nothing in it; write the names of the columns into the first line", file=file)
    names = [str(name).strip() for name in names]
    numbers: list[int] = []
    rows: list[Sequence[Any]] = []
    for number, cells in lines:
        if len(cells) != len(names):
            _refuse_ragged(cells, names, file, number)
        numbers.append(number)
        rows.append(cells)
        if len(rows) > MOST_ITEMS:
            raise CatalogueError(f"more than {MOST_ITEMS:,} rows; split it into several", file=file, line=number)
    kept = _named(names, rows, file, line)
    if not rows:
        raise CatalogueError("there are names of columns and no items; write one item a line", file=file, line=line)
    units: dict[str, str] = {}
    columns = []
    for place in kept:
        cells, unit = _read_column(names[place], [row[place] for row in rows], file, numbers)
        columns.append(cells)
        if unit:
            units[names[place]] = unit
    return ListFile(
        file, tuple(names[place] for place in kept), tuple(zip(*columns, strict=True)), tuple(numbers), units
    )


def _csv_lines(file: str) -> Iterator[tuple[int, list[str]]]:
    try:
        yield from csv_lines(file, SetmarginError, give="a CSV or XLSX file")
    except CatalogueError:
        raise
    except SetmarginError as error:
        found = re.fullmatch(r"(?::(\d+))?: (.*)", str(error).removeprefix(file), re.DOTALL)
        assert found
        raise CatalogueError(found[2], file=file, line=int(found[1]) if found[1] else None) from None


def _xlsx_lines(file: str) -> Iterator[tuple[int, list[Any]]]:
    """The first sheet; rows without anything are passed over, and so is what stands right of the names."""
    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        raise CatalogueError(
            "openpyxl is not installed; pip install 'setmargin[xlsx]', or save the sheet as CSV", file=file
        ) from None
    try:
        book = load_workbook(file, read_only=True, data_only=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CatalogueError(f"cannot be read: {reason}; give a CSV or XLSX file", file=file) from None
    except Exception as error:  # a zip file of something else fails in many ways
        raise CatalogueError(f"no XLSX file: {error}; save it as XLSX or CSV", file=file) from None
    try:
        width = 0
        for number, row in enumerate(book.worksheets[0].iter_rows(values_only=True), 1):
            cells = [_plain_cell(cell) for cell in row]
            if any(cell != "" for cell in cells):
                width = width or max(place for place, cell in enumerate(cells, 1) if cell != "")
                cells += [""] * (width - len(cells))
                yield number, cells if any(cell != "" for cell in cells[width:]) else cells[:width]
    finally:
        book.close()


def _plain_cell(cell: Any) -> Value:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        cell = cell.date()
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell if isinstance(cell, int | float | str) else "" if cell is None else str(cell)


def _named(names: list[str], rows: list[Sequence[Any]], file: str, line: int) -> list[int]:
    """The places of the columns, each of which has a name of its own; those with nothing in them are left out."""
    kept = [place for place, name in enumerate(names) if name or any(str(row[place]).strip() for row in rows)]
    for place in kept:
        name = names[place]
        if not name:
            raise CatalogueError(
                f"column {place + 1} has no name; {_understood(names)}; write a name for each column into the first "
                f"line, or remove the column",
                file=file,
                line=line,
            )
        try:
            check_name(name, "column")
        except SetmarginError as error:
            raise CatalogueError(str(error), file=file, line=line) from None
        if name in names[:place]:
            raise CatalogueError(
                f"two columns are called {name!r}, the {names.index(name) + 1}. and the {place + 1}.; "
                f"{_understood(names)}; rename or remove one of the two",
                file=file,
                line=line,
            )
    return kept


def _understood(names: list[str]) -> str:
    return f"the columns are {', '.join(names[:12])}{', …' * (len(names) > 12)}"


def _refuse_ragged(cells: Sequence[Any], names: list[str], file: str, line: int) -> None:
    pairs = [f"{name} = {short(str(cell).strip(), 24)}" for name, cell in zip(names, cells, strict=False)]
    cure = (
        "put texts that have commas in them in double quotes"
        if len(cells) > len(names)
        else "add what is missing, empty cells too"
    )
    raise CatalogueError(
        f"this line has {len(cells)} cells, where {len(names)} columns have names; understood was "
        f"{', '.join(pairs[:8])}{', …' * (len(pairs) > 8)}; {cure}",
        file=file,
        line=line,
    )


# Words or numbers


def _read_column(name: str, cells: list[Any], file: str, lines: list[int]) -> tuple[list[Value], str]:
    """A column of numbers, with what stands beside all of them, or of words."""
    read = {cell: _read(cell) for cell in dict.fromkeys(cells)}
    known = {cell: value for cell, value in read.items() if value != ""}
    if all(not isinstance(value, str) for value in known.values()):
        return [read[cell] for cell in cells], ""
    parts = {cell: _WITH_UNIT.fullmatch(str(cell).strip()) for cell in known}
    units = {(found[1] + found[3]).strip() if found else None for found in parts.values()}
    if len(units) != 1 or None in units:
        return [read[cell] if isinstance(read[cell], str) else str(cell).strip() for cell in cells], ""
    numbers: dict[Any, Value] = {}
    for cell, found in parts.items():
        assert found
        if _LEADING_ZERO.match(found[2]):
            return [read[cell] if isinstance(read[cell], str) else str(cell).strip() for cell in cells], ""
        if not NUMBER.fullmatch(found[2]):
            _refuse_commas(name, cell, found[2], file, lines[cells.index(cell)])
            return [str(cell).strip() if cell in known else "" for cell in cells], ""
        numbers[cell] = _number(found[2])
    (unit,) = units
    return [numbers.get(cell, "") for cell in cells], unit or ""


def _read(cell: Any) -> Value:
    if not isinstance(cell, str):
        return cell if isinstance(cell, int | float) else str(cell)
    text = " ".join(cell.split())
    if text.lower() in NOTHING_KNOWN:
        return ""
    return _number(text) if NUMBER.fullmatch(text) and not _LEADING_ZERO.match(text) and len(text) < 16 else text


def _number(text: str) -> Value:
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _refuse_commas(name: str, cell: str, number: str, file: str, line: int) -> None:
    """A column of numbers, of which one has signs between its digits."""
    if not _LIKE_A_NUMBER.fullmatch(number):
        return
    *whole, last = re.split(r"[,.'’  \u202f]", number)
    mark = number[-len(last) - 1]
    thousands = len(last) == 3 and (mark != "," or len(whole) > 1 or len(whole[0]) <= 3) and mark != "."
    plain = "".join([*whole, last]) if thousands else f"{''.join(whole)}.{last}"
    raise CatalogueError(
        f"{name} is {short(str(cell))}, which was understood as a word, not as a number; write {plain}, with a "
        f"decimal point and nothing between thousands, or set the format of the column so",
        file=file,
        line=line,
    )
