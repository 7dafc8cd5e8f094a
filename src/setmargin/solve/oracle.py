"""The oracle: weights in, best configuration out, exact. Everything that asks "what is best" goes through here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice

import numpy as np

from setmargin.errors import ConfigurationError, ModelInfeasible, OptionError, SpaceError
from setmargin.solve.choose import engine_for
from setmargin.solve.conflicts import infeasible
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import TooLarge
from setmargin.solve.engine import Engine
from setmargin.solve.lowered import Bools, Floats, Ints
from setmargin.solve.lowering import lower
from setmargin.solve.milp_engine import MilpEngine
from setmargin.space.space import Configuration, Space
from setmargin.space.words import Value, suggest

Choices = Mapping[str, Value | Collection[Value]]


@dataclass(frozen=True)
class OracleReport:
    """What stands behind the oracle of a space."""

    engine: str
    nodes: int | None
    arcs: int | None
    compile_seconds: float | None
    pending_rows: int

    def document(self) -> dict[str, object]:
        """As plain data."""
        return asdict(self)


class Oracle:
    """Exact answers about one space. Get it from `oracle_for`, which compiles each space once."""

    def __init__(self, space: Space, *, engine: Engine | None = None) -> None:
        self.space = space
        self.lowered = lower(space)
        try:
            self._engine: Engine = engine or engine_for(self.lowered)
        except ModelInfeasible:
            raise infeasible(space) from None
        self._fallback: MilpEngine | None = None

    @property
    def report(self) -> OracleReport:
        """Which engine answers, and how large it is."""
        engine = self._engine
        if isinstance(engine, DiagramEngine):
            return OracleReport(
                engine.name, engine.nodes, engine.arcs, engine.compile_seconds, len(engine.pending_rows)
            )
        return OracleReport(engine.name, None, None, None, 0)

    # Best configurations

    def best_indices(self, weights: Floats) -> Ints:
        """The best configuration for each row of feature weights, as value indices."""
        return self.best_for_values(self._value_weights(weights))

    def best_for_values(self, value_weights: Floats) -> Ints:
        """The same for weights that are given per one-hot value, of any sign."""
        wide = self._widen(value_weights)
        try:
            found = self._engine.best(wide)
        except TooLarge:
            found = self._milp().best(wide)
        visible: Ints = found[:, : len(self.space.domains)]
        return visible

    def best(self, weights: Floats) -> Configuration:
        """The best configuration for one vector of feature weights."""
        return self.space.configuration(self.best_indices(np.asarray(weights, dtype=float)[None])[0])

    def ranked_for_values(self, value_weights: Floats) -> Iterator[Ints]:
        """All configurations as value indices, best first; the weights are given per one-hot value."""
        wide = self._widen(value_weights[None])[0]
        given: set[bytes] = set()
        try:
            for found in self._engine.ranked(wide):
                given.add(found.tobytes())
                yield found[: len(self.space.domains)]
        except TooLarge:
            for found in self._milp().ranked(wide):
                if found.tobytes() not in given:
                    yield found[: len(self.space.domains)]

    def top(self, weights: Floats, count: int) -> tuple[Configuration, ...]:
        """The best `count` configurations, best first; fewer if there are no more."""
        ranked = self.ranked_for_values(self._value_weights(np.asarray(weights, dtype=float)[None])[0])
        return tuple(self.space.configuration(found) for found in islice(ranked, count))

    def best_other(self, weights: Floats, excluded: Collection[Mapping[str, Value]]) -> Configuration | None:
        """The best configuration that is none of the given ones; None if there is no other."""
        values = self._value_weights(np.asarray(weights, dtype=float)[None])[0]
        taken = {tuple(self.space.indices(configuration).tolist()) for configuration in excluded}
        found = self.best_other_indices(values, taken)
        return None if found is None else self.space.configuration(found)

    def best_other_indices(self, value_weights: Floats, taken: Collection[tuple[int, ...]]) -> Ints | None:
        """The same in value indices, with weights per one-hot value."""
        ranked = self.ranked_for_values(value_weights)
        return next((found for found in ranked if tuple(found.tolist()) not in taken), None)

    # What there is

    def count(self) -> int | None:
        """The exact number of configurations, of any size; None where it cannot be counted."""
        return self._engine.count()

    def sample(self, rng: np.random.Generator, size: int = 1) -> Ints:
        """Random configurations as value indices, uniform wherever they can be counted."""
        try:
            found = self._engine.sample(rng, size)
        except TooLarge:
            found = self._milp().sample(rng, size)
        visible: Ints = found[:, : len(self.space.domains)]
        return visible

    def possible(self, choices: Choices | None = None) -> dict[str, tuple[Value, ...]]:
        """The values of each attribute that remain possible after some choices; all empty if nothing is."""
        allowed = np.ones(sum(self.lowered.domains), dtype=bool)
        for name, chosen in (choices or {}).items():
            self._allow_only(allowed, name, chosen)
        try:
            mask = self._engine.possible(allowed)
        except TooLarge:
            mask = self._milp().possible(allowed)
        offsets = self.space.offsets
        return {
            attribute.name: tuple(v for v, good in zip(attribute.values, mask[start:], strict=False) if good)
            for attribute, start in zip(self.space.attributes, offsets[:-1], strict=True)
        }

    def _allow_only(self, allowed: Bools, name: str, chosen: Value | Collection[Value]) -> None:
        names = [attribute.name for attribute in self.space.attributes]
        if name not in names:
            raise ConfigurationError(f"there is no attribute {name!r}; {suggest(name, names, what='there is')}")
        position = names.index(name)
        start, size = int(self.space.offsets[position]), self.space.domains[position]
        values: Sequence[Value] = (chosen,) if isinstance(chosen, str | int | float) else tuple(chosen)
        try:
            keep = [self.space.attributes[position].index(value) for value in values]
        except SpaceError as error:
            raise ConfigurationError(str(error)) from None
        mask = np.zeros(size, dtype=bool)
        mask[keep] = True
        allowed[start : start + size] &= mask

    def range(self, quantity: str) -> tuple[float, float]:
        """The smallest and largest amount of a quantity, in its own unit."""
        names = [each.name for each in self.space.quantities]
        if quantity not in names:
            raise OptionError(f"there is no quantity {quantity!r}; {suggest(quantity, names, what='there is')}")
        table = self.space.amounts_table[names.index(quantity)]
        ends = self.best_for_values(np.stack([-table, table]))
        lowest, highest = (self.space.amounts(self.space.configuration(end))[quantity] for end in ends)
        return lowest, highest

    # Inside

    def _value_weights(self, weights: Floats) -> Floats:
        weights = np.asarray(weights, dtype=float)
        if weights.ndim != 2 or weights.shape[1] != len(self.space.feature_names):
            raise OptionError(
                f"weights of shape {weights.shape} do not fit {len(self.space.feature_names)} features; "
                f"give one row of them per person"
            )
        return self.space.value_weights(weights)

    def _widen(self, value_weights: Floats) -> Floats:
        """Hidden attributes have no weight."""
        hidden = sum(self.lowered.domains) - value_weights.shape[1]
        return np.pad(value_weights, ((0, 0), (0, hidden))) if hidden else value_weights

    def _milp(self) -> MilpEngine:
        """For the rare call that outgrows the diagram's search under budgets."""
        if self._fallback is None:
            self._fallback = MilpEngine(self.lowered)
        return self._fallback


@lru_cache(maxsize=128)
def oracle_for(space: Space) -> Oracle:
    """The oracle of a space, compiled once and shared; raises InfeasibleSpace where nothing can be built."""
    return Oracle(space)
