"""How far an experiment is, and how long the rest will take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from setmargin.experiments.grid import Experiment
from setmargin.experiments.running import Step
from setmargin.experiments.setting import Setting


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
