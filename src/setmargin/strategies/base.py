"""The contract of a strategy, and what every strategy shares.

A strategy holds parameters and no state. A belief is a value: immutable, picklable, and a deterministic fold of the
answers. So undo is the previous belief, resume is a replay, and the next belief can be computed ahead of the answer.

    belief = strategy.start(space, seed=0)
    question = strategy.ask(belief)                       # None: nothing is left to ask
    belief = strategy.update(belief, question, answer)    # learn, then tune
    recommendation = strategy.recommend(belief)

A strategy may also know how good its recommendation is and why, and what the person would take: `stakes`, `importance`,
`influence` and `predict` say so, and are None where it does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np

from setmargin.answers import Answer, Change, Question, Skip, check, settled
from setmargin.arrays import Floats
from setmargin.errors import AnswerError, OptionError
from setmargin.html import table
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, in_words, suggest
from setmargin.strategies.options import option, options_of
from setmargin.strategies.shared.changes import can_be_had

LARGEST_SET = 6
History = tuple[tuple[Question, Answer], ...]


@dataclass(frozen=True)
class Belief:
    """What the answers so far say. Strategies that know more than the answers extend it."""

    space: Space
    seed: int
    history: History = ()

    def __repr__(self) -> str:
        answers = f"{self.answered} answer{'' if self.answered == 1 else 's'}"
        return f"<{type(self).__name__} on {self.space.name}: {answers}>"

    @property
    def oracle(self) -> Oracle:
        """The oracle of the space as it is now restricted."""
        return oracle_for(self.space)

    @property
    def answered(self) -> int:
        """How many questions were really answered."""
        return sum(not isinstance(answer, Skip) for _, answer in self.history)

    @property
    def wishes(self) -> tuple[tuple[str, Value | None], ...]:
        """The changes that were asked for so far: names with values or, for quantities, without one."""
        changes = (answer for _, answer in self.history if isinstance(answer, Change))
        return tuple(dict.fromkeys((change.name, change.value) for change in changes if change.name is not None))

    def rng(self, purpose: int = 0) -> np.random.Generator:
        """Random numbers that depend on the seed and the number of answers, and on nothing else."""
        return np.random.default_rng([self.seed, len(self.history), purpose])

    def was_asked(self, options: frozenset[Configuration], besides: Collection[object] = ()) -> bool:
        """Whether these options were shown together before, with the same changes known already."""
        return any(
            frozenset(question.options) == options and set(question.besides) == set(besides)
            for question, _ in self.history
        )


@dataclass(frozen=True)
class Recommendation:
    """The configuration that suits the person best, and the weights behind it."""

    configuration: Configuration
    weights: Floats = field(repr=False, compare=False)
    status: str = field(default="", compare=False)
    gap: float = field(default=0.0, compare=False)

    def __repr__(self) -> str:
        return f"<Recommendation: {in_words(self.configuration)}>"

    def _repr_html_(self) -> str:
        return table(self.configuration.items())


@dataclass(frozen=True)
class Stakes:
    """How far the recommendation may be from the best there is."""

    expected_loss: float
    """Relative to the best utility, on average over what the person may be like."""
    probability_within: float
    """How likely it is within 5% of the best."""
    questions_left: int
    """How many more questions it will probably take until the interview may end."""

    def document(self) -> dict[str, Any]:
        """The three numbers by name, as JSON and the API show them."""
        return asdict(self)


@dataclass(frozen=True)
class Share:
    """What part of all that is at stake is due to one attribute or quantity: on average, and between which limits."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Influence:
    """What would be recommended without one answer, and how much better that would then seem."""

    number: int
    """Which answer, counted from 0 over the whole history."""
    gain: float
    instead: Configuration


B = TypeVar("B", bound=Belief)


@dataclass(frozen=True, kw_only=True)
class Strategy(ABC, Generic[B]):
    """Turns a belief into the next question and a recommendation.

    A strategy of your own is a frozen, keyword-only dataclass whose fields are its options (see `option`). It writes
    `_start`, `_ask` and `_recommend`, and `_learn`, `_tune` and `_restrict` where its belief is more than the answers.
    The public methods check what goes in and out. `register` makes it known by its name; `laws` are what it must obey.

    Parameters
    ----------
    set_size : int
        How many options a question has at most, 2 to 6.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Plain(Strategy[Belief]):
    ...     \"\"\"Compares the best configuration with the next best one that it was not compared with.\"\"\"
    ...
    ...     name = "plain"
    ...
    ...     def _start(self, space, seed):
    ...         return Belief(space, seed)
    ...
    ...     def _ask(self, belief):
    ...         first, *others = belief.oracle.ranked_for_values(belief.oracle.space.costs.sum(axis=0))
    ...         pairs = [tuple(map(belief.space.configuration, (first, other))) for other in others]
    ...         new = [pair for pair in pairs if not belief.was_asked(frozenset(pair))]
    ...         return Question(new[0]) if new else None
    ...
    ...     def _recommend(self, belief):
    ...         weights = [1.0] * len(belief.space.feature_names)
    ...         return Recommendation(belief.oracle.best(weights), weights)
    >>> interview = Interview("synthetic:2", Plain())
    >>> interview.tell(0)
    >>> interview
    <Interview on synthetic:2 by plain: 1 answer>
    """

    name: ClassVar[str]
    keeps_time: ClassVar[bool] = False
    """Whether its questions may depend on the clock: then it has an option `seconds`."""
    until_means: ClassVar[Literal["expected loss", "regret"] | None] = None
    """What its option `until` bounds: the expected loss, relative to the best, or the largest regret."""
    when_simulated: ClassVar[Mapping[str, Any]] = {}
    """Options that simulations use where none is given: everybody gets all questions, and jobs keep to one core."""
    when_simulated_talking: ClassVar[Mapping[str, Any]] = {}
    """The same beyond that, where simulated people give reasons or say what they would change."""
    when_studied: ClassVar[Mapping[str, Any]] = {}
    """Options for real people's choices in studies, where nobody waits for a question."""
    added_options: ClassVar[Mapping[str, Any]] = {}
    """Options that older files do not name, with what was done then; keys of experiments leave them out where so."""
    renamed_options: ClassVar[Mapping[str, str]] = {}
    """What options were called in older files, and are called now."""
    learns_from_others: ClassVar[bool] = False
    """Whether what earlier people answered makes a difference to it: then it writes `knowing`."""
    takes_learnt_prior: ClassVar[bool] = False
    """Whether its option `prior` takes what `setmargin learn` writes; priors of others may be something else."""

    set_size: int = option(
        2,
        give=f"2 to {LARGEST_SET}, as people compare few things well",
        allowed=lambda size: 2 <= size <= LARGEST_SET,
    )

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "__repr__" not in vars(cls):  # else the dataclass writes one that shows every default
            cls.__repr__ = Strategy.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        named = ((name, each.default, getattr(self, name)) for name, each in options_of(type(self)).items())
        said = ", ".join(f"{name}={value!r}" for name, default, value in named if value != default)
        return f"{type(self).__name__}({said})"

    def __post_init__(self) -> None:
        for name, each in options_of(type(self)).items():
            object.__setattr__(self, name, each.checked(getattr(self, name)))

    def options(self) -> dict[str, Any]:
        """The options as plain data, from which `from_options` makes an equal strategy."""
        return {name: each.plain(getattr(self, name)) for name, each in options_of(type(self)).items()}

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """The strategy with these options, which are plain data; what is not said keeps its default."""
        known, given = options_of(cls), {cls.renamed_options.get(name, name): options[name] for name in options}
        for name in given:
            if name not in known:
                raise OptionError(f"{cls.name} has no option {name!r}; {suggest(name, [*known], what='known are')}")
        return cls(**given)

    def within(self, seconds: float) -> Self:
        """The same strategy with no deadline of its own beyond so many seconds."""
        if not self.keeps_time:
            return self
        shorter: dict[str, Any] = {"seconds": min(self.options()["seconds"], seconds)}
        return replace(self, **shorter)

    def knowing(self, space: Space, earlier: Sequence[History]) -> Self:  # noqa: ARG002
        """The same strategy once it knows what earlier people were asked and answered; itself if it learns from nobody.

        Parameters
        ----------
        space : Space
            What they were asked about.
        earlier : sequence of histories
            For each earlier person the questions with the answers, as in `Belief.history`.
        """
        return self

    def notes(self, space: Space) -> tuple[str, ...]:  # noqa: ARG002
        """What somebody who lets it ask about this space should be told before, a sentence each."""
        return ()

    def start(self, space: Space, *, seed: int = 0) -> B:
        """The belief before any answer; raises InfeasibleSpace where nothing can be built."""
        oracle_for(space)
        return self._start(space, seed)

    def ask(self, belief: B) -> Question | None:
        """The next question: different, feasible configurations, not shown together before. None if there is none."""
        question = self._ask(belief)
        if question is not None and belief.was_asked(frozenset(question.options), question.besides):
            raise AssertionError(f"{self.name} asked the same question twice")
        return question

    def learn(self, belief: B, question: Question, answer: Answer) -> B:
        """The belief with one more answer."""
        check(question, answer, belief.space)
        answer = settled(question, answer)
        if isinstance(answer, Change) and not can_be_had(belief.space, answer):
            raise AnswerError(f"{answer.name} cannot be {answer.value} with the rules and must-haves; choose another")
        return self._learn(replace(belief, history=(*belief.history, (question, answer))), question, answer)

    def tune(self, belief: B) -> B:
        """Adapt the belief's hyperparameters, where it has any and the time has come."""
        return self._tune(belief)

    def update(self, belief: B, question: Question, answer: Answer) -> B:
        """Learn, then tune."""
        return self.tune(self.learn(belief, question, answer))

    def restrict(self, belief: B, space: Space) -> B:
        """The same belief in the same space with other rules."""
        oracle_for(space)
        return self._restrict(belief, replace(belief, space=space))

    def recommend(self, belief: B) -> Recommendation:
        """The configuration that suits the person best."""
        return self._recommend(belief)

    # What is known; None: this strategy does not know

    def stakes(self, belief: B) -> Stakes | None:  # noqa: ARG002
        """What may still be lost with the recommendation, and how many questions are left."""
        return None

    def importance(self, belief: B) -> dict[str, Share] | None:  # noqa: ARG002
        """How much each attribute and quantity matters, largest first, with 5% to 95% intervals."""
        return None

    def influence(self, belief: B) -> tuple[Influence, ...] | None:  # noqa: ARG002
        """The answers without which something else would be recommended, most influential first."""
        return None

    def predict(self, belief: B, options: Sequence[Mapping[str, Value]]) -> Floats | None:  # noqa: ARG002
        """How likely the person takes each of these options, which have to be one of them: chances that add up to 1.

        They need not obey the rules. None where the strategy knows weights, but not how surely people go by them.
        """
        return None

    # What a strategy writes

    @abstractmethod
    def _start(self, space: Space, seed: int) -> B: ...

    @abstractmethod
    def _ask(self, belief: B) -> Question | None: ...

    def _learn(self, belief: B, question: Question, answer: Answer) -> B:  # noqa: ARG002
        """The belief, whose history has the answer already, with all else that follows from it."""
        return belief

    def _tune(self, belief: B) -> B:
        return belief

    def _restrict(self, before: B, belief: B) -> B:  # noqa: ARG002
        """The belief, which has the new space already, with all else that follows from it."""
        return belief

    @abstractmethod
    def _recommend(self, belief: B) -> Recommendation: ...
