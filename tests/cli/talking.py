"""A dialogue with scripted keys and a screen that is a text."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

from rich.console import Console

from setmargin.answers import How
from setmargin.cli.terminal.dialogue import Dialogue, Ending
from setmargin.cli.terminal.result import finish
from setmargin.cli.terminal.screen import Keys, LineKeys, Screen
from setmargin.interview.interview import Interview
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.space import Space
from setmargin.strategies.registry import make_strategy

LAMP = Space(
    [
        Attribute("kind", ["desk", "floor", "ceiling"]),
        Attribute("colour", ["red", "green", "blue"]),
        Attribute("power", [5, 10, 20], unit="W"),
        Attribute("dimmer", ["none", "touch"]),
    ],
    quantities=[
        Quantity(
            "price",
            {"kind": {"desk": 1000, "floor": 1500, "ceiling": 2000}, "dimmer": {"none": 0, "touch": 200}},
            unit="€",
            better="lower",
        )
    ],
    rules=["kind = ceiling => power >= 10"],
    name="lamp",
    title="Find your lamp",
)


def lamp(*, set_size: int = 2, space: Space = LAMP, until: float = 0.0) -> Interview:
    """By the strategy that knows most, with few people, so that it is quick."""
    return Interview(space, make_strategy("bayes", policy="comparisons", set_size=set_size, until=until, samples=64))


def lamp_by_margin(*, space: Space = LAMP) -> Interview:
    """By a strategy that does not know how sure it is."""
    return Interview(space, make_strategy("setmargin", mode="fast", tuning=None))


class Scripted:
    """Keys pressed one by one at a terminal."""

    live = True

    def __init__(self, keys: str, lines: tuple[str, ...] = ()) -> None:
        self._keys, self._lines = iter(keys), iter(lines)

    def key(self) -> str:
        return _or_end(self._keys.__next__)

    def line(self) -> str:
        return _or_end(self._lines.__next__)


def _or_end(give: Callable[[], str]) -> str:
    try:
        return give()
    except StopIteration:
        raise EOFError from None


class Talk:
    """One dialogue from first key to last: what was shown, and how it ended."""

    def __init__(
        self,
        interview: Interview,
        *typed: str,
        keys: Keys | None = None,
        how: How = "choice",
        budget: int = 30,
        width: int = 80,
        height: int = 50,
        save_to: Path | None = None,
        terminal: bool = False,
    ) -> None:
        self.interview = interview
        self._file = StringIO()
        console = Console(
            file=self._file,
            width=width,
            height=height,
            markup=False,
            emoji=False,
            highlight=False,
            force_terminal=terminal,
        )
        script = keys or LineKeys(StringIO("".join(f"{line}\n" for line in typed)))
        self.dialogue = Dialogue(interview, Screen(console, script), how=how, budget=budget, save_to=save_to)
        self.ending: Ending = self.dialogue.run()

    def finish(self) -> str:
        """The last page."""
        before = len(self.text)
        finish(self.dialogue, self.ending)
        return self.text[before:]

    @property
    def text(self) -> str:
        return self._file.getvalue()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()
