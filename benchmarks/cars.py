"""A catalogue of the size of a real car, from a seed: 99 attributes, 113 tables whose cells are lists and wildcards.

Like a car maker's, it has a few trims, and a table names for each of them what goes with it. Tables tie attributes that
are near each other, and many of them the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ATTRIBUTES, TABLES, ROWS, TRIMS = 99, 113, 1658, 12
MODELS = 6
REACH = 10
"""Tables tie attributes that are at most so far from each other."""
WILD, OWN, WIDEST = 0.3, 0.78, 8
"""Shares of cells that are wildcards, and those or one value; the most attributes of a table, less the first."""
SHARES = (0.45, 0.22, 0.15, 0.1, 0.05, 0.03)
"""Of attributes with 2, 3, 4, 6, 10 and 20 values."""


def car(seed: int, *, tables: int = TABLES) -> dict[str, Any]:
    """The document of a catalogue, as in its file; with fewer tables, of as many rows each."""
    rng = np.random.default_rng(seed)
    sizes = [MODELS, *(int(size) for size in rng.choice([2, 3, 4, 6, 10, 20], ATTRIBUTES - 1, p=SHARES))]
    trims = np.stack([rng.integers(sizes) for _ in range(TRIMS)])
    trims[:, 0] = np.arange(TRIMS) % MODELS
    ends = np.cumsum(rng.multinomial(ROWS * tables // TABLES - 4 * tables, np.full(tables, 1 / tables)) + 4)
    counts = np.diff(ends, prepend=0)
    names = [f"part{number}" if number else "model" for number in range(ATTRIBUTES)]
    values = [[f"{names[number][0]}{number}-{value}" for value in range(size)] for number, size in enumerate(sizes)]
    rules = []
    for number in range(tables):
        scope = _scope(rng, number)
        rows = [
            [_cell(rng, values[a], int(trims[row % TRIMS, a])) for a in scope] for row in range(int(counts[number]))
        ]
        rules.append({"allow": [names[a] for a in scope], "rows": rows})
    prices = {
        name: {value: int(rng.integers(0, 2000)) for value in own} for name, own in zip(names, values, strict=True)
    }
    quantities = {"price": {"unit": "€", "better": "lower", "base": 15000, "sum": prices}}
    attributes = dict(zip(names, values, strict=True))
    return {"catalogue": f"car-{seed}", "attributes": attributes, "quantities": quantities, "rules": rules}


def _scope(rng: np.random.Generator, number: int) -> list[int]:
    """The attributes of a table: some near each other, every other time with the model."""
    first = 1 + number % (ATTRIBUTES - 1)
    near = list(range(first + 1, min(ATTRIBUTES, first + REACH)))
    size = int(rng.integers(1, WIDEST))
    chosen = sorted(rng.permutation(near)[:size].tolist()) if near else []
    return [*([0] if number % 2 else []), *sorted({first, *chosen, *([first - 1] if not chosen and first > 1 else [])})]


def _cell(rng: np.random.Generator, values: list[str], own: int) -> str | list[str]:
    """What goes with a trim: any value, its own, or some with its own."""
    kind = rng.random()
    if kind < WILD:
        return "*"
    if kind < OWN or len(values) == 2:
        return values[own]
    some = rng.random(len(values)) < 0.4
    some[own] = True
    return [value for value, taken in zip(values, some, strict=True) if taken]
