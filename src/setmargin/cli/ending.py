"""How an interview ends: the recommendation and its reasons, on the screen or as JSON, and how to go on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from setmargin.cli import show, words
from setmargin.cli.dialogue import Dialogue, Ending
from setmargin.explanation import Explanation

REASONS = {
    Ending.BUDGET: "That was the last question.",
    Ending.NOTHING_LEFT: "There is nothing left to ask.",
    Ending.INPUT_ENDED: "The input ended here.",
}


def finish(dialogue: Dialogue, ending: Ending) -> Explanation:
    """Show what the interview came to; who quits is only told how to go on."""
    with dialogue.screen.busy("looking for what suits you best…"):
        why = dialogue.interview.explain()
    if ending is Ending.QUIT:
        dialogue.screen.say(*_saved(dialogue))
        return why
    screen, interview = dialogue.screen, dialogue.interview
    screen.page(
        Text(interview.space.title or interview.space.name, style="bold"),
        "",
        show.recommendation(interview.space, why, width=screen.width),
        "",
        *_summary(dialogue, ending),
        *_saved(dialogue, more=ending is Ending.BUDGET),
    )
    return why


def result(dialogue: Dialogue, ending: Ending, why: Explanation) -> dict[str, Any]:
    """What the interview came to, as plain data."""
    interview = dialogue.interview
    return {
        "catalogue": interview.space.name,
        "ended": ending.value,
        "questions": len(interview.history),
        "answered": interview.belief.answered,
        "must_haves": list(interview.must_haves),
        "saved": None if dialogue.save_to is None else str(dialogue.save_to),
        "recommendation": {"configuration": dict(why.configuration), "amounts": why.amounts},
        "explanation": why.document(),
    }


@contextmanager
def until_interrupted(dialogue: Dialogue) -> Iterator[None]:
    """Ctrl-C: nothing is lost if the interview was saved, so say how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        if dialogue.save_to is not None:
            dialogue.screen.say("", *_saved(dialogue))
        raise


def _summary(dialogue: Dialogue, ending: Ending) -> list[RenderableType]:
    interview = dialogue.interview
    asked, answered = len(interview.history), interview.belief.answered
    numbers = [words.count(asked, "question")] + ([f"{asked - answered} skipped"] if asked > answered else [])
    lines = [" ".join(filter(None, [REASONS.get(ending, ""), words.listed(numbers) + "."]))]
    if not answered:
        lines.append("No question was answered: this is where everybody starts.")
    if interview.must_haves:
        lines.append(f"Must-haves: {words.listed(interview.must_haves)}")
    return [Text(line) for line in lines]


def _saved(dialogue: Dialogue, *, more: bool = False) -> list[RenderableType]:
    if dialogue.save_to is None:
        return [Text("Not saved; --save FILE keeps an interview.", style="dim")]
    budget = f" --questions {dialogue.budget + 10}" if more else ""
    file = shlex.quote(str(dialogue.save_to))
    return [Text(f"Saved; go on with: setmargin interview --resume {file}{budget}", style="dim")]
