"""How well models predict real choices, as a page of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from rich.console import RenderableType
from rich.table import Table

from setmargin.choices.data import Choices
from setmargin.choices.hints import DirectionHint
from setmargin.choices.scoring import ModelScore
from setmargin.choices.study import Study
from setmargin.cli.terminal.formatting import count

LISTED = 5


def choices_page(
    file: str, found: Choices, study: Study, scores: Sequence[ModelScore], hints: Sequence[DirectionHint]
) -> Iterator[RenderableType]:
    """What was read and left out, then how the models do, then what their chances are worth."""
    people = count(len(study.people), "person", "people")
    yield f"{file}: {people}, first {study.learn} choices learnt, next {study.predict} predicted"
    if study.too_short:
        yield f"{count(study.too_short, 'person', 'people')} with fewer choices left out"
    yield from found.notes
    yield from map(str, hints)
    if found.left_out:
        yield f"{count(len(found.left_out), 'task')} left out:"
        yield from (f"  {each}" for each in found.left_out[:LISTED])
        if len(found.left_out) > LISTED:
            yield f"  and {len(found.left_out) - LISTED:,} more"
    yield ""
    yield score_table(scores)
    yield ""
    yield reliability_table([score for score in scores if score.learnt == study.learn])


def score_table(scores: Sequence[ModelScore]) -> Table:
    """A line for each model; where several numbers of answers are learnt, the models under each."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    made.add_column("", no_wrap=True)
    for title in ("hits %", "log-loss", "given ≥ 90%", "taken"):
        made.add_column(title, justify="right", no_wrap=True)
    numbers = list(dict.fromkeys(score.learnt for score in scores))
    for learnt in numbers:
        if len(numbers) > 1:
            made.add_row(f"after {count(learnt, 'answer')}")
        for score in (each for each in scores if each.learnt == learnt):
            made.add_row(
                f"  {score.model}" if len(numbers) > 1 else score.model,
                _with_error(100 * score.hits, 100 * score.hits_error, 1),
                _with_error(score.log_loss, score.log_loss_error, 3),
                f"{score.sure.options:,}",
                "–" if not score.sure.options else _with_error(100 * score.sure.taken, 100 * score.sure.error, 0) + "%",
            )
    return made


def reliability_table(scores: Sequence[ModelScore]) -> Table:
    """How often options were taken, by the chance that each model gave them."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    made.add_column("taken, of options given", no_wrap=True)
    edges = [(each.low, each.high) for each in scores[0].reliability]
    for low, high in edges:
        made.add_column(f"{100 * low:.0f}–{100 * high:.0f}%", justify="right", no_wrap=True)
    for score in scores:
        made.add_row(score.model, *("–" if not each.options else f"{each.taken:.0%}" for each in score.reliability))
    return made


def _with_error(number: float, error: float, digits: int) -> str:
    return f"{number:.{digits}f}" if isnan(error) else f"{number:.{digits}f} ± {error:.{digits}f}"
