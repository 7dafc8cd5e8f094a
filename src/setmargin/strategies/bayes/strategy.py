"""The strategy that asks few questions: it believes in probabilities, and asks what is worth most to know."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from typing import Any, ClassVar, Self

import numpy as np

from setmargin.answers import Answer, Change, Choice, Question, Ranking, Skip
from setmargin.arrays import Floats, Ints
from setmargin.errors import TooFewPeople
from setmargin.space.space import Space
from setmargin.space.text import Value
from setmargin.strategies.base import LARGEST_SET, Belief, History, Influence, Recommendation, Share, Stakes, Strategy
from setmargin.strategies.bayes.learnt.document import load_prior
from setmargin.strategies.bayes.learnt.prior import LEAST_PEOPLE, LearntPrior
from setmargin.strategies.bayes.picks import statements_in
from setmargin.strategies.bayes.prior import ORDINARY, Prior, Shape, shape_of
from setmargin.strategies.bayes.questions import Situation, Talk, find_question, find_screen
from setmargin.strategies.bayes.sampler import Population, first_population, learnt
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.bayes.stakes import COMPARISONS, CONVERSATION, Pace, importance_of, influence_of, stakes_of
from setmargin.strategies.bayes.values import Search
from setmargin.strategies.options import no_option, option, whole
from setmargin.strategies.shared.changes import column_of, possible_values
from setmargin.strategies.shared.configurations import asked_sets
from setmargin.strategies.shared.evidence import choice_chances

USUAL = Prior()
POLICIES = ("conversation", "comparisons")
FEWER = 2 / 3
"""The share of samples that a conversation needs: answers that say more leave less to chance."""
LEAST_SAMPLES = 192
WEIGHTS_KEPT = 160_000
"""People times features that a belief keeps at most, but for LEAST_SAMPLES: it must fit into a small record."""
RARELY = 0.3
"""Reasons that come less often than this are not counted on."""
NO_VALUE = 1e-5
"""A question that promises less than this is not worth a person's time."""


@dataclass(frozen=True, repr=False)
class BayesBelief(Belief):
    """The answers, and a sample of people who would have given them: a deterministic fold, so no part of identity."""

    population: Population = field(kw_only=True, compare=False, repr=False)
    trail: tuple[float, ...] = field(default=(), kw_only=True, compare=False)
    """The expected loss at the start and after each answer, as it would be under the must-haves of the last answer."""
    loss: float | None = field(default=None, kw_only=True, compare=False)
    """The expected loss now, where must-haves changed since the last answer."""

    @property
    def trail_now(self) -> tuple[float, ...]:
        """The trail as it would be under the must-haves of now: what they take off the loss is no pace of answers.

        However many must-haves were added or taken back since the last answer, only those in force now count.
        """
        if self.loss is None or not self.trail[-1] > 0:
            return self.trail
        return tuple(self.loss / self.trail[-1] * each for each in self.trail)

    @cached_property
    def samples(self) -> Samples:
        """The people seen through the space as it is now restricted."""
        return Samples.of(self.oracle, self.population)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "samples"}


def _hints(hints: Mapping[str, float] | None) -> dict[str, float]:
    read = {name: float(chance) for name, chance in (hints or {}).items()}
    USUAL.hinted(read)  # refuses what is no probability
    return read


def _prior(prior: Any) -> Prior:
    """From what users give: a file or its content, or what was learnt; None is the usual prior."""
    if prior is None or isinstance(prior, Prior):
        return prior or USUAL
    if isinstance(prior, str | os.PathLike):
        prior = load_prior(prior)
    elif isinstance(prior, Mapping):
        prior = LearntPrior.from_document(prior)
    if not isinstance(prior, LearntPrior):
        raise TypeError("this is no prior")
    return replace(USUAL, earlier=prior)


def _prior_document(prior: Prior) -> dict[str, Any] | None:
    return None if prior.earlier is None else prior.earlier.document()


@dataclass(frozen=True, kw_only=True)
class Bayes(Strategy[BayesBelief]):
    """Asks the question that is worth most, and stops when less than `until` is expected to be lost.

    Parameters
    ----------
    set_size : int
        How many options a question has at most, 2 to 6.
    policy : str
        In a `conversation` each screen is what is worth most for a person's effort: a comparison of two to `set_size`
        options, followed by the reason or by what to change about the best one, or a change of the best so far alone.
        With `comparisons` each screen shows `set_size` options.
    until : float
        The expected loss to stop at, as a share of the best utility, from 0 (ask on to the very end) to below 1.
    differences : int, optional
        In how many things, attributes and quantities, the options of a question differ where that is possible, and
        never in more unless all do; any number where nothing is said.
    hints : mapping of str to float
        How likely an attribute or a quantity matters to people, by name, where the catalogue's owner knows.
    ordinary : float
        The share of people, from 0 to below 1, who are like those in studies: they care a little about nearly
        everything, and follow the directions that a catalogue names. All others care about few things or values.
    samples : int
        How many possible people the belief consists of.
    prior : LearntPrior, path or mapping, optional
        What earlier people were like: from `learn_population`, or the file of `setmargin learn`, or what it holds.
        Saved interviews keep all of it. A `Prior` says what the usual people are like instead; files do not keep that.
    search
        How much is tried for a question; files do not keep it.

    Raises
    ------
    OptionError
        Where one of them has an impossible value.
    LearningError
        Where the prior cannot be read, or, at the start of an interview, has nothing in common with the space.

    Examples
    --------
    >>> strategy = Bayes(until=0.01, differences=3)
    >>> Interview("synthetic:3", strategy)
    <Interview on synthetic:3 by bayes: 0 answers>
    >>> Bayes(until="3%")
    Traceback (most recent call last):
    setmargin.errors.OptionError: until is '3%'; give the expected loss to stop at, from 0 to below 1
    """

    name = "bayes"
    until_means = "expected loss"
    when_simulated: ClassVar[Mapping[str, Any]] = {"until": 0.0, "set_size": 2, "policy": "comparisons"}
    when_studied: ClassVar[Mapping[str, Any]] = {"ordinary": 0.9, "samples": 1000}
    when_simulated_talking: ClassVar[Mapping[str, Any]] = {"set_size": 4, "policy": "conversation"}
    added_options: ClassVar[Mapping[str, Any]] = {"policy": "comparisons", "prior": None}
    renamed_options: ClassVar[Mapping[str, str]] = {"people": "samples"}
    learns_from_others: ClassVar[bool] = True
    takes_learnt_prior: ClassVar[bool] = True

    set_size: int = option(4, give="2 to 6 options at most", allowed=lambda size: 2 <= size <= LARGEST_SET)
    policy: str = option("conversation", choices=POLICIES, give="what may be asked")
    until: float = option(
        0.03, give="the expected loss to stop at, from 0 to below 1", allowed=lambda loss: 0 <= loss < 1
    )
    differences: int | None = option(
        None, read=whole, give="1 or more things that options may differ in", allowed=lambda number: number >= 1
    )
    hints: Mapping[str, float] = option(
        factory=dict, read=_hints, write=dict, give="how likely each attribute or quantity matters, by name"
    )
    ordinary: float = option(
        ORDINARY, give="the share of ordinary people, from 0 to below 1", allowed=lambda share: 0 <= share < 1
    )
    samples: int = option(384, give="2 or more", allowed=lambda samples: samples >= 2)
    prior: Prior | LearntPrior | str | os.PathLike[str] | Mapping[str, Any] | None = option(
        USUAL, read=_prior, write=_prior_document, give="a file that setmargin learn wrote, or what it holds"
    )
    search: Search = no_option(Search())

    @cached_property
    def _hinted_prior(self) -> Prior:
        prior = replace(_prior(self.prior), ordinary=self.ordinary)
        return prior.hinted(self.hints) if self.hints else prior

    def knowing(self, space: Space, earlier: Sequence[History]) -> Self:
        """The same strategy with the prior that follows from what these people answered.

        Where fewer than ten of them said something usable, it stays as it is; hints and the usual people always do.
        """
        from setmargin.strategies.bayes.learnt.fit import fit_prior

        if len(earlier) < LEAST_PEOPLE:
            return self
        try:
            found = fit_prior(space, histories=earlier)
        except TooFewPeople:
            return self
        return replace(self, prior=replace(_prior(self.prior), earlier=found))

    def notes(self, space: Space) -> tuple[str, ...]:
        """What is known about earlier people of another catalogue, or another version of it, and does not fit."""
        earlier = _prior(self.prior).earlier
        return earlier.notes(space) if earlier else ()

    # Beliefs

    def _start(self, space: Space, seed: int) -> BayesBelief:
        shape = self._shape(space)
        wanted = self.samples if self.policy == "comparisons" else max(2, round(FEWER * self.samples))
        size = min(wanted, max(LEAST_SAMPLES, WEIGHTS_KEPT // shape.features))
        population = first_population(shape, size, np.random.default_rng([seed, 0, 1]))
        return self._on_trail(BayesBelief(space, seed, population=population))

    def _learn(self, belief: BayesBelief, question: Question, answer: Answer) -> BayesBelief:
        """Everybody in the sample who would not have said that gives way to those who would."""
        possible = possible_values(belief.space)
        new = statements_in(belief.space, [(question, answer)], possible)
        if new.is_empty:
            return belief
        said = statements_in(belief.space, belief.history, possible)
        population = learnt(belief.population, self._shape(belief.space), said, new, belief.rng(purpose=1))
        return self._on_trail(replace(belief, population=population))

    def _restrict(self, before: BayesBelief, belief: BayesBelief) -> BayesBelief:  # noqa: ARG002
        """The same people in a smaller or larger space."""
        following = replace(belief, loss=float(belief.samples.losses(belief.samples.favourite).mean()))
        following.__dict__["samples"] = belief.samples
        return following

    def _on_trail(self, belief: BayesBelief) -> BayesBelief:
        loss = float(belief.samples.losses(belief.samples.favourite).mean())
        following = replace(belief, trail=(*belief.trail_now, loss) if belief.trail else (loss,), loss=None)
        following.__dict__["samples"] = belief.samples  # the same people; no need to look again
        return following

    def _shape(self, space: Space) -> Shape:
        return shape_of(self._hinted_prior, space)

    # Questions and recommendations

    def _ask(self, belief: BayesBelief) -> Question | None:
        samples, space = belief.samples, belief.space
        expected = float(samples.losses(samples.favourite).mean())
        if expected < self.until:
            return None
        now = Situation(
            samples=samples,
            asked=asked_sets(belief),
            passed=_passed(belief),
            differences=self.differences,
            reach=self._shape(belief.space).reach,
            search=self.search if self.policy == "comparisons" else self.search.talking,
            rng=belief.rng(purpose=2),
        )
        if self.policy == "comparisons":
            found = find_question(now, size=self.set_size)
        else:
            found = find_screen(now, self._talk(belief))
        if found is None or (self.until and found.value < NO_VALUE):
            return None
        options = tuple(space.configuration(row) for row in found.options)
        besides = belief.wishes if found.asks_for_change else ()
        return Question(options, status="expected", asks_for_change=found.asks_for_change, besides=besides)

    def _talk(self, belief: BayesBelief) -> Talk:
        space, wishes = belief.space, belief.wishes
        possible = np.append(possible_values(space), np.ones(len(space.quantities), dtype=bool))
        possible[[column_of(space, *wish) for wish in wishes]] = False
        favourite = belief.samples.favourite
        others = possible[: space.offsets[-1]].copy()
        others[favourite + space.offsets[:-1]] = False
        return Talk(
            sizes=range(2, self.set_size + 1),
            reasons=_rate_of_reasons(belief),
            changes=_rate_of_changes(belief),
            wishes=possible,
            single=bool(others.any()) and not belief.was_asked(frozenset([space.configuration(favourite)]), wishes),
        )

    def _recommend(self, belief: BayesBelief) -> Recommendation:
        samples = belief.samples
        weights = belief.population.weights.astype(float) / np.where(samples.cares, samples.best, 1.0)
        mean = np.append(weights.mean(axis=1), np.zeros(len(belief.space.trends)))
        return Recommendation(belief.space.configuration(samples.favourite), mean, status="expected")

    def predict(self, belief: BayesBelief, options: Sequence[Mapping[str, Value]]) -> Floats:
        """How likely the person takes each of these options, if one has to be taken: chances that add up to 1."""
        rows = np.stack([belief.space.encode(option) for option in options]).astype(np.float32)
        utilities = rows[:, : belief.space.plain_features] @ belief.samples.weights
        chances: Floats = choice_chances(utilities, belief.population.manner).mean(axis=1, dtype=float)
        chances /= chances.sum()
        return chances

    # What is known

    def stakes(self, belief: BayesBelief) -> Stakes:
        """The expected loss of the recommendation, how likely it is nearly the best, how many questions are left."""
        return stakes_of(belief.samples, belief.trail_now, self.until, self._pace)

    @property
    def _pace(self) -> Pace:
        return CONVERSATION if self.policy == "conversation" else COMPARISONS[min(self.set_size, max(COMPARISONS))]

    def importance(self, belief: BayesBelief) -> dict[str, Share]:
        """How much each attribute and quantity matters: mean and 5% to 95% interval of its share of all at stake."""
        return importance_of(belief.oracle, belief.population.weights.T.astype(float))

    def influence(self, belief: BayesBelief) -> tuple[Influence, ...]:
        """The answers without which something else would be recommended, most influential first."""
        return influence_of(belief.samples, [(n, _logs(belief, n)) for n in _answered(belief)])


def _rate_of_reasons(belief: Belief) -> float:
    """How often reasons come with choices that were not asked for a change: at first always; too rarely is never."""
    chosen = [a for q, a in belief.history if isinstance(a, Choice | Ranking) and not q.asks_for_change]
    return _counted_on(sum(bool(answer.because) for answer in chosen), len(chosen))


def _rate_of_changes(belief: Belief) -> float:
    """How often people say what they would change when they are asked."""
    said = [answer for question, answer in belief.history if question.asks_for_change]
    return _counted_on(sum(isinstance(answer, Change) for answer in said), len(said))


def _counted_on(times: int, of: int) -> float:
    rate = (times + 1) / (of + 1)
    return rate if rate >= RARELY else 0.0


def _passed(belief: BayesBelief) -> Ints:
    """The options of questions that were skipped since the last answer."""
    skipped = takewhile(lambda event: isinstance(event[1], Skip), reversed(belief.history))
    rows = [belief.space.indices(option) for question, _ in skipped for option in question.options]
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(belief.space.domains))


def _answered(belief: BayesBelief) -> list[int]:
    return [number for number, (_, answer) in enumerate(belief.history) if not isinstance(answer, Skip)]


def _logs(belief: BayesBelief, number: int) -> Floats:
    """How likely everybody was to give that answer."""
    said = statements_in(belief.space, [belief.history[number]], possible_values(belief.space))
    logs = said.log_likelihood(belief.population.weights.astype(np.float32), belief.population.manner)
    return logs.astype(float)
