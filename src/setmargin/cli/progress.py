"""How far an experiment is: bars for those who watch, a line now and then for those who do not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import Self

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from setmargin.cli.screen import make_console
from setmargin.cli.words import count
from setmargin.experiments.running import Step
from setmargin.experiments.tally import Tally

PAUSE = 30.0
"""Seconds between two lines where nobody watches."""
SMOOTH = 10.0
"""Seconds before an estimate is worth showing."""
ALL = "all"


def duration(seconds: float) -> str:
    """`40 s`, `4 min`, `2 h 5 min`."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def watched(
    steps: Iterable[Step], tally: Tally, *, silent: bool, clock: Callable[[], float] = monotonic
) -> Iterator[Step]:
    """The steps, each counted and shown as it passes; `silent` shows nothing but damage."""
    display: Bars | Lines | None = None
    if not silent:
        display = Bars(tally) if sys.stderr.isatty() else Lines(tally)
    began: float | None = None
    with display or Nothing():
        for step in steps:
            for file in step.damaged:
                typer.echo(f"setmargin: {file} was damaged; its trial is run again", err=True)
            tally.add(step)
            now = clock()
            if step.fresh and began is None:
                began = now - step.seconds  # until then workers were being started
            if display:
                display.show(0.0 if began is None else now - began)
            yield step


class Nothing:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Lines(Nothing):
    """A plain line now and then, for files and pipes."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._next = SMOOTH

    def show(self, elapsed: float) -> None:
        """Say how far it is, unless that was said a moment ago."""
        if elapsed < self._next:
            return
        self._next = elapsed + PAUSE
        done = f"{self._tally.done:,} of {count(self._tally.total, 'trial')}"
        typer.echo(f"setmargin: {done}, {left_words(self._tally, elapsed)}", err=True)


class Bars:
    """A bar for each strategy and set size, and one for all with the time left."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._progress = Progress(*columns, console=make_console(stderr=True), transient=True)
        self._tasks: dict[str, TaskID] = {
            part.label: self._progress.add_task(part.label, total=part.total, left="") for part in tally.parts()
        }
        self._tasks[ALL] = self._progress.add_task(ALL, total=tally.total, left="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, elapsed: float) -> None:
        """Draw the bars as they are now."""
        for part in self._tally.parts():
            self._progress.update(self._tasks[part.label], completed=part.done)
        self._progress.update(self._tasks[ALL], completed=self._tally.done, left=left_words(self._tally, elapsed))


def left_words(tally: Tally, elapsed: float) -> str:
    """`about 4 min left`."""
    left = tally.left(elapsed)
    if left is None or (elapsed < SMOOTH and left > SMOOTH):
        return "estimating the time left"
    return f"about {duration(left)} left" if left else "done"
