"""The engine for spaces of any size: every question becomes a linear model.

The linear forms of `feasible.py` are so tight that their relaxation is mostly integral already. So each question
first goes to the relaxation, in well under the time of a search, and to the integers only if that fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from math import floor, log2, prod
from typing import Final, Self

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelInfeasible, NoSolutionInTime, OptionError, SolverError, TimeIsUp
from setmargin.lru import Lru
from setmargin.solve.lowering import Lowered
from setmargin.solve.milp.feasible import FeasibleBlock, feasible_block
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import DEFAULT_LIMITS, Columns, Limits, Solver, Status, assemble, rows, total
from setmargin.time_limit import check_time

LISTABLE: Final = 100_000
"""A space with at most so many combinations, feasible or not, is listed for counting and sampling."""
PROBE: Final = Limits(nodes=3, seconds=30.0)
"""What the proof of an optimum may take in a space that is not tangled."""
LOOK: Final = Limits(nodes=200, seconds=60.0)
"""What it may take to find any configuration at all: some seconds, by nodes, so that it is the same everywhere."""
MOST_OPEN: Final = 64
"""Attributes that the relaxation of a space may leave open, which is not tangled."""
REMEMBERED: Final = 1024
"""How many optima are kept for weights that come again."""
_BATCH, _BATCHES = 4096, 8
_NEARLY: Final = 1e-6
_HIGHS: Final = Highs()


class MilpEngine:
    """Exact answers about a space by linear models; see `Engine`. Not to be shared by threads.

    The same weights give the same configuration, even among ties and whatever was asked before. An optimum that
    cannot be proven within `limits` is not returned: NoSolutionInTime.
    """

    def __init__(self, lowered: Lowered, *, solver: Solver = _HIGHS, limits: Limits = DEFAULT_LIMITS) -> None:
        self.lowered, self._solver, self._limits = lowered, solver, limits
        self._remembered: Lru[bytes, Ints] = Lru(REMEMBERED)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled without what the solver holds; all of that can be made again."""
        return partial(MilpEngine, solver=self._solver, limits=self._limits), (self.lowered,)

    @property
    def name(self) -> str:
        return f"MILP ({self._solver.name})"

    def best(self, weights: Floats) -> Ints:
        distinct, where = np.unique(self._checked(weights, 2), axis=0, return_inverse=True)
        found = [self._recalled(row) for row in distinct]
        return np.array(found, dtype=np.int64).reshape(len(found), len(self.lowered.domains))[where.reshape(-1)]

    def check_some(self) -> None:
        """Raise ModelInfeasible where nothing can be built, and NoSolutionInTime where that is not found out soon."""
        self._whole.check_some(LOOK)

    def good(self, weights: Floats) -> Ints:
        """A good configuration for each row of weights, mostly the best; a few nodes each are all that it takes."""
        found = [self._whole.good(row, PROBE) for row in self._checked(weights, 2)]
        return np.array(found, dtype=np.int64).reshape(len(found), len(self.lowered.domains))

    def ranked(self, weights: Floats) -> Iterator[Ints]:
        """All configurations, best first, each once, lazily; `weights` has one number per one-hot value.

        Every one costs a row that excludes it, so this is for looking at the first few.
        """
        return self._ranking(self._checked(weights, 1))

    def possible(self, allowed: Bools) -> Bools:
        """Which one-hot values occur in some configuration that uses only `allowed` values; none if there is none.

        Each solution shows as many values at once as it can that no earlier one has shown, and so do configurations
        that differ from it in one of these values.
        """
        seen = np.zeros(len(self._block.upper), dtype=bool)
        within = replace(self._block, upper=self._block.upper * self._checked_mask(allowed))
        with self._search(within) as search:
            while True:
                unseen = (within.upper > 0) & ~seen
                found = _showing(search, unseen)
                if found is None or not unseen[found + self.lowered.offsets[:-1]].any():
                    return seen
                seen[found + self.lowered.offsets[:-1]] = True
                self._show_nearby(found, (within.upper > 0) & ~seen, seen)

    def _show_nearby(self, configuration: Ints, unseen: Bools, seen: Bools) -> None:
        """Mark the unseen values that can be put into a configuration without another change."""
        values = np.flatnonzero(unseen)
        attributes = np.searchsorted(self.lowered.offsets, values, side="right") - 1
        nearby = np.tile(configuration, (len(values), 1))
        nearby[np.arange(len(values)), attributes] = values - self.lowered.offsets[attributes]
        seen[values[self.lowered.holds(nearby)]] = True

    @cached_property
    def is_tangled(self) -> bool:
        """Whether the optimum for weights drawn at random takes more than a few nodes, or much too long, to prove.

        Where it does not, optima by the dozen can be had in a second or two. Where the relaxation leaves very many
        attributes open, cuts for all of them take seconds, and a few nodes are not enough: nothing is proven then.
        """
        weights = np.random.default_rng(0).normal(size=len(self._block.upper))
        return self._whole.left_open(weights) > MOST_OPEN or not self._whole.proves(weights, PROBE)

    def count(self) -> int | None:
        """The exact number of configurations, or None where there are too many combinations to list."""
        return None if self._listed is None else len(self._listed)

    def sample(self, rng: np.random.Generator, size: int) -> Ints:
        """Random configurations.

        They are uniform where combinations can be listed or enough of them drawn at random turn out feasible;
        what is missing after that are optima of random weights, which are not uniform.
        """
        if self._listed is not None:
            return self._from_list(rng, size)
        drawn = self._drawn(rng, size)
        weights = rng.normal(size=(size - len(drawn), len(self._block.upper)))
        return np.concatenate([drawn, self.best(weights)])

    @cached_property
    def _block(self) -> FeasibleBlock:
        return feasible_block(self.lowered)

    @cached_property
    def _whole(self) -> _Search:
        return self._search(self._block)

    @cached_property
    def _listed(self) -> Ints | None:
        domains = self.lowered.domains
        if prod(domains) > LISTABLE:
            return None
        everything = np.indices(domains, dtype=np.int64).reshape(len(domains), prod(domains)).T
        return everything[self.lowered.holds(everything)]

    def _search(self, block: FeasibleBlock) -> _Search:
        limits = replace(self._limits, gap=0.0)
        return _Search(self.lowered, block, solver=self._solver, limits=limits)

    def _recalled(self, weights: Floats) -> Ints:
        key = weights.tobytes()
        found = self._remembered.get(key)
        if found is None:
            found = self._remembered[key] = self._whole.best(weights)
        return found

    def _ranking(self, weights: Floats) -> Iterator[Ints]:
        with self._search(self._block) as search:
            while True:
                try:
                    found = search.best(weights)
                except ModelInfeasible:
                    return
                search.exclude(found)
                yield found

    def _from_list(self, rng: np.random.Generator, size: int) -> Ints:
        assert self._listed is not None
        if not len(self._listed):
            raise ModelInfeasible("no configuration satisfies everything; there is nothing to draw from")
        return self._listed[rng.integers(len(self._listed), size=size)]

    def _drawn(self, rng: np.random.Generator, size: int) -> Ints:
        domains = self.lowered.domains
        good = np.zeros((0, len(domains)), dtype=np.int64)
        for _ in range(_BATCHES):
            if len(good) >= size:
                break
            tried = rng.integers(domains, size=(_BATCH, len(domains)))
            good = np.concatenate([good, tried[self.lowered.holds(tried)]])
        return good[:size]

    def _checked(self, weights: Floats, dimensions: int) -> Floats:
        weights = np.asarray(weights, dtype=np.float64) + 0.0  # -0.0 and 0.0 are the same weight
        width = len(self._block.upper)
        if weights.ndim != dimensions or weights.shape[-1] != width:
            raise OptionError(f"weights have shape {weights.shape}; the last axis must have {width} numbers")
        if not np.isfinite(weights).all():
            raise OptionError("some weights are not finite; give finite numbers")
        return weights

    def _checked_mask(self, allowed: Bools) -> Bools:
        if np.shape(allowed) != self._block.upper.shape:
            raise OptionError(f"allowed has shape {np.shape(allowed)}; give {self._block.upper.shape}")
        return np.asarray(allowed, dtype=bool)


def _showing(search: _Search, wanted: Bools) -> Ints | None:
    """A configuration with as many `wanted` values as possible; None if there is no configuration."""
    with suppress(ModelInfeasible):
        return search.best(wanted.astype(np.float64))
    return None


class _Search:
    """Optima over one block, of which configurations can be excluded: its relaxation and its integers, both open."""

    def __init__(self, lowered: Lowered, block: FeasibleBlock, *, solver: Solver, limits: Limits) -> None:
        self._lowered, self._limits = lowered, limits
        self._linear = replace(lowered, relations=())  # relations have rows of ones, which no tolerance blurs
        self._excluded: set[bytes] = set()
        columns = Columns()
        self._x, block_rows = block.lay(columns, "x")
        model = assemble(columns, [block_rows], maximise=True)
        self._width = len(columns)
        self._integers = solver.open(model)
        self._relaxation = solver.open(replace(model, integer=np.zeros(self._width, dtype=bool)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._integers.close()
        self._relaxation.close()

    def best(self, weights: Floats) -> Ints:
        """The best configuration that is not excluded."""
        objective = self._objective(weights)
        while True:
            found = self._relaxed(objective)
            found = self._integral(objective) if found is None else found
            if self._linear.holds(found[None])[0]:
                return found
            self.exclude(found)  # numbers so large that a tolerance let it through

    def check_some(self, limits: Limits) -> None:
        """Raise ModelInfeasible where there is no configuration, NoSolutionInTime where these limits do not tell."""
        try:
            found, _ = self._limited(np.zeros(len(self._x)), limits)
        except TimeIsUp:
            raise
        except NoSolutionInTime:
            raise _tangled("no configuration was found", limits) from None
        if not self._linear.holds(found[None])[0]:
            self.best(np.zeros(len(self._x)))

    def left_open(self, weights: Floats) -> int:
        """How many attributes have no whole value in the optimum of the relaxation; 0 where that is not found."""
        self._relaxation.change_objective(self._objective(weights))
        solution = self._relaxation.solve(limits=self._limits, fresh=True)
        if solution.status is not Status.OPTIMAL:
            return 0
        x = solution.values[self._x]
        is_open = np.abs(x - np.round(x)) > _NEARLY
        return int(np.count_nonzero(np.logical_or.reduceat(is_open, self._lowered.offsets[:-1])))

    def proves(self, weights: Floats, limits: Limits) -> bool:
        """Whether these limits are enough for the best configuration."""
        try:
            return self._limited(weights, limits)[1]
        except NoSolutionInTime:
            check_time()
            return False

    def good(self, weights: Floats, limits: Limits) -> Ints:
        """The best configuration that is found within these limits; any where there is none."""
        try:
            found, _ = self._limited(weights, limits)
        except NoSolutionInTime:
            check_time()
            return self.best(np.zeros(len(weights)))
        return found if self._linear.holds(found[None])[0] else self.best(weights)

    def _limited(self, weights: Floats, limits: Limits) -> tuple[Ints, bool]:
        """The best configuration within these limits, and whether it is the best of all."""
        objective = self._objective(weights)
        found = self._relaxed(objective)
        if found is not None:
            return found, True
        self._integers.change_objective(objective)
        solution = self._integers.solve(limits=limits)
        return _decoded(solution.values[self._x], self._lowered), solution.status is Status.OPTIMAL

    def _objective(self, weights: Floats) -> Floats:
        objective = np.zeros(self._width)
        objective[self._x] = _well_scaled(weights, self._lowered)
        return objective

    def exclude(self, configuration: Ints) -> None:
        """Never return this configuration again."""
        if configuration.tobytes() in self._excluded:
            raise SolverError("the solver returned a configuration that a row of the model excludes")
        self._excluded.add(configuration.tobytes())
        chosen = self._x[self._lowered.offsets[:-1] + configuration]
        cut = rows(total(chosen), upper=len(chosen) - 1.0)
        for model in (self._integers, self._relaxation):
            model.add_rows(cut.matrix(self._width), cut.lower, cut.upper)

    def _relaxed(self, objective: Floats) -> Ints | None:
        """The optimum without integrality if it happens to be integral."""
        self._relaxation.change_objective(objective)
        solution = self._relaxation.solve(limits=self._limits, fresh=True)
        x = solution.values[self._x]
        if solution.status is not Status.OPTIMAL or np.abs(x - np.round(x)).max(initial=0.0) > _NEARLY:
            return None
        return _decoded(x, self._lowered)

    def _integral(self, objective: Floats) -> Ints:
        self._integers.change_objective(objective)
        try:
            solution = self._integers.solve(limits=self._limits)
        except TimeIsUp:
            raise
        except NoSolutionInTime:
            raise _tangled("no configuration was found", self._limits) from None
        if solution.status is not Status.OPTIMAL:
            raise _tangled(f"no optimum was proven (gap {solution.gap:.2g})", self._limits)
        return _decoded(solution.values[self._x], self._lowered)


def _tangled(what: str, limits: Limits) -> NoSolutionInTime:
    return NoSolutionInTime(
        f"{what} within {limits.words}, as the rules are tangled; drop some of them, or write several as one table"
    )


def _decoded(x: Floats, lowered: Lowered) -> Ints:
    blocks = np.split(x, lowered.offsets[1:-1])[: len(lowered.domains)]
    return np.array([block.argmax() for block in blocks], dtype=np.int64)


def _well_scaled(weights: Floats, lowered: Lowered) -> Floats:
    """The same order of configurations by numbers up to about a thousand, so that absolute tolerances are small.

    What all values of an attribute share decides nothing and goes; the factor is a power of two and thus exact.
    """
    if not len(weights):
        return weights
    regrets = weights - np.repeat(np.maximum.reduceat(weights, lowered.offsets[:-1]), lowered.domains)
    largest = float(np.abs(regrets).max())
    scaled: Floats = np.ldexp(regrets, 9 - floor(log2(largest))) if largest else regrets
    return scaled
