"""Families and populations of people: the paper's stay what they are, and others are what they are said to be."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.arrays import Floats
from setmargin.errors import OptionError, PeopleError
from setmargin.experiments.families import WITHOUT_ORDER, PaperWeights, Weights
from setmargin.experiments.people import draw_people
from setmargin.experiments.segments import Segments, read_population
from setmargin.space.attributes import Attribute
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from tests.experiments.stubs import LAMP

DRAWN = {
    ("synthetic:4", "uniform", False): "072db06bc3445e69",
    ("synthetic:4", "normal", False): "1c098cc2ee549e65",
    ("synthetic:4", "sparse-uniform", False): "01cbe70308a98a46",
    ("synthetic:4", "sparse-normal", False): "386512e0478d5902",
    ("pc", "uniform", False): "22a00eee86ec1d0c",
    ("pc", "normal", True): "e2456c5efa0d8e36",
    ("pc", "sparse-uniform", False): "5e820d95e0906327",
    ("pc", "sparse-uniform", True): "17a7d030aac532be",
    ("pc", "sparse-normal", True): "cda524cfb3338d13",
}
"""Hashes of people drawn by versions that knew no other families."""


def hash_of(catalogue: str, weights: Weights, quantities: bool) -> str:
    """Of weights and first random numbers, in digits that are the same on any processor."""
    people = draw_people(load(catalogue), 5, weights=weights, quantities=quantities, seed=3)
    numbers = (
        [*person.weights, *person.noise().random(3), *person.talk().random(3), person.strategy_seed]
        for person in people
    )
    return sha256(" ".join(f"{each:.6f}" for person in numbers for each in person).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("catalogue", "weights", "quantities"), DRAWN)
def test_the_people_of_the_paper_are_the_same_as_ever(catalogue: str, weights: Weights, quantities: bool) -> None:
    assert hash_of(catalogue, weights, quantities) == DRAWN[catalogue, weights, quantities]


# With an order

PLAIN = Space([Attribute(each.name, each.values) for each in LAMP.attributes], quantities=LAMP.quantities)
ORDERED: tuple[Weights, ...] = ("ordered", "ordered-sparse")


def worth(weights: Floats, attribute: str) -> dict[object, float]:
    """What each value is worth to somebody, quantities aside, from the lowest to the highest."""
    number = LAMP.names.positions[attribute]
    own = slice(LAMP.offsets[number], LAMP.offsets[number + 1])
    values = LAMP.attributes[number].values
    pairs = zip(values, LAMP.without_trends(weights)[own], strict=True)
    return dict(pairs if isinstance(values[0], str) else sorted(pairs))


def somebody(seed: int, weights: Weights, **more: Any) -> Floats:
    return next(draw_people(LAMP, 1, weights=weights, seed=seed, **more)).weights


@given(st.integers(0, 10**6), st.sampled_from(ORDERED), st.sampled_from(["usual", "segments:3"]))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_ordered_people_like_better_values_more_and_have_one_peak(seed: int, family: Weights, whole: str) -> None:
    weights = somebody(seed, family, population=whole, quantities=True)
    assert (np.diff(list(worth(weights, "watts").values())) >= -1e-9).all()
    assert (np.diff(list(worth(weights, "noise").values())) <= 1e-9).all()
    assert (np.diff(list(worth(weights, "finish").values())) >= -1e-9).all()
    signs = np.sign(np.round(np.diff(list(worth(weights, "height").values())), 9))
    assert list(signs[signs != 0]) == sorted(signs[signs != 0], reverse=True)


def test_peaks_are_anywhere_and_rising_functions_are_of_every_shape() -> None:
    people = [somebody(seed, "ordered") for seed in range(200)]
    peaks = Counter(max(each.items(), key=lambda item: item[1])[0] for each in (worth(w, "height") for w in people))
    assert set(peaks) == {10, 20, 30, 40, 50}
    rises = np.array([np.diff(list(worth(each, "watts").values())) for each in people])
    shares = rises / rises.sum(axis=1, keepdims=True)
    assert rises.sum(axis=1).min() >= 1
    assert rises.sum(axis=1).max() <= 100
    thresholds, falling = (shares > 0.999).any(axis=1), (np.diff(shares, axis=1) <= 0).all(axis=1)
    assert 10 < thresholds.sum() < 60
    assert 50 < falling.sum() < 150
    assert (np.ptp(shares, axis=1) < 0.2).sum() > 10


def test_few_things_matter_to_ordered_sparse_people() -> None:
    people = [somebody(seed, "ordered-sparse", quantities=True) for seed in range(40)]
    assert {int((LAMP.by_thing(each) > 0).sum()) for each in people} == {round(0.4 * len(LAMP.things))}
    assert all(LAMP.by_thing(somebody(seed, "ordered")).nonzero()[0].tolist() == [0, 1, 2, 3, 4] for seed in range(9))


@pytest.mark.parametrize("family", get_args(PaperWeights))
def test_the_paper_s_people_follow_no_direction(family: Weights) -> None:
    same: dict[str, Any] = {"weights": family, "quantities": True, "sparsity": None, "seed": 4}
    for person, twin in zip(draw_people(LAMP, 3, **same), draw_people(PLAIN, 3, **same), strict=True):
        kept = len(twin.weights)
        assert person.weights[:kept].tolist() == twin.weights.tolist()
        assert not person.weights[kept:].any()


@pytest.mark.parametrize("family", ORDERED)
def test_without_a_direction_nobody_can_be_ordered(family: Weights) -> None:
    with pytest.raises(PeopleError, match=f"no attribute of unnamed says what is better, so .* {family}"):
        draw_people(PLAIN, 1, weights=family)


@pytest.mark.parametrize(("family", "unordered"), WITHOUT_ORDER.items())
def test_a_share_of_people_has_no_order(family: Weights, unordered: Weights) -> None:
    def drawn(kind: Weights, **more: Any) -> list[tuple[float, ...]]:
        return [tuple(each.weights) for each in draw_people(LAMP, 60, weights=kind, seed=1, **more)]

    mixed, all_of, none_of = drawn(family, no_order=0.3), drawn(family), drawn(unordered)
    plain = [one == other for one, other in zip(mixed, none_of, strict=True)]
    assert 8 <= sum(plain) <= 30
    assert [one == other for one, other in zip(mixed, all_of, strict=True)] == [not each for each in plain]
    assert drawn(family, no_order=1.0) == none_of
    assert drawn(family, no_order=1.0, population="segments:2") == none_of


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weights": "orderd"}, "did you mean ordered"),
        ({"weights": "ordered", "no_order": 1.5}, "without an order is 1.5; give a number from 0 to 1"),
        ({"weights": "normal", "no_order": 0.1}, "people with weights normal follow no order anyway"),
        ({"weights": "ordered", "sparsity": "overall"}, "sparsity overall does not fit weights ordered; leave it out"),
        ({"population": "segment:5"}, "the population is 'segment:5'; write usual, segments:5"),
        ({"population": "segments:1001"}, "1001 segments are no population; give 1 to 1,000"),
        ({"population": "segments:5/0"}, "count from 1"),
    ],
)
def test_people_that_cannot_be_drawn_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        draw_people(LAMP, 1, **options)


# In segments


def test_people_of_a_segment_are_alike_and_their_population_is_drawn_once() -> None:
    space, segments = load("pc"), Segments(4)
    same: dict[str, Any] = {"weights": "sparse-uniform", "seed": 5, "population": "segments:4"}
    people = list(draw_people(space, 60, **same))
    of = np.array([segments.segment_of(5, person.number) for person in people])
    assert set(of) == {0, 1, 2, 3}
    matters = np.array([person.weights > 0 for person in people])
    alike = np.array([[(one == other).mean() for other in matters] for one in matters])
    own = of[:, None] == of[None]
    assert alike[own].mean() > 0.9
    assert alike[~own].mean() < 0.8
    assert [tuple(each.weights) for each in draw_people(space, 2, first=7, **same)] == [
        tuple(each.weights) for each in people[6:8]
    ]


def test_another_version_or_seed_is_another_population() -> None:
    centres = {
        tuple(Segments(3, version).centre(0, seed, lambda rng: rng.random(4))) for version in (1, 2) for seed in (0, 1)
    }
    assert len(centres) == 4
    shares = Segments(5).shares(0)
    assert shares.sum() == pytest.approx(1)
    assert shares.min() > 0


def test_somebody_has_likes_of_their_own_as_if_of_no_segment() -> None:
    usual = list(draw_people(LAMP, 80, weights="ordered", quantities=True))
    within = list(draw_people(LAMP, 80, weights="ordered", quantities=True, population="segments:2"))
    same = np.array([one.weights == other.weights for one, other in zip(usual, within, strict=True)])
    things = np.array([[same[row][LAMP.features_of(name)].all() for name in LAMP.things] for row in range(80)])
    assert 0.05 < things.mean() < 0.16


@given(st.integers(1, 1000), st.integers(1, 10**8))
@settings(derandomize=True, deadline=None, max_examples=30)
def test_populations_are_read_as_they_are_written(count: int, version: int) -> None:
    assert read_population(f"segments:{count}/{version}") == Segments(count, version)
    assert read_population(f"segments:{count}") == Segments(count)
    assert read_population("usual") is None
