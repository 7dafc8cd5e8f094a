"""The polyhedron of weights that agree with the answers, its analytic centre and its longest axes.

    P = { w ≥ 0,  ⟨c, w⟩ = 1 an attribute,  ⟨w, y₊ − y₋⟩ ≥ 0 for strict answers,  |⟨w, y₁ − y₂⟩| ≤ ε for equal ones }

Adding the same to all values of one attribute changes no preference, so P is long in directions that no question can
shorten. The axes are therefore those of its shadow on what matters: on values relative to others of their attribute.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag, cho_factor, cho_solve

from setmargin.arrays import Floats
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, assemble, one, rows, total
from setmargin.space.space import Space
from setmargin.strategies.setmargin.problem import Bounds
from setmargin.strategies.shared.pairs import Pairs, features_of_values

ROOM = 0.01
"""How far inside all answers some weights must be; where answers contradict one another they are relaxed until so."""
LEAST_WEIGHT = 1e-3
STEPS = 100
CLOSE = 1e-9
SHRINK = 0.5
TINY = 1e-6


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """matrix·w ≥ lower with counts·w fixed, and a point strictly inside."""

    matrix: Floats
    lower: Floats
    counts: Floats
    inside: Floats
    relaxed: float
    """By how much the answers had to be relaxed, 0 where they agree."""

    def slacks(self, weights: Floats) -> Floats:
        """How far inside each inequality the weights are."""
        slacks: Floats = self.matrix @ weights - self.lower
        return slacks


@dataclass(frozen=True, eq=False)
class Axes:
    """Both ends of the longest axes, two rows of weights for each, and the lengths in the shadow; longest first."""

    ends: Floats
    lengths: Floats


def polyhedron_of(space: Space, pairs: Pairs, *, indifference: float) -> Polyhedron:
    """What the answers leave; relaxed by as much as it takes where they contradict one another."""
    counts = Bounds.usual(space).counts
    strict, equal = pairs.in_features(space)
    answers = np.vstack([strict, equal, -equal])
    lower = np.concatenate([np.zeros(len(pairs.strict)), np.full(2 * len(pairs.equal), -indifference)])
    inside, depth = _deepest(answers, lower, counts, len(space.attributes))
    relaxed = max(ROOM - depth, 0.0)
    return Polyhedron(
        np.vstack([np.eye(len(counts)), answers]),
        np.concatenate([np.zeros(len(counts)), lower - relaxed]),
        counts,
        inside,
        relaxed,
    )


def _deepest(answers: Floats, lower: Floats, counts: Floats, size: int) -> tuple[Floats, float]:
    """The weights that are deepest inside the answers, and how deep; below 0 if the answers contradict one another."""
    columns = Columns()
    w = columns.add("w", len(counts), lower=LEAST_WEIGHT)
    depth = columns.add("depth", objective=1.0, lower=-np.inf, upper=1.0)
    obeyed = rows(total(w[None, :], answers), one(np.repeat(depth, len(answers)), -1.0), lower=lower)
    scaled = rows(total(w, counts), lower=float(size), upper=float(size))
    found = Highs().solve(assemble(columns, [obeyed, scaled], maximise=True))
    return found.values[w], float(found.values[depth])


# The centre


def analytic_centre(polyhedron: Polyhedron) -> Floats:
    """argmax Σ ln slack: as far from all sides as their product allows, by damped Newton steps."""
    weights = polyhedron.inside
    for _ in range(STEPS):
        slacks = polyhedron.slacks(weights)
        gradient = polyhedron.matrix.T @ (1.0 / slacks)
        step = covariance(polyhedron, weights) @ gradient
        gain = float(gradient @ step)
        if gain < CLOSE:
            # So near, a whole step squares what is missing: the centre no longer shows where the search began.
            return weights + step
        weights = _moved(polyhedron, weights, step, gain)
    return weights


def _moved(polyhedron: Polyhedron, weights: Floats, step: Floats, gain: float) -> Floats:
    """Along the step, shortened until it stays inside and the logarithms rise."""
    before, size = _logs(polyhedron, weights), 1.0
    while size > CLOSE and not _logs(polyhedron, weights + size * step) >= before + 0.1 * size * gain:
        size *= SHRINK
    return weights + size * step


def _logs(polyhedron: Polyhedron, weights: Floats) -> float:
    slacks = polyhedron.slacks(weights)
    return float(np.log(slacks).sum()) if (slacks > 0).all() else -np.inf


def covariance(polyhedron: Polyhedron, weights: Floats) -> Floats:
    """The inverse of H = AᵀS⁻²A within counts·w fixed: the ellipsoid that P looks like from these weights."""
    scaled = polyhedron.matrix / polyhedron.slacks(weights)[:, None]
    factor = cho_factor(scaled.T @ scaled)
    inverse = cho_solve(factor, np.eye(len(weights)))
    across = inverse @ polyhedron.counts
    within: Floats = inverse - np.outer(across, across) / (polyhedron.counts @ across)
    return within


# The axes


def what_matters(space: Space) -> Floats:
    """Values × features: weights of values relative to the mean of their attribute, quantities folded in."""
    centring = block_diag(*(np.eye(size) - 1.0 / size for size in space.domains))
    matters: Floats = centring @ features_of_values(space)
    return matters


def longest_axes(space: Space, polyhedron: Polyhedron, centre: Floats, count: int, rng: np.random.Generator) -> Axes:
    """The longest axes of the shadow of the ellipsoid, each followed from the centre to both sides of P."""
    view, spread = what_matters(space), covariance(polyhedron, centre)
    shadow = view @ spread @ view.T
    lengths, vectors = np.linalg.eigh(shadow + _jitter(shadow, rng))
    longest = [place for place in np.argsort(-lengths)[:count] if lengths[place] > TINY * lengths.max()]
    directions = [spread @ view.T @ _pointing_up(vectors[:, place]) for place in longest]
    ends = [to_the_side(polyhedron, centre, sign * each) for each in directions for sign in (1.0, -1.0)]
    return Axes(np.array(ends).reshape(len(ends), len(centre)), np.sqrt(lengths[longest]))


def _pointing_up(vector: Floats) -> Floats:
    """An axis has two directions; the one in which the first large entry grows is taken, whatever came out."""
    first = int((np.abs(vector) > 0.5 * np.abs(vector).max()).argmax())
    pointing: Floats = vector * np.sign(vector[first])
    return pointing


def _jitter(shadow: Floats, rng: np.random.Generator) -> Floats:
    """Axes of equal length are turned at random, or everybody would be asked about the first attribute first."""
    noise = rng.normal(size=shadow.shape)
    jitter: Floats = TINY * float(np.trace(shadow)) / len(shadow) * (noise + noise.T)
    return jitter


def to_the_side(polyhedron: Polyhedron, centre: Floats, direction: Floats) -> Floats:
    """Where the ray from the centre leaves P."""
    towards, slacks = -(polyhedron.matrix @ direction), polyhedron.slacks(centre)
    blocking = towards > CLOSE * np.abs(direction).max()
    reach = float((slacks[blocking] / towards[blocking]).min()) if blocking.any() else 0.0
    return np.maximum(centre + reach * direction, 0.0)
