"""Many people who would all have answered like this one: a sample of the posterior, moved on with every answer.

A new answer is learnt as in sequential Monte Carlo. Everybody is weighted by how likely they were to say it, drawn
again in proportion, and then moved by steps that leave the posterior as it is, so that copies become different people:

- *unseen*: the kind of person given the weights of values shown so far, then the weights of all others given the kind;
- *manner*: sharpness, lapses and ties are proposed anew from the prior;
- *weights*: one shown value after the other, for all people at once: zero, the weight as it is and a few fresh ones
  from the prior are compared by how well they explain the answers, and one is drawn. Every other time the fresh ones
  come from a short interval around the weight instead, which matters once much is known;
- *swaps*: two values of one attribute trade their weights, which the prior does not notice.

People with other tastes (`tastes.py`) are moved beside them by steps of their own. How likely each sort of people is,
is the mean of how likely its people's answers were; what is hardly likely keeps some people in reserve, who count for
nothing until an answer speaks for them. Without them, a few answers by chance would rule somebody out for good.

Whether that worked is measured as by split R-hat, the descendants of one ancestor being one chain: see `_r_hat`.

NumPy does one feature of all people at a time, and only answers in which it differs have a say. That needs no gradient,
so weights that are exactly zero are no obstacle, which they are for Hamiltonian methods; and no library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from setmargin.arrays import Bools, Floats, Ints
from setmargin.strategies.bayes.picks import MovingChanges, Statements, nothing_said
from setmargin.strategies.bayes.prior import Shape
from setmargin.strategies.bayes.tastes import People, first_people, moved_people
from setmargin.strategies.shared.evidence import Manner, Singles, log_likelihood

Halves = NDArray[np.float16]

FRESH = 4
"""Weights that are tried for one feature of one person at a time."""
SWAPS = 8
LOCAL = (0.05, 0.4)
"""The shortest and longest interval around a weight, as a share of its reach."""
MOST_FEATURES = 160
"""So many features are moved in one sweep at most; those of the newest question always are."""
MOST_TALKED_ABOUT = 48
"""The same where reasons or changes were given, which take longer, and say more about each."""
MOST_PASSED_OVER = 8
"""Attributes whose unnamed values are drawn anew in one sweep."""
MOST_SWEEPS = 2
"""Sweeps after an answer where reasons or changes were given: a third was no better on other people."""
RESERVE = 128
"""Whatever people may be like, so many of that sort are kept, so that later answers can still speak for it."""
UNLIKELY, FEW_ROUNDS = 0.1, 2
"""People of a sort that is less likely are moved by so few rounds: they hardly count yet."""
HOPELESS = 1e-9
"""What is less likely is given up."""
WORST_R_HAT = 2.5
"""Chains that run on their own have to come below 1.1; people need not forget their ancestors, only outgrow them."""


@dataclass(frozen=True)
class Mixing:
    """How well the sample follows: the share of people that the last answer left standing, and that moved since.

    `r_hat` says how much descendants of one ancestor still are alike: 1 where they are like anybody else.
    """

    effective: float = 1.0
    survivors: float = 1.0
    moved: float = 1.0
    sweeps: int = 0
    r_hat: float = 1.0

    @property
    def is_poor(self) -> bool:
        """Whether one more sweep is due."""
        wanted = 1 if self.effective >= 0.2 else 2 if self.effective >= 0.05 else 3
        stuck = self.moved < 0.2 or self.r_hat > WORST_R_HAT
        return self.sweeps < wanted or (stuck and self.sweeps < 4)


@dataclass(frozen=True, eq=False)
class Population:
    """A sample of people: weights (features × people), what kind they are of, and how they answer.

    It is kept in half precision, so that a belief is small; three digits of a weight are more than answers tell.
    """

    weights: Halves
    kind: Ints
    """Whoever is of a kind behind those of the prior has tastes that follow from `numbers`."""
    manner: Manner
    mixing: Mixing = Mixing()
    numbers: tuple[Halves, ...] = ()
    """For each kind of tastes, the normal numbers of those who have it (numbers × people), in their order here."""
    shares: tuple[float, ...] = (1.0,)
    """How likely the person is of one of the prior's kinds, and of each kind of tastes."""
    reserve: Population | None = None
    """More people of what is hardly likely, who are not counted: later answers may speak for them."""

    @property
    def size(self) -> int:
        """How many people."""
        return len(self.kind)

    def people(self, kind: int, number: int, drawn: Ints) -> People:
        """Those of the drawn people who are of this kind, whose tastes have this number."""
        columns = np.cumsum(self.kind == kind) - 1
        chosen = drawn[self.kind[drawn] == kind]
        return People(self.numbers[number][:, columns[chosen]].astype(np.float32), self.manner[chosen])

    def with_reserve(self) -> Population:
        """Everybody, those in reserve behind the others."""
        if self.reserve is None:
            return self
        more = self.reserve
        return Population(
            np.concatenate([self.weights, more.weights], axis=1),
            np.concatenate([self.kind, more.kind]),
            Manner.joined([self.manner, more.manner]),
            self.mixing,
            tuple(np.concatenate(both, axis=1) for both in zip(self.numbers, more.numbers, strict=True)),
            self.shares,
        )

    def only(self, chosen: Ints, kinds: int) -> Population:
        """Some of the people, in this order; the prior has so many kinds."""
        of_tastes = [self.kind == kinds + number for number in range(len(self.numbers))]
        return Population(
            self.weights[:, chosen],
            self.kind[chosen],
            self.manner[chosen],
            self.mixing,
            tuple(
                each[:, (np.cumsum(mine) - 1)[chosen[mine[chosen]]]]
                for each, mine in zip(self.numbers, of_tastes, strict=True)
            ),
            self.shares,
        )


def first_population(shape: Shape, size: int, rng: np.random.Generator) -> Population:
    """People from the prior."""
    shares = [tastes.share for tastes in shape.tastes]
    counts = _counts(shares, size)
    made = [max(count, _reserve(size)) for count in counts] if shape.tastes else counts
    weights = np.zeros((shape.features, made[0]), dtype=np.float32)
    nobody = np.zeros(made[0], dtype=np.int64)
    chains = _Chains(shape, nothing_said(shape.starts), weights, nobody, Manner.drawn(rng, made[0]), rng)
    chains.unseen()
    others = [first_people(*each, rng) for each in zip(shape.tastes, made[1:], strict=True)]
    counted = np.concatenate([np.arange(many) < count for many, count in zip(made, counts, strict=True)])
    return _gathered(shape, chains, others, Mixing(), (1 - sum(shares), *shares), counted, rng)


def _counts(shares: Sequence[float], size: int) -> list[int]:
    """How many people there are of the kinds together, and of each tastes; at least one of everything."""
    counts = [max(1, round(size * share)) for share in shares]
    return [max(1, size - sum(counts)), *counts]


def _reserve(size: int) -> int:
    """How many people everything keeps that is likely at all."""
    return min(RESERVE, size // 2)


def learnt(
    population: Population, shape: Shape, said: Statements, new: Statements, rng: np.random.Generator
) -> Population:
    """The people who explain all that was said, whose last part is new."""
    size, population = population.size, population.with_reserve()
    weights = population.weights.astype(np.float32)
    group = np.maximum(population.kind - shape.kinds + 1, 0)
    shares, chances = _shares(new.log_likelihood(weights, population.manner), group, population.shares)
    drawn = _resampled(chances, size, rng)
    effective, survivors = float(1 / (chances**2).sum()) / size, len(np.unique(drawn)) / size
    more = [_more(chances, group, drawn, number, share, rng) for number, share in enumerate(shares)]
    everybody = np.concatenate([drawn, *more])
    counted = np.arange(len(everybody)) < size
    order = np.lexsort((everybody, group[everybody]))
    everybody, counted = everybody[order], counted[order]
    usual = everybody[population.kind[everybody] < shape.kinds]
    chains = _Chains(shape, said, weights[:, usual], population.kind[usual], population.manner[usual], rng)
    mixing = Mixing(effective, survivors, moved=1.0, sweeps=0)
    while len(usual) and mixing.is_poor and not (chains.picks and mixing.sweeps >= MOST_SWEEPS):
        moved = chains.sweep(new.named)
        mixing = Mixing(effective, survivors, moved, mixing.sweeps + 1, _r_hat(chains.differences, usual))
    others = [
        moved_people(
            tastes,
            population.people(shape.kinds + number, number, everybody),
            said,
            rng,
            rounds=FEW_ROUNDS if shares[1 + number] < UNLIKELY else None,
        )
        for number, tastes in enumerate(shape.tastes)
    ]
    return _gathered(shape, chains, others, mixing, shares, counted, rng)


def _shares(logs: Singles, group: Ints, shares: Sequence[float]) -> tuple[tuple[float, ...], Floats]:
    """How likely each group is after an answer that its people give with these logarithms, and everybody in it."""
    likely = np.exp(logs.astype(float) - logs.max())
    count = np.bincount(group, minlength=len(shares))
    summed = np.bincount(group, likely, minlength=len(shares))
    after = np.array(shares) * summed / np.maximum(count, 1)
    after /= after.sum()
    chances: Floats = likely * np.divide(after, summed, out=np.zeros(len(shares)), where=summed > 0)[group]
    return tuple(after.tolist()), chances / chances.sum()


def _more(chances: Floats, group: Ints, drawn: Ints, number: int, share: float, rng: np.random.Generator) -> Ints:
    """People of a group of whom too few were drawn to be sure that it is gone."""
    missing = _reserve(len(drawn)) - int((group[drawn] == number).sum())
    own = np.flatnonzero(group == number)
    if missing <= 0 or not len(own) or share < HOPELESS or len(own) == len(group):
        return np.zeros(0, dtype=np.int64)
    found: Ints = own[_resampled(chances[own] / chances[own].sum(), missing, rng)]
    return found


def _gathered(
    shape: Shape,
    chains: _Chains,
    others: Sequence[People],
    mixing: Mixing,
    shares: tuple[float, ...],
    counted: Bools,
    rng: np.random.Generator,
) -> Population:
    """Everybody who is counted in one population, in no order, so that the first few stand for all."""
    if not others:
        return Population(chains.weights.astype(np.float16), chains.kind, chains.manner, mixing)
    weights = [chains.weights, *(tastes.weights(p.numbers) for tastes, p in zip(shape.tastes, others, strict=True))]
    kinds = [np.full(p.numbers.shape[1], shape.kinds + number) for number, p in enumerate(others)]
    everybody = Population(
        np.concatenate(weights, axis=1).astype(np.float16),
        np.concatenate([chains.kind, *kinds]),
        Manner.joined([chains.manner, *(each.manner for each in others)]),
        mixing,
        tuple(each.numbers.astype(np.float16) for each in others),
        shares,
    )
    mixed = everybody.only(rng.permutation(np.flatnonzero(counted)), shape.kinds)
    return replace(mixed, reserve=everybody.only(np.flatnonzero(~counted), shape.kinds))


def _resampled(chances: Floats, size: int, rng: np.random.Generator) -> Ints:
    """So many people, systematically: everybody as often as their chance says, up to one."""
    marks = (rng.random() + np.arange(size)) / size
    drawn: Ints = np.searchsorted(np.cumsum(chances), marks).clip(max=len(chances) - 1)
    return drawn


def _r_hat(figures: Singles, ancestors: Ints) -> float:
    """How much wider everybody's figures (rows × people) spread than those of one ancestor's descendants; at least 1.

    The correlation between descendants of one ancestor, averaged over rows, is what R-hat makes of chains this short.
    Ancestors are in order. Where all have the same one it cannot tell; the effective sample size then does.
    """
    starts = np.flatnonzero(np.diff(ancestors, prepend=-1))
    sizes = np.diff(np.append(starts, len(ancestors))).astype(float)
    pairs = (sizes * (sizes - 1)).sum()
    spread = figures.std(axis=1, keepdims=True, dtype=float)
    rows = (figures - figures.mean(axis=1, keepdims=True, dtype=float))[spread[:, 0] > 1e-6]
    if not pairs or not len(rows):
        return 1.0
    rows /= spread[spread > 1e-6][:, None]
    alike = ((np.add.reduceat(rows, starts, axis=1) ** 2).sum() - (rows**2).sum()) / pairs / len(rows)
    return float(1 / np.sqrt(1 - np.clip(alike, 0.0, 0.9999)))


def _one_of(logs: Floats, rng: np.random.Generator) -> Ints:
    """One row for each column, drawn in proportion."""
    heights = np.cumsum(np.exp(logs - logs.max(axis=0)), axis=0)
    drawn: Ints = (heights < rng.random(logs.shape[1]) * heights[-1]).sum(axis=0)
    return drawn


class _Chains:
    """The population while it moves, with all differences and counts kept up to date; never leaves this module."""

    def __init__(
        self, shape: Shape, said: Statements, weights: Singles, kind: Ints, manner: Manner, rng: np.random.Generator
    ) -> None:
        self.shape, self.said, self.evidence, self.rng = shape, said, said.comparisons, rng
        self.weights, self.kind, self.manner = np.ascontiguousarray(weights), kind, manner
        self.size = len(kind)
        self.differences: Singles = self.evidence.rows @ self.weights
        self.shown: Bools = said.named | said.passed_over
        self.picks = said.moving(self.weights, manner)
        self.counts = np.add.reduceat(self.weights > 0, shape.starts[:-1], axis=0, dtype=np.int64)

    def sweep(self, newest: Bools) -> float:
        """Every kind of step once; the share of visited weights that changed."""
        self.unseen()
        self._manners()
        features = self._visited(newest)
        before = self.weights[features]
        thing = -1
        for feature in features.tolist():
            if self.picks and self.shape.group[feature] != thing:
                thing = int(self.shape.group[feature])
                for picks in self.picks:
                    picks.begin(thing)
            self._weight(feature)
        logs = log_likelihood(self.differences, self.evidence, self.manner)
        for _ in range(SWAPS):
            logs = self._swap(logs)
        self.differences = self.evidence.rows @ self.weights  # rounding does not add up
        changed = (self.weights[features] != before) | (before == 0)
        return float(changed.mean()) if len(features) else 1.0

    def _visited(self, newest: Bools) -> Ints:
        """The newest question's features, and others in random order as long as there is time.

        Where reasons or changes were given, those of one thing follow each other.
        """
        others = self.rng.permutation(np.flatnonzero(self.said.named & ~newest))
        most = MOST_TALKED_ABOUT if self.picks else MOST_FEATURES
        newest_first = np.concatenate([np.flatnonzero(newest), others])[: max(most, int(newest.sum()))]
        visited = self.rng.permutation(newest_first)
        if not self.picks:
            return visited
        things = self.rng.permutation(len(self.shape.sizes))[self.shape.group[visited]]
        return visited[np.argsort(things, kind="stable")]

    # What no question has shown

    def unseen(self) -> None:
        """The kind given what was shown, with the rest summed out; then the rest given the kind."""
        groups = range(len(self.shape.sizes))
        shown = np.add.reduceat(self.shown, self.shape.starts[:-1], dtype=np.int64)
        mattering = np.add.reduceat(
            (self.weights > 0) & self.shown[:, None], self.shape.starts[:-1], axis=0, dtype=np.int64
        )
        tables = [self.shape.table(group, int(shown[group])) for group in groups]
        logs = sum(tables[group][0][:, mattering[group]] for group in groups) + self.shape.log_chances[:, None]
        self.kind = _one_of(np.asarray(logs), self.rng)
        for group in groups:
            hidden = self._of_group(group, ~self.shown)
            if len(hidden):
                self._draw(group, hidden, tables[group][1], mattering[group])
        for changes in self.picks:
            if isinstance(changes, MovingChanges):
                groups_left = self.rng.permutation(np.unique(self.shape.group[self.said.passed_over]))
                for group in groups_left[:MOST_PASSED_OVER].tolist():
                    self._passed_over(changes, group)

    def _passed_over(self, changes: MovingChanges, group: int) -> None:
        """Weights of values that could have been changed, and that nobody named.

        They are drawn from the prior, and taken where the changes that were named are likely with them too.
        """
        hidden = self._of_group(group, ~self.said.named)
        before, counts = self.weights[hidden].copy(), self.counts[group].copy()
        _, up_to = self.shape.table(group, int(self.shape.sizes[group]) - len(hidden))
        self._draw(group, hidden, up_to, counts - (before > 0).sum(axis=0))
        changes.begin(group)
        block = slice(*self.shape.starts[group : group + 2])
        accepted = self._accepted(changes.replaced(self.weights[block]))
        changes.replace(self.weights[block], accepted)
        self.weights[hidden] = np.where(accepted, self.weights[hidden], before)
        self.counts[group] = np.where(accepted, self.counts[group], counts)

    def _of_group(self, group: int, chosen: Bools) -> Ints:
        """The numbers of a group's chosen features."""
        start, end = self.shape.starts[group : group + 2]
        found: Ints = start + np.flatnonzero(chosen[start:end])
        return found

    def _draw(self, group: int, hidden: Ints, up_to: Floats, mattering: Ints) -> None:
        """Weights of a group's hidden features, given how many of the others matter."""
        more = (up_to[self.kind, mattering] < self.rng.random(self.size)[:, None]).sum(axis=1).clip(max=len(hidden))
        keys = self.rng.random((len(hidden), self.size), dtype=np.float32)
        last = np.sort(keys, axis=0)[np.maximum(more, 1) - 1, np.arange(self.size)]
        fresh = self._fresh(self.shape.reach[hidden[0]], len(hidden))
        self.weights[hidden] = np.where((keys <= last) & (more > 0), fresh, np.float32(0))
        self.counts[group] = mattering + more

    def _fresh(self, reach: float, rows: int) -> Singles:
        """Weights that matter; never exactly zero."""
        drawn: Singles = np.float32(reach) * (1 - self.rng.random((rows, self.size), dtype=np.float32))
        return drawn

    # How they answer

    def _manners(self) -> None:
        current = log_likelihood(self.differences, self.evidence, self.manner)
        for part in ("sharpness", "lapse", "plain"):
            proposed = replace(self.manner, **{part: Manner.part(part, self.rng, self.size)})
            logs = log_likelihood(self.differences, self.evidence, proposed)
            taken = self._accepted(logs - current)
            current = np.where(taken, logs, current)
            self.manner = self.manner.where(taken, proposed)
        if self.picks:
            self._manners_of_picks()

    def _manners_of_picks(self) -> None:
        for kind, count, likelihood in (
            ("reason", len(self.said.reasons), self.said.log_reasons),
            ("change", len(self.said.changes), self.said.log_changes),
        ):
            if not count:
                continue
            part = f"{kind}_{self.rng.choice(['sharpness', 'lapse'])}"
            proposed = replace(self.manner, **{part: Manner.part(part, self.rng, self.size)})
            ratio = likelihood(self.weights, proposed) - likelihood(self.weights, self.manner)
            self.manner = self.manner.where(self._accepted(ratio), proposed)
        self.picks = self.said.moving(self.weights, self.manner)

    def _accepted(self, log_ratio: Singles) -> Bools:
        accepted: Bools = np.log(1 - self.rng.random(self.size, dtype=np.float32)) < log_ratio
        return accepted

    # What they value

    def _weight(self, feature: int) -> None:
        """Draw one weight anew for everybody: zero, the old one, or one of a few fresh ones."""
        rows, about = self.evidence.about(self.evidence.rows[:, feature] != 0)
        effect = about.rows[:, feature][:, None]
        old = self.weights[feature].copy()
        tried, logs = self._tried(feature, old)
        moved = self.differences[rows] + effect * (tried - old)[:, None, :]
        logs = logs + log_likelihood(moved, about, self.manner)
        for picks in self.picks:
            logs = logs + picks.tried(feature, tried - old)
        choice = _one_of(logs, self.rng)
        new = tried[choice, np.arange(self.size)]
        self.weights[feature] = new
        self.differences[rows] += effect * (new - old)
        for picks in self.picks:
            picks.move(feature, new - old)
        self.counts[self.shape.group[feature]] += (new > 0).astype(np.int64) - (old > 0)

    def _tried(self, feature: int, old: Singles) -> tuple[Singles, Floats]:
        """Weights to choose from, with the logarithm of how much the prior likes each.

        Nearby ones are drawn from an interval that was itself drawn around the old weight; seen from any of them it is
        as likely, so they all weigh the same. Zero is then no choice, and stays where it is.
        """
        group, matters = self.shape.group[feature], old > 0
        fresh = 2 if len(self.said.changes) and self.shape.sizes[group] == 1 else FRESH  # every change is about it
        tried = np.zeros((fresh + 1, self.size), dtype=np.float32)
        if self.rng.random() < 0.5:
            sets = self.shape.log_sets[group]
            others = self.counts[group] - matters
            tried[1:] = self._fresh(self.shape.reach[feature], fresh)
            tried[1] = np.where(matters, old, tried[1])
            on = sets[self.kind, others + 1] - np.log(fresh)
            return tried, np.vstack([sets[self.kind, others][None], np.broadcast_to(on, (fresh, self.size))])
        tried[1:] = np.where(matters, self._nearby(feature, old, fresh), np.float32(0))
        tried[1] = old
        logs = np.zeros(tried.shape)
        logs[0] = -np.inf
        return tried, logs

    def _nearby(self, feature: int, old: Singles, count: int) -> Singles:
        reach = np.float32(self.shape.reach[feature])
        width = reach * np.float32(self.rng.uniform(*LOCAL))
        low = old - width * self.rng.random(self.size, dtype=np.float32)
        low, high = np.maximum(low, np.float32(1e-6)), np.minimum(low + width, reach)
        nearby: Singles = low + (high - low) * self.rng.random((count, self.size), dtype=np.float32)
        return nearby

    def _swap(self, before: Singles) -> Singles:
        """Let two values of one attribute trade places, another pair for each person; how likely choices are then.

        A quantity is alone, and trades with itself. Where reasons or changes were given, everybody trades within one
        attribute, so that nothing else has to be summed up again.
        """
        features = np.flatnonzero(self.shown)
        if self.picks:
            features = self._of_group(int(self.shape.group[self.rng.choice(features)]), self.shown)
        one = features[self.rng.integers(len(features), size=self.size)]
        group, everybody = self.shape.group[one], np.arange(self.size)
        other = self.shape.starts[group] + self.rng.integers(self.shape.sizes[group])
        mine, theirs = self.weights[one, everybody], self.weights[other, everybody]
        rows = self.evidence.rows
        moved = self.differences + (rows[:, one] - rows[:, other]) * (theirs - mine)
        after = log_likelihood(moved, self.evidence, self.manner)
        block, ratio = slice(*self.shape.starts[group[0] : group[0] + 2]), after - before
        self.weights[one, everybody], self.weights[other, everybody] = theirs, mine
        for picks in self.picks:
            picks.begin(int(group[0]))
            ratio = ratio + picks.replaced(self.weights[block])
        taken = self._accepted(ratio)
        for picks in self.picks:
            picks.replace(self.weights[block], taken)
        self.weights[one, everybody] = np.where(taken, theirs, mine)
        self.weights[other, everybody] = np.where(taken, mine, theirs)
        self.differences = np.where(taken, moved, self.differences)
        return np.where(taken, after, before)
