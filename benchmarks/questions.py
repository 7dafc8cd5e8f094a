"""How long a person waits for a question of SetMargin: on PC in both modes, and on spaces that grow in fast mode.

A question is what comes between two answers: learning from the one, tuning where its time has come, and finding the
next pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice

import numpy as np

from benchmarks.timing import Grid, Report, Say, exponent, short
from setmargin.arrays import Floats
from setmargin.experiments import FINISHED, Record, run_trial
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.space.catalogue import load
from setmargin.strategies.setmargin.strategy import MODES, Mode, SetMargin

GOAL = 0.2
"""Seconds a question on PC in fast mode, on average over an interview."""
FAST: Mode = "fast"
WRONG = (0.0, 0.0, 0.15)
"""How often each of the people answers plainly wrong."""
WARM_UP = 2


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is measured; in exact mode each question has so many seconds."""

    people: int
    questions: int
    exact_seconds: float
    sizes: tuple[int, ...]
    growing_questions: int


QUICK = Plan(people=1, questions=6, exact_seconds=0.5, sizes=(3, 6), growing_questions=3)
FULL = Plan(people=3, questions=50, exact_seconds=5.0, sizes=(10, 20, 30), growing_questions=10)


@dataclass(frozen=True)
class Wait:
    """One question: how long it took, how much of that was tuning, and whether it is proven best."""

    person: int
    question: int
    seconds: float
    tuning: float
    proven: bool


@dataclass(frozen=True)
class Growth:
    """A space of R attributes with R values, and the questions asked about it."""

    name: str
    features: int
    waits: tuple[Wait, ...]


def strategy(mode: Mode, *, seconds: float = 10.0) -> SetMargin:
    """Pairs; the seconds are the limit of one question."""
    return SetMargin(set_size=2, mode=mode, seconds=seconds)


def people() -> Iterator[Person]:
    """Different ones, the last of them noisy."""
    for seed, wrong in enumerate(WRONG):
        yield from draw_people(load("pc"), 1, weights="sparse-uniform", response=Response(wrong=wrong), seed=seed)


def waits(strategy: SetMargin, person: Person, *, questions: int, number: int = 1) -> list[Wait]:
    """One interview."""
    trial = run_trial(strategy, person, questions=questions)
    return [_wait(record, number) for record in trial if record["status"] != FINISHED]


def _wait(record: Record, number: int) -> Wait:
    seconds = record["ask_seconds"] + record["learn_seconds"] + record["tune_seconds"]
    return Wait(number, record["question"], seconds, record["tune_seconds"], record["status"] == "optimal")


def run(quick: bool, say: Say) -> Report:
    """Both modes on PC, then the growing spaces."""
    plan = QUICK if quick else FULL
    asked = {mode: _interviews(mode, plan, say) for mode in MODES}
    grown = [_growth(size, plan, say) for size in plan.sizes]
    document = {
        "plan": asdict(plan),
        "pc": {mode: [asdict(each) for each in found] for mode, found in asked.items()},
        "growth": [asdict(each) for each in grown],
        "exponent": power(grown),
    }
    return Report([both(asked), growth(grown)], notes(asked, grown, plan), document)


def _interviews(mode: Mode, plan: Plan, say: Say) -> list[Wait]:
    found = []
    asking = strategy(mode, seconds=plan.exact_seconds) if mode != FAST else strategy(mode)
    for number, person in enumerate(islice(people(), plan.people), 1):
        say(f"questions: {mode} mode, person {number} of {plan.people}")
        found += waits(asking, person, questions=plan.questions, number=number)
    return found


def _growth(size: int, plan: Plan, say: Say) -> Growth:
    """The first questions, in which diagrams are compiled and modules loaded, do not count."""
    name = f"synthetic:{size}"
    say(f"questions: {name}")
    space = load(name)
    (person,) = draw_people(space, 1, seed=size)
    found = waits(strategy(FAST), person, questions=WARM_UP + plan.growing_questions)
    return Growth(name, len(space.feature_names), tuple(found[WARM_UP:]))


def both(asked: dict[Mode, list[Wait]]) -> Grid:
    """The modes, one below the other."""
    rows = [[f"{mode}", *_figures(_seconds(found)), *_shares(found)] for mode, found in asked.items()]
    headers = ["mode", "questions", "mean", "median", "p95", "longest", "share of tuning", "proven best"]
    return Grid("Seconds a question on PC, k = 2, tuning included", headers, rows)


def growth(grown: Sequence[Growth]) -> Grid:
    """The spaces, one below the other."""
    rows = [[each.name, f"{each.features}", *_figures(_seconds(each.waits))] for each in grown]
    headers = ["space", "features", "questions", "mean", "median", "p95", "longest"]
    return Grid("Seconds a question in fast mode as spaces grow", headers, rows)


def notes(asked: dict[Mode, list[Wait]], grown: Sequence[Growth], plan: Plan) -> list[str]:
    """Whether the goal is met, and how the time grows."""
    mean = float(_seconds(asked[FAST]).mean())
    return [
        f"Goal: {GOAL:g} s a question on PC in fast mode: {short(mean)} s (mean).",
        f"In exact mode a question has {plan.exact_seconds:g} s to be proven; tuning comes on top.",
        f"Fast-mode time grows with the features to the power {power(grown):.1f} (medians).",
    ]


def power(grown: Sequence[Growth]) -> float:
    """The exponent of the number of features in the median time of a question."""
    return exponent([each.features for each in grown], [float(np.median(_seconds(each.waits))) for each in grown])


def _seconds(found: Sequence[Wait]) -> Floats:
    return np.array([each.seconds for each in found])


def _figures(seconds: Floats) -> list[str]:
    numbers = (seconds.mean(), np.median(seconds), np.quantile(seconds, 0.95), seconds.max())
    return [f"{len(seconds)}", *(short(float(number)) for number in numbers)]


def _shares(found: Sequence[Wait]) -> list[str]:
    tuning = sum(each.tuning for each in found) / sum(each.seconds for each in found)
    return [f"{share:.0%}" for share in (tuning, np.mean([each.proven for each in found]))]
