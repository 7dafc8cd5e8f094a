"""What every benchmark shares: clocks, fits, and reports that people and machines can read."""

from __future__ import annotations

import math
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

X = TypeVar("X")
Y = TypeVar("Y")

Say = Callable[[str], None]
"""Where progress goes."""


class Disagreement(Exception):
    """Two methods that must agree did not, so their times mean nothing."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How often a call is timed: until `seconds` have passed, at least `least` and at most `most` times."""

    seconds: float
    least: int
    most: int = 1000


@dataclass(frozen=True)
class Timing:
    """Milliseconds for one unit of work, over `repeats` calls."""

    median: float
    p95: float
    repeats: int

    @classmethod
    def of(cls, seconds: Sequence[float], *, per: int = 1) -> Timing:
        """From the seconds of calls that each do `per` units of work."""
        each = 1000 * np.asarray(seconds) / per
        return cls(float(np.median(each)), float(np.percentile(each, 95)), len(seconds))

    def __str__(self) -> str:
        return f"{short(self.median)} ({short(self.p95)})"


def clocked(call: Callable[[X], Y], inputs: Sequence[X], effort: Effort) -> tuple[list[float], list[Y]]:
    """The seconds and the answers of the call on one input after another, for as long as the effort allows."""
    seconds: list[float] = []
    answers: list[Y] = []
    for each in inputs[: effort.most]:
        if len(seconds) >= effort.least and sum(seconds) >= effort.seconds:
            break
        began = perf_counter()
        answer = call(each)
        seconds.append(perf_counter() - began)
        answers.append(answer)
    return seconds, answers


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The power of the size with which the cost grows: the slope of a line through both logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


@dataclass(frozen=True)
class Grid:
    """A table before it is known where it will be shown."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]

    def table(self) -> Table:
        """For a terminal: names to the left, figures to the right."""
        made = Table(title=self.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
        for place, header in enumerate(self.headers):
            made.add_column(header, justify="right" if place else "left", overflow="fold")
        for row in self.rows:
            made.add_row(*row)
        return made

    def markdown(self) -> str:
        """For a file or a page."""
        rule = ["---", *["--:"] * (len(self.headers) - 1)]
        lines = (f"| {' | '.join(row)} |" for row in (self.headers, rule, *self.rows))
        return "\n".join([f"**{self.title}**", "", *lines, ""])


@dataclass(frozen=True)
class Report:
    """What a benchmark found: tables and sentences for people, the same as plain data for machines."""

    grids: Sequence[Grid]
    notes: Sequence[str]
    document: Mapping[str, object]


def show(report: Report, console: Console) -> None:
    """Tables that fit the terminal, or Markdown where there is none."""
    for grid in report.grids:
        console.print(grid.table() if console.is_terminal else grid.markdown(), soft_wrap=not console.is_terminal)
    for note in report.notes:
        console.print(note)


def short(number: float) -> str:
    """Two digits that count."""
    return f"{number:,.0f}" if 10 <= abs(number) < 1e7 else f"{number:.2g}"


def surroundings() -> dict[str, object]:
    """What the figures depend on besides the machine."""
    packages = {name: version(name) for name in ("numpy", "scipy", "highspy")}
    return {"python": platform.python_version(), **packages, "threads": 1, "load": load()}


def most_memory() -> float:
    """The most megabytes that this process has had so far; not a number where the system does not say."""
    status = Path("/proc/self/status")
    if status.exists():  # what `getrusage` tells on Linux begins with that of the parent
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1000
    if sys.platform == "win32":
        return math.nan
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most / 1000


def load() -> float | None:
    """How many processes want a core, over the last minute; None where the system does not say."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
