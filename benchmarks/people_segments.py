"""People of five segments after 100 earlier people; people of none of these segments, and of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from joblib import cpu_count

from benchmarks.people_cases import (
    CONVERSATION,
    PEOPLE,
    SEED,
    Case,
    Outcomes,
    claims_grid,
    interviews,
    losses_grid,
    ratio,
)
from benchmarks.timing import Grid, Report, Say
from setmargin import Space, load
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.experiments.running import interview_people
from setmargin.experiments.setting import EARLIER_QUESTIONS, FIRST_EARLIER
from setmargin.strategies.base import Strategy
from setmargin.strategies.bayes.strategy import Bayes

EARLIER, EARLIER_QUICK = 100, 30
SHOWN = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
TALKING = Response(reasons=1.0, changes=1.0)
POPULATION = "segments:5"
PRESENT = {"of the segments": POPULATION, "of no segment": "usual", "of changed segments": "segments:5/2"}
"""Who is asked; the earlier people are of POPULATION in any case."""
GOALS = {"of the segments": "0.5", "of no segment": "1.1", "of changed segments": "–"}
KNOWING, ALONE = "knowing 100", "knowing nobody"


@dataclass(frozen=True)
class Where:
    """A space, and how its people are drawn."""

    space: Space
    people: Mapping[str, Any]

    def draw(self, count: int, population: str, *, seed: int, first: int = 1) -> list[Person]:
        """Some people of a population."""
        drawn = draw_people(
            self.space, count, first=first, population=population, response=TALKING, seed=seed, **self.people
        )
        return list(drawn)


def places() -> list[Where]:
    """PC as in the paper, and the laptop with what it costs and weighs."""
    return [
        Where(load("pc"), {"weights": "sparse-uniform"}),
        Where(load("laptop"), {"weights": "sparse-uniform", "quantities": True}),
    ]


def knowing_strategy(where: Where, strategy: Strategy[Any], *, earlier: int, seed: int) -> Strategy[Any]:
    """The strategy once it has interviewed the earlier people."""
    people = where.draw(earlier, POPULATION, seed=seed, first=FIRST_EARLIER)
    histories = list(interview_people(people, strategy, questions=EARLIER_QUESTIONS, jobs=cpu_count()))
    return strategy.knowing(where.space, histories)


def run(quick: bool, say: Say, *, people: int = PEOPLE, seed: int = SEED) -> Report:
    """With and without what earlier people answered."""
    alone = Bayes(**CONVERSATION)
    if not alone.learns_from_others:
        return Report([], ["Segments: bayes does not learn from others."], {})
    cases: list[Case] = []
    for where in places()[:1] if quick else places():
        say(f"people: earlier people on {where.space.name}")
        informed = knowing_strategy(where, alone, earlier=EARLIER_QUICK if quick else EARLIER, seed=seed)
        cases += cases_of(where, {KNOWING: informed, ALONE: alone}, people, quick=quick, seed=seed)
    found = interviews(cases, say)
    names = [name.removesuffix(f", {ALONE}") for name in found if name.endswith(ALONE)]
    document = {
        "curves": {name: each.document() for name, each in found.items()},
        "ratios": {name: ratio(found[f"{name}, {KNOWING}"], found[f"{name}, {ALONE}"]) for name in names},
    }
    grids = [
        losses_grid("Segments: mean relative loss in % after so many screens", found, SHOWN),
        ratios_grid(names, found),
        claims_grid("Segments: claimed / true loss in % after so many screens, ± of the difference", found),
    ]
    return Report(grids, [], document)


def cases_of(where: Where, asking: Mapping[str, Strategy[Any]], count: int, *, quick: bool, seed: int) -> list[Case]:
    """Everybody who is present, asked by each."""
    screens = 2 if quick else 16
    return [
        Case(f"{where.space.name}, {who}, {name}", where.draw(count, population, seed=seed), strategy, screens)
        for who, population in PRESENT.items()
        for name, strategy in asking.items()
    ]


def ratios_grid(names: Sequence[str], found: Mapping[str, Outcomes]) -> Grid:
    """How many times the screens that are needed where nobody is known."""
    rows = []
    for name in names:
        value, error = ratio(found[f"{name}, {KNOWING}"], found[f"{name}, {ALONE}"])
        goal = next(goal for who, goal in GOALS.items() if name.endswith(who))
        rows.append([name, f"{value:.2f} ± {error:.2f}", goal])
    title = "Segments: screens to 3% knowing earlier people, times those knowing nobody"
    return Grid(title, ["people", "times", "goal"], rows)
