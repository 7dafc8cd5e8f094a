"""Families of simulated people: how the weights of somebody are drawn.

The paper's four know no order: each value of an attribute has a weight of its own, and the weights of trends are 0. The
*ordered* ones follow the catalogue: where it says that higher or lower values are better, utilities rise from worse to
better values, by steps of any size; where it says `peak`, they rise to one value and fall behind it, which value being
different for everybody. These are sums of steps and of single values, so they are no more a ramp or a tent than real
people's tastes are.

A family of your own joins by an entry point `setmargin.people` that names a function of a space, whether people care
about quantities, and random numbers: `draw(space, quantities=…, rng=…)` gives the weights of one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from setmargin.arrays import Bools, Floats
from setmargin.plugins import is_plugin, load_plugin, plugin_names, refuse_plugin
from setmargin.space.attributes import Attribute
from setmargin.space.space import Space
from setmargin.space.trends import scale_of

PaperWeights = Literal["uniform", "normal", "sparse-uniform", "sparse-normal"]
Weights = Literal[PaperWeights, "ordered", "ordered-sparse"]
Sparsity = Literal["overall", "by-attribute"]
SHIPPED_FAMILIES: tuple[str, ...] = get_args(Weights)
"""Those of this package; others may bring more."""

WITHOUT_ORDER: dict[str, Weights] = {"ordered": "uniform", "ordered-sparse": "sparse-uniform"}
"""The families that follow the catalogue's directions, each with that of the people among them who do not."""
FEW = 0.4
"""The share of things that matter to `ordered-sparse` people."""
EVEN, UNEVEN = 10.0, 1.0
"""How alike the steps of a rising function are: the parameter of a Dirichlet distribution."""
LEAST_FALL = 0.2
"""Of a peak: how much its less steep side falls at least, as a share of the other side."""


def usual_sparsity(space: Space) -> Sparsity:
    """The paper's scheme for a space of this shape."""
    return "overall" if len(set(space.domains)) == 1 else "by-attribute"


def draw_weights(
    space: Space, family: str, *, sparsity: Sparsity, quantities: bool, rng: np.random.Generator
) -> Floats:
    """Somebody's weights over the features of the space; see `draw_people` for what the families are."""
    if family not in SHIPPED_FAMILIES:
        return _from_plugin(family, space, quantities, rng)
    if family in WITHOUT_ORDER:
        return _draw_ordered(space, family == "ordered-sparse", quantities, rng)
    blocks = [*space.domains, *[1] * (len(space.quantities) if quantities else 0)]
    size = sum(blocks)
    drawn = rng.uniform(1, 100, size) if family.endswith("uniform") else rng.normal(25, 25 / 3, size).clip(min=0)
    if family.startswith("sparse-"):
        drawn *= _kept(blocks, sparsity, rng)
    drawn[space.seen_values : int(space.offsets[-1])] = 0.0  # nobody cares about what nobody sees
    return np.pad(drawn, (0, len(space.feature_names) - size))


def family_names() -> tuple[str, ...]:
    """The families that there are, those of other packages included."""
    return tuple(dict.fromkeys((*SHIPPED_FAMILIES, *plugin_names("people"))))


def is_of_another_package(family: str) -> bool:
    """Whether some package brings the family along."""
    return family not in SHIPPED_FAMILIES and is_plugin("people", family)


def _from_plugin(family: str, space: Space, quantities: bool, rng: np.random.Generator) -> Floats:
    drawn = np.asarray(load_plugin("people", family)(space, quantities=quantities, rng=rng), dtype=float)
    if drawn.shape != (len(space.feature_names),):
        raise refuse_plugin("people", family, f"draws {drawn.shape} weights for {len(space.feature_names)} features")
    return drawn


def _kept(blocks: Sequence[int], sparsity: Sparsity, rng: np.random.Generator) -> Floats:
    """1 for the weights that stay, 0 for the others."""
    if sparsity == "overall":
        size = sum(blocks)
        return rng.permutation(np.arange(size) >= 4 * size // 5).astype(float)
    return np.concatenate([rng.permutation(np.arange(size) < max(1, size // 5)) for size in blocks]).astype(float)


# With an order


def _draw_ordered(space: Space, sparse: bool, quantities: bool, rng: np.random.Generator) -> Floats:
    weights = np.zeros(len(space.feature_names))
    steps = np.flatnonzero([trend.kind == "step" for trend in space.trends]) + (len(weights) - len(space.trends))
    for number, attribute in enumerate(space.attributes):
        own = slice(space.offsets[number], space.offsets[number + 1])
        size, importance = len(attribute.values), rng.uniform(1, 100)
        match attribute.better:
            case None:
                weights[own] = rng.uniform(1, 100, size)
            case "peak":
                weights[own] = importance * _peaked(attribute, rng)
            case _:
                weights[steps[space.owners[steps] == number]] = importance * draw_increments(size - 1, rng)
    last = int(space.offsets[-1])
    weights[last : last + len(space.quantities)] = rng.uniform(1, 100, len(space.quantities))
    matter = _mattering(space, sparse, quantities, rng)
    return weights * matter[space.owners]


def _mattering(space: Space, sparse: bool, quantities: bool, rng: np.random.Generator) -> Bools:
    """Which things somebody cares about."""
    count = len(space.things) if quantities else len(space.attributes)
    kept = max(1, round(FEW * count)) if sparse else count
    return np.append(rng.permutation(count) < kept, np.zeros(len(space.things) - count, dtype=bool))


def draw_increments(count: int, rng: np.random.Generator) -> Floats:
    """How a rising function rises: the share of each step, from the worst value up, 1 in all.

    One in four of each: steps that are nearly alike, steps of any size, steps that get smaller, and one or two
    thresholds with nothing between them.
    """
    if count == 0:
        return np.zeros(0)
    match int(rng.integers(4)):
        case 0:
            shares: Floats = rng.dirichlet(np.full(count, EVEN))
        case 1:
            shares = rng.dirichlet(np.full(count, UNEVEN))
        case 2:
            shares = np.sort(rng.dirichlet(np.ones(count)))[::-1]
        case _:
            where = rng.permutation(count)[: int(rng.integers(1, 3))]
            shares = np.zeros(count)
            shares[where] = rng.dirichlet(np.ones(len(where)))
    return shares


def _peaked(attribute: Attribute, rng: np.random.Generator) -> Floats:
    """1 at one value, falling on both sides, one of them to 0; in the order in which the attribute lists its values."""
    ranked = np.argsort(scale_of(attribute))
    size = len(ranked)
    top = int(rng.integers(size))
    falls = rng.permutation([1.0, rng.uniform(LEAST_FALL, 1)]) if 0 < top < size - 1 else np.ones(2)
    below = 1 - falls[0] * np.cumsum(draw_increments(top, rng))[::-1]
    above = 1 - falls[1] * np.cumsum(draw_increments(size - 1 - top, rng))
    worth = np.zeros(size)
    worth[ranked] = np.concatenate([below, [1.0], above]).clip(min=0)
    return worth
