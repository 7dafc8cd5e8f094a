"""A grid of settings, each with the same number of people: an experiment.

grid = make_grid(catalogue=["synthetic:3"], strategy=["bayes", "setmargin"], weights=["uniform", "normal"], people=5)
for step in run_experiment(grid, "results", jobs=2): ...
read_records("results")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple, cast

from setmargin.errors import InfeasibleSpace, OptionError
from setmargin.experiments.people import How, Model, Response, Weights
from setmargin.experiments.setting import Setting, make_tireless
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.document import build, to_document
from setmargin.space.space import Space

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
            strategy=make_tireless(asker.name, set_size=size, **asker.options),
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
    document = {key: body for key, body in to_document(space).items() if key != "rules"}
    return build({**document, "catalogue": f"{space.name}{WITHOUT_RULES}"})


def joined(name: str, parts: Sequence[Experiment]) -> Experiment:
    """Several grids as one experiment; all of them have the same people."""
    settings = tuple(setting for part in parts for setting in part.settings)
    return replace(parts[0], name=name, settings=settings)
