"""Whether what `bayes` claims is true, by kind of people and by how many options a question has."""

from __future__ import annotations

from typing import get_args

import numpy as np

from benchmarks.bayes import grid_space
from benchmarks.people_cases import CLAIMED_AFTER, PEOPLE, SEED, Case, Outcomes, claims_grid, interviews
from benchmarks.timing import Grid, Report, Say
from setmargin import load
from setmargin.experiments.families import PaperWeights
from setmargin.experiments.people import draw_people
from setmargin.strategies.bayes.strategy import Bayes

SIZES = (2, 3, 4)
LARGE_SHOWN = (8, 16, 24, 32, 40)
POINTS = 3.0
"""How far claimed and true loss may be apart, in points of per cent."""


def run(quick: bool, say: Say, *, people: int = PEOPLE, seed: int = SEED) -> Report:
    """PC with all four families, and one space of a hundred attributes."""
    cases = cases_of(people, quick=quick, seed=seed)
    large = large_case(people, quick=quick, seed=seed)
    found = interviews([*cases, large], say)
    by_size = {case.name: found[case.name] for case in cases}
    grids = [
        claims_grid("Calibration: claimed / true loss in % after so many questions, ± of the difference", by_size),
        claims_grid("Calibration: a hundred attributes", {large.name: found[large.name]}, LARGE_SHOWN),
        apart_grid(by_size),
    ]
    return Report(grids, [], {name: each.document() for name, each in found.items()})


def cases_of(count: int, *, quick: bool, seed: int) -> list[Case]:
    """Every family of the paper, asked to choose one of two, three and four."""
    pc, questions = load("pc"), 4 if quick else CLAIMED_AFTER[-1]
    return [
        Case(
            f"{family}, one of {size}",
            list(draw_people(pc, count, weights=family, seed=seed)),
            Bayes(policy="comparisons", set_size=size, until=0.0),
            questions,
        )
        for family in (get_args(PaperWeights)[2:3] if quick else get_args(PaperWeights))
        for size in SIZES
    ]


def large_case(count: int, *, quick: bool, seed: int) -> Case:
    """A hundred attributes of three values without rules."""
    space = grid_space(10, 3) if quick else grid_space(100, 3)
    people = list(draw_people(space, count, weights="sparse-uniform", seed=seed))
    strategy = Bayes(policy="comparisons", set_size=2, until=0.0)
    return Case(f"{len(space.attributes)} attributes, sparse, pairs", people, strategy, 4 if quick else LARGE_SHOWN[-1])


def apart_grid(found: dict[str, Outcomes]) -> Grid:
    """By set size: how far claims are from the truth, over the families."""
    rows = []
    for size in SIZES:
        some = [each for name, each in found.items() if name.endswith(f"of {size}")]
        apart = np.array([100 * (each.expected - each.loss).mean(axis=0) for each in some])
        worst = [max(apart[:, n - 1].tolist(), key=abs) for n in CLAIMED_AFTER if n <= apart.shape[1]]
        rows.append([f"one of {size}", *(f"{each:+.1f}" for each in worst), f"{POINTS:g}"])
    return Grid(
        "Calibration: claimed less true loss in points, of the family that is furthest off",
        ["questions", *map(str, CLAIMED_AFTER[: len(rows[0]) - 2]), "at most"],
        rows,
    )
