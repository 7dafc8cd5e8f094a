"""What nobody who goes by the catalogue would rather have."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from setmargin import Attribute, Quantity, Space
from setmargin.space.domination import dominates, domination
from setmargin.space.text import Value

SPACE = Space(
    [
        Attribute("memory", [8, 32, 16], better="higher"),
        Attribute("noise", ["none", "some"], better="lower", ordered=True),
        Attribute("screen", [13, 14, 15], better="peak"),
        Attribute("colour", ["red", "green"]),
    ],
    quantities=[Quantity("price", {"memory": 1, "colour": {"red": 0, "green": 0}}, better="lower")],
)
FREE = Space(SPACE.attributes)
BASE: dict[str, Value] = {"memory": 16, "noise": "some", "screen": 14, "colour": "red"}


def test_more_of_what_is_better_dominates_where_it_costs_nothing() -> None:
    assert dominates(FREE, {**BASE, "memory": 32}, BASE)
    assert dominates(FREE, {**BASE, "noise": "none"}, BASE)
    assert dominates(FREE, {**BASE, "memory": 32, "noise": "none"}, BASE)
    assert not dominates(SPACE, {**BASE, "memory": 32}, BASE)  # it costs more
    assert not dominates(SPACE, BASE, {**BASE, "memory": 32})


def test_tastes_that_differ_between_people_dominate_nothing() -> None:
    assert not dominates(FREE, {**BASE, "memory": 32, "screen": 15}, BASE)
    assert not dominates(FREE, {**BASE, "memory": 32, "colour": "green"}, BASE)
    assert not dominates(FREE, {**BASE, "memory": 32}, {**BASE, "noise": "none"})


def test_nothing_dominates_itself() -> None:
    assert not dominates(SPACE, BASE, BASE)


@given(seed=st.integers(0, 10_000), space=st.sampled_from([SPACE, FREE]))
def test_everybody_who_goes_by_the_directions_agrees(seed: int, space: Space) -> None:
    """Whatever dominates is worth more to anybody who cares about directions and quantities, and about nothing else."""
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.integers(0, size, 12) for size in space.domains], axis=1)
    weights = rng.random(len(space.feature_names)) + 0.01
    weights[: int(space.offsets[-1])] *= ~np.isin(space.owners[: int(space.offsets[-1])], [0, 1])
    worth = space.features(rows) @ weights
    better, worse = np.nonzero(domination(space, rows, rows))
    assert (worth[better] > worth[worse]).all()
