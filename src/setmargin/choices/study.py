"""What is learnt and what is predicted: everybody's first answers, and those after them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mode

from setmargin.arrays import Floats
from setmargin.choices.data import Choices, ChoiceTask, Respondent
from setmargin.errors import ChoicesError, OptionError
from setmargin.space.space import Space

USUAL_SHARE = 2 / 3
"""The share of answers that is learnt where nothing is said."""
Predictions = Mapping[int, Sequence[Sequence[Floats]]]
"""By the number of answers learnt: for each person, for each task that is predicted, the chances of its options."""


@dataclass(frozen=True)
class Study:
    """The people who answered enough, how many of their first answers are learnt, and what is then predicted.

    Parameters
    ----------
    space : Space
    people : tuple of Respondent
        Each has at least `learn` + `predict` tasks.
    by : tuple of int
        The numbers of answers after which is predicted, ascending; the last one is `learn`.
    predict : int
        How many tasks are predicted: always the same ones, those after `learn`.
    too_short : int
        How many people answered too few tasks.
    """

    space: Space
    people: tuple[Respondent, ...]
    by: tuple[int, ...]
    predict: int
    too_short: int = 0

    @property
    def learn(self) -> int:
        """How many answers are learnt in the end."""
        return self.by[-1]

    def held_out(self, person: Respondent) -> tuple[ChoiceTask, ...]:
        """The tasks that are predicted."""
        return person.tasks[self.learn : self.learn + self.predict]


def make_study(
    choices: Choices,
    *,
    learn: int | None = None,
    predict: int | None = None,
    by: Sequence[int] = (),
    people: int | None = None,
) -> Study:
    """Decide what is learnt and predicted.

    Parameters
    ----------
    choices : Choices
    learn, predict : int, optional
        How many answers are learnt, and how many after them predicted; where they are not given, two thirds of as many
        tasks as most people have, and the rest.
    by : sequence of int
        Further numbers of answers after which is predicted; the largest is `learn`, where that is not given.
    people : int, optional
        Only the first so many people.

    Raises
    ------
    OptionError
        Where one of the numbers makes no sense.
    ChoicesError
        Where nobody answered enough.
    """
    for name, number in (("learn", learn), ("predict", predict), ("people", people), *(("by", each) for each in by)):
        if number is not None and number < (0 if name in ("by", "learn") else 1):
            raise OptionError(f"{name} is {number}; give {'0' if name in ('by', 'learn') else '1'} or more")
    if not choices.people:
        raise ChoicesError("there is nobody in the choices; give at least one person")
    usual = mode(len(person.tasks) for person in choices.people)
    if learn is None:
        learn = max(by) if by else max(1, min(usual - (predict or 1), round(USUAL_SHARE * usual)))
    if any(each > learn for each in by):
        raise OptionError(f"by has {max(by)} answers, but only {learn} are learnt; give a larger learn")
    if predict is None:
        predict = max(1, usual - learn)
    chosen = choices.people if people is None else choices.people[:people]
    enough = tuple(person for person in chosen if len(person.tasks) >= learn + predict)
    if not enough:
        most = max(len(person.tasks) for person in chosen)
        raise ChoicesError(
            f"nobody answered the {learn} + {predict} tasks that are learnt and predicted, but {most} at most; "
            f"give smaller --learn and --predict"
        )
    return Study(choices.space, enough, tuple(sorted({*by, learn})), predict, len(chosen) - len(enough))
