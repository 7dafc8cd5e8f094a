"""The setwise max-margin problem: the paper's equations as blocks of columns and rows.

Find k weight vectors and k configurations, so that each vector obeys the answers and each configuration beats the
others under its own vector, all by the margin μ:

    max  μ − α Σ_i ‖ε^i‖₁ − β Σ_i ‖w^i‖₁ + γ Σ_i ⟨w^i, x^i⟩

Names follow the paper. v^i is the weight of one-hot values that w^i amounts to, v = w_B + C'w_R; without quantities
it is w itself. Trends of ordered values are rows of C like quantities. Numbers in parentheses are the paper's
equations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import permutations
from math import isfinite

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.solve.milp.feasible import FeasibleBlock
from setmargin.solve.milp.model import Columns, Limits, Milp, Rows, Solver, Term, assemble, one, rows, total
from setmargin.space.space import Space
from setmargin.strategies.shared.pairs import Pairs


@dataclass(frozen=True, order=True)
class Hyperparameters:
    """α weighs ranking errors, β the size of the weights, γ the quality of the configurations."""

    alpha: float
    beta: float
    gamma: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma"):
            value = getattr(self, name)
            if not (isfinite(value) and value >= 0):
                raise OptionError(f"{name} is {value}; give a number that is not negative")
        if self.alpha < 1:
            # One answer, k = 1: margin and slack can grow together without end, and the objective with them.
            raise OptionError(f"alpha is {self.alpha}; below 1 the problem for k = 1 is unbounded, so give 1 or more")


# Answers count for all, size and favourites for next to nothing: if this finds no margin, no setting does.
STRICTEST = Hyperparameters(20.0, 1e-6, 1e-6)


@dataclass(frozen=True, eq=False)
class Bounds:
    """w⊥ ≤ w ≤ w⊤, feature by feature (eq. 3), and how much each weight counts in ‖w‖₁ (once, if nothing is said)."""

    lower: Floats
    upper: Floats
    counts: Floats = field(default_factory=lambda: np.ones(1))

    @classmethod
    def usual(cls, space: Space) -> Bounds:
        """Every value between 0 and 1, as utilities have no scale of their own, and quantities in proportion.

        A quantity's feature spans 1 over all the attributes it sums, so its weight may be as large as their number:
        then it can matter as much as all of them together, and so can one of a product list. At its largest it counts
        once, like one value; so does a trend, which is about one attribute. What nobody sees weighs nothing.
        """
        values = np.ones(int(space.offsets[-1]))
        values[space.seen_values :] = 0.0
        spread = [float(len(quantity.terms) or len(space.attributes)) for quantity in space.quantities]
        upper = np.concatenate([values, spread, np.ones(len(space.trends))])
        return cls(np.zeros_like(upper), upper, 1.0 / np.where(upper > 0, upper, 1.0))

    def __post_init__(self) -> None:
        if self.lower.shape != self.upper.shape or not (self.lower >= 0).all():
            raise OptionError("the weights' bounds must be two vectors of one length, and not negative")
        object.__setattr__(self, "counts", np.broadcast_to(self.counts, self.upper.shape))
        if not ((self.upper >= self.lower).all() and np.isfinite(self.upper).all()):
            raise OptionError("the weights' upper bounds must be finite and not below the lower ones")

    def of_values(self, space: Space) -> Bounds:
        """The bounds of v = w_B + C'w_R that follow; each counts once, as in the paper."""
        return Bounds(space.value_weights(self.lower), space.value_weights(self.upper))


NEGLIGIBLE = 1e-7


class Form(Enum):
    """How quantities enter."""

    COUPLED = "coupled"  # w_B and w_R are variables, and v = w_B + C'w_R: a taste for a low price is one number
    PAPER = "paper"  # only v is a variable, within the bounds that w_B and w_R leave it


def without_noise(coefficients: Floats) -> Floats:
    """Differences of features too small to matter as none: as pivots they would lead the simplex method astray."""
    return np.where(np.abs(coefficients) < NEGLIGIBLE, 0.0, coefficients)


@dataclass(frozen=True, eq=False)
class SetProblem:
    """Everything that one setwise problem depends on."""

    space: Space
    feasible: FeasibleBlock
    pairs: Pairs
    size: int
    setting: Hyperparameters
    bounds: Bounds
    form: Form = Form.COUPLED
    one_bound: bool = False
    """Linearise the products with the single w_max of the printed problem instead of a bound per feature."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SetSolution:
    """k weight vectors (over features) with their value weights and configurations, and how good they are."""

    weights: Floats
    value_weights: Floats
    configurations: Ints
    margin: float
    objective: float
    bound: float
    gap: float
    status: str
    seconds: float


def columns_of(problem: SetProblem) -> tuple[Columns, list[Rows]]:
    """The variables with their bounds and their place in the objective, and x^i ∈ X_feasible (4)."""
    k, setting = problem.size, problem.setting
    columns = Columns()
    margin = largest_margin(problem.space, problem.pairs, size=k, bounds=problem.bounds)
    columns.add("mu", objective=1.0, upper=margin)
    columns.add("eps", (k, len(problem.pairs)), objective=-setting.alpha)
    _add_weights(columns, problem)
    laid = [problem.feasible.lay(columns, f"x{i}") for i in range(k)]
    visible = int(problem.space.offsets[-1])
    columns.blocks["x"] = np.stack([x[:visible] for x, _ in laid])
    columns.add("p", (k, k, visible), objective=_product_objective(setting, k)[..., None])
    return columns, [block for _, block in laid]


def _add_weights(columns: Columns, problem: SetProblem) -> None:
    """w⊥ ≤ w ≤ w⊤ (3), or in the paper's form for quantities the same bounds for v."""
    k, beta, values = problem.size, problem.setting.beta, problem.bounds.of_values(problem.space)
    if problem.form is Form.PAPER:
        columns.add("v", (k, len(values.lower)), lower=values.lower, upper=values.upper, objective=-beta)
        return
    bounds = problem.bounds
    cost = -beta * bounds.counts
    columns.add("w", (k, len(bounds.lower)), lower=bounds.lower, upper=bounds.upper, objective=cost)
    if len(problem.space.costs):
        columns.add("v", (k, len(values.lower)), lower=values.lower, upper=values.upper)
    else:
        columns.blocks["v"] = columns["w"]


def largest_margin(space: Space, pairs: Pairs, *, size: int, bounds: Bounds) -> float:
    """No margin can exceed the largest difference of utilities; with k = 1 and no strict answer it has no meaning."""
    if size == 1 and not len(pairs.strict):
        return 0.0
    upper = bounds.of_values(space).upper
    return float(sum(block.max() for block in np.split(upper, space.offsets[1:-1])))


def tells_nothing_apart(space: Space, value_weights: Floats) -> bool:
    """Whether some of the weight vectors tell no configuration from another: the trap of a large β."""
    blocks = np.split(np.atleast_2d(value_weights), space.offsets[1:-1], axis=1)
    spread = np.max([np.ptp(block, axis=1) for block in blocks], axis=0)
    return bool((spread < 1e-7).any())


def _product_objective(setting: Hyperparameters, k: int) -> Floats:
    """γ Σ_i Σ_z p^{i,i}_z."""
    return setting.gamma * np.eye(k)


def coupled(columns: Columns, problem: SetProblem) -> list[Rows]:
    """v^i = w_B^i + C'w_R^i."""
    if problem.form is Form.PAPER or not len(problem.space.costs):
        return []
    w, v, costs = columns["w"], columns["v"], problem.space.costs
    w_b, w_r = w[:, : v.shape[1]], w[:, v.shape[1] :]
    return [rows(one(v), one(w_b, -1.0), total(w_r[:, None, :], -costs.T[None]), lower=0.0, upper=0.0)]


def ranked(columns: Columns, pairs: Pairs) -> Rows:
    """(1): ⟨v^i, y₊ − y₋⟩ ≥ μ − ε^i_h for every strict answer h."""
    eps = columns["eps"][:, : len(pairs.strict)]
    left = _ahead(columns, pairs.strict, pairs.strict_beside)
    return rows(*left, one(columns["mu"], -1.0), one(eps), lower=0.0)


def alike(columns: Columns, pairs: Pairs) -> list[Rows]:
    """|⟨v^i, y₁ − y₂⟩| ≤ ε^i_h for every answer of no difference."""
    eps = columns["eps"][:, len(pairs.strict) :]
    return [rows(one(eps), *_ahead(columns, pairs.equal, pairs.equal_beside, sign), lower=0.0) for sign in (-1.0, 1.0)]


def _ahead(columns: Columns, apart: Floats, beside: Floats | None, sign: float = 1.0) -> list[Term]:
    """sign · ⟨v^i, y₊ − y₋⟩, and what is said about quantities beside values."""
    terms = [total(columns["v"][:, None, :], sign * apart[None])]
    if beside is not None:
        terms.append(total(columns["w"][:, None, columns["v"].shape[1] :], sign * beside[None]))
    return terms


def separated(columns: Columns, k: int) -> list[Rows]:
    """(5): Σ_z p^{i,i}_z − p^{i,j}_z ≥ μ for all i ≠ j."""
    p, mu = columns["p"], columns["mu"]
    return [rows(total(p[i, i]), total(p[i, j], -1.0), one(mu, -1.0), lower=0.0) for i, j in permutations(range(k), 2)]


def own_products(columns: Columns, k: int, top: Floats) -> list[Rows]:
    """(6)/(7): p^{i,i} ≤ w⊤ x^i and p^{i,i} ≤ v^i; being maximised, p^{i,i} becomes their product."""
    p, x, v = columns["p"], columns["x"], columns["v"]
    return [
        block
        for i in range(k)
        for block in (
            rows(one(p[i, i]), one(x[i], -top), upper=0.0),
            rows(one(p[i, i]), one(v[i], -1.0), upper=0.0),
        )
    ]


def other_products(columns: Columns, k: int, top: Floats) -> list[Rows]:
    """(8): p^{i,j} ≥ v^i − w⊤ (1 − x^j) for i ≠ j; being minimised, p^{i,j} becomes their product."""
    p, x, v = columns["p"], columns["x"], columns["v"]
    return [rows(one(p[i, j]), one(v[i], -1.0), one(x[j], -top), lower=-top) for i, j in permutations(range(k), 2)]


def formulate(problem: SetProblem) -> tuple[Milp, Columns]:
    """The whole mixed-integer problem."""
    columns, feasible = columns_of(problem)
    top = problem.bounds.of_values(problem.space).upper
    top = np.full_like(top, top.max()) if problem.one_bound else top
    blocks = [
        *feasible,
        *coupled(columns, problem),
        ranked(columns, problem.pairs),
        *alike(columns, problem.pairs),
        *separated(columns, problem.size),
        *own_products(columns, problem.size, top),
        *other_products(columns, problem.size, top),
    ]
    return assemble(columns, blocks, maximise=True), columns


def solve(problem: SetProblem, *, solver: Solver, limits: Limits, start: SetSolution | None = None) -> SetSolution:
    """The best sets that the solver finds within its limits; proven best where the status says optimal."""
    model, columns = formulate(problem)
    guess = None if start is None else _as_start(problem, columns, start)
    found = solver.solve(model, limits=limits, start=guess)
    value_weights = np.maximum(found.values[columns["v"]], 0.0)
    return SetSolution(
        weights=_feature_weights(problem, columns, found.values, value_weights),
        value_weights=value_weights,
        configurations=_indices(problem.space, found.values[columns["x"]]),
        margin=max(float(found.values[columns["mu"]]), 0.0),
        objective=found.objective,
        bound=found.bound,
        gap=found.gap,
        status=found.status.value,
        seconds=found.seconds,
    )


def _feature_weights(problem: SetProblem, columns: Columns, values: Floats, value_weights: Floats) -> Floats:
    """In the paper's form only v is known: it is given as weights of values, with none for what follows from them."""
    if problem.form is Form.PAPER:
        return np.pad(value_weights, ((0, 0), (0, len(problem.space.costs))))
    return np.maximum(values[columns["w"]], 0.0)


def _indices(space: Space, x: Floats) -> Ints:
    blocks = np.split(x, space.offsets[1:-1], axis=1)
    return np.stack([block.argmax(axis=1) for block in blocks], axis=1).astype(np.int64)


def _as_start(problem: SetProblem, columns: Columns, start: SetSolution) -> Floats:
    """The configurations are enough: what is left once they are fixed is a linear problem."""
    guess = np.full(len(columns), np.nan)
    guess[columns["x"]] = problem.space.onehot(start.configurations)
    return guess
