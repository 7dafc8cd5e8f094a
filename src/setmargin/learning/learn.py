"""Learning from earlier people, wherever what they said or bought is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from setmargin.learning.sales import read_sales, sales_of
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.space.text import Value
from setmargin.strategies.base import History
from setmargin.strategies.bayes.learnt.fit import fit_prior
from setmargin.strategies.bayes.learnt.fit_favourites import Sales
from setmargin.strategies.bayes.learnt.prior import LEAST_PEOPLE, LearntPrior

if TYPE_CHECKING:
    from setmargin.choices.data import Choices


def learn_population(
    space: Space | str,
    *,
    histories: Sequence[History] = (),
    choices: Choices | str | os.PathLike[str] | None = None,
    sales: Sales | str | os.PathLike[str] | Iterable[Mapping[str, Value]] | None = None,
    sources: Sequence[str] = (),
    segments: int | None = None,
    least: int = LEAST_PEOPLE,
    seed: int = 0,
    watch: Callable[[float], None] | None = None,
) -> LearntPrior:
    """What people are like, from what earlier ones answered and bought: the prior for `Bayes(prior=...)`.

    Parameters
    ----------
    space : Space or str
        What they were asked about, or the name or file of its catalogue.
    histories : sequence of histories
        For each person the questions with the answers, as in `Interview.history`.
    choices : Choices or path, optional
        Choices of further people, as `setmargin.choices.read_choices` reads them, or their file.
    sales : Sales, path or configurations, optional
        What people bought: values of all attributes, or of some. Those that cannot be built are left out.
    sources : sequence of str
        What the file says where all of it is from.
    segments : int, optional
        How many segments there are; found out where nothing is said.
    least : int
        Fewer people than this, and fewer than ten, are refused.
    seed : int
    watch : function, optional
        Called now and then with the share of the work that is done.

    Raises
    ------
    LearningError
        Where there are too few people, or a file cannot be read.

    Examples
    --------
    >>> from setmargin import Bayes, Interview
    >>> from setmargin.learning import learn_population
    >>> sold = [{"x1": 1, "x2": 2}] * 30 + [{"x1": 2, "x2": 1}] * 10
    >>> prior = learn_population("synthetic:2", sales=sold)
    >>> prior
    <LearntPrior of synthetic:2: 40 people, favourites>
    >>> Interview("synthetic:2", Bayes(prior=prior)).recommend().configuration
    Configuration({'x1': 1, 'x2': 2})
    """
    space = load(space) if isinstance(space, str) else space
    people = [*histories, *_histories(space, choices)]
    return fit_prior(
        space,
        histories=people,
        sales=_sales(space, sales),
        sources=sources,
        segments=segments,
        least=least,
        seed=seed,
        watch=watch,
    )


def _histories(space: Space, choices: Choices | str | os.PathLike[str] | None) -> list[History]:
    from setmargin.choices.data import read_choices

    if choices is None:
        return []
    read = read_choices(choices, space) if isinstance(choices, str | os.PathLike) else choices
    return [person.history(len(person.tasks)) for person in read.people if person.tasks]


def _sales(space: Space, sales: Sales | str | os.PathLike[str] | Iterable[Mapping[str, Value]] | None) -> Sales | None:
    if sales is None or isinstance(sales, Sales):
        return sales
    if isinstance(sales, str | os.PathLike):
        return read_sales(sales, space)
    return sales_of(space, ((f"sale {number}", values) for number, values in enumerate(sales, 1)))
