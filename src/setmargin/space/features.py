"""The features of a space: what a configuration is as a vector of numbers, and weights are on.

One for each value of an attribute, then one for each quantity, then the trends of attributes that say what is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import isfinite
from numbers import Real

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import OptionError, SpaceError
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.items import Items, Listing, listing_of
from setmargin.space.language import Names
from setmargin.space.space_checks import feature_names_of
from setmargin.space.text import short, suggest
from setmargin.space.trends import Trend, goodness_of, trends_of


class Features:
    """What follows from the attributes and quantities of a space alone, whatever its rules."""

    attributes: tuple[Attribute, ...]
    quantities: tuple[Quantity, ...]
    items: Items | None

    # Their names, and where they stand

    @cached_property
    def names(self) -> Names:
        """What rules may speak of."""
        return Names(self.attributes, self.sums, self.hidden)

    @cached_property
    def listing(self) -> Listing:
        """The items of a product list as rows of value indices."""
        assert self.items is not None
        return listing_of(self.attributes, self.quantities, self.items)

    @property
    def hidden(self) -> tuple[Attribute, ...]:
        """Attributes that nobody sees, behind the others: the digits of a product list's numbers."""
        return () if self.items is None else self.listing.hidden

    @property
    def sums(self) -> tuple[Quantity, ...]:
        """The quantities as sums over attributes, hidden ones too."""
        return self.quantities if self.items is None else self.listing.sums

    @cached_property
    def domains(self) -> tuple[int, ...]:
        """How many values each attribute has, and behind those each hidden one."""
        return tuple(len(attribute.values) for attribute in (*self.attributes, *self.hidden))

    @cached_property
    def offsets(self) -> Ints:
        """Where each attribute's one-hot block starts; the last entry is the number of one-hot features."""
        return np.concatenate([[0], np.cumsum(self.domains)]).astype(np.int64)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """One-hot values, then quantities, then trends: `cpu=Crusoe 800`, `price`, `memory>=256`."""
        values = (name for attribute in (*self.attributes, *self.hidden) for name in feature_names_of(attribute))
        return (*values, *(each.name for each in self.quantities), *(each.name for each in self.trends))

    @cached_property
    def plain_features(self) -> int:
        """How many features are values and quantities: all but the trends, which come last."""
        return int(self.offsets[-1]) + len(self.quantities)

    @cached_property
    def trends(self) -> tuple[Trend, ...]:
        """What follows from the order of values, for each attribute that says what is better; the last features."""
        return tuple(trend for number, each in enumerate(self.attributes) for trend in trends_of(each, number))

    @cached_property
    def things(self) -> tuple[str, ...]:
        """What people may care about: the names of attributes, then of quantities."""
        return (*(each.name for each in self.attributes), *(each.name for each in self.quantities))

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """The names of what features stand in blocks of: attributes, hidden ones behind them, then quantities."""
        return (*(each.name for each in (*self.attributes, *self.hidden)), *(each.name for each in self.quantities))

    @cached_property
    def seen_values(self) -> int:
        """How many one-hot values people see: all but those of hidden attributes, which come last."""
        return int(self.offsets[len(self.attributes)])

    @cached_property
    def things_of_attributes(self) -> Ints:
        """Which of the things each attribute is; a hidden one belongs to its quantity."""
        count = len(self.attributes)
        quantities = {name: count + place for place, each in enumerate(self.sums) for name in each.terms}
        return np.array([*range(count), *(quantities[each.name] for each in self.hidden)], dtype=np.int64)

    @cached_property
    def owners(self) -> Ints:
        """Which of the things each feature belongs to; values and trends belong to their attribute."""
        values = np.repeat(self.things_of_attributes, self.domains)
        quantities = np.arange(len(self.attributes), len(self.things))
        trends = np.array([trend.attribute for trend in self.trends], dtype=np.int64)
        return np.concatenate([values, quantities, trends])

    def features_of(self, name: str) -> Bools:
        """Which features belong to an attribute (its values and its trends) or a quantity."""
        return np.asarray(self.owners == self.things.index(name))

    # What they are of each value, and sums over them

    def by_thing(self, parts: Floats) -> Floats:
        """Sums over the features of each thing; for one vector or rows of them, which may leave trends out."""
        plain, seen = self.plain_features, len(self.attributes)
        starts = np.append(self.offsets[:-1], np.arange(self.offsets[-1], plain))
        sums: Floats = np.add.reduceat(parts[..., :plain], starts, axis=-1)
        if self.hidden:
            digits = sums[..., seen : len(self.domains)]
            sums = np.concatenate([sums[..., :seen], sums[..., len(self.domains) :]], axis=-1)
            for number, thing in enumerate(self.things_of_attributes[seen:]):
                sums[..., thing] += digits[..., number]
        for number, trend in enumerate(self.trends if parts.shape[-1] > plain else (), plain):
            sums[..., trend.attribute] += parts[..., number]
        return sums

    @cached_property
    def amounts_table(self) -> Floats:
        """Quantities × one-hot values: what each value adds, in the quantity's own unit."""
        everything = (*self.attributes, *self.hidden)
        tables = [[n for a in everything for n in quantity.table(a)] for quantity in self.sums]
        return np.array(tables, dtype=float).reshape(len(self.quantities), int(self.offsets[-1]))

    @cached_property
    def costs(self) -> Floats:
        """The paper's matrix C, quantities and trends × one-hot values, so that x_R = C x_B.

        Never negative, and divided by the sum of the per-attribute maxima; a lower-is-better quantity is turned
        around. The constants that this adds are the same for every configuration.
        """
        rows = [
            self._cost_row(quantity, table) for quantity, table in zip(self.quantities, self.amounts_table, strict=True)
        ]
        rows += [self._one_attribute(trend.attribute, trend.row) for trend in self.trends]
        return np.array(rows, dtype=float).reshape(len(rows), int(self.offsets[-1]))

    def _cost_row(self, quantity: Quantity, table: Floats) -> Floats:
        blocks = np.split(table, self.offsets[1:-1])
        lifted = [block - min(0.0, block.min()) for block in blocks]
        scale = sum(block.max() for block in lifted) or 1.0
        if quantity.better == "lower":
            lifted = [block.max() - block for block in lifted]
        return np.concatenate(lifted) / scale

    @cached_property
    def goodness(self) -> Floats:
        """A row over one-hot values for each attribute with a direction: 0 at its worst value, 1 at its best."""
        rows = []
        for number, attribute in enumerate(self.attributes):
            if (row := goodness_of(attribute)) is not None:
                rows.append(self._one_attribute(number, row))
        return np.array(rows, dtype=float).reshape(len(rows), int(self.offsets[-1]))

    def _one_attribute(self, number: int, numbers: Sequence[float]) -> Floats:
        row = np.zeros(int(self.offsets[-1]))
        row[self.offsets[number] : self.offsets[number + 1]] = numbers
        return row

    # Weights

    def value_weights(self, weights: Floats) -> Floats:
        """Weights of features folded onto one-hot values: v = w_B + C'w_R; for one vector or rows of them."""
        cut = int(self.offsets[-1])
        folded: Floats = weights[..., :cut] + weights[..., cut:] @ self.costs
        return folded

    def without_trends(self, weights: Floats) -> Floats:
        """The same tastes in values and quantities alone: trends folded onto the values of their attribute.

        For one vector over features, or rows of them. This is how weights are told to people, to whom a trend is
        nothing beside its attribute.
        """
        cut = int(self.offsets[-1])
        plain = self.plain_features
        if not self.trends:
            return weights
        own = weights[..., :cut] + weights[..., plain:] @ self.costs[len(self.quantities) :]
        return np.concatenate([own, weights[..., cut:plain]], axis=-1)

    def weights(self, named: Mapping[str, float]) -> Floats:
        """A vector with one weight for each feature, from some weights by name; what is not named weighs nothing.

        Raises OptionError for a name that is no feature, and for a weight that is no finite number.
        """
        vector = np.zeros(len(self.feature_names))
        weighed: set[int] = set()
        for name, number in named.items():
            position = self._feature_position(name)
            if isinstance(number, bool) or not isinstance(number, Real) or not isfinite(number):
                raise OptionError(f"the weight of {name} is {short(number)}; give a finite number")
            if position in weighed:
                raise OptionError(f"{name} is weighed twice; keep one")
            weighed.add(position)
            vector[position] = number
        return vector

    @cached_property
    def _feature_positions(self) -> Mapping[str, int]:
        return {name: position for position, name in enumerate(self.feature_names)}

    def _feature_position(self, name: str) -> int:
        if name in self._feature_positions:
            return self._feature_positions[name]
        left, _, value = (part.strip() for part in str(name).partition("="))
        if left not in self.names.positions:
            hint = suggest(str(name), self.feature_names, what="the features are")
            raise OptionError(f"there is no feature {short(name)}; {hint}")
        attribute = self.attributes[self.names.positions[left]]
        if not value:
            raise OptionError(f"{left} is an attribute; weigh its values, such as {left}={attribute.labels[0]}")
        try:
            return int(self.offsets[self.names.positions[left]]) + attribute.index(value)
        except SpaceError as error:
            raise OptionError(str(error)) from None
