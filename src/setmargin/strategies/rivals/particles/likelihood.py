"""How likely answers are for people with given weights: the logistic choice of the paper, with "no difference" added.

Out of a set the option x is taken with probability p = exp(γ u(x)) / Σ exp(γ u(y)), and e = exp(-γ (largest utility -
smallest utility)) is how much all of them look the same. With *tree* people see no difference with probability e, and
choose otherwise; with *proportional*, as in the published runs, a choice and no difference are as p : e.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setmargin.errors import OptionError
from setmargin.space.text import suggest
from setmargin.strategies.rivals.particles.prior import Singles
from setmargin.strategies.shared.evidence import Evidence

INDIFFERENCE = ("proportional", "tree")
LEAST = np.float32(1e-30)
"""Even those who always see no difference between equals may choose."""


@dataclass(frozen=True)
class Likelihood:
    """How people answer: `sharpness` is γ."""

    sharpness: float = 1.0
    indifference: str = "proportional"

    def __post_init__(self) -> None:
        if not self.sharpness > 0:
            raise OptionError(f"the sharpness is {self.sharpness}; give a number above 0")
        if self.indifference not in INDIFFERENCE:
            hint = suggest(self.indifference, INDIFFERENCE, what="there is")
            raise OptionError(f"there is no indifference {self.indifference!r}; {hint}")

    def log(self, differences: Singles, evidence: Evidence) -> Singles:
        """The logarithm for everybody: from the differences of utility (rows of the evidence × people)."""
        if not len(evidence.starts):
            return np.zeros(differences.shape[1], dtype=np.float32)
        ahead = np.float32(self.sharpness) * differences
        spread = _spread(ahead, evidence)
        same = np.exp(-spread)
        alike = np.log1p(same)
        log_taken = np.minimum(ahead, 0) - alike if evidence.is_pairs else _log_taken(ahead, evidence)
        if self.indifference == "tree":
            said = np.where(evidence.tie[:, None], -spread, log_taken + np.log(np.maximum(1 - same, LEAST)))
        else:
            said = np.where(evidence.tie[:, None], -spread, log_taken) - alike
        summed: Singles = said.sum(axis=0)
        return summed


def _spread(ahead: Singles, evidence: Evidence) -> Singles:
    """By choice and person: how far the utilities are apart."""
    if evidence.is_pairs:
        return np.abs(ahead)
    most = np.maximum(np.maximum.reduceat(ahead, evidence.starts, axis=0), 0)
    return most - _least(ahead, evidence)


def _least(ahead: Singles, evidence: Evidence) -> Singles:
    """How far the option that was taken is ahead of the best one: 0 where it is the best."""
    least: Singles = np.minimum(np.minimum.reduceat(ahead, evidence.starts, axis=0), 0)
    return least


def _log_taken(ahead: Singles, evidence: Evidence) -> Singles:
    """By choice and person: log p of the option that was taken; of pairs it is known from their spread."""
    least = _least(ahead, evidence)
    # Utilities relative to the best option of each choice: all exponents are at most 0.
    others = np.exp(np.repeat(least, evidence.lengths, axis=0) - ahead)
    log: Singles = least - np.log(np.add.reduceat(others, evidence.starts, axis=0) + np.exp(least))
    return log
