"""The setwise problem without branch and bound: the linear problem and the oracle, in turn, from many starts.

With the x^i fixed, the best (w, ε, μ) is a linear problem. With the w^i and that problem's prices λ fixed, each

    x^i = argmax ⟨(γ + Σ_j λ_{i,j}) v^i − Σ_j λ_{j,i} v^j, x⟩

is one call of the oracle. Each start climbs until nothing improves; the best end is the result, without a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic

import numpy as np

from setmargin.solve.lowered import Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.fixed import Fit, FixedConfigurations
from setmargin.strategies.setmargin.problem import SetSolution
from setmargin.strategies.setmargin.setting import Setting

CLIMB = 30
TINY = 1e-9


def climb(fixed: FixedConfigurations, oracle: Oracle, start: Ints, setting: Setting) -> tuple[Fit, Ints]:
    """Alternate until neither the weights nor the configurations get better."""
    space = oracle.space
    best, found = fixed.fit(space.onehot(start), setting), start
    for _ in range(CLIMB):
        following = oracle.best_for_values(_priced(best, setting))
        if (following == found).all():
            break
        fit = fixed.fit(space.onehot(following), setting)
        if fit.objective <= best.objective + TINY:
            break
        best, found = fit, following
    return best, found


def _priced(fit: Fit, setting: Setting) -> Floats:
    """What each configuration is worth to the Lagrangian, per one-hot value."""
    own = (setting.gamma + fit.prices.sum(axis=1))[:, None] * fit.value_weights
    worth: Floats = own - fit.prices.T @ fit.value_weights
    return worth


def starts(oracle: Oracle, size: int, *, rng: np.random.Generator, count: int) -> Iterator[Ints]:
    """Sets of configurations to climb from: optima of random weights, half of them sparse."""
    values = int(oracle.space.offsets[-1])
    weights = rng.random((count * size, values))
    weights[::2] *= rng.random((len(weights[::2]), values)) < 0.3
    yield from oracle.best_for_values(weights).reshape(count, size, -1)


def search(
    fixed: FixedConfigurations, oracle: Oracle, setting: Setting, *, first: Iterable[Ints], seconds: float
) -> SetSolution:
    """The best end of climbing from every start, as far as time allows; at least one start is climbed."""
    began = monotonic()
    best: tuple[Fit, Ints] | None = None
    for start in first:
        fit, found = climb(fixed, oracle, start, setting)
        if best is None or fit.objective > best[0].objective + TINY:
            best = fit, found
        if monotonic() - began > seconds:
            break
    assert best is not None
    fit, found = best
    return SetSolution(
        weights=_padded(fit.weights, len(oracle.space.feature_names)),
        value_weights=fit.value_weights,
        configurations=found,
        margin=fit.margin,
        objective=fit.objective,
        bound=float("inf"),
        gap=float("inf"),
        status="search",
        seconds=monotonic() - began,
    )


def _padded(weights: Floats, width: int) -> Floats:
    return np.pad(weights, ((0, 0), (0, width - weights.shape[1])))
