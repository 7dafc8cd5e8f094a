"""The figures of the benchmark `bayes` as one picture: loss curves, and what was claimed beside what came true."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#1b6ca8", "#d95f02", "#2a9d5c", "#7b4ab8", "#b8860b", "#c2185b", "#555555", "#008b8b", "#8b4513")
FEW = 20
"""Claims that were made less often are not drawn: their truth is chance."""


def draw(document: Mapping[str, Any], folder: Path) -> Path:
    """Three panels: the mean loss of people on PC, the claim to be within 5%, and the expected loss."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "bayes", "font.size": 9}):
        figure = Figure(figsize=(12.5, 3.6), layout="constrained")
        losses, within, expected = figure.subplots(1, 3)
        _draw_losses(losses, document["cases"])
        _draw_claims(within, document, "within 5% of the best", "claimed probability to be within 5%", "share that was")
        _draw_claims(expected, document, "expected loss", "expected relative loss", "true relative loss")
        for panel in (losses, within, expected):
            panel.spines[["top", "right"]].set_visible(False)
        figure.legend(*expected.get_legend_handles_labels(), loc="outside right upper", frameon=False, fontsize=7)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "bayes.svg", metadata={"Date": None})
    return folder / "bayes.svg"


def _draw_losses(panel: Axes, cases: Mapping[str, Any]) -> None:
    shown = {name: case for name, case in cases.items() if name.startswith("PC") and "differences" not in name}
    for colour, (name, case) in zip(COLOURS, shown.items(), strict=False):
        mean, error = case["mean"], case["standard error"]
        asked = range(1, len(mean) + 1)
        low, high = ([m + sign * e for m, e in zip(mean, error, strict=True)] for sign in (-1, 1))
        panel.fill_between(asked, low, high, color=colour, alpha=0.12, linewidth=0)
        panel.plot(asked, mean, color=colour, linewidth=1.4, label=name.removeprefix("PC, "))
    panel.axhline(0.1, color="black", linewidth=0.6, linestyle=":")
    panel.set(title="PC", xlabel="questions", ylabel="mean relative loss", ylim=(0, None))
    panel.legend(frameon=False, fontsize=7)


def _draw_claims(panel: Axes, document: Mapping[str, Any], name: str, claimed: str, true: str) -> None:
    """Everybody together as dots, and each kind of people as a thin line; true claims lie on the diagonal."""
    panel.plot([0, 1], [0, 1], color="black", linewidth=0.6, linestyle=":")
    for colour, (people, case) in zip(COLOURS * 2, document["cases"].items(), strict=False):
        bins = [each for each in case["calibration"][name] if each["times"] >= FEW]
        panel.plot(*_points(bins), color=colour, linewidth=0.8, alpha=0.7, label=people)
    panel.plot(*_points(document["calibration"][name]), "o", color="black", markersize=4, label="all together")
    panel.set(title=f"claims: {name}", xlabel=claimed, ylabel=true, xlim=(0, 1), ylim=(0, 1))


def _points(bins: list[dict[str, float]]) -> tuple[list[float], list[float]]:
    return [each["claimed"] for each in bins], [each["true"] for each in bins]
