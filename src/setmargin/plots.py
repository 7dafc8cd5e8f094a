"""Plots for notebooks and papers: each function draws into Axes, or makes some, and returns them.

    from setmargin.plots import plot_curves

    axes = plot_curves(compare(people, ["bayes", "random"]))
    axes.set_title("Two strategies")

They need matplotlib: `pip install 'setmargin[experiments]'`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.experiments.summary import Results
from setmargin.interview.explain import Explanation
from setmargin.late_imports import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from setmargin.choices.scoring import ModelScore

BAND = (0.25, 0.75)
ALPHA = 0.15


def plot_curves(
    results: Mapping[str, Results] | Results, *, relative: bool = True, band: bool = True, ax: Axes | None = None
) -> Axes:
    """The median loss over people after each question, a line for each strategy.

    Parameters
    ----------
    results
        What `compare` gives, or `collect` of one strategy's records.
    relative
        As a share of the best utility that each person could have; otherwise in utility.
    band
        Whether half of the people are shown as a band around the median.
    ax
        Where to draw; new Axes where nothing is said.

    Examples
    --------
    >>> from setmargin import load
    >>> from setmargin.experiments import compare, draw_people
    >>> from setmargin.plots import plot_curves
    >>> axes = plot_curves(compare(draw_people(load("synthetic:3"), 3), ["random"], questions=4))
    >>> axes.get_xlabel()
    'questions'
    """
    axes = _axes(ax)
    for name, each in _named(results).items():
        values = each.relative_loss if relative else each.loss
        _line(axes, np.arange(1, values.shape[1] + 1), values, name, band=band)
    axes.set_xlabel("questions")
    axes.set_ylabel("loss, as a share of the best utility" if relative else "loss of utility")
    return _finished(axes, from_zero=True)


def plot_loss_against_time(
    results: Mapping[str, Results] | Results, *, band: bool = True, ax: Axes | None = None
) -> Axes:
    """The median loss over people against the seconds of computing that led there, a line for each strategy.

    Parameters
    ----------
    results, band, ax
        As in `plot_curves`. Seconds are those of asking, learning and tuning, added up over the questions: the mean
        over people, on a logarithmic scale.
    """
    axes = _axes(ax)
    for name, each in _named(results).items():
        questions = each.relative_loss.shape[1]
        spent = np.cumsum(np.full(questions, each.seconds.mean() if len(each.seconds) else 0.0))
        _line(axes, spent, each.relative_loss, name, band=band)
    axes.set_xscale("log")
    axes.set_xlabel("seconds of computing")
    axes.set_ylabel("loss, as a share of the best utility")
    return _finished(axes, from_zero=True)


def plot_importance(explanation: Explanation, *, ax: Axes | None = None) -> Axes:
    """How much each attribute and quantity matters, the most important one on top, with 90% intervals where known.

    Parameters
    ----------
    explanation
        What `Interview.explain` gives.
    ax
        Where to draw; new Axes where nothing is said.
    """
    axes = _axes(ax)
    names = list(explanation.importance)[::-1]
    shares = np.array([explanation.importance[name] for name in names])
    errors: Floats | None = None
    if explanation.intervals is not None:
        ends = np.array([explanation.intervals[name] for name in names])
        errors = np.abs(np.stack([shares - ends[:, 0], ends[:, 1] - shares])).clip(min=0)
    axes.barh(names, 100 * shares, xerr=None if errors is None else 100 * errors, color="#1d6b5a", ecolor="#888888")
    axes.set_xlabel("share of all that is at stake, %")
    return _finished(axes, legend=False)


def plot_calibration(scores: ModelScore | Sequence[ModelScore], *, ax: Axes | None = None) -> Axes:
    """What part of the options was taken that were given such a chance: on the diagonal chances are what they say.

    Parameters
    ----------
    scores
        What `setmargin.choices.score_models` gives, or one of them.
    ax
        Where to draw; new Axes where nothing is said.
    """
    axes = _axes(ax)
    several = scores if isinstance(scores, Sequence) else [scores]
    if not several:
        raise OptionError("there are no scores to draw; give those of one model or more")
    axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=0.8, zorder=0)
    for score in several:
        shown = [each for each in score.reliability if each.options]
        points: dict[str, Any] = {"marker": "o", "markersize": 3, "label": f"{score.model}, {score.learnt} answers"}
        axes.errorbar(
            [each.given for each in shown],
            [each.taken for each in shown],
            yerr=[each.error for each in shown],
            **points,
        )
    axes.set_xlabel("chance that options were given")
    axes.set_ylabel("part that was taken")
    return _finished(axes)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import_extra("matplotlib")
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def _named(results: Mapping[str, Results] | Results) -> Mapping[str, Results]:
    if isinstance(results, Results):
        return {"": results}
    if not results or not all(isinstance(each, Results) for each in results.values()):
        raise OptionError("there is nothing to draw; give what compare gives, or collect(records)")
    return results


def _line(axes: Axes, at: Any, values: Floats, name: str, *, band: bool) -> None:
    (line,) = axes.plot(at, np.median(values, axis=0), label=name)
    if band:
        low, high = np.quantile(values, BAND, axis=0)
        axes.fill_between(at, low, high, color=line.get_color(), alpha=ALPHA, linewidth=0)


def _finished(axes: Axes, *, legend: bool = True, from_zero: bool = False) -> Axes:
    axes.spines[["top", "right"]].set_visible(False)
    if from_zero:
        axes.set_ylim(bottom=0)
    if legend and any(axes.get_legend_handles_labels()[1]):
        axes.legend(frameon=False)
    return axes
