"""Pages as text, and configurations to show on them."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import numpy as np
from rich.console import Console, RenderableType

from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.space import Configuration, Space

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


def examples(name: str, size: int) -> tuple[Space, list[Configuration]]:
    """Some different configurations of a shipped catalogue."""
    space = load(name)
    found = oracle_for(space).sample(np.random.default_rng(1), 100)
    return space, [space.configuration(row) for row in np.unique(found, axis=0)[:: 60 // size][:size]]
