"""The weights that are compatible with the answers, as columns and rows of a linear model.

    W = { w⊥ ≤ w ≤ w⊤,  ⟨w, y₊ − y₋⟩ ≥ margin − ξ_h,  |⟨w, y₁ − y₂⟩| ≤ indifference + ξ_h,  Σ ξ ≤ budget }

The budget is the least with which W is not empty: 0 where the answers agree. The margin keeps out w = 0, which agrees
with everything, even with answers that contradict one another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.solve.milp.feasible import FeasibleBlock, feasible_block
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, Rows, Term, assemble, one, rows, total
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.base import History
from setmargin.strategies.setmargin.problem import Bounds
from setmargin.strategies.shared.pairs import Pairs, pairs_of
from setmargin.strategies.shared.ties import tie_costs, without_last_digits

ROOM = 1e-7
"""Of the budget, relative to it and at least: what a solver calls equal."""


@dataclass(frozen=True, kw_only=True)
class AnswerMargins:
    """How answers are read: by how much the better is better at least, and equals differ at most.

    Utilities are on the scale of weights from 0 to 1.
    """

    margin: float = 0.01
    indifference: float = 0.05

    def __post_init__(self) -> None:
        if not 0 <= self.margin < 1:
            raise OptionError(f"margin is {self.margin}; give a small number such as 0.01, from 0 to below 1")
        if not 0 <= self.indifference < 10:
            raise OptionError(f"indifference is {self.indifference}; give a small number such as 0.05, not negative")


USUAL_MARGINS = AnswerMargins()


@dataclass(frozen=True, eq=False)
class CompatibleWeights:
    """The weights that the answers leave, and what can be built."""

    space: Space
    feasible: FeasibleBlock
    pairs: Pairs
    bounds: Bounds
    reading: AnswerMargins
    budget: float

    def lay(self, columns: Columns) -> tuple[Ints, Ints, list[Rows]]:
        """New columns for one w of W: itself, the weights of values that it amounts to, and the rows they obey."""
        w = columns.add("w", len(self.bounds.lower), lower=self.bounds.lower, upper=self.bounds.upper)
        v, coupled = _value_columns(columns, self.space, self.bounds, w)
        xi = columns.add("xi", len(self.pairs))
        spent = rows(total(xi), upper=self.budget + ROOM * max(self.budget, 1.0))
        return w, v, [*coupled, *answered(v, w, xi, self.pairs, self.reading), spent]


@dataclass(frozen=True, eq=False)
class AdversaryPick:
    """What the adversary picked: the better configuration, the weights, and what is lost with them."""

    better: Ints
    weights: Floats
    value_weights: Floats
    regret: float
    bound: float
    """No adversary can do more harm than this; infinite where nothing is proven."""


@lru_cache(maxsize=64)
def compatible_with(space: Space, history: History, reading: AnswerMargins = USUAL_MARGINS) -> CompatibleWeights:
    """What the answers leave."""
    feasible, pairs, bounds = feasible_block(oracle_for(space).lowered), pairs_of(space, history), Bounds.usual(space)
    return CompatibleWeights(space, feasible, pairs, bounds, reading, _least_budget(space, pairs, bounds, reading))


def _least_budget(space: Space, pairs: Pairs, bounds: Bounds, reading: AnswerMargins) -> float:
    """min Σ ξ: how much the answers contradict one another."""
    if not len(pairs):
        return 0.0
    columns = Columns()
    w = columns.add("w", len(bounds.lower), lower=bounds.lower, upper=bounds.upper)
    v, coupled = _value_columns(columns, space, bounds, w)
    xi = columns.add("xi", len(pairs), objective=1.0)
    found = Highs().solve(assemble(columns, [*coupled, *answered(v, w, xi, pairs, reading)]))
    return max(found.objective, 0.0)


def _value_columns(columns: Columns, space: Space, bounds: Bounds, w: Ints) -> tuple[Ints, list[Rows]]:
    """v = w_B + C'w_R; without quantities and trends it is w itself."""
    if not len(space.costs):
        return w, []
    values = bounds.of_values(space)
    v = columns.add("v", len(values.upper), lower=values.lower, upper=values.upper)
    own, of_quantities = w[: len(v)], w[len(v) :]
    return v, [rows(one(v), one(own, -1.0), total(of_quantities[None, :], -space.costs.T), lower=0.0, upper=0.0)]


def answered(v: Ints, w: Ints, xi: Ints, pairs: Pairs, reading: AnswerMargins) -> list[Rows]:
    """What each answer demands of the weights, but for its slack."""
    better, alike = xi[: len(pairs.strict)], xi[len(pairs.strict) :]
    apart = [_ahead(v, w, sign * pairs.equal, pairs.equal_beside, sign) for sign in (1.0, -1.0)]
    return [
        rows(*_ahead(v, w, pairs.strict, pairs.strict_beside), one(better), lower=reading.margin),
        *(rows(*terms, one(alike), lower=-reading.indifference) for terms in apart),
    ]


def _ahead(v: Ints, w: Ints, apart: Floats, beside: Floats | None, sign: float = 1.0) -> list[Term]:
    """By how much the better ones are better, what is said about quantities beside values included."""
    terms = [total(v[None, :], apart)]
    if beside is not None:
        terms.append(total(w[None, len(v) :], sign * beside))
    return terms


def value_tops(compatible: CompatibleWeights) -> Floats:
    """The largest weight of each value."""
    return compatible.bounds.of_values(compatible.space).upper


def favouring(compatible: CompatibleWeights, apart: Floats, beside: Floats | None = None) -> Floats:
    """The compatible weights that put the smallest of these differences highest; at most at 1."""
    columns = Columns()
    w, v, blocks = compatible.lay(columns)
    depth = columns.add("depth", objective=1.0, lower=-inf, upper=1.0)
    terms = _ahead(v, w, apart, beside)
    blocks.append(rows(*terms, one(np.repeat(depth, len(apart)), -1.0), lower=0.0))
    model = assemble(columns, blocks, maximise=True)
    objective = model.objective.copy()
    objective[w] -= tie_costs(compatible.space)
    found = Highs().solve(replace(model, objective=objective))
    return without_last_digits(np.maximum(found.values[w], 0.0))
