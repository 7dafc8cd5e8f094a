from __future__ import annotations

from pathlib import Path

import pytest

from setmargin.choices import Choices, make_study, read_choices
from setmargin.errors import ChoicesError, OptionError
from tests.choices.files import simulated, written


@pytest.fixture
def choices(tmp_path: Path) -> Choices:
    long, short = simulated(5, 6), simulated(1, 4)
    return read_choices(written(tmp_path, long + [line.replace("1,", "99,", 1) for line in short[1:]]))


def test_two_thirds_are_learnt_and_the_rest_predicted(choices: Choices) -> None:
    study = make_study(choices)
    assert (study.learn, study.predict, len(study.people), study.too_short) == (4, 2, 5, 1)


def test_the_same_tasks_are_predicted_however_many_are_learnt(choices: Choices) -> None:
    study = make_study(choices, by=[1, 3], predict=2)
    assert (study.by, study.learn) == ((1, 3), 3)
    assert study.held_out(study.people[0]) == choices.people[0].tasks[3:5]
    assert make_study(choices, by=[0, 2], learn=4).by == (0, 2, 4)


def test_those_who_answered_enough_are_kept(choices: Choices) -> None:
    assert len(make_study(choices, learn=2, predict=2).people) == 6
    assert len(make_study(choices, learn=2, predict=2, people=3).people) == 3


def test_impossible_numbers_are_refused(choices: Choices) -> None:
    with pytest.raises(
        ChoicesError, match=r"nobody answered the 8 \+ 4 tasks that are learnt and predicted, but 6 at most"
    ):
        make_study(choices, learn=8, predict=4)
    with pytest.raises(OptionError, match="predict is 0; give 1 or more"):
        make_study(choices, predict=0)
    with pytest.raises(OptionError, match="by has 5 answers, but only 2 are learnt"):
        make_study(choices, learn=2, by=[5])
