"""A small linear problem with a basis, kept so that what is known of one solve is the start of the next, compiled.

    min ⟨cost, x⟩  where  A x − r = 0,  lower ≤ (x, r) ≤ upper

Rows that do not bind have their own r in the basis, and take no part in it but for their values: the inverse is kept of
the others alone, the *kernel*, whole and row by row. Its columns are those of A that are in the basis, as many as rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.solve.compiled.jit import compiled
from setmargin.solve.milp.model import Milp

OPTIMAL = 1e-9
"""Reduced costs may have the wrong sign by this much."""
PIVOT = 1e-7
"""Smaller entries are no pivots,"""
ZERO = 1e-13
"""and what is this small is rounding."""

SIZE, AGE, PIVOTS, STALLED, CHANCE = 0, 1, 2, 3, 4
"""What is counted: the size of the kernel, pivots since its inverse was made, all pivots, those in a row without any
progress; and the state of chance."""


class Lp(NamedTuple):
    """One linear problem with all that is known of its last solve. Rows are numbered behind the columns."""

    cost: Floats
    lower: Floats
    upper: Floats
    implied: Floats
    """An upper bound of every column, also where `upper` has none: bounds by prices need it."""
    column_start: Ints
    column_row: Ints
    column_value: Floats
    row_start: Ints
    row_column: Ints
    row_value: Floats
    x: Floats
    reduced: Floats
    """Reduced costs; a row's is its price."""
    slot: Ints
    """Where a column stands in the kernel, or a row among the kernel's rows; else -1. Then a row is in the basis."""
    column_at: Ints
    row_at: Ints
    """The columns of the kernel and its rows, by slot."""
    inverse: Floats
    """inverse[t, s]: of the kernel's row t in its column s."""
    weight: Floats
    """Of the edges of what is in the basis."""
    counts: Ints


@compiled
def through_basis(lp: Lp, v: Floats, inner: Floats, outer: Floats) -> None:
    """B⁻¹ v: for the kernel's columns, and for the rows outside it."""
    size = lp.counts[SIZE]
    for s in range(size):
        inner[s] = 0.0
    for t in range(size):
        f = v[lp.row_at[t]]
        if f != 0.0:
            source = lp.inverse[t]
            for s in range(size):
                inner[s] += f * source[s]
    for i in range(len(v)):
        outer[i] = -v[i]
    for s in range(size):
        f = inner[s]
        if abs(f) > ZERO:
            q = lp.column_at[s]
            for e in range(lp.column_start[q], lp.column_start[q + 1]):
                outer[lp.column_row[e]] += f * lp.column_value[e]
    for t in range(size):
        outer[lp.row_at[t]] = 0.0


@compiled
def add_column(lp: Lp, q: int, times: float, v: Floats) -> None:
    """v plus so many times a column of (A, −1)."""
    columns = len(lp.implied)
    if q >= columns:
        v[q - columns] -= times
    else:
        for e in range(lp.column_start[q], lp.column_start[q + 1]):
            v[lp.column_row[e]] += times * lp.column_value[e]


@compiled
def replace(lp: Lp, out: int, q: int, rho: Floats, inner: Floats, pivot: float) -> None:
    """The kernel after `out` has left the basis for `q`, whose entries are `inner` and, where `out` was, `pivot`."""
    size, columns = lp.counts[SIZE], len(lp.implied)
    inverse, slot = lp.inverse, lp.slot
    skipped = slot[q] if q >= columns else -1  # the row that leaves the kernel
    for t in range(size):
        f = rho[lp.row_at[t]] / pivot
        if t != skipped and abs(f) > ZERO:
            target = inverse[t]
            for s in range(size):
                target[s] -= f * inner[s]
    if out < columns:
        p = slot[out]
        slot[out] = -1
        if q < columns:
            for t in range(size):
                inverse[t, p] = rho[lp.row_at[t]] / pivot
            lp.column_at[p], slot[q] = q, p
        else:
            last = size - 1
            if p != last:
                for t in range(size):
                    inverse[t, p] = inverse[t, last]
                lp.column_at[p] = lp.column_at[last]
                slot[lp.column_at[p]] = p
            if skipped != last:
                for s in range(last):
                    inverse[skipped, s] = inverse[last, s]
                lp.row_at[skipped] = lp.row_at[last]
                slot[columns + lp.row_at[skipped]] = skipped
            slot[q] = -1
            lp.counts[SIZE] = last
    else:
        i = out - columns
        f = -1.0 / pivot
        if q < columns:
            for t in range(size):
                inverse[t, size] = rho[lp.row_at[t]] / pivot
            for s in range(size):
                inverse[size, s] = -f * inner[s]
            inverse[size, size] = f
            lp.column_at[size], lp.row_at[size] = q, i
            slot[q] = slot[out] = size
            lp.counts[SIZE] = size + 1
        else:
            for s in range(size):
                inverse[skipped, s] = -f * inner[s]
            lp.row_at[skipped] = i
            slot[out], slot[q] = skipped, -1


@compiled
def inverse_row(lp: Lp, out: int, rho: Floats) -> None:
    """The row of B⁻¹ that belongs to what is in the basis."""
    size, columns = lp.counts[SIZE], len(lp.implied)
    for i in range(len(rho)):
        rho[i] = 0.0
    if out < columns:
        p = lp.slot[out]
        for t in range(size):
            rho[lp.row_at[t]] = lp.inverse[t, p]
        return
    i = out - columns
    for e in range(lp.row_start[i], lp.row_start[i + 1]):
        p = lp.slot[lp.row_column[e]]
        if p >= 0:
            value = lp.row_value[e]
            for t in range(size):
                rho[lp.row_at[t]] += value * lp.inverse[t, p]
    rho[i] = -1.0


@compiled
def invert(lp: Lp) -> None:
    """The kernel's inverse from nothing; columns that depend on others leave it."""
    rows, columns = len(lp.cost) - len(lp.implied), len(lp.implied)
    size = lp.counts[SIZE]
    wanted, free = np.empty(size, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    for t in range(size):
        wanted[t], free[lp.row_at[t]] = lp.column_at[t], 1
    for q in range(len(lp.cost)):
        lp.slot[q] = -1
    lp.counts[SIZE] = lp.counts[AGE] = 0
    inner, outer, rho = np.empty(rows + 1), np.empty(rows), np.empty(rows)
    for number in range(size):
        q, v = wanted[number], np.zeros(rows)
        add_column(lp, q, 1.0, v)
        through_basis(lp, v, inner, outer)
        best, largest = -1, PIVOT
        for i in range(rows):
            if free[i] > 0 and abs(outer[i]) > largest:
                best, largest = i, abs(outer[i])
        if best < 0:
            lp.x[q] = min(max(lp.x[q], lp.lower[q]), lp.upper[q])
            continue
        inverse_row(lp, columns + best, rho)
        replace(lp, columns + best, q, rho, inner, outer[best])
        free[best] = 0


@compiled
def price(lp: Lp) -> None:
    """All reduced costs from nothing."""
    size, columns = lp.counts[SIZE], len(lp.implied)
    reduced = lp.reduced
    for q in range(columns, len(lp.cost)):
        reduced[q] = 0.0
    for t in range(size):
        total = 0.0
        for s in range(size):
            total += lp.cost[lp.column_at[s]] * lp.inverse[t, s]
        reduced[columns + lp.row_at[t]] = total  # a row costs nothing and its column is −e: what is left is its price
    for q in range(columns):
        total = lp.cost[q]
        for e in range(lp.column_start[q], lp.column_start[q + 1]):
            total -= reduced[columns + lp.column_row[e]] * lp.column_value[e]
        reduced[q] = total
    for s in range(size):
        reduced[lp.column_at[s]] = 0.0


@compiled
def is_basic(lp: Lp, q: int) -> bool:
    """Whether a column or a row is in the basis."""
    return bool((lp.slot[q] >= 0) == (q < len(lp.implied)))


@compiled
def settle(lp: Lp) -> None:
    """Everything outside the basis at the bound that its reduced cost asks for, and what the basis then comes to."""
    rows, columns = len(lp.cost) - len(lp.implied), len(lp.implied)
    v = np.zeros(rows)
    for q in range(len(lp.cost)):
        if is_basic(lp, q):
            continue
        low, high, d, value = lp.lower[q], lp.upper[q], lp.reduced[q], lp.x[q]
        if low == high or (d > OPTIMAL and low > -np.inf) or high == np.inf:
            value = low
        elif (d < -OPTIMAL and high < np.inf) or low == -np.inf:
            value = high
        elif value != high:
            value = low
        if value == np.inf or value == -np.inf:
            value = 0.0
        lp.x[q] = value
        if value != 0.0:
            add_column(lp, q, -value, v)
    inner, outer = np.empty(rows + 1), np.empty(rows)
    through_basis(lp, v, inner, outer)
    for s in range(lp.counts[SIZE]):
        lp.x[lp.column_at[s]] = inner[s]
    for i in range(rows):
        if lp.slot[columns + i] < 0:
            lp.x[columns + i] = outer[i]


@compiled
def restart(lp: Lp) -> None:
    """Everything that goes with the basis from nothing."""
    invert(lp)
    price(lp)
    settle(lp)


@compiled
def copy_state(source: Lp, target: Lp) -> None:
    """The basis and what goes with it, from one problem to another of the same size."""
    for q in range(len(source.cost)):
        target.x[q], target.reduced[q] = source.x[q], source.reduced[q]
        target.slot[q], target.weight[q] = source.slot[q], source.weight[q]
    for c in range(len(source.counts)):
        target.counts[c] = source.counts[c]
    size = source.counts[SIZE]
    for t in range(size):
        target.column_at[t], target.row_at[t] = source.column_at[t], source.row_at[t]
        for s in range(size):
            target.inverse[t, s] = source.inverse[t, s]


def prepared(model: Milp, implied: Floats) -> Lp:
    """A model that is minimised, with a basis of all its rows. Columns that have an upper bound can be given others."""
    if model.maximise:
        raise OptionError("only what is minimised is solved here; turn the objective around")
    by_row = csr_array(model.matrix)
    by_row.sort_indices()
    by_column = by_row.tocsc()
    by_column.sort_indices()
    rows, columns = by_row.shape
    total, none, largest = rows + columns, np.zeros(rows), min(rows, columns) + 1
    # What is cheaper the larger it is starts at its largest, so that prices are right from the beginning.
    upper = np.where((model.objective < 0) & np.isinf(model.upper), implied, model.upper)
    return Lp(
        cost=np.concatenate([model.objective, none]),
        lower=np.concatenate([model.lower, model.row_lower]),
        upper=np.concatenate([upper, model.row_upper]),
        implied=np.minimum(implied, upper),
        column_start=by_column.indptr.astype(np.int64),
        column_row=by_column.indices.astype(np.int64),
        column_value=by_column.data.astype(np.float64),
        row_start=by_row.indptr.astype(np.int64),
        row_column=by_row.indices.astype(np.int64),
        row_value=by_row.data.astype(np.float64),
        x=np.zeros(total),
        reduced=np.concatenate([model.objective, none]),
        slot=np.full(total, -1, dtype=np.int64),
        column_at=np.zeros(largest, dtype=np.int64),
        row_at=np.zeros(largest, dtype=np.int64),
        inverse=np.zeros((largest, largest)),
        weight=np.ones(total),
        counts=np.zeros(5, dtype=np.int64),
    )


def copied(lp: Lp) -> Lp:
    """Another problem of the same size, for `copy_state`."""
    return Lp._make(array.copy() for array in lp)
