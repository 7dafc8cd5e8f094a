"""Minimax regret by constraint generation, for one configuration or a set of them.

    SMR(S) = max_{w ∈ W, y} min_{x ∈ S} ⟨w, y − x⟩        an adversary picks weights and what would have been better
    SMMR   = min_S SMR(S)                                   the set with which least is lost at worst; MMR for one

A master problem finds the best set against the adversary's picks so far, a lower bound; the adversary answers it. A
quick one does as long as it finds something worse than that bound; where it does not, a MILP gives the
upper bound. With k = 1 these are the max regret of a configuration and minimax regret.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from time import monotonic

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.errors import NoSolutionInTime
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, Limits, ModelOwner, Rows, Solution, assemble, one, rows, total
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.rivals.regret.compatible_weights import AdversaryPick, CompatibleWeights, value_tops

LEAST_SECONDS = 0.5
STARTS = 3
"""Of the latest picks, so many rivals are tried against the next set."""
TURNS = 20
BETTER = 1e-7


@dataclass(frozen=True, kw_only=True)
class MinimaxEffort:
    """When to stop: after so many rounds, or when lower and upper bound are `gap` apart.

    Each linear problem has so many `nodes`. All of this is the same on every machine; `seconds` only end what would
    take far too long, and the status then says so.
    """

    rounds: int = 40
    nodes: int = 200
    seconds: float = 60.0
    gap: float = 1e-6


@dataclass(frozen=True, eq=False)
class Minimax:
    """The set with which least is lost at worst, the adversary's answer to it, and all its picks on the way."""

    chosen: Ints
    worst: AdversaryPick
    lower: float
    picks: tuple[AdversaryPick, ...]
    status: str

    @property
    def regret(self) -> float:
        """What may be lost at worst; infinite where it is not proven."""
        return self.worst.bound


# A quick adversary


class QuickAdversary(ModelOwner):
    """Alternates between the worst weights for a given rival and the best rival for given weights.

    The first is a linear problem, kept and re-solved warm; the second is one oracle call. What comes out is a valid
    pick, and mostly the worst; only where it finds nothing worse than is known does the MILP have to prove it.
    """

    def __init__(self, compatible: CompatibleWeights, size: int) -> None:
        self._compatible, self._oracle = compatible, oracle_for(compatible.space)
        columns = Columns()
        self._w, self._v, blocks = compatible.lay(columns)
        self._harm = columns.add("M", lower=-inf, objective=1.0)
        less = rows(one(np.repeat(self._harm, size)), upper=np.zeros(size))  # M + ⟨v, x^i − y⟩ ≤ 0, x and y to come
        self._apart = np.zeros((size, len(self._v)))
        self._model = Highs().open(assemble(columns, [less, *blocks], maximise=True))

    def climb(self, chosen: Ints, starts: Iterable[Ints]) -> AdversaryPick:
        """The worst pick found from these rivals, and from the one that shares least with the chosen."""
        onehot = self._compatible.space.onehot(chosen)
        furthest = self._oracle.best_for_values((value_tops(self._compatible) * (1.0 - onehot.mean(axis=0)))[None])[0]
        ends = [self._end(onehot, start) for start in (furthest, *starts)]
        return max(ends, key=lambda pick: pick.regret)

    def _end(self, onehot: Floats, better: Ints) -> AdversaryPick:
        pick = self._worst_weights(onehot, better)
        for _ in range(TURNS):
            rival = self._oracle.best_for_values(pick.value_weights[None])[0]
            following = self._worst_weights(onehot, rival)
            if following.regret <= pick.regret + BETTER:
                break
            pick = following
        return pick

    def _worst_weights(self, onehot: Floats, better: Ints) -> AdversaryPick:
        """max over W of min_i ⟨v, y − x^i⟩ for one rival y; only what differs from the last time is handed over."""
        space = self._compatible.space
        apart = onehot - space.onehot(better[None])
        row, value = np.nonzero(apart != self._apart)
        self._model.change_coefficients(row, self._v[value], apart[row, value])
        self._apart = apart
        found = self._model.solve()
        weights = np.maximum(found.values[self._w], 0.0)
        return AdversaryPick(better, weights, space.value_weights(weights), found.objective, inf)


# The adversary


def adversary(
    compatible: CompatibleWeights, chosen: Ints, *, limits: Limits, known: Ints | None = None
) -> AdversaryPick:
    """SMR of these configurations as a MILP: max M, M ≤ Σ q − ⟨v, x^i⟩ for each of them, with q = v ∘ y.

    A rival that is known already shortens the proof.
    """
    columns = Columns()
    w, v, allowed = compatible.lay(columns)
    laid, feasible = compatible.feasible.lay(columns, "y")
    y = laid[: len(v)]
    q = columns.add("q", len(v))
    harm = columns.add("M", objective=1.0)
    blocks = [*allowed, feasible, *products(q, v, y, value_tops(compatible))]
    blocks.append(less_than_each(harm, q, v, compatible.space.onehot(chosen)))
    guess = np.full(len(columns), np.nan)
    guess[y] = np.nan if known is None else compatible.space.onehot(known[None])[0]
    start = None if known is None else guess
    found = Highs().solve(assemble(columns, blocks, maximise=True), limits=limits, start=start)
    better = indices_of(compatible.space, found.values[y])
    weights = np.maximum(found.values[w], 0.0)
    return AdversaryPick(
        better, weights, compatible.space.value_weights(weights), found.objective, max(found.bound, 0.0)
    )


def products(q: Ints, v: Ints, y: Ints, top: Floats) -> list[Rows]:
    """q ≤ v and q ≤ v⊤ y; being maximised, q becomes their product."""
    return [rows(one(q), one(v, -1.0), upper=0.0), rows(one(q), one(y, -top), upper=0.0)]


def less_than_each(harm: Ints, q: Ints, v: Ints, onehot: Floats) -> Rows:
    """M ≤ Σ q − ⟨v, x^i⟩ for all i."""
    return rows(one(np.repeat(harm, len(onehot))), total(q, -1.0), total(v[None, :], onehot), upper=0.0)


# The master


def master(
    compatible: CompatibleWeights, picks: tuple[AdversaryPick, ...], size: int, *, limits: Limits
) -> tuple[Ints, float]:
    """The `size` configurations that are best against these picks, and what is lost with them at least."""
    columns = Columns()
    loss = columns.add("delta", objective=1.0)
    laid = [compatible.feasible.lay(columns, f"x{i}") for i in range(size)]
    x = np.stack([block[: int(compatible.space.offsets[-1])] for block, _ in laid])
    values = np.stack([pick.value_weights for pick in picks])
    best = np.array([float(values[g] @ compatible.space.onehot(p.better[None])[0]) for g, p in enumerate(picks)])
    against = covered(columns, loss, x, values, best) if size > 1 else [regrets(loss, x[0], values, best)]
    found = Highs().solve(assemble(columns, [*(block for _, block in laid), *against]), limits=limits)
    return np.stack([indices_of(compatible.space, found.values[each]) for each in x]), _proven(found)


def regrets(loss: Ints, x: Ints, values: Floats, best: Floats) -> Rows:
    """δ ≥ ⟨v_g, y_g − x⟩ for every pick g."""
    return rows(one(np.repeat(loss, len(best))), total(x[None, :], values), lower=best)


def covered(columns: Columns, loss: Ints, x: Ints, values: Floats, best: Floats) -> list[Rows]:
    """δ ≥ ⟨v_g, y_g⟩ − Σ_i u_gi, where only the u_gi of one chosen i may be its utility and the others are 0."""
    picks, size = len(best), len(x)
    u = columns.add("u", (picks, size))
    b = columns.add("b", (picks, size), upper=1.0, integer=True)
    return [
        rows(one(np.repeat(loss, picks)), total(u), lower=best),
        rows(one(u), total(x[None], -values[:, None, :]), upper=0.0),
        rows(one(u), one(b, -best[:, None]), upper=0.0),
        rows(total(b), lower=1.0, upper=1.0),
    ]


def _proven(found: Solution) -> float:
    return max(found.bound, 0.0) if np.isfinite(found.bound) else 0.0


def indices_of(space: Space, onehot: Floats) -> Ints:
    """The configuration behind a one-hot row as a solver gives it."""
    blocks = np.split(onehot, space.offsets[1:-1])
    return np.array([block.argmax() for block in blocks], dtype=np.int64)


# Both in turn


def minimax(
    compatible: CompatibleWeights, start: Ints, *, effort: MinimaxEffort, picks: tuple[AdversaryPick, ...] = ()
) -> Minimax:
    """The best set of as many configurations as `start` has, from there on."""
    end = monotonic() + effort.seconds
    chosen, lower, best = start, 0.0, None
    with QuickAdversary(compatible, len(start)) as quick:
        for _ in range(effort.rounds):
            pick = quick.climb(chosen, [each.better for each in picks[-STARTS:]])
            if pick.regret <= lower + effort.gap:
                pick = _proof(compatible, chosen, pick, _until(end, effort))
            picks = (*picks, pick)
            if best is None or pick.regret < best.worst.regret:
                best = Minimax(chosen, pick, lower, picks, "rounds")
            if pick.bound <= lower + effort.gap:
                return Minimax(chosen, pick, lower, picks, "optimal")
            if monotonic() > end:
                break
            try:
                chosen, bound = master(compatible, picks, len(start), limits=_until(end, effort))
            except NoSolutionInTime:
                break
            lower = max(lower, bound)
    assert best is not None
    return Minimax(best.chosen, best.worst, lower, picks, "time limit" if monotonic() > end else "rounds")


def _proof(compatible: CompatibleWeights, chosen: Ints, pick: AdversaryPick, limits: Limits) -> AdversaryPick:
    """What is worst for certain, or what is known if the limits do not allow it."""
    try:
        return adversary(compatible, chosen, limits=limits, known=pick.better)
    except NoSolutionInTime:
        return pick


def _until(end: float, effort: MinimaxEffort) -> Limits:
    return Limits(seconds=max(end - monotonic(), LEAST_SECONDS), nodes=effort.nodes)
