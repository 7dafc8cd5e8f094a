"""What a screen costs the person who looks at it, in seconds.

    SEEN + CELL × options × rows + REASON or CHANGE, where the person says more than which one is best

Rows that are the same in all options are folded away, and cost nothing; of a single configuration all are read. The
constants are set, not measured: a cell of a table takes about as long as reading a word or two, a tap with its decision
about a second, and every screen more tries somebody's patience. What matters is their proportion. Every policy is
judged by the effort that it takes to a good recommendation, so this is the one place to change where a study knows
better.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from setmargin.answers import Answer, Change, Question, differing, reasons_of
from setmargin.arrays import Floats, Ints
from setmargin.space.space import Space

SEEN: Final = 5.0
"""To find one's way around the screen, and the tap."""
CELL: Final = 0.3
"""To read one row of one option."""
REASON: Final = 1.0
"""To tap on what decided; nothing new has to be read."""
CHANGE: Final = 3.0
"""To look through the values of one row and tap on another one."""


def screen_effort(options: int, rows: Ints | int, *, reason: bool = False, change: bool = False) -> Floats:
    """The seconds that screens with so many options take, by the number of rows in which they differ."""
    return np.asarray(SEEN + CELL * options * np.asarray(rows) + REASON * reason + CHANGE * change, dtype=float)


def answer_effort(space: Space, question: Question, answer: Answer) -> float:
    """The seconds that one question took."""
    rows = len(differing(space, question.options)) if question.is_comparison else len(space.things)
    reason, change = bool(reasons_of(answer)), isinstance(answer, Change)
    return float(screen_effort(len(question.options), rows, reason=reason, change=change))
