"""`setmargin certain`: what the answers of a saved interview imply for certain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from setmargin.interview.interview import Interview
    from setmargin.space.space import Configuration, Space

PROVEN = 1e-6
"""What may be lost below this is nothing."""


def certain(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="An interview, saved with interview --save.")],
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.1, help="How long to look for what could still be better.")
    ] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say what follows from the answers of a saved interview for certain, and what is only likely.

    Of all the tastes that agree with the answers: would everybody take the recommendation, and which of the
    configurations that were shown could still be the best one?
    """
    from setmargin.interview.interview import Interview

    found = describe_certain(Interview.load(file), seconds=seconds)
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for line in _lines(found):
        typer.echo(line)


def describe_certain(interview: Interview, *, seconds: float) -> dict[str, Any]:
    """The same as plain data."""
    known, best = interview.certain(), interview.recommend().configuration
    guarantee = known.guarantee(best, seconds=seconds)
    shown = dict.fromkeys(option for question, _ in interview.history for option in question.options)
    buildable = [option for option in shown if _can_be_built(interview.belief.space, option)]
    return {
        "catalogue": interview.space.name,
        "answers": interview.belief.answered,
        "contradiction": known.contradiction,
        "recommendation": dict(best),
        "proven": guarantee.regret <= PROVEN,
        "at_most_lost": max(0.0, guarantee.regret),
        "better_for_somebody": None if guarantee.regret <= PROVEN else dict(guarantee.better),
        "shown": [
            {"configuration": dict(option), "possibly_best": known.possibly_best(option)} for option in buildable
        ],
        "shown_but_excluded": len(shown) - len(buildable),
    }


def _can_be_built(space: Space, configuration: Configuration) -> bool:
    """Under the must-haves, which may have come after it was shown."""
    from setmargin.errors import ConfigurationError

    try:
        space.check(configuration)
    except ConfigurationError:
        return False
    return True


def _lines(found: dict[str, Any]) -> list[str]:
    from setmargin.space.text import in_words

    told = [f"{found['catalogue']}: {found['answers']} answers", f"recommended: {in_words(found['recommendation'])}"]
    if found["contradiction"] > PROVEN:
        told.append(f"The answers contradict one another; they were bent by {found['contradiction']:.2g} in all.")
    if found["proven"]:
        told.append("Proven: nobody who answers so would rather have anything else.")
    else:
        told.append(
            f"Not proven: somebody who answers so could lose up to {found['at_most_lost']:.2g}, where one attribute is "
            f"worth 1 at most, and would rather have {in_words(found['better_for_somebody'])}."
        )
    open_still = [option["configuration"] for option in found["shown"] if option["possibly_best"]]
    count = len(found["shown"])
    told.append(f"Of {count} configurations that were shown and can be had, {len(open_still)} may be the best one:")
    return [*told, *(f"  {in_words(option)}" for option in open_still)]
