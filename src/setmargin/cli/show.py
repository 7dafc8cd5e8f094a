"""What an interview shows: questions side by side, and recommendations with their reasons. Data in, pages out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from setmargin.cli import words
from setmargin.explanation import Explanation
from setmargin.space.attributes import Quantity
from setmargin.space.space import Configuration, Space

MARK = "●"
NARROW = 14
"""Columns narrower than this are hard to compare, unless everything in them is short."""
BAR = 10
WIDE = 60
"""Narrower screens have no room for bars."""
FOR, AGAINST = "▲", "▼"
TIE = 1e-9
WORTH_SAYING = 0.03
"""Attributes that matter less than this get no bar."""


@dataclass(frozen=True)
class Row:
    """One attribute or quantity of some configurations."""

    name: str
    label: str
    cells: tuple[Text, ...]
    differs: bool
    is_quantity: bool = False


def rows(space: Space, configurations: Sequence[Configuration]) -> tuple[Row, ...]:
    """One row for each attribute, then one for each quantity."""
    attributes = []
    for attribute in space.attributes:
        chosen = [configuration[attribute.name] for configuration in configurations]
        cells = tuple(Text(words.value(attribute, each)) for each in chosen)
        attributes.append(Row(attribute.name, words.label(attribute), cells, len(set(chosen)) > 1))
    amounts = [space.amounts(configuration) for configuration in configurations]
    quantities = (_quantity_row(q, [each[q.name] for each in amounts]) for q in space.quantities)
    return (*attributes, *quantities)


def _quantity_row(quantity: Quantity, amounts: Sequence[float]) -> Row:
    cells = tuple(_amount(quantity, each, amounts[0]) for each in amounts)
    return Row(quantity.name, words.label(quantity), cells, len(set(amounts)) > 1, is_quantity=True)


def _amount(quantity: Quantity, amount: float, first: float) -> Text:
    """The amount, and by how much it differs from the first option's."""
    better = (amount < first) == (quantity.better == "lower")
    return Text.assemble(words.amount(quantity, amount), (words.change(amount - first), "green" if better else "red"))


# Questions


def options(space: Space, configurations: Sequence[Configuration], *, width: int, all_rows: bool) -> RenderableType:
    """Configurations to choose from: side by side where they fit, else one below the other."""
    everything = rows(space, configurations)
    shown = [row for row in everything if all_rows or row.differs]
    alike = [row for row in everything if not row.differs]
    column = _column_width(shown, width)
    body = _listing(shown) if column is None else _columns(shown, column)
    return Group(body, *([_alike(alike)] if alike and not all_rows else []))


def _column_width(shown: Sequence[Row], width: int) -> int | None:
    """The width of each option's column; None if columns would be too narrow to read."""
    size = len(shown[0].cells)
    texts = [cell.plain for row in shown for cell in row.cells]
    widest = max(map(cell_len, texts))
    longest_word = max(cell_len(word) for text in texts for word in text.split())
    label = max(cell_len(row.label) for row in shown) + cell_len(MARK) + 1
    room = (width - label - 2) // size - 2
    return None if room < max(longest_word, min(widest, NARROW)) else min(room, max(widest, NARROW))


def _columns(shown: Sequence[Row], column: int) -> Table:
    table = _table("", *(Text(str(number + 1), style="bold cyan") for number in range(len(shown[0].cells))))
    for option in table.columns[1:]:
        option.width = column
    for row, ends_section in zip(shown, _section_ends(shown), strict=True):
        table.add_row(_marked(row), *row.cells, style="" if row.differs else "dim", end_section=ends_section)
    return table


def _table(*heads: RenderableType) -> Table:
    table = Table(*(Column(head) for head in heads), box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.columns[0].no_wrap = True
    return table


def _section_ends(shown: Sequence[Row]) -> list[bool]:
    """A line between the attributes and the quantities."""
    return [not row.is_quantity and following.is_quantity for row, following in pairwise([*shown, shown[-1]])]


def _marked(row: Row) -> Text:
    if not row.differs:
        return Text(f"  {row.label}")
    return Text.assemble((f"{MARK} ", "cyan"), (row.label, "bold"))


def _listing(shown: Sequence[Row]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(style="bold cyan")
    table.add_column()
    for number in range(len(shown[0].cells)):
        table.add_row(str(number + 1), _joined(shown, number))
    return table


def _joined(shown: Sequence[Row], number: int) -> Text:
    parts = [Text.assemble((f"{row.label} ", "dim"), row.cells[number]) for row in shown]
    return Text(words.SEPARATOR).join(parts)


def _alike(alike: Sequence[Row]) -> RenderableType:
    return Padding(Text.assemble("alike: ", _joined(alike, 0), style="dim"), (1, 0, 0, 0))


def heading(title: str, place: str, must_haves: Sequence[str]) -> RenderableType:
    """The title on the left, where we are on the right, must-haves below."""
    grid = Table.grid(expand=True, padding=(0, 1))
    grid.add_column(style="bold")
    grid.add_column(justify="right", style="dim")
    grid.add_row(title, place)
    return Group(grid, Text(f"must-haves: {words.listed(must_haves)}" if must_haves else "", style="dim"))


# Recommendations


def recommendation(space: Space, why: Explanation, *, width: int, title: str = "suits you best") -> RenderableType:
    """The configuration with its amounts, what separates the runner-up, and how much each attribute mattered."""
    beside = [] if why.runner_up is None else ["runner-up"]
    bars = ["how much it matters"] if any(why.importance.values()) else []
    table = _table("", Text(title, style="bold cyan"), *(Text(head, style="dim") for head in beside + bars))
    shown = rows(space, [why.configuration, *([why.runner_up] if why.runner_up else [])])
    for row, ends_section in zip(shown, _section_ends(shown), strict=True):
        other = [_other(row, why.separation.get(row.name, 0.0))] if beside else []
        bar = [_bar(why.importance.get(row.name, 0.0), max(why.importance.values()), width)] if bars else []
        table.add_row(row.label, row.cells[0], *other, *bar, end_section=ends_section)
    return Group(table, "", Text(_about_runner_up(why), style="dim"))


def _other(row: Row, gain: float) -> Text:
    """What the runner-up has instead, and whether that speaks for it."""
    if not row.differs:
        return Text("")
    mark = ("", "") if abs(gain) < TIE else (f" {AGAINST}", "red") if gain > 0 else (f" {FOR}", "green")
    return Text.assemble(row.cells[1].plain, mark)


def _bar(share: float, largest: float, width: int) -> Text:
    """Bars are relative to the longest one; small shares are left out so that the large ones stand out."""
    if share < WORTH_SAYING:
        return Text("")
    length = max(1, round(BAR * share / largest)) if width >= WIDE else 0
    return Text.assemble(("█" * length + " " * bool(length), "cyan"), f"{share:.0%}")


def _about_runner_up(why: Explanation) -> str:
    if why.runner_up is None:
        return "Nothing else satisfies the rules and must-haves."
    distance = "is as good, as far as is known" if abs(why.lead) < TIE else "comes close"
    marks = f"; {FOR} speaks for it, {AGAINST} against it" if any(map(_counts, why.separation.values())) else ""
    return f"The runner-up {distance}{marks}."


def _counts(gain: float) -> bool:
    return abs(gain) >= TIE
