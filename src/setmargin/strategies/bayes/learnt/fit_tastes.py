"""Tastes learnt from what people answered: a hierarchical logit, and how many segments it takes.

The normal of a segment is the one that the next person is expected to come from: the mean of all draws of its mean, and
the mean of its covariances with the covariance of its means. With few people hardly any dependence between tastes is
expected, and segments have to predict answers that they were not fitted to better than one population does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from setmargin.arrays import Floats, Ints
from setmargin.errors import TooFewPeople
from setmargin.logits.population import PopulationDraws, PopulationPrior, fit_population
from setmargin.logits.ridge import pooled_tastes
from setmargin.logits.rows import ChoiceRows, log_likelihoods, some_choices
from setmargin.space.space import Space
from setmargin.strategies.base import History
from setmargin.strategies.bayes import tastes as ordinary
from setmargin.strategies.bayes.learnt.basis import Basis, basis_of
from setmargin.strategies.bayes.learnt.prior import LEAST_PEOPLE, LearntSegments, Segment
from setmargin.strategies.bayes.learnt.rows import rows_of

Watch = Callable[[float], None]
MOST_PEOPLE = 800
"""So many people, drawn at random, stand for all where there are more."""
MOST_TO_COMPARE = 240
"""The same where numbers of segments are compared."""
SEGMENTS = ((2, 3), (5, 8))
"""How many segments are tried, and how many where one of those was better than one population."""
PEOPLE_A_SEGMENT = 25
"""Fewer people than this, a segment, are too few to look for so many."""
HELD_OUT = 3
"""Every so many-th person tells which number of segments is best: that by which their first answers are likeliest."""
FIRST_ANSWERS = 8
STRANGERS = 4_000
"""People drawn from what was learnt from the others."""
MOST_FACTORS = 16
EXPLAINED = 0.99
"""Factors are kept until so much of all variance is explained; the rest is each feature's own."""
LARGEST_RANGE = 0.7
"""By how much the values of the thing that somebody cares about most differ: what weights are measured by."""
SHARPNESSES = (1.0, 200.0)
HALF_T = 2.0
WITHIN = 0.2
"""How much tastes deviate: among all people, and within segments."""
MEAN_DEVIATION = 5.0
ROUGHNESS = 0.1
"""How much of its own a value has where only a smooth curve was learnt."""
FIRST_RIDGE = 1.0
MOST_TO_GROUP = 250
FIRST_GROUPS = 2
EM_STEPS = 10
"""From how many people groups are found, from how many starts, in how many steps."""
NEGLIGIBLE = 1e-3
"""Deviations of weights below it are nothing."""


@dataclass(frozen=True)
class Steps:
    """How long the Markov chains are."""

    warm_up: int
    draws: int
    thin: int


FINAL = Steps(220, 110, 2)
COMPARING = Steps(150, 60, 2)


def fit_tastes(
    space: Space,
    histories: Sequence[History],
    *,
    segments: int | None = None,
    least: int = LEAST_PEOPLE,
    seed: int = 0,
    watch: Watch | None = None,
) -> LearntSegments:
    """Learn what people are like from what these answered.

    Parameters
    ----------
    space : Space
    histories : sequence of histories
        For each person the questions with the answers.
    segments : int, optional
        How many there are; found out where nothing is said.
    least : int
        Fewer people than this are refused.
    seed : int
    watch : function, optional
        Called now and then with the share of the work that is done.

    Raises
    ------
    TooFewPeople
        Where fewer than `least` people said anything that can be learnt from.
    """
    data = _of_everybody(rows_of(space, histories, seed=seed))
    if data.count < max(least, LEAST_PEOPLE):
        raise TooFewPeople(
            f"{data.count:,} of {len(histories):,} people said something that can be learnt from; "
            f"wait for {max(least, LEAST_PEOPLE):,}, so that nobody is read out of the figures"
        )
    rng, people = np.random.default_rng([seed, 11]), data.count
    data = _some_people(data, MOST_PEOPLE, rng)
    often = (space.by_thing(np.abs(data.rows)) > 0).sum(axis=0)
    basis = basis_of(space, often)
    data = replace(data, rows=data.rows @ basis.matrix)
    say: Watch = watch or _say_nothing
    count = segments or _best_number(data, seed, rng, say)
    draws = _fit(data, count, FINAL, seed, lambda share: say(share if segments else 0.6 + 0.4 * share))
    return _tastes_of(space, basis, draws, people, rng)


def _say_nothing(share: float) -> None:
    """Nobody watches."""


def _of_everybody(data: ChoiceRows) -> ChoiceRows:
    """Without people who said nothing."""
    present, people = np.unique(data.people, return_inverse=True)
    return replace(data, people=people, count=len(present))


def _some_people(data: ChoiceRows, most: int, rng: np.random.Generator) -> ChoiceRows:
    if data.count <= most:
        return data
    chosen = np.zeros(data.count, dtype=bool)
    chosen[rng.choice(data.count, most, replace=False)] = True
    return _of_everybody(some_choices(data, chosen[data.people]))


def _fit(data: ChoiceRows, segments: int, steps: Steps, seed: int, watch: Watch) -> PopulationDraws:
    each = data.count / segments
    # With few people, and within segments, hardly any dependence is expected.
    freedom = 2 + max(0, round(2 * data.width - each) if segments == 1 else 2 * data.width)
    return fit_population(
        data,
        segments=segments,
        draws=steps.draws,
        thin=steps.thin,
        warm_up=steps.warm_up,
        prior=PopulationPrior(
            mean_deviation=MEAN_DEVIATION, freedom=freedom, half_t=HALF_T if segments == 1 else WITHIN
        ),
        seed=seed,
        watch=lambda done, of: None if done % 50 else watch(done / of),
        belongs=_alike(data, segments, seed) if segments > 1 else None,
    )


# How many segments


def _best_number(data: ChoiceRows, seed: int, rng: np.random.Generator, say: Watch) -> int:
    """The number that predicts held-out answers best, if it does so by more than a standard error."""
    if data.count < min(SEGMENTS[0]) * PEOPLE_A_SEGMENT:
        return 1
    some = _some_people(data, MOST_TO_COMPARE, rng)
    is_held = rng.permutation(some.count) % HELD_OUT == 0
    place = np.arange(len(some.people)) - np.searchsorted(some.people, some.people)
    kept = _of_everybody(some_choices(some, ~is_held[some.people]))
    held = _of_everybody(some_choices(some, is_held[some.people] & (place < FIRST_ANSWERS)))
    done = 0

    def predicts(segments: int) -> Floats:
        nonlocal done
        found = _fit(kept, segments, COMPARING, seed, _say_nothing)
        done += 1
        say(0.15 * done)
        return _log_chances(held, _strangers(found, np.random.default_rng([seed, 13])))

    alone, best, gain = predicts(1), 1, 0.0
    for numbers in SEGMENTS:
        for segments in numbers:
            if data.count < segments * PEOPLE_A_SEGMENT:
                continue
            more = predicts(segments) - alone
            error = more.std() / np.sqrt(len(more))
            if more.mean() > max(error, gain):
                best, gain = segments, float(more.mean())
        if best == 1:
            break
    return best


def _strangers(found: PopulationDraws, rng: np.random.Generator) -> Floats:
    """Tastes of people who are like those that were learnt from."""
    draw = rng.integers(len(found.shares), size=STRANGERS)
    heights = np.cumsum(found.shares[draw], axis=1)
    segment = (heights < rng.random((STRANGERS, 1))).sum(axis=1).clip(max=heights.shape[1] - 1)
    roots = np.linalg.cholesky(found.covariances)
    steps = (roots[draw, segment] @ rng.standard_normal((STRANGERS, roots.shape[-1], 1)))[:, :, 0]
    tastes: Floats = found.means[draw, segment] + steps
    return tastes


def _log_chances(data: ChoiceRows, tastes: Floats) -> Floats:
    """The log of how likely each person's answers are, on average over these tastes."""
    logs = np.stack([log_likelihoods(data, np.tile(each, (data.count, 1))) for each in tastes], axis=1)
    most = logs.max(axis=1)
    mean: Floats = np.log(np.exp(logs - most[:, None]).mean(axis=1)) + most
    return mean


def _alike(data: ChoiceRows, segments: int, seed: int) -> Ints:
    """Which group of people who chose alike everybody belongs to: classes of people with the same tastes, by EM."""
    rng = np.random.default_rng([seed, 17])
    some = _some_people(data, MOST_TO_GROUP, rng)
    found = [_classes(some, rng.dirichlet(np.ones(segments), size=some.count)) for _ in range(FIRST_GROUPS)]
    _, tastes, shares = max(found, key=lambda each: each[0])
    chances, _ = _memberships(data, tastes, shares)
    groups: Ints = chances.argmax(axis=1)
    return groups


def _classes(data: ChoiceRows, chances: Floats) -> tuple[float, Floats, Floats]:
    """How well classes explain the choices, their tastes and shares, from how likely everybody belongs to each."""
    counted = np.ones(len(data.starts)) if data.weights is None else data.weights
    for _ in range(EM_STEPS):
        shares = (chances.sum(axis=0) + 1.0) / (len(chances) + chances.shape[1])
        weighted = (replace(data, weights=counted * own[data.people]) for own in chances.T)
        tastes = np.stack([pooled_tastes(each, penalty=FIRST_RIDGE) for each in weighted])
        chances, log_likelihood = _memberships(data, tastes, shares)
    return log_likelihood, tastes, shares


def _memberships(data: ChoiceRows, tastes: Floats, shares: Floats) -> tuple[Floats, float]:
    logs = np.stack([log_likelihoods(data, np.tile(each, (data.count, 1))) for each in tastes], axis=1)
    logs += np.log(shares)
    most = logs.max(axis=1, keepdims=True)
    chances = np.exp(logs - most)
    total = chances.sum(axis=1, keepdims=True)
    return chances / total, float((np.log(total) + most).sum())


# From draws to figures


def _tastes_of(
    space: Space, basis: Basis, draws: PopulationDraws, people: int, rng: np.random.Generator
) -> LearntSegments:
    shares, means, covariances = _aligned(draws)
    normals = [
        (share, mean.mean(axis=0), covariance.mean(axis=0) + np.cov(mean.T).reshape(covariance.shape[1:]))
        for share, mean, covariance in zip(
            shares.T.mean(axis=1), _by_segment(means), _by_segment(covariances), strict=True
        )
        if share * people >= LEAST_PEOPLE or shares.shape[1] == 1
    ]
    total = sum(share for share, _, _ in normals)
    sharpness = _sharpness(space, basis, normals, rng)
    segments = [
        _segment(space, basis, share / total, mean / sharpness, covariance / sharpness**2)
        for share, mean, covariance in sorted(normals, key=lambda normal: -normal[0])
    ]
    return LearntSegments(people, sharpness, tuple(segments))


def _by_segment(draws: Floats) -> Floats:
    swapped: Floats = np.swapaxes(draws, 0, 1)
    return swapped


def _aligned(draws: PopulationDraws) -> tuple[Floats, Floats, Floats]:
    """Shares, means and covariances with the segments of all draws in the order of the last."""
    order = []
    for means in draws.means:
        apart = ((means[:, None] - draws.means[-1][None]) ** 2).sum(axis=2)
        rows, columns = linear_sum_assignment(apart)
        order.append(rows[np.argsort(columns)])
    orders = np.array(order)
    each = np.arange(len(orders))[:, None]
    return draws.shares[each, orders], draws.means[each, orders], draws.covariances[each, orders]


def _sharpness(
    space: Space, basis: Basis, normals: Sequence[tuple[float, Floats, Floats]], rng: np.random.Generator
) -> float:
    """By what tastes have to be divided to be weights of the usual size."""
    largest = []
    for share, mean, covariance in normals:
        drawn = rng.multivariate_normal(mean, covariance, size=max(10, round(500 * share)), check_valid="ignore")
        weights = drawn @ basis.matrix.T
        blocks = np.split(weights[:, : space.offsets[-1]], space.offsets[1:-1], axis=1)
        ranges = [np.ptp(block, axis=1) for block in blocks] + [*np.abs(weights[:, space.offsets[-1] :].T)]
        largest.append(np.max(ranges, axis=0))
    typical = float(np.median(np.concatenate(largest)))
    return float(np.clip(typical / LARGEST_RANGE, *SHARPNESSES))


def _segment(space: Space, basis: Basis, share: float, mean: Floats, covariance: Floats) -> Segment:
    """A normal over tastes as mean, factors and what each feature has of its own."""
    names = space.feature_names[: space.plain_features]
    spread = basis.matrix @ covariance @ basis.matrix.T
    sizes, directions = np.linalg.eigh(spread)
    sizes, directions = np.maximum(sizes[::-1], 0.0), directions[:, ::-1]
    reached = np.cumsum(sizes) / max(float(sizes.sum()), 1e-12)
    count = min(MOST_FACTORS, int(np.searchsorted(reached, EXPLAINED)) + 1)
    factors = directions[:, :count] * np.sqrt(sizes[:count])
    own = np.sqrt(np.maximum(np.diag(spread) - (factors**2).sum(axis=1), 0.0))
    own[own < NEGLIGIBLE] = 0.0
    own = np.where(basis.rough, np.hypot(own, ROUGHNESS), own)
    own = np.where(basis.known, own, ordinary.SPREAD)
    seen = [place for place in range(len(names)) if not space.seen_values <= place < space.offsets[-1]]
    shown = tuple(names[place] for place in seen)
    return Segment(float(share), shown, (basis.matrix @ mean)[seen], factors[seen], own[seen])
