"""The polyhedral strategy (Toubia, Hauser and Simester 2004), with the oracle for its questions.

The ends of the longest axes of what the answers leave are people who differ most. Each is shown what it would take
within a budget of utility at the centre, so that the options are about equally good for the person in the middle and
the answer halves what is left. Reasons and changes cut off their part like pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from setmargin.answers import Question
from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.options import option
from setmargin.strategies.rivals.polyhedral.polyhedron import Polyhedron, analytic_centre, longest_axes, polyhedron_of
from setmargin.strategies.shared.configurations import best_unasked_pair
from setmargin.strategies.shared.pairs import pairs_of
from setmargin.strategies.shared.ties import with_better_quantities

DRAWS = 30
PRICES = np.concatenate([[0.0], np.geomspace(0.02, 50.0, 40)])
"""What a unit of utility at the centre may cost an option, until its budget is kept."""


@dataclass(frozen=True, repr=False)
class PolyhedralBelief(Belief):
    """The answers; what they leave and its centre are found when first needed."""

    indifference: float = 0.05

    @cached_property
    def polyhedron(self) -> Polyhedron:
        """The weights that agree with the answers."""
        return polyhedron_of(self.space, pairs_of(self.space, self.history), indifference=self.indifference)

    @cached_property
    def centre(self) -> Floats:
        """Its analytic centre."""
        return analytic_centre(self.polyhedron)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("polyhedron", "centre")}


@dataclass(frozen=True, kw_only=True)
class Polyhedral(Strategy[PolyhedralBelief]):
    """Asks along the longest axes of what the answers leave, and recommends what is best at its centre.

    `budget` is where budgets are drawn from: between this share and all of the way from the worst to the best
    utility at the centre. The published method draws from everywhere, as it wants to know all weights; with 1 nothing
    is held back, and what is learnt is about the best, where a recommendation needs it. `indifference` is how far two
    things of no difference may be apart, where an average attribute's values add up to 1.
    """

    name = "polyhedral"

    budget: float = option(1.0, give="a share from 0 to 1", allowed=lambda budget: 0 <= budget <= 1)
    indifference: float = option(
        0.05, give="a small positive number such as 0.05", allowed=lambda indifference: 0 < indifference < 10
    )

    def _start(self, space: Space, seed: int) -> PolyhedralBelief:
        return PolyhedralBelief(space, seed, indifference=self.indifference)

    def _ask(self, belief: PolyhedralBelief) -> Question | None:
        space, rng, size = belief.space, belief.rng(), self.set_size
        axes = longest_axes(space, belief.polyhedron, belief.centre, (size + 1) // 2, rng)
        centre = space.value_weights(belief.centre)
        offers = offers_of(belief.oracle, space.value_weights(axes.ends[:size]), centre)
        for budget in self._budgets(belief.oracle, centre, rng):
            options = tuple(dict.fromkeys(space.configuration(row) for row in within_budget(offers, budget)))
            if len(options) == size and not belief.was_asked(frozenset(options)):
                return Question(options, status="heuristic")
        return best_unasked_pair(belief, centre)

    def _budgets(self, oracle: Oracle, centre: Floats, rng: np.random.Generator) -> Floats:
        """At random, one after the other until the options differ and are new."""
        worst, best = (oracle.space.onehot(oracle.best_for_values(np.stack([-centre, centre]))) @ centre).tolist()
        shares = rng.uniform(self.budget, 1.0, DRAWS)
        drawn: Floats = worst + shares * (best - worst)
        return drawn

    def _recommend(self, belief: PolyhedralBelief) -> Recommendation:
        space = belief.space
        best = belief.oracle.best_for_values(with_better_quantities(space, space.value_weights(belief.centre))[None])[0]
        return Recommendation(space.configuration(best), belief.centre, status="centre")


@dataclass(frozen=True, eq=False)
class Offers:
    """What each end would take at each price: ends × prices configurations, their utility there and at the centre."""

    rows: Ints
    own: Floats
    central: Floats


def offers_of(oracle: Oracle, ends: Floats, centre: Floats) -> Offers:
    """argmax ⟨v^i − price · v_c, x⟩ for every end and price in one batch, and the cheapest of all at the centre.

    These are the configurations that are the best of some budget: max ⟨v^i, x⟩ with ⟨v_c, x⟩ ≤ B.
    """
    weights = ends[:, None, :] - PRICES[None, :, None] * centre
    weights = np.concatenate([weights, np.broadcast_to(-centre, (len(ends), 1, len(centre)))], axis=1)
    rows = oracle.best_for_values(weights.reshape(-1, len(centre)))
    onehot = oracle.space.onehot(rows).reshape(weights.shape)
    own = np.einsum("ipv,iv->ip", onehot, ends)
    return Offers(rows.reshape(*weights.shape[:2], -1), own, onehot @ centre)


def within_budget(offers: Offers, budget: float) -> Ints:
    """For each end the offer that it likes best among those within the budget; the cheapest if there is none."""
    kept = offers.central <= budget + 1e-9
    kept[:, -1] = True
    chosen = np.where(kept, offers.own, -np.inf).argmax(axis=1)
    rows: Ints = offers.rows[np.arange(len(chosen)), chosen]
    return rows
