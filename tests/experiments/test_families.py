"""Families of people: the paper's stay what they are, bit for bit."""

from __future__ import annotations

from hashlib import sha256

import pytest

from setmargin.experiments.families import Weights
from setmargin.experiments.people import draw_people
from setmargin.space.catalogue import load

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
