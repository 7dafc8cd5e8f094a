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
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple, cast

import numpy as np

from setmargin.answers import How
from setmargin.arrays import Floats
from setmargin.errors import ExperimentError, InfeasibleSpace, OptionError, SetmarginError
from setmargin.experiments.families import Weights
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import AS_IN_THE_PAPER, TALK_RATES, Model, Response
from setmargin.experiments.trial import Record, check_trial, run_trial
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.space import Space, build_space
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import make_for_simulation, restore_strategy

WITHOUT_RULES = "-without-rules"
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
    weights: str = "uniform"
    quantities: bool = False
    response: Response = AS_IN_THE_PAPER
    how: How = "pairs"
    questions: int = 30
    seed: int = 0
    given: tuple[Floats, ...] = ()
    """The weights of people that are not drawn but given, as by a file; then `weights` says where they are from."""

    def __post_init__(self) -> None:
        check_trial(questions=self.questions, how=self.how)
        self.person(1)

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
            # Under their first names, and without what was added since, where that is not used: so what was run before
            # need not be run again.
            "options": {older.get(name, name): value for name, value in options.items()},
            "weights": self.weights,
            "quantities": self.quantities,
            "response": {name: value for name, value in asdict(self.response).items() if value or name not in talk},
            "how": self.how,
            "questions": self.questions,
            "seed": self.seed,
        }
        if self.given:
            document["given"] = [weights.tolist() for weights in self.given]
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))

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
        return ", ".join(f"{name}={_shown(value)}" for name, value in own if value != usual.get(name))

    @cached_property
    def label(self) -> str:
        """The strategy, its set size, and what is unusual about it."""
        more = f", {self.unusual_options}" if self.unusual_options else ""
        return f"{self.strategy.name} (k = {self.strategy.set_size}{more})"

    @cached_property
    def title(self) -> str:
        """The same, with the space and the people before it."""
        return f"{self.space.name}, {self.weights}: {self.label}"

    def document(self) -> dict[str, Any]:
        """As plain data, for people to read beside the records."""
        return {
            "key": self.key,
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
            weights=cast(Weights, self.weights),
            quantities=self.quantities,
            response=self.response,
            seed=self.seed,
        )
        return next(drawn)

    def run(self, number: int) -> list[Record]:
        """Interview the person of that number; ExperimentError says which trial failed, and why."""
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
        strategy=restore_strategy(document["strategy"], **document["options"]),
        weights=document["weights"],
        quantities=document["quantities"],
        response=Response(**document["response"]),
        how=document["how"],
        questions=document["questions"],
        seed=document["seed"],
        given=tuple(np.array(weights) for weights in document.get("given", ())),
    )


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
            "settings": [setting.document() for setting in self.settings],
        }


def make_grid(
    *,
    name: str = "comparison",
    catalogue: Sequence[str | Space],
    strategy: Sequence[str | Mapping[str, Any]],
    set_size: Sequence[int] = (),
    weights: Sequence[str] = ("uniform",),
    quantities: bool = False,
    rules: bool = True,
    response: Sequence[str] = ("proportional",),
    wrong: Sequence[float] = (0.0,),
    reasons: Sequence[float] = (0.0,),
    changes: Sequence[float] = (0.0,),
    careless: Sequence[float] = (0.0,),
    how: Sequence[str] = (),
    questions: int = 30,
    people: int = 20,
    seed: int = 0,
) -> Experiment:
    """Combine everything with everything: one setting for each combination of what is given.

    Parameters:
        catalogue: shipped names, files, `synthetic:R`, or spaces.
        strategy: names, or mappings with the options beside the name: `{"name": "bayes", "differences": 3}`. They ask
            all the questions, as simulations want it, unless their options say otherwise.
        set_size: 2 where nothing is said; where people give reasons or changes, what the strategy then uses.
        reasons, changes, careless: how often a choice comes with a reason, a question for a change is answered, and
            either is drawn at random.
        how: `pairs` where nothing is said; where people give reasons or changes, a `choice`.
        rules: False allows everything to be combined.
        people: how many each setting gets; they are the same in all settings with the same space and seed.

    Raises:
        OptionError: if a word is not known, a number makes no sense, or two settings are the same.
        InfeasibleSpace: if nothing can be built of a catalogue.

    >>> from setmargin.experiments import make_grid
    >>> grid = make_grid(catalogue=["synthetic:3"], strategy=["bayes", "random"], set_size=[2, 3], people=5)
    >>> (len(grid.settings), len(grid))
    (4, 20)
    """
    named = [{"name": each} if isinstance(each, str) else each for each in strategy]
    spaces = [_space(source, rules=rules) for source in catalogue]
    rates = product(response, wrong, reasons, changes, careless)
    responses = [
        Response(model=cast(Model, model), wrong=mistakes, reasons=why, changes=other, careless=random)
        for model, mistakes, why, other, random in rates
    ]
    check_careless(responses)
    settings = tuple(
        Setting(
            space=space,
            strategy=make_for_simulation(**{**options, **size}, talking=answering.talks),
            weights=kind,
            quantities=quantities,
            response=answering,
            how=cast(How, way),
            questions=questions,
            seed=seed,
        )
        for space, kind, answering in product(spaces, weights, responses)
        for way, options, size in product(how or (usual_how(answering),), named, _sizes(set_size, answering))
    )
    return Experiment(name=name, settings=settings, people=people)


def usual_how(response: Response) -> How:
    """How people answer where nothing is said: reasons go with choices, not with pairs."""
    return "choice" if response.talks else "pairs"


def _sizes(given: Sequence[int], response: Response) -> list[dict[str, int]]:
    """The set sizes as options; none where the strategy knows best what people can answer."""
    return [{"set_size": size} for size in given] or [{} if response.talks else {"set_size": 2}]


def check_careless(responses: Sequence[Response]) -> None:
    """Refuse people who are careless in giving reasons and changes, but never give any."""
    careless = max((response.careless for response in responses), default=0.0)
    if careless and not any(response.talks for response in responses):
        raise OptionError(f"careless is {careless}, but nobody gives reasons or changes; give reasons 1 as well")


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
