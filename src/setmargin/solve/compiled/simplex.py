"""The dual simplex method for a small linear problem that is solved again and again, compiled.

Solvers need longer around their iterations than for them where a problem is this small, and a tree solves thousands.
What leaves the basis is chosen by steepest edges, what enters by a ratio test that passes over what has two bounds.

**No bound depends on rounding**: `safe_bound` takes the prices that were come to, whatever they are, and bounds the
problem as given by weak duality. So a mistake here can cost time, but proves nothing that is wrong.
"""

from __future__ import annotations

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.compiled.basis import (
    AGE,
    CHANCE,
    OPTIMAL,
    PIVOT,
    PIVOTS,
    SIZE,
    STALLED,
    ZERO,
    Lp,
    add_column,
    inverse_row,
    is_basic,
    replace,
    restart,
    settle,
    through_basis,
)
from setmargin.solve.compiled.jit import compiled

SOLVED, CUT_OFF, INFEASIBLE, STUCK = 0, 1, 2, 3

FEASIBLE = 1e-9
"""Bounds may be broken by this much."""
UNSURE = 1e-7
"""By so much two ways to compute a pivot may differ, and rows from what their columns make of them."""
FRESH, REPAIRS = 250, 3
"""After so many pivots the inverse is made anew, and so often at most where something does not fit."""
LEAST_WEIGHT = 1e-4
PATIENCE = 20
"""After so many pivots in a row that change no reduced cost, chance has a say in what leaves: they could go round."""
FAR = 1e4
"""How far along a ray prices are taken that are to prove that nothing is feasible."""


@compiled
def safe_bound(lp: Lp, ray: Floats, times: float, reduced: Floats) -> float:
    """What no feasible x costs less than, by the prices of the rows plus so many times some others.

    The reduced costs of the columns that go with it are written down: they bound what other bounds of columns bring.
    """
    columns = len(lp.implied)
    y = np.empty(len(ray))
    bound = 0.0
    for i in range(len(ray)):
        p = lp.reduced[columns + i] + times * ray[i]
        low, high = lp.lower[columns + i], lp.upper[columns + i]
        if (p > 0.0 and low == -np.inf) or (p < 0.0 and high == np.inf):
            p = 0.0
        y[i] = p
        if p > 0.0:
            bound += p * low
        elif p < 0.0:
            bound += p * high
    for q in range(columns):
        d = lp.cost[q]
        for e in range(lp.column_start[q], lp.column_start[q + 1]):
            d -= y[lp.column_row[e]] * lp.column_value[e]
        reduced[q] = d
        bound += d * lp.lower[q] if d > 0.0 else d * min(lp.upper[q], lp.implied[q])
    return bound


@compiled
def _leaving(lp: Lp) -> int:
    """What breaks its bounds most of what is in the basis, as its edge is long; -1 if nothing does."""
    best, largest = -1, 0.0
    stalled, chance = lp.counts[STALLED] > PATIENCE, lp.counts[CHANCE]
    for q in range(len(lp.cost)):
        if not is_basic(lp, q):
            continue
        broken = max(lp.lower[q] - lp.x[q], lp.x[q] - lp.upper[q])
        if broken > FEASIBLE:
            merit = broken * broken / lp.weight[q]
            if stalled:
                chance = (chance * 1103515245 + 12345) % 2147483648
                merit *= chance
            if merit > largest:
                best, largest = q, merit
    lp.counts[CHANCE] = chance
    return best


@compiled
def _row(lp: Lp, out: int, rho: Floats, row: Floats) -> None:
    """A row of B⁻¹ (A, −1), from that of B⁻¹."""
    columns = len(lp.implied)
    for q in range(columns):
        row[q] = 0.0
    for i in range(len(rho)):
        f = rho[i]
        row[columns + i] = -f
        if abs(f) > ZERO:
            for e in range(lp.row_start[i], lp.row_start[i + 1]):
                row[lp.row_column[e]] += f * lp.row_value[e]
    row[out] = 1.0


@compiled
def _entering(lp: Lp, row: Floats, sign: float, slope: float, candidates: Ints, flips: Ints) -> tuple[int, int]:
    """What comes into the basis, or -1, and how many go to their other bound on the way.

    As long as the objective still grows behind the point where a reduced cost vanishes, what has two bounds takes the
    other one, and the step goes on.
    """
    count = 0
    for q in range(len(row)):
        a = sign * row[q]
        if abs(a) <= PIVOT or is_basic(lp, q) or lp.lower[q] == lp.upper[q]:
            continue
        free = lp.lower[q] == -np.inf and lp.upper[q] == np.inf
        if free or lp.x[q] == (lp.lower[q] if a > 0.0 else lp.upper[q]):
            candidates[count] = q
            count += 1
    flipped = 0
    while count:
        farthest = np.inf
        for c in range(count):
            q = candidates[c]
            farthest = min(farthest, (abs(lp.reduced[q]) + OPTIMAL) / abs(row[q]))
        best, largest, passed = -1, 0.0, 0.0
        for c in range(count):
            q = candidates[c]
            a = abs(row[q])
            if abs(lp.reduced[q]) <= farthest * a:
                passed += a * (lp.upper[q] - lp.lower[q])
                if a > largest:
                    best, largest = q, a
        if passed >= slope - FEASIBLE:
            return best, flipped
        slope -= passed
        left = 0
        for c in range(count):
            q = candidates[c]
            if abs(lp.reduced[q]) <= farthest * abs(row[q]):
                flips[flipped] = q
                flipped += 1
            else:
                candidates[left] = q
                left += 1
        count = left
    return -1, flipped


@compiled
def _objective(lp: Lp) -> float:
    """What the reduced costs say that it comes to."""
    total = 0.0
    for q in range(len(lp.cost)):
        if lp.reduced[q] != 0.0:
            total += lp.reduced[q] * lp.x[q]
    return total


@compiled
def _is_consistent(lp: Lp) -> bool:
    """Whether rows come to what their columns make of them."""
    columns = len(lp.implied)
    for i in range(len(lp.cost) - columns):
        total = 0.0
        for e in range(lp.row_start[i], lp.row_start[i + 1]):
            total += lp.row_value[e] * lp.x[lp.row_column[e]]
        if abs(total - lp.x[columns + i]) > UNSURE:
            return False
    return True


@compiled
def _move(lp: Lp, inner: Floats, outer: Floats, times: float) -> None:
    """What is in the basis moves along."""
    columns = len(lp.implied)
    for s in range(lp.counts[SIZE]):
        lp.x[lp.column_at[s]] += times * inner[s]
    for i in range(len(outer)):
        if outer[i] != 0.0:
            lp.x[columns + i] += times * outer[i]


@compiled
def _reweigh(lp: Lp, q: int, f: float, tau: float, exact: float) -> None:
    """The weight of an edge after a pivot in which its entry was f times the pivot."""
    lp.weight[q] = max(lp.weight[q] + f * (f * exact - 2.0 * tau), LEAST_WEIGHT)


@compiled
def solve(lp: Lp, cutoff: float, most: int) -> int:
    """Go on from the last basis, until it is solved, or costs the cutoff at least, or after so many pivots."""
    rows, total, columns = len(lp.cost) - len(lp.implied), len(lp.cost), len(lp.implied)
    rho, row = np.empty(rows), np.empty(total)
    inner, outer = np.empty(rows + 1), np.empty(rows)
    inner2, outer2 = np.empty(rows + 1), np.empty(rows)
    candidates, flips = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    nothing, scratch = np.zeros(rows), np.empty(columns)
    lp.counts[STALLED], lp.counts[CHANCE] = 0, 1
    repairs = 0
    settle(lp)
    for _ in range(most):
        if lp.counts[AGE] >= FRESH:
            restart(lp)
        if _objective(lp) >= cutoff and safe_bound(lp, nothing, 0.0, scratch) >= cutoff:
            return CUT_OFF
        out = _leaving(lp)
        if out < 0:
            if repairs < REPAIRS and lp.counts[AGE] > 0 and not _is_consistent(lp):
                repairs += 1
                restart(lp)
                continue
            return SOLVED
        below = lp.x[out] < lp.lower[out]
        sign = -1.0 if below else 1.0
        target = lp.lower[out] if below else lp.upper[out]
        inverse_row(lp, out, rho)
        _row(lp, out, rho, row)
        q, flipped = _entering(lp, row, sign, abs(lp.x[out] - target), candidates, flips)
        pivot = 0.0
        if q >= 0:
            v = np.zeros(rows)
            add_column(lp, q, 1.0, v)
            through_basis(lp, v, inner, outer)
            pivot = inner[lp.slot[out]] if out < columns else outer[out - columns]
        elif safe_bound(lp, rho, sign * FAR, scratch) >= cutoff:
            return INFEASIBLE
        if q < 0 or abs(pivot) <= PIVOT or abs(pivot - row[q]) > UNSURE * (1.0 + abs(pivot)):
            if repairs >= REPAIRS or lp.counts[AGE] == 0:
                return STUCK
            repairs += 1
            restart(lp)
            continue
        theta = lp.reduced[q] / pivot
        lp.counts[STALLED] = 0 if flipped or abs(theta) > OPTIMAL else lp.counts[STALLED] + 1
        if theta != 0.0:
            for c in range(total):
                if row[c] != 0.0 and not is_basic(lp, c):
                    lp.reduced[c] -= theta * row[c]
        lp.reduced[q], lp.reduced[out] = 0.0, -theta
        if flipped:
            v = np.zeros(rows)
            for c in range(flipped):
                f = flips[c]
                now = lp.upper[f] if lp.x[f] == lp.lower[f] else lp.lower[f]
                add_column(lp, f, lp.x[f] - now, v)
                lp.x[f] = now
            through_basis(lp, v, inner2, outer2)
            _move(lp, inner2, outer2, 1.0)
        step = (lp.x[out] - target) / pivot
        _move(lp, inner, outer, -step)
        lp.x[q] += step
        lp.x[out] = target
        exact = 0.0
        for i in range(rows):
            exact += rho[i] * rho[i]
        through_basis(lp, rho, inner2, outer2)
        for s in range(lp.counts[SIZE]):
            if inner[s] != 0.0 and lp.column_at[s] != out:
                _reweigh(lp, lp.column_at[s], inner[s] / pivot, inner2[s], exact)
        for i in range(rows):
            if outer[i] != 0.0 and columns + i != out:
                _reweigh(lp, columns + i, outer[i] / pivot, outer2[i], exact)
        lp.weight[q] = max(exact / (pivot * pivot), LEAST_WEIGHT)
        replace(lp, out, q, rho, inner, pivot)
        lp.counts[AGE] += 1
        lp.counts[PIVOTS] += 1
    return STUCK
