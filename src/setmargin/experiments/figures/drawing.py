"""Layouts and curves become pictures. No state is shared with other users of matplotlib, and no display is needed."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from setmargin.errors import OptionError
from setmargin.experiments.figures.curves import Band, Curve, curve_of
from setmargin.experiments.figures.layouts import ColumnValues, Layout, Panel, layout_of, lines_of, matching
from setmargin.experiments.published import points

SUFFIXES = (".svg", ".pdf", ".png")
COLOURS: Mapping[str, str] = {
    "setmargin": "#d55e00",
    "bayes": "#882255",
    "rivoi": "#0072b2",
    "qi": "#009e73",
    "eus": "#707070",
    "regret": "#b58900",
    "polyhedral": "#56b4e9",
    "perceptron": "#332288",
    "coactive": "#aa4499",
    "musm": "#661100",
    "random": "#aaaaaa",
}
"""After Okabe and Ito, and Tol: told apart by people who see fewer colours, and close to the paper's own."""
OTHER_COLOURS = ("#000000", "#cc79a7", "#117733", "#88ccee", "#999933")
STROKES: Mapping[str, Any] = {
    "setmargin": "-",
    "bayes": (0, (7, 1)),
    "rivoi": (0, (4, 2)),
    "qi": (0, (5, 1.5, 1, 1.5)),
    "eus": (0, (1.2, 1.2)),
}
SIZE_STROKES: Mapping[int, Any] = {2: "-", 3: (0, (4, 1.5)), 4: (0, (1.2, 1.2))}
MARKERS: Mapping[int, str] = {2: "o", 3: "s", 4: "^"}
"""Where a figure has several set sizes, strokes and markers tell them apart; else strokes tell strategies apart."""
MARK: Mapping[str, Any] = {"linestyle": "none", "alpha": 0.45, "markersize": 4}

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: smaller, and it can be searched
    "svg.hashsalt": "setmargin",  # ids do not change from run to run
    "text.parse_math": False,  # names may have dollar signs
    "font.sans-serif": ["DejaVu Sans"],  # readers without it take their own
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
}
AXES = {"question": "questions", "pair": "ordered pairs"}
MEASURES = {"loss": "utility loss", "relative_loss": "loss / best utility", "seconds": "seconds so far"}
BANDS = {
    "quartiles": "the band holds the middle half of the people (quartiles)",
    "standard-error": "the band is one standard error of the mean to each side",
}


def draw(frame: pl.DataFrame, target: str | os.PathLike[str], *, name: str = "", band: Band = "quartiles") -> Path:
    """Draw the records as the paper's figure of that name, or as they come; the suffix is .svg, .pdf or .png."""
    path = Path(target)
    if path.suffix not in SUFFIXES:
        raise OptionError(f"cannot draw {path.name}; end its name with {', '.join(SUFFIXES)}")
    content = picture(frame, name=name, band=band, suffix=path.suffix)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror}; choose another place") from None
    return path


def picture(frame: pl.DataFrame, *, name: str = "", band: Band = "quartiles", suffix: str = ".svg") -> bytes:
    """The same as the content of a file; equal records give equal bytes."""
    layout = layout_of(frame, name)
    content = io.BytesIO()
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix, {})
    with rc_context(STYLE):
        figure_of(frame, layout, band=band).savefig(content, format=suffix[1:], metadata=undated, dpi=160)
    return _short(content.getvalue()) if suffix == ".svg" else content.getvalue()


def _short(svg: bytes) -> bytes:
    """The same picture with a tenth of a point as its finest step, in a third of the space."""
    rounded = re.sub(rb"(?<=[ (])-?\d+\.\d{3,}", lambda number: b"%.10g" % round(float(number[0]), 1), svg)
    return re.sub(rb"\n *", b"\n", rounded)


def figure_of(frame: pl.DataFrame, layout: Layout, *, band: Band = "quartiles") -> Figure:
    """Rows and columns of panels, one legend above, and a caption below that says what the marks mean."""
    height, width = len(layout.rows), max(map(len, layout.rows))
    figure = Figure(figsize=(max(5.2, 2.5 * width), 1.3 + 1.75 * height), layout="constrained")
    axes = figure.subplots(height, width, squeeze=False)
    styles = Styles(frame)
    for number, row in enumerate(layout.rows):
        for place, axis in enumerate(axes[number]):
            if place < len(row):
                _draw_panel(axis, frame, layout, row[place], styles, band)
                _label(axis, row[place], first=place == 0, top=number == 0, bottom=number == height - 1)
            else:
                axis.set_axis_off()
    handles = [*styles.handles(), *_published_handle(layout)]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 3 * width), frameon=False)
    figure.supxlabel(fill(caption(frame, layout, band), 46 * width), fontsize=7, x=0.01, ha="left", color="#444444")
    return figure


def caption(frame: pl.DataFrame, layout: Layout, band: Band) -> str:
    people = sorted({rows["person"].n_unique() for rows in _panel_lines(frame, layout)})
    many = f"{people[0]}" if len(people) == 1 else f"{people[0]} to {people[-1]}"
    said = [f"{layout.title}: {many} simulated people a line. Lines are medians over people; {BANDS[band]}."]
    timed = any(panel.measure == "seconds" for row in layout.rows for panel in row)
    if timed:
        said.append("Seconds are those of asking, learning and tuning, added up, on a logarithmic scale.")
    if layout.name:
        said.append("Light marks are the published medians, over 20 other people of the same distribution.")
    if layout.name and timed:
        said.append("The published seconds are those of a machine of 2016.")
    return " ".join(said)


def _panel_lines(frame: pl.DataFrame, layout: Layout) -> Iterator[pl.DataFrame]:
    for setting in {panel.setting for row in layout.rows for panel in row}:
        rows = matching(frame, setting)
        yield from (matching(rows, line) for line in lines_of(rows))


class Styles:
    """How each line of a figure looks: a strategy has its colour everywhere."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.lines = sorted(lines_of(frame), key=_prominence)
        names = list(dict.fromkeys(str(dict(line)["strategy"]) for line in self.lines))
        others = (name for name in names if name not in COLOURS)
        self.colours = {**COLOURS, **dict(zip(others, OTHER_COLOURS * len(names), strict=False))}
        self.several_sizes = len({dict(line)["set_size"] for line in self.lines}) > 1
        self.alpha = 0.13 if len(self.lines) <= 5 else 0.08

    def label(self, line: ColumnValues) -> str:
        """Its strategy, and what else tells it from the other lines."""
        values = dict(line)
        said = [str(values["strategy"])]
        said += [f"k = {values['set_size']}"] if self.several_sizes else []
        said += [str(values["options"])] if values.get("options") else []
        return ", ".join(said)

    def stroke(self, line: ColumnValues) -> dict[str, Any]:
        values = dict(line)
        strategy, size = str(values["strategy"]), int(str(values["set_size"]))
        dashes = SIZE_STROKES.get(size, "-") if self.several_sizes else STROKES.get(strategy, "-")
        return {"color": self.colours[strategy], "linestyle": dashes, "linewidth": 1.4}

    def marker(self, line: ColumnValues) -> str:
        """For what was published."""
        return MARKERS.get(int(str(dict(line)["set_size"])), "D")

    def handles(self) -> list[Line2D]:
        return [Line2D([], [], label=self.label(line), **self.stroke(line)) for line in self.lines]


def _prominence(line: ColumnValues) -> tuple[object, ...]:
    """Known strategies first, in the order of their colours."""
    values = dict(line)
    names = list(COLOURS)
    strategy = str(values["strategy"])
    place = names.index(strategy) if strategy in names else len(names)
    return (place, strategy, int(str(values["set_size"])), str(values.get("options", "")))


def _draw_panel(axis: Axes, frame: pl.DataFrame, layout: Layout, panel: Panel, styles: Styles, band: Band) -> None:
    rows = panel.of(frame)
    last = 1
    for line in styles.lines:
        own = matching(rows, line)
        if not own.is_empty():
            curve = curve_of(own, axis=panel.axis, measure=panel.measure, band=band).until(panel.end)
            last = max(last, int(curve.at[-1]))
            _draw_curve(axis, curve, styles.stroke(line), steps=panel.axis == "pair", alpha=styles.alpha)
            _draw_published(axis, layout, panel, line, styles, last=int(curve.at[-1]))
    axis.set_xlim(0, last)
    if panel.measure == "seconds":
        axis.set_yscale("log")
        axis.minorticks_off()
        axis.yaxis.set_major_formatter("{x:g}")
    else:
        axis.set_ylim(bottom=0)


def _draw_curve(axis: Axes, curve: Curve, stroke: Mapping[str, Any], *, steps: bool, alpha: float) -> None:
    """Between questions nothing is learnt, so a curve over pairs has steps."""
    look: dict[str, Any] = {"color": stroke["color"], "alpha": alpha, "linewidth": 0}
    axis.fill_between(curve.at, curve.low, curve.high, step="post" if steps else None, **look)
    axis.plot(curve.at, curve.median, drawstyle="steps-post" if steps else "default", **stroke)


def _draw_published(axis: Axes, layout: Layout, panel: Panel, line: ColumnValues, styles: Styles, *, last: int) -> None:
    """Whatever was published about this line, as far as it was run here."""
    setting, values = dict(panel.setting), dict(line)
    said = points(
        layout.name,
        catalogue="pc" if layout.name == "pc" else str(setting["catalogue"]),
        weights=str(setting["weights"]),
        strategy=str(values["strategy"]),
        set_size=int(str(values["set_size"])),
        axis=panel.axis,
        measure=panel.measure,
    )
    shown = [(at, value) for at, value in said if at <= last and value is not None]
    if shown:
        look = {**MARK, "color": styles.stroke(line)["color"], "marker": styles.marker(line)}
        axis.plot(*zip(*shown, strict=True), **look, clip_on=False)


def _published_handle(layout: Layout) -> list[Line2D]:
    return [Line2D([], [], label="published", color="black", marker="o", **MARK)] if layout.name else []


def _label(axis: Axes, panel: Panel, *, first: bool, top: bool, bottom: bool) -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(length=2.5, pad=2)
    if first:
        axis.set_ylabel(panel.row, fontweight="bold", labelpad=6)
    if top:
        axis.set_title(", ".join(filter(None, (panel.title, MEASURES[panel.measure]))))
    if bottom:
        axis.set_xlabel(AXES[panel.axis])
