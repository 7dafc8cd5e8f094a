"""Who is interviewed for the benchmark `answers`, how, and what came out.

People are interviewed in parallel, one process for each core; times are processor time, so they are those of one core.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np
from joblib import cpu_count, delayed

from benchmarks.bayes import grid_space
from benchmarks.timing import Say
from setmargin import Space, load
from setmargin.arrays import Floats
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.experiments.running import local_pool
from setmargin.experiments.trial import screen_of
from setmargin.strategies.bayes.strategy import Bayes
from setmargin.strategies.shared.effort import answer_effort

SEED = 0
STOP = 0.03
"""The expected loss at which interviews that are left to themselves end."""
CONVERSATION: Mapping[str, Any] = {"policy": "conversation", "set_size": 4}
PAIRS: Mapping[str, Any] = {"policy": "comparisons", "set_size": 2}
THREE: Mapping[str, Any] = {"policy": "comparisons", "set_size": 3}
TALKING = Response(reasons=1.0, changes=1.0)
SPARSE: Mapping[str, Any] = {"weights": "sparse-uniform"}
WITH_QUANTITIES: Mapping[str, Any] = {**SPARSE, "quantities": True}


@dataclass(frozen=True, kw_only=True)
class Case:
    """Some people, how they are asked and answer, and what was hoped for."""

    name: str
    space: Space
    screens: int
    options: Mapping[str, Any] = field(default_factory=lambda: CONVERSATION)
    response: Response = TALKING
    people: Mapping[str, Any] = field(default_factory=lambda: SPARSE)
    until: float = 0.0
    goal: str = ""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """People × screens: the true relative loss, what was claimed about it, milliseconds, and the person's effort.

    Where a strategy stopped, the last loss and claim are carried on; milliseconds and effort are NaN there.
    """

    loss: Floats
    expected: Floats
    within: Floats
    milliseconds: Floats
    effort: Floats
    kinds: tuple[tuple[str, ...], ...]
    """What each screen asked for, by person."""
    kilobytes: Floats
    """The size of each person's belief in the end."""

    @property
    def asked(self) -> Floats:
        """How many screens each person saw."""
        asked: Floats = np.isfinite(self.effort).sum(axis=1).astype(float)
        return asked

    @property
    def total_effort(self) -> Floats:
        """The seconds that each person spent."""
        total: Floats = np.nansum(self.effort, axis=1)
        return total


# What is run


def curve_cases() -> list[Case]:
    """PC: everybody is asked all the screens."""
    pc = load("pc")
    careless = Response(reasons=1.0, changes=1.0, careless=0.3)
    wrong = Response(reasons=1.0, changes=1.0, wrong=0.15)
    dense = {"weights": "uniform"}
    return [
        Case(name="pairs", space=pc, screens=32, options=PAIRS, response=Response()),
        Case(name="one of three", space=pc, screens=24, options=THREE, response=Response()),
        Case(name="one of three with reasons", space=pc, screens=16, options=THREE, response=Response(reasons=1.0)),
        Case(name="conversation", space=pc, screens=16, goal="10% by 4 (5), 3% by 7 (10), 1% by 10 (16)"),
        Case(name="conversation, 3 of 10 careless", space=pc, screens=16, response=careless),
        Case(name="conversation, reasons only", space=pc, screens=16, response=Response(reasons=1.0)),
        Case(name="conversation, nobody says more", space=pc, screens=24, response=Response(), goal="one of three"),
        Case(name="conversation, 15% wrong choices", space=pc, screens=16, response=wrong),
        Case(name="conversation, dense people", space=pc, screens=16, people=dense),
        Case(name="pairs, dense people", space=pc, screens=16, options=PAIRS, response=Response(), people=dense),
    ]


def stopping_cases() -> list[Case]:
    """Catalogues with quantities, and fewer differences: asked until the strategy itself stops."""
    own = [load(name) for name in ("bicycle", "laptop", "trip")]
    few = {**CONVERSATION, "differences": 4}
    goal = "8 (11) screens, loss of 3%"
    return [
        *(_until(space, "conversation", people=WITH_QUANTITIES, goal=goal) for space in own),
        *(_until(space, "pairs", options=PAIRS, response=Response(), people=WITH_QUANTITIES) for space in own),
        _until(load("laptop"), "4 differences", options=few, people=WITH_QUANTITIES, goal="1.3 × the screens"),
        _until(load("pc"), "conversation"),
        _until(load("pc"), "4 differences", options=few, goal="1.3 × the screens"),
    ]


def _until(space: Space, how: str, **more: Any) -> Case:
    return Case(name=f"{space.name}, {how}", space=space, screens=50, until=STOP, **more)


def grid_cases() -> list[Case]:
    """Spaces without rules: dense people, and the median."""
    sizes = ((4, "median 0 by 4"), (5, "median 0 by 7"))
    dense = {"weights": "uniform"}
    ways: dict[str, dict[str, Any]] = {"conversation": {}, "pairs": {"options": PAIRS, "response": Response()}}
    return [
        Case(name=f"r = {size}, {how}", space=grid_space(size, size), screens=12, people=dense, goal=goal, **more)
        for size, goal in sizes
        for how, more in ways.items()
    ]


def large_case(*, quick: bool) -> Case:
    """About a thousand features, for time and memory."""
    space = grid_space(10, 10) if quick else grid_space(33, 30)
    return Case(name=f"{len(space.feature_names):,} features", space=space, screens=16, people={"weights": "uniform"})


# Interviews


@dataclass(frozen=True)
class _Interviewed:
    """One person: rows of loss, expected loss, probability, milliseconds and effort; kinds of screens; kilobytes."""

    rows: list[tuple[float, ...]]
    kinds: tuple[str, ...]
    kilobytes: float


def interview_one(case: Case, person: Person) -> _Interviewed:
    strategy = Bayes(**{**case.options, "until": case.until})
    belief, noise, talk = strategy.start(case.space, seed=person.strategy_seed), person.noise(), person.talk()
    rows: list[tuple[float, ...]] = []
    kinds: list[str] = []
    for _ in range(case.screens):
        began = process_time()
        question = strategy.ask(belief)
        took, effort = process_time() - began, np.nan
        if question is not None:
            answer = person.answer(question, "choice", noise, talk)
            effort = answer_effort(case.space, question, answer)
            kinds.append(screen_of(question, "choice"))
            began = process_time()
            belief = strategy.update(belief, question, answer)
            took += process_time() - began
        stakes, best = strategy.stakes(belief), strategy.recommend(belief).configuration
        time = 1000 * took if question else np.nan
        rows.append((person.relative_loss(best), stakes.expected_loss, stakes.probability_within, time, effort))
        if question is None:
            rows += rows[-1:] * (case.screens - len(rows))
            break
    return _Interviewed(rows, tuple(kinds), len(pickle.dumps(belief)) / 1000)


def interviews(cases: Sequence[Case], people: int, say: Say) -> dict[str, Outcomes]:
    """All people of all cases, on all cores; the outcomes by the names of the cases."""
    pairs = [(case, person) for case in cases for person in _people_of(case, people)]
    with local_pool(cpu_count(), in_order=True) as pool:
        results: Iterator[_Interviewed] = iter(pool(delayed(interview_one)(case, person) for case, person in pairs))
        found = {}
        for case in cases:
            found[case.name] = _outcomes([next(results) for _ in range(people)])
            say(f"answers: {case.name}")
    return found


def _people_of(case: Case, people: int) -> Iterator[Person]:
    return draw_people(case.space, people, seed=SEED, response=case.response, **case.people)


def _outcomes(found: Sequence[_Interviewed]) -> Outcomes:
    loss, expected, within, milliseconds, effort = np.moveaxis(np.array([each.rows for each in found]), 2, 0)
    return Outcomes(
        loss,
        expected,
        within,
        milliseconds,
        effort,
        kinds=tuple(each.kinds for each in found),
        kilobytes=np.array([each.kilobytes for each in found]),
    )
