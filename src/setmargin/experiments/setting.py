"""A setting of an experiment: who is asked about what, by which strategy, and how they answer.

The text of a setting says everything that decides its trials. It is what is hashed into the key of their records, sent
to other processes and machines, and made into a setting again there; so nothing can decide a trial and be missing
from its key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import Enum
from functools import cached_property, lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from setmargin.answers import How
from setmargin.arrays import Floats
from setmargin.errors import ExperimentError, OptionError, SetmarginError
from setmargin.experiments.code import digest_of, has_file
from setmargin.experiments.families import is_of_another_package
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import AS_IN_THE_PAPER, TALK_RATES, Response, model_named
from setmargin.experiments.segments import USUAL
from setmargin.experiments.trial import Record, check_trial, run_trial
from setmargin.plugins import load_plugin
from setmargin.space.space import Space, build_space
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import make_for_simulation, restore_strategy

FORMAT = 1
"""Of the records; a number more makes all of them anew."""
KEY_LENGTH = 24
OTHERS: dict[str, Any] = {"no_order": 0.0, "population": USUAL, "earlier": 0, "earlier_population": ""}
"""What is said of people besides their family, with what is true where nothing is said; keys leave it out then."""
FIRST_EARLIER = 1_000_001
"""The number of the first earlier person; nobody of that number is among those who are asked."""
EARLIER_QUESTIONS = 12
"""How many questions an earlier person was asked, at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Setting:
    """All that is the same for each of its people; person i is the same in every setting with this space and seed.

    The strategy is one that the registry makes, here and on other machines; `simulate` takes any.
    """

    space: Space
    strategy: Strategy[Any]
    weights: str = "uniform"
    quantities: bool = False
    response: Response = AS_IN_THE_PAPER
    how: How = "pairs"
    questions: int = 30
    seed: int = 0
    no_order: float = 0.0
    population: str = USUAL
    earlier: int = 0
    """How many people were interviewed before; strategies that learn from others know their answers."""
    earlier_population: str = ""
    """Where those are from, if not from the same population."""
    given: tuple[Floats, ...] = ()
    """The weights of people that are not drawn but given, as by a file; then `weights` says where they are from."""

    def __post_init__(self) -> None:
        check_trial(questions=self.questions, how=self.how)
        self._check_others()
        self.person(1)
        if self.earlier:
            _ = self.before  # refuses a population that is none

    def _check_others(self) -> None:
        if self.earlier < 0:
            raise OptionError(f"{self.earlier} earlier people cannot be asked; give 0 or more")
        if self.earlier_population and not self.earlier:
            raise OptionError(f"nobody of {self.earlier_population} was asked before; say how many with earlier")
        if self.earlier and not self.strategy.learns_from_others:
            raise OptionError(
                f"{self.strategy.name} does not learn from {self.earlier} earlier people; leave earlier out"
            )
        if self.given and (self.no_order or self.earlier or self.population != USUAL):
            raise OptionError(
                f"{self.weights} says what its people value; leave no-order, population and earlier out, or draw people"
            )

    @cached_property
    def text(self) -> str:
        """All that decides its trials, but for the person's number."""
        added, talk = self.strategy.added_options, TALK_RATES
        older = {now: before for before, now in self.strategy.renamed_options.items()}
        options = {name: value for name, value in self.strategy.options().items() if (name, value) not in added.items()}
        document = {
            "format": FORMAT,
            "space": self.space.document(),
            "strategy": self.strategy.name,
            "code": self.code,
            # Under their first names, and without what was added since, where that is not used.
            "options": {older.get(name, name): value for name, value in options.items()},
            "weights": self.weights,
            "quantities": self.quantities,
            "response": {name: value for name, value in asdict(self.response).items() if value or name not in talk},
            "how": self.how,
            "questions": self.questions,
            "seed": self.seed,
        }
        document |= {word: getattr(self, word) for word, usual in OTHERS.items() if getattr(self, word) != usual}
        if self.given:
            document["given"] = [weights.tolist() for weights in self.given]
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def code(self) -> str:
        """A digest of the code that decides its trials: of the strategy, and of what other packages bring along."""
        return digest_of(type(self.strategy), *self._brought_along())

    def _brought_along(self) -> Iterator[Any]:
        yield from (each for each in vars(self.strategy).values() if _is_an_object(each))
        yield model_named(self.response.model)
        if not self.given and is_of_another_package(self.weights):
            yield load_plugin("people", self.weights)

    @cached_property
    def key(self) -> str:
        """Differs where anything that decides a trial differs, and stays what it is on another machine."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:KEY_LENGTH]

    @cached_property
    def unusual_options(self) -> str:
        """The strategy's options that are not as usual, such as `mode=exact, seconds=2.0`."""
        talking, size = self.response.talks, self.strategy.set_size
        usual = make_for_simulation(self.strategy.name, talking=talking, set_size=size).options()
        own = self.strategy.options().items()
        unusual = [f"{name}={_shown(value)}" for name, value in own if value != usual.get(name)]
        return ", ".join([*unusual, *self._knowledge()])

    def _knowledge(self) -> list[str]:
        """Whom the strategy knows: part of what is unusual about it, so that it can be laid beside itself without."""
        where = f" of {self.earlier_population}" if self.earlier_population else ""
        return [f"earlier={self.earlier}{where}"] if self.earlier else []

    @cached_property
    def label(self) -> str:
        """The strategy, its set size, and what is unusual about it."""
        more = f", {self.unusual_options}" if self.unusual_options else ""
        return f"{self.strategy.name} (k = {self.strategy.set_size}{more})"

    @cached_property
    def title(self) -> str:
        """The same, with the space and the people before it."""
        return f"{', '.join([self.space.name, self.weights, *self.unlike])}: {self.label}"

    @property
    def unlike(self) -> list[str]:
        """What is unusual about its people besides their family, in words."""
        shares = [f"{self.no_order:.0%} without an order"] if self.no_order else []
        return [*shares, *([self.population] if self.population != USUAL else [])]

    def document(self) -> dict[str, Any]:
        """As plain data, for people to read beside the records."""
        return {
            "key": self.key,
            "version": version("setmargin"),
            "code": self.code,
            "catalogue": self.space.name,
            "fingerprint": self.space.fingerprint,
            "strategy": {"name": self.strategy.name, **self.strategy.options()},
            "weights": self.weights,
            "quantities": self.quantities,
            "response": self.response.model,
            "wrong": self.response.wrong,
            **{name: getattr(self.response, name) for name in TALK_RATES},
            "how": self.how,
            "questions": self.questions,
            "seed": self.seed,
            **{word: getattr(self, word) for word in OTHERS},
        }

    def person(self, number: int) -> Person:
        """The person of that number, counted from 1."""
        if self.given:
            return Person(
                space=self.space,
                weights=self.given[number - 1],
                response=self.response,
                number=number,
                seed=self.seed,
                kind=self.weights,
            )
        drawn = draw_people(
            self.space,
            1,
            first=number,
            weights=self.weights,
            quantities=self.quantities,
            no_order=self.no_order,
            population=self.population,
            response=self.response,
            seed=self.seed,
        )
        return next(drawn)

    @property
    def before(self) -> Setting:
        """The interviews of the earlier people, from number FIRST_EARLIER on: by the strategy when it knew nobody."""
        return replace(
            self,
            population=self.earlier_population or self.population,
            questions=min(self.questions, EARLIER_QUESTIONS),
            earlier=0,
            earlier_population="",
        )

    def run(self, number: int, strategy: Strategy[Any] | None = None) -> list[Record]:
        """Interview the person of that number; ExperimentError says which trial failed, and why.

        `strategy` is the setting's own once it knows earlier people.
        """
        asking = strategy or self.strategy
        try:
            return list(run_trial(asking, self.person(number), questions=self.questions, how=self.how))
        except (SetmarginError, AssertionError, ArithmeticError, ValueError) as error:
            raise ExperimentError(
                f"{self.title}: the trial of person {number} failed: {error or type(error).__name__}; "
                f"leave the strategy out, or give it other options"
            ) from error


def _is_an_object(value: object) -> bool:
    """Whether it does something of its own, as a solver does, and is not plain data."""
    return value is not None and not isinstance(value, str | int | float | tuple | list | Mapping | np.ndarray | Enum)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=256)
def read_setting(text: str) -> Setting:
    """The setting behind its text, made once in each process.

    Raises:
        ExperimentError: if the code here is not that of the text, as where a machine has another version of it.
    """
    document = json.loads(text)
    setting = Setting(
        space=build_space(document["space"]),
        strategy=restore_strategy(document["strategy"], **document["options"]),
        weights=document["weights"],
        quantities=document["quantities"],
        response=Response(**document["response"]),
        how=document["how"],
        questions=document["questions"],
        seed=document["seed"],
        **{word: document[word] for word in OTHERS if word in document},
        given=tuple(np.array(weights) for weights in document.get("given", ())),
    )
    if has_file(type(setting.strategy)) and setting.code != document["code"]:
        raise ExperimentError(
            f"the code of {setting.strategy.name} is another one in this process ({setting.code}) than where the run "
            f"was started ({document['code']}); install the same version everywhere, and do not edit it during a run"
        )
    return setting
