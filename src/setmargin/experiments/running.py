"""Trials run on many cores or many machines, one finished trial after the other.

The caller owns the loop: each step of an experiment is a trial whose records are on disk. Trials are drawn as they are
needed and results are written as they come, so memory does not grow with the experiment; stopping at any moment keeps
what is finished.
"""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from setmargin.answers import How
from setmargin.errors import ExperimentError, OptionError
from setmargin.experiments.cluster import cluster_pool
from setmargin.experiments.grid import Experiment, Setting, Trial, run_there
from setmargin.experiments.people import Person
from setmargin.experiments.records import file_of, finished, import_extra, prepare_folder, seconds_of, write_trial
from setmargin.experiments.trial import Record, check_trial, run_trial
from setmargin.strategies.base import Strategy


@dataclass(frozen=True)
class Step:
    """Trials of one setting that are on disk now: one that was just run, or all that were found."""

    setting: Setting
    people: int
    seconds: float
    fresh: bool
    damaged: tuple[Path, ...] = ()


def run_experiment(
    experiment: Experiment,
    folder: str | os.PathLike[str],
    *,
    jobs: int = 1,
    cluster: str | None = None,
) -> Iterator[Step]:
    """Run what is not in the folder yet; first a step for each setting with what is there.

    With `cluster`, the address of a Dask scheduler, its workers do the work and `jobs` does not count. The records are
    the same wherever they are made, seconds aside. (A strategy that stops by the clock asks what its time allowed.)
    """
    if jobs < 1 and jobs != -1:
        raise OptionError(f"{jobs} jobs cannot work; give 1 or more, or -1 for one per core")
    for package in ("polars", *(["distributed"] if cluster else [])):
        import_extra(package)
    return _steps(experiment, Path(folder), jobs, cluster)


def _steps(experiment: Experiment, folder: Path, jobs: int, cluster: str | None) -> Iterator[Step]:
    prepare_folder(folder, experiment)
    missing = 0
    for setting in experiment.settings:
        found = finished(folder, setting, people=experiment.people)
        missing += experiment.people - found.people
        yield Step(setting, found.people, found.seconds, fresh=False, damaged=found.damaged)
    if missing:
        with cluster_pool(cluster) if cluster else local_pool(min(jobs, missing)) as pool:
            yield from _fresh(experiment, folder, pool)


@contextmanager
def local_pool(jobs: int) -> Iterator[Parallel]:
    """Processes of this machine, each with one thread for linear algebra."""
    # The backend takes its limit of threads here and keeps it, so the setting need not outlast this line.
    with parallel_config(backend="loky", inner_max_num_threads=1):
        pool = Parallel(n_jobs=jobs, return_as="generator_unordered")
    try:
        yield pool
    except BrokenProcessPool:
        raise ExperimentError(
            "a process was killed, perhaps for lack of memory; the same command goes on where it stopped, "
            "with fewer --jobs if memory is short"
        ) from None


def _fresh(experiment: Experiment, folder: Path, pool: Parallel) -> Iterator[Step]:
    """Run what has no file yet; results come in any order."""
    settings = {setting.key: setting for setting in experiment.settings}
    missing = (trial for trial in experiment.trials() if not file_of(folder, trial).exists())
    with _deaf_children():
        results = pool(delayed(_run)(setting.key, setting.text, person) for setting, person in missing)
    try:
        for key, person, records in results:
            write_trial(folder, Trial(settings[key], person), records)
            yield Step(settings[key], 1, seconds_of(records), fresh=True)
    finally:
        _close(results)


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started here do not hear Ctrl-C, which is for this one: it ends them. It hears a moment later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _close(results: Any) -> None:
    """End what is still running; joblib would warn that some work was for nothing, as who stops early knows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results.close()


def _run(key: str, text: str, person: int) -> tuple[str, int, list[Record]]:
    """The text goes with every trial: what a cluster keeps on one worker is lost with it."""
    return key, person, run_there(text, person)


def simulate(
    people: Iterable[Person],
    strategy: Strategy[Any],
    *,
    questions: int = 30,
    how: How = "pairs",
    jobs: int = 1,
) -> Iterator[Record]:
    """One trial for each person: their records, person by person, as soon as they are there.

    The stream is the same for any number of `jobs`, seconds aside, and neither people nor records are held longer than
    needed, so there may be any number of them. Each job is a process with one thread for linear algebra; -1 makes as
    many as there are cores. (A strategy that stops by the clock asks what its time allowed, here as anywhere.)
    """
    check_trial(questions=questions, how=how)
    if jobs < 1 and jobs != -1:
        raise OptionError(f"{jobs} jobs cannot work; give 1 or more, or -1 for one per core")
    # The backend takes its limit of threads here and keeps it, so the setting need not outlast this line.
    with parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = Parallel(n_jobs=jobs, return_as="generator")
    trials = parallel(delayed(_trial)(strategy, person, questions, how) for person in people)
    return (record for trial in trials for record in trial)


def _trial(strategy: Strategy[Any], person: Person, questions: int, how: How) -> list[Record]:
    return list(run_trial(strategy, person, questions=questions, how=how))
