"""The curves of the benchmark `answers` as one picture: what is lost, by screens and by the effort of people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN = {
    "pairs": "#555555",
    "one of three": "#b8860b",
    "one of three with reasons": "#1b6ca8",
    "conversation, nobody says more": "#7b4ab8",
    "conversation, 3 of 10 careless": "#d95f02",
    "conversation": "#2a9d5c",
}
LEVELS = (0.1, 0.03)


def draw(document: Mapping[str, Any], folder: Path) -> Path:
    """Two panels of the mean loss on PC: over screens, and over minutes of effort."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "answers", "font.size": 9}):
        figure = Figure(figsize=(10.0, 3.8), layout="constrained")
        screens, effort = figure.subplots(1, 2, sharey=True)
        for name, colour in DRAWN.items():
            case = document["curves"].get(name)
            if case is not None:
                _draw(screens, range(1, len(case["mean"]) + 1), case, colour, name)
                _draw(effort, [seconds / 60 for seconds in case["effort"]], case, colour, name)
        screens.set(xlabel="screens", ylabel="mean relative loss", ylim=(0, None))
        effort.set(xlabel="minutes of effort", xlim=(0, 5))
        for panel in (screens, effort):
            panel.spines[["top", "right"]].set_visible(False)
            for level in LEVELS:
                panel.axhline(level, color="black", linewidth=0.6, linestyle=":")
        effort.legend(frameon=False, fontsize=8)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "answers.svg", metadata={"Date": None})
    return folder / "answers.svg"


def _draw(panel: Axes, at: Any, case: Mapping[str, Any], colour: str, name: str) -> None:
    mean, error = case["mean"], case["standard error"]
    low, high = ([m + sign * e for m, e in zip(mean, error, strict=True)] for sign in (-1, 1))
    panel.fill_between(at, low, high, color=colour, alpha=0.12, linewidth=0)
    panel.plot(at, mean, color=colour, linewidth=1.4, label=name)
