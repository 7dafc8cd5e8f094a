"""The strategy obeys the laws; what else the package brings along is what it should be."""

from __future__ import annotations

import numpy as np
import pytest
from setmargin_hillclimb.people import Hesitant, draw_thrifty
from setmargin_hillclimb.strategy import HillClimb

from setmargin import load
from setmargin.experiments import draw_people, simulate
from setmargin.experiments.responses import Response
from setmargin.laws import Law, laws


@pytest.mark.parametrize("law", laws(), ids=lambda law: law.__name__)
def test_law(law: Law) -> None:
    law(HillClimb)


def test_a_noiseless_person_ends_with_the_best_tent() -> None:
    people = draw_people(load("tent"), 3, weights="thrifty", quantities=True, response=Response(model="noiseless"))
    last = {record["person"]: record["loss"] for record in simulate(people, "hillclimb", questions=40)}
    assert last == {1: 0.0, 2: 0.0, 3: 0.0}


def test_thrifty_people_care_about_the_price_most() -> None:
    space = load("tent")
    weights = draw_thrifty(space, quantities=True, rng=np.random.default_rng(1))
    assert weights.shape == (len(space.feature_names),)
    assert weights[space.feature_names.index("price")] > 10 * 2
    assert draw_thrifty(space, quantities=False, rng=np.random.default_rng(1)).max() <= 10


def test_the_hesitant_see_no_small_differences() -> None:
    chances = Hesitant().of_pair(0.5, response=Response(), rounding=0.0)
    assert chances.tolist() == [0, 0, 1]
    assert Hesitant().of_pair(2, response=Response(), rounding=0.0).tolist() == [1, 0, 0]
