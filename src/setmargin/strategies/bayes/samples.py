"""The population seen through one space: what each person would take, and what everything is worth to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.strategies.bayes.sampler import Population
from setmargin.strategies.shared.evidence import Manner, Singles


@dataclass(frozen=True, eq=False)
class Samples:
    """People with the weights of values divided by the utility of their own best configuration.

    So utilities are shares of what a person could have at best, one minus them is the relative loss, and the average
    over people is linear in the configuration: what is best for all of them together is one call of the oracle.
    """

    oracle: Oracle
    values: Floats
    """People × one-hot values."""
    optima: Ints
    """People × attributes: their best configurations."""
    best: Floats
    """The utility of those, before it was divided by."""
    manner: Manner

    @classmethod
    def of(cls, oracle: Oracle, population: Population) -> Samples:
        """Everybody's best configuration costs one batch of oracle calls."""
        raw = oracle.space.value_weights(population.weights.T.astype(float))
        optima = oracle.best_for_values(raw)
        best = np.einsum("ij,ij->i", raw, oracle.space.onehot(optima))
        return cls(oracle, raw / np.where(best > 0, best, 1.0)[:, None], optima, best, population.manner)

    @property
    def size(self) -> int:
        """How many people."""
        return len(self.values)

    @cached_property
    def singles(self) -> Singles:
        """The weights of values in single precision, for all that is compared by the thousand."""
        return self.values.astype(np.float32)

    @cached_property
    def mean(self) -> Floats:
        """The average weights of values."""
        mean: Floats = self.values.mean(axis=0)
        return mean

    @cached_property
    def favourite(self) -> Ints:
        """The configuration with the smallest expected loss."""
        favourite: Ints = self.oracle.best_for_values(self.mean[None])[0]
        return favourite

    def worth(self, configurations: Ints) -> Singles:
        """Utilities, people × configurations, as shares of each person's best."""
        worth: Singles = self.singles @ self.oracle.space.onehot(configurations).T.astype(np.float32)
        return worth

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
        return Samples(self.oracle, self.values[:count], self.optima[:count], self.best[:count], manner)
