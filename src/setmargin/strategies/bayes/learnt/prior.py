"""What earlier people were like, as figures about all of them: tastes from what they chose, favourites from sales.

- *tastes*: segments, each a normal distribution of weights. A person's weights are mean + factors · z + own · ε with
  standard normal z and ε, and their utilities are multiplied by `sharpness` before they meet the noise.
- *favourites*: a tree over attributes. How likely each value is somebody's favourite depends on their favourite value
  of one other attribute, the one that the tree names.

Everything goes by names, so that a catalogue that has changed still finds what it has in common with the one before.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from setmargin.arrays import Floats
from setmargin.errors import LearningError
from setmargin.space.space import Space

FORMAT = 1
LEAST_PEOPLE = 10
"""Fewer people are never learnt from: figures about a few say too much about each."""
LEAST_SHARE = 0.25
"""The usual people keep this share at least, however many were learnt from."""
DIGITS = 4
"""Significant digits of every number in a file."""


@dataclass(frozen=True, eq=False)
class Segment:
    """Some of the earlier people: how many, and how their weights are distributed, by feature."""

    share: float
    features: tuple[str, ...]
    mean: Floats
    factors: Floats
    """Features × factors."""
    own: Floats
    """By how much each feature deviates for itself."""


@dataclass(frozen=True, eq=False)
class LearntSegments:
    """The segments, learnt from what so many people chose."""

    people: int
    sharpness: float
    segments: tuple[Segment, ...]


@dataclass(frozen=True, eq=False)
class Favourite:
    """How likely each value of an attribute is somebody's favourite, by their favourite of the attribute `given`."""

    attribute: str
    values: tuple[str, ...]
    """Labels, as the catalogue writes them."""
    given: str | None
    given_values: tuple[str, ...]
    table: Floats
    """Values of `given` (one row where there is none) × values."""


@dataclass(frozen=True, eq=False)
class Favourites:
    """A tree over attributes, learnt from so many sales: whatever an attribute is given comes before it."""

    people: int
    tree: tuple[Favourite, ...]
    anything: float = 0.0
    """The share of people whom the tree does not explain: they took anything that can be built."""


@dataclass(frozen=True, eq=False)
class LearntPrior:
    """What earlier people were like, for `Bayes(prior=...)`; `learn_population` and `setmargin learn` make one.

    Two are equal if their files are. No figure in it is about a single person.
    """

    catalogue: str
    fingerprint: str
    sources: tuple[str, ...] = ()
    tastes: LearntSegments | None = None
    favourites: Favourites | None = None

    @property
    def people(self) -> int:
        """How many people it is learnt from."""
        return (self.tastes.people if self.tastes else 0) + (self.favourites.people if self.favourites else 0)

    @property
    def usual(self) -> float:
        """The share of people who are expected to be like nobody before: less the more were learnt from."""
        anything = self.favourites.anything if self.favourites else 0.0
        return max(LEAST_SHARE, LEAST_PEOPLE / (LEAST_PEOPLE + self.people), anything)

    def __repr__(self) -> str:
        segments = len(self.tastes.segments) if self.tastes else 0
        parts = [f"{segments} segment{'s' * (segments != 1)}"] * bool(self.tastes)
        parts += ["favourites"] * bool(self.favourites)
        return f"<LearntPrior of {self.catalogue}: {self.people:,} people, {' and '.join(parts)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearntPrior) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(json.dumps(self.document(), sort_keys=True).encode()).hexdigest()

    def __reduce__(self) -> tuple[object, ...]:
        return LearntPrior, (self.catalogue, self.fingerprint, self.sources, self.tastes, self.favourites)

    # As plain data

    def document(self) -> dict[str, Any]:
        """As plain data, from which `from_document` makes an equal one."""
        found: dict[str, Any] = {
            "format": FORMAT,
            "catalogue": self.catalogue,
            "fingerprint": self.fingerprint,
            "people": self.people,
            "sources": list(self.sources),
        }
        if self.tastes:
            found["tastes"] = {
                "people": self.tastes.people,
                "sharpness": rounded(self.tastes.sharpness),
                "segments": [_segment_document(segment) for segment in self.tastes.segments],
            }
        if self.favourites:
            found["favourites"] = {
                "people": self.favourites.people,
                **({"anything": rounded(self.favourites.anything)} if self.favourites.anything else {}),
                "attributes": {each.attribute: _favourite_document(each) for each in self.favourites.tree},
            }
        return found

    @classmethod
    def from_document(cls, document: Any) -> LearntPrior:
        """The prior that plain data describes; LearningError names the place of what is wrong."""
        from setmargin.strategies.bayes.learnt.document import read_document

        return read_document(document)

    # In a space

    def common(self, space: Space) -> tuple[set[str], set[str]]:
        """The features of its tastes and the attributes of its favourites that the space has."""
        features = {name for segment in self.tastes.segments for name in segment.features} if self.tastes else set()
        known = {each.name: set(each.labels) for each in space.attributes}
        attributes = {
            each.attribute
            for each in (self.favourites.tree if self.favourites else ())
            if known.get(each.attribute, set()).intersection(each.values)
        }
        return features.intersection(space.feature_names), attributes

    def check(self, space: Space) -> None:
        """LearningError if it has nothing in common with the space."""
        if not any(self.common(space)):
            raise LearningError(
                f"the prior was learnt with the catalogue {self.catalogue}, and has nothing in common with "
                f"{space.name}; learn one with this catalogue: setmargin learn"
            )

    def notes(self, space: Space) -> tuple[str, ...]:
        """What is said where the catalogue is not the one that it was learnt with, a sentence each."""
        if self.fingerprint == space.fingerprint:
            return ()
        features, attributes = self.common(space)
        known = {each for segment in (self.tastes.segments if self.tastes else ()) for each in segment.features}
        sold = {each.attribute for each in (self.favourites.tree if self.favourites else ())}
        notes = [f"the prior was learnt with another catalogue or another version of it: {self.catalogue}"]
        if gone := sorted((known - features) | (sold - attributes)):
            notes.append(f"{space.name} has no {_few(gone)}; what is known about them is left out")
        hidden = set(space.feature_names[space.seen_values : int(space.offsets[-1])])
        values = [name for name in space.feature_names[: space.plain_features] if name not in hidden]
        if known and (fresh := [name for name in values if name not in known]):
            notes.append(f"nothing is known about {_few(fresh)}; people are expected to be as usual there")
        return tuple(notes)


def _few(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _segment_document(segment: Segment) -> dict[str, Any]:
    features: dict[str, Any] = {}
    for place, name in enumerate(segment.features):
        feature: dict[str, Any] = {"mean": rounded(segment.mean[place])}
        if segment.factors.shape[1]:
            feature["factors"] = [rounded(number) for number in segment.factors[place]]
        if rounded(segment.own[place]):
            feature["own"] = rounded(segment.own[place])
        features[name] = feature
    return {"share": rounded(segment.share), "features": features}


def _favourite_document(each: Favourite) -> dict[str, Any]:
    rows = [{label: rounded(chance) for label, chance in zip(each.values, row, strict=True)} for row in each.table]
    if each.given is None:
        return {"chances": rows[0]}
    return {"given": each.given, "chances": dict(zip(each.given_values, rows, strict=True))}


def rounded(number: float) -> float:
    """To the digits that a file keeps."""
    return float(np.format_float_positional(number, precision=DIGITS, unique=False, fractional=False, trim="k"))
