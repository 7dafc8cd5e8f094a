"""The setwise problem on instances that nobody has seen: exact mode beside Gurobi, family by family.

Instances are drawn from a seed (`fresh.py`). Both solve each of them in turn, on one thread, the exact mode with all
that it has to set up but for machine code, which is loaded before; of Gurobi only its optimisation of the printed
problem. The default mode and searches of 50 ms are measured by what they find. All proven optima must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from benchmarks.fresh import FAMILIES, Family, drawn
from benchmarks.setwise_runs import (
    EXACT,
    EXACT_SOLVER,
    FAST,
    PRINTED_GUROBI,
    SEARCH_SHORT,
    SHORT,
    Run,
    best_known,
    measured,
    quality,
)
from benchmarks.timing import Grid, Report, Say, short
from setmargin.solve.compiled import is_installed

LIMIT, SOON = 20.0, 5.0
"""Seconds: for one instance, and within which Gurobi must not prove what is left unproven."""
COUNT = 8
METHODS = (PRINTED_GUROBI, EXACT, FAST, SHORT, SEARCH_SHORT)


def run(quick: bool, say: Say, *, seed: int = 0, count: int | None = None, solver_alone: bool = False) -> Report:
    """So many instances of each family, each solved by every method in turn, if wanted without machine code as well."""
    count, limit = (1, 2.0) if quick else (count or COUNT, LIMIT)
    runs: list[Run] = []
    families: dict[str, Family] = {}
    for family, instance in drawn(seed, count=count):
        say(f"setwise: {instance.name}")
        families[instance.name] = family
        # Whoever comes first finds a colder cache, so they take turns.
        order: tuple[str, ...] = METHODS if len(families) % 2 else METHODS[1::-1] + METHODS[2:]
        order += (EXACT_SOLVER,) if solver_alone else ()
        runs += [each for name in order if (each := measured(instance, name, limit=limit)) is not None]
    best = best_known(runs)
    document = {"seed": seed, "runs": [asdict(each) for each in runs], "best": best}
    usual = {name: family for name, family in families.items() if family in FAMILIES}
    notes = [
        f"Seed {seed}, {len(families)} instances, at most {limit:g} s each; one that only one of both proves counts "
        f"with what the other used up, one that neither proves does not count. Seconds are the processor's.",
        f"The exact mode's tree is {'machine code' if is_installed() else 'the solver, as Numba is not installed'}.",
        *left_unproven(runs),
        *_without_gurobi(runs, families),
    ]
    searches = [each for each in runs if each.method in METHODS[2:] and each.instance in usual]
    grids = [ratios(runs, families, name) for name in (EXACT, EXACT_SOLVER)[: 1 + solver_alone]]
    return Report([*grids, quality(searches, best)], notes, document)


def ratios(runs: Sequence[Run], families: dict[str, Family], method: str = EXACT) -> Grid:
    """Exact mode divided by Gurobi, by family."""
    groups = {f.name: [name for name in families if families[name] == f] for f in dict.fromkeys(families.values())}
    groups["all but the hard ones"] = [name for name in families if families[name] in FAMILIES]
    found = ratio_of_each(runs, method)
    rows = [
        [group, *_counts(runs, names, method), *_figures([found[n] for n in names if n in found])]
        for group, names in groups.items()
    ]
    headers = ["family", "instances", "proven", "Gurobi proves", "median", "geometric mean", "90th percentile"]
    return Grid(f"{method.capitalize()} ÷ Gurobi", headers, rows)


def _counts(runs: Sequence[Run], names: Sequence[str], method: str) -> list[str]:
    proven = [
        sum(r.proven and r.method == name and r.instance in names for r in runs) for name in (method, PRINTED_GUROBI)
    ]
    return [str(len(names)), *map(str, proven)]


def _figures(found: Sequence[float]) -> list[str]:
    if not found:
        return ["–"] * 3
    return [short(float(x)) for x in (np.median(found), np.exp(np.log(found).mean()), np.quantile(found, 0.9))]


def ratio_of_each(runs: Sequence[Run], method: str = EXACT) -> dict[str, float]:
    """For each instance that one of both proves, how many times as long as Gurobi the exact mode takes."""
    theirs = {each.instance: each for each in runs if each.method == PRINTED_GUROBI}
    ours = {each.instance: each for each in runs if each.method == method}
    return {
        name: ours[name].milliseconds / theirs[name].milliseconds
        for name in ours
        if name in theirs and (ours[name].proven or theirs[name].proven)
    }


def left_unproven(runs: Sequence[Run]) -> list[str]:
    """What the exact mode leaves unproven although Gurobi soon proves it."""
    soon = {
        each.instance: each
        for each in runs
        if each.method == PRINTED_GUROBI and each.proven and each.milliseconds <= 1000 * SOON
    }
    left = [each for each in runs if each.method == EXACT and not each.proven and each.instance in soon]
    if not left:
        return [f"Nothing is left unproven that Gurobi proves in {SOON:g} s."]
    return [
        f"Left unproven: {each.instance} ({each.objective:.6g}), which Gurobi proves in "
        f"{soon[each.instance].milliseconds / 1000:.2f} s ({soon[each.instance].objective:.6g})."
        for each in left
    ]


def _without_gurobi(runs: Sequence[Run], families: dict[str, Family]) -> list[str]:
    known = {each.instance for each in runs if each.method == PRINTED_GUROBI}
    left = sorted(set(families) - known)
    if not left:
        return []
    return [
        f"Without Gurobi, so without a ratio: {len(left)} of {len(families)} instances. Either it is not installed "
        f"(pip install 'setmargin[gurobi]'), or its licence is too small for: {'; '.join(left[:3])}."
    ]
