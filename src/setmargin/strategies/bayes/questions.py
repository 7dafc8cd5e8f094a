"""Which question to ask: sets of configurations that are good for different people, and what an answer is worth.

Sets come from query iteration: start with configurations that different people of the sample would take; let everybody
take the best of the set, replace each option by what is best for those who took it, and repeat. All starts move in one
batch of oracle calls. What comes out, what it went through, and other pairs of people's favourites are then compared by
`values`: the answer is foreseen, "no difference" and slips included, and after each answer everybody is weighted by it;
a question is worth what the best *next* set would be worth then. Looking at sets rather than at the one recommendation
counts what an answer prepares, not only what it decides. Once little is at stake few answers promise even that much, so
what they tell about the best value of each attribute counts too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.shared.evidence import Singles, answer_chances

Set = frozenset[tuple[int, ...]]

STILL_GOOD = 0.7
"""The share of the best value with which a set is still good enough after a skip."""
HOLD = 100.0
"""Outweighs any taste: an attribute that is held keeps its value."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much is tried for one question."""

    pool: int = 64
    """Configurations that people of the sample would take, as material for sets."""
    starts: int = 12
    iterations: int = 3
    others: int = 60
    """Sets that are judged as they are, without query iteration."""
    ahead: int = 4
    """The size of the next set by which a question is judged."""
    now: float = 0.2
    """How much what an answer decides at once counts beside what it prepares."""
    about: float = 0.05
    """How much a bit about the best value of an attribute counts beside both."""
    outlook: int = 24
    """Configurations out of which next sets are made."""
    judged: int = 256
    """People by whom sets are judged."""
    finalists: int = 48


@dataclass(frozen=True, eq=False)
class Found:
    """The best question, and how much less would be lost after its answer."""

    options: Ints
    value: float


def find_question(
    samples: Samples,
    *,
    size: int,
    asked: Collection[Set],
    passed: Ints,
    differences: int | None,
    reach: Floats,
    effort: Effort,
    rng: np.random.Generator,
) -> Found | None:
    """The most valuable set that may be asked, with fewer options where so many cannot be; None if there is none left.

    After options that were just passed over, the one of the valuable sets that shares least with them.
    """
    pool = _pool(samples, effort.pool, rng)
    if len(pool) < 2:
        return None
    tries = _tries(samples, pool, size, differences, effort, rng)
    may = next((kept for sets in tries if len(kept := _allowed(samples, sets, asked, reach))), None)
    if may is None:
        return None
    gains = values(samples.first(effort.judged), may, effort)
    best = int(_liked(may, gains, passed).argmax())
    return Found(may[best], float(gains[best]))


def _liked(sets: Ints, gains: Floats, passed: Ints) -> Floats:
    """What to choose a set by: its value, or, after a skip, its distance among those of nearly that value."""
    if not len(passed):
        return gains
    apart = (sets[:, :, None] != passed[None, None]).sum(axis=3).min(axis=2).sum(axis=1)
    return np.where(gains >= STILL_GOOD * gains.max(), apart + 1.0, 0.0)


# Sets


def _tries(
    samples: Samples, pool: Ints, size: int, differences: int | None, effort: Effort, rng: np.random.Generator
) -> Iterator[Ints]:
    """Sets by query iteration; then smaller ones, where a tiny space or a limit leaves no others; then any pairs."""
    for fewer in range(size, 1, -1):
        if differences is None or differences >= len(samples.oracle.space.domains):
            sets, hold = _starts(samples, pool, fewer, effort, rng), np.zeros(1)
        else:
            sets, hold = _held_starts(samples, pool, fewer, differences, effort, rng)
        better = _iterated(samples, sets[: effort.starts], hold[: effort.starts], effort.iterations)
        yield np.concatenate([sets, *better])
    yield _last_resort(samples, differences)


def _pool(samples: Samples, count: int, rng: np.random.Generator) -> Ints:
    """What some people would take, what is best for all of them, and, where all agree, what comes next."""
    some = samples.optima[rng.permutation(samples.size)[:count]]
    pool = np.unique(np.vstack([samples.favourite, some]), axis=0)
    if len(pool) >= 8:
        return pool
    runners_up = list(islice(samples.oracle.ranked_for_values(samples.mean), 8))
    return np.unique(np.vstack([pool, *runners_up]), axis=0)


def _starts(samples: Samples, pool: Ints, size: int, effort: Effort, rng: np.random.Generator) -> Ints:
    """The best pairs of the pool first, then the next and some at random; each filled up greedily."""
    worth = samples.worth(pool)
    one, other = np.triu_indices(len(pool), 1)
    together = np.concatenate([np.maximum(worth[:, [i]], worth[:, i + 1 :]).mean(axis=0) for i in range(len(pool))])
    order = np.argsort(-together, kind="stable")
    best = order[: effort.starts + effort.others // 2]
    chosen = np.concatenate([best, rng.permutation(order[len(best) :])[: effort.others // 2]])
    sets = np.stack([one[chosen], other[chosen]], axis=1)
    return pool[_filled(worth, sets, size)]


def _filled(worth: Singles, sets: Ints, size: int) -> Ints:
    """Each set with the options that add most to it, one after the other."""
    best = worth[:, sets].max(axis=2).T
    for _ in range(size - sets.shape[1]):
        added = np.array([np.maximum(worth - mine[:, None], 0).sum(axis=0).argmax() for mine in best])
        sets = np.column_stack([sets, added])
        best = np.maximum(best, worth.T[added])
    return sets


def _held_starts(
    samples: Samples, pool: Ints, size: int, differences: int, effort: Effort, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Options that agree on all attributes but a few: these are what people would take, the others are held."""
    space, count = samples.oracle.space, effort.starts + effort.others
    anchors = pool[rng.integers(len(pool), size=count)]
    anchors[::2] = samples.favourite
    free = rng.random((count, len(space.domains))).argsort(axis=1) < differences
    held = np.repeat(~free, space.domains, axis=1)
    hold = HOLD * space.onehot(anchors) * held
    people = rng.integers(samples.size, size=(size, count))
    options = [samples.oracle.best_for_values(samples.values[each] + hold) for each in people]
    return np.stack(options, axis=1), hold


def _iterated(samples: Samples, sets: Ints, hold: Floats, iterations: int) -> Iterator[Ints]:
    """Query iteration; `hold` is added to what people value."""
    for _ in range(iterations):
        count, size, _ = sets.shape
        worth = _worth_of(samples, sets)
        takes = worth >= worth.max(axis=2, keepdims=True)
        takers = (takes / takes.sum(axis=2, keepdims=True)).reshape(samples.size, -1).astype(np.float32)
        means = (takers.T @ samples.singles / np.maximum(takers.sum(axis=0), 1e-9)[:, None]).astype(float)
        again = samples.oracle.best_for_values(means + np.repeat(hold, size, axis=0) if hold.ndim > 1 else means)
        sets = again.reshape(count, size, -1)
        yield sets


def _worth_of(samples: Samples, sets: Ints) -> Singles:
    """People × sets × options."""
    count, size, width = sets.shape
    return samples.worth(sets.reshape(count * size, width)).reshape(samples.size, count, size)


def _last_resort(samples: Samples, differences: int | None) -> Ints:
    """The configurations that are best on average, pair by pair: in a tiny space little else is left."""
    ranked = np.array(list(islice(samples.oracle.ranked_for_values(samples.mean), 40)))
    one, other = np.triu_indices(len(ranked), 1)
    pairs = np.stack([ranked[one], ranked[other]], axis=1)
    few = (pairs[:, 0] != pairs[:, 1]).sum(axis=1) <= (differences or pairs.shape[2])
    kept: Ints = pairs[few]
    return kept


# What may be asked


def _allowed(samples: Samples, sets: Ints, asked: Collection[Set], reach: Floats) -> Ints:
    """Sets of different options that were not shown together before, none of them worse in every respect."""
    seen: set[Set] = set(asked)
    kept: list[int] = []
    for place, rows in enumerate(sets.tolist()):
        options = frozenset(map(tuple, rows))
        if len(options) == len(rows) and options not in seen:
            seen.add(options)
            kept.append(place)
    sets = sets[kept]
    return sets[~_has_dominated(samples, sets, reach)] if len(sets) else sets


def _has_dominated(samples: Samples, sets: Ints, reach: Floats) -> Bools:
    """Whether some option is at most as good as another in everything that anybody could care about."""
    count, size, width = sets.shape
    features = samples.oracle.space.features(sets.reshape(count * size, width)).reshape(count, size, -1)
    features = features[:, :, reach > 0]
    at_most = (features[:, :, None] <= features[:, None, :] + 1e-12).all(axis=3)
    return np.asarray((at_most & ~np.eye(size, dtype=bool)).any(axis=(1, 2)))


# What an answer is worth


def values(samples: Samples, sets: Ints, effort: Effort) -> Floats:
    """For each set, how much better off people will be on average once it is answered: at once, and one set later.

    What the answer tells is added. Sets that promise little at once are not looked at any further.
    """
    chances = answer_chances(_raw_worth(samples, sets), samples.manner) / np.float32(samples.size)
    answers, count, size = chances.shape
    everybody = np.full((1, size), 1 / size, dtype=np.float32)
    weighted = np.concatenate([chances.reshape(answers * count, size), everybody])
    after = samples.oracle.best_for_values((weighted @ samples.singles).astype(float))
    decided = np.einsum("ij,ji->i", weighted, samples.worth(after)).astype(float)
    now = decided[:-1].reshape(answers, count).sum(axis=0) - decided[-1]
    bits = effort.about * told(samples, chances) if effort.about else np.zeros(count)
    finalists = np.argsort(-(now + bits), kind="stable")[: effort.finalists]
    chosen = np.append((np.arange(answers)[:, None] * count + finalists).ravel(), -1)
    ahead = _next_sets(samples, weighted[chosen], after[chosen], effort)
    later = ahead[:-1].reshape(answers, -1).sum(axis=0) - ahead[-1]
    gains = np.full(count, -np.inf)
    gains[finalists] = later + effort.now * now[finalists] + bits[finalists]
    return gains


def told(samples: Samples, chances: Singles) -> Floats:
    """The bits that an answer tells about people's best value of each attribute, added up over attributes.

    `chances` (answers × sets × people) are those of a person and an answer together, so they add up to 1 for each set.
    """
    answers, count, size = chances.shape
    best = samples.oracle.space.onehot(samples.optima).astype(np.float32)
    joint = (chances.reshape(answers * count, size) @ best).reshape(answers, count, -1)
    apart = samples.optima.shape[1] * _bits(chances.sum(axis=2)).sum(axis=0)
    return np.asarray(apart + _bits(best.mean(axis=0)).sum() - _bits(joint).sum(axis=(0, 2)), dtype=float)


def _bits(chances: Singles) -> Singles:
    """What each contributes to the entropy."""
    bits: Singles = -chances * np.log2(np.maximum(chances, np.float32(1e-12)))
    return bits


def _raw_worth(samples: Samples, sets: Ints) -> Singles:
    """Utilities on the scale that answers depend on."""
    return _worth_of(samples, sets) * samples.best[:, None, None].astype(np.float32)


def _next_sets(samples: Samples, weighted: Singles, first: Ints, effort: Effort) -> Floats:
    """What the best next set would be worth to people weighted like this, made greedily from what is best first."""
    outlook = samples.worth(_outlook(samples, effort.outlook)).T
    best = samples.worth(first).T
    for _ in range(effort.ahead - 1):
        gains = np.stack([(np.maximum(option - best, 0) * weighted).sum(axis=1) for option in outlook])
        best = np.maximum(best, outlook[gains.argmax(axis=0)])
    worth: Floats = (best * weighted).sum(axis=1).astype(float)
    return worth


def _outlook(samples: Samples, count: int) -> Ints:
    """Configurations that together leave nobody far from their best, chosen greedily from what people would take."""
    optima = np.unique(samples.optima, axis=0)
    worth = samples.worth(optima)
    best, chosen = np.zeros(samples.size, dtype=np.float32), []
    for _ in range(min(count, len(optima))):
        added = int(np.maximum(worth - best[:, None], 0).sum(axis=0).argmax())
        chosen.append(added)
        best = np.maximum(best, worth[:, added])
    return optima[chosen]
