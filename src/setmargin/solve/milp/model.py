"""Linear models with integers as plain data, and what a solver of them promises. No solver is imported here.

A formulation is a list of small pure functions. Blocks of columns are allocated first, in any shape; each
guarantee is then a function from blocks to `Rows`, which a test reads as a small table without solving:

    columns = Columns()
    x = columns.add("x", (2, 3), upper=1.0, integer=True)
    t = columns.add("t", objective=1.0)

    def one_of_each(x: Ints) -> Rows:
        return rows(total(x), lower=1.0, upper=1.0)

    def product_bounds(t: Ints, x: Ints) -> Rows:
        return rows(one(t), one(x, -5.0), upper=0.0)

    model = assemble(columns, [one_of_each(x), product_bounds(t, x)], maximise=True)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from math import inf, isfinite, prod
from types import TracebackType
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelCutOff, ModelInfeasible, NoSolutionInTime, OptionError, SolverError

_Array = TypeVar("_Array", Ints, Floats)


@dataclass(frozen=True, eq=False)
class Milp:
    """Best objective·x + offset, row_lower ≤ matrix·x ≤ row_upper, lower ≤ x ≤ upper, some x integer."""

    objective: Floats
    matrix: csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    maximise: bool = False
    offset: float = 0.0

    def __post_init__(self) -> None:
        height, width = self.matrix.shape
        for name, length in _LENGTHS.items():
            expected, found = (height, width)[length], np.shape(getattr(self, name))
            if found != (expected,):
                raise OptionError(f"{name} has shape {found}; a {height} × {width} matrix needs {expected}")
        for name in ("objective", "offset"):
            check_finite(name, getattr(self, name))
        check_finite("the matrix", self.matrix.data)
        check_bounds("the rows", self.row_lower, self.row_upper)
        check_bounds("the columns", self.lower, self.upper)

    @property
    def is_lp(self) -> bool:
        """Whether no column is integer."""
        return not bool(np.any(self.integer))


_LENGTHS = {"row_lower": 0, "row_upper": 0, "objective": 1, "lower": 1, "upper": 1, "integer": 1}


def check_finite(name: str, numbers: ArrayLike) -> None:
    """Objectives and coefficients must be numbers, and solvers say so late and unclearly."""
    bad = ~np.isfinite(numbers)
    if np.any(bad):
        raise OptionError(f"{np.count_nonzero(bad)} entries of {name} are not finite; give finite numbers")


def check_bounds(name: str, lower: ArrayLike, upper: ArrayLike) -> None:
    """A bound may be infinite, on its own side only, and never NaN."""
    lower, upper = np.asarray(lower), np.asarray(upper)
    if np.isnan(lower).any() or np.isnan(upper).any():
        raise OptionError(f"a bound of {name} is NaN; use -inf or inf for a side without a bound")
    if (lower == inf).any() or (upper == -inf).any():
        raise OptionError(f"a bound of {name} is infinite on the wrong side, which admits nothing")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When a solver may stop: after `seconds` or `nodes`, or within `gap` (relative) of what is possible."""

    seconds: float = 60.0
    gap: float = 0.0
    threads: int = 1
    nodes: int | None = None
    """Of the search in a model with integers; None: any number. Unlike seconds they are the same everywhere."""
    heuristics: bool = True
    """Whether solutions of a model with integers are looked for beside its tree; not where a good one is known."""

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise OptionError(f"seconds is {self.seconds}; give a positive number")
        if not (isfinite(self.gap) and self.gap >= 0):
            raise OptionError(f"gap is {self.gap}; give 0 for proven optima, or a fraction such as 0.01")
        if self.threads < 1:
            raise OptionError(f"threads is {self.threads}; give 1 or more")
        if self.nodes is not None and self.nodes < 1:
            raise OptionError(f"nodes is {self.nodes}; give 1 or more, or None for no limit")

    @property
    def words(self) -> str:
        """As messages say them."""
        return f"{self.seconds:g} s" + ("" if self.nodes is None else f" and {self.nodes:,} nodes")


DEFAULT_LIMITS = Limits()


class Status(Enum):
    """Why a solver stopped with a solution; without one it raises."""

    OPTIMAL = "optimal"  # within the gap that was asked for
    TIME_LIMIT = "time limit"  # of seconds or nodes: feasible; see its bound and its gap


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """A feasible point. LPs also have `row_duals`, how the objective changes per unit of a row's active side, and
    `column_duals`, the same for the bounds of columns (their reduced costs)."""

    status: Status
    values: Floats
    objective: float
    bound: float
    seconds: float
    row_duals: Floats | None = None
    column_duals: Floats | None = None

    @property
    def gap(self) -> float:
        """How far from the best this may be, relative to the objective; one formula for every solver."""
        apart = abs(self.objective - self.bound)
        return apart / max(abs(self.objective), 1e-9) if apart else 0.0


class SolverOutcome(Enum):
    """What the many status codes of the vendors come down to."""

    SOLVED = "solved"
    TIMED_OUT = "timed out"
    INFEASIBLE = "infeasible"
    CUT_OFF = "no better than the cutoff"
    RAY = "unbounded, unless infeasible"
    EMPTY = "without columns"
    FAILED = "failed"


def raise_without_solution(outcome: SolverOutcome, *, solver: str, status: str, limits: Limits) -> None:
    """The error for an outcome that leaves nothing to return."""
    if outcome is SolverOutcome.INFEASIBLE:
        raise ModelInfeasible(f"{solver}: the model has no solution; relax a row or a bound")
    if outcome is SolverOutcome.CUT_OFF:
        raise ModelCutOff(f"{solver}: no solution is better than the cutoff")
    if outcome is SolverOutcome.TIMED_OUT:
        raise NoSolutionInTime(f"{solver}: no solution within {limits.words}; raise Limits.seconds or nodes")
    raise SolverError(f"{solver} stopped with status {status} and without a solution")


class OpenModel(Protocol):
    """A model inside a solver, changed in place and solved again.

    An LP goes on from its last basis unless it is to be `fresh`. A MIP starts from `start` and from nothing else,
    so that the same model and start give the same solution whatever was solved before.
    """

    def change_objective(self, objective: Floats) -> None:
        """Replace the objective of every column."""

    def change_row_bounds(self, rows: Ints, lower: ArrayLike, upper: ArrayLike) -> None:
        """Replace both bounds of these rows."""

    def change_column_bounds(self, columns: Ints, lower: ArrayLike, upper: ArrayLike) -> None:
        """Replace both bounds of these columns."""

    def change_coefficients(self, rows: Ints, columns: Ints, values: Floats) -> None:
        """Replace single entries of the matrix; each place may be named once."""

    def add_rows(self, matrix: csr_array, lower: ArrayLike, upper: ArrayLike) -> None:
        """Append rows; they are numbered after those already there."""

    def solve(
        self,
        *,
        limits: Limits = DEFAULT_LIMITS,
        start: Floats | None = None,
        fresh: bool = False,
        cutoff: float | None = None,
    ) -> Solution:
        """Solve as the model now stands; `start` is a known point of a MIP, NaN where left open.

        What is minimised raises ModelCutOff if nothing is below `cutoff`, mostly long before it is solved.
        """

    def close(self) -> None:
        """Give the memory back; the model cannot be used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class ModelOwner:
    """What owns one open model; used as a context manager it gives the solver's memory back."""

    _model: OpenModel

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._model.close()


def check_cutoff(cutoff: float | None, *, maximise: bool) -> None:
    """Only the dual simplex method of a minimisation comes upon its objective from below."""
    if cutoff is not None and maximise:
        raise OptionError("a cutoff is for what is minimised; turn the objective around, or leave the cutoff out")


class Solver(Protocol):
    """Solves models; raises ModelInfeasible, ModelUnbounded, NoSolutionInTime or SolverError otherwise."""

    @property
    def name(self) -> str:
        """How reports call this solver."""

    def solve(self, model: Milp, *, limits: Limits = DEFAULT_LIMITS, start: Floats | None = None) -> Solution:
        """Open, solve once, and close."""
        with self.open(model) as opened:
            return opened.solve(limits=limits, start=start)

    def open(self, model: Milp) -> OpenModel:
        """Give the model to the solver, to be changed and solved many times."""


@dataclass(frozen=True, eq=False)
class Term:
    """Part of a left side: coefficients·columns summed over the last axis; the other axes are the rows."""

    columns: Ints
    coefficients: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the rows that this term speaks of."""
        return self.columns.shape[:-1]


def one(columns: Ints, coefficient: ArrayLike = 1.0) -> Term:
    """One column in each row: the rows have the shape of `columns`, broadcast with `coefficient`."""
    term = total(columns, coefficient)
    return Term(term.columns[..., None], term.coefficients[..., None])


def total(columns: Ints, coefficients: ArrayLike = 1.0) -> Term:
    """A sum over the last axis in each row; the other axes, broadcast with the coefficients, are the rows."""
    columns, what = np.asarray(columns), np.asarray(coefficients, dtype=np.float64)
    shape = np.broadcast(columns, what).shape
    return Term(_spread(columns, shape), _spread(what, shape))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows lower ≤ Σ value·column ≤ upper as triples; rows are numbered from 0 within the block."""

    row: Ints
    column: Ints
    value: Floats
    lower: Floats
    upper: Floats

    def __len__(self) -> int:
        return len(self.lower)

    def matrix(self, width: int) -> csr_array:
        """The left side over `width` columns; what meets in one place is added up, and zeros vanish."""
        triples = coo_array((self.value, (self.row, self.column)), shape=(len(self), width))
        matrix = csr_array(triples)
        matrix.eliminate_zeros()
        return matrix

    def on(self, columns: Ints) -> Rows:
        """The same rows with column i replaced by columns[i]."""
        return Rows(self.row, columns[self.column], self.value, self.lower, self.upper)


def rows(*terms: Term, lower: ArrayLike = -inf, upper: ArrayLike = inf) -> Rows:
    """lower ≤ Σ terms ≤ upper, for every row of the terms' and the bounds' common shape."""
    sides = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    shape = np.broadcast(*sides).shape
    for term in terms:
        shape = shape if term.shape == shape else np.broadcast_shapes(shape, term.shape)
    numbers = np.arange(prod(shape), dtype=np.int64).reshape(shape)[..., None]
    shapes = [(*shape, term.columns.shape[-1]) for term in terms]
    row = [_spread(numbers, each).ravel() for each in shapes]
    column = [_spread(term.columns, each).ravel() for term, each in zip(terms, shapes, strict=True)]
    value = [_spread(term.coefficients, each).ravel() for term, each in zip(terms, shapes, strict=True)]
    low, high = (_spread(side, shape).ravel() for side in sides)
    return Rows(_ints(row), _ints(column), _floats(value), low, high)


def _spread(numbers: _Array, shape: tuple[int, ...]) -> _Array:
    """As large as that: on arrays as small as these a copy is several times as fast as np.broadcast_to."""
    if numbers.shape == shape:
        return numbers
    spread = np.empty(shape, dtype=numbers.dtype)
    spread[...] = numbers
    return spread


def _ints(parts: Iterable[ArrayLike]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts], dtype=np.int64)


def _floats(parts: Iterable[ArrayLike]) -> Floats:
    return np.concatenate([np.zeros(0), *parts], dtype=np.float64)


def stack(blocks: Iterable[Rows]) -> Rows:
    """Blocks of rows, one below the other, as one."""
    blocks = list(blocks)
    starts = np.cumsum([0, *(len(block) for block in blocks)])
    return Rows(
        _ints(block.row + start for block, start in zip(blocks, starts, strict=False)),
        _ints(block.column for block in blocks),
        _floats(block.value for block in blocks),
        _floats(block.lower for block in blocks),
        _floats(block.upper for block in blocks),
    )


@dataclass
class Columns:
    """Columns in the making, handed out as named blocks of indices in any shape."""

    blocks: dict[str, Ints] = field(default_factory=dict)
    _parts: list[Floats] = field(default_factory=list)
    _count: int = 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, name: str) -> Ints:
        return self.blocks[name]

    def add(
        self,
        name: str,
        shape: int | tuple[int, ...] = (),
        *,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = inf,
        objective: ArrayLike = 0.0,
        integer: ArrayLike = False,
    ) -> Ints:
        """A block of new columns; bounds, objective and integrality broadcast to its shape."""
        if name in self.blocks:
            raise OptionError(f"there is a block of columns called {name!r} already; choose another name")
        shape = (shape,) if isinstance(shape, int) else shape
        size = prod(shape)
        block = np.arange(self._count, self._count + size, dtype=np.int64).reshape(shape)
        traits = np.empty((4, *shape))
        for number, trait in enumerate((lower, upper, objective, integer)):
            traits[number] = trait
        self._parts.append(traits.reshape(4, size))
        self.blocks[name], self._count = block, self._count + size
        return block

    def traits(self) -> tuple[Floats, Floats, Floats, Bools]:
        """Lower and upper bound, objective and integrality of every column."""
        lower, upper, objective, integer = np.concatenate([np.zeros((4, 0)), *self._parts], axis=1)
        return lower, upper, objective, integer.astype(bool)


def assemble(columns: Columns, blocks: Iterable[Rows], *, maximise: bool = False, offset: float = 0.0) -> Milp:
    """The model made of these columns and these blocks of rows."""
    lower, upper, objective, integer = columns.traits()
    everything = stack(blocks)
    return Milp(
        objective=objective,
        matrix=everything.matrix(len(columns)),
        row_lower=everything.lower,
        row_upper=everything.upper,
        lower=lower,
        upper=upper,
        integer=integer,
        maximise=maximise,
        offset=offset,
    )
