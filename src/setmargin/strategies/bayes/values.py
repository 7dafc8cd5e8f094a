"""What a question is worth before it is asked: the answer is foreseen, with slips and, where they come, reasons.

After each answer everybody in the sample is weighted by how likely they were to give it; a question is worth what the
best *next* set would be worth then. Looking at sets rather than at the one recommendation counts what an answer
prepares, not only what it decides. Once little is at stake few answers promise even that much, so what they tell about
the best value of each attribute counts too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.strategies.bayes.picks import NEVER
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.shared.changes import STEP
from setmargin.strategies.shared.evidence import Singles, answer_chances


@dataclass(frozen=True, kw_only=True)
class Search:
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
    limits: tuple[int, ...] = (4,)
    """In how many attributes options differ at most, beside sets that may differ in all, in a conversation."""
    foreseen: int = 4
    """Sets of a conversation whose reasons and changes are foreseen."""
    changes: int = 16
    """Changes that are told apart then."""
    judged: int = 256
    """People by whom sets are judged."""
    glanced: int = 96
    """People by whom the many sets of a conversation are judged at first sight."""
    finalists: int = 48

    @property
    def talking(self) -> Search:
        """Less of everything, for a conversation: there are more kinds of sets, and answers that say more are many."""
        return replace(self, starts=8, others=16, iterations=2, outlook=12, ahead=3, judged=192)


def chances_of(samples: Samples, sets: Ints) -> Singles:
    """How likely everybody gives each answer to each set: answers × sets × people, a tie the last answer."""
    utilities = samples.worth_of(sets) * samples.best[:, None, None].astype(np.float32)
    return answer_chances(utilities, samples.manner)


def judged(samples: Samples, chances: Singles, search: Search) -> Floats:
    """For each question, how much better off people will be on average once it is answered: at once, and one set later.

    What the answer tells is added. `chances` say how likely each answer is (answers × questions × people). Questions
    that promise little at once are not looked at any further.
    """
    return judged_together(samples, [chances], search)[0]


def judged_together(samples: Samples, several: Sequence[Singles], search: Search) -> list[Floats]:
    """The same for several kinds of questions, with different numbers of answers, in one batch of oracle calls."""
    looks = _at_once(samples, several, search)
    finalists = [np.argsort(-look.worth, kind="stable")[: search.finalists] for look in looks.each]
    rows = [look.rows[:, final].ravel() for look, final in zip(looks.each, finalists, strict=True)]
    chosen = np.append(np.concatenate(rows), -1)
    ahead = _next_sets(samples, looks.weighted[chosen], looks.after[chosen], search)
    ends = np.cumsum([len(each) for each in rows])[:-1]
    found = []
    for look, final, later in zip(looks.each, finalists, np.split(ahead[:-1], ends), strict=True):
        gains = np.full(len(look.now), -np.inf)
        gains[final] = later.reshape(-1, len(final)).sum(axis=0) - ahead[-1]
        gains[final] += search.now * look.now[final] + look.bits[final]
        found.append(gains)
    return found


def judged_at_once(samples: Samples, several: Sequence[Singles], search: Search) -> list[Floats]:
    """What the answers decide at once, and what they tell: a first look at many questions of several kinds."""
    return [look.worth for look in _at_once(samples, several, search).each]


@dataclass(frozen=True, eq=False)
class _Look:
    """What each question of one kind decides at once, what it tells, and the rows of its answers."""

    now: Floats
    bits: Floats
    rows: Ints
    """Answers × questions."""

    @property
    def worth(self) -> Floats:
        return self.now + self.bits


@dataclass(frozen=True, eq=False)
class _Looks:
    """People weighted by each answer (rows × people), and what is best for them then; the last row is everybody."""

    each: list[_Look]
    weighted: Singles
    after: Ints


def _at_once(samples: Samples, several: Sequence[Singles], search: Search) -> _Looks:
    everybody = np.ones((1, samples.size), dtype=np.float32)
    weighted = np.concatenate([*(each.reshape(-1, samples.size) for each in several), everybody])
    weighted /= np.float32(samples.size)
    means = (weighted @ samples.singles).astype(float)
    after = samples.oracle.best_for_values(means)
    decided = np.einsum("ij,ij->i", means, samples.oracle.space.onehot(after))
    looks, begin = [], 0
    for chances in several:
        answers, count, size = chances.shape
        end = begin + answers * count
        now = decided[begin:end].reshape(answers, count).sum(axis=0) - decided[-1]
        shares = weighted[begin:end].reshape(answers, count, size)
        bits = search.about * told(samples, shares) if search.about else np.zeros(count)
        looks.append(_Look(now, bits, np.arange(begin, end).reshape(answers, count)))
        begin = end
    return _Looks(looks, weighted, after)


def with_reasons(samples: Samples, sets: Ints, chances: Singles) -> Singles:
    """The chances of choices with the thing that decided, and of a tie."""
    *plain, tie = chances
    count, size, _ = sets.shape
    parts = samples.parts(sets.reshape(count * size, -1)).reshape(samples.size, -1, count, size)
    differs = samples.differs(sets)[:, :, None]
    said = []
    for option, chance in enumerate(plain):
        others = [each for each in range(size) if each != option]
        worth = np.moveaxis(parts[..., option] - parts[..., others].mean(axis=-1), 0, 2)
        logs = np.where(differs, samples.manner.reason_sharpness * worth, NEVER)
        said.append(chance * _picked(logs, samples.manner.reason_lapse * differs / differs.sum(axis=0)))
    return np.concatenate([*said, tie[None]]).astype(np.float32)


def with_changes(samples: Samples, sets: Ints, chances: Singles | None, possible: Bools, most: int) -> Singles:
    """The chances of choices with a change of the chosen one, and of a tie; all changes but the likeliest are one."""
    space, raw = samples.oracle.space, samples.weights
    cut, count, size = int(space.offsets[-1]), *sets.shape[:2]
    values = raw[:cut] + space.costs[: len(space.quantities)].T.astype(np.float32) @ raw[cut:]
    fixed = np.concatenate([STEP * raw[cut:], np.zeros((1, samples.size), dtype=np.float32)])
    worth = samples.manner.change_sharpness * np.concatenate([values, fixed])
    owners, can_be = np.repeat(np.arange(len(space.domains)), space.domains), np.append(possible, True)
    said = np.zeros((count, size, most + 1, samples.size), dtype=np.float32)
    for place in np.ndindex(count, size):
        shown, can = sets[place] + space.offsets[:-1], can_be.copy()
        can[shown] = False
        columns = np.flatnonzero(can)
        gains = worth[columns]
        own = columns[columns < cut]
        gains[: len(own)] -= worth[shown[owners[own]]]
        picked = _picked(gains, samples.manner.change_lapse / np.float32(len(columns)))
        likeliest = np.argsort(-picked.mean(axis=1), kind="stable")[:most]
        said[place][: len(likeliest)] = picked[likeliest]
        said[place][len(likeliest)] = 1 - picked[likeliest].sum(axis=0)
    np.maximum(said, 0, out=said)
    if chances is not None:
        said *= chances[:-1].swapaxes(0, 1)[:, :, None]
    together = said.reshape(count, -1, samples.size).swapaxes(0, 1)
    return together if chances is None else np.concatenate([together, chances[-1:]])


def _picked(logs: Singles, slips: Singles) -> Singles:
    """How likely each thing is picked, with `slips` of people picking anything: the first axis is what there is."""
    shares = np.exp(logs - logs.max(axis=0))
    shares /= shares.sum(axis=0)
    careful = 1 - slips.sum(axis=0) if slips.ndim == logs.ndim else 1 - slips * len(logs)
    picked: Singles = careful * shares + slips
    return picked


def told(samples: Samples, chances: Singles) -> Floats:
    """The bits that an answer tells about people's best value of each attribute, added up over attributes.

    `chances` (answers × sets × people) are those of a person and an answer together, so they add up to 1 for each set.
    """
    answers, count, size = chances.shape
    joint = (chances.reshape(answers * count, size) @ samples.taken).reshape(answers, count, -1)
    apart = len(samples.oracle.space.attributes) * _bits(chances.sum(axis=2)).sum(axis=0)
    return np.asarray(apart + _bits(samples.taken.mean(axis=0)).sum() - _bits(joint).sum(axis=(0, 2)), dtype=float)


def _bits(chances: Singles) -> Singles:
    """What each contributes to the entropy."""
    bits: Singles = -chances * np.log2(np.maximum(chances, np.float32(1e-12)))
    return bits


def _next_sets(samples: Samples, weighted: Singles, first: Ints, search: Search) -> Floats:
    """What the best next set would be worth to people weighted like this, made greedily from what is best first."""
    outlook = samples.worth(samples.outlook(search.outlook)).T
    best = np.ascontiguousarray(samples.worth(first).T)
    with_option = np.empty_like(best)
    gains = np.empty((len(outlook), len(best)), dtype=np.float32)
    for _ in range(search.ahead - 1):
        for option, gain in zip(outlook, gains, strict=True):
            np.maximum(best, option, out=with_option)
            with_option *= weighted
            with_option.sum(axis=1, out=gain)
        best = np.maximum(best, outlook[gains.argmax(axis=0)])
    worth: Floats = (best * weighted).sum(axis=1).astype(float)
    return worth
