"""The oracle: weights in, best configuration out, exact. Everything that asks "what is best" goes through here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import TypeVar

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ConfigurationError, ModelInfeasible, OptionError, SpaceError
from setmargin.solve.conflicts import infeasible
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import TooLarge
from setmargin.solve.engine import Engine, engine_for
from setmargin.solve.lowering import lower
from setmargin.solve.milp.engine import MilpEngine
from setmargin.space.rules import Rule
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, suggest

Choices = Mapping[str, Value | Collection[Value]]
Result = TypeVar("Result")


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
    """Exact answers about one space.

    Get it from `oracle_for`, which compiles each space once, and says why where nothing can be built; this class
    itself just raises ModelInfeasible.
    """

    def __init__(self, space: Space, *, engine: Engine | None = None) -> None:
        self.space = space
        self.lowered = lower(space)
        self._engine: Engine = engine or engine_for(self.lowered)

    @property
    def report(self) -> OracleReport:
        """Which engine answers, and how large it is."""
        engine = self._engine
        if isinstance(engine, DiagramEngine):
            nodes, arcs, pending = engine.diagram.nodes, engine.diagram.arcs, len(engine.pending_rows)
            return OracleReport(engine.name, nodes, arcs, engine.compile_seconds, pending)
        return OracleReport(engine.name, None, None, None, 0)

    @property
    def is_quick(self) -> bool:
        """Whether calls by the hundred are nothing to worry about."""
        return isinstance(self._engine, DiagramEngine) and not self._engine.pending_rows

    # Best configurations

    def best_indices(self, weights: Floats) -> Ints:
        """The best configuration for each row of feature weights, as value indices."""
        return self.best_for_values(self._value_weights(weights, dimensions=2))

    def best_for_values(self, value_weights: Floats) -> Ints:
        """The same for weights that are given per one-hot value, of any sign."""
        wide = self._widen(value_weights)
        return self._visible(self._exactly(lambda engine: engine.best(wide)))

    def best(self, weights: Floats) -> Configuration:
        """The best configuration for one vector of feature weights."""
        return self.space.configuration(self.best_for_values(self._value_weights(weights)[None])[0])

    def ranked_for_values(self, value_weights: Floats) -> Iterator[Ints]:
        """All configurations as value indices, best first; the weights are given per one-hot value."""
        wide = self._widen(value_weights[None])[0]
        given: set[bytes] = set()
        try:
            for found in self._engine.ranked(wide):
                given.add(found.tobytes())
                yield self._visible(found)
        except TooLarge:
            yield from (self._visible(found) for found in self._milp.ranked(wide) if found.tobytes() not in given)

    def top(self, weights: Floats, count: int) -> tuple[Configuration, ...]:
        """The best `count` configurations, best first; fewer if there are no more."""
        ranked = self.ranked_for_values(self._value_weights(weights))
        return tuple(self.space.configuration(found) for found in islice(ranked, count))

    def best_other(self, weights: Floats, excluded: Collection[Mapping[str, Value]]) -> Configuration | None:
        """The best configuration that is none of the given ones; None if there is no other."""
        taken = {tuple(self.space.indices(configuration).tolist()) for configuration in excluded}
        found = self.best_other_indices(self._value_weights(weights), taken)
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
        return self._visible(self._exactly(lambda engine: engine.sample(rng, size)))

    def possible(self, choices: Choices | None = None) -> dict[str, tuple[Value, ...]]:
        """The values of each attribute that remain possible after some choices; all empty if nothing is."""
        allowed = np.ones(sum(self.lowered.domains), dtype=bool)
        for name, chosen in (choices or {}).items():
            self._allow_only(allowed, name, chosen)
        mask = self._exactly(lambda engine: engine.possible(allowed))
        blocks = np.split(mask, self.lowered.offsets[1:-1])
        return {
            attribute.name: tuple(value for value, good in zip(attribute.values, block, strict=True) if good)
            for attribute, block in zip(self.space.attributes, blocks, strict=False)
        }

    def _allow_only(self, allowed: Bools, name: str, chosen: Value | Collection[Value]) -> None:
        known = self.space.names.positions
        if name not in known:
            raise ConfigurationError(f"there is no attribute {name!r}; {suggest(name, list(known), what='there is')}")
        attribute, start = self.space.attributes[known[name]], self.space.offsets[known[name]]
        values = (chosen,) if isinstance(chosen, str) or not isinstance(chosen, Collection) else chosen
        try:
            keep = [attribute.index(value) for value in values]
        except SpaceError as error:
            raise ConfigurationError(str(error)) from None
        size = len(attribute.values)
        allowed[start : start + size] = np.isin(np.arange(size), keep)

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

    def _value_weights(self, weights: Floats, *, dimensions: int = 1) -> Floats:
        """Feature weights, checked and folded onto one-hot values."""
        wanted = len(self.space.feature_names)
        try:
            weights = np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError):
            raise OptionError(f"some weight is no number; give {wanted} numbers, one for each feature") from None
        if weights.ndim != dimensions or weights.shape[-1] != wanted:
            what = "one" if dimensions == 1 else "rows with one"
            raise OptionError(f"weights have shape {weights.shape}; give {what} for each of the {wanted} features")
        if not np.isfinite(weights).all():
            raise OptionError("some weight is not a finite number; replace NaN and infinity")
        return self.space.value_weights(weights)

    def _widen(self, value_weights: Floats) -> Floats:
        """Hidden attributes have no weight."""
        visible = int(self.space.offsets[-1])
        if value_weights.ndim != 2 or value_weights.shape[1] != visible:
            raise OptionError(f"weights have shape {value_weights.shape}; give one for each of the {visible} values")
        hidden = sum(self.lowered.domains) - visible
        return np.pad(value_weights, ((0, 0), (0, hidden))) if hidden else value_weights

    def _visible(self, found: Ints) -> Ints:
        visible: Ints = found[..., : len(self.space.domains)]
        return visible

    def _exactly(self, ask: Callable[[Engine], Result]) -> Result:
        """What the engine says; the MILP answers the rare question that outgrows the diagram's search under budgets."""
        try:
            return ask(self._engine)
        except TooLarge:
            return ask(self._milp)

    @cached_property
    def _milp(self) -> MilpEngine:
        return MilpEngine(self.lowered)


def oracle_for(space: Space, *, must: Sequence[Rule] = ()) -> Oracle:
    """The oracle of a space with these must-haves, compiled once and shared.

    Where nothing can be built it raises InfeasibleSpace, which names a smallest conflict: among the must-haves, or
    among the rules where there are none.
    """
    try:
        return _compiled(space.with_rules(*must) if must else space)
    except ModelInfeasible:
        raise infeasible(space, must=must) from None


@lru_cache(maxsize=128)
def _compiled(space: Space) -> Oracle:
    return Oracle(space)
