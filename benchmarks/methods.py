"""Seconds a question for every strategy there is, side by side: they take turns, so all see the same machine.

In each space every strategy asks the same people. One round is one question of each; whoever has used up the time that
a strategy gets asks no more. Seconds are those of the processor, so other work on the machine counts little.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count
from time import process_time
from typing import Any

from benchmarks.timing import Effort, Grid, Report, Say, Timing, short
from setmargin import Space, load
from setmargin.experiments.families import Weights
from setmargin.experiments.people import Person, draw_people
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import make_for_simulation, strategy_names

SPACES: dict[str, Weights] = {
    "synthetic:3": "uniform",
    "synthetic:4": "uniform",
    "synthetic:5": "uniform",
    "pc": "sparse-uniform",
}
"""And the people who are asked there."""
QUESTIONS, SEED = 20, 0
EFFORT = Effort(seconds=3.0, least=2, most=60)
QUICK = Effort(seconds=0.0, least=2, most=2)


@dataclass(frozen=True)
class Cell:
    """One strategy in one space: seconds to ask, learn and tune, question by question."""

    space: str
    strategy: str
    seconds: tuple[float, ...]

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {"space": self.space, "strategy": self.strategy, "seconds": list(self.seconds)}


def run(quick: bool, say: Say) -> Report:
    """All strategies, space by space."""
    spaces = ["synthetic:3"] if quick else list(SPACES)
    effort = QUICK if quick else EFFORT
    cells = [cell for name in spaces for cell in measured(name, effort, say)]
    notes = [
        f"Processor seconds on one thread. The strategies take turns, each for {effort.seconds:g} s or {effort.most} "
        f"questions in every space, {effort.least} questions at least; {QUESTIONS} questions a person."
    ]
    return Report([grid(cells)], notes, {"questions": QUESTIONS, "cells": [cell.document() for cell in cells]})


def measured(name: str, effort: Effort, say: Say) -> list[Cell]:
    """All strategies in one space; the diagram is there before the clock starts, as it is for all but the first."""
    say(f"methods: {name}")
    space = load(name)
    people = list(draw_people(space, 1 + effort.most // QUESTIONS, weights=SPACES[name], seed=SEED))
    assert people[0].best_utility > 0
    asked = {strategy: waits(make_for_simulation(strategy), space, people) for strategy in strategy_names()}
    seconds: dict[str, list[float]] = {strategy: [] for strategy in strategy_names()}
    for turn in count():
        eager = [strategy for strategy, spent in seconds.items() if _wants_more(spent, effort, turn)]
        if not eager:
            return [Cell(name, strategy, tuple(spent)) for strategy, spent in seconds.items()]
        for strategy in eager:
            seconds[strategy] += [next(asked[strategy])]
    raise AssertionError("unreachable")


def _wants_more(spent: list[float], effort: Effort, turn: int) -> bool:
    """Whoever sat out a round sits out the rest."""
    return len(spent) == turn < effort.most and (turn < effort.least or sum(spent) < effort.seconds)


def waits(strategy: Strategy[Any], space: Space, people: list[Person]) -> Iterator[float]:
    """What one question after the other takes, person after person."""
    return chain.from_iterable(_interview(strategy, space, person) for person in people * QUESTIONS)


def _interview(strategy: Strategy[Any], space: Space, person: Person) -> Iterator[float]:
    belief, noise = strategy.start(space, seed=person.strategy_seed), person.noise()
    for _ in range(QUESTIONS):
        began = process_time()
        question = strategy.ask(belief)
        asking = process_time() - began
        if question is None:
            return
        answer = person.answer(question, "pairs", noise)
        began = process_time()
        belief = strategy.update(belief, question, answer)
        yield asking + process_time() - began


def grid(cells: list[Cell]) -> Grid:
    """Strategies × spaces."""
    spaces = list(dict.fromkeys(cell.space for cell in cells))
    strategies = list(dict.fromkeys(cell.strategy for cell in cells))
    found = {(cell.strategy, cell.space): _shown(cell) for cell in cells}
    rows = [[strategy, *(found[strategy, space] for space in spaces)] for strategy in strategies]
    return Grid("Seconds a question: median (95th percentile), and how many were asked", ["strategy", *spaces], rows)


def _shown(cell: Cell) -> str:
    timing = Timing.of(cell.seconds)
    return f"{short(timing.median / 1000)} ({short(timing.p95 / 1000)}), {timing.repeats}"
