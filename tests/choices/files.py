"""Files of simulated choices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

HEADER = "person,task,option,price,colour,chosen"
COLOURS = ("red", "green", "blue")


def written(folder: Path, lines: Sequence[str], name: str = "paint.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def simulated(people: int, tasks: int, *, seed: int = 0, options: int = 3) -> list[str]:
    """People who like low prices, each more or less, and one colour of their own."""
    rng = np.random.default_rng(seed)
    lines = [HEADER]
    for person in range(1, people + 1):
        dear, favourite = rng.uniform(0.02, 0.2), rng.integers(3)
        for task in range(1, tasks + 1):
            prices = rng.choice([10, 20, 30, 40], options, replace=False)
            colours = rng.integers(3, size=options)
            utilities = -dear * prices + 2.0 * (colours == favourite)
            taken = int(np.argmax(utilities + rng.gumbel(size=options)))
            for option in range(options):
                cells = (person, task, option + 1, prices[option], COLOURS[colours[option]], int(option == taken))
                lines.append(",".join(map(str, cells)))
    return lines
