"""One HTML file about an experiment: what was run, the figure, a table for each setting, and how to do it again.

It needs nothing else: style and figure are inside, nothing is fetched, and it is readable on paper and in the dark.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import version
from math import isnan
from pathlib import Path
from typing import cast

import polars as pl

from setmargin.errors import OptionError
from setmargin.experiments.figures.curves import Agreement, Band, agreements
from setmargin.experiments.figures.drawing import Styles, picture
from setmargin.experiments.figures.layouts import (
    PAPER,
    ColumnValues,
    Layout,
    layout_of,
    matching,
    settings_of,
    varying_of,
    words_of,
)
from setmargin.experiments.published import points
from setmargin.experiments.summary import LEVELS, Milestone, SimulationSummary, collect, summarise
from setmargin.experiments.trial import Record
from setmargin.files import write_whole

CSS = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --faint: #666; --rule: #ddd; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #16181c; --faint: #a0a4ab; --rule: #3a3f47; }
  figure svg { filter: invert(.91) hue-rotate(180deg); }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 68rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
figure { margin: 1.5rem 0; overflow-x: auto; } figure svg { width: 100%; min-width: 40rem; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1.2rem 0; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th { font-weight: 500; color: var(--faint); vertical-align: bottom; white-space: normal; }
th[scope=row] { color: var(--ink); white-space: nowrap; }
small, .note { color: var(--faint); font-size: .9rem; } code { font-size: .95em; overflow-wrap: anywhere; }
@media print { body { max-width: none; margin: 0; } table, figure { break-inside: avoid; } }
"""
HEADERS = (
    "questions to 10%",
    "to 1%",
    "to no loss",
    "mean loss at the end, %",
    "people without loss",
    "seconds a question",
    "95th percentile of these",
)
NOTES = (
    "<b>Questions to 10%, 1%, no loss</b>: after how many questions the median over people of the loss, as a share of "
    "the best utility that each could have, is that small for good; the first time in brackets where it was earlier; – "
    "where it never is. <b>Published</b> numbers, where there are any, stand after a slash.",
    "<b>Mean loss</b>: in percent of the best utility, with its standard error. Where a strategy had nothing left to "
    "ask, what it had reached counts as reached with every later question.",
    "<b>Seconds a question</b>: asking, learning and tuning, what a person waits for; the median over all questions. "
    "They hold for the machine they were measured on, and for how busy it was.",
)
BESIDE = (
    "Medians of the loss after so many questions <b>agree</b> if they differ by at most two standard errors of their "
    "difference, which are found by drawing people again from ours. Otherwise ours lose less, or more."
)


def write_report(
    frame: pl.DataFrame,
    target: str | os.PathLike[str],
    *,
    name: str = "",
    command: str = "",
    band: Band = "quartiles",
) -> Path:
    """Write the report of an experiment; `name` is that of a figure of the paper, `command` is what runs it again."""
    path = Path(target)
    text = report(frame, name=name, command=command, band=band)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror}; choose another place") from None
    return path


def report(frame: pl.DataFrame, *, name: str = "", command: str = "", band: Band = "quartiles") -> str:
    """The same as text; equal records give equal text."""
    layout = layout_of(frame, name)
    title = PAPER[name][0] if name else "Comparison of strategies"
    styles = Styles(frame)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(_overview(frame))}</p>",
        f'<figure role="img" aria-label="{escape(_described(layout, styles))}">{_inline(frame, name, band)}</figure>',
        "<h2>Numbers</h2>",
        *_tables(frame, styles, name),
        *(f'<p class="note">{note}</p>' for note in NOTES),
        *(_beside(frame, styles, name) if name else ()),
        "<h2>What was run</h2>",
        f"<details><summary>All settings</summary>{_settings_table(frame)}</details>",
        "<h2>To run it again</h2>",
        _how(command),
    ]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{CSS}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


# Text


def _overview(frame: pl.DataFrame) -> str:
    trials = frame.select([*_identity(frame), "person"]).unique().height
    hours = frame.select(pl.sum_horizontal(pl.col("^.*_seconds$")).sum()).item() / 3600
    names = ", ".join(sorted(frame["strategy"].unique()))
    return (
        f"{trials:,} simulated interviews with {frame.height:,} questions, asked by {names}; "
        f"{hours:.2g} hours of computing."
    )


def _identity(frame: pl.DataFrame) -> list[str]:
    timed = ("person", "question", "screen", "effort", "pairs", "loss", "relative_loss", "status", "gap")
    return [column for column in frame.columns if column not in timed and not column.endswith("_seconds")]


def _described(layout: Layout, styles: Styles) -> str:
    labels = ", ".join(styles.label(line) for line in styles.lines)
    panels = sum(map(len, layout.rows))
    return f"{layout.title}: {panels} plots of loss and time over questions for {labels}. The tables have the numbers."


def _inline(frame: pl.DataFrame, name: str, band: Band) -> str:
    """The figure without what only a file of its own needs, its size left to the page."""
    svg = picture(frame, name=name, band=band).decode()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"', r"\1", svg, count=1)


def _how(command: str) -> str:
    run = f"<p>Run <code>{escape(command)}</code>.</p>" if command else ""
    packages = ", ".join(f"{package} {version(package)}" for package in ("setmargin", "numpy", "highspy"))
    return f'{run}<p class="note">Drawn with {escape(packages)}, Python {escape(platform.python_version())}.</p>'


# Tables


def _tables(frame: pl.DataFrame, styles: Styles, name: str) -> Iterable[str]:
    settings = settings_of(frame)
    varying = varying_of(settings)
    for setting in settings:
        yield _table(", ".join(words_of(setting, varying)), frame, setting, styles, name)


def _table(caption: str, frame: pl.DataFrame, setting: ColumnValues, styles: Styles, name: str) -> str:
    values = dict(setting)
    rows = matching(frame, setting)
    own = [(line, matching(rows, line)) for line in styles.lines]
    body = [
        [styles.label(line), *_numbers(_summary(found), _published(name, values, line))]
        for line, found in own
        if found.height
    ]
    return _html_table(caption, ("", *HEADERS), body)


def _beside(frame: pl.DataFrame, styles: Styles, name: str) -> Iterable[str]:
    """How many of the published points lie where chance may have put ours."""
    settings = settings_of(frame)
    varying = varying_of(settings)
    rows = []
    for setting in settings:
        here = matching(frame, setting)
        for line in styles.lines:
            own = matching(here, line)
            found = agreements(own, name) if own.height else []
            if found:
                rows.append([", ".join([*words_of(setting, varying), styles.label(line)]), *_agreement_cells(found)])
    if rows:
        headers = ("", "published points", "agree", "less loss", "more loss", "largest difference")
        yield "<h2>Beside what was published</h2>"
        yield _html_table("", headers, rows)
        yield f'<p class="note">{BESIDE}</p>'


def _agreement_cells(found: Sequence[Agreement]) -> Iterable[str]:
    others = [each for each in found if not each.agrees]
    yield f"{len(found)}"
    yield f"{len(found) - len(others)}"
    yield f"{sum(each.difference < 0 for each in others)}"
    yield f"{sum(each.difference > 0 for each in others)}"
    most = max(found, key=lambda each: abs(each.difference))
    yield f"{most.ours:.1f} for {most.published:g} after {most.at}"


def _summary(rows: pl.DataFrame) -> SimulationSummary:
    records = (cast(Record, row) for row in rows.iter_rows(named=True))
    return summarise(collect(records))


def _published(name: str, setting: dict[str, object], line: ColumnValues) -> dict[float, float | None]:
    values = dict(line)
    said = points(
        name,
        catalogue="pc" if name == "pc" else str(setting["catalogue"]),
        weights=str(setting["weights"]),
        strategy=str(values["strategy"]),
        set_size=int(str(values["set_size"])),
        axis="question",
        measure="needed",
        statistic="lasting",
    )
    return dict(said)


def _numbers(summary: SimulationSummary, published: dict[float, float | None]) -> Iterable[str]:
    for level, milestone in zip(LEVELS, summary.milestones, strict=True):
        said = f" / {_count(published[level])}" if level in published else ""
        yield f"{_reached(milestone)}{said}"
    error = "" if isnan(summary.standard_error) else f" ± {100 * summary.standard_error:.1f}"
    yield f"{100 * summary.mean:.1f}{error}"
    yield f"{summary.without_loss} of {summary.people}"
    yield f"{summary.median_seconds:.2g}"
    yield f"{summary.p95_seconds:.2g}"


def _reached(milestone: Milestone) -> str:
    lasting = _count(milestone.lasting)
    return lasting if milestone.first == milestone.lasting else f"{lasting} ({_count(milestone.first)})"


def _count(number: float | None) -> str:
    return "–" if number is None else f"{number:.0f}"


def _settings_table(frame: pl.DataFrame) -> str:
    names = [column for column in _identity(frame) if column != "setting"]
    people = pl.col("person").n_unique().alias("people")
    last = pl.col("question").max().alias("questions asked")
    rows = frame.group_by(names, maintain_order=True).agg(people, last)
    return _html_table("", rows.columns, [[_cell(value) for value in row] for row in rows.rows()])


def _cell(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, "") if isinstance(value, bool) else str(value)


def _html_table(caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f'<th scope="col">{escape(header)}</th>' for header in headers)
    body = "\n".join(_html_row(row) for row in rows)
    return f'<div class="wide"><table>{title}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def _html_row(row: Sequence[str]) -> str:
    first, *others = row
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
    return f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
