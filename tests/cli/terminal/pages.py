"""Pages as text, and configurations to show on them."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from rich.console import Console, RenderableType

from setmargin.space.space import Configuration

DESK = Configuration({"kind": "desk", "colour": "red", "power": 10, "dimmer": "none"})
FLOOR = Configuration({"kind": "floor", "colour": "red", "power": 20, "dimmer": "touch"})
BLUE = Configuration({"kind": "floor", "colour": "blue", "power": 10, "dimmer": "none"})


def drawn(thing: RenderableType, width: int = 80) -> str:
    console = Console(file=StringIO(), width=width, markup=False, emoji=False, highlight=False)
    with console.capture() as capture:
        console.print(thing)
    return capture.get()


def table_of(text: str) -> dict[str, str]:
    rows: Sequence[str] = [line for line in text.splitlines() if line[:1].isalpha()]
    return {row.split()[0]: row for row in rows}
