"""What an interview came to: a recommendation, what comes close, and what mattered. Data in, pages out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from setmargin.answers import preferences
from setmargin.cli.terminal import certainty, formatting
from setmargin.cli.terminal.question_page import Row, joined, lines, rows, section_ends, table
from setmargin.interview.explain import Explanation
from setmargin.space.space import Space
from setmargin.strategies.base import History, Stakes

BAR = 13
EIGHTHS = " ▏▎▍▌▋▊▉"
"""A bar of 13 characters has 104 steps: each percent has a length of its own."""
PALE = "░"
FOR, AGAINST, CUT = "▲", "▼", "…"
TIE = 1e-9
WORTH_SAYING = 3
"""Percent; attributes that matter less get no bar, and bars that differ by less say nothing."""
FEWEST = 4
"""Rows that are shown however small the screen is."""


def informed(history: History) -> bool:
    """Whether any answer so far says that something is better than something else."""
    return any(pair.strict for question, answer in history for pair in preferences(question, answer))


def recommendation(
    space: Space,
    why: Explanation,
    stakes: Stakes | None = None,
    *,
    width: int,
    height: int | None = None,
    title: str = "suits you best",
    other: str = "runner-up",
    informed: bool = True,
) -> RenderableType:
    """The configuration with its amounts, what separates the runner-up, and how much each attribute mattered.

    Below it how sure that is, and what decided it. Who has said nothing yet (`informed`) has no weights worth showing.
    Where the `height` is too little, fewer decisive answers are named, then rows are folded into a line.
    """
    everything = rows(space, [why.configuration, *([why.runner_up] if why.runner_up else [])])
    shares = _percents(why.importance) if informed and why.runner_up else {}
    flat = _is_flat(shares)
    sure = [Text(certainty.certainty(stakes))] if stakes and shares else []
    said = [_about_equal(everything, shares)] * flat + [_about_other(why, other)]
    for size, most in _sizes(len(everything)):
        shown = _most_telling(everything, shares, size)
        body = _body(everything, shown, why, title, other, {} if flat else shares, width)
        decided = certainty.decisive(space, why, width=width, most=most) if shares else []
        whole = Group(body, "", *sure, *(Text(line, style="dim") for line in [*said, *decided]))
        if height is None or lines(whole, width) <= height:
            break
    return whole


def _sizes(rows: int) -> Iterator[tuple[int, int]]:
    """How many rows and how many decisive answers to show: as many as possible, rows rather than answers."""
    yield from ((rows, most) for most in range(certainty.MOST, 0, -1))
    yield from ((fewer, 1) for fewer in range(rows - 1, FEWEST - 1, -1))


def _body(
    everything: Sequence[Row],
    shown: Sequence[Row],
    why: Explanation,
    title: str,
    other: str,
    shares: Mapping[str, int],
    width: int,
) -> RenderableType:
    """The two in columns, with bars unless these would make cells wrap; else one below the other."""
    tables = [_side_by_side(shown, why, title, other, shares, bars=bars) for bars in (True, False)]
    body = min(tables, key=lambda table: lines(table, width))
    if not _fits(body, width):
        return _one_below_the_other(everything, why, title, other)
    folded = [row for row in everything if row not in shown]
    return Group(body, *([Text.assemble("also: ", joined(folded, 0), style="dim")] if folded else []))


def _most_telling(everything: Sequence[Row], shares: Mapping[str, int], size: int) -> list[Row]:
    """So many rows: what separates the two first, then amounts, then what matters most."""
    telling = sorted(everything, key=lambda row: (row.differs, row.is_quantity, shares.get(row.name, 0)), reverse=True)
    return [row for row in everything if row in telling[:size]]


def _side_by_side(
    shown: Sequence[Row], why: Explanation, title: str, other: str, shares: Mapping[str, int], *, bars: bool
) -> Table:
    ranges = _ranges(why)
    longest = max((ranges[name][1] for name in shares), default=0)
    heads = [other] * bool(why.runner_up) + ["how much it matters" if bars else "matters"] * bool(shares)
    grid = table("", Text(title, style="bold cyan"), *(Text(head, style="dim") for head in heads))
    for row, ends_section in zip(shown, section_ends(shown), strict=True):
        beside = [_other(row, why)] if why.runner_up else []
        bar = [_bar(shares.get(row.name, 0), ranges.get(row.name, (0, 0)), longest if bars else 0)] if shares else []
        grid.add_row(row.label, row.cells[0], *beside, *bar, end_section=ends_section)
    return grid


def _fits(thing: RenderableType, width: int) -> bool:
    """Whether no word has to be cut; a column may be made narrower than its words, even if all of them would fit."""
    wide, narrow = Console(width=10_000), Console(width=width)
    if Measurement.get(wide, wide.options, thing).minimum > width:
        return False
    return not any(CUT in segment.text for segment in narrow.render(thing))


def _one_below_the_other(everything: Sequence[Row], why: Explanation, title: str, other: str) -> RenderableType:
    """For screens that are too narrow for columns."""
    lines = [Text(title, style="bold cyan"), joined(everything, 0)]
    if why.runner_up:
        parts = [Text.assemble((f"{row.label} ", "dim"), _other(row, why)) for row in everything if row.differs]
        lines += [Text(""), Text(other, style="dim"), Text(formatting.SEPARATOR).join(parts)]
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


def _ranges(why: Explanation) -> dict[str, tuple[int, int]]:
    """In percent, from where to where; a single number where it is not known how sure that is."""
    ends = why.intervals or {name: (share, share) for name, share in why.importance.items()}
    return {name: (round(100 * low), round(100 * high)) for name, (low, high) in ends.items()}


def _bar(share: int, ends: tuple[int, int], longest: int) -> Text:
    """Solid as far as is certain, then pale; small shares are left out so that the large ones stand out.

    The bar of the `longest` share fills all the room there is for bars; 0: there is none.
    """
    if share < WORTH_SAYING:
        return Text("")
    low, high = ends
    text = f"{low}–{high}%" if low < high else f"{low}%"
    if not longest:
        return Text(text)
    solid = _blocks(low, longest)
    pale = PALE * (len(_blocks(high, longest)) - len(solid))
    return Text.assemble((solid, "cyan"), (pale, "dim cyan"), f" {text}")


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
