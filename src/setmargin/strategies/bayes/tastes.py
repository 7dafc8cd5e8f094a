"""People whose weights follow from normal numbers: people as studies find them, and people like those who came before.

The kinds of `prior.py` care about some values and not about others. Most people in studies of choices care a little
about nearly everything, have an order where the catalogue says that there is one, and are less sure of what they say.
Their weights, which may be negative, are a function of independent standard normal numbers, so one step serves them
all: *elliptical slice sampling*. It draws a second person, and looks on the ellipse through both for somebody who
explains the answers about as well; it has nothing to tune, and leaves the posterior as it is whatever the function.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from setmargin.arrays import Bools, Ints
from setmargin.space.attributes import Attribute
from setmargin.space.space import Space
from setmargin.space.trends import goodness_of, scale_of
from setmargin.strategies.bayes.picks import Statements
from setmargin.strategies.shared.evidence import Manner, Singles, Table, drawn_from

SPREAD = 0.3
"""By how much the values of an attribute differ to an ordinary person."""
APART = 0.7
"""How much the importance of things differs between people, as the spread of its logarithm."""
RISE = 0.5
"""How much more the best value of an attribute with a direction is worth than the worst, to an ordinary person."""
ROUGH = 0.5
"""How uneven the way from the worst to the best is, as the spread of the logarithms of its steps."""
NO_ORDER = 0.12
"""The share of people who have no order of their own where the catalogue says that people have one, by attribute."""
CARE = 0.85
"""How likely an attribute with a direction, or a quantity, matters to somebody."""
ALWAYS = 0.95
"""Whatever is sure to matter is taken to matter so often, and hardly to everybody else."""
SHARPNESS: Table = ((4.0, 0.2), (7.0, 0.35), (12.0, 0.22), (25.0, 0.11), (70.0, 0.07), (200.0, 0.05))
LAPSES: Table = ((0.02, 0.4), (0.08, 0.4), (0.25, 0.2))
"""How often people take any option: with less, options given 90% are taken less often than that in studies."""
MOST_TRIES = 6
"""Places tried on each ellipse; whoever finds none stays as they are."""
MOVING = (1.0, 0.5, 0.2, 1.0)
"""After an answer a second person is drawn so often for each; shares of the normal numbers that move at a time."""


class Tastes(Protocol):
    """How weights follow from normal numbers, and how surely these people go by them."""

    @property
    def share(self) -> float:
        """How many people are like that."""

    @property
    def blocks(self) -> Ints:
        """For each normal number, the block that it moves with."""

    @property
    def sharpness(self) -> Table:
        """How much their utilities are multiplied by, and how likely that is."""

    @property
    def lapses(self) -> Table:
        """How often they take any option, and how likely that is."""

    @property
    def moving(self) -> tuple[float, ...]:
        """Shares of their normal numbers that move at a time after an answer, one after the other."""

    def weights(self, numbers: Singles) -> Singles:
        """The weights (features × people) behind normal numbers (numbers × people)."""


# Ordinary people


@dataclass(frozen=True, eq=False)
class OrdinaryTastes:
    """Everybody cares about nearly everything, and follows the directions that the catalogue names, or does not.

    An attribute has a number for its importance, one for whether the person follows its direction, and one for each
    value; a quantity has one.
    """

    space: Space
    share: float
    matters: tuple[float, ...]
    """How likely each attribute and quantity matters at all."""
    sharpness: Table = SHARPNESS
    lapses: Table = LAPSES
    moving: tuple[float, ...] = MOVING

    @cached_property
    def starts(self) -> Ints:
        """Where the numbers of each attribute and quantity start."""
        sizes = [2 + size for size in self.space.domains] + [1] * len(self.space.quantities)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def blocks(self) -> Ints:
        """What belongs to one attribute moves together."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def _least(self) -> Singles:
        """The importance above which something matters, by attribute and quantity."""
        return -ndtri(np.minimum(self.matters, ALWAYS)).astype(np.float32)

    @cached_property
    def _floor(self) -> Singles:
        """How little something may matter to anybody: not at all, or hardly where it matters to everybody."""
        return np.where(np.array(self.matters) < 1, 0.0, 1 - ALWAYS).astype(np.float32)

    @cached_property
    def _directed(self) -> tuple[tuple[int, Attribute, Singles], ...]:
        """Attributes with an order, and where their values are on a scale from 0 to 1, the worst to the best."""
        scales = [(n, a, goodness_of(a) or scale_of(a)) for n, a in enumerate(self.space.attributes) if a.better]
        return tuple((n, a, np.array(scale, dtype=np.float32)) for n, a, scale in scales if len(scale) > 1)

    def weights(self, numbers: Singles) -> Singles:
        """All values at once, as if nobody followed a direction; then those who do, attribute by attribute."""
        space, starts = self.space, self.starts
        count = len(space.attributes)
        attribute = np.repeat(np.arange(count), space.domains)
        importance = numbers[starts[:count]]
        is_value = np.ones(int(starts[count]), dtype=bool)
        is_value[starts[:count]] = is_value[starts[:count] + 1] = False
        spread = np.float32(SPREAD) * np.exp(np.float32(APART) * importance)
        matters = (importance > self._least[:count, None]) | (self._floor[:count, None] > 0)
        spread = np.where(matters, spread, np.float32(0))
        values = spread[attribute] * numbers[: starts[count]][is_value]
        for place, each, scale in self._directed:
            own = numbers[starts[place] : starts[place + 1]]
            cares = np.float32(RISE) * np.maximum(own[0] - self._least[place], self._floor[place])
            shape = _peaked(scale, own[2:]) if each.better == "peak" else _rising(scale, own[2:])
            block = slice(*space.offsets[place : place + 2])
            values[block] = np.where(own[1] < ndtri(NO_ORDER), values[block], cares * shape)
        lowest = np.minimum.reduceat(values, space.offsets[:-1], axis=0)
        values -= lowest[attribute]  # only differences count, and nothing is worth less than nothing
        above = np.maximum(numbers[starts[count] :] - self._least[count:, None], self._floor[count:, None])
        quantities = np.float32(2 * RISE) * above
        return np.concatenate([values, quantities])


def _rising(scale: Singles, numbers: Singles) -> Singles:
    """From 0 at the worst value to 1 at the best, in steps that follow from all numbers but the first."""
    order = np.argsort(scale, kind="stable")
    steps = np.diff(scale[order])[:, None] * np.exp(np.float32(ROUGH) * numbers[1:])
    heights = np.cumsum(steps, axis=0)
    shape = np.zeros_like(numbers)
    shape[order[1:]] = heights / heights[-1]
    return shape


def _peaked(scale: Singles, numbers: Singles) -> Singles:
    """1 at the best value and 0 at the worst, falling to both sides of a place that follows from the first number.

    For every second person that place is beyond all values, so they want as much, or as little, as they can have.
    """
    away = scale[:, None] - (2 * ndtr(numbers[0]) - np.float32(0.5))
    fall = np.where(away < 0, -away, away * np.exp(np.float32(2 * ROUGH) * numbers[-1]))
    least, most = fall.min(axis=0), fall.max(axis=0)
    shape: Singles = 1 - (fall - least) / np.maximum(most - least, np.float32(1e-6))
    return shape


# Moving


@dataclass(frozen=True, eq=False)
class People:
    """Some people of one kind of tastes: their normal numbers and how they answer."""

    numbers: Singles
    manner: Manner


def first_people(tastes: Tastes, size: int, rng: np.random.Generator) -> People:
    """People before they say anything."""
    numbers = rng.standard_normal((len(tastes.blocks), size), dtype=np.float32)
    return People(numbers, _first_manner(tastes, size, rng))


def _first_manner(tastes: Tastes, size: int, rng: np.random.Generator) -> Manner:
    sharpness, lapse = drawn_from(tastes.sharpness, rng, size), drawn_from(tastes.lapses, rng, size)
    return replace(Manner.drawn(rng, size), sharpness=sharpness, lapse=lapse)


def moved_people(tastes: Tastes, people: People, said: Statements, rng: np.random.Generator) -> People:
    """The same people after steps that leave the posterior as it is."""
    numbers, manner = people.numbers, people.manner
    if not numbers.shape[1]:
        return people
    logs = said.log_likelihood(tastes.weights(numbers), manner)
    for moving in tastes.moving:
        numbers, logs = _around_the_ellipse(tastes, numbers, logs, manner, said, rng, moving)
        manner, logs = _answering_otherwise(tastes, numbers, logs, manner, said, rng)
    return People(numbers, manner)


def _around_the_ellipse(
    tastes: Tastes,
    numbers: Singles,
    logs: Singles,
    manner: Manner,
    said: Statements,
    rng: np.random.Generator,
    moving: float,
) -> tuple[Singles, Singles]:
    """Everybody on to somebody at least as likely as a random share of how likely they are themselves."""
    numbers, logs = numbers.copy(), logs.copy()
    size = numbers.shape[1]
    moves = rng.random((int(tastes.blocks.max()) + 1, size), dtype=np.float32)[tastes.blocks] < moving
    other = np.where(moves, rng.standard_normal(numbers.shape, dtype=np.float32), np.float32(0))
    start = numbers.copy()
    least = logs + np.log(1 - rng.random(size, dtype=np.float32))
    angle = np.float32(2 * np.pi) * np.asarray(rng.random(size, dtype=np.float32))
    low: Singles = angle - np.float32(2 * np.pi)
    high = angle.copy()
    left = np.arange(size)
    for _ in range(MOST_TRIES):
        across = start[:, left] * np.cos(angle[left]) + other[:, left] * np.sin(angle[left])
        tried = np.where(moves[:, left], across, start[:, left])
        found = said.log_likelihood(tastes.weights(tried), manner[left])
        good = found > least[left]
        numbers[:, left[good]], logs[left[good]] = tried[:, good], found[good]
        left = left[~good]
        if not len(left):
            break
        back = angle[left] < 0
        low[left], high[left] = np.where(back, angle[left], low[left]), np.where(back, high[left], angle[left])
        angle[left] = low[left] + (high[left] - low[left]) * rng.random(len(left), dtype=np.float32)
    return numbers, logs


def _answering_otherwise(
    tastes: Tastes, numbers: Singles, logs: Singles, manner: Manner, said: Statements, rng: np.random.Generator
) -> tuple[Manner, Singles]:
    """One part of everybody's manner drawn anew from the prior, and taken where it explains the answers."""
    parts = ["sharpness", "lapse", "plain"]
    parts += ["reason_sharpness", "reason_lapse"] * bool(len(said.reasons))
    parts += ["change_sharpness", "change_lapse"] * bool(len(said.changes))
    part = parts[int(rng.integers(len(parts)))]
    fresh = _first_manner(tastes, len(logs), rng)
    proposed = replace(manner, **{part: getattr(fresh, part)})
    found = said.log_likelihood(tastes.weights(numbers), proposed)
    taken: Bools = np.log(1 - rng.random(len(logs), dtype=np.float32)) < found - logs
    return manner.where(taken, proposed), np.where(taken, found, logs)
