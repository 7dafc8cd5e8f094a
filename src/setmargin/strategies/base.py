"""The contract of a strategy, and what every strategy shares.

A strategy holds parameters and no state. A belief is a value: immutable, picklable, and a deterministic fold of the
answers. So undo is the previous belief, resume is a replay, and the next belief can be computed ahead of the answer.

    belief = strategy.start(space, seed=0)
    question = strategy.ask(belief)                       # None: nothing is left to ask
    belief = strategy.update(belief, question, answer)    # learn, then tune
    recommendation = strategy.recommend(belief)

A strategy may also know how good its recommendation is and why: `stakes`, `importance` and `influence` say so, and are
None where it does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from setmargin.answers import Answer, Question, Skip, check
from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.space import Configuration, Space

LARGEST_SET = 6
History = tuple[tuple[Question, Answer], ...]


@dataclass(frozen=True)
class Belief:
    """What the answers so far say. Strategies that know more than the answers extend it."""

    space: Space
    seed: int
    history: History = ()

    @property
    def oracle(self) -> Oracle:
        """The oracle of the space as it is now restricted."""
        return oracle_for(self.space)

    @property
    def answered(self) -> int:
        """How many questions were really answered."""
        return sum(not isinstance(answer, Skip) for _, answer in self.history)

    def rng(self, purpose: int = 0) -> np.random.Generator:
        """Random numbers that depend on the seed and the number of answers, and on nothing else."""
        return np.random.default_rng([self.seed, len(self.history), purpose])

    def was_asked(self, options: frozenset[Configuration]) -> bool:
        """Whether these options were shown together before."""
        return any(frozenset(question.options) == options for question, _ in self.history)


@dataclass(frozen=True)
class Recommendation:
    """The configuration that suits the person best, and the weights behind it."""

    configuration: Configuration
    weights: Floats = field(repr=False, compare=False)
    status: str = field(default="", compare=False)
    gap: float = field(default=0.0, compare=False)


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
        """As plain data."""
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


class Strategy(ABC, Generic[B]):
    """Turns a belief into the next question and a recommendation. Subclasses write `_start`, `_ask`, `_recommend`."""

    name: ClassVar[str]
    set_size: int

    def __init__(self, *, set_size: int = 2) -> None:
        if not isinstance(set_size, int) or not 2 <= set_size <= LARGEST_SET:
            raise OptionError(
                f"the set size is {set_size!r}; give 2 to {LARGEST_SET}, as people compare few things well"
            )
        self.set_size = set_size

    def options(self) -> dict[str, Any]:
        """The parameters as plain data, from which the registry makes an equal strategy."""
        return {"set_size": self.set_size}

    def start(self, space: Space, *, seed: int = 0) -> B:
        """The belief before any answer; raises InfeasibleSpace where nothing can be built."""
        oracle_for(space)
        return self._start(space, seed)

    def ask(self, belief: B) -> Question | None:
        """The next question: different, feasible configurations, not shown together before. None if there is none."""
        question = self._ask(belief)
        if question is not None and belief.was_asked(frozenset(question.options)):
            raise AssertionError(f"{self.name} asked the same question twice")
        return question

    def learn(self, belief: B, question: Question, answer: Answer) -> B:
        """The belief with one more answer."""
        check(question, answer)
        return replace(belief, history=(*belief.history, (question, answer)))

    def tune(self, belief: B) -> B:
        """Adapt the belief's hyperparameters, where it has any and the time has come."""
        return belief

    def update(self, belief: B, question: Question, answer: Answer) -> B:
        """Learn, then tune."""
        return self.tune(self.learn(belief, question, answer))

    def restrict(self, belief: B, space: Space) -> B:
        """The same belief in the same space with other rules."""
        oracle_for(space)
        return replace(belief, space=space)

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

    # What a strategy writes

    @abstractmethod
    def _start(self, space: Space, seed: int) -> B: ...

    @abstractmethod
    def _ask(self, belief: B) -> Question | None: ...

    @abstractmethod
    def _recommend(self, belief: B) -> Recommendation: ...
