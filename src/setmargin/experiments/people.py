"""Simulated people: weights that are known, and answers drawn from them.

    for person in draw_people(load("pc"), 20, weights="sparse-uniform", seed=0):
        noise, talk = person.noise(), person.talk()
        person.answer(question, "choice", noise, talk)
        person.loss(recommendation.configuration)

Person i of a seed is the same however many are drawn, and has four streams of random numbers of its own: for its
weights, for its answers, for the strategy that asks it, and for the reasons and changes that go with its answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from setmargin.answers import (
    Answer,
    Change,
    Choice,
    How,
    NoDifference,
    Outcome,
    Question,
    Ranking,
    Skip,
    all_pairs,
    by_sorting,
)
from setmargin.arrays import Floats
from setmargin.errors import OptionError, PeopleError
from setmargin.experiments.families import (
    SHIPPED_FAMILIES,
    WITHOUT_ORDER,
    Sparsity,
    draw_weights,
    family_names,
    usual_sparsity,
)
from setmargin.experiments.responses import AS_IN_THE_PAPER, Response, check_known, check_one_of
from setmargin.experiments.segments import USUAL, read_population
from setmargin.experiments.streams import (
    NOISE_STREAM,
    ORDER_STREAM,
    STRATEGY_STREAM,
    TALK_STREAM,
    WEIGHTS_STREAM,
    check_seed,
    stream,
)
from setmargin.html import bars, heading
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Configuration, Space
from setmargin.space.text import LARGEST_NUMBER
from setmargin.strategies.shared.changes import gains_of
from setmargin.strategies.shared.reasons import contributions_of

Said = TypeVar("Said")

# Utilities this close, as a share of the person's largest weight, differ by rounding only.
ROUNDING = 1e-9
MOST_SHOWN = 10
"""Weights of a person that a notebook shows."""
OUTCOMES = (Outcome.FIRST, Outcome.SECOND, Outcome.EQUAL)


# People


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Person:
    """Who answers: known weights over the features of a space. `number` counts from 1; `kind` says where from."""

    space: Space
    weights: Floats = field(repr=False)
    response: Response = AS_IN_THE_PAPER
    number: int = 1
    seed: int = 0
    kind: str = "given"

    def __post_init__(self) -> None:
        names = self.space.feature_names
        if np.shape(self.weights) != (len(names),):
            raise PeopleError(f"weights of shape {np.shape(self.weights)} do not fit {len(names)} features")
        for name, weight in zip(names, self.weights, strict=True):
            if not 0 <= weight <= LARGEST_NUMBER:
                raise PeopleError(f"the weight of {name} is {weight}; give a number from 0 to 1e12")
        if self.number < 1:
            raise PeopleError(f"the person's number is {self.number}; count from 1")

    def __repr__(self) -> str:
        return f"<Person {self.number} ({self.kind}, seed {self.seed}) on {self.space.name}, {self.response.model}>"

    def _repr_html_(self) -> str:
        """In a notebook: what this person values most."""
        total = float(self.weights.sum()) or 1.0
        most = np.argsort(-self.weights, kind="stable")[:MOST_SHOWN]
        shares = {self.space.feature_names[each]: float(self.weights[each]) / total for each in most}
        return heading(repr(self)[1:-1], more=f"the largest {len(shares)} weights, as shares of all") + bars(shares)

    def noise(self) -> np.random.Generator:
        """This person's random numbers for answers, from their start."""
        return stream(self.seed, self.number, NOISE_STREAM)

    def talk(self) -> np.random.Generator:
        """This person's random numbers for reasons and changes, from their start."""
        return stream(self.seed, self.number, TALK_STREAM)

    @cached_property
    def strategy_seed(self) -> int:
        """A seed for the strategy that asks this person: different people are asked by different dice."""
        return int(stream(self.seed, self.number, STRATEGY_STREAM).integers(2**31))

    # What they value

    def utilities(self, options: Sequence[Configuration]) -> Floats:
        """How much each option is worth to this person."""
        rows = np.stack([self.space.encode(option) for option in options])
        worth: Floats = rows @ self.weights
        return worth

    @cached_property
    def best_utility(self) -> float:
        """The most that any configuration that can be built is worth to this person."""
        return float(self.utilities([oracle_for(self.space).best(self.weights)])[0])

    @cached_property
    def rounding(self) -> float:
        """Differences of utility up to this are none."""
        return ROUNDING * float(self.weights.max())

    def loss(self, configuration: Configuration) -> float:
        """How much less the configuration is worth than the best one; exactly 0 for any of the best."""
        loss = self.best_utility - float(self.utilities([configuration])[0])
        return loss if loss > self.rounding else 0.0

    def relative_loss(self, configuration: Configuration) -> float:
        """The loss as a share of the best utility; 0 for a person to whom everything is worth nothing."""
        loss = self.loss(configuration)
        return loss / self.best_utility if loss else 0.0

    # What they say

    def answer(
        self, question: Question, how: How, rng: np.random.Generator, talk: np.random.Generator | None = None
    ) -> Answer:
        """Answer by comparing all `pairs` or as few as it takes to `sort`, by a `choice`, or by a `ranking`.

        Of two options every way gives the answer of a pair, which may be that there is no difference. Choices and
        rankings may come with a reason, and give way to a change where one is asked for; who does not answer a question
        for a change of a single option skips it. Reasons and changes take their random numbers from `talk`, if it is
        given, so that the choices do not depend on them.
        """
        check_one_of(how, How, "the way of answering")
        talk = rng if talk is None else talk
        if not question.is_comparison:
            return self._change(question, 0, talk) if _happens(self.response.changes, talk) else Skip()
        said = self._compared(question, how, rng)
        match said:
            case Choice(best) | Ranking((best, *_)):
                return self._with_more(question, best, said, talk)
        return said

    def _compared(self, question: Question, how: How, rng: np.random.Generator) -> Answer:
        utilities = self.utilities(question.options)
        size = len(utilities)

        def compare(first: int, second: int) -> Outcome:
            return self._compare(float(utilities[first] - utilities[second]), rng)

        match how:
            case "pairs":
                return all_pairs(size, compare)
            case "sort":
                return by_sorting(size, compare)
            case "choice":
                return _choice_of_two(compare) if size == 2 else self._choose(utilities, rng)
            case "ranking":
                return _ranking_of_two(compare) if size == 2 else self._rank(utilities, rng)

    def _with_more(self, question: Question, best: int, said: Choice | Ranking, rng: np.random.Generator) -> Answer:
        if question.asks_for_change and _happens(self.response.changes, rng):
            return self._change(question, best, rng)
        if _happens(self.response.reasons, rng):
            return replace(said, because=(self._reason(question, best, rng),))
        return said

    def _reason(self, question: Question, best: int, rng: np.random.Generator) -> str:
        things, contributions = contributions_of(self.space, self.weights, question, best)
        return things[self._named(contributions, rng)]

    def _change(self, question: Question, option: int, rng: np.random.Generator) -> Change:
        alone = Question((question.options[option],), besides=question.besides)
        changes, gains = gains_of(self.space, self.weights, alone)
        # Backwards, so that nothing comes first: who makes no mistakes does not change what gains nothing.
        return replace(changes[::-1][self._named(gains[::-1], rng)], option=option)

    def _named(self, worth: Floats, rng: np.random.Generator) -> int:
        """Which of several things is named, given what each is worth."""
        if _happens(self.response.careless, rng):
            return int(rng.integers(len(worth)))
        return _draw(self.response.of_choice(worth, rounding=self.rounding), rng)

    def _compare(self, difference: float, rng: np.random.Generator) -> Outcome:
        chances = self.response.of_pair(difference, rounding=self.rounding)
        said = OUTCOMES[_draw(chances, rng)]
        if self._is_wrong(rng):
            return _other((Outcome.FIRST, Outcome.SECOND), said, rng)
        return said

    def _choose(self, utilities: Floats, rng: np.random.Generator) -> Answer:
        said: Answer = NoDifference()
        if not self._all_equal(utilities):
            said = Choice(_draw(self.response.of_choice(utilities, rounding=self.rounding), rng))
        if self._is_wrong(rng):
            return _other([Choice(option) for option in range(len(utilities))], said, rng)
        return said

    def _rank(self, utilities: Floats, rng: np.random.Generator) -> Answer:
        said: Answer = NoDifference()
        if not self._all_equal(utilities):
            said = Ranking(tuple(self._order(utilities, rng)))
        if self._is_wrong(rng):
            return _other_ranking(len(utilities), said, rng)
        return said

    def _order(self, utilities: Floats, rng: np.random.Generator) -> Iterator[int]:
        left = list(range(len(utilities)))
        while left:
            chances = self.response.of_choice(utilities[left], rounding=self.rounding)
            yield left.pop(_draw(chances, rng))

    def _all_equal(self, utilities: Floats) -> bool:
        """Whether there is nothing to tell apart for somebody who makes no mistakes."""
        return not self.response.makes_mistakes and float(np.ptp(utilities)) <= self.rounding

    def _is_wrong(self, rng: np.random.Generator) -> bool:
        return _happens(self.response.wrong, rng)


def _happens(rate: float, rng: np.random.Generator) -> bool:
    """What never happens takes no random number."""
    return rate > 0 and bool(rng.random() < rate)


def _choice_of_two(compare: Callable[[int, int], Outcome]) -> Answer:
    outcome = compare(0, 1)
    return NoDifference() if outcome is Outcome.EQUAL else Choice(OUTCOMES.index(outcome))


def _ranking_of_two(compare: Callable[[int, int], Outcome]) -> Answer:
    said = _choice_of_two(compare)
    return Ranking((said.option, 1 - said.option)) if isinstance(said, Choice) else said


def _draw(chances: Floats, rng: np.random.Generator) -> int:
    return int(rng.choice(len(chances), p=chances))


def _other(possible: Sequence[Said], said: object, rng: np.random.Generator) -> Said:
    others = [each for each in possible if each != said]
    return others[int(rng.integers(len(others)))]


def _other_ranking(size: int, said: Answer, rng: np.random.Generator) -> Ranking:
    """Any order but the one that was said; drawn until it is another one, as there are size! of them."""
    while True:
        drawn = Ranking(tuple(rng.permutation(size).tolist()))
        if drawn != said:
            return drawn


# People that are drawn


def draw_people(
    space: Space,
    count: int,
    *,
    first: int = 1,
    weights: str = "uniform",
    sparsity: Sparsity | None = None,
    quantities: bool = False,
    no_order: float = 0.0,
    population: str = USUAL,
    response: Response = AS_IN_THE_PAPER,
    seed: int = 0,
) -> Iterator[Person]:
    """Draw simulated people, one by one, as in the paper or with an order and in segments.

    Person i of a seed is the same however many are drawn.

    Parameters:
        space: what they are asked about.
        count: how many people, from number `first` on.
        weights: the family. The paper's: `uniform`, each weight from U[1, 100]; `normal`, each from N(25, 25/3), a
            negative one set to 0; or `sparse-uniform` and `sparse-normal`, the same with about 80% of them set to 0;
            they follow no direction. `ordered` people do: with an importance from U[1, 100], utilities rise with the
            values of an attribute that says what is better, by steps of any size, or rise to one value and fall behind
            it where it says `peak`; the other attributes are as in `uniform`. To `ordered-sparse` people two things in
            five matter, and the others nothing. Or the name of a family that another package brings along.
        sparsity: which ones. `overall` zeroes ⌊0.8 n⌋ of all n weights, as in the paper's synthetic runs, so some
            attributes do not matter at all; `by-attribute` keeps max(1, ⌊0.2 v⌋) of the v values of each attribute, as
            in its PC runs. By default it is `overall` where all attributes have the same number of values.
        quantities: whether people care about quantities, such as the price: then these weights are drawn like the
            others (and a quantity counts as an attribute with one value). Otherwise they are 0, as in the paper's runs.
        no_order: the share of `ordered` people who follow no direction: they are drawn as `uniform`, of
            `ordered-sparse` ones as `sparse-uniform`, and are of no segment.
        population: `usual`, nobody is like anybody else; or `segments:5`, everybody is of one of five segments, whose
            weights are drawn from the family once for each seed. `segments:5/2` are another five.
        response: how utilities become answers.

    Raises:
        OptionError, PeopleError: if a word is not known, or a number makes no sense.

    >>> from setmargin import load
    >>> from setmargin.experiments import draw_people
    >>> [person.number for person in draw_people(load("bicycle"), 3, weights="sparse-normal", quantities=True)]
    [1, 2, 3]
    """
    check_seed(seed)
    if count < 1:
        raise PeopleError(f"{count} people cannot be drawn; give 1 or more")
    check_family(weights, sparsity=sparsity, no_order=no_order)
    if weights in WITHOUT_ORDER and not any(attribute.better for attribute in space.attributes):
        raise PeopleError(
            f"no attribute of {space.name} says what is better, so its people cannot be {weights}; "
            f"write better: higher, lower or peak for one, or draw {WITHOUT_ORDER[weights]} people"
        )
    segments = read_population(population)
    scheme = sparsity or usual_sparsity(space)

    def weights_of(number: int) -> Floats:
        unlike = _happens(no_order, stream(seed, number, ORDER_STREAM))
        family = WITHOUT_ORDER[weights] if unlike else weights
        draw = partial(_draw_with, space, family, scheme, quantities)
        if segments and not unlike:
            return segments.weights(space, number, seed, draw)
        return draw(stream(seed, number, WEIGHTS_STREAM))

    return (
        Person(space=space, weights=weights_of(number), response=response, number=number, seed=seed, kind=weights)
        for number in range(first, first + count)
    )


def _draw_with(space: Space, family: str, scheme: Sparsity, quantities: bool, rng: np.random.Generator) -> Floats:
    return draw_weights(space, family, sparsity=scheme, quantities=quantities, rng=rng)


def check_family(weights: str, *, sparsity: str | None = None, no_order: float = 0.0) -> None:
    """Refuse a family that is not known, and what does not fit it."""
    if weights not in SHIPPED_FAMILIES:
        check_known(weights, family_names(), "the distribution of weights")
    if sparsity is not None:
        check_one_of(sparsity, Sparsity, "the sparsity")
        if not weights.startswith("sparse-"):
            cure = "leave it out" if weights in WITHOUT_ORDER else f"give sparse-{weights}"
            raise OptionError(f"sparsity {sparsity} does not fit weights {weights}; {cure}")
    if not 0 <= no_order <= 1:
        raise OptionError(f"the share of people without an order is {no_order}; give a number from 0 to 1")
    if no_order and weights not in WITHOUT_ORDER:
        raise OptionError(
            f"people with weights {weights} follow no order anyway; leave no-order out, or give weights ordered"
        )
