"""Who asks: a strategy by its name, with those of its options that the command line knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from setmargin.errors import OptionError

if TYPE_CHECKING:
    from setmargin.strategies.base import Strategy

STRATEGIES = "such as bayes, setmargin, or random as the floor to beat"
DEFAULT = "bayes"
"""The registry's default, which cannot be imported just to show a help text."""
SPECIAL = {
    "mode": "setmargin",
    "seconds": "setmargin",
    "threads": "setmargin",
    "until": "bayes",
    "differences": "bayes",
}
"""Options that only one strategy has."""


def make_asker(name: str | None, **options: Any) -> Strategy[Any]:
    """The strategy with the options that were given; those of another one are refused, with the cure."""
    from setmargin.strategies.registry import DEFAULT, make_strategy

    name = name or DEFAULT
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if (owner := SPECIAL.get(option, name)) != name:
            raise OptionError(f"--{option} is for strategy {owner} only; add --strategy {owner}, or leave it out")
    return make_strategy(name, **given)


def read_loss(text: str | None) -> float | None:
    """An expected loss to stop at: `0.03` and `3%` are the same."""
    if text is None:
        return None
    percent = text.strip().endswith("%")
    try:
        loss = float(text.strip().removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        raise OptionError(f"--until is {text!r}; give the expected loss to stop at, such as 3% or 0.03") from None
    if not 0 <= loss < 1:
        raise OptionError(f"--until is {text}; give an expected loss from 0 to below 100%, such as 3% or 0.03")
    return loss
