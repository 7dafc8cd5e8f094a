"""How sure we are, in plain words: what is expected to be lost, how many screens are left, which answers decided."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from setmargin.cli.terminal import formatting, said
from setmargin.cli.terminal.question_page import rows
from setmargin.interview.explain import Decisive, Explanation
from setmargin.space.space import Space
from setmargin.strategies.base import Stakes

CONFIDENT = 0.5
"""Below this chance of being nearly the best there is nothing to be sure about."""
MOST = 3
"""So many answers are named as decisive, where there is room."""


def progress(stakes: Stakes, budget: int) -> str:
    """`expected loss 12%, about 5 screens left`; the number is left out where the budget of screens is smaller."""
    loss, left = f"expected loss {formatting.percent(stakes.expected_loss)}", stakes.questions_left
    if not left:
        return f"{loss}, almost done"
    return loss if left > budget else f"{loss}, about {formatting.count(left, 'screen')} left"


def certainty(stakes: Stakes) -> str:
    """What the recommendation is worth, as far as is known."""
    loss, left = formatting.percent(stakes.expected_loss), stakes.questions_left
    if stakes.probability_within < CONFIDENT:
        more = f"; about {formatting.count(left, 'more screen')} would tell" if left else ""
        return f"Not sure yet: expected loss {loss}{more}."
    if stakes.expected_loss <= 0:
        return "Sure to be the best for you, as far as your answers go."
    sure = formatting.percent(stakes.probability_within)
    return f"Expected to be within {loss} of your best; {sure} sure it is within 5%."


def decisive(space: Space, why: Explanation, *, width: int, most: int) -> list[str]:
    """The answers without which something else would be recommended: which, and what would change."""
    return [
        fitted(f"Your answer {_named(space, each)} decided; otherwise: ", _changes(space, why, each), width)
        for each in (why.decisive or ())[:most]
    ]


def _named(space: Space, answer: Decisive) -> str:
    """`4`, or `4 (because of price)`."""
    more = said.why(space, answer.question, answer.answer)
    return f"{answer.number + 1}{f' ({more})' if more else ''}"


def notes(space: Space, why: Explanation, *, width: int) -> dict[int, str]:
    """The same by the number of the answer, for a list of all answers."""
    return {
        each.number: fitted("decided; otherwise: ", _changes(space, why, each), width) for each in why.decisive or ()
    }


def _changes(space: Space, why: Explanation, answer: Decisive) -> list[str]:
    compared = rows(space, [why.configuration, answer.instead])
    return [f"{row.label} {row.cells[1].plain}" for row in compared if row.differs and not row.is_quantity]


def fitted(start: str, parts: Sequence[str], width: int) -> str:
    """As many parts as one line has room for, and how many more there are; at least one."""
    for shown in range(len(parts), 0, -1):
        more = [f"{len(parts) - shown} more"] if shown < len(parts) else []
        line = start + formatting.listed([*parts[:shown], *more])
        if cell_len(line) <= width:
            break
    return line
