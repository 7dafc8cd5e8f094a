"""A real Dask cluster: a scheduler and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import polars as pl
import pytest
from joblib import delayed

from setmargin import list_strategies
from setmargin.errors import ExperimentError
from setmargin.experiments import cluster as clusters
from setmargin.experiments.grid import Experiment, make_grid
from setmargin.experiments.records import SECONDS, read_records
from setmargin.experiments.running import ExperimentStep, run_experiment
from setmargin.threads import ONE_THREAD
from tests.plugin_site import example_site

QUIET = {**os.environ, **ONE_THREAD, "DASK_LOGGING__DISTRIBUTED": "error"}


@contextmanager
def process(part: str, *arguments: str, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """A part of a cluster, ended with the block."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{part}", *arguments]
    started = subprocess.Popen(command, env={**QUIET, **settings}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@contextmanager
def scheduling(folder: Path, **settings: str) -> Iterator[str]:
    """The address of a scheduler."""
    file = folder / "scheduler.json"
    place = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", "--scheduler-file", str(file))
    with process("scheduler", *place, **settings):
        for _ in range(600):
            if file.exists() and file.stat().st_size:
                break
            time.sleep(0.1)
        yield str(json.loads(file.read_text())["address"])


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    with scheduling(tmp_path) as address:
        yield address


def worker(scheduler: str) -> tuple[str, ...]:
    alone = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--death-timeout", "60")
    return "worker", scheduler, *alone


def some_trials() -> Experiment:
    return make_grid(catalogue=["synthetic:3"], strategy=["setmargin", "perceptron"], people=8, questions=4)


def facts(folder: Path) -> pl.DataFrame:
    return read_records(folder).drop(SECONDS)


def test_a_killed_worker_changes_no_result(scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 120)  # on a busy machine workers start slowly
    with ExitStack() as stack:
        first, _ = (stack.enter_context(process(*worker(scheduler))) for _ in range(2))
        steps: list[ExperimentStep] = []
        for step in run_experiment(some_trials(), tmp_path / "far", cluster=scheduler):
            steps.append(step)
            if sum(each.fresh for each in steps) == 1:
                first.kill()
                first.wait()
    assert sum(each.fresh for each in steps) == 16
    assert len(list(run_experiment(some_trials(), tmp_path / "near"))) == len(steps)
    assert facts(tmp_path / "far").equals(facts(tmp_path / "near"))


def test_a_single_worker_does_the_work_and_a_trial_that_it_does_not_survive_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 120)
    path = example_site(tmp_path)
    with (
        scheduling(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as address,
        process(*worker(address), PYTHONPATH=path) as only,
        clusters.cluster_pool(address) as pool,
    ):
        assert list(pool([delayed(os.getpid)()])) == [only.pid]
        (lines,) = pool([delayed(list_strategies)()])
        assert lines["hillclimb"].startswith("Compares the best so far"), "what is installed there is known there"
        with pytest.raises(ExperimentError, match=r"workers of the cluster die of a trial .*give them more memory"):
            list(pool([delayed(os._exit)(1)]))


def test_a_scheduler_that_does_not_answer_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 0.3)
    with pytest.raises(ExperimentError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1 .*dask scheduler"):
        list(run_experiment(some_trials(), tmp_path, cluster="tcp://127.0.0.1:1"))


@pytest.mark.parametrize("address", ["nonsense://here:1", "tcp://127.0.0.1:notaport"])
def test_an_address_that_is_none_is_said(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 0.3)
    with pytest.raises(ExperimentError, match="no Dask scheduler answers at"):
        list(run_experiment(some_trials(), tmp_path, cluster=address))


def test_a_cluster_without_workers_is_said(scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 1)
    with pytest.raises(ExperimentError, match="has no workers; start some with `dask worker tcp://"):
        list(run_experiment(some_trials(), tmp_path / "out", cluster=scheduler))
