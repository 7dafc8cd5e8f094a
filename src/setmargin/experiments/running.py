"""Trials run on many cores or many machines, one finished trial after the other.

The caller owns the loop. Trials are made as they are needed and results come as they are there, so memory does not grow
with their number; stopping at any moment keeps what is finished.
"""

from __future__ import annotations

import os
import platform
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from setmargin.answers import How
from setmargin.errors import ExperimentError, OptionError
from setmargin.experiments.cluster import cluster_pool
from setmargin.experiments.grid import Experiment, Trial, usual_how
from setmargin.experiments.people import Person
from setmargin.experiments.records import file_of, finished, prepare_folder, seconds_of, write_trial
from setmargin.experiments.setting import FIRST_EARLIER, Setting, read_setting
from setmargin.experiments.summary import Comparison, collect
from setmargin.experiments.trial import Record, check_trial, interview_person, run_trial
from setmargin.late_imports import import_extra
from setmargin.strategies.base import History, Strategy
from setmargin.strategies.registry import make_for_simulation, register, registered_class

# People and strategies at hand


def simulate(
    people: Iterable[Person],
    strategy: str | Strategy[Any],
    *,
    questions: int = 30,
    how: How | None = None,
    jobs: int = 1,
) -> Iterator[Record]:
    """Let a strategy interview each person: their records, person by person, as soon as they are there.

    The stream is the same for any number of `jobs`, seconds aside, and neither people nor records are held longer than
    needed, so there may be any number of them. (A strategy that stops by the clock asks what its time allowed.)

    Parameters:
        people: who is asked, such as `draw_people` and `read_people` give them.
        strategy: what asks. By its name it asks all the questions, as simulations want it, and for what people can
            tell; a strategy of your own making is taken as it is, and so stops where it thinks that it is good enough.
        questions: how many each person gets, unless the strategy has nothing left to ask.
        how: what people do with a question: compare all `pairs` or `sort` the options, make a `choice`, or a `ranking`.
            By default people who give reasons or changes make a choice, and others compare all pairs.
        jobs: how many processes work, each with one thread for linear algebra; -1 makes as many as there are cores.

    Raises:
        OptionError: if there is no such strategy, or a number makes no sense.

    >>> from setmargin import load
    >>> from setmargin.experiments import draw_people, simulate
    >>> people = draw_people(load("synthetic:3"), 2, seed=1)
    >>> [(record["person"], record["question"]) for record in simulate(people, "random", questions=2)]
    [(1, 1), (1, 2), (2, 1), (2, 2)]
    """
    check_trial(questions=questions, how=how or "pairs")
    _check_jobs(jobs)
    asking = strategies_for(strategy)
    trials = (
        delayed(_trial)(asking[person.response.talks], person, questions, how or usual_how(person.response))
        for person in people
    )
    return (record for records in _results(local_pool(jobs, in_order=True), trials) for record in records)


def _trial(strategy: Strategy[Any], person: Person, questions: int, how: How) -> list[Record]:
    return list(run_trial(strategy, person, questions=questions, how=how))


def interview_people(
    people: Iterable[Person],
    strategy: str | Strategy[Any],
    *,
    questions: int = 12,
    how: How | None = None,
    jobs: int = 1,
) -> Iterator[History]:
    """Let a strategy interview each person: what they were asked and answered, for `Strategy.knowing` and `learn`.

    All parameters are those of `simulate`.

    >>> from setmargin import load
    >>> from setmargin.experiments import draw_people, interview_people
    >>> [len(history) for history in interview_people(draw_people(load("synthetic:3"), 2), "random", questions=3)]
    [3, 3]
    """
    check_trial(questions=questions, how=how or "pairs")
    _check_jobs(jobs)
    asking = strategies_for(strategy)
    calls = (
        delayed(interview_person)(
            asking[person.response.talks], person, questions=questions, how=how or usual_how(person.response)
        )
        for person in people
    )
    return _results(local_pool(jobs, in_order=True), calls)


def strategies_for(strategy: str | Strategy[Any]) -> dict[bool, Strategy[Any]]:
    """What asks people who say no more than what is better, and people who talk."""
    return {
        talking: make_for_simulation(strategy, talking=talking) if isinstance(strategy, str) else strategy
        for talking in (False, True)
    }


def compare(
    people: Iterable[Person],
    strategies: Sequence[str | Strategy[Any]],
    *,
    questions: int = 30,
    how: How | None = None,
    jobs: int = 1,
) -> Comparison:
    """Let several strategies interview the same people.

    Parameters:
        people: who is asked; each strategy meets all of them.
        strategies: what asks, by name or as a strategy; see `simulate` for the difference, and for all else.

    Returns:
        The results of each strategy, by its name or by what it looks like in Python, for `summarise` and `curve`.

    Raises:
        OptionError: if a strategy is there twice, is not there at all, or a number makes no sense.

    >>> from setmargin import load
    >>> from setmargin.experiments import compare, draw_people, summarise
    >>> found = compare(draw_people(load("synthetic:3"), 3), ["perceptron", "random"], questions=4)
    >>> {name: summarise(results).people for name, results in found.items()}
    {'perceptron': 3, 'random': 3}
    """
    named = {each if isinstance(each, str) else repr(each): each for each in strategies}
    if len(named) < len(strategies):
        raise OptionError(f"a strategy stands there twice among {', '.join(named)}; remove one")
    everybody = list(people)
    return Comparison(
        (name, collect(simulate(everybody, each, questions=questions, how=how, jobs=jobs), questions=questions))
        for name, each in named.items()
    )


# Experiments


@dataclass(frozen=True)
class ExperimentStep:
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
) -> Iterator[ExperimentStep]:
    """Run what is not in the folder yet; first a step for each setting with what is there.

    With `cluster`, the address of a Dask scheduler, its workers do the work and `jobs` does not count. The records are
    the same wherever they are made, seconds aside. (A strategy that stops by the clock asks what its time allowed.)
    """
    _check_jobs(jobs)
    for package in ("polars", *(["distributed"] if cluster else [])):
        import_extra(package)
    return _steps(experiment, Path(folder), jobs, cluster)


def _steps(experiment: Experiment, folder: Path, jobs: int, cluster: str | None) -> Iterator[ExperimentStep]:
    prepare_folder(folder, experiment)
    missing = 0
    unfinished: list[Setting] = []
    for setting in experiment.settings:
        found = finished(folder, setting, people=experiment.people)
        missing += experiment.people - found.people
        unfinished += [setting] * (found.people < experiment.people)
        yield ExperimentStep(setting, found.people, found.seconds, fresh=False, damaged=found.damaged)
    if missing:
        trials = (trial for trial in experiment.trials() if not file_of(folder, trial).exists())
        knowing = know_earlier(unfinished, lambda: cluster_pool(cluster) if cluster else local_pool(jobs))
        pool = cluster_pool(cluster) if cluster else local_pool(min(jobs, missing))
        for trial, records in run_trials(experiment, trials, pool, knowing):
            write_trial(folder, trial, records)
            yield ExperimentStep(trial.setting, 1, seconds_of(records), fresh=True)


def know_earlier(
    settings: Iterable[Setting], make_pool: Callable[[], AbstractContextManager[Parallel]]
) -> dict[str, Strategy[Any]]:
    """Interview the earlier people of those settings that have some: their strategies once they know them, by key."""
    known: dict[str, Strategy[Any]] = {}
    for setting in settings:
        if setting.earlier:
            before = setting.before
            numbers = range(FIRST_EARLIER, FIRST_EARLIER + setting.earlier)
            calls = (delayed(_earlier)(before.text, number, registered_class(before.strategy)) for number in numbers)
            histories = dict(sorted(_results(make_pool(), calls), key=itemgetter(0)))
            known[setting.key] = setting.strategy.knowing(setting.space, list(histories.values()))
    return known


def _earlier(text: str, number: int, registered: type[Strategy[Any]] | None) -> tuple[int, History]:
    setting = _setting(text, registered)
    person = setting.person(number)
    return number, interview_person(setting.strategy, person, questions=setting.questions, how=setting.how)


def run_trials(
    experiment: Experiment,
    trials: Iterable[Trial],
    pool: AbstractContextManager[Parallel],
    knowing: Mapping[str, Strategy[Any]],
) -> Iterator[tuple[Trial, list[Record]]]:
    """These trials of the experiment, each with its records, in the order in which the pool gives them.

    `knowing` has the strategies that know earlier people, by the keys of their settings: see `know_earlier`.
    """
    settings = {setting.key: setting for setting in experiment.settings}
    calls = (
        delayed(_run)(setting.key, setting.text, person, knowing.get(setting.key), registered_class(setting.strategy))
        for setting, person in trials
    )
    for key, person, records in _results(pool, calls):
        yield Trial(settings[key], person), records


def _run(
    key: str, text: str, person: int, knowing: Strategy[Any] | None, registered: type[Strategy[Any]] | None
) -> tuple[str, int, list[Record]]:
    """The text goes with every trial: what a cluster keeps on one worker is lost with it."""
    return key, person, _setting(text, registered).run(person, knowing)


def _setting(text: str, registered: type[Strategy[Any]] | None) -> Setting:
    """The setting in this process, which has to know a strategy that was registered in another one."""
    if registered is not None:
        register(registered)
    try:
        return read_setting(text)
    except OptionError as error:
        raise ExperimentError(
            f"{error}; so it is on {platform.node() or 'a worker'}: install there what is installed where the run began"
        ) from None


# Processes


def _check_jobs(jobs: int) -> None:
    if jobs < 1 and jobs != -1:
        raise OptionError(f"{jobs} jobs cannot work; give 1 or more, or -1 for one per core")


@contextmanager
def local_pool(jobs: int, *, in_order: bool = False) -> Iterator[Parallel]:
    """Processes of this machine, each with one thread for linear algebra; results come as they are, or in order."""
    _check_jobs(jobs)
    # The backend takes its limit of threads here and keeps it, so the setting need not outlast this line.
    with parallel_config(backend="loky", inner_max_num_threads=1):
        pool = Parallel(n_jobs=jobs, return_as="generator" if in_order else "generator_unordered")
    try:
        yield pool
    except BrokenProcessPool:
        raise ExperimentError(
            "a process was killed, perhaps for lack of memory; give the same command again (an experiment goes on "
            "where it stopped), with fewer --jobs if memory is short"
        ) from None


def _results(pool: AbstractContextManager[Parallel], calls: Iterable[Any]) -> Iterator[Any]:
    """What the calls give, one by one; whoever stops asking for more ends what is still running."""
    with pool as parallel:
        with _deaf_children():
            results: Any = parallel(calls)
        try:
            yield from results
        finally:
            # Joblib would warn that some work was for nothing, as who stops early knows.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.close()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started here do not hear Ctrl-C, which is for this one: it ends them. It hears a moment later."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
