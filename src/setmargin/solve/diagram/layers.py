"""A diagram layer by layer, and longest paths through it, for one weight vector or for many at once.

Arcs from one node to one child are a *bundle*: only the best of its values counts. Bundles with the same values share
that maximum, and only then meet the nodes. The nodes of a layer are sorted by their number of bundles, so that the
k-th bundles of all nodes that have one are a prefix of the layer: a batch is then a few long vector operations,
twenty times faster than `maximum.reduceat` along the first axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.solve.relations import distinct

_LARGE = 2.0**960
_WORKING_SET = 3 << 15
"""Numbers in the widest layer of one chunk of a batch: few enough to stay in the cache (measured)."""
_MEMORY = 1 << 23
"""Numbers in all layers of one chunk of a batch."""


@dataclass(frozen=True, eq=False)
class Ragged:
    """Lists of different lengths, longest first: end to end for one vector, and by rank for a batch."""

    flat: Ints
    starts: Ints
    ranks: tuple[Ints, ...]

    @staticmethod
    def of(items: Ints, owners: Ints) -> Ragged:
        """`items` in lists by their sorted `owners`, which must be numbered by falling length."""
        counts = np.bincount(owners)
        starts = np.cumsum(counts) - counts
        ranks = tuple(items[starts[counts > k] + k] for k in range(int(counts.max(initial=0))))
        return Ragged(items, starts, ranks)


@dataclass(frozen=True, eq=False)
class LayerPlan:
    """The bundles of one layer: which extended label each has, and to which child it leads.

    Extended labels are the columns of the layer first, then the sets of several columns.
    """

    labels: Ints
    sets: Ragged
    offers: Ragged
    children: Ragged

    @staticmethod
    def of(labels: Ints, children: Ints) -> LayerPlan:
        """Bundle the arcs of a layer whose nodes are already sorted."""
        nodes, columns = np.nonzero(children >= 0)
        owners, targets, members = _bundles(nodes, children[nodes, columns], columns, children.shape[1])
        offers, sets = _shared_sets(members, len(labels))
        return LayerPlan(labels, sets, Ragged.of(offers, owners), Ragged.of(targets, owners))

    def single(self, weights: Floats, following: Floats) -> Floats:
        """The best value from each node on, for one vector; `following` has those of the next layer."""
        offered = weights[self.labels]
        if len(self.sets.starts):
            best = np.maximum.reduceat(offered[self.sets.flat], self.sets.starts)
            offered = np.concatenate([offered, best])
        sums = offered[self.offers.flat]
        sums += following[self.children.flat]
        values: Floats = np.maximum.reduceat(sums, self.offers.starts)
        return values

    def batch(self, weights: Floats, following: Floats, out: Floats) -> None:
        """The same for many vectors, one per column of `weights`, into `out`."""
        offered = self._offered(weights)
        ranks = zip(self.offers.ranks, self.children.ranks, strict=True)
        for rank, (offers, children) in enumerate(ranks):
            sums = offered.take(offers, axis=0)
            sums += following.take(children, axis=0)
            top = out[: len(offers)]
            if rank:
                np.maximum(top, sums, out=top)
            else:
                top[:] = sums

    def _offered(self, weights: Floats) -> Floats:
        single = weights[self.labels]
        if not self.sets.ranks:
            return single
        if len(self.sets.starts) == 1:
            together = single[self.sets.flat].max(axis=0)[None]
        else:
            together = single[self.sets.ranks[0]]
            for members in self.sets.ranks[1:]:
                top = together[: len(members)]
                np.maximum(top, single[members], out=top)
        return np.concatenate([single, together])


def _bundles(nodes: Ints, targets: Ints, columns: Ints, width: int) -> tuple[Ints, Ints, Ints]:
    """Source, child and a row of flags over the columns for every bundle."""
    span = int(targets.max(initial=0)) + 1
    keys, inverse = np.unique(nodes * span + targets, return_inverse=True)
    members = np.zeros((len(keys), width), dtype=np.int64)
    members[inverse, columns] = 1
    return keys // span, keys % span, members


def _shared_sets(members: Ints, width: int) -> tuple[Ints, Ragged]:
    """The extended label of each bundle, and the distinct sets of several columns, largest first."""
    first, inverse = distinct(members, [2] * width)
    sizes = members[first].sum(axis=1)
    by_size = np.argsort(-sizes, kind="stable")
    several = by_size[: int((sizes > 1).sum())]
    labels = members[first].argmax(axis=1)
    labels[several] = width + np.arange(len(several))
    owners, columns = np.nonzero(members[first[several]])
    return labels[inverse], Ragged.of(columns, owners)


@dataclass(frozen=True, eq=False)
class Layer:
    """One attribute: `children[node, column]` is where value `values[column]` leads, -1 if it may not follow."""

    attribute: int
    values: Ints
    labels: Ints
    """The one-hot index of each column."""
    children: Ints

    @cached_property
    def plan(self) -> LayerPlan:
        return LayerPlan.of(self.labels, self.children)


def checked_weights(weights: Floats, total: int) -> tuple[Floats, float]:
    """Finite weights of the right shape, and the power of two by which they were scaled so that no sum overflows."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[1] != total:
        raise OptionError(f"weights have shape {weights.shape}; give one row of {total} numbers for each vector")
    largest = float(np.abs(weights).max(initial=0.0))
    if not largest < np.inf:
        raise OptionError("some weight is not a finite number; replace NaN and infinity")
    scale = 1.0 if largest < _LARGE else 2.0**-64
    return (weights if scale == 1.0 else weights * scale), scale


def sorted_by_bundles(tables: list[Ints]) -> list[Ints]:
    """The same tables with the nodes of each layer renumbered, those with the most different children first."""
    result = []
    names = np.zeros(1, dtype=np.int64)
    for table in reversed(tables):
        renamed = np.append(names, -1)[table]
        ordered = np.sort(renamed, axis=1)
        bundles = (np.diff(ordered, axis=1, prepend=-1) != 0).sum(axis=1)
        places = np.argsort(-bundles, kind="stable")
        names = np.empty(len(table), dtype=np.int64)
        names[places] = np.arange(len(table))
        result.append(renamed[places])
    return result[::-1]


def chunk_size(widest: int, nodes: int) -> int:
    """How many vectors of a batch go through the diagram together, for its widest layer and all its nodes."""
    fast = np.clip(_WORKING_SET // max(widest, 1), 16, 512)
    return int(np.clip(_MEMORY // nodes, 8, fast))
