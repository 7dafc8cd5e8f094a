"""Which question to ask: sets of configurations that are good for different people, or what they would change.

Sets come from query iteration: start with configurations that different people of the sample would take; let everybody
take the best of the set, replace each option by what is best for those who took it, and repeat. All starts move in one
batch of oracle calls. What comes out, what it went through, and other pairs of people's favourites are then compared by
what their answers are worth (`values.py`). Where the number of options is open, sets of two, three and four that differ
in many things or in few are judged beside "what would you change?", all by their worth for the effort of a person.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.space.trends import goodness_of
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.bayes.values import (
    Search,
    chances_of,
    judged,
    judged_at_once,
    judged_together,
    with_changes,
    with_reasons,
)
from setmargin.strategies.shared.effort import CHANGE, REASON, screen_effort
from setmargin.strategies.shared.evidence import Singles

Set = frozenset[tuple[int, ...]]

STILL_GOOD = 0.7
"""The share of the best value with which a set is still good enough after a skip."""
ANSWERED = 0.75
"""Whoever says so often what to change is not asked for reasons instead: a change was always worth more."""
HOLD = 100.0
"""Outweighs any taste: an attribute that is held keeps its value."""
STAYING = (0.002, 0.5)
"""What it may be worth to leave an attribute as it is, as a share of the best that a person could have."""
BISECTIONS = 7
"""Tries for what it is worth to leave as many attributes as they are as have to be."""
TURNS = 3
"""How often somebody changes an option of a pair, so that it differs in more."""
FEW_SETS = 4
"""Where a limit leaves more sets than these, the ones that differ in less than others give way."""


@dataclass(frozen=True, eq=False)
class Found:
    """The best question, and how much less would be lost after its answer."""

    options: Ints
    value: float
    effort: float = 1.0
    asks_for_change: bool = False

    @property
    def worth(self) -> float:
        """What it is worth for the effort."""
        return self.value / self.effort


@dataclass(frozen=True, eq=False, kw_only=True)
class Situation:
    """Who may be sitting there, and what may be asked."""

    samples: Samples
    asked: Collection[Set]
    """What was shown together before."""
    passed: Ints
    """Options that were just passed over."""
    differences: int | None
    reach: Floats
    """The largest weight of each feature."""
    search: Search
    rng: np.random.Generator


def find_question(now: Situation, *, size: int) -> Found | None:
    """The most valuable set that may be asked, with fewer options where so many cannot be; None if there is none left.

    After options that were just passed over, the one of the valuable sets that shares least with them.
    """
    pool = _pool(now.samples, now.search.pool, now.rng)
    if len(pool) < 2:
        return None
    may = _first_allowed(now, _tries(now, pool, size, now.differences))
    if may is None:
        return None
    may = _with_most_differences(now, may)
    samples = now.samples.first(now.search.judged)
    gains = judged(samples, chances_of(samples, may), now.search)
    best = int(_liked(may, gains, now.passed).argmax())
    return Found(may[best], float(gains[best]))


@dataclass(frozen=True, kw_only=True)
class Talk:
    """What people can be asked to say beside their choice."""

    sizes: Sequence[int]
    """How many options may be shown."""
    reasons: float
    """How often a reason comes with a choice."""
    changes: float
    """How often people say what they would change when they are asked."""
    wishes: Bools
    """The features that can be asked for: what is possible, and not known to be wished for already."""
    single: bool
    """Whether a change of the best so far alone may be asked for."""


def find_screen(now: Situation, talk: Talk) -> Found | None:
    """What is worth most for the effort: a comparison, followed by a reason or a change, or just a change.

    Comparisons are first judged by the choice alone; for the best of them what follows is foreseen.
    """
    samples = now.samples.first(now.search.judged)
    few = now.samples.first(now.search.glanced)
    found = _at_first_sight(now, few, list(_candidates(now, talk.sizes)))
    best = sorted(found, key=lambda each: -each.worth)[: now.search.foreseen]
    return max(_followed(now, samples, best, talk), key=lambda each: each.worth, default=None)


def _at_first_sight(now: Situation, samples: Samples, several: Sequence[Ints]) -> list[Found]:
    """The best sets of each size by what the choice alone decides and tells."""
    if not several:
        return []
    found = []
    for sets, gains in zip(
        several, judged_at_once(samples, [chances_of(samples, sets) for sets in several], now.search), strict=True
    ):
        effort = screen_effort(sets.shape[1], samples.differs(sets).sum(axis=0))
        order = np.argsort(-_liked(sets, gains / effort, now.passed), kind="stable")[: now.search.foreseen]
        found += [Found(sets[place], float(gains[place]), float(effort[place])) for place in order]
    return found


def _followed(now: Situation, samples: Samples, best: Sequence[Found], talk: Talk) -> Iterator[Found]:
    """Comparisons with what may follow the choice, as far as people say it, and a change of the best so far alone.

    All of them are judged in one batch.
    """
    search, several, screens = now.search, list[Singles](), list[tuple[list[Found], int, int]]()
    foresees_reasons = bool(talk.reasons) and talk.changes < ANSWERED
    for size in sorted({len(each.options) for each in best}):
        found = [each for each in best if len(each.options) == size]
        sets = np.stack([each.options for each in found])
        chances, place = chances_of(samples, sets), len(several)
        several.append(chances)
        if foresees_reasons:
            several.append(with_reasons(samples, sets, chances))
        if talk.changes:
            several.append(with_changes(samples, sets, chances, talk.wishes, search.changes))
        screens.append((found, place, place + foresees_reasons))
    is_alone = talk.single and bool(talk.changes)
    favourite = now.samples.favourite[None]
    if is_alone:
        several.append(with_changes(samples, favourite[None], None, talk.wishes, search.changes))
    gains = judged_together(samples, several, search) if several else []
    for found, alone, reasons in screens:
        for number, each in enumerate(found):
            choice = gains[alone][number]
            said = talk.reasons * gains[reasons][number] + (1 - talk.reasons) * choice
            yield replace(each, value=float(said), effort=each.effort + REASON * talk.reasons)
            if talk.changes:
                said = talk.changes * gains[reasons + 1][number] + (1 - talk.changes) * choice
                yield replace(each, value=float(said), effort=each.effort + CHANGE * talk.changes, asks_for_change=True)
    if is_alone:
        effort = float(screen_effort(1, len(samples.oracle.space.things), change=True))
        yield Found(favourite, talk.changes * float(gains[-1][0]), effort, asks_for_change=True)


def _candidates(now: Situation, sizes: Sequence[int]) -> Iterator[Ints]:
    """Sets that may be asked, by size: some differ in much, some in little; smaller ones are parts of larger ones."""
    pool = _pool(now.samples, now.search.pool, now.rng)
    if len(pool) < 2:
        return
    width = len(now.samples.oracle.space.attributes)
    limits = (now.differences,) if now.differences else (None, *(each for each in now.search.limits if each < width))
    by_size: dict[int, list[Ints]] = defaultdict(list)
    for limit in limits:
        kept = _first_allowed(now, _tries(now, pool, max(sizes), limit, told_apart=True))
        if kept is not None:
            for size in range(2, kept.shape[1] + 1):
                by_size[size].append(kept[:, :size])
    for sets in by_size.values():
        together = _new(now, np.concatenate(sets))  # no option of a part is worse than another if none of the whole is
        if len(together):
            yield _with_most_differences(now, together)


def _first_allowed(now: Situation, tries: Iterable[Ints]) -> Ints | None:
    """The first sets of which some may be asked and differ in no more things than the person wants to see.

    Where all differ in more, because quantities do whatever one does, those that differ in the fewest.
    """
    shortest, fewest = None, np.inf
    for sets in tries:
        kept = _allowed(now, sets)
        if not len(kept):
            continue
        if now.differences is None:
            return kept
        rows: Ints = now.samples.differs(kept).sum(axis=0)
        least = int(rows.min())
        if least <= now.differences:
            return np.asarray(kept[rows <= now.differences])
        if least < fewest:
            shortest, fewest = np.asarray(kept[rows == least]), least
    return shortest


def _with_most_differences(now: Situation, sets: Ints) -> Ints:
    """Of more than a few sets those that differ in most: whoever sets a limit wants to see so much, and no more."""
    if now.differences is None or len(sets) <= FEW_SETS:
        return sets
    rows = now.samples.differs(sets).sum(axis=0)
    return np.asarray(sets[rows >= np.sort(rows)[-FEW_SETS]])


def _liked(sets: Ints, gains: Floats, passed: Ints) -> Floats:
    """What to choose a set by: its value, or, after a skip, its distance among those of nearly that value."""
    if not len(passed):
        return gains
    apart = (sets[:, :, None] != passed[None, None]).sum(axis=3).min(axis=2).sum(axis=1)
    return np.where(gains >= STILL_GOOD * gains.max(), apart + 1.0, 0.0)


# Sets


def _tries(
    now: Situation, pool: Ints, size: int, differences: int | None, *, told_apart: bool = False
) -> Iterator[Ints]:
    """Sets by query iteration; then smaller ones, where a tiny space or a limit leaves no others; then any pairs."""
    samples, search = now.samples, now.search
    for fewer in range(size, 1, -1):
        if differences is None or differences >= len(samples.oracle.space.attributes):
            sets, hold = _starts(samples, pool, fewer, search, now.rng), np.zeros(1)
        else:
            sets, hold = _held_starts(now, pool, fewer, differences, told_apart=told_apart)
        better = _iterated(samples, sets[: search.starts], hold[: search.starts], search.iterations)
        if fewer == 2 and now.differences and now.differences <= len(samples.oracle.space.quantities):
            better = chain(better, [_one_change_apart(samples, pool[: search.starts])])
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


def _starts(samples: Samples, pool: Ints, size: int, search: Search, rng: np.random.Generator) -> Ints:
    """The best pairs of the pool first, then the next and some at random; each filled up greedily."""
    worth = np.ascontiguousarray(samples.worth(pool).T)
    one, other = np.triu_indices(len(pool), 1)
    together = np.concatenate([np.maximum(worth[i], worth[i + 1 :]).mean(axis=1) for i in range(len(pool))])
    order = np.argsort(-together, kind="stable")
    best = order[: search.starts + search.others // 2]
    chosen = np.concatenate([best, rng.permutation(order[len(best) :])[: search.others // 2]])
    sets = np.stack([one[chosen], other[chosen]], axis=1)
    return pool[_filled(worth, sets, size)]


def _filled(worth: Singles, sets: Ints, size: int) -> Ints:
    """Each set with the options that add most to it, one after the other; `worth` is options × people."""
    best = worth[sets].max(axis=1)
    for _ in range(size - sets.shape[1]):
        added = np.array([np.maximum(worth, mine).sum(axis=1).argmax() for mine in best])
        sets = np.column_stack([sets, added])
        best = np.maximum(best, worth[added])
    return sets


def _held_starts(now: Situation, pool: Ints, size: int, differences: int, *, told_apart: bool) -> tuple[Ints, Floats]:
    """Options that agree on all attributes but a few: these are what people would take, the others are held.

    Which these are is left to chance; with `told_apart` attributes about which people disagree are more likely. Where
    the person set the limit, half of the sets begin with a pair that uses it.
    """
    samples, rng = now.samples, now.rng
    space, count = samples.oracle.space, now.search.starts + now.search.others
    anchors = pool[rng.integers(len(pool), size=count)]
    anchors[::2] = samples.favourite
    order = rng.random((count, len(space.attributes)))
    if told_apart:
        order = np.log(np.maximum(order, 1e-12)) / -np.maximum(samples.disagreement, 1e-3)
    ranks = order.argsort(axis=1).argsort(axis=1) if told_apart else order.argsort(axis=1)
    free = ranks < _free_attributes(now, differences, count)
    paired, pairs = _pairs_apart(now, anchors)
    anchors[paired], free[paired] = pairs[:, 0], (pairs[:, 0] != pairs[:, 1])[:, : len(space.attributes)]
    hides = np.zeros((count, len(space.hidden)), dtype=bool)
    held = np.repeat(np.concatenate([~free, hides], axis=1), space.domains, axis=1)
    hold = HOLD * space.onehot(anchors) * held
    people = rng.integers(samples.size, size=(size, count))
    wanted = samples.values[people] + hold
    options = samples.oracle.best_for_values(wanted.reshape(size * count, -1)).reshape(size, count, -1)
    options[:2, paired] = pairs.swapaxes(0, 1)
    return options.swapaxes(0, 1), hold


def _pairs_apart(now: Situation, anchors: Ints) -> tuple[Ints, Ints]:
    """For half of the anchors, which these are and pairs near by that differ in as much as the person wants to see.

    In a space with many rules, attributes that are chosen by chance can seldom change alone. So people chosen by chance
    change what they like about one option or the other, in turn, as long as that makes for more differences.
    """
    wanted = np.flatnonzero(np.arange(len(anchors)) % 4 < 2) if now.differences else np.zeros(0, dtype=np.int64)
    pairs = np.stack([anchors[wanted], anchors[wanted]], axis=1)
    for turn in range(TURNS if len(wanted) else 0):
        pairs = _further_apart(now, pairs, turn % 2, now.differences or 0)
    found = (pairs[:, 0] != pairs[:, 1]).any(axis=1)
    return wanted[found], pairs[found]


def _further_apart(now: Situation, pairs: Ints, moving: int, differences: int) -> Ints:
    """The pairs after somebody changed one of their options, where that makes for more differences within the limit.

    What is not worth giving up that option stays as it is: the less that is worth, the more changes. How much it has to
    be worth is found by bisection.
    """
    samples, space, count = now.samples, now.samples.oracle.space, len(pairs)
    values = samples.values[now.rng.integers(samples.size, size=count)]
    stays = space.onehot(pairs[:, moving]) * (np.arange(space.offsets[-1]) < space.offsets[len(space.attributes)])
    low, high = (np.full(count, np.log(worth)) for worth in STAYING)
    best, most = pairs, samples.differs(pairs).sum(axis=0)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        tried = pairs.copy()
        tried[:, moving] = samples.oracle.best_for_values(values + np.exp(middle)[:, None] * stays)
        apart = samples.differs(tried).sum(axis=0)
        fits = apart <= differences
        low, high = np.where(fits, low, middle), np.where(fits, middle, high)
        better = fits & (apart > most)
        best, most = np.where(better[:, None, None], tried, best), np.where(better, apart, most)
    return best


def _one_change_apart(samples: Samples, configurations: Ints) -> Ints:
    """Pairs of these and what differs from them in one attribute: few changes leave most quantities as they are."""
    space = samples.oracle.space
    values = np.arange(space.offsets[len(space.attributes)])
    attributes = np.searchsorted(space.offsets, values, side="right") - 1
    pairs = np.tile(configurations[:, None, None], (1, len(values), 2, 1))
    pairs[:, np.arange(len(values)), 1, attributes] = values - space.offsets[attributes]
    flat = pairs.reshape(len(configurations) * len(values), 2, -1)
    return flat[space.feasible(flat[:, 1])]


def _free_attributes(now: Situation, differences: int, count: int) -> Ints:
    """In how many attributes the options of each set may differ: where quantities count, some are left to these."""
    quantities = len(now.samples.oracle.space.quantities) if now.differences else 0
    if not quantities:
        return np.full((count, 1), differences)
    return now.rng.integers(max(1, differences - quantities), differences + 1, size=(count, 1))


def _iterated(samples: Samples, sets: Ints, hold: Floats, iterations: int) -> Iterator[Ints]:
    """Query iteration; `hold` is added to what people value."""
    for _ in range(iterations):
        count, size, _ = sets.shape
        worth = samples.worth_of(sets).transpose(2, 1, 0)
        takes = worth >= worth.max(axis=0)
        takers = (takes / takes.sum(axis=0, dtype=np.float32)).reshape(size * count, -1)
        means = (takers @ samples.singles / np.maximum(takers.sum(axis=1), 1e-9)[:, None]).astype(float)
        again = samples.oracle.best_for_values(means + np.tile(hold, (size, 1)) if hold.ndim > 1 else means)
        sets = again.reshape(size, count, -1).swapaxes(0, 1)
        yield sets


def _last_resort(samples: Samples, differences: int | None) -> Ints:
    """The configurations that are best on average, pair by pair: in a tiny space little else is left."""
    ranked = np.array(list(islice(samples.oracle.ranked_for_values(samples.mean), 40)))
    one, other = np.triu_indices(len(ranked), 1)
    pairs = np.stack([ranked[one], ranked[other]], axis=1)
    seen = len(samples.oracle.space.attributes)
    few = (pairs[:, 0, :seen] != pairs[:, 1, :seen]).sum(axis=1) <= (differences or seen)
    kept: Ints = pairs[few]
    return kept


# What may be asked


def _allowed(now: Situation, sets: Ints) -> Ints:
    """Sets of different options that were not shown together before, none of them worse in every respect."""
    new = _new(now, sets)
    return new[~_has_dominated(now.samples, new, now.reach)] if len(new) else new


def _new(now: Situation, sets: Ints) -> Ints:
    """Sets of different options that were not shown together before, each once."""
    seen: set[Set] = set(now.asked)
    kept: list[int] = []
    for place, rows in enumerate(sets.tolist()):
        options = frozenset(map(tuple, rows))
        if len(options) == len(rows) and options not in seen:
            seen.add(options)
            kept.append(place)
    return sets[kept]


def _has_dominated(samples: Samples, sets: Ints, reach: Floats) -> Bools:
    """Whether some option is at most as good as another in everything that anybody could care about.

    Of an attribute with a direction only that counts: the few who do not follow it are asked about other things.
    """
    space = samples.oracle.space
    count, size, width = sets.shape
    own = space.features(sets.reshape(count * size, width))[:, : len(reach)]
    ordered = [goodness_of(attribute) is not None for attribute in space.attributes]
    directed = np.zeros(space.plain_features, dtype=bool)
    directed[: space.seen_values] = np.repeat(ordered, space.domains[: len(ordered)])
    better = space.onehot(sets.reshape(count * size, width)) @ space.goodness.T
    features = np.concatenate([own[:, (reach > 0) & ~directed], better], axis=1).reshape(count, size, -1)
    at_most = (features[:, :, None] <= features[:, None, :] + 1e-12).all(axis=3)
    return np.asarray((at_most & ~np.eye(size, dtype=bool)).any(axis=(1, 2)))
