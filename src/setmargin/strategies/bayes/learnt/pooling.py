"""Counts of sales, pooled towards what can be built, so that a few sales say what they can and no more.

With b(v) and b(v | u) the shares among all that can be built, and counts of sales without those of few people:

    P(v)     = (count of v + t · b(v)) / (number of sales + t)
    Q(v | u) ∝ b(v | u) · (P(v) / b(v))^c
    P(v | u) = (count of u and v + s · Q(v | u)) / (count of u + s)

What fewer than LEAST_COUNT people took is not told apart: it counts for the pooling instead. How much a pair of
attributes says about each other is judged by leaving out one sale after the other, so a pair that says nothing about
the next sale gains nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Floats
from setmargin.strategies.bayes.learnt.buildable import Buildable

LEAST_COUNT = 5
"""Whatever fewer people bought together is not told apart."""
EVERYWHERE = 1e-6
"""A share of every table that goes to all values, so that none is impossible."""
RULES = 100.0
"""What attributes say about each other by the rules counts like so many sales when the tree is chosen."""


@dataclass(frozen=True)
class Strengths:
    """How strongly counts are pooled; the letters are those of the formulas above."""

    values: float
    """t: the shares of values among what can be built count like so many sales."""
    pairs: float
    """s: what can be built with a value counts like so many sales with it."""
    popularity: float
    """c: from 0, what can be built with a value counts as it is, to 1, popular values are as popular there."""


@dataclass(frozen=True, eq=False)
class Pooled:
    """Counts of sales, pooled; everything goes by the one-hot values of the attributes that were sold."""

    counts: Floats
    """Values × values: how many sales have both. The diagonal is how many have each."""
    buildable: Buildable
    strengths: Strengths
    alone: Floats
    """P(v)."""
    expected: Floats
    """Q(v | u), by u and v."""

    def tables(self) -> Floats:
        """P(v | u), by u and v."""
        kept = _kept(self.counts)
        weight = self.strengths.pairs + _sums(self.counts - kept, self.buildable)
        tables = kept + weight * self.expected
        tables = tables / _sums(tables, self.buildable) + EVERYWHERE * self.alone
        return tables / _sums(tables, self.buildable)

    def gains(self) -> Floats:
        """By how many nats attributes explain each other, over all sales, each of which is explained by the others.

        Beside that counts what the rules say about them, as many times as RULES.
        """
        starts, taken = self.buildable.offsets[:-1], np.diag(self.counts)[None]
        known = self._log_left_out(self.counts, self.strengths.pairs, self.expected)
        usual = self._log_left_out(taken, self.strengths.values, self.buildable.alone)
        gains = np.add.reduceat(np.add.reduceat(known, starts, axis=0), starts, axis=1)
        gains -= np.add.reduceat(usual, starts, axis=1)
        both: Floats = (gains + gains.T) / 2 + RULES * _information(self.buildable)
        return both

    def _log_left_out(self, counts: Floats, strength: float, expected: Floats) -> Floats:
        """For each cell, the log-likelihood of the sales that it counts, each explained by all others."""
        kept, fewer = _kept(counts), _kept(counts - 1)
        others = _sums(kept, self.buildable) - kept + fewer
        total = _sums(counts, self.buildable) - 1
        chances = (fewer + (strength + total - others) * expected) / np.maximum(total + strength, EVERYWHERE)
        logs: Floats = np.where(counts > 0, counts * np.log(np.maximum(chances, 0) + EVERYWHERE * self.alone), 0.0)
        return logs


def pooled(counts: Floats, buildable: Buildable, strengths: Strengths) -> Pooled:
    """Counts of sales (values × values), pooled so strongly towards what can be built."""
    taken, shares = np.diag(counts)[None], buildable.alone
    kept = _kept(taken)
    alone = kept + (strengths.values + _sums(taken - kept, buildable)) * shares
    alone = alone / _sums(alone, buildable) + EVERYWHERE
    alone = (alone / _sums(alone, buildable))[0]
    times = (alone / np.maximum(shares, EVERYWHERE)) ** strengths.popularity
    expected = buildable.together * times + EVERYWHERE**2 * alone  # what was never drawn goes by itself
    return Pooled(counts, buildable, strengths, alone, expected / _sums(expected, buildable))


def _sums(table: Floats, buildable: Buildable) -> Floats:
    """Rows summed up over the values of each attribute, and the sum at each of its values."""
    sums: Floats = np.add.reduceat(table, buildable.offsets[:-1], axis=1)
    return np.repeat(sums, np.diff(buildable.offsets), axis=1)


def _kept(counts: Floats) -> Floats:
    """Counts without those of few people."""
    return np.where(counts < LEAST_COUNT, 0.0, counts)


def _information(buildable: Buildable) -> Floats:
    """What attributes say about each other by the rules, in nats, less what random draws seem to say at most."""
    starts, together, alone = buildable.offsets[:-1], buildable.together, buildable.alone
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(together > 0, together * np.log(together / np.outer(alone, alone)), 0.0)
    if buildable.drawn is not None:
        parts -= (together > 0) / buildable.drawn
    found = np.add.reduceat(np.add.reduceat(parts, starts, axis=0), starts, axis=1)
    return np.where(found > 0, found, 0.0)
