"""One setting of an experiment: who asks whom, about what, and how often.

The text of a setting says everything that decides its trials. It is what is hashed into the key of their records, sent
to other processes and machines, and made into a setting again there; so nothing can decide a trial and be missing
from its key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

from setmargin.errors import ExperimentError, SetmarginError
from setmargin.experiments.people import AS_IN_THE_PAPER, How, Person, Response, Weights, draw_people
from setmargin.experiments.trial import Record, check_trial, run_trial
from setmargin.space.document import build, to_document
from setmargin.space.space import Space
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import make_strategy

FORMAT = 1
"""Of the records; a number more makes all of them anew."""
KEY_LENGTH = 24
TIRELESS: Mapping[str, Mapping[str, Any]] = {"bayes": {"until": 0.0}, "setmargin": {"threads": 1}}
"""Everybody gets all the questions, so that curves can be compared; and jobs do not get into each other's way."""


def make_tireless(name: str, **options: Any) -> Strategy[Any]:
    """The strategy as experiments want it, where the options do not say otherwise."""
    return make_strategy(name, **{**TIRELESS.get(name, {}), **options})


@dataclass(frozen=True, eq=False, kw_only=True)
class Setting:
    """All that is the same for each of its people; person i is the same in every setting with this space and seed.

    The strategy is one that the registry makes, here and on other machines; `simulate` takes any.
    """

    space: Space
    strategy: Strategy[Any]
    weights: Weights = "uniform"
    quantities: bool = False
    response: Response = AS_IN_THE_PAPER
    how: How = "pairs"
    questions: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        check_trial(questions=self.questions, how=self.how)
        self.person(1)

    @cached_property
    def text(self) -> str:
        """All that decides its trials, but for the person's number."""
        document = {
            "format": FORMAT,
            "space": to_document(self.space),
            "strategy": self.strategy.name,
            "options": self.strategy.options(),
            "weights": self.weights,
            "quantities": self.quantities,
            "response": asdict(self.response),
            "how": self.how,
            "questions": self.questions,
            "seed": self.seed,
        }
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def key(self) -> str:
        """Differs where anything that decides a trial differs, and stays what it is on another machine."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:KEY_LENGTH]

    @cached_property
    def manner(self) -> str:
        """The strategy's options that are not as usual, such as `mode=exact, seconds=2.0`."""
        usual = make_tireless(self.strategy.name, set_size=self.strategy.set_size).options()
        own = self.strategy.options().items()
        return ", ".join(f"{name}={_shown(value)}" for name, value in own if value != usual.get(name))

    @cached_property
    def title(self) -> str:
        """In a few words."""
        more = f", {self.manner}" if self.manner else ""
        return f"{self.space.name}, {self.weights}: {self.strategy.name} (k = {self.strategy.set_size}{more})"

    def person(self, number: int) -> Person:
        """The person of that number, counted from 1."""
        drawn = draw_people(
            self.space,
            1,
            first=number,
            weights=self.weights,
            quantities=self.quantities,
            response=self.response,
            seed=self.seed,
        )
        return next(drawn)

    def run(self, number: int) -> list[Record]:
        """The trial of one person."""
        try:
            return list(run_trial(self.strategy, self.person(number), questions=self.questions, how=self.how))
        except (SetmarginError, AssertionError, ArithmeticError, ValueError) as error:
            raise ExperimentError(
                f"{self.title}: the trial of person {number} failed: {error or type(error).__name__}; "
                f"leave the strategy out, or give it other options"
            ) from error


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=256)
def read_setting(text: str) -> Setting:
    """The setting behind its text, made once in each process."""
    document = json.loads(text)
    return Setting(
        space=build(document["space"]),
        strategy=make_strategy(document["strategy"], **document["options"]),
        weights=document["weights"],
        quantities=document["quantities"],
        response=Response(**document["response"]),
        how=document["how"],
        questions=document["questions"],
        seed=document["seed"],
    )


def run_there(text: str, number: int) -> list[Record]:
    """The trial of one person, in whatever process this runs."""
    return read_setting(text).run(number)
