"""CSV files line by line; whatever is wrong with one gets an error with its line and the cure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from setmargin.errors import SetmarginError

DELIMITERS = ",;\t"
Lines = Iterator[tuple[int, list[str]]]


def csv_lines(name: str, error: type[SetmarginError], *, give: str, delimiters: str = DELIMITERS) -> Lines:
    """The lines that are not blank, each with its number, split where the first one has most delimiters.

    Raises the error where the file cannot be read (`give` says what to give instead), is no text or is no CSV.
    """
    text = _read_text(name, error, give)
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=max(delimiters, key=first.count))
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as wrong:
        cure = "put texts with commas in double quotes"
        raise error(f"{name}:{reader.line_num}: no CSV: {wrong}; {cure}") from None


def _read_text(name: str, error: type[SetmarginError], give: str) -> str:
    try:
        with open(name, "rb") as file:
            content = file.read()
    except (OSError, ValueError) as wrong:
        reason = getattr(wrong, "strerror", None) or str(wrong)
        raise error(f"{name}: cannot be read: {reason}; give {give}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        raise error(f"{name}:{line}: not UTF-8 text; save it as UTF-8") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise error(f"{name}:{line}: no text, but binary data; save it as CSV (UTF-8)")
    return text
