"""Families of simulated people: how the weights of somebody are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from setmargin.arrays import Floats
from setmargin.space.space import Space

Weights = Literal["uniform", "normal", "sparse-uniform", "sparse-normal"]
Sparsity = Literal["overall", "by-attribute"]


def usual_sparsity(space: Space) -> Sparsity:
    """The paper's scheme for a space of this shape."""
    return "overall" if len(set(space.domains)) == 1 else "by-attribute"


def draw_weights(space: Space, kind: Weights, sparsity: Sparsity, quantities: bool, rng: np.random.Generator) -> Floats:
    blocks = [*space.domains, *[1] * (len(space.quantities) if quantities else 0)]
    size = sum(blocks)
    drawn = rng.uniform(1, 100, size) if kind.endswith("uniform") else rng.normal(25, 25 / 3, size).clip(min=0)
    if kind.startswith("sparse-"):
        drawn *= _kept(blocks, sparsity, rng)
    return np.pad(drawn, (0, len(space.feature_names) - size))


def _kept(blocks: Sequence[int], sparsity: Sparsity, rng: np.random.Generator) -> Floats:
    """1 for the weights that stay, 0 for the others."""
    if sparsity == "overall":
        size = sum(blocks)
        return rng.permutation(np.arange(size) >= 4 * size // 5).astype(float)
    return np.concatenate([rng.permutation(np.arange(size) < max(1, size // 5)) for size in blocks]).astype(float)
