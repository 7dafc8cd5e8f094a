from __future__ import annotations

import json

import numpy as np
import pytest

from setmargin import Configuration, Space
from setmargin.choices import Choices, ChoiceTask, Respondent, make_study
from setmargin.choices.scoring import LEAST, score

SPACE = Space({"colour": ["red", "green", "blue", "white"]})
OPTIONS = tuple(Configuration({"colour": colour}) for colour in SPACE.attributes[0].values)


def test_hits_and_losses_are_means_over_people_with_their_errors() -> None:
    study = make_study(
        Choices(SPACE, tuple(Respondent(str(n), (ChoiceTask(OPTIONS, 0), ChoiceTask(OPTIONS, n))) for n in range(3))),
        learn=1,
        predict=1,
    )
    chances = np.array([0.4, 0.4, 0.2, 0.0])
    found = score("it", study, 1, [[chances]] * 3)
    losses = -np.log([0.4, 0.4, 0.2])
    assert found.hits == pytest.approx((0.5 + 0.5 + 0) / 3)  # a tie counts by halves
    assert found.log_loss == pytest.approx(losses.mean())
    assert found.log_loss_error == pytest.approx(losses.std(ddof=1) / np.sqrt(3))
    assert found.losses == pytest.approx(tuple(losses))


def test_what_was_thought_impossible_costs_much_but_not_everything() -> None:
    study = make_study(Choices(SPACE, (Respondent("1", (ChoiceTask(OPTIONS, 0), ChoiceTask(OPTIONS, 3))),)))
    found = score("it", study, 1, [[np.array([1.0, 0, 0, 0])]])
    assert found.log_loss == pytest.approx(-np.log(LEAST))
    assert (found.sure.options, found.sure.taken) == (1, 0.0)


def test_reliability_counts_every_option_once() -> None:
    tasks = (ChoiceTask(OPTIONS, 0), ChoiceTask(OPTIONS, 0), ChoiceTask(OPTIONS, 1))
    study = make_study(Choices(SPACE, (Respondent("1", tasks),)), learn=1, predict=2)
    chances = np.array([0.92, 0.05, 0.02, 0.01])
    found = score("it", study, 1, [[chances, chances]])
    assert [each.options for each in found.reliability] == [6, 0, 0, 0, 0, 2]
    assert found.sure.taken == 0.5
    assert found.sure.given == pytest.approx(0.92)
    assert found.reliability[0].taken == pytest.approx(1 / 6)
    document = json.loads(json.dumps(found.document(), allow_nan=False))
    assert document["reliability"][1]["taken"] is None
    assert document["log_loss_error"] is None  # of a single person
