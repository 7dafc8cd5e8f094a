"""A grid of settings, each with the same number of people: an experiment.

grid = make_grid(catalogue=["synthetic:3"], strategy=["bayes", "setmargin"], weights=["uniform", "normal"], people=5)
for step in run_experiment(grid, "results", jobs=2): ...
read_records("results")
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple, cast

from setmargin.answers import How
from setmargin.arrays import Floats
from setmargin.errors import InfeasibleSpace, OptionError
from setmargin.experiments.families import WITHOUT_ORDER
from setmargin.experiments.people import check_family
from setmargin.experiments.people_file import read_people
from setmargin.experiments.responses import Response
from setmargin.experiments.segments import USUAL
from setmargin.experiments.setting import Setting
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.space import Space, build_space
from setmargin.strategies.base import Strategy
from setmargin.strategies.bayes.learnt.named import prior_of_catalogue
from setmargin.strategies.bayes.learnt.prior import LearntPrior
from setmargin.strategies.registry import make_for_simulation, takes_learnt_prior

WITHOUT_RULES = "-without-rules"


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
    people: int | str | os.PathLike[str] = 20,
    seed: int = 0,
    no_order: Sequence[float] = (0.0,),
    population: Sequence[str] = (USUAL,),
    earlier: Sequence[int] = (0,),
    earlier_population: str = "",
) -> Experiment:
    """Combine everything with everything: one setting for each combination of what is given.

    Parameters:
        catalogue: shipped names, files, `synthetic:R`, or spaces. Where a file names a prior, `bayes` starts from it.
        strategy: names, or mappings with the options beside the name: `{"name": "bayes", "differences": 3}`. They ask
            all the questions, as simulations want it, unless their options say otherwise.
        set_size: 2 where nothing is said; where people give reasons or changes, what the strategy then uses.
        reasons: how often a choice comes with a reason.
        changes: how often a question for a change is answered.
        careless: how often either is drawn at random.
        how: `pairs` where nothing is said; where people give reasons or changes, a `choice`.
        rules: False allows everything to be combined.
        people: how many each setting gets; they are the same in all settings with the same space and seed. Or a CSV
            file of their weights, as `read_people` takes it.
        weights: as in `draw_people`, and so are `no_order` and `population`.
        earlier: how many people of the same population were interviewed before, by the same strategy and for at most
            12 questions. A strategy that learns from others begins with what it learnt from them; others do not change.
        earlier_population: where those are from instead, such as `segments:5/2`.

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
    priors = [_prior(source, space) for source, space in zip(catalogue, spaces, strict=True)]
    rates = product(response, wrong, reasons, changes, careless)
    responses = [
        Response(model=model, wrong=mistakes, reasons=why, changes=other, careless=random)
        for model, mistakes, why, other, random in rates
    ]
    check_careless(responses)
    given = [_given(people, space, weights, no_order, population, earlier, quantities) for space in spaces]
    if given[0]:
        weights = [os.path.basename(os.fsdecode(cast(str, people)))]
    people_of = [
        (kind, whole, share)
        for kind, whole in product(weights, population)
        for share in (no_order if kind in WITHOUT_ORDER else (0.0,))
    ]

    def asked(prior: LearntPrior | None) -> list[tuple[Strategy[Any], Response, How]]:
        return [
            (_asking({**options, **size}, prior, talking=answering.talks), answering, cast(How, way))
            for answering in responses
            for way, options, size in product(how or (usual_how(answering),), named, _sizes(set_size, answering))
        ]

    asked_in = [(space, own, asked(prior)) for space, own, prior in zip(spaces, given, priors, strict=True)]
    asking_at_all = [asking for _, _, each in asked_in for asking, _, _ in each]
    if not given[0]:
        _check_others(weights, no_order, asking_at_all, earlier, earlier_population)
    settings = tuple(
        Setting(
            space=space,
            strategy=asking,
            weights=kind,
            quantities=quantities,
            response=answering,
            how=way,
            questions=questions,
            seed=seed,
            no_order=share,
            population=whole,
            earlier=before,
            earlier_population=earlier_population if before else "",
            given=own,
        )
        for (space, own, asked_here), (kind, whole, share) in product(asked_in, people_of)
        for asking, answering, way in asked_here
        for before in (earlier if asking.learns_from_others else (0,))
    )
    return Experiment(name=name, settings=settings, people=len(given[0]) or cast(int, people))


def _given(
    people: int | str | os.PathLike[str],
    space: Space,
    weights: Sequence[str],
    no_order: Sequence[float],
    population: Sequence[str],
    earlier: Sequence[int],
    quantities: bool,
) -> tuple[Floats, ...]:
    """The weights of people of a file, nobody's where they are drawn; what says how to draw them is refused then."""
    if isinstance(people, int):
        return ()
    unlike = {
        "weights": tuple(weights) != ("uniform",),
        "quantities": quantities,
        "no_order": any(no_order),
        "population": tuple(population) != (USUAL,),
        "earlier": any(earlier),
    }
    for word, said in unlike.items():
        if said:
            raise OptionError(f"{word} is for drawn people, but {people} says what its people value; leave it out")
    return tuple(person.weights for person in read_people(people, space))


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


def _check_others(
    weights: Sequence[str],
    no_order: Sequence[float],
    asking: Sequence[Strategy[Any]],
    earlier: Sequence[int],
    earlier_population: str,
) -> None:
    """Refuse what would say nothing in any setting; what it says nothing about in some is left out there."""
    if not any(kind in WITHOUT_ORDER for kind in weights):
        check_family(weights[0], no_order=max(no_order))
    if earlier_population and not any(earlier):
        raise OptionError(f"nobody of {earlier_population} was asked before; say how many with earlier")
    if any(earlier) and not any(each.learns_from_others for each in asking):
        names = " and ".join(dict.fromkeys(each.name for each in asking))
        raise OptionError(f"{names} does not learn from {max(earlier)} earlier people; leave earlier out")


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


def _prior(source: str | Space, space: Space) -> LearntPrior | None:
    return None if isinstance(source, Space) else prior_of_catalogue(source, space)


def _asking(options: Mapping[str, Any], prior: LearntPrior | None, *, talking: bool) -> Strategy[Any]:
    """The strategy; where it can start from a prior, and its options do not say which, from that of the catalogue."""
    usual = {} if prior is None or not takes_learnt_prior(options["name"]) else {"prior": prior}
    return make_for_simulation(**{**usual, **options}, talking=talking)


def without_rules(space: Space) -> Space:
    """The same space where everything can be combined, under a name that says so."""
    document = {key: body for key, body in space.document().items() if key != "rules"}
    return build_space({**document, "catalogue": f"{space.name}{WITHOUT_RULES}"})


def joined(name: str, parts: Sequence[Experiment]) -> Experiment:
    """Several grids as one experiment; all of them have the same people."""
    settings = tuple(setting for part in parts for setting in part.settings)
    return replace(parts[0], name=name, settings=settings)
