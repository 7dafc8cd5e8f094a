"""The contract of a strategy, and what every strategy shares.

A strategy holds parameters and no state. A belief is a value: immutable, picklable, and a deterministic fold of the
answers. So undo is the previous belief, resume is a replay, and the next belief can be computed ahead of the answer.

    belief = strategy.start(space, seed=0)
    question = strategy.ask(belief)                       # None: nothing is left to ask
    belief = strategy.update(belief, question, answer)    # learn, then tune
    recommendation = strategy.recommend(belief)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from setmargin.answers import Answer, Question, Skip, check
from setmargin.errors import OptionError
from setmargin.solve.lowered import Floats
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

    @abstractmethod
    def _start(self, space: Space, seed: int) -> B: ...

    @abstractmethod
    def _ask(self, belief: B) -> Question | None: ...

    @abstractmethod
    def _recommend(self, belief: B) -> Recommendation: ...
