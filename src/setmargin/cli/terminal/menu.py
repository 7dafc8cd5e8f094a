"""A list from which one key picks: in as many columns as fit, and on as many pages as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

KEYS: Final = "123456789defgijklmopvxyz"
"""Digits, then the letters that are no command."""
TURN: Final = "+"
"""Turns to the next page."""
GAP: Final = 3
"""Spaces between columns of entries."""


@dataclass(frozen=True, eq=False)
class Entry:
    """One line of a list; what cannot be picked gets no key."""

    name: str
    label: str
    note: Text
    pickable: bool = True


@dataclass(frozen=True)
class Page:
    """Some entries, each with its key."""

    entries: tuple[tuple[str, Entry], ...]
    number: int
    pages: int

    @property
    def picks(self) -> dict[str, Entry]:
        """What each key stands for."""
        return {key: entry for key, entry in self.entries if key}

    def table(self, *, width: int, height: int | None) -> Table:
        """The entries in columns, the first one filled first."""
        columns = _columns([entry for _, entry in self.entries], width, height)
        rows = ceil(len(self.entries) / columns)
        grid = Table.grid(padding=(0, 1))
        for _ in range(columns):
            grid.add_column(style="bold cyan", no_wrap=True)
            grid.add_column(no_wrap=True)
            grid.add_column(no_wrap=True)
            grid.add_column(width=GAP)
        for row in range(rows):
            shown = self.entries[row::rows]
            cells = [cell for key, entry in shown for cell in (key, _label(entry), entry.note, "")]
            grid.add_row(*cells)
        return grid


def paged(entries: Sequence[Entry], number: int, *, width: int, height: int | None) -> Page:
    """The page of that number, counted from 0 and starting over after the last one."""
    size = len(entries) if height is None else height * _most_columns(entries, width)
    parts = _parts(entries, max(1, size))
    part = parts[number % len(parts)]
    keys = iter(KEYS)
    return Page(tuple((next(keys) if e.pickable else "", e) for e in part), number % len(parts), len(parts))


def _parts(entries: Sequence[Entry], size: int) -> list[list[Entry]]:
    """Entries in order, as many together as there are places and keys."""
    parts: list[list[Entry]] = [[]]
    for entry in entries:
        picks = sum(each.pickable for each in parts[-1])
        if len(parts[-1]) >= size or (entry.pickable and picks >= len(KEYS)):
            parts.append([])
        parts[-1].append(entry)
    return parts


def _label(entry: Entry) -> Text:
    return Text(entry.label, style="" if entry.pickable else "dim")


def _most_columns(entries: Sequence[Entry], width: int) -> int:
    label = max(cell_len(entry.label) for entry in entries)
    note = max(cell_len(entry.note.plain) for entry in entries)
    return max(1, (width + GAP) // (1 + label + note + GAP + 4))


def _columns(entries: Sequence[Entry], width: int, height: int | None) -> int:
    """As few as it takes."""
    needed = 1 if height is None else ceil(len(entries) / max(1, height))
    return min(needed, _most_columns(entries, width))
