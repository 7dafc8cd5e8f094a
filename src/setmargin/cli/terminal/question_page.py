"""What an interview asks: configurations side by side. Data in, pages out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from setmargin.cli.terminal import formatting
from setmargin.space.attributes import Quantity
from setmargin.space.space import Configuration, Space

MARK = "●"
CHOSEN = "✓"
NARROW = 14
"""Columns narrower than this are hard to compare, unless everything in them is short."""


@dataclass(frozen=True)
class Row:
    """One attribute or quantity of some configurations."""

    name: str
    label: str
    cells: tuple[Text, ...]
    differs: bool
    is_quantity: bool = False
    key: str = ""
    """The key that picks it, where there is one."""


def rows(space: Space, configurations: Sequence[Configuration]) -> tuple[Row, ...]:
    """One row for each attribute, then one for each quantity."""
    attributes = []
    for attribute in space.attributes:
        chosen = [configuration[attribute.name] for configuration in configurations]
        cells = tuple(Text(formatting.value(attribute, each)) for each in chosen)
        attributes.append(Row(attribute.name, formatting.label(attribute), cells, len(set(chosen)) > 1))
    amounts = [space.amounts(configuration) for configuration in configurations]
    quantities = (_quantity_row(q, [each[q.name] for each in amounts]) for q in space.quantities)
    return (*attributes, *quantities)


def _quantity_row(quantity: Quantity, amounts: Sequence[float]) -> Row:
    cells = tuple(_amount(quantity, each, amounts[0]) for each in amounts)
    return Row(quantity.name, formatting.label(quantity), cells, len(set(amounts)) > 1, is_quantity=True)


def _amount(quantity: Quantity, amount: float, first: float) -> Text:
    """The amount, and by how much it differs from the first option's."""
    better = (amount < first) == (quantity.better == "lower")
    return Text.assemble(
        formatting.amount(quantity, amount), (formatting.change(amount - first), "green" if better else "red")
    )


def line_count(thing: RenderableType, width: int) -> int:
    console = Console(width=width, markup=False, emoji=False, highlight=False)
    return len(console.render_lines(thing))


# Questions


def options(
    space: Space,
    configurations: Sequence[Configuration],
    *,
    width: int,
    all_rows: bool,
    best_first: bool = False,
    keys: Mapping[str, str] | None = None,
    chosen: int | None = None,
) -> RenderableType:
    """Configurations to choose from: side by side where they fit, else one below the other.

    They are numbered from 1, after the best so far where that stands before them. Where one is `chosen` already, it is
    marked, and the `keys` stand at the rows, by name.
    """
    everything = [replace(row, key=(keys or {}).get(row.name, "")) for row in rows(space, configurations)]
    shown = [row for row in everything if all_rows or row.differs] or everything
    alike = [row for row in everything if row not in shown]
    column = _column_width(shown, width)
    heads = [Text(head, style="bold cyan") for head in _heads(len(configurations), best_first)]
    for head, configuration in zip(heads, configurations, strict=True):
        head.append(titled(space, configuration))
    if chosen is not None:
        heads[chosen] = Text(f"{heads[chosen].plain} {CHOSEN}", style="bold reverse cyan")
    body = _listing(shown, heads) if column is None else _columns(shown, heads, column)
    return Group(body, *([_alike(alike)] if alike else []))


def titled(space: Space, configuration: Configuration) -> str:
    """What an item of a product list is called, behind a space; nothing where there is no list."""
    item = space.item(configuration)
    return "" if item is None else f" {item.title or item.id}"


def _heads(size: int, best_first: bool) -> list[str]:
    return ["best" if best_first and not number else str(number + 1 - best_first) for number in range(size)]


def _column_width(shown: Sequence[Row], width: int) -> int | None:
    """The width of each option's column; None if columns would be too narrow to read."""
    size = len(shown[0].cells)
    texts = [cell.plain for row in shown for cell in row.cells]
    widest = max(map(cell_len, texts))
    longest_word = max(cell_len(word) for text in texts for word in text.split())
    label = max(cell_len(row.label) for row in shown) + cell_len(MARK) + 1
    room = (width - label - 2) // size - 2
    return None if room < max(longest_word, min(widest, NARROW)) else min(room, max(widest, NARROW))


def _columns(shown: Sequence[Row], heads: Sequence[Text], column: int) -> Table:
    grid = table("", *heads)
    for option in grid.columns[1:]:
        option.width = column
    for row, ends_section in zip(shown, section_ends(shown), strict=True):
        grid.add_row(_marked(row), *row.cells, style="" if row.differs else "dim", end_section=ends_section)
    return grid


def table(*heads: RenderableType) -> Table:
    """An empty table whose first column holds labels."""
    grid = Table(*(Column(head) for head in heads), box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    grid.columns[0].no_wrap = True
    return grid


def section_ends(shown: Sequence[Row]) -> list[bool]:
    """A line between the attributes and the quantities."""
    return [not row.is_quantity and following.is_quantity for row, following in pairwise([*shown, shown[-1]])]


def _marked(row: Row) -> Text:
    if not row.differs:
        return Text(f"  {row.label}")
    return Text.assemble((f"{row.key or MARK} ", "bold cyan" if row.key else "cyan"), (row.label, "bold"))


def _listing(shown: Sequence[Row], heads: Sequence[Text]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column()
    for number, head in enumerate(heads):
        table.add_row(head, one_line(shown, number))
    return table


def one_line(shown: Sequence[Row], number: int) -> Text:
    """One configuration on one line."""
    parts = [Text.assemble(_key(row), (f"{row.label} ", "dim"), row.cells[number]) for row in shown]
    return Text(formatting.SEPARATOR).join(parts)


def _key(row: Row) -> Text:
    return Text(f"{row.key} " if row.key else "", style="bold cyan")


def _alike(alike: Sequence[Row]) -> RenderableType:
    return Padding(Text.assemble("alike: ", one_line(alike, 0), style="dim"), (1, 0, 0, 0))


def heading(title: str, place: str, must_haves: Sequence[str], progress: str = "") -> RenderableType:
    """The title on the left, where we are on the right; below it the must-haves, and how far we have come."""
    grid = Table.grid(expand=True, padding=(0, 1))
    grid.add_column()
    grid.add_column(justify="right", style="dim")
    grid.add_row(Text(title, style="bold"), place)
    grid.add_row(Text(f"must-haves: {formatting.listed(must_haves)}" if must_haves else "", style="dim"), progress)
    return grid
