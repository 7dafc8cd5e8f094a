"""What may be given to an interview for a space, a strategy and an answer, and what it stands for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from operator import index
from typing import Any, SupportsIndex

from setmargin.answers import Answer, Choice, NoDifference, Ranking, reasons_of
from setmargin.errors import AnswerError, OptionError
from setmargin.space.space import Space
from setmargin.space.text import short
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import as_strategy, make_strategy


def as_space(space: Space | str | os.PathLike[str]) -> Space:
    """The space; by the name of a shipped catalogue, or from a file."""
    if isinstance(space, Space):
        return space
    if isinstance(space, str | os.PathLike):
        from setmargin.space.catalogue import load

        return load(space)
    raise OptionError(f"the space is {short(space)}; give a Space, a catalogue's name such as 'bicycle', or a file")


def strategy_on(
    strategy: Strategy[Any] | str | None, source: Space | str | os.PathLike[str], space: Space
) -> Strategy[Any]:
    """The strategy; by its name, with the prior that a catalogue file names, where it can start from one."""
    found = as_strategy(strategy)
    if isinstance(strategy, Strategy) or isinstance(source, Space) or not found.takes_learnt_prior:
        return found
    from setmargin.strategies.bayes.learnt.named import prior_of_catalogue

    prior = prior_of_catalogue(source, space)
    return found if prior is None else make_strategy(found.name, prior=prior)


def as_answer(answer: Answer | int) -> Answer:
    """A whole number of any kind, NumPy's too, is the option chosen."""
    is_number = isinstance(answer, SupportsIndex) and not isinstance(answer, bool)
    return Choice(index(answer)) if is_number else answer  # type: ignore[arg-type,return-value]


def with_reasons(answer: Answer, because: str | Sequence[str]) -> Answer:
    """The answer with reasons that were given beside it."""
    if isinstance(because, Sequence) and not because:
        return answer
    if not isinstance(answer, Choice | Ranking | NoDifference):
        raise AnswerError(f"{type(answer).__name__} has no reason; leave it out, or choose one of the options")
    if reasons_of(answer):
        raise AnswerError("reasons are given twice; give them in the answer, or beside it")
    return replace(answer, because=because)  # type: ignore[arg-type]  # one name will do
