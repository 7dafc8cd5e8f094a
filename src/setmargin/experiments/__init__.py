"""Experiments: simulated people interviewed by the thousand, records out, numbers worth looking at.

    from setmargin import load
    from setmargin.experiments import compare, curve, draw_people, simulate, summarise

    people = list(draw_people(load("pc"), 20, seed=0))
    summarise(simulate(people, "bayes", questions=30, jobs=2)).milestones
    compare(people, ["bayes", "setmargin"], questions=30, jobs=2)

A grid of settings that is kept on disk, can be stopped and continued, and runs on many machines:

    from setmargin.experiments import make_grid, read_records, run_experiment

    grid = make_grid(catalogue=["pc"], strategy=["bayes", "setmargin"], set_size=[2, 3])
    for step in run_experiment(grid, "results", jobs=2): ...
    frame = read_records("results")

Drawing and keeping records on disk need more packages: `pip install 'setmargin[experiments]'`. Each name is imported
when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from setmargin.late_imports import late_names

if TYPE_CHECKING:
    from setmargin.experiments.figures.drawing import draw
    from setmargin.experiments.grid import Experiment, make_grid
    from setmargin.experiments.grid_file import read_grid
    from setmargin.experiments.paper import paper_experiment
    from setmargin.experiments.people import Person, draw_people
    from setmargin.experiments.people_file import read_people
    from setmargin.experiments.records import read_records, scan_records
    from setmargin.experiments.report import write_report
    from setmargin.experiments.responses import Response, ResponseModel
    from setmargin.experiments.running import ExperimentStep, compare, interview_people, run_experiment, simulate
    from setmargin.experiments.setting import Setting
    from setmargin.experiments.summary import (
        Comparison,
        Milestone,
        Point,
        Results,
        SettingSummary,
        SimulationSummary,
        collect,
        curve,
        summarise,
        summarise_settings,
    )
    from setmargin.experiments.together import interview_together
    from setmargin.experiments.trial import FINISHED, Record, is_last, run_trial

__all__ = [
    "FINISHED",
    "Comparison",
    "Experiment",
    "ExperimentStep",
    "Milestone",
    "Person",
    "Point",
    "Record",
    "Response",
    "ResponseModel",
    "Results",
    "Setting",
    "SettingSummary",
    "SimulationSummary",
    "collect",
    "compare",
    "curve",
    "draw",
    "draw_people",
    "interview_people",
    "interview_together",
    "is_last",
    "make_grid",
    "paper_experiment",
    "read_grid",
    "read_people",
    "read_records",
    "run_experiment",
    "run_trial",
    "scan_records",
    "simulate",
    "summarise",
    "summarise_settings",
    "write_report",
]

__getattr__ = late_names(
    __name__,
    {
        "figures.drawing": "draw",
        "grid": "Experiment make_grid",
        "grid_file": "read_grid",
        "paper": "paper_experiment",
        "people": "Person draw_people",
        "people_file": "read_people",
        "records": "read_records scan_records",
        "report": "write_report",
        "responses": "Response ResponseModel",
        "running": "ExperimentStep compare interview_people run_experiment simulate",
        "setting": "Setting",
        "summary": "Comparison Milestone Point Results SettingSummary SimulationSummary collect curve summarise "
        "summarise_settings",
        "together": "interview_together",
        "trial": "FINISHED Record is_last run_trial",
    },
)


def __dir__() -> list[str]:
    return __all__
