"""The linear relaxation of the setwise problem: values may be shared, and the bound is what no set can exceed.

It is tighter than the relaxation of the printed problem, which multiplies v = w_B + C'w_R by x under one bound. Here
every product has its own columns, and each lies in the convex hull of what it can be:

    p = w x for a value      own values are maximised: p ≤ w⊤ x and p ≤ w − w⊥(1 − x), written in m = w − p, what
                             of the weight is missed, so that the second row is a bound where w⊥ is zero;
                             others' are minimised: p ≥ w⊥ x and p ≥ w − w⊤(1 − x)
    r = w_q x for a quantity w⊥ x ≤ r ≤ w⊤ x, and Σ r = w_q over the values of each attribute, since one of them holds

With one user standing for all k, and nobody to be told apart from, it is a fraction of the size and its optimum
bounds the whole from above, often exactly: late in an interview users differ little.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import inf

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelCutOff, ModelInfeasible, NoSolutionInTime
from setmargin.solve.milp.model import Columns, Limits, Milp, ModelOwner, Rows, Solver, Term, assemble, one, rows, total
from setmargin.strategies.setmargin.problem import Bounds, Form, SetProblem, largest_margin, without_noise
from setmargin.strategies.setmargin.weights import Prices
from setmargin.strategies.shared.pairs import with_beside


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

    `each` is a bound that one user standing for all has given: it holds for every user by itself.
    """

    def __init__(self, problem: SetProblem, *, users: int, solver: Solver, each: float = inf) -> None:
        model, columns = relax(problem, users=users, each=each)
        self._users, self._size, self._alpha = users, problem.size, problem.setting.alpha
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

    def limit_each(self, each: float) -> None:
        """A tighter bound for every user by itself, where there was one before."""
        rows = np.arange(self._height - self._users, self._height)
        self._model.change_row_bounds(rows, -inf, each)

    def _prices(self, duals: Floats) -> Prices:
        """What the rows of answers and of pairs of users cost: prices that hold for any set, scaled where need be."""
        users, (strict, equal) = self._users, self._said
        share = users / self._size
        ends = np.cumsum([users * len(strict), users * len(equal), users * len(equal), users * (users - 1)])
        ahead, below, above, pairs = np.split(np.maximum(duals[: ends[-1]], 0.0), ends[:-1])
        most = self._alpha / share
        ahead = np.minimum(ahead, most).reshape(users, -1)
        apart = np.zeros((users, users))
        apart[tuple(np.array(list(permutations(range(users), 2)), dtype=np.int64).reshape(-1, 2).T)] = pairs
        scale = 1.0 / max(1.0, float(ahead.sum() + apart.sum()))
        alike = np.clip(above - below, -most, most).reshape(users, -1)
        pull = scale * share * (ahead @ strict + alike @ equal)
        spare = max(1.0 - scale * float(ahead.sum() + apart.sum()), 0.0)
        if users < self._size:
            return Prices(np.zeros((self._size, self._size)), np.repeat(pull, self._size, axis=0), spare)
        return Prices(scale * apart, pull, spare)


def relax(problem: SetProblem, *, users: int, each: float = inf) -> tuple[Milp, Columns]:
    """The whole linear problem, turned around so that it is minimised, as a cutoff needs it."""
    bounds, quantities = _features(problem)
    columns, feasible = _columns_of(problem, users, bounds, quantities)
    blocks = [  # those whose prices are read come first
        *_answered(columns, problem, quantities),
        *_apart(columns, users, quantities),
        *feasible,
        *_value_products(columns, users, bounds),
        *(block for q in quantities for block in _quantity_products(columns, q, bounds)),
    ]
    if each < inf:
        blocks += [_each(columns, problem, i, bounds, quantities, each) for i in range(users)]
    return assemble(columns, blocks, maximise=False), columns


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
    problem: SetProblem, users: int, bounds: Bounds, quantities: list[QuantityValues]
) -> tuple[Columns, list[Rows]]:
    """μ, ε, w, x and the products; a single user counts k times."""
    setting, visible = problem.setting, int(problem.space.offsets[-1])
    times = problem.size / users
    own = -times * setting.gamma * np.eye(users)[..., None]
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
    columns.add("p", (users * (users - 1), visible))
    for q in quantities:
        columns.add(f"r{q.number}", (users, users, len(q.values)), objective=own * q.costs)
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


def _value_products(columns: Columns, users: int, bounds: Bounds) -> Iterator[Rows]:
    """p^{i,i} = w^i − m^i, which is maximised, from above, and p^{i,j}, which is minimised, from below: (6) to (8)."""
    m, p, x = columns["m"], columns["p"], columns["x"]
    count = x.shape[1]
    w, lower, upper = columns["w"][:, :count], bounds.lower[:count], bounds.upper[:count]
    yield rows(one(w), one(m, -1.0), one(x, -upper), upper=0.0)
    if lower.any():
        yield rows(one(m), one(x, lower), lower=lower)
    for number, (i, j) in enumerate(permutations(range(users), 2)):
        yield rows(one(p[number]), one(w[i], -1.0), one(x[j], -upper), lower=-upper)
        if lower.any():
            yield rows(one(p[number]), one(x[j], -lower), lower=0.0)


def _quantity_products(columns: Columns, q: QuantityValues, bounds: Bounds) -> Iterator[Rows]:
    """r^{i,j} = w^i_q x^j: its hull, attribute by attribute."""
    x, r = columns["x"][:, q.values], columns[f"r{q.number}"]
    place = columns["x"].shape[1] + q.number
    w, lower, upper = columns["w"][:, place], bounds.lower[place], bounds.upper[place]
    for start, end in pairwise(q.cuts):
        yield rows(total(r[:, :, start:end]), one(w[:, None], -1.0), lower=0.0, upper=0.0)
    yield rows(one(r), one(x[None], -upper), upper=0.0)
    if lower > 0:
        yield rows(one(r), one(x[None], -lower), lower=0.0)


def _own(columns: Columns, i: int, quantities: list[QuantityValues], factor: float) -> list[Term]:
    """factor · ⟨w^i, x^i⟩."""
    m, w = columns["m"][i], columns["w"][i, : columns["m"].shape[1]]
    return [total(w, factor), total(m, -factor), *_amounts(columns, i, i, quantities, factor)]


def _amounts(columns: Columns, i: int, j: int, quantities: list[QuantityValues], factor: float) -> list[Term]:
    """The part of factor · ⟨w^i, x^j⟩ that comes from quantities."""
    return [total(columns[f"r{q.number}"][i, j], factor * q.costs) for q in quantities]


def _apart(columns: Columns, users: int, quantities: list[QuantityValues]) -> Iterator[Rows]:
    """(5): ⟨w^i, x^i⟩ − ⟨w^i, x^j⟩ ≥ μ."""
    for number, (i, j) in enumerate(permutations(range(users), 2)):
        better = _own(columns, i, quantities, 1.0)
        worse = [total(columns["p"][number], -1.0), *_amounts(columns, i, j, quantities, -1.0)]
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
