"""How far an experiment is, and how long the rest will take: bars at a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from setmargin.cli.terminal.formatting import count
from setmargin.cli.terminal.screen import make_console
from setmargin.experiments.grid import Experiment
from setmargin.experiments.running import ExperimentStep
from setmargin.experiments.setting import Setting

SECONDS_BETWEEN_LINES = 30.0
SECONDS_BEFORE_AN_ESTIMATE = 10.0
ALL = "all"


class TrialCounts:
    """Counts the trials of an experiment as they come, and reckons how long the rest will take."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.total = len(experiment)
        self.fresh = 0
        self._done: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._fresh_seconds = 0.0

    def add(self, step: ExperimentStep) -> None:
        self._done[step.setting.key] += step.people
        self._seconds[step.setting.key] += step.seconds
        if step.fresh:
            self.fresh += step.people
            self._fresh_seconds += step.seconds

    @property
    def done(self) -> int:
        return self._done.total()

    def by_strategy(self) -> dict[str, tuple[int, int]]:
        """Done and all, for each strategy with its set size and options."""
        done: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for setting in self.experiment.settings:
            done[setting.label] += self._done[setting.key]
            total[setting.label] += self.experiment.people
        return {label: (done[label], total[label]) for label in total}

    def left(self, elapsed: float) -> float | None:
        """Seconds to the end, if work goes on as it did in the `elapsed` ones; None where nothing is known yet.

        What a trial takes is the mean of its setting so far; where there is none, of its strategy, or of all.
        """
        if self.done >= self.total:
            return 0.0
        if not self._fresh_seconds:
            return None
        missing = {each: self.experiment.people - self._done[each.key] for each in self.experiment.settings}
        work = sum(people * self._mean(setting) for setting, people in missing.items() if people > 0)
        return elapsed * work / self._fresh_seconds

    def _mean(self, setting: Setting) -> float:
        settings = self.experiment.settings
        groups = (
            [setting.key],
            [each.key for each in settings if each.strategy.name == setting.strategy.name],
            [each.key for each in settings],
        )
        alike = next(group for group in groups if any(self._done[key] for key in group))
        return sum(self._seconds[key] for key in alike) / sum(self._done[key] for key in alike)


@contextmanager
def shown_progress(
    counts: TrialCounts, *, silent: bool, clock: Callable[[], float] = monotonic
) -> Iterator[Callable[[ExperimentStep], None]]:
    """Gives a function that counts a step and shows how far it is; `silent` shows nothing but damage."""
    began: float | None = None

    def add(step: ExperimentStep) -> None:
        nonlocal began
        for file in step.damaged:
            typer.echo(f"setmargin: {file} was damaged; its trial is run again", err=True)
        counts.add(step)
        now = clock()
        if step.fresh and began is None:
            began = now - step.seconds  # until then workers were being started
        show(0.0 if began is None else now - began)

    show: Callable[[float], None]
    if silent:
        show = _show_nothing
        yield add
    elif not sys.stderr.isatty():
        show = progress_lines(counts)
        yield add
    else:
        with progress_bars(counts) as show:
            yield add


def _show_nothing(_: float) -> None:
    pass


def progress_lines(counts: TrialCounts) -> Callable[[float], None]:
    """A plain line now and then, for files and pipes."""
    following = SECONDS_BEFORE_AN_ESTIMATE

    def show(elapsed: float) -> None:
        nonlocal following
        if elapsed >= following:
            following = elapsed + SECONDS_BETWEEN_LINES
            done = f"{counts.done:,} of {count(counts.total, 'trial')}"
            typer.echo(f"setmargin: {done}, {time_left(counts, elapsed)}", err=True)

    return show


@contextmanager
def progress_bars(counts: TrialCounts) -> Iterator[Callable[[float], None]]:
    """A bar for each strategy where there are several, and one for all with the time left."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=make_console(stderr=True), transient=True) as progress:
        parts = counts.by_strategy() if len(counts.by_strategy()) > 1 else {}
        tasks = {label: progress.add_task(label, total=total, left="") for label, (_, total) in parts.items()}
        whole = progress.add_task(ALL, total=counts.total, left="")

        def show(elapsed: float) -> None:
            for label, (done, _) in counts.by_strategy().items():
                if label in tasks:
                    progress.update(tasks[label], completed=done)
            progress.update(whole, completed=counts.done, left=time_left(counts, elapsed))

        yield show


def time_left(counts: TrialCounts, elapsed: float) -> str:
    """`about 4 min left`."""
    left = counts.left(elapsed)
    if left is None or (elapsed < SECONDS_BEFORE_AN_ESTIMATE and left > SECONDS_BEFORE_AN_ESTIMATE):
        return "estimating the time left"
    return f"about {duration(left)} left" if left else "done"


def duration(seconds: float) -> str:
    """`40 s`, `4 min`, `2 h 5 min`."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
