"""Do many short trials keep two cores busy, in memory that does not grow? One process for each size of the grid.

A share of the ideal is what the strategies worked, divided by what two cores could have: the seconds between questions
that the records name, over twice the time from the first import to the last file. What the workers do besides (drawing
people, answering, packing results) counts as lost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.timing import Grid, Report, Say, most_memory

JOBS = 2
SIZES = (250, 500, 1000)
QUICK = (8,)
QUESTIONS = 5
WEIGHTS = ("uniform", "normal", "sparse-uniform", "sparse-normal")
GOAL = 0.85


@dataclass(frozen=True)
class Measured:
    """One run of a grid in a process of its own."""

    trials: int
    wall: float
    worked: float  # seconds inside the strategies, all workers together
    cpu: float  # seconds of processor time, this process and its workers
    megabytes: float  # the most that this process held

    @property
    def share(self) -> float:
        """Of what the cores could have worked."""
        return self.worked / (JOBS * self.wall)

    @property
    def busy(self) -> float:
        """How much of the cores was used, whatever for."""
        return self.cpu / (JOBS * self.wall)


def run(quick: bool, say: Say) -> Report:
    """Grids of growing size."""
    found = []
    for trials in QUICK if quick else SIZES:
        found.append(measured(trials))
        say(f"grid: {trials} trials")
    largest = found[-1]
    notes = [
        f"{QUESTIONS} questions of bayes at r = 3 to each person; {JOBS} jobs, one thread each.",
        f"Goal: {GOAL:.0%} of the ideal at {largest.trials:,} trials: {largest.share:.0%}, "
        f"{'met' if largest.share >= GOAL else 'missed'}.",
    ]
    return Report([table(found)], notes, {"jobs": JOBS, "runs": [asdict(each) for each in found]})


def table(found: list[Measured]) -> Grid:
    """One line for each size."""
    rows = [
        [
            f"{each.trials:,}",
            f"{each.wall:.1f}",
            f"{1000 * each.worked / each.trials:.0f}",
            f"{each.share:.0%}",
            f"{each.busy:.0%}",
            f"{each.megabytes:.0f}",
        ]
        for each in found
    ]
    headers = ["trials", "seconds", "ms a trial", "share of the ideal", "cores used", "most memory, MB"]
    return Grid("Many short trials on two cores", headers, rows)


def measured(trials: int) -> Measured:
    """In a process of its own, whose peak of memory is that of this run."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.grid", str(trials), folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Measured(**json.loads(done.stdout))


def main(trials: int, folder: str) -> Measured:
    """Run a grid here and now."""
    began = perf_counter()
    from joblib.externals.loky import get_reusable_executor  # type: ignore[import-untyped]

    from setmargin.experiments.grid import make_grid
    from setmargin.experiments.running import run_experiment

    grid = make_grid(
        catalogue=["synthetic:3"],
        strategy=["bayes"],
        weights=WEIGHTS,
        questions=QUESTIONS,
        people=trials // len(WEIGHTS),
    )
    worked = sum(step.seconds for step in run_experiment(grid, folder, jobs=JOBS))
    wall = perf_counter() - began
    get_reusable_executor().shutdown(wait=True)  # so that the workers' time is known
    used = os.times()
    cpu = used.user + used.system + used.children_user + used.children_system
    return Measured(len(grid), wall, worked, cpu, most_memory())


if __name__ == "__main__":
    print(json.dumps(asdict(main(int(sys.argv[1]), sys.argv[2]))))
