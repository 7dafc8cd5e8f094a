"""What an interview came to: a recommendation, what comes close, and what mattered. Data in, pages out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from setmargin.answers import Change, preferences
from setmargin.cli.terminal import certainty, formatting
from setmargin.cli.terminal.question_page import Row, line_count, one_line, rows, section_ends, table
from setmargin.interview.explain import Explanation
from setmargin.space.space import Space
from setmargin.strategies.base import History, Stakes

BAR = 13
EIGHTHS = " ▏▎▍▌▋▊▉"
"""A bar of 13 characters has 104 steps: each percent has a length of its own."""
PALE = "░"
FOR, AGAINST, CUT = "better", "worse", "…"
TIE = 1e-9
WORTH_SAYING = 3
"""Percent; attributes that matter less get no bar, and bars that differ by less say nothing."""
FEWEST_ROWS = 4
"""Rows that are shown however small the screen is."""


def informed(history: History) -> bool:
    """Whether any answer so far says that something is better than something else."""
    wishes = any(isinstance(answer, Change) and answer.name is not None for _, answer in history)
    return wishes or any(pair.strict for question, answer in history for pair in preferences(question, answer))


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
    reasons: Sequence[str] = (),
) -> RenderableType:
    """The configuration with its amounts, what separates the runner-up, and how much each attribute mattered.

    Below it how sure that is, its `reasons` in sentences, and what decided it. Who has said nothing yet (`informed`)
    has no weights worth showing. Where the `height` is too little, fewer reasons are told and fewer decisive answers
    named, then rows are folded into a line.
    """
    everything = rows(space, [why.configuration, *([why.runner_up] if why.runner_up else [])])
    known = informed and why.runner_up is not None and any(why.importance.values())
    # Whole percents, so that bars and numbers say the same.
    shares = {name: round(100 * share) for name, share in why.importance.items()} if known else {}
    alike = _all_about_the_same(everything, shares)
    sure = [Text(certainty.certainty(stakes))] if stakes and shares else []
    body = Body(everything, why, title, other, {} if alike else shares, width)
    told = list(reasons) if shares else []
    sizes = [(len(everything), certainty.MOST, many) for many in range(len(told), 1, -1)]
    sizes += [(len(everything), most, 1) for most in range(certainty.MOST, 0, -1)]
    sizes += [(fewer, 1, 1) for fewer in range(len(everything) - 1, FEWEST_ROWS - 1, -1)]
    for size, most, many in sizes:
        decided = certainty.decisive(space, why, width=width, most=most) if shares else []
        said = [*filter(None, [alike, _about_other(why, other)]), *decided]
        page = Group(
            *_item(space, why),
            body.of(_most_telling(everything, shares, size)),
            "",
            *sure,
            *(Text(reason) for reason in told[:many]),
            *(Text(x, style="dim") for x in said),
        )
        if height is None or line_count(page, width) <= height:
            break
    return page


def _item(space: Space, why: Explanation) -> list[Text]:
    """Which item of a product list it is."""
    item = space.item(why.configuration)
    if item is None:
        return []
    named = f"{item.title} ({item.id})" if item.title else item.id
    return [Text.assemble((named, "bold"), f"  {item.link}" if item.link else "")]


def _most_telling(everything: Sequence[Row], shares: Mapping[str, int], size: int) -> list[Row]:
    """So many rows: what separates the two first, then amounts, then what matters most."""
    telling = sorted(everything, key=lambda row: (row.differs, row.is_quantity, shares.get(row.name, 0)), reverse=True)
    return [row for row in everything if row in telling[:size]]


@dataclass(frozen=True)
class Body:
    """The two configurations, in columns where these fit the width, else one below the other."""

    everything: Sequence[Row]
    why: Explanation
    title: str
    other: str
    shares: Mapping[str, int]
    width: int

    def of(self, shown: Sequence[Row]) -> RenderableType:
        """The rows that are shown, with bars unless these would make cells wrap; and the others in a line."""
        body = min(
            (self._columns(shown, bars=bars) for bars in (True, False)), key=lambda each: line_count(each, self.width)
        )
        if not _fits(body, self.width):
            return self._one_below_the_other()
        folded = [row for row in self.everything if row not in shown]
        return Group(body, *([Text.assemble("also: ", one_line(folded, 0), style="dim")] if folded else []))

    def _columns(self, shown: Sequence[Row], *, bars: bool) -> Table:
        ranges = _ranges(self.why)
        longest = max((ranges[name][1] for name in self.shares), default=0) if bars else 0
        heads = [self.other] if self.why.runner_up else []
        heads += ["how much it matters" if bars else "matters"] if self.shares else []
        grid = table("", Text(self.title, style="bold cyan"), *(Text(head, style="dim") for head in heads))
        for row, ends_section in zip(shown, section_ends(shown), strict=True):
            cells = [row.cells[0]] + ([self._instead(row)] if self.why.runner_up else [])
            if self.shares:
                cells.append(_bar(self.shares.get(row.name, 0), ranges.get(row.name, (0, 0)), longest))
            grid.add_row(row.label, *cells, end_section=ends_section)
        return grid

    def _one_below_the_other(self) -> RenderableType:
        parts = [Text(self.title, style="bold cyan"), one_line(self.everything, 0)]
        if self.why.runner_up:
            differing = [row for row in self.everything if row.differs]
            instead = [Text.assemble((f"{row.label} ", "dim"), self._instead(row)) for row in differing]
            parts += [Text(""), Text(self.other, style="dim"), Text(formatting.SEPARATOR).join(instead)]
        return Group(*parts)

    def _instead(self, row: Row) -> Text:
        """What the runner-up has instead, and whether that speaks for it."""
        if not row.differs:
            return Text("")
        gain = self.why.separation.get(row.name, 0.0)
        mark = ("", "") if abs(gain) < TIE else (f" {AGAINST}", "red") if gain > 0 else (f" {FOR}", "green")
        return Text.assemble(row.cells[1].plain, mark)


def _fits(thing: RenderableType, width: int) -> bool:
    """Whether no word has to be cut; a column may be made narrower than its words, even if all of them would fit."""
    wide, narrow = Console(width=10_000), Console(width=width)
    if Measurement.get(wide, wide.options, thing).minimum > width:
        return False
    return not any(CUT in segment.text for segment in narrow.render(thing))


# How much it matters


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


def _all_about_the_same(everything: Sequence[Row], shares: Mapping[str, int]) -> str:
    """Instead of bars that say nothing; empty where they say something."""
    said = {name: share for name, share in shares.items() if share >= WORTH_SAYING}
    if not shares or len(said) == 1 or (said and max(said.values()) - min(said.values()) >= WORTH_SAYING):
        return ""
    if not said or len(said) == len(shares):
        return "How much it matters: all about the same so far."
    labels = ", ".join(row.label for row in everything if row.name in said)
    return f"How much it matters: {labels} all about the same so far, the rest less."


def _about_other(why: Explanation, other: str) -> str:
    if why.runner_up is None:
        return "Nothing else satisfies the rules and must-haves."
    distance = "is as good, as far as is known"
    if abs(why.lead) >= TIE:
        distance = "comes close" if why.lead > 0 else "suits you better, judging by your answers"
    return f"The {other} {distance}."
