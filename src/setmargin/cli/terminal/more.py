"""What a person adds, key by key: what decided a choice, or what they would change about what is shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final, Protocol

from rich.console import Group, RenderableType
from rich.text import Text

from setmargin.answers import Change, Question, differing
from setmargin.cli.terminal import formatting, menu, question_page
from setmargin.cli.terminal.menu import KEYS, TURN, Entry
from setmargin.cli.terminal.said import NOTHING, more_in_words, wish
from setmargin.cli.terminal.screen import Screen
from setmargin.interview.adjustment import more_of
from setmargin.interview.interview import Interview
from setmargin.space.attributes import Attribute
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value
from setmargin.strategies.shared.changes import changes_of

ENTER: Final = ("", "\r", "\n")
BACK: Final = ("\x7f", "\b", "\x1b", "\x1b[D", "u")
AROUND: Final = 10
"""Lines of a page besides a list: heading, title, known wishes, what is said, and the prompt."""
NEEDS_MORE: Final = "*"
FEW: Final = 4
"""Letters that are named one by one."""


class Back(Exception):
    """Back to where the person came from; nothing is said yet."""


class Press(Protocol):
    """Shows a page and gives the first key that is accepted; others do what they do everywhere, or get the hint."""

    def __call__(
        self,
        draw: Callable[[], RenderableType],
        ask: str,
        keys: Sequence[str],
        accepted: Collection[str],
        hint: str,
        *,
        commands: bool = False,
    ) -> str: ...


class More:
    """Asks for reasons and changes."""

    def __init__(self, interview: Interview, screen: Screen, press: Press) -> None:
        self.interview, self.screen, self._press = interview, screen, press

    @property
    def _space(self) -> Space:
        """With must-haves: what they exclude is not offered."""
        return self.interview.belief.space

    def reasons(
        self, options: Sequence[Configuration], chosen: int, *, all_rows: Callable[[], bool]
    ) -> tuple[str, ...]:
        """What decided: one of the rows that differ, or nothing; a single one needs no asking."""
        names = differing(self._space, options)
        if len(names) < 2:
            return ()
        pages = [names[start : start + len(KEYS)] for start in range(0, len(names), len(KEYS))]
        number = 0
        while True:
            picks = dict(zip(KEYS, pages[number], strict=False))

            def draw(picks: dict[str, str] = picks) -> RenderableType:
                return question_page.options(
                    self._space,
                    options,
                    width=self.screen.width,
                    all_rows=all_rows(),
                    keys={name: key for key, name in picks.items()},
                    chosen=chosen,
                )

            ask = f"Option {chosen + 1}. What decided?  {_span(picks)}"
            keys = ("Enter no reason", *_turn(len(pages)), "⌫ back")
            hint = f"press the key of a row, {_span(picks)}, or Enter for no reason."
            key = self._press(draw, ask, keys, {*picks, *ENTER, *BACK, *_turns(len(pages))}, hint)
            if key in BACK:
                raise Back
            if key != TURN:
                return (picks[key],) if key in picks else ()
            number = (number + 1) % len(pages)

    def change(self, question: Question, option: int = 0, *, title: str = "", alone: bool = False) -> Change | None:
        """What to change first about an option; None where nothing is said. Who is asked `alone` has no way back."""
        shown = question.options[option]
        offered = changes_of(self._space, Question((shown,), besides=question.besides))
        while True:
            name = self._thing(question, shown, offered, title=title, alone=alone)
            if name is None:
                return None
            if not name:
                return Change(option=option)
            values = [change.value for change in offered if change.name == name and change.value is not None]
            if not values:
                return Change(name, option=option)
            try:
                return Change(name, self._value(shown, name, values), option)
            except Back:
                continue

    def _thing(
        self, question: Question, shown: Configuration, offered: Sequence[Change], *, title: str, alone: bool
    ) -> str | None:
        """Its name; empty for nothing at all, None where nothing is said."""
        entries = _things(self._space, shown, {change.name for change in offered})
        known = _known(self._space, question)
        keys = ("0 nothing", "s skip", "u undo", "h help") if alone else ("0 nothing", "Enter no answer", "⌫ back")
        ask = f"What{' else' if known else ''} would you change first?"
        accepted = {*NOTHING[:2], *(() if alone else (*ENTER, *BACK))}
        hint = f"press the key of a row, 0 for nothing{', or s to skip' if alone else ', or Enter for no answer'}."
        above = [*_line(title, "bold cyan"), *_line(known, "dim")]
        picked = self._pick(entries, above, ask, keys, accepted, hint, commands=alone)
        if picked in BACK:
            raise Back
        if isinstance(picked, Entry):
            return picked.name
        return None if picked in ENTER else ""

    def _value(self, shown: Configuration, name: str, values: Sequence[Value]) -> Value:
        attribute = next(each for each in self._space.attributes if each.name == name)
        entries = [_instead(self._space, shown, attribute, value) for value in values]
        meant = dict(zip(entries, values, strict=True))
        label = formatting.label(attribute)
        more = any(entry.note.plain.endswith(NEEDS_MORE) for entry in entries)
        lines = [
            *_line(f"{label}: {formatting.value(attribute, shown[name])} now", "bold cyan"),
            *_line(f"{NEEDS_MORE} something else has to change, too" if more else "", "dim"),
        ]
        hint = "press the key of a value, or Enter to go back."
        picked = self._pick(entries, lines, f"Which {label} instead?", ["Enter or ⌫ back"], {*ENTER, *BACK}, hint)
        if isinstance(picked, Entry):
            return meant[picked]
        raise Back

    def _pick(
        self,
        entries: Sequence[Entry],
        lines: Sequence[RenderableType],
        ask: str,
        keys: Sequence[str],
        accepted: Collection[str],
        hint: str,
        *,
        commands: bool = False,
    ) -> Entry | str:
        """The entry that is picked, or the other key that was accepted."""
        number, width = 0, self.screen.width
        while True:
            height = None if self.screen.height is None else max(3, self.screen.height - AROUND)
            page = menu.paged(entries, number, width=width, height=height)
            table = page.table(width=width, height=height)

            def draw(table: RenderableType = table) -> RenderableType:
                return Group(*lines, table)

            asked = f"{ask}  {_span(page.picks)}" + (f"  (page {number + 1} of {page.pages})" if page.pages > 1 else "")
            more = (*keys, *_turn(page.pages))
            keys_of_page = {*page.picks, *accepted, *_turns(page.pages)}
            key = self._press(draw, asked, more, keys_of_page, hint, commands=commands)
            if key in page.picks:
                return page.picks[key]
            if key != TURN:
                return key
            number = (number + 1) % page.pages


def _span(picks: Collection[str]) -> str:
    """`1–9 d e`, `1–9 d … k`."""
    digits = [key for key in picks if key.isdigit()]
    letters = [key for key in picks if not key.isdigit()]
    first = f"1–{digits[-1]}" if len(digits) > 2 else " ".join(digits)
    return " ".join([first, *(letters if len(letters) < FEW else [letters[0], "…", letters[-1]])])


def _turn(pages: int) -> tuple[str, ...]:
    return (f"{TURN} more",) if pages > 1 else ()


def _turns(pages: int) -> tuple[str, ...]:
    return (TURN,) if pages > 1 else ()


def _line(text: str, style: str) -> list[RenderableType]:
    return [Text(text, style=style)] if text else []


def _known(space: Space, question: Question) -> str:
    wishes = formatting.listed(wish(space, *each) for each in question.besides)
    return f"known already: {wishes}" if wishes else ""


def _things(space: Space, shown: Configuration, offered: Collection[str | None]) -> list[Entry]:
    """What the configuration has, row by row; quantities as what they should rather be."""
    better = {quantity.name: f"{quantity.better} " for quantity in space.quantities}
    return [
        Entry(
            row.name,
            better.get(row.name, "") + row.label,
            Text.assemble("now " if row.is_quantity else "", row.cells[0]),
            row.name in offered,
        )
        for row in question_page.rows(space, [shown])
    ]


def _instead(space: Space, shown: Configuration, attribute: Attribute, value: Value) -> Entry:
    """A value, what it does to quantities all else equal, and whether all else can be equal."""
    changed = Configuration({**shown, attribute.name: value})
    possible = not space.broken_rules(changed)
    return Entry(str(value), formatting.value(attribute, value), _effects(space, shown, changed, possible=possible))


def _effects(space: Space, shown: Configuration, changed: Configuration, *, possible: bool) -> Text:
    more = more_of(space, shown, changed)
    parts = []
    for quantity in space.quantities:
        if much := more.get(quantity.name):
            better = (much < 0) == (quantity.better == "lower")
            (said,) = more_in_words(space, {quantity.name: much})
            parts.append(Text(said, style="green" if better else "red"))
    text = Text(formatting.SEPARATOR).join(parts)
    return text if possible else text.append(f" {NEEDS_MORE}" if parts else NEEDS_MORE)
