"""Experiments: simulated people interviewed by the thousand, records out, numbers worth looking at.

One strategy, as a stream of records:

    records = simulate(draw_people(load("pc"), 20), make_strategy("bayes", until=0), questions=30, jobs=2)
    summarise(collect(records)).milestones

A grid of settings that is kept on disk, can be stopped and continued, and runs on many machines:

    grid = make_grid(catalogue=["pc"], strategy=["bayes", "setmargin"], set_size=[2, 3])
    for step in run_experiment(grid, "results", jobs=2): ...
    frame = read_records("results")
"""

from setmargin.experiments.grid import Asker, Experiment, Setting, make_grid
from setmargin.experiments.paper import paper_experiment
from setmargin.experiments.records import read_records, scan_records
from setmargin.experiments.running import Step, run_experiment, simulate
from setmargin.experiments.summary import Line, Milestone, Point, Results, Summary, collect, curve, lines, summarise
from setmargin.experiments.trial import FINISHED, Record, is_last, run_trial

__all__ = [
    "FINISHED",
    "Asker",
    "Experiment",
    "Line",
    "Milestone",
    "Point",
    "Record",
    "Results",
    "Setting",
    "Step",
    "Summary",
    "collect",
    "curve",
    "is_last",
    "lines",
    "make_grid",
    "paper_experiment",
    "read_records",
    "run_experiment",
    "run_trial",
    "scan_records",
    "simulate",
    "summarise",
]
