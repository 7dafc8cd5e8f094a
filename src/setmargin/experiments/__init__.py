"""Experiments: simulated people interviewed by the thousand, records out, numbers worth looking at.

records = simulate(draw_people(load("pc"), 20), make_strategy("bayes", until=0), questions=30, jobs=2)
summarise(collect(records)).milestones
"""

from setmargin.experiments.parallel import simulate
from setmargin.experiments.summary import Milestone, Point, Results, Summary, collect, curve, summarise
from setmargin.experiments.trial import FINISHED, Record, is_last, run_trial

__all__ = [
    "FINISHED",
    "Milestone",
    "Point",
    "Record",
    "Results",
    "Summary",
    "collect",
    "curve",
    "is_last",
    "run_trial",
    "simulate",
    "summarise",
]
