"""How an interview ends: the recommendation and its reasons, on the screen or as JSON, and how to go on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from setmargin.cli.terminal import formatting, recommendation_page
from setmargin.cli.terminal.dialogue import Dialogue, Ending
from setmargin.cli.terminal.question_page import line_count
from setmargin.cli.terminal.reasons import reasons
from setmargin.interview.explain import Explanation
from setmargin.interview.log import Answered, entry_document
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Recommendation

UNSAVED = "Stopped. Nothing was saved; use --save FILE next time."
AROUND = 4
"""Lines of the last page besides the result and what is said below: the title, two blank ones, the prompt."""
REASONS = {
    Ending.BUDGET: "That was the last screen.",
    Ending.NOTHING_LEFT: "There is no question left that would tell more.",
    Ending.INPUT_ENDED: "The input ended here.",
}


def finish(dialogue: Dialogue, ending: Ending) -> Explanation:
    """Show what the interview came to; who quits is only told how to go on. Gives the reasons of the recommendation."""
    with dialogue.screen.busy("looking for what suits you best…"):
        best = dialogue.interview.recommend()
        why = dialogue.interview.explain(best)
    if ending is Ending.QUIT:
        dialogue.screen.say(*_saved(dialogue))
        return why
    below = [*_summary(dialogue, ending), *_saved(dialogue, ending)]
    dialogue.screen.page(
        Text(formatting.catalogue_title(dialogue.interview.space), style="bold"),
        "",
        _result(dialogue, best, why, around=line_count(Group(*below), dialogue.screen.width) + AROUND),
        "",
        *below,
    )
    return why


def _result(dialogue: Dialogue, best: Recommendation, why: Explanation, *, around: int) -> RenderableType:
    """The recommendation beside its runner-up; or the option that was taken, beside the recommendation."""
    screen, interview = dialogue.screen, dialogue.interview
    title, other, stakes = "suits you best", "runner-up", interview.stakes()
    if dialogue.taken is not None:
        taken = interview.explain(replace(best, configuration=dialogue.taken))
        # Another one may be as good as the recommendation, and stand there instead.
        other = "recommendation" if taken.runner_up == best.configuration else "alternative"
        why, title, stakes = replace(taken, decisive=None), "you took", None
    return recommendation_page.recommendation(
        interview.space,
        why,
        stakes,
        width=screen.width,
        height=screen.height and screen.height - around,
        title=title,
        other=other,
        informed=recommendation_page.informed(interview.history),
        reasons=reasons(interview, best if dialogue.taken is None else replace(best, configuration=dialogue.taken)),
    )


def result(dialogue: Dialogue, ending: Ending, why: Explanation) -> dict[str, Any]:
    """What the interview came to, as plain data."""
    interview = dialogue.interview
    chosen = dialogue.taken or why.configuration
    taken, stakes = "option" if dialogue.taken else "recommendation", interview.stakes()
    return {
        "catalogue": interview.space.name,
        "ended": ending.value,
        "questions": len(interview.history),
        "answered": interview.belief.answered,
        "history": [entry_document(Answered(*asked)) for asked in interview.history],
        "must_haves": list(interview.must_haves),
        "saved": None if dialogue.save_to is None else str(dialogue.save_to),
        "taken": taken if ending is Ending.TAKEN else None,
        "result": _shown(interview.space, chosen),
        "recommendation": _shown(interview.space, why.configuration),
        "stakes": stakes and stakes.document(),
        "explanation": why.document(),
    }


def _shown(space: Space, configuration: Configuration) -> dict[str, Any]:
    item = space.item(configuration)
    shown = {"configuration": dict(configuration), "amounts": space.amounts(configuration)}
    return shown if item is None else {**shown, "item": asdict(item)}


@contextmanager
def until_interrupted(dialogue: Dialogue) -> Iterator[None]:
    """Ctrl-C: nothing is lost if the interview was saved, so say how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        dialogue.screen.say("", *([UNSAVED] if dialogue.save_to is None else _saved(dialogue)))
        raise


def _summary(dialogue: Dialogue, ending: Ending) -> list[RenderableType]:
    interview = dialogue.interview
    asked, answered = len(interview.history), interview.belief.answered
    numbers = [formatting.count(asked, "screen")] + ([f"{asked - answered} skipped"] if asked > answered else [])
    lines = [" ".join(filter(None, [_reason(dialogue, ending), formatting.listed(numbers) + "."]))]
    if not answered:
        lines.append("No question was answered: this is where everybody starts.")
    if interview.must_haves:
        lines.append(f"Must-haves: {formatting.listed(interview.must_haves)}")
    return [Text(line) for line in lines]


def _reason(dialogue: Dialogue, ending: Ending) -> str:
    """Why it is over, unless the person wanted it so."""
    if ending is Ending.GOOD_ENOUGH:
        return f"The expected loss is below {dialogue.stopping_loss:.1%}.".replace(".0%", "%")
    return REASONS.get(ending, "")


def _saved(dialogue: Dialogue, ending: Ending = Ending.QUIT) -> list[RenderableType]:
    if dialogue.save_to is None:
        return [Text("Not saved; --save FILE keeps an interview.", style="dim")]
    file = shlex.quote(str(dialogue.save_to))
    return [Text(f"Saved; go on with: setmargin interview --resume {file}{_more(dialogue, ending)}", style="dim")]


def _more(dialogue: Dialogue, ending: Ending) -> str:
    """The option without which going on would end at once."""
    match ending:
        case Ending.BUDGET:
            return f" --questions {dialogue.budget + 10}"
        case Ending.GOOD_ENOUGH:
            return f" --until {100 * dialogue.stopping_loss / 3:.1g}%"
    return ""
