"""Populations of simulated people: who is alike. By default nobody is; a population of segments is drawn once.

`segments:5` are five kinds of people, the same for everybody with the same seed; `segments:5/2` are another five, as a
population that has changed. With a *family* (see `families.py`) that says how weights c, o are drawn:

    shares of the segments  ~ Dirichlet(3, ..., 3)
    centre of segment s       c_s, the weights of somebody of the family
    a person of it            w_f = c_sf exp(0.5 z_f),  z_f ~ N(0, 1)  for all features f of nine things in ten,
                              w_f = o_f                               for the others: likes of their own

where o are the weights of the person of that number without segments. Of an attribute with a peak all values share one
z, so that it keeps its one peak; of a direction each step has its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.experiments.streams import CENTRE_STREAM, SEGMENT_STREAM, SHARES_STREAM, WEIGHTS_STREAM, stream
from setmargin.space.space import Space
from setmargin.space.text import short

USUAL = "usual"
EVENNESS = 3.0
"""The larger, the more alike are the shares of the segments."""
SPREAD = 0.5
"""How much people of a segment differ in how much they care: the standard deviation of the logarithm."""
OWN = 0.1
"""How likely a thing is somebody's own like or dislike, as if they were of no segment."""
MOST_SEGMENTS = 1000
WRITTEN = re.compile(r"segments:([0-9]{1,9})(?:/([0-9]{1,9}))?")
Draw = Callable[[np.random.Generator], Floats]


@dataclass(frozen=True)
class Segments:
    """A population of so many segments; `version` tells populations of one seed apart."""

    count: int
    version: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_SEGMENTS:
            raise OptionError(f"{self.count} segments are no population; give 1 to {MOST_SEGMENTS:,}")
        if self.version < 1:
            raise OptionError(f"the population segments:{self.count}/{self.version} is not there; count from 1")

    def shares(self, seed: int) -> Floats:
        """How many of the people are of each segment."""
        rng = stream(seed, 0, SHARES_STREAM, self.count, self.version)
        shares: Floats = rng.dirichlet(np.full(self.count, EVENNESS))
        return shares

    def segment_of(self, seed: int, number: int) -> int:
        """Which segment the person of that number is of."""
        return int(stream(seed, number, SEGMENT_STREAM).choice(self.count, p=self.shares(seed)))

    def centre(self, segment: int, seed: int, draw: Draw) -> Floats:
        """The weights around which those of the segment's people lie."""
        return draw(stream(seed, 0, CENTRE_STREAM, self.count, self.version, segment))

    def weights(self, space: Space, number: int, seed: int, draw: Draw) -> Floats:
        """The weights of one person; `draw` gives those of somebody of the family."""
        centre = self.centre(self.segment_of(seed, number), seed, draw)
        rng = stream(seed, number, SEGMENT_STREAM, 1)
        spread = rng.normal(size=len(centre))
        for own, attribute in zip(np.split(spread, space.offsets[1:]), space.attributes, strict=False):
            if attribute.better == "peak":
                own[:] = own[0]
        alike = rng.random(len(space.things)) >= OWN
        likes = draw(stream(seed, number, WEIGHTS_STREAM))
        return np.where(alike[space.owners], centre * np.exp(SPREAD * spread), likes)


def read_population(text: str) -> Segments | None:
    """The population that is written as `usual` (None), `segments:5`, or `segments:5/2`."""
    if text == USUAL:
        return None
    found = WRITTEN.fullmatch(text) if isinstance(text, str) else None
    if not found:
        raise OptionError(
            f"the population is {short(text)}; write usual, segments:5, or segments:5/2 for another five segments"
        )
    count, version = found.groups()
    return Segments(int(count), int(version or 1))
