"""What people are like before they answer: most care about few things, some about everything, and nobody says which.

A person is of one *kind*. A kind says how many values of an attribute matter to its people; which values these are, and
how much each matters, is left to chance: any subset of that size, weights uniform up to the feature's `reach`. The kind
is inferred along with the weights, so that careful choosers and people with a single taste are both served.

Only how many values matter enters the prior, so values that no question has shown yet can be summed out exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.space.space import Space
from setmargin.space.text import suggest
from setmargin.strategies.bayes.learnt.prior import LearntPrior
from setmargin.strategies.bayes.learnt.tastes import learnt_tastes
from setmargin.strategies.bayes.tastes import CARE, OrdinaryTastes, Tastes, decided_tastes

ORDINARY = 0.3
"""How many people have ordinary tastes. With more, people who care about few things are understood later; with fewer,
people in studies are taken to be surer than they are."""
DECIDED = 0.55
"""Of all others, how many follow the directions that the catalogue names; the rest are of the kinds below."""
QUANTITY_REACH = 2.0
"""A quantity may matter twice as much as any single value."""
QUANTITY_MATTERS = 0.5
"""How likely somebody cares about a quantity at all, where the catalogue does not say."""


@dataclass(frozen=True)
class Kind:
    """Some of the people: `chance` of them like each value with probability `share`.

    Where `each` is set they care about every attribute, so at least one of its values matters.
    """

    share: float
    chance: float
    each: bool = False

    def counts(self, size: int) -> Floats:
        """How likely 0, 1, ... all of the `size` values of an attribute matter."""
        number = np.arange(size + 1)
        logs = _log_ways(size) + xlogy(number, self.share) + xlog1py(size - number, -self.share)
        chances: Floats = np.exp(logs)
        if self.each:
            chances[1] += chances[0]
            chances[0] = 0.0
        return chances


KINDS = (
    Kind(0.1, 0.1),
    Kind(0.2, 0.2),
    Kind(0.4, 0.15),
    Kind(0.7, 0.15),
    Kind(0.15, 0.15, each=True),
    Kind(0.3, 0.15, each=True),
    Kind(1.0, 0.1),
)
"""Dense people, sparse people, and sparse people who have a favourite everywhere."""


@dataclass(frozen=True)
class Prior:
    """Kinds of people, and the catalogue's hints: how likely each attribute or quantity matters to anybody."""

    kinds: tuple[Kind, ...] = KINDS
    hints: tuple[tuple[str, float], ...] = ()
    ordinary: float = ORDINARY
    """The share of people with ordinary tastes: see `tastes.py`."""
    earlier: LearntPrior | None = None
    """What earlier people were like; all people above keep a share that never vanishes."""

    def __post_init__(self) -> None:
        if not self.kinds:
            raise OptionError("there are no kinds of people; give at least one")
        if not 0 <= self.ordinary < 1:
            raise OptionError(f"ordinary people are {self.ordinary} of all; give a share from 0 to below 1")
        for name, chance in self.hints:
            if not 0 <= chance <= 1:
                raise OptionError(f"the hint for {name} is {chance}; give a probability from 0 to 1")

    def hinted(self, hints: Mapping[str, float]) -> Prior:
        """The same with hints by name."""
        return replace(self, hints=tuple((name, float(chance)) for name, chance in sorted(hints.items())))


@dataclass(frozen=True, eq=False)
class Shape:
    """A prior laid out over the features of one space. A *group* is an attribute's values, or one quantity alone."""

    starts: Ints
    """Where each group's features start; the last entry is the number of features."""
    group: Ints
    """The group of each feature."""
    reach: Floats
    """The largest weight of each feature; 0 where it cannot matter."""
    log_chances: Floats
    """How likely each kind is."""
    log_sets: tuple[Floats, ...]
    """By group, kinds × counts: how likely one certain set of that many values is the one that matters."""
    tastes: tuple[Tastes, ...] = ()
    """What all other people are like."""

    @property
    def kinds(self) -> int:
        """How many kinds there are whose people care about some values only."""
        return len(self.log_chances)

    @property
    def features(self) -> int:
        """How many there are."""
        return int(self.starts[-1])

    @cached_property
    def sizes(self) -> Ints:
        """How many features each group has."""
        sizes: Ints = np.diff(self.starts)
        return sizes

    def table(self, group: int, shown: int) -> tuple[Floats, Floats]:
        """With `shown` values of the group in questions so far, and m of them mattering to a person:

        how likely that is (kinds × m), and how likely up to e of the others matter as well (kinds × m × e).
        """
        return _table(self, group, shown)


@lru_cache(maxsize=4096)
def _table(shape: Shape, group: int, shown: int) -> tuple[Floats, Floats]:
    hidden = int(shape.sizes[group]) - shown
    more = np.arange(hidden + 1)
    joint = shape.log_sets[group][:, np.arange(shown + 1)[:, None] + more] + _log_ways(hidden)
    total = logsumexp(joint, axis=2)
    with np.errstate(invalid="ignore"):
        each = np.where(np.isfinite(total)[..., None], np.exp(joint - total[..., None]), 0.0)
    return total, np.cumsum(each, axis=2)


@lru_cache(maxsize=64)
def shape_of(prior: Prior, space: Space) -> Shape:
    """Lay the prior out; hints for things that the space does not have are refused."""
    names = space.blocks
    hints = dict(prior.hints)
    for name in hints:
        if name not in space.things:
            raise OptionError(f"there is a hint for {name!r}; {suggest(name, space.things, what='the names are')}")
    hints.update((each.name, 0.0) for each in space.hidden)
    values = len(space.domains)
    sizes = np.array([*space.domains, *[1] * len(space.quantities)], dtype=np.int64)
    matters = [hints.get(name, 1.0 if place < values else QUANTITY_MATTERS) for place, name in enumerate(names)]
    reach = np.where(np.array(matters) > 0, np.where(np.arange(len(names)) < values, 1.0, QUANTITY_REACH), 0.0)
    return Shape(
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        group=np.repeat(np.arange(len(names)), sizes),
        reach=np.repeat(reach, sizes),
        log_chances=_log(np.array([kind.chance for kind in prior.kinds]) / sum(k.chance for k in prior.kinds)),
        log_sets=tuple(
            _log_sets(prior.kinds, int(size), chance, is_quantity=place >= values)
            for place, (size, chance) in enumerate(zip(sizes, matters, strict=True))
        ),
        tastes=_tastes(prior, space, _care(space, hints)),
    )


def _tastes(prior: Prior, space: Space, matters: tuple[float, ...]) -> tuple[Tastes, ...]:
    """Ordinary people first, then decided ones where there is an order, then those who are like earlier people."""
    usual = prior.earlier.usual if prior.earlier else 1.0
    found: list[Tastes] = []
    if prior.ordinary:
        found.append(OrdinaryTastes(space, usual * prior.ordinary, matters))
        if any(attribute.better for attribute in space.attributes):
            found.append(decided_tastes(space, usual * (1 - prior.ordinary) * DECIDED, matters))
    return (*found, *(learnt_tastes(prior.earlier, space, matters) if prior.earlier else ()))


def _care(space: Space, hints: Mapping[str, float]) -> tuple[float, ...]:
    """How likely each thing matters to ordinary people."""
    free = {attribute.name for attribute in space.attributes if not attribute.better}
    return tuple(hints.get(name, 1.0 if name in free else CARE) for name in space.blocks)


def _log_sets(kinds: tuple[Kind, ...], size: int, matters: float, *, is_quantity: bool) -> Floats:
    """Whether a quantity matters has nothing to do with how many values do."""
    count = np.arange(size + 1)
    rows = [np.array([0.0, 1.0]) if is_quantity else kind.counts(size) for kind in kinds]
    chances = matters * np.array(rows) + (1 - matters) * (count == 0)
    return _log(chances) - _log_ways(size)


def _log_ways(size: int) -> Floats:
    """In how many ways 0, 1, ... all of so many can be chosen. Written out: scipy.stats takes a second to load."""
    number = np.arange(size + 1)
    logs: Floats = gammaln(size + 1) - gammaln(number + 1) - gammaln(size - number + 1)
    return logs


def _log(chances: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(chances)
    return logs
