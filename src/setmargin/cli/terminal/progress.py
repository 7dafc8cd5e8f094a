"""How far an experiment is, and how long the rest will take: bars at a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Self

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from setmargin.cli.terminal.formatting import count
from setmargin.cli.terminal.screen import make_console
from setmargin.experiments.grid import Experiment, Setting
from setmargin.experiments.running import Step


@dataclass(frozen=True)
class Part:
    """The trials of one strategy and set size."""

    label: str
    done: int
    total: int


class Tally:
    """Counts the steps of a run as they come."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.fresh = 0
        self._done: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._fresh_seconds = 0.0

    def add(self, step: Step) -> None:
        """Count what a step finished."""
        self._done[step.setting.key] += step.people
        self._seconds[step.setting.key] += step.seconds
        if step.fresh:
            self.fresh += step.people
            self._fresh_seconds += step.seconds

    @property
    def done(self) -> int:
        """Trials that are on disk."""
        return self._done.total()

    @property
    def total(self) -> int:
        """All trials."""
        return len(self.experiment)

    def parts(self) -> tuple[Part, ...]:
        """The same by strategy and set size."""
        done: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for setting in self.experiment.settings:
            done[label_of(setting)] += self._done[setting.key]
            total[label_of(setting)] += self.experiment.people
        return tuple(Part(label, done[label], total[label]) for label in total)

    def left(self, elapsed: float) -> float | None:
        """Seconds to the end, if work goes on as it did in the `elapsed` ones; None where nothing is known yet.

        What a trial takes is the mean of its setting so far; where there is none, of its strategy, or of all.
        """
        if self.done >= self.total:
            return 0.0
        if not self._fresh_seconds:
            return None
        return elapsed * self._work_left() / self._fresh_seconds

    def _work_left(self) -> float:
        settings = self.experiment.settings
        return sum(
            (self.experiment.people - self._done[each.key]) * self._mean(each)
            for each in settings
            if self._done[each.key] < self.experiment.people
        )

    def _mean(self, setting: Setting) -> float:
        alike = next(group for group in self._groups(setting) if any(self._done[key] for key in group))
        return sum(self._seconds[key] for key in alike) / sum(self._done[key] for key in alike)

    def _groups(self, setting: Setting) -> Iterator[list[str]]:
        settings = self.experiment.settings
        yield [setting.key]
        yield [each.key for each in settings if each.strategy.name == setting.strategy.name]
        yield [each.key for each in settings]


def label_of(setting: Setting) -> str:
    """The strategy, its set size, and what is unusual about it."""
    more = f", {setting.manner}" if setting.manner else ""
    return f"{setting.strategy.name} (k = {setting.strategy.set_size}{more})"


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
