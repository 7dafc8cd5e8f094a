"""People who follow an order, and people who do not, on spaces that say what is better and on the same without it."""

from __future__ import annotations

from typing import Any

from benchmarks.people_cases import CONVERSATION, PAIRS, PEOPLE, SEED, Case, Outcomes, interviews, losses_grid, ratio
from benchmarks.timing import Grid, Report, Say
from setmargin import Attribute, Quantity, Space, load
from setmargin.experiments.families import Weights
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.space.space import build_space
from setmargin.space.text import Value
from setmargin.strategies.bayes.strategy import Bayes

SHOWN = (2, 4, 6, 8, 12, 16, 24, 32, 40)
TALKING = Response(reasons=1.0, changes=1.0)
GOALS: dict[str, tuple[Weights, float]] = {"with an order": ("ordered", 0.5), "without an order": ("uniform", 1.2)}
"""The kinds of people: how they are drawn, and how many times the screens of the one-hot model they may need."""


def steps_space(attributes: int = 8, values: int = 20) -> Space:
    """Ordered values, each better than the one before and dearer by more; a budget forbids the best of everything."""
    numbers, names = range(1, values + 1), [f"a{place}" for place in range(1, attributes + 1)]
    costs: dict[str, dict[Value, float]] = {
        name: {number: (1 + place % 4) * number + number * number // values for number in numbers}
        for place, name in enumerate(names)
    }
    budget = sum(cost[values] for cost in costs.values()) * 9 // 20
    return Space(
        [Attribute(name, list(numbers), better="higher") for name in names],
        quantities=[Quantity("price", costs, better="lower")],
        rules=[f"price <= {budget}"],
        name=f"steps-{attributes}x{values}",
    )


def without_directions(space: Space) -> Space:
    """The same space where no attribute says what is better."""
    document = space.document()
    attributes = {
        name: {key: said for key, said in body.items() if key not in ("better", "ordered")}
        if isinstance(body, dict)
        else body
        for name, body in document["attributes"].items()
    }
    return build_space({**document, "catalogue": f"{space.name}-plain", "attributes": attributes})


def on_plain_space(person: Person, plain: Space) -> Person:
    """The same person, with the same answers, on the space without directions."""
    return Person(
        space=plain,
        weights=person.space.without_trends(person.weights),
        response=person.response,
        number=person.number,
        seed=person.seed,
        kind=person.kind,
    )


def spaces(*, quick: bool) -> list[Space]:
    """Where there is something to order."""
    large = steps_space(4, 5) if quick else steps_space()
    return [each for each in (load("laptop"), large) if each.trends]


def run(quick: bool, say: Say, *, people: int = PEOPLE, seed: int = SEED) -> Report:
    """Both kinds of people, both models, pairs and conversations."""
    cases = [case for space in spaces(quick=quick) for case in cases_of(space, people, quick=quick, seed=seed)]
    found = interviews(cases, say)
    names = [name.removesuffix(", directions") for name in found if name.endswith(", directions")]
    document = {
        "curves": {name: each.document() for name, each in found.items()},
        "ratios": {name: ratio(found[f"{name}, directions"], found[f"{name}, one-hot"]) for name in names},
    }
    title = "Ordered values: mean relative loss in % after so many screens"
    return Report([losses_grid(title, found, SHOWN), ratios_grid(names, found)], [], document)


def cases_of(space: Space, count: int, *, quick: bool, seed: int) -> list[Case]:
    """Each kind of people asked in each way, knowing the directions and not."""
    plain = without_directions(space)
    ways: dict[str, tuple[Any, Response, int]] = {
        "conversation": (CONVERSATION, TALKING, 16),
        "pairs": (PAIRS, Response(), 40),
    }
    made = []
    for kind, (weights, _) in GOALS.items():
        for way, (options, response, screens) in ways.items():
            people = list(draw_people(space, count, weights=weights, quantities=True, response=response, seed=seed))
            both = {"directions": people, "one-hot": [on_plain_space(each, plain) for each in people]}
            made += [
                Case(f"{space.name}, {kind}, {way}, {model}", who, Bayes(**options), 2 if quick else screens)
                for model, who in both.items()
            ]
    return made


def ratios_grid(names: list[str], found: dict[str, Outcomes]) -> Grid:
    """How many times the screens of the one-hot model."""
    rows = []
    for name in names:
        one, other = found[f"{name}, directions"], found[f"{name}, one-hot"]
        value, error = ratio(one, other)
        screens = one.loss.shape[1]
        bound = ("> " if one.needed() > screens else "") + ("< " if other.needed() > screens else "")
        goal = next(goal for kind, (_, goal) in GOALS.items() if f", {kind}," in name)
        rows.append([name, f"{bound}{value:.2f} ± {error:.2f}", f"{goal:g}"])
    return Grid("Screens to 3% with directions, times those of the one-hot model", ["people", "times", "goal"], rows)
