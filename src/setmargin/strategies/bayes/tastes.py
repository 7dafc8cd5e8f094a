"""People whose weights follow from normal numbers: people as studies find them, and people like those who came before.

The kinds of `prior.py` care about some values and not about others. Most people in studies of choices care a little
about nearly everything, have an order where the catalogue says that there is one, and are less sure of what they say.
Their weights, which may be negative, are a function of independent standard normal numbers, so one step serves them
all: *elliptical slice sampling*. It draws a second person, and looks on the ellipse through both for somebody who
explains the answers about as well; it has nothing to tune, and leaves the posterior as it is whatever the function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from setmargin.arrays import Bools, Ints
from setmargin.space.space import Space
from setmargin.space.trends import goodness_of, scale_of
from setmargin.strategies.bayes.picks import Statements
from setmargin.strategies.shared import evidence
from setmargin.strategies.shared.evidence import Manner, Singles, Table, drawn_from, padded

SPREAD = 0.3
"""By how much the values of an attribute differ to an ordinary person."""
APART = 0.7
"""How much the importance of things differs between people, as the spread of its logarithm."""
RISE = 0.5
"""How much more the best value of an attribute with a direction is worth than the worst, to an ordinary person."""
ROUGH = 1.0
"""How uneven the way from the worst to the best is, as the spread of the logarithms of its steps."""
VARIED = 0.7
"""How much this differs between people and attributes, as the spread of its logarithm."""
MOST_ROUGH = np.float32(30.0)
"""The logarithm of the largest step: far beyond what makes it the only one."""
BENT = 0.7
"""How far the way from the worst to the best is bent: more is worth less the more there is, or the other way round."""
UNLIKE = 0.5
"""How unlike both sides of a peak are, likewise."""
NO_ORDER = 0.12
"""The share of people who have no order of their own where the catalogue says that people have one, by attribute."""
DECIDED_NO_ORDER, DECIDED_APART = 0.02, 0.2
"""The same for decided people, and how much the importance of things without an order differs between them."""
CARE = 0.85
"""How likely an attribute with a direction, or a quantity, matters to somebody."""
ALWAYS = 0.95
"""Whatever is sure to matter is taken to matter so often, and hardly to everybody else."""
SHARPNESS: Table = ((4.0, 0.2), (7.0, 0.35), (12.0, 0.22), (25.0, 0.11), (70.0, 0.07), (200.0, 0.05))
LAPSES: Table = ((0.02, 0.4), (0.08, 0.4), (0.25, 0.2))
"""How often people take any option: with less, options given 90% are taken less often than that in studies."""
MOST_TRIES = 6
"""Places tried on each ellipse; whoever finds none stays as they are."""
MOVING = (0.5, 0.15, 0.5, 0.15, 0.5, 0.15)
"""After an answer a second person is drawn so often for each; shares of the normal numbers that move at a time."""
BY_CHOICES = MOVING[:4]
"""The same where nothing but choices was said: these leave people wider apart, and fewer rounds do as well."""


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

    @property
    def moving_by_choices(self) -> tuple[float, ...]:
        """The same where nobody gave a reason or a change."""

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
    moving_by_choices: tuple[float, ...] = BY_CHOICES
    no_order: float = NO_ORDER
    """How likely they have no order of their own where the catalogue says that people have one, by attribute."""
    apart: float = APART
    """How much the importance of things without an order differs between people."""

    @cached_property
    def starts(self) -> Ints:
        """Where the numbers of each attribute and quantity start."""
        sizes = [3 + size for size in self.space.domains] + [1] * len(self.space.quantities)
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
    def _directed(self) -> tuple[tuple[int, str, Ints, Singles], ...]:
        """Attributes with an order: their values from the worst to the best, and where these are on a scale to 1."""
        found = []
        for place, each in enumerate(self.space.attributes):
            if each.better and len(each.values) > 1:
                scale = np.array(goodness_of(each) or scale_of(each), dtype=np.float32)
                order = np.argsort(scale, kind="stable")
                found.append((place, str(each.better), order, scale[order]))
        return tuple(found)

    @cached_property
    def _of_values(self) -> Ints:
        """Which numbers are those of values."""
        sizes = np.repeat(self.starts[:-1], np.append(self.space.domains, np.zeros(len(self.space.quantities), int)))
        return np.asarray(sizes + 3 + _within(self.space.domains), dtype=np.int64)

    @cached_property
    def _columns(self) -> Ints:
        """Attributes × values: the one-hot columns of each, the last one again where others have more."""
        return padded(self.space.offsets)

    @cached_property
    def _rising(self) -> _Rising | None:
        """All attributes with an order but those with a peak, side by side."""
        found = [each for each in self._directed if each[1] != "peak"]
        return _Rising.of(self, found) if found else None

    def weights(self, numbers: Singles) -> Singles:
        """All values at once, as if nobody followed a direction; then those who do."""
        space, starts = self.space, self.starts
        count = len(space.domains)
        importance = numbers[starts[:count]]
        spread = np.float32(SPREAD) * np.exp(np.float32(self.apart) * importance)
        spread *= (importance > self._least[:count, None]) | (self._floor[:count, None] > 0)
        values = numbers[self._of_values]
        values *= np.repeat(spread, space.domains, axis=0)
        if self._rising is not None:
            places, columns = self._rising.places, self._rising.columns
            rows = self._rising.weights(numbers, self._cares(numbers, places))
            goes_by_none = self._goes_by_none(numbers, places)[self._rising.owners]
            values[columns] = np.where(goes_by_none, values[columns], rows)
        for place, better, order, scale in self._directed:
            if better == "peak":
                shape = _peaked(scale, numbers[starts[place] + 2 : starts[place + 1]])
                columns, places = space.offsets[place] + order, np.array([place])
                rows = self._cares(numbers, places) * shape
                values[columns] = np.where(self._goes_by_none(numbers, places), values[columns], rows)
        lowest = values[self._columns].min(axis=1)
        values -= np.repeat(lowest, space.domains, axis=0)  # only differences count; nothing is worth less than nothing
        above = np.maximum(numbers[starts[count] :] - self._least[count:, None], self._floor[count:, None])
        return np.concatenate([values, np.float32(2 * RISE) * above])

    def _cares(self, numbers: Singles, places: Ints) -> Singles:
        """What the best value of each of these attributes is worth more than the worst."""
        own = numbers[self.starts[places]] - self._least[places, None]
        cares: Singles = np.float32(RISE) * np.maximum(own, self._floor[places, None])
        return cares

    def _goes_by_none(self, numbers: Singles, places: Ints) -> Bools:
        """Who does not follow the direction of each of these attributes."""
        return np.asarray(numbers[self.starts[places] + 1] < ndtri(self.no_order))


@dataclass(frozen=True, eq=False)
class _Rising:
    """Attributes whose values rise from the worst to the best, padded to the same number of values."""

    places: Ints
    rough: Ints
    """For each attribute, the number that says how uneven its way is; the next one says how it is bent."""
    steps: Ints
    """Attributes × steps: the numbers of steps; those beyond the last have a length of nothing."""
    scale: Singles
    """Attributes × values: the logarithms of where values are on the scale; beyond the last, that of the end."""
    given: Bools
    """Attributes × values: what is no padding."""
    columns: Ints
    """The one-hot columns of what is none."""

    @classmethod
    def of(cls, tastes: OrdinaryTastes, directed: Sequence[tuple[int, str, Ints, Singles]]) -> _Rising:
        most = max(len(order) for _, _, order, _ in directed)
        places = np.array([place for place, *_ in directed])
        sizes = np.array([len(order) for _, _, order, _ in directed])
        rough = tastes.starts[places] + 2
        with np.errstate(divide="ignore"):
            scale = np.array([np.log(np.pad(each, (0, most - len(each)), mode="edge")) for *_, each in directed])
        steps = rough[:, None] + 2 + np.minimum(np.arange(most - 1), sizes[:, None] - 2)
        columns = np.concatenate([tastes.space.offsets[place] + order for place, _, order, _ in directed])
        return cls(places, rough, steps, scale.astype(np.float32), np.arange(most) < sizes[:, None], columns)

    @cached_property
    def owners(self) -> Ints:
        """Which of the attributes each column belongs to."""
        return np.repeat(np.arange(len(self.places)), self.given.sum(axis=1))

    def weights(self, numbers: Singles, cares: Singles) -> Singles:
        """From 0 at the worst value to what is cared at the best, in steps that are uneven as each person has it."""
        rough = np.float32(ROUGH) * np.exp(np.float32(VARIED) * numbers[self.rough])
        bent = np.exp(self.scale[:, :, None] * np.exp(np.float32(BENT) * numbers[self.rough + 1])[:, None])
        steps = np.minimum(rough[:, None] * numbers[self.steps], MOST_ROUGH)
        shape = np.zeros_like(bent)
        np.cumsum(np.diff(bent, axis=1) * np.exp(steps, out=steps), axis=1, out=shape[:, 1:])
        shape *= (cares / shape[:, -1])[:, None]
        found: Singles = shape[self.given]
        return found


def _within(sizes: Sequence[int]) -> Ints:
    """0, 1, ... within each of several blocks of these sizes."""
    ends = np.cumsum(sizes)
    return np.asarray(np.arange(int(ends[-1])) - np.repeat(ends - sizes, sizes), dtype=np.int64)


def decided_tastes(space: Space, share: float, matters: tuple[float, ...]) -> OrdinaryTastes:
    """People who follow nearly every direction of the catalogue, and answer as surely as those of the prior's kinds."""
    return OrdinaryTastes(
        space,
        share,
        tuple(max(chance, ALWAYS) if chance >= CARE else chance for chance in matters),
        sharpness=evidence.SHARPNESS,
        lapses=evidence.LAPSES,
        no_order=DECIDED_NO_ORDER,
        apart=DECIDED_APART,
    )


def _peaked(scale: Singles, numbers: Singles) -> Singles:
    """1 at the best value and 0 at the worst, falling to both sides of a place that follows from the first number.

    For every second person that place is beyond all values, so they want as much, or as little, as they can have.
    """
    away = scale[:, None] - (2 * ndtr(numbers[0]) - np.float32(0.5))
    fall = np.where(away < 0, -away, away * np.exp(np.float32(2 * UNLIKE) * numbers[-1]))
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
    own = {part: _part_of_manner(tastes, part, size, rng) for part in ("sharpness", "lapse")}
    return replace(Manner.drawn(rng, size), **own)


def _part_of_manner(tastes: Tastes, part: str, size: int, rng: np.random.Generator) -> Any:
    own = {"sharpness": tastes.sharpness, "lapse": tastes.lapses}
    return drawn_from(own[part], rng, size) if part in own else Manner.part(part, rng, size)


def moved_people(
    tastes: Tastes, people: People, said: Statements, rng: np.random.Generator, *, rounds: int | None = None
) -> People:
    """The same people after steps that leave the posterior as it is; all rounds of them, or only so many."""
    numbers, manner = people.numbers, people.manner
    if not numbers.shape[1]:
        return people
    weights = tastes.weights(numbers)
    logs = said.log_likelihood(weights, manner)
    says_more = len(said.reasons) or len(said.changes)
    for moving in (tastes.moving if says_more else tastes.moving_by_choices)[:rounds]:
        numbers, weights, logs = _around_the_ellipse(tastes, numbers, weights, logs, manner, said, rng, moving)
        manner, logs = _answering_otherwise(tastes, weights, logs, manner, said, rng)
    return People(numbers, manner)


def _around_the_ellipse(
    tastes: Tastes,
    numbers: Singles,
    weights: Singles,
    logs: Singles,
    manner: Manner,
    said: Statements,
    rng: np.random.Generator,
    moving: float,
) -> tuple[Singles, Singles, Singles]:
    """Everybody on to somebody at least as likely as a random share of how likely they are themselves.

    The weights follow from the numbers, and the logarithms say how likely they are.
    """
    size = numbers.shape[1]
    moves = rng.random((int(tastes.blocks.max()) + 1, size), dtype=np.float32)[tastes.blocks] < moving
    other = np.zeros_like(numbers)
    other[moves] = rng.standard_normal(int(moves.sum()), dtype=np.float32)
    start = numbers * moves
    stays = numbers - start
    numbers, weights, logs = numbers.copy(), weights.copy(), logs.copy()
    least = logs + np.log(1 - rng.random(size, dtype=np.float32))
    angle = np.float32(2 * np.pi) * np.asarray(rng.random(size, dtype=np.float32))
    low: Singles = angle - np.float32(2 * np.pi)
    high = angle.copy()
    left = np.arange(size)
    for _ in range(MOST_TRIES):
        tried = start * np.cos(angle)
        tried += other * np.sin(angle)
        tried += stays
        worth = tastes.weights(tried)
        found = said.log_likelihood(worth, manner)
        is_good = found > least
        good, there = np.flatnonzero(is_good), left[is_good]
        numbers[:, there], weights[:, there], logs[there] = tried[:, good], worth[:, good], found[good]
        bad = np.flatnonzero(~is_good)
        if not len(bad):
            break
        left, manner, least, angle = left[bad], manner[bad], least[bad], angle[bad]
        start, other, stays = start[:, bad], other[:, bad], stays[:, bad]
        back = angle < 0
        low, high = np.where(back, angle, low[bad]), np.where(back, high[bad], angle)
        angle = low + (high - low) * rng.random(len(left), dtype=np.float32)
    return numbers, weights, logs


def _answering_otherwise(
    tastes: Tastes, weights: Singles, logs: Singles, manner: Manner, said: Statements, rng: np.random.Generator
) -> tuple[Manner, Singles]:
    """One part of everybody's manner drawn anew from the prior, and taken where it explains the answers."""
    parts = ["sharpness", "lapse", "plain"]
    parts += ["reason_sharpness", "reason_lapse"] * bool(len(said.reasons))
    parts += ["change_sharpness", "change_lapse"] * bool(len(said.changes))
    part = parts[int(rng.integers(len(parts)))]
    proposed = replace(manner, **{part: _part_of_manner(tastes, part, len(logs), rng)})
    found = said.log_likelihood(weights, proposed)
    taken: Bools = np.log(1 - rng.random(len(logs), dtype=np.float32)) < found - logs
    return manner.where(taken, proposed), np.where(taken, found, logs)
