"""A grid of settings, each with the same number of people: an experiment.

grid = make_grid(catalogue=["synthetic:3"], strategy=["bayes", "setmargin"], weights=["uniform", "normal"], people=5)
for step in run_experiment(grid, "results", jobs=2): ...
read_records("results")

The text of a setting says everything that decides its trials. It is what is hashed into the key of their records, sent
to other processes and machines, and made into a setting again there; so nothing can decide a trial and be missing
from its key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple, cast

from setmargin.answers import How
from setmargin.errors import ExperimentError, InfeasibleSpace, OptionError, SetmarginError
from setmargin.experiments.people import AS_IN_THE_PAPER, Model, Person, Response, Weights, draw_people
from setmargin.experiments.trial import Record, check_trial, run_trial
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.space import Space, build_space
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import make_for_simulation, make_strategy

FORMAT = 1
"""Of the records; a number more makes all of them anew."""
KEY_LENGTH = 24


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
            "space": self.space.document(),
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
        usual = make_for_simulation(self.strategy.name, set_size=self.strategy.set_size).options()
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
        space=build_space(document["space"]),
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


WITHOUT_RULES = "-without-rules"


@dataclass(frozen=True)
class Asker:
    """A strategy by its name, with options of its own."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


class Trial(NamedTuple):
    """One person in one setting."""

    setting: Setting
    person: int


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Settings that belong together; no two of them are the same."""

    name: str
    settings: tuple[Setting, ...]
    people: int = 20

    def __post_init__(self) -> None:
        if self.people < 1:
            raise OptionError(f"{self.people} people cannot be asked; give 1 or more")
        if not self.settings:
            raise OptionError("there is nothing to run; give at least one catalogue and one strategy")
        seen: set[str] = set()
        for setting in self.settings:
            if setting.key in seen:
                raise OptionError(f"{setting.title} stands there twice; remove one")
            seen.add(setting.key)

    def __len__(self) -> int:
        """How many trials there are."""
        return self.people * len(self.settings)

    def trials(self) -> Iterator[Trial]:
        """Person by person, so that a part of it compares the same people in every setting."""
        for number in range(1, self.people + 1):
            for setting in self.settings:
                yield Trial(setting, number)

    def document(self) -> dict[str, Any]:
        """As plain data, for people to read beside the records."""
        return {
            "experiment": self.name,
            "people": self.people,
            "settings": [_document(setting) for setting in self.settings],
        }


def _document(setting: Setting) -> dict[str, Any]:
    return {
        "key": setting.key,
        "catalogue": setting.space.name,
        "fingerprint": setting.space.fingerprint,
        "strategy": {"name": setting.strategy.name, **setting.strategy.options()},
        "weights": setting.weights,
        "quantities": setting.quantities,
        "response": setting.response.model,
        "wrong": setting.response.wrong,
        "how": setting.how,
        "questions": setting.questions,
        "seed": setting.seed,
    }


def make_grid(
    *,
    name: str = "comparison",
    catalogue: Sequence[str | Space],
    strategy: Sequence[str | Asker],
    set_size: Sequence[int] = (2,),
    weights: Sequence[str] = ("uniform",),
    quantities: bool = False,
    rules: bool = True,
    response: Sequence[str] = ("proportional",),
    wrong: Sequence[float] = (0.0,),
    how: Sequence[str] = ("pairs",),
    questions: int = 30,
    people: int = 20,
    seed: int = 0,
) -> Experiment:
    """Everything with everything: one setting for each combination of what is given; settings refuse unknown words."""
    askers = [Asker(each) if isinstance(each, str) else each for each in strategy]
    spaces = [_space(source, rules=rules) for source in catalogue]
    settings = tuple(
        Setting(
            space=space,
            strategy=make_for_simulation(asker.name, set_size=size, **asker.options),
            weights=cast(Weights, kind),
            quantities=quantities,
            response=Response(model=cast(Model, model), wrong=rate),
            how=cast(How, way),
            questions=questions,
            seed=seed,
        )
        for space, kind, model, rate, way, asker, size in product(
            spaces, weights, response, wrong, how, askers, set_size
        )
    )
    return Experiment(name=name, settings=settings, people=people)


def _space(source: str | Space, *, rules: bool) -> Space:
    """The space behind its source, where something can be built of it."""
    space = source if isinstance(source, Space) else load(source)
    space = space if rules or not space.rules else without_rules(space)
    try:
        oracle_for(space)
    except InfeasibleSpace as error:
        raise InfeasibleSpace(
            f"{source if isinstance(source, str) else space.name}: {error}", conflict=error.conflict
        ) from None
    return space


def without_rules(space: Space) -> Space:
    """The same space where everything can be combined, under a name that says so."""
    document = {key: body for key, body in space.document().items() if key != "rules"}
    return build_space({**document, "catalogue": f"{space.name}{WITHOUT_RULES}"})


def joined(name: str, parts: Sequence[Experiment]) -> Experiment:
    """Several grids as one experiment; all of them have the same people."""
    settings = tuple(setting for part in parts for setting in part.settings)
    return replace(parts[0], name=name, settings=settings)
