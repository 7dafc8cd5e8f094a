"""Spaces to measure engines on, all made from a seed: random implications, and structured ones of any size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from setmargin.arrays import Floats
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.relations import Relation


def implication(a: int, value: int, b: int, allowed: Sequence[int], domains: Sequence[int]) -> Relation:
    """a = value implies b in `allowed`, as forbidden pairs."""
    others = np.setdiff1d(np.arange(domains[b]), allowed)
    rows = np.stack([np.full(len(others), value), others], axis=1).astype(np.int64)
    return Relation((a, b), rows, allow=False)


def random_implications(*, attributes: int, values: int, implications: int, seed: int) -> Lowered:
    """Implications a = v => b in S between random attributes, S a random half of the values: loose and tangled."""
    rng = np.random.default_rng(seed)
    domains = (values,) * attributes
    relations = []
    for _ in range(implications):
        a, b = (int(x) for x in rng.choice(attributes, size=2, replace=False))
        relations.append(_random_implication(rng, a, b, domains))
    return Lowered(domains, tuple(relations))


def _random_implication(rng: np.random.Generator, a: int, b: int, domains: Sequence[int]) -> Relation:
    allowed = np.flatnonzero(rng.random(domains[b]) < 0.5)
    if not len(allowed):
        allowed = rng.integers(domains[b], size=1)
    return implication(a, int(rng.integers(domains[a])), b, allowed.tolist(), domains)


def computer(*, seed: int = 0) -> Lowered:
    """A PC-like space: 8, 37, 8, 3, 10 and 10 values; the first decides on two others, the fourth on three."""
    rng = np.random.default_rng(seed)
    domains = (8, 37, 8, 3, 10, 10)
    relations = [
        _implications(rng, a, b, domains, share=share)
        for a, b, share in ((0, 1, 0.2), (0, 3, 0.5), (3, 2, 0.6), (3, 4, 0.6), (3, 5, 0.6))
    ]
    return Lowered(domains, tuple(relations))


def _implications(rng: np.random.Generator, a: int, b: int, domains: Sequence[int], *, share: float) -> Relation:
    """For every value of a, the values of b that go with it, at least one."""
    goes = rng.random((domains[a], domains[b])) < share
    goes[np.arange(domains[a]), rng.integers(domains[b], size=domains[a])] = True
    return Relation((a, b), np.argwhere(goes).astype(np.int64))


def chain(*, attributes: int, values: int, seed: int, share: float = 0.5) -> Lowered:
    """Each attribute is tied to the next by a random binary relation."""
    rng = np.random.default_rng(seed)
    domains = (values,) * attributes
    pairs = [(a, a + 1) for a in range(attributes - 1)]
    return Lowered(domains, tuple(_implications(rng, a, b, domains, share=share) for a, b in pairs))


def tree(*, attributes: int, values: int, seed: int, share: float = 0.5) -> Lowered:
    """Each attribute is tied to a random earlier one."""
    rng = np.random.default_rng(seed)
    domains = (values,) * attributes
    pairs = [(int(rng.integers(a)), a) for a in range(1, attributes)]
    return Lowered(domains, tuple(_implications(rng, a, b, domains, share=share) for a, b in pairs))


def clustered(*, clusters: int, attributes: int, values: int, implications: int, seed: int, links: int = 1) -> Lowered:
    """Clusters of attributes with random implications inside, each linked to the next by a few relations."""
    rng = np.random.default_rng(seed)
    domains = (values,) * (clusters * attributes)
    relations = []
    for cluster in range(clusters):
        first = cluster * attributes
        for _ in range(implications):
            a, b = (first + int(x) for x in rng.choice(attributes, size=2, replace=False))
            relations.append(_random_implication(rng, a, b, domains))
        for _ in range(links if cluster else 0):
            a, b = first - 1 - int(rng.integers(attributes)), first + int(rng.integers(attributes))
            relations.append(_implications(rng, a, b, domains, share=0.5))
    return Lowered(domains, tuple(relations))


def with_budget(lowered: Lowered, *, seed: int, tight: float = 0.4, largest: int = 1000) -> Lowered:
    """The same space with one more linear row over all attributes, its bound at a `tight` share of its range."""
    rng = np.random.default_rng(seed)
    coefficients = {a: rng.integers(largest + 1, size=d) for a, d in enumerate(lowered.domains)}
    low = sum(int(c.min()) for c in coefficients.values())
    high = sum(int(c.max()) for c in coefficients.values())
    row = LinearRow(coefficients, low + int(tight * (high - low)))
    return Lowered(lowered.domains, lowered.relations, (*lowered.rows, row))


def weight_vectors(lowered: Lowered, *, size: int, seed: int) -> Floats:
    """Random weights, half of them with 80% zeros."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(size, sum(lowered.domains)))
    weights[::2][rng.random(weights[::2].shape) < 0.8] = 0.0
    return weights
