"""The linear relaxation of the setwise problem: values may be shared, and the bound is what no set can exceed.

It is tighter than the relaxation of the printed problem, which multiplies v = w_B + C'w_R by x under one bound. Here
every product has its own columns, and each lies in the convex hull of what it can be:

    p = w x for a value      own values are maximised: p ≤ w⊤ x and p ≤ w − w⊥(1 − x), written in m = w − p, what
                             of the weight is missed, so that the second row is a bound where w⊥ is zero;
                             others' are minimised: p ≥ w⊥ x and p ≥ w − w⊤(1 − x)
    a = w_q Σ c x for a quantity and an attribute, of whose values one holds: in the hull of the products w_q x it is
                             largest where the weight goes to the dearest values first, smallest where it goes to the
                             cheapest. Own amounts are maximised, others' minimised, so for every cost t of a value:
                             a ≤ t w_q + (w⊤ − w⊥) Σ (c − t)⁺ x  and  a ≥ t w_q − (w⊤ − w⊥) Σ (t − c)⁺ x  (w⊥ = 0)
                             Each row speaks of all values, so where there are many costs it is the products themselves:
                             a = Σ c r with w⊥ x ≤ r ≤ w⊤ x and Σ r = w_q, which is as tight

With one user standing for all k, and nobody to be told apart from, it is a fraction of the size and its optimum
bounds the whole from above, often exactly: late in an interview users differ little. Users are interchangeable, so
their average solves the relaxation of all k as well as they do: an `averaged` user, who is told apart from an average
other, bounds it just as well where nothing has been given to anybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, permutations
from math import inf

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelCutOff, ModelInfeasible, NoSolutionInTime
from setmargin.solve.milp.model import Columns, Limits, Milp, ModelOwner, Rows, Solver, Term, assemble, one, rows, total
from setmargin.strategies.setmargin.problem import Bounds, Form, SetProblem, largest_margin, without_noise
from setmargin.strategies.setmargin.weights import Prices
from setmargin.strategies.shared.pairs import with_beside

MANY_COSTS = 1000
"""Where an attribute has more of them, once for every pair of users, a product for every value is less to solve than a
row for every cost: those rows grow with the square of the costs, and machine code takes no problem that is as large."""


@dataclass(frozen=True, eq=False)
class Relaxed:
    """No set of what was allowed is worth more than `bound`; how values were shared, and what each would add."""

    bound: float
    shares: Floats
    gains: Floats
    prices: Prices


@dataclass(frozen=True, eq=False)
class QuantityValues:
    """One quantity: its number, and the values it depends on with what each adds, attribute by attribute."""

    number: int
    values: Ints
    costs: Floats
    cuts: Ints


class Relaxation(ModelOwner):
    """The kept relaxation of `users` users, re-solved warm for other allowed values. Use it as a context manager.

    `each` is a bound that one user standing for all has given: it holds for every user by itself. One user can be
    `averaged`, until it is said that it stands for all.
    """

    def __init__(
        self, problem: SetProblem, *, users: int, solver: Solver, each: float = inf, averaged: bool = False
    ) -> None:
        model, columns = relax(problem, users=users, each=each, averaged=averaged)
        self._users, self._size, self._alpha = users, problem.size, problem.setting.alpha
        self._averaged = averaged
        self._said = _said(problem, _features(problem)[1])
        self._height = len(model.row_lower)
        self._x = columns["x"]
        self.allowed: Bools = model.upper[self._x] > 0.5
        self._now = self.allowed
        self._model = solver.open(model)

    def solve(self, allowed: Bools, *, floor: float, limits: Limits) -> Relaxed | None:
        """The relaxation with these values allowed (users × values), or None if nothing there is above the floor."""
        user, value = np.nonzero(allowed != self._now)
        self._model.change_column_bounds(self._x[user, value], 0.0, allowed[user, value].astype(np.float64))
        self._now = allowed
        try:
            found = self._model.solve(limits=limits, cutoff=-floor)
        except (ModelInfeasible, ModelCutOff):
            return None
        if found.column_duals is None or found.row_duals is None:
            raise NoSolutionInTime("the relaxation was not solved in time; give more seconds")
        gains, prices = -found.column_duals[self._x], self._prices(found.row_duals)
        return Relaxed(-found.objective, found.values[self._x], gains, prices)

    def stand_for_all(self) -> None:
        """From now on the averaged user is told apart from nobody, which bounds any user by itself."""
        self._averaged = False
        count = sum(len(said) for said in (self._said[0], *2 * self._said[1:]))
        self._model.change_row_bounds(np.array([count]), -inf, inf)

    def limit_each(self, each: float) -> None:
        """A tighter bound for every user by itself, where there was one before."""
        rows = np.arange(self._height - self._users, self._height)
        self._model.change_row_bounds(rows, -inf, each)

    def _prices(self, duals: Floats) -> Prices:
        """What the rows of answers and of pairs of users cost: prices that hold for any set, scaled where need be."""
        users, (strict, equal) = self._users, self._said
        share = users / self._size
        apart_rows = 1 if self._averaged else users * (users - 1)
        ends = np.cumsum([users * len(strict), users * len(equal), users * len(equal), apart_rows])
        ahead, below, above, pairs = np.split(np.maximum(duals[: ends[-1]], 0.0), ends[:-1])
        most = self._alpha / share
        ahead = np.minimum(ahead, most).reshape(users, -1)
        scale = 1.0 / max(1.0, float(ahead.sum() + pairs.sum()))
        alike = np.clip(above - below, -most, most).reshape(users, -1)
        pull = scale * share * (ahead @ strict + alike @ equal)
        spare = max(1.0 - scale * float(ahead.sum() + pairs.sum()), 0.0)
        size, others = self._size, permutations(range(self._size), 2)
        apart = np.zeros((size, size))
        if self._averaged:
            apart[~np.eye(size, dtype=bool)] = pairs / (size * (size - 1))
        elif users == size:
            apart[tuple(np.array(list(others), dtype=np.int64).reshape(-1, 2).T)] = pairs
        return Prices(scale * apart, np.repeat(pull, size // users, axis=0), spare)


def relax(problem: SetProblem, *, users: int, each: float = inf, averaged: bool = False) -> tuple[Milp, Columns]:
    """The whole linear problem, turned around so that it is minimised, as a cutoff needs it."""
    bounds, quantities = _features(problem)
    others = [(0, 0)] if averaged else list(permutations(range(users), 2))
    columns, feasible = _columns_of(problem, users, bounds, quantities, others)
    blocks = [  # those whose prices are read come first
        *_answered(columns, problem, quantities),
        *_apart(columns, others, quantities),
        *feasible,
        *_value_products(columns, others, bounds),
        *(block for q in quantities for block in _quantity_products(columns, q, bounds)),
    ]
    if each < inf:
        blocks += [_each(columns, problem, i, bounds, quantities, each) for i in range(users)]
    return assemble(columns, blocks, maximise=False), columns


def best_above(problem: SetProblem, *, solver: Solver, floor: float, limits: Limits) -> tuple[Ints | None, float]:
    """The best set by a solver's own tree on this relaxation, if any is worth more than the floor, and what none is
    worth more than. Raises NoSolutionInTime where neither is known within the limits."""
    model, columns = relax(problem, users=problem.size)
    whole = np.zeros(len(model.integer), dtype=bool)
    whole[columns["x"]] = True
    with solver.open(replace(model, integer=whole)) as opened:
        try:
            found = opened.solve(limits=replace(limits, heuristics=False), cutoff=-floor)
        except (ModelInfeasible, ModelCutOff):
            return None, floor
    chosen = np.split(found.values[columns["x"]], problem.space.offsets[1:-1], axis=1)
    return np.stack([block.argmax(axis=1) for block in chosen], axis=1), -found.bound


def interchangeable(problem: SetProblem) -> Ints:
    """A number for each value; values of one attribute share it if no answer, no rule and no bound tells them apart."""
    count = int(problem.space.offsets[-1])
    block = problem.feasible
    rules = block.rows.matrix(len(block.upper) + block.flows).toarray()[:, :count]
    attribute = np.repeat(np.arange(len(problem.space.domains)), np.diff(problem.space.offsets))
    differing = (problem.pairs.strict, problem.pairs.equal, problem.space.costs.reshape(-1, count), rules)
    bounds = problem.bounds
    limits = (block.upper[:count], bounds.lower[:count], bounds.upper[:count], bounds.counts[:count], attribute)
    _, number = np.unique(np.concatenate([*differing, np.stack(limits)]), axis=1, return_inverse=True)
    return np.asarray(number).reshape(-1)


def _features(problem: SetProblem) -> tuple[Bounds, list[QuantityValues]]:
    """The bounds of the weights, and the quantities that have weights of their own: none in the paper's form."""
    space = problem.space
    if problem.form is Form.PAPER:
        return problem.bounds.of_values(space), []
    return problem.bounds, [_quantity(space.offsets, costs, number) for number, costs in enumerate(space.costs)]


def _quantity(offsets: Ints, costs: Floats, number: int) -> QuantityValues:
    costs = without_noise(costs)
    blocks = [np.arange(start, end) for start, end in pairwise(offsets) if costs[start:end].any()]
    values = np.concatenate([*blocks, np.zeros(0, dtype=np.int64)])
    return QuantityValues(number, values, costs[values], np.cumsum([0, *(len(block) for block in blocks)]))


def _columns_of(
    problem: SetProblem, users: int, bounds: Bounds, quantities: list[QuantityValues], others: list[tuple[int, int]]
) -> tuple[Columns, list[Rows]]:
    """μ, ε, w, x and the products; a single user counts k times. Quantities' amounts are those of one user's weights
    with the values of each, or of an averaged user's with its own and with an average other's."""
    setting, visible = problem.setting, int(problem.space.offsets[-1])
    times = problem.size / users
    width = max(users, 2) if others else users
    own = -times * setting.gamma * np.eye(users, width)[..., None]
    columns = Columns()
    margin = largest_margin(problem.space, problem.pairs, size=problem.size, bounds=problem.bounds)
    columns.add("mu", objective=-1.0, upper=margin)
    columns.add("eps", (users, len(problem.pairs)), objective=times * setting.alpha)
    cost = times * setting.beta * bounds.counts
    cost[:visible] -= times * setting.gamma
    columns.add("w", (users, len(bounds.lower)), lower=bounds.lower, upper=bounds.upper, objective=cost)
    laid = [problem.feasible.lay(columns, f"x{i}", integer=False) for i in range(users)]
    columns.blocks["x"] = np.stack([x[:visible] for x, _ in laid])
    columns.add("m", (users, visible), objective=times * setting.gamma)
    columns.add("p", (len(others), visible))
    for q in quantities:
        top = bounds.upper[visible + q.number]
        least, most = (
            np.array([f(block, initial=0.0) for block in np.split(q.costs, q.cuts[1:-1])]) for f in (np.min, np.max)
        )
        shape = users, width, len(q.cuts) - 1
        columns.add(f"a{q.number}", shape, lower=top * least, upper=top * most, objective=own)
        for number, (start, end) in enumerate(pairwise(q.cuts)):
            if problem.size**2 * len(np.unique(q.costs[start:end])) > MANY_COSTS:
                columns.add(f"r{q.number}.{number}", (users, width, int(end - start)), upper=top)
    return columns, [block for _, block in laid]


def _answered(columns: Columns, problem: SetProblem, quantities: list[QuantityValues]) -> Iterator[Rows]:
    """(1), and |⟨w^i, y₁ − y₂⟩| ≤ ε^i for answers of no difference, in terms of w."""
    strict, equal = _said(problem, quantities)
    w, eps = columns["w"][:, None, :], columns["eps"]
    first, second = eps[:, : len(strict)], eps[:, len(strict) :]
    yield rows(total(w, strict[None]), one(columns["mu"], -1.0), one(first), lower=0.0)
    for sign in (-1.0, 1.0):
        yield rows(one(second), total(w, sign * equal[None]), lower=0.0)


def _said(problem: SetProblem, quantities: list[QuantityValues]) -> tuple[Floats, Floats]:
    """What strict and equal answers say, over all features that have weights."""
    pairs, costs = problem.pairs, problem.space.costs[: len(quantities)]
    strict, equal = (
        without_noise(with_beside(np.concatenate([block, block @ costs.T], axis=1), beside))
        for block, beside in ((pairs.strict, pairs.strict_beside), (pairs.equal, pairs.equal_beside))
    )
    return strict, equal


def _value_products(columns: Columns, others: list[tuple[int, int]], bounds: Bounds) -> Iterator[Rows]:
    """p^{i,i} = w^i − m^i, which is maximised, from above, and p^{i,j}, which is minimised, from below: (6) to (8)."""
    m, p, x = columns["m"], columns["p"], columns["x"]
    count = x.shape[1]
    w, lower, upper = columns["w"][:, :count], bounds.lower[:count], bounds.upper[:count]
    yield rows(one(w), one(m, -1.0), one(x, -upper), upper=0.0)
    if lower.any():
        yield rows(one(m), one(x, lower), lower=lower)
    for number, (i, j) in enumerate(others):
        yield rows(one(p[number]), one(w[i], -1.0), one(x[j], -upper), lower=-upper)
        if lower.any():
            yield rows(one(p[number]), one(x[j], -lower), lower=0.0)


def _quantity_products(columns: Columns, q: QuantityValues, bounds: Bounds) -> Iterator[Rows]:
    """a^{i,j} = w^i_q Σ c x^j, attribute by attribute: own ones from above, others from below."""
    x, amounts = columns["x"], columns[f"a{q.number}"]
    place = x.shape[1] + q.number
    w, lower, upper = columns["w"][:, place], float(bounds.lower[place]), float(bounds.upper[place])
    for number, (start, end) in enumerate(pairwise(q.cuts)):
        values, costs = q.values[start:end], q.costs[start:end]
        if (name := f"r{q.number}.{number}") in columns.blocks:
            held = x[None][..., values]
            yield from _single_products(columns[name], amounts[..., number], w, held, costs, (lower, upper))
            continue
        levels = np.unique(costs)
        dearer, cheaper = np.maximum(costs - levels[:, None], 0.0), np.maximum(levels[:, None] - costs, 0.0)
        above, below = lower * costs + (upper - lower) * dearer, lower * costs - (upper - lower) * cheaper
        for i, j in np.ndindex(amounts.shape[:2]):
            terms = [
                one(np.repeat(amounts[i, j, number], len(levels))),
                one(np.repeat(w[i], len(levels)), -levels),
                total(x[min(j, len(x) - 1)][None, values], -(above if i == j else below)),
            ]
            side = -lower * levels
            yield rows(*terms, upper=side) if i == j else rows(*terms, lower=side)


def _single_products(
    r: Ints, amounts: Ints, w: Ints, x: Ints, costs: Floats, bounds: tuple[float, float]
) -> Iterator[Rows]:
    """r = w^i_q x^j for every value of an attribute, of which one holds, and the amount that they come to."""
    lower, upper = bounds
    yield rows(total(r), one(w[:, None], -1.0), lower=0.0, upper=0.0)
    yield rows(total(r, costs), one(amounts, -1.0), lower=0.0, upper=0.0)
    yield rows(one(r), one(x, -upper), upper=0.0)
    if lower > 0:
        yield rows(one(r), one(x, -lower), lower=0.0)


def _own(columns: Columns, i: int, quantities: list[QuantityValues], factor: float) -> list[Term]:
    """factor · ⟨w^i, x^i⟩."""
    m, w = columns["m"][i], columns["w"][i, : columns["m"].shape[1]]
    return [total(w, factor), total(m, -factor), *_amounts(columns, i, i, quantities, factor)]


def _amounts(columns: Columns, i: int, j: int, quantities: list[QuantityValues], factor: float) -> list[Term]:
    """The part of factor · ⟨w^i, x^j⟩ that comes from quantities."""
    return [total(columns[f"a{q.number}"][i, j], factor) for q in quantities]


def _apart(columns: Columns, others: list[tuple[int, int]], quantities: list[QuantityValues]) -> Iterator[Rows]:
    """(5): ⟨w^i, x^i⟩ − ⟨w^i, x^j⟩ ≥ μ; where an averaged user is told apart from an average other, i = j."""
    for number, (i, j) in enumerate(others):
        better = _own(columns, i, quantities, 1.0)
        place = j if j != i else 1
        worse = [total(columns["p"][number], -1.0), *_amounts(columns, i, place, quantities, -1.0)]
        yield rows(*better, *worse, one(columns["mu"], -1.0), lower=0.0)


def _each(
    columns: Columns, problem: SetProblem, i: int, bounds: Bounds, quantities: list[QuantityValues], each: float
) -> Rows:
    """μ + k times what user i adds to the objective is at most `each`."""
    k, setting = problem.size, problem.setting
    return rows(
        one(columns["mu"]),
        total(columns["eps"][i], -k * setting.alpha),
        total(columns["w"][i], -k * setting.beta * bounds.counts),
        *_own(columns, i, quantities, k * setting.gamma),
        upper=each,
    )
