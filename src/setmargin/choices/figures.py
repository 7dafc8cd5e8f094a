"""Scores as a picture: log-loss by the number of answers learnt, and what chances are worth."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from setmargin.choices.scoring import ModelScore
from setmargin.errors import OptionError
from setmargin.experiments.figures.drawing import COLOURS, OTHER_COLOURS, STYLE, SUFFIXES

USUAL: Mapping[str, str] = {
    "chance": "#bbbbbb",
    "pooled logit": "#999933",
    "ridge logit": "#117733",
    "hierarchical logit": "#000000",
}
"""What strategies are measured against; its lines are broken."""
LEAST_OPTIONS = 10
"""What part of fewer options was taken says nothing."""


def draw_scores(scores: Sequence[ModelScore], target: str | os.PathLike[str]) -> Path:
    """Draw the scores of `score_models`; the suffix is .svg, .pdf or .png."""
    path = Path(target)
    check_picture(path)
    content = io.BytesIO()
    undated: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix, {})
    with rc_context(STYLE):
        scores_figure(scores).savefig(content, format=path.suffix[1:], metadata=undated, dpi=160)
    try:
        path.write_bytes(content.getvalue())
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror}; choose another place") from None
    return path


def check_picture(path: Path) -> None:
    """Refuse a file that nothing can be drawn to."""
    if path.suffix not in SUFFIXES:
        raise OptionError(f"cannot draw {path.name}; end its name with {', '.join(SUFFIXES)}")


def scores_figure(scores: Sequence[ModelScore]) -> Figure:
    """Log-loss to the left, reliability after the most answers to the right."""
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    losses, chances = figure.subplots(1, 2)
    models = list(dict.fromkeys(score.model for score in scores))
    others = iter(OTHER_COLOURS * len(models))
    colours = {model: {**COLOURS, **USUAL}.get(model) or next(others) for model in models}
    for model in models:
        own = [score for score in scores if score.model == model]
        _draw_losses(losses, own, colours[model])
        _draw_reliability(chances, own[-1], colours[model])
    _finish(losses, "answers learnt", "log-loss of held-out choices")
    losses.set_xticks(sorted({score.learnt for score in scores}))
    chances.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=0.8, zorder=0)
    _finish(chances, "chance that options were given", "part that was taken")
    handles, labels = losses.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    people = f"{scores[0].people:,} people, {scores[0].tasks:,} held-out choices; bars are standard errors."
    figure.supxlabel(people, fontsize=7, x=0.01, ha="left", color="#444444")
    return figure


def _draw_losses(axis: Axes, scores: Sequence[ModelScore], colour: str) -> None:
    axis.errorbar(
        [score.learnt for score in scores],
        [score.log_loss for score in scores],
        yerr=[score.log_loss_error for score in scores],
        label=scores[0].model,
        color=colour,
        marker="o",
        linestyle=_stroke(scores[0].model),
        markersize=3,
        linewidth=1.2,
        elinewidth=0.8,
    )


def _draw_reliability(axis: Axes, score: ModelScore, colour: str) -> None:
    shown = [each for each in score.reliability if each.options >= LEAST_OPTIONS]
    axis.errorbar(
        [each.given for each in shown],
        [each.taken for each in shown],
        yerr=[each.error for each in shown],
        color=colour,
        marker="o",
        linestyle=_stroke(score.model),
        markersize=3,
        linewidth=1.2,
        elinewidth=0.8,
    )


def _stroke(model: str) -> str:
    return "--" if model in USUAL else "-"


def _finish(axis: Axes, below: str, title: str) -> None:
    axis.set_xlabel(below)
    axis.set_title(title)
    axis.spines[["top", "right"]].set_visible(False)
