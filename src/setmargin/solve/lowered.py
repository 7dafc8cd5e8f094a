"""A space in the plain form that every solver reads: integers only, no names.

`Lowered` is the narrow waist between what can be built and what is best. The attributes of the space come first, in
their order; after them may stand *hidden* attributes of two values that lowering adds for parts of rules. A hidden
attribute is always determined by the visible ones, so counting lowered configurations counts configurations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Bools, Ints


@dataclass(frozen=True, eq=False)
class Relation:
    """Which combinations of a few attributes are allowed, as rows of value indices.

    With `allow` the rows are the allowed combinations, without it they are the forbidden ones.
    """

    scope: tuple[int, ...]
    rows: Ints
    allow: bool = True


@dataclass(frozen=True, eq=False)
class LinearRow:
    """Σ_a coefficients[a][value of a] ≤ bound, in integers, so that no tolerance is ever needed."""

    coefficients: dict[int, Ints]
    bound: int


@dataclass(frozen=True, eq=False)
class Lowered:
    """Sizes of the attributes, and everything that restricts them."""

    domains: tuple[int, ...]
    relations: tuple[Relation, ...] = ()
    rows: tuple[LinearRow, ...] = ()

    @property
    def offsets(self) -> Ints:
        """Where each attribute's one-hot block starts, with the total at the end."""
        return np.concatenate([[0], np.cumsum(self.domains)]).astype(np.int64)

    def holds(self, configurations: Ints) -> Bools:
        """Which rows of value indices (n × attributes) satisfy everything."""
        good = np.ones(len(configurations), dtype=bool)
        for relation in self.relations:
            good &= _contains(relation, configurations[:, list(relation.scope)], self.domains)
        for row in self.rows:
            total = np.zeros(len(configurations), dtype=np.int64)
            for attribute, coefficients in row.coefficients.items():
                total += coefficients[configurations[:, attribute]]
            good &= total <= row.bound
        return good


def _contains(relation: Relation, picked: Ints, domains: tuple[int, ...]) -> Bools:
    sizes = [domains[a] for a in relation.scope]
    if not len(relation.rows):
        return np.full(len(picked), not relation.allow)
    # Mixed-radix keys as Python integers would be slow; two stacked uniques are exact for any scope.
    both = np.concatenate([relation.rows, picked])
    assert ((both >= 0) & (both < sizes)).all()
    _, keys = np.unique(both, axis=0, return_inverse=True)
    keys = keys.reshape(-1)
    listed = np.isin(keys[len(relation.rows) :], keys[: len(relation.rows)])
    return listed if relation.allow else ~listed
