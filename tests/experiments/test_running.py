"""Runs that can be stopped, continued and grown, and streams of records, on any number of processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import polars as pl
import pytest
from joblib import delayed

from setmargin.errors import ExperimentError, OptionError, PackageMissing
from setmargin.experiments import Record, collect, compare, running, simulate
from setmargin.experiments.grid import Experiment, Trial, make_grid
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.records import SECONDS, file_of, read_records
from setmargin.experiments.running import local_pool, run_experiment
from setmargin.space.catalogue import load
from setmargin.strategies.registry import make_strategy
from tests.experiments.stubs import Scripted


def experiment(people: int = 4, *, strategies: tuple[str, ...] = ("random", "perceptron")) -> Experiment:
    return make_grid(catalogue=["synthetic:3"], strategy=strategies, people=people, questions=3)


def fresh(grid: Experiment, folder: Path, *, jobs: int = 1) -> int:
    """Run it; how many trials were really run."""
    return sum(step.people for step in run_experiment(grid, folder, jobs=jobs) if step.fresh)


def facts(folder: Path) -> pl.DataFrame:
    return read_records(folder).drop(SECONDS)


def test_finished_trials_are_never_run_again(tmp_path: Path) -> None:
    assert fresh(experiment(), tmp_path) == 8
    before = read_records(tmp_path)
    assert fresh(experiment(), tmp_path) == 0
    assert read_records(tmp_path).equals(before)


def test_a_run_that_stops_goes_on_where_it_was(tmp_path: Path) -> None:
    steps = run_experiment(experiment(), tmp_path / "a")
    assert sum(step.people for step in islice(steps, 5) if step.fresh) == 3
    steps.close()  # type: ignore[attr-defined]
    assert fresh(experiment(), tmp_path / "a") == 5
    assert fresh(experiment(), tmp_path / "b") == 8
    assert facts(tmp_path / "a").equals(facts(tmp_path / "b"))


def test_people_and_strategies_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    assert fresh(experiment(2), tmp_path) == 4
    assert fresh(experiment(5), tmp_path) == 6
    assert fresh(experiment(5, strategies=("random", "perceptron", "rivoi")), tmp_path) == 5
    assert facts(tmp_path).group_by("strategy").agg(pl.col("person").n_unique())["person"].to_list() == [5, 5, 5]


def test_damaged_files_are_said_and_run_again(tmp_path: Path) -> None:
    grid = experiment()
    fresh(grid, tmp_path)
    before = facts(tmp_path)
    file = file_of(tmp_path, Trial(grid.settings[1], 3))
    file.write_bytes(b"PAR1")
    steps = list(run_experiment(grid, tmp_path))
    assert [step.damaged for step in steps if step.damaged] == [(file,)]
    assert [step.setting.key for step in steps if step.fresh] == [grid.settings[1].key]
    assert facts(tmp_path).equals(before)


def test_the_records_are_the_same_for_any_number_of_jobs(tmp_path: Path) -> None:
    grid = experiment(strategies=("setmargin", "perceptron"))
    assert fresh(grid, tmp_path / "one", jobs=1) == fresh(grid, tmp_path / "two", jobs=2) == 8
    assert facts(tmp_path / "one").equals(facts(tmp_path / "two"))


def test_trials_are_taken_as_they_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    whole = Experiment.trials

    def counted(self: Experiment) -> Iterator[Trial]:
        for trial in whole(self):
            taken.append(trial.person)
            yield trial

    monkeypatch.setattr(Experiment, "trials", counted)
    steps = run_experiment(experiment(5000), tmp_path)
    assert sum(step.fresh for step in islice(steps, 12)) == 10
    assert len(taken) < 30
    steps.close()  # type: ignore[attr-defined]


SCRIPT = """
import sys
from setmargin.experiments.grid import make_grid
from setmargin.experiments.running import run_experiment
if __name__ == "__main__":
    grid = make_grid(catalogue=["synthetic:3"], strategy=["random", "perceptron"], people=400, questions=3)
    for step in run_experiment(grid, sys.argv[1]):
        print(step.fresh, flush=True)
"""


def test_a_kill_at_any_moment_keeps_every_finished_trial(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        said = [next(child.stdout).strip() for _ in range(25)]
        child.kill()
    kept = len(list(tmp_path.glob("trials/*/*.parquet")))
    assert 23 <= said.count("True") <= kept < 800
    grid = make_grid(catalogue=["synthetic:3"], strategy=["random", "perceptron"], people=400, questions=3)
    found = [step for step in islice(run_experiment(grid, tmp_path), 2) if not step.damaged]
    assert sum(step.people for step in found) == kept


def test_a_process_that_dies_is_said_with_its_cure() -> None:
    with pytest.raises(ExperimentError, match=r"a process was killed.*goes on where it"), local_pool(2) as pool:
        list(pool(delayed(os._exit)(3) for _ in range(2)))


@pytest.mark.parametrize("jobs", [0, -2])
def test_impossible_numbers_of_jobs_are_refused_at_once(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(OptionError, match=f"{jobs} jobs"):
        run_experiment(experiment(), tmp_path, jobs=jobs)


def test_a_cluster_without_its_package_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(PackageMissing, match="distributed is not installed"):
        run_experiment(experiment(), tmp_path, cluster="tcp://127.0.0.1:1")
    assert not list(tmp_path.iterdir())


SPACE = load("synthetic:3")


def without_seconds(records: Iterable[Record]) -> list[dict[str, object]]:
    return [{key: value for key, value in record.items() if not key.endswith("_seconds")} for record in records]


def test_a_stream_is_the_same_for_any_number_of_jobs() -> None:
    strategy = make_strategy("setmargin", mode="fast")
    alone, together = (
        without_seconds(simulate(draw_people(SPACE, 4), strategy, questions=3, jobs=jobs)) for jobs in (1, 2)
    )
    assert alone == together
    assert [(record["person"], record["question"]) for record in alone[:4]] == [(1, 1), (1, 2), (1, 3), (2, 1)]


def test_a_worker_uses_one_thread_for_linear_algebra() -> None:
    records = simulate(draw_people(SPACE, 2), Scripted(), questions=1, jobs=2)
    assert [record["status"] for record in records] == ["threads 1", "threads 1"]


def test_people_are_drawn_as_they_are_needed_and_records_come_at_once() -> None:
    drawn: list[int] = []

    def watched(people: Iterable[Person]) -> Iterator[Person]:
        for person in people:
            drawn.append(person.number)
            yield person

    records = simulate(watched(draw_people(SPACE, 50)), make_strategy("random"), questions=2)
    assert [record["person"] for record in islice(records, 3)] == [1, 1, 2]
    assert len(drawn) < 10


def test_a_person_does_not_depend_on_the_others() -> None:
    few, many = (
        without_seconds(simulate(draw_people(SPACE, count), make_strategy("random"), questions=4)) for count in (2, 5)
    )
    assert many[: len(few)] == few


@pytest.mark.parametrize(("options", "words"), [({"jobs": 0}, "0 jobs"), ({"jobs": -2}, "-2 jobs")])
def test_impossible_numbers_of_jobs_are_refused_before_the_first_record(options: dict[str, int], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        simulate(draw_people(SPACE, 1), make_strategy("random"), **options)  # type: ignore[arg-type]


# Strategies side by side


def test_the_same_people_are_asked_by_every_strategy() -> None:
    found = compare(draw_people(SPACE, 3), ["random", make_strategy("perceptron", passes=3)], questions=4)
    first, second = found.values()
    assert first.loss.shape == second.loss.shape == (3, 4)
    alone = collect(simulate(draw_people(SPACE, 3), "random", questions=4))
    assert first.loss.tolist() == alone.loss.tolist()
    assert [name.partition("(")[0] for name in found] == ["random", "Perceptron"]


def test_a_named_strategy_asks_all_the_questions_and_a_given_one_stops_where_it_would() -> None:
    found = compare(draw_people(SPACE, 2), ["bayes", make_strategy("bayes", until=0.3)], questions=6)
    named, given = found.values()
    assert (named.finished, given.finished) == (0, 2)
    assert given.loss.shape == (2, 6)


def test_the_same_strategy_twice_is_refused() -> None:
    with pytest.raises(OptionError, match="twice"):
        compare(draw_people(SPACE, 1), ["random", "random"])


def test_a_machine_that_lacks_a_strategy_is_said() -> None:
    (setting,) = make_grid(catalogue=["synthetic:3"], strategy=["random"], people=1).settings
    text = setting.text.replace('"strategy":"random"', '"strategy":"elsewhere"')
    with pytest.raises(ExperimentError, match=r"there is no strategy 'elsewhere'.*install there what is installed"):
        running._run(setting.key, text, 1, None, None)
    other = setting.text.replace(setting.code, "0" * len(setting.code))
    with pytest.raises(ExperimentError, match="the code of random is another one in this process"):
        running._run(setting.key, other, 1, None, None)
