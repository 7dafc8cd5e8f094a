"""The oracle: weights in, best configuration out, exact. Everything that asks "what is best" goes through here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ConfigurationError, ModelInfeasible, OptionError, SpaceError
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import TooLarge
from setmargin.solve.engine import Engine, engine_for, items_engine_for
from setmargin.solve.items.engine import ItemsEngine
from setmargin.solve.lowering import Lowered, lower
from setmargin.space.rules import Rule, Table
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, short, suggest

if TYPE_CHECKING:
    from setmargin.solve.milp.engine import MilpEngine

Weights = Floats | Sequence[float] | Mapping[str, float]
"""One number for each feature, or numbers by the names of features, of which those not named weigh nothing."""


@dataclass(frozen=True)
class OracleReport:
    """Which engine answers for a space; `pending_rows` are linear rules that its diagram has no room for.

    Nodes and arcs are None where there is no diagram, and seconds where nothing is prepared.
    """

    engine: str
    nodes: int | None
    arcs: int | None
    compile_seconds: float | None
    pending_rows: int

    def document(self) -> dict[str, object]:
        return asdict(self)


class Oracle:
    """Exact answers about one space: what is best, what is possible, how much there is.

    Get it from `oracle_for`, which compiles each space once and says why where nothing can be built; this class itself
    just raises ModelInfeasible.

    Weights are given by the names of features, or as one number for each feature in the order of
    `space.feature_names`. They may have any sign. A quantity of which less is better counts the other way round: a
    positive weight of the price wants a low price. Quantities are scaled to a range of about 0 to 1, as values are.

    >>> from setmargin import Quantity, Space, oracle_for
    >>> price = Quantity("price", {"frame": {"steel": 300, "carbon": 900}, "gears": 20}, better="lower")
    >>> space = Space(
    ...     {"frame": ["steel", "carbon"], "gears": [1, 8, 11]},
    ...     quantities=[price],
    ...     rules=["frame = carbon => gears > 1"],
    ... )
    >>> oracle = oracle_for(space)
    >>> oracle.count()
    5
    >>> oracle.best({"price": 1.0, "gears=11": 0.5})
    Configuration({'frame': 'steel', 'gears': 11})
    >>> oracle.possible({"frame": "carbon"})["gears"]
    (8, 11)
    >>> oracle.range("price")
    (320.0, 1120.0)
    """

    def __init__(self, space: Space, *, engine: Engine | None = None) -> None:
        self.space = space
        if engine is None:
            engine = engine_for(self.lowered) if space.items is None else items_engine_for(space)
        self._engine: Engine = engine
        self._domains = space.domains if space.items is not None else self.lowered.domains

    def __repr__(self) -> str:
        return f"<Oracle of {self.space.name}: {self._engine.name}>"

    @cached_property
    def lowered(self) -> Lowered:
        """The space in integers."""
        return lower(self.space)

    @property
    def report(self) -> OracleReport:
        """Which engine answers, and how large it is."""
        engine = self._engine
        if isinstance(engine, DiagramEngine):
            nodes, arcs, pending = engine.diagram.nodes, engine.diagram.arcs, len(engine.pending_rows)
            return OracleReport(engine.name, nodes, arcs, engine.compile_seconds, pending)
        if isinstance(engine, ItemsEngine):
            return OracleReport(engine.name, None, None, engine.compile_seconds, 0)
        return OracleReport(engine.name, None, None, None, 0)

    @property
    def is_quick(self) -> bool:
        """Whether calls by the hundred are nothing to worry about."""
        if isinstance(self._engine, ItemsEngine):
            return self._engine.is_quick
        return isinstance(self._engine, DiagramEngine) and not self._engine.pending_rows

    @property
    def has_diagram(self) -> bool:
        """Whether calls by the thousand are affordable."""
        return isinstance(self._engine, DiagramEngine)

    @cached_property
    def is_tangled(self) -> bool:
        """Whether even one best configuration takes long to find, as there is no diagram and models do not help."""
        engine = self._milp_if_any
        return engine is not None and engine.is_tangled

    # Best configurations

    def best(self, weights: Weights) -> Configuration:
        """The configuration that is worth the most.

        Parameters:
            weights: by name, such as `{"price": 1.0, "brakes=disc": 0.4}`, or one number for each feature.

        Raises:
            OptionError: if a name is no feature, or a weight no finite number.
        """
        return self.space.configuration(self.best_for_values(self._value_weights(weights)[None])[0])

    def top(self, weights: Weights, count: int) -> tuple[Configuration, ...]:
        """The best `count` configurations, best first; fewer if there are no more. See `best` for the weights."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise OptionError(f"count is {short(count)}; give a whole number, 0 or more")
        ranked = self.ranked_for_values(self._value_weights(weights))
        return tuple(self.space.configuration(found) for found in islice(ranked, count))

    def best_other(self, weights: Weights, excluded: Collection[Mapping[str, Value]]) -> Configuration | None:
        """The best configuration that is none of the excluded ones; None if there is no other.

        Parameters:
            weights: as for `best`.
            excluded: configurations, as mappings from attributes to values.

        Raises:
            ConfigurationError: if one of them is no configuration of this space.
        """
        if isinstance(excluded, Mapping):
            raise OptionError("excluded is one configuration; give a list of them, such as [configuration]")
        taken = {tuple(self.space.indices(configuration).tolist()) for configuration in excluded}
        found = self.best_other_indices(self._value_weights(weights), taken)
        return None if found is None else self.space.configuration(found)

    # The same in value indices, with rows of weights

    def best_indices(self, weights: Floats) -> Ints:
        """The best configuration for each row of feature weights, as value indices."""
        return self.best_for_values(self._value_weights(weights, dimensions=2))

    def best_for_values(self, value_weights: Floats) -> Ints:
        """The same for weights that are given per one-hot value, of any sign."""
        wide = self._widened(value_weights)
        try:
            found = self._engine.best(wide)
        except TooLarge:
            found = self._milp.best(wide)
        return found[:, : len(self.space.domains)]

    def good_for_values(self, value_weights: Floats) -> Ints:
        """A good configuration for each row of weights per one-hot value: the best, or what little work finds."""
        engine = self._milp_if_any
        if engine is None:
            return self.best_for_values(value_weights)
        return engine.good(self._widened(value_weights))[:, : len(self.space.domains)]

    def good_items(self, value_weights: Floats, *, few: int, many: int) -> Ints:
        """Of a product list all items, if they are so few; else the best so many for each row of weights."""
        assert isinstance(self._engine, ItemsEngine)
        rows = self._engine.rows
        return rows.astype(np.int64) if len(rows) <= few else self._engine.good(value_weights, many)

    def ranked_for_values(self, value_weights: Floats) -> Iterator[Ints]:
        """All configurations as value indices, best first; the weights are given per one-hot value."""
        wide = self._widened(value_weights[None])[0]
        visible = len(self.space.domains)
        given: set[bytes] = set()
        try:
            for found in self._engine.ranked(wide):
                given.add(found.tobytes())
                yield found[:visible]
        except TooLarge:
            yield from (found[:visible] for found in self._milp.ranked(wide) if found.tobytes() not in given)

    def best_other_indices(self, value_weights: Floats, taken: Collection[tuple[int, ...]]) -> Ints | None:
        """The best that is not taken, with weights per one-hot value; None if there is no other."""
        ranked = self.ranked_for_values(value_weights)
        return next((found for found in ranked if tuple(found.tolist()) not in taken), None)

    # What there is

    def count(self) -> int | None:
        """The exact number of configurations, of any size; None where it cannot be counted."""
        return self._engine.count()

    def sample(self, rng: np.random.Generator, size: int = 1) -> Ints:
        """Random configurations as value indices (size × attributes), uniform wherever they can be counted.

        `space.configuration(row)` names the values of a row.
        """
        if not isinstance(rng, np.random.Generator):
            raise OptionError(f"rng is {short(rng)}; give a generator, such as numpy.random.default_rng(0)")
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
            raise OptionError(f"size is {short(size)}; give a whole number, 0 or more")
        try:
            found = self._engine.sample(rng, size)
        except TooLarge:
            found = self._milp.sample(rng, size)
        return found[:, : len(self.space.domains)]

    def possible(self, choices: Mapping[str, Value | Collection[Value]] | None = None) -> dict[str, tuple[Value, ...]]:
        """The values of each attribute that remain possible after some choices.

        Parameters:
            choices: a value, or several that would do, for some of the attributes.

        Returns:
            The possible values of every attribute, in the order of the catalogue; all empty if nothing is possible.

        Raises:
            ConfigurationError: if there is no such attribute or value.
        """
        allowed = np.ones(sum(self._domains), dtype=bool)
        if choices is not None and not isinstance(choices, Mapping):
            raise OptionError(f"choices is {short(choices)}; give values by attribute, such as {{'colour': 'red'}}")
        for name, chosen in (choices or {}).items():
            self._allow_only(allowed, name, chosen)
        try:
            mask = self._engine.possible(allowed)
        except TooLarge:
            mask = self._milp.possible(allowed)
        blocks = np.split(mask, np.cumsum(self._domains)[:-1])
        return {
            attribute.name: tuple(value for value, good in zip(attribute.values, block, strict=True) if good)
            for attribute, block in zip(self.space.attributes, blocks, strict=False)
        }

    def range(self, quantity: str) -> tuple[float, float]:
        """The smallest and largest amount of a quantity that some configuration has, in the quantity's own unit.

        Raises:
            OptionError: if there is no such quantity.
        """
        names = [each.name for each in self.space.quantities]
        if quantity not in names:
            hint = suggest(str(quantity), names, what="there is")
            raise OptionError(f"there is no quantity {short(quantity)}; {hint}")
        table = self.space.amounts_table[names.index(quantity)]
        ends = self.best_for_values(np.stack([-table, table]))
        lowest, highest = (self.space.amounts(self.space.configuration(end))[quantity] for end in ends)
        return lowest, highest

    # Inside

    def _allow_only(self, allowed: Bools, name: str, chosen: Value | Collection[Value]) -> None:
        known = self.space.names.positions
        if name not in known:
            hint = suggest(str(name), list(known), what="there is")
            raise ConfigurationError(f"there is no attribute {short(name)}; {hint}")
        attribute, start = self.space.attributes[known[name]], self.space.offsets[known[name]]
        values = (chosen,) if isinstance(chosen, str) or not isinstance(chosen, Collection) else chosen
        try:
            keep = [attribute.index(value) for value in values]
        except SpaceError as error:
            raise ConfigurationError(str(error)) from None
        size = len(attribute.values)
        allowed[start : start + size] = np.isin(np.arange(size), keep)

    def _value_weights(self, weights: Weights, *, dimensions: int = 1) -> Floats:
        """Feature weights folded onto one-hot values; whether they are finite is left to the engine."""
        if isinstance(weights, Mapping):
            weights = self.space.weights(weights)
        wanted = len(self.space.feature_names)
        try:
            numbers = np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError):
            raise OptionError(f"some weight is no number; give {wanted} numbers, one for each feature") from None
        if numbers.ndim != dimensions or numbers.shape[-1] != wanted:
            what = "one" if dimensions == 1 else "rows with one"
            raise OptionError(f"weights have shape {numbers.shape}; give {what} for each of the {wanted} features")
        with np.errstate(invalid="ignore", over="ignore"):
            return self.space.value_weights(numbers)

    def _widened(self, value_weights: Floats) -> Floats:
        """Hidden attributes have no weight."""
        visible = int(self.space.offsets[-1])
        if value_weights.ndim != 2 or value_weights.shape[1] != visible:
            raise OptionError(f"weights have shape {value_weights.shape}; give one for each of the {visible} values")
        hidden = sum(self._domains) - visible
        return np.pad(value_weights, ((0, 0), (0, hidden))) if hidden else value_weights

    @cached_property
    def _milp(self) -> MilpEngine:
        """Answers the rare question that outgrows the diagram's search under pending rows."""
        from setmargin.solve.milp.engine import MilpEngine

        return MilpEngine(self.lowered)

    @property
    def _milp_if_any(self) -> MilpEngine | None:
        """The engine, where it is a MILP; solver and SciPy are imported only then."""
        if isinstance(self._engine, DiagramEngine | ItemsEngine):
            return None
        from setmargin.solve.milp.engine import MilpEngine

        return self._engine if isinstance(self._engine, MilpEngine) else None


def oracle_for(space: Space, *, must: Sequence[str | Table | Rule | Mapping[str, Any]] = ()) -> Oracle:
    """The oracle of a space, compiled once and shared.

    Parameters:
        space: what can be built, from `load` or made in Python.
        must: must-haves, which hold in addition to the rules of the space.

    Raises:
        InfeasibleSpace: where nothing can be built. It names a smallest conflict: among the must-haves, or among the
            rules where there are none.

    >>> from setmargin import load, oracle_for
    >>> oracle_for(load("pc")).count()
    64476
    >>> oracle_for(load("pc"), must=["type = laptop", "price <= 1000"]).count()
    43423
    """
    if not isinstance(space, Space):
        raise OptionError(f"{short(space)} is no space; give one, such as load('bicycle')")
    if isinstance(must, str | Mapping | Table | Rule):
        raise OptionError(f"must is {short(must)}; give a list of must-haves")
    restricted = space.with_rules(*must) if must else space
    try:
        return _compiled(restricted)
    except ModelInfeasible:
        from setmargin.solve.conflicts import infeasible

        raise infeasible(space, must=restricted.rules[len(space.rules) :]) from None


def oracle_if_any(space: Space, *, must: Sequence[str]) -> Oracle | None:
    """The oracle of a space under must-haves, None where nothing can be built; why that is so is not looked for."""
    try:
        return _compiled(space.with_rules(*must) if must else space)
    except ModelInfeasible:
        return None


def forget_compiled() -> None:
    """Let go of all oracles that are kept, to save memory: whoever needs one compiles it again."""
    _compiled.cache_clear()


@lru_cache(maxsize=128)
def _compiled(space: Space) -> Oracle:
    return Oracle(space)
