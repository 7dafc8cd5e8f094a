"""How simulated people answer: from utilities to the probabilities of what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from scipy.special import expit, softmax

from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.plugins import load_plugin, plugin_names, refuse_plugin
from setmargin.space.text import LARGEST_NUMBER, short, suggest

TALK_RATES = {"reasons": "reasons", "changes": "changes", "careless": "careless reasons and changes"}
"""Those of a Response that say how much people tell, in words; without any of them they answer as they always did."""


def check_one_of(word: str, known: object, what: str) -> None:
    """Refuse a word that is none of a Literal's, with a hint towards those that are."""
    check_known(word, get_args(known), what)


def check_known(word: str, words: Sequence[str], what: str) -> None:
    """The same for any words."""
    if word not in words:
        raise OptionError(f"{what} is {short(word)}; {suggest(str(word), words, what='there is')}")


class ResponseModel:
    """How utilities become chances; what `Response.model` names. This one is `proportional`; others derive from it.

    A model of your own joins by an entry point `setmargin.responses` that names its class, which is made without
    arguments. It writes `of_pair`, and `of_choice` where larger questions are answered by other chances than here.
    """

    makes_mistakes = True
    """Whether people may choose what is worth less to them; otherwise they see no difference between equals."""

    def of_pair(self, difference: float, *, response: Response, rounding: float) -> Floats:  # noqa: ARG002
        """The probabilities of FIRST, SECOND and EQUAL, given how much more the first is worth."""
        scores = np.array([*_sides(difference, response), math.exp(-response.lambda2 * abs(difference))])
        chances: Floats = scores / scores.sum()
        return chances

    def of_choice(self, utilities: Floats, *, response: Response, rounding: float) -> Floats:  # noqa: ARG002
        """The probability of each option, given what it is worth."""
        chances: Floats = softmax(response.lambda1 * (utilities - utilities.max()))
        return chances


class TreeModel(ResponseModel):
    """First whether there is a difference, then which way."""

    def of_pair(self, difference: float, *, response: Response, rounding: float) -> Floats:  # noqa: ARG002
        exponent = -response.lambda2 * abs(difference)
        return np.array([*(-math.expm1(exponent) * _sides(difference, response)), math.exp(exponent)])


class NoiselessModel(ResponseModel):
    """The better one; the first of equals where one has to be chosen."""

    makes_mistakes = False

    def of_pair(self, difference: float, *, response: Response, rounding: float) -> Floats:  # noqa: ARG002
        equal = abs(difference) <= rounding
        return np.array([difference > 0 and not equal, difference < 0 and not equal, equal], dtype=float)

    def of_choice(self, utilities: Floats, *, response: Response, rounding: float) -> Floats:  # noqa: ARG002
        best: Floats = np.eye(len(utilities))[np.argmax(utilities - utilities.max() >= -rounding)]
        return best


def _sides(difference: float, response: Response) -> Floats:
    sides: Floats = expit(response.lambda1 * np.array([difference, -difference]))
    return sides


MODELS: dict[str, ResponseModel] = {"proportional": ResponseModel(), "tree": TreeModel(), "noiseless": NoiselessModel()}
_PLUGINS: dict[str, ResponseModel] = {}


def response_names() -> tuple[str, ...]:
    """The models of responses that there are, those of other packages included."""
    return tuple(dict.fromkeys((*MODELS, *plugin_names("responses"))))


def model_named(name: str) -> ResponseModel:
    """The model of that name; one of another package is loaded when it is first used."""
    if name in MODELS:
        return MODELS[name]
    if name not in _PLUGINS:
        check_known(name, response_names(), "the response")
        made = load_plugin("responses", name)()
        if not isinstance(made, ResponseModel):
            raise refuse_plugin("responses", name, "is not derived from setmargin.experiments.ResponseModel")
        _PLUGINS[name] = made
    return _PLUGINS[name]


@dataclass(frozen=True, kw_only=True)
class Response:
    """How utilities become answers, and how often the answer is plainly wrong.

    With d the difference of two utilities, e = exp(-λ2 |d|) and g = 1 / (1 + exp(-λ1 d)):

    - `tree` (Guo and Sanner): indifferent with probability e, else the first with probability g;
    - `proportional`, as in the published runs of SetMargin: first, second and indifferent as g : 1 - g : e. The two
      differ where d is small: at d = 0 `tree` is always indifferent, `proportional` half of the time;
    - `noiseless`: the better one, indifferent between equals;
    - the name of a model that another package brings along (see `ResponseModel`).

    Of more than two options the first two models choose with probability proportional to exp(λ1 u), and rank by
    choosing again and again (Plackett-Luce). With probability `wrong` an answer, however it came about, gives way to
    another one that prefers something, each equally likely.

    A choice or ranking comes with a reason with probability `reasons`: one of the things in which the options differ,
    in proportion to exp(λ1 c), c what the thing contributes to the option taken being better than the others. Where a
    question asks what to change, the answer is a change with probability `changes`: in proportion to exp(λ1 g), g what
    it gains. Of both, somebody noiseless names what is worth most. A share `careless` of reasons and changes is drawn
    at random among all that could be named.
    """

    model: str = "proportional"
    lambda1: float = 1.0
    lambda2: float = 1.0
    wrong: float = 0.0
    reasons: float = 0.0
    changes: float = 0.0
    careless: float = 0.0

    def __post_init__(self) -> None:
        model_named(self.model)  # refuses what there is not
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

    @property
    def makes_mistakes(self) -> bool:
        """Whether people may choose what is worth less to them, plainly wrong answers aside."""
        return model_named(self.model).makes_mistakes

    def of_pair(self, difference: float, *, rounding: float = 0.0) -> Floats:
        """The probabilities of FIRST, SECOND and EQUAL, wrong answers aside."""
        return model_named(self.model).of_pair(difference, response=self, rounding=rounding)

    def of_choice(self, utilities: Floats, *, rounding: float = 0.0) -> Floats:
        """The probability that each option is chosen, wrong answers aside; the first of equals if noiseless."""
        return model_named(self.model).of_choice(utilities, response=self, rounding=rounding)


AS_IN_THE_PAPER = Response()
