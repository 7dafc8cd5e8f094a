"""What an interview came to: a recommendation, what comes close, and what mattered. Data in, pages out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from setmargin.answers import preferences
from setmargin.cli import words
from setmargin.cli.show import Row, joined, rows, section_ends, table
from setmargin.explanation import Explanation
from setmargin.space.space import Space
from setmargin.strategies.base import History

BAR = 13
EIGHTHS = " ▏▎▍▌▋▊▉"
"""A bar of 13 characters has 104 steps: each percent has a length of its own."""
WIDE = 60
"""Narrower screens have no room for bars."""
FOR, AGAINST = "▲", "▼"
TIE = 1e-9
WORTH_SAYING = 3
"""Percent; attributes that matter less get no bar, and bars that differ by less say nothing."""
AROUND = 9
"""Lines that a recommendation takes besides its rows: heads, blank lines, what is folded, what is said below."""
FEWEST = 4


def informed(history: History) -> bool:
    """Whether any answer so far says that something is better than something else."""
    return any(pair.strict for question, answer in history for pair in preferences(question, answer))


def recommendation(
    space: Space,
    why: Explanation,
    *,
    width: int,
    height: int | None = None,
    title: str = "suits you best",
    other: str = "runner-up",
    informed: bool = True,
) -> RenderableType:
    """The configuration with its amounts, what separates the runner-up, and how much each attribute mattered.

    Who has said nothing yet (`informed`) has no weights worth showing. Rows beyond the `height` are folded into a line.
    """
    everything = rows(space, [why.configuration, *([why.runner_up] if why.runner_up else [])])
    shares = _percents(why.importance) if informed and why.runner_up else {}
    flat = _is_flat(shares)
    shown = _most_telling(everything, shares, height)
    folded = [row for row in everything if row not in shown]
    body: RenderableType = _side_by_side(shown, why, title, other, {} if flat else shares, width)
    if not _fits(body, width):
        body, folded = _one_below_the_other(everything, why, title, other), []
    also = [Text.assemble("also: ", joined(folded, 0), style="dim")] if folded else []
    said = [_about_equal(everything, shares)] if flat else []
    return Group(body, *also, "", *(Text(line, style="dim") for line in [*said, _about_other(why, other)]))


def _most_telling(everything: Sequence[Row], shares: Mapping[str, int], height: int | None) -> list[Row]:
    """As many rows as fit: what separates the two first, then amounts, then what matters most."""
    if height is None or len(everything) + AROUND - 2 <= height:
        return list(everything)
    telling = sorted(everything, key=lambda row: (row.differs, row.is_quantity, shares.get(row.name, 0)), reverse=True)
    kept = telling[: max(FEWEST, height - AROUND)]
    return [row for row in everything if row in kept]


def _side_by_side(
    shown: Sequence[Row], why: Explanation, title: str, other: str, shares: Mapping[str, int], width: int
) -> Table:
    heads = [other] * bool(why.runner_up) + ["how much it matters"] * bool(shares)
    grid = table("", Text(title, style="bold cyan"), *(Text(head, style="dim") for head in heads))
    for row, ends_section in zip(shown, section_ends(shown), strict=True):
        beside = [_other(row, why)] if why.runner_up else []
        bar = [_bar(shares.get(row.name, 0), max(shares.values()), width)] if shares else []
        grid.add_row(row.label, row.cells[0], *beside, *bar, end_section=ends_section)
    return grid


def _fits(thing: RenderableType, width: int) -> bool:
    """Whether no word has to be cut."""
    console = Console(width=10_000)
    return Measurement.get(console, console.options, thing).minimum <= width


def _one_below_the_other(everything: Sequence[Row], why: Explanation, title: str, other: str) -> RenderableType:
    """For screens that are too narrow for columns."""
    lines = [Text(title, style="bold cyan"), joined(everything, 0)]
    if why.runner_up:
        parts = [Text.assemble((f"{row.label} ", "dim"), _other(row, why)) for row in everything if row.differs]
        lines += [Text(""), Text(other, style="dim"), Text(words.SEPARATOR).join(parts)]
    return Group(*lines)


def _other(row: Row, why: Explanation) -> Text:
    """What the runner-up has instead, and whether that speaks for it."""
    if not row.differs:
        return Text("")
    gain = why.separation.get(row.name, 0.0)
    mark = ("", "") if not _counts(gain) else (f" {AGAINST}", "red") if gain > 0 else (f" {FOR}", "green")
    return Text.assemble(row.cells[1].plain, mark)


# How much it matters


def _percents(importance: Mapping[str, float]) -> dict[str, int]:
    """Whole percents, so that bars and numbers say the same; nothing where nothing is known."""
    return {name: round(100 * share) for name, share in importance.items()} if any(importance.values()) else {}


def _worth_saying(shares: Mapping[str, int]) -> list[str]:
    return [name for name, share in shares.items() if share >= WORTH_SAYING]


def _is_flat(shares: Mapping[str, int]) -> bool:
    said = [shares[name] for name in _worth_saying(shares)]
    return bool(shares) and len(said) != 1 and (not said or max(said) - min(said) < WORTH_SAYING)


def _about_equal(everything: Iterable[Row], shares: Mapping[str, int]) -> str:
    """Instead of bars that say nothing."""
    said = set(_worth_saying(shares))
    if not said or len(said) == len(shares):
        return "How much it matters: all about the same so far."
    labels = [row.label for row in everything if row.name in said]
    return f"How much it matters: {', '.join(labels)} all about the same so far, the rest less."


def _bar(share: int, largest: int, width: int) -> Text:
    """Bars are relative to the longest one; small shares are left out so that the large ones stand out."""
    if share < WORTH_SAYING:
        return Text("")
    return Text.assemble((f"{_blocks(share, largest)} " if width >= WIDE else "", "cyan"), f"{share}%")


def _blocks(share: int, largest: int) -> str:
    whole, rest = divmod((2 * 8 * BAR * share + largest) // (2 * largest), 8)
    return "█" * whole + EIGHTHS[rest].strip()


# What is said below


def _about_other(why: Explanation, other: str) -> str:
    if why.runner_up is None:
        return "Nothing else satisfies the rules and must-haves."
    marks = f"; {FOR} speaks for it, {AGAINST} against it" if any(map(_counts, why.separation.values())) else ""
    return f"The {other} {_distance(why.lead)}{marks}."


def _distance(lead: float) -> str:
    if not _counts(lead):
        return "is as good, as far as is known"
    return "comes close" if lead > 0 else "suits you better, judging by your answers"


def _counts(gain: float) -> bool:
    return abs(gain) >= TIE
