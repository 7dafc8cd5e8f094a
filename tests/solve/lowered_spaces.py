"""Small random spaces and brute force, the judge of every engine."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st

from setmargin.arrays import Floats, Ints
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.relations import Relation
from setmargin.space.formula import InBoxes

claims = settings(derandomize=True, deadline=None, max_examples=60)
"""The settings of every property test: the same examples each time, few enough to be quick."""

seeds = st.integers(0, 2**32 - 1)


def random_relation(rng: np.random.Generator, domains: tuple[int, ...], *, arity: int = 3) -> Relation:
    """A relation over up to `arity` attributes in any order, sometimes without rows, sometimes with repeats."""
    size = int(rng.integers(1, min(arity, len(domains)) + 1))
    scope = tuple(int(a) for a in rng.permutation(len(domains))[:size])
    allow = bool(rng.random() < 0.5)
    possible = int(np.prod([domains[a] for a in scope]))
    share = rng.uniform(0.4, 1.2) if allow else rng.uniform(0.0, 0.6)
    rows = np.stack([rng.integers(domains[a], size=int(share * possible)) for a in scope], axis=1)
    return Relation(scope, rows.astype(np.int64), allow)


def random_boxes(rng: np.random.Generator, domains: tuple[int, ...]) -> InBoxes:
    """Some boxes over some attributes in any order, allowed or forbidden; sometimes none, or all that there is."""
    scope = tuple(int(a) for a in rng.permutation(len(domains))[: rng.integers(1, len(domains) + 1)])
    allow = bool(rng.random() < 0.6)

    def cell(size: int) -> frozenset[int] | None:
        some = np.flatnonzero(rng.random(size) < rng.uniform(0.3, 0.9)).tolist() or [int(rng.integers(size))]
        return None if rng.random() < 0.3 else frozenset(some)

    count = int(rng.integers(1, 9) if allow else rng.integers(4))
    return InBoxes(scope, tuple(tuple(cell(domains[a]) for a in scope) for _ in range(count)), allow)


def random_row(
    rng: np.random.Generator, domains: tuple[int, ...], *, largest: int = 20, tight: float | None = None
) -> LinearRow:
    """A linear row over some attributes, with a bound at a `tight` share of its range (random unless given)."""
    size = int(rng.integers(1, len(domains) + 1))
    chosen = [int(a) for a in rng.permutation(len(domains))[:size]]
    coefficients = {a: rng.integers(-largest // 4, largest + 1, size=domains[a]) for a in chosen}
    low = sum(int(c.min()) for c in coefficients.values())
    high = sum(int(c.max()) for c in coefficients.values())
    share = rng.uniform(0.1, 1.0) if tight is None else tight
    return LinearRow(coefficients, low + int(share * (high - low)))


def random_space(seed: int, *, relations: int = 4, rows: int = 0, attributes: int = 5) -> Lowered:
    """A space of at most a few hundred configurations, feasible or not."""
    rng = np.random.default_rng(seed)
    domains = tuple(int(d) for d in rng.integers(1, 5, size=rng.integers(1, attributes + 1)))
    return Lowered(
        domains,
        tuple(random_relation(rng, domains) for _ in range(rng.integers(relations + 1))),
        tuple(random_row(rng, domains) for _ in range(rows)),
        tuple(random_boxes(rng, domains) for _ in range(rng.integers(3))),
    )


def random_weights(seed: int, total: int, size: int = 6) -> Floats:
    """Weight vectors of many kinds: dense, sparse with ties, all zero, negative, large."""
    rng = np.random.default_rng(seed)
    kinds = [
        rng.normal(size=total),
        np.where(rng.random(total) < 0.8, 0.0, rng.integers(-2, 3, size=total)),
        np.zeros(total),
        -rng.random(total),
        rng.integers(-3, 4, size=total).astype(np.float64),
        rng.normal(size=total) * 1e9,
    ]
    return np.array([kinds[i % len(kinds)] for i in range(size)], dtype=np.float64)


def all_configurations(lowered: Lowered) -> Ints:
    """Every feasible configuration, by trying all."""
    tried = np.array(list(np.ndindex(lowered.domains)), dtype=np.int64).reshape(-1, len(lowered.domains))
    feasible: Ints = tried[lowered.holds(tried)]
    return feasible


def one_hot(configurations: Ints, domains: tuple[int, ...]) -> Floats:
    """Configurations as rows of zeros and ones."""
    offsets = Lowered(domains).offsets
    result = np.zeros((len(configurations), int(offsets[-1])))
    np.put_along_axis(result, configurations + offsets[:-1], 1.0, axis=1)
    return result


def values_of(configurations: Ints, weights: Floats, domains: tuple[int, ...]) -> Floats:
    """What each configuration is worth under one weight vector."""
    offsets = Lowered(domains).offsets
    worth: Floats = weights[configurations + offsets[:-1]].sum(axis=1)
    return worth


def worth_each(configurations: Ints, weights: Floats, domains: tuple[int, ...]) -> Floats:
    """What configuration i is worth under weight vector i."""
    pairs = zip(configurations, weights, strict=True)
    return np.array([values_of(one[None], vector, domains)[0] for one, vector in pairs])


def feasible_space(seed: int, *, relations: int = 4, rows: int = 0, attributes: int = 5) -> tuple[Lowered, Ints]:
    """The random space of this seed with all its configurations; skips the example when it has none."""
    lowered = random_space(seed, relations=relations, rows=rows, attributes=attributes)
    configurations = all_configurations(lowered)
    assume(len(configurations) > 0)
    return lowered, configurations
