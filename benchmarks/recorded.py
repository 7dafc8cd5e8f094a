"""The setwise problem on instances recorded once: a regression set, solved in several ways; how long, and how good.

The printed MILP on HiGHS and on Gurobi (where its free licence is installed), the exact mode (a short search, then
branch and bound on our own relaxation), the same with a deadline, and the search without any tree with a deadline.
All proven optima must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from benchmarks.instances import instances
from benchmarks.setwise_runs import (
    EXACT,
    LONG,
    PRINTED_GUROBI,
    PRINTED_HIGHS,
    SEARCH_SHORT,
    SHORT,
    Run,
    best_known,
    measured,
    quality,
)
from benchmarks.timing import Grid, Report, Say, short

METHODS = (PRINTED_HIGHS, PRINTED_GUROBI, EXACT, SHORT, LONG, SEARCH_SHORT)


def run(quick: bool, say: Say) -> Report:
    """Every method on every instance, one after the other."""
    chosen = instances()[::12] if quick else instances()
    limit = 2.0 if quick else 10.0
    runs: list[Run] = []
    for instance in chosen:
        say(f"recorded: {instance.name}")
        found = [measured(instance, name, limit=limit) for name in METHODS]
        runs += [each for each in found if each is not None]
    best = best_known(runs)
    notes = [f"{len(chosen)} instances, at most {limit:g} s each; a solve that runs out of time counts as that long."]
    document = {"runs": [asdict(each) for each in runs], "best": best}
    return Report([times(runs), quality(runs, best)], notes, document)


def times(runs: Sequence[Run]) -> Grid:
    """How long each method took, beside the printed MILP on both solvers."""
    rows = []
    for name in _present(runs):
        mine = [each for each in runs if each.method == name]
        took = np.array([each.milliseconds for each in mine])
        proven = sum(each.proven for each in mine)
        ratios = [_ratio(runs, mine, reference) for reference in (PRINTED_HIGHS, PRINTED_GUROBI)]
        rows.append([name, short(float(np.median(took))), short(float(np.quantile(took, 0.95))), f"{proven}", *ratios])
    return Grid(
        "Milliseconds an instance",
        ["method", "median", "p95", "proven", "median ÷ printed HiGHS", "median ÷ printed Gurobi"],
        rows,
    )


def _ratio(runs: Sequence[Run], mine: Sequence[Run], reference: str) -> str:
    """The median over instances of this method's time divided by the reference's."""
    theirs = {each.instance: each.milliseconds for each in runs if each.method == reference}
    shared = [each.milliseconds / theirs[each.instance] for each in mine if each.instance in theirs]
    return short(float(np.median(shared))) if shared else "–"


def _present(runs: Sequence[Run]) -> list[str]:
    return [name for name in METHODS if any(each.method == name for each in runs)]
