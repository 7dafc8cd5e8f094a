"""The population seen through one space: what each person would take, and what everything is worth to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import TooTangled
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Space
from setmargin.strategies.bayes.sampler import Population
from setmargin.strategies.bayes.shortlist import Shortlist
from setmargin.strategies.shared.evidence import Manner, Singles

FEW_ITEMS: Final = 1_000
"""Of a product list all items are compared where there are so few."""
GOOD_ITEMS: Final = 4
"""Else these many that are best for each person."""


@dataclass(frozen=True, eq=False)
class Samples:
    """People with the weights of values divided by the utility of their own best configuration.

    So utilities are shares of what a person could have at best, one minus them is the relative loss, and the average
    over people is linear in the configuration: what is best for all of them together is one call of the oracle.
    """

    exact: Oracle
    """What is recommended comes from it."""
    oracle: Oracle | Shortlist
    """What is compared comes from it: the same, or a list of good configurations where that would take too long."""
    values: Floats
    """People × one-hot values."""
    optima: Ints
    """People × attributes: their best configurations."""
    best: Floats
    """The utility of those, before it was divided by."""
    manner: Manner
    weights: Singles
    """Features × people: the weights as they are, which answers depend on."""
    _outlooks: dict[int, Ints] = field(default_factory=dict, init=False, repr=False)

    def parts(self, configurations: Ints) -> Singles:
        """What each attribute and quantity adds to the utility: people × things × configurations."""
        space = self.oracle.space
        cut, seen = int(space.offsets[-1]), len(space.attributes)
        own = self.weights[:cut][(configurations[:, :seen] + space.offsets[:seen]).T]
        amounts = (space.onehot(configurations) @ _costs(space).T).T.astype(np.float32)
        things = np.concatenate([own, amounts[:, :, None] * self.weights[cut:][:, None, :]])
        return np.moveaxis(things, 2, 0)

    def differs(self, sets: Ints) -> Bools:
        """In which things the options of each set differ: things × sets."""
        space = self.oracle.space
        count, size, width = sets.shape
        amounts = (space.onehot(sets.reshape(count * size, width)) @ _costs(space).T).reshape(count, size, -1)
        own = np.ptp(sets[:, :, : len(space.attributes)], axis=1)
        apart = np.concatenate([own > 0, np.ptp(amounts, axis=1) > 1e-9], axis=1)
        return apart.T

    @classmethod
    def of(cls, oracle: Oracle, population: Population) -> Samples:
        """Everybody's best configuration costs one batch of oracle calls.

        Raises TooTangled where even one takes long.
        """
        raw = _value_weights(oracle.space, population.weights.T.astype(float))
        source = oracle if oracle.has_diagram else _shortlist(oracle, raw)
        optima = source.best_for_values(raw)
        best = np.einsum("ij,ij->i", raw, oracle.space.onehot(optima))
        values = raw / np.where(best > 0, best, 1.0)[:, None]
        return cls(oracle, source, values, optima, best, population.manner, population.weights.astype(np.float32))

    @property
    def size(self) -> int:
        """How many people."""
        return len(self.values)

    @cached_property
    def singles(self) -> Singles:
        """The weights of values in single precision, for all that is compared by the thousand."""
        return self.values.astype(np.float32)

    @cached_property
    def taken(self) -> Singles:
        """People × one-hot values that people see of their best configurations."""
        space = self.oracle.space
        return space.onehot(self.optima)[:, : space.seen_values].astype(np.float32)

    @cached_property
    def mean(self) -> Floats:
        """The average weights of values."""
        mean: Floats = self.values.mean(axis=0)
        return mean

    @cached_property
    def favourite(self) -> Ints:
        """The configuration with the smallest expected loss."""
        favourite: Ints = self.exact.best_for_values(self.mean[None])[0]
        return favourite

    def worth(self, configurations: Ints) -> Singles:
        """Utilities, people × configurations, as shares of each person's best."""
        worth: Singles = self.singles @ self.oracle.space.onehot(configurations).T.astype(np.float32)
        return worth

    def worth_of(self, sets: Ints) -> Singles:
        """The same for sets of configurations: people × sets × options, in memory the other way round."""
        count, size, width = sets.shape
        onehot = self.oracle.space.onehot(sets.swapaxes(0, 1).reshape(size * count, width)).astype(np.float32)
        worth: Singles = onehot @ self.singles.T
        return worth.reshape(size, count, self.size).transpose(2, 1, 0)

    @cached_property
    def disagreement(self) -> Floats:
        """How little is known of each attribute's best value: its entropy over people, in bits."""
        shares = self.taken.mean(axis=0, dtype=float)
        bits = -shares * np.log2(np.maximum(shares, 1e-12))
        summed: Floats = np.add.reduceat(bits, self.oracle.space.offsets[: len(self.oracle.space.attributes)])
        return summed

    def outlook(self, count: int) -> Ints:
        """Configurations that together leave nobody far from their best, greedily from what people would take."""
        if count not in self._outlooks:
            self._outlooks[count] = self._greedily(count)
        return self._outlooks[count]

    def _greedily(self, count: int) -> Ints:
        optima = np.unique(self.optima, axis=0)
        worth = self.worth(optima)
        best, chosen = np.zeros(self.size, dtype=np.float32), []
        for _ in range(min(count, len(optima))):
            added = int(np.maximum(worth - best[:, None], 0).sum(axis=0).argmax())
            chosen.append(added)
            best = np.maximum(best, worth[:, added])
        return optima[chosen]

    def losses(self, configuration: Ints) -> Floats:
        """What each person loses with it; those who care about nothing lose nothing."""
        worth = self.values @ self.oracle.space.onehot(configuration[None])[0]
        losses: Floats = np.where(self.cares, 1.0 - worth, 0.0).clip(0.0, 1.0)
        return losses

    @property
    def cares(self) -> Bools:
        """Who cares about anything at all."""
        cares: Bools = self.best > 0
        return cares

    def first(self, count: int) -> Samples:
        """Only so many people; they are in no order."""
        manner = self.manner[np.arange(min(count, self.size))]
        return Samples(
            self.exact,
            self.oracle,
            self.values[:count],
            self.optima[:count],
            self.best[:count],
            manner,
            self.weights[:, :count],
        )


def _shortlist(oracle: Oracle, value_weights: Floats) -> Shortlist:
    if oracle.space.items is not None:
        return Shortlist(oracle.space, oracle.good_items(value_weights, few=FEW_ITEMS, many=GOOD_ITEMS))
    if oracle.is_tangled:
        raise TooTangled(
            f"the rules and must-haves of {oracle.space.name} are so tangled that finding what is best takes too long; "
            "drop some of them, or write several as one table"
        )
    return Shortlist.of(oracle, value_weights)


def _costs(space: Space) -> Floats:
    """What values do to quantities; trends are no things of their own, and are in the weights of values already."""
    return space.costs[: len(space.quantities)]


def _value_weights(space: Space, weights: Floats) -> Floats:
    """Weights folded onto values, so that nothing is worth less than nothing.

    Whoever wants less of a quantity of which others want more gets, for any value of the first attribute, the most that
    it can take away: what things are worth compared with each other stays the same.
    """
    cut = int(space.offsets[-1])
    folded = weights[:, :cut] + weights[:, cut:] @ _costs(space)
    folded[:, : space.domains[0]] -= np.minimum(weights[:, cut:], 0).sum(axis=1, keepdims=True)
    return folded
