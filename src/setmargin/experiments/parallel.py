"""Many trials on many cores, as one stream of records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from joblib import Parallel, delayed, parallel_config

from setmargin.errors import OptionError
from setmargin.experiments.people import How, Person
from setmargin.experiments.trial import Record, check_trial, run_trial
from setmargin.strategies.base import Strategy


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
