"""How simulated people answer: from utilities to the probabilities of what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import expit, softmax

from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.space.text import LARGEST_NUMBER, short, suggest

Model = Literal["proportional", "tree", "noiseless"]
TALK_RATES = {"reasons": "reasons", "changes": "changes", "careless": "careless reasons and changes"}
"""Those of a Response that say how much people tell, in words; without any of them they answer as they always did."""


def check_one_of(word: str, known: object, what: str) -> None:
    """Refuse a word that is none of a Literal's, with a hint towards those that are."""
    words = get_args(known)
    if word not in words:
        raise OptionError(f"{what} is {short(word)}; {suggest(str(word), words, what='there is')}")


@dataclass(frozen=True, kw_only=True)
class Response:
    """How utilities become answers, and how often the answer is plainly wrong.

    With d the difference of two utilities, e = exp(-λ2 |d|) and g = 1 / (1 + exp(-λ1 d)):

    - `tree` (Guo and Sanner): indifferent with probability e, else the first with probability g;
    - `proportional`, as in the published runs of SetMargin: first, second and indifferent as g : 1 - g : e. The two
      differ where d is small: at d = 0 `tree` is always indifferent, `proportional` half of the time;
    - `noiseless`: the better one, indifferent between equals.

    Of more than two options the first two models choose with probability proportional to exp(λ1 u), and rank by
    choosing again and again (Plackett-Luce). With probability `wrong` an answer, however it came about, gives way to
    another one that prefers something, each equally likely.

    A choice or ranking comes with a reason with probability `reasons`: one of the things in which the options differ,
    in proportion to exp(λ1 c), c what the thing contributes to the option taken being better than the others. Where a
    question asks what to change, the answer is a change with probability `changes`: in proportion to exp(λ1 g), g what
    it gains. Of both, somebody noiseless names what is worth most. A share `careless` of reasons and changes is drawn
    at random among all that could be named.
    """

    model: Model = "proportional"
    lambda1: float = 1.0
    lambda2: float = 1.0
    wrong: float = 0.0
    reasons: float = 0.0
    changes: float = 0.0
    careless: float = 0.0

    def __post_init__(self) -> None:
        check_one_of(self.model, Model, "the response")
        for name in ("lambda1", "lambda2"):
            value = getattr(self, name)
            if not 0 <= value <= LARGEST_NUMBER:
                raise OptionError(f"{name} is {value}; give a number from 0 to 1e12")
        if not 0 <= self.wrong < 1:
            raise OptionError(f"the rate of wrong answers is {self.wrong}; give 0 or more, and less than 1")
        for name, what in TALK_RATES.items():
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"the rate of {what} is {getattr(self, name)}; give a number from 0 to 1")

    @property
    def talks(self) -> bool:
        """Whether people ever say more than which option is better."""
        return self.reasons > 0 or self.changes > 0

    def of_pair(self, difference: float, *, rounding: float = 0.0) -> Floats:
        """The probabilities of FIRST, SECOND and EQUAL, wrong answers aside."""
        if self.model == "noiseless":
            equal = abs(difference) <= rounding
            return np.array([difference > 0 and not equal, difference < 0 and not equal, equal], dtype=float)
        exponent = -self.lambda2 * abs(difference)
        sides = expit(self.lambda1 * np.array([difference, -difference]))
        if self.model == "tree":
            return np.array([*(-math.expm1(exponent) * sides), math.exp(exponent)])
        scores = np.array([*sides, math.exp(exponent)])
        chances: Floats = scores / scores.sum()
        return chances

    def of_choice(self, utilities: Floats, *, rounding: float = 0.0) -> Floats:
        """The probability that each option is chosen, wrong answers aside; the first of equals if noiseless."""
        behind = utilities - utilities.max()
        if self.model == "noiseless":
            best: Floats = np.eye(len(behind))[np.argmax(behind >= -rounding)]
            return best
        chances: Floats = softmax(self.lambda1 * behind)
        return chances


AS_IN_THE_PAPER = Response()
