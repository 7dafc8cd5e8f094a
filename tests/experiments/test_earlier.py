"""Earlier people: interviewed once before the others, and known to the strategies that learn from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from setmargin.errors import OptionError
from setmargin.experiments.families import Weights
from setmargin.experiments.grid import make_grid
from setmargin.experiments.people import draw_people
from setmargin.experiments.records import read_records
from setmargin.experiments.responses import Response
from setmargin.experiments.running import interview_people, run_experiment
from setmargin.experiments.setting import EARLIER_QUESTIONS, FIRST_EARLIER, Setting, read_setting
from setmargin.strategies import registry
from tests.experiments.stubs import LAMP, SHIRTS, Learner, Scripted


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in (Learner, Scripted):
        monkeypatch.setitem(registry._REGISTERED, each.name, each)


def grid(**more: Any) -> Any:
    said = {"catalogue": [SHIRTS], "strategy": ["learner", "random"], "people": 2, "questions": 3}
    return make_grid(**{**said, **more})


def test_a_strategy_that_learns_from_others_knows_all_their_answers(tmp_path: Path) -> None:
    made = grid(earlier=[0, 5], population=["segments:2"])
    assert [setting.earlier for setting in made.settings] == [0, 5, 0]
    assert [setting.label for setting in made.settings][:2] == ["learner (k = 2)", "learner (k = 2, earlier=5)"]
    list(run_experiment(made, tmp_path))
    frame = read_records(tmp_path)
    gaps = {(row["strategy"], row["earlier"]): row["gap"] for row in frame.iter_rows(named=True)}
    assert gaps["learner", 0] == 0.0
    assert gaps["learner", 5] == 5 * 3
    assert set(frame["population"]) == {"segments:2"}
    assert not [step for step in run_experiment(made, tmp_path) if step.fresh]


def test_earlier_people_are_others_of_the_same_or_another_population() -> None:
    same = {"earlier": [4], "strategy": ["learner"], "population": ["segments:3"], "questions": 50}
    (setting,), (changed,) = (grid(**same, **more).settings for more in ({}, {"earlier_population": "segments:3/2"}))
    drawn = draw_people(SHIRTS, 1, first=FIRST_EARLIER, population="segments:3")
    assert setting.before.person(FIRST_EARLIER).weights.tolist() == next(drawn).weights.tolist()
    assert (setting.before.questions, setting.before.earlier) == (EARLIER_QUESTIONS, 0)
    other = draw_people(SHIRTS, 1, first=FIRST_EARLIER, population="segments:3/2")
    assert changed.before.person(FIRST_EARLIER).weights.tolist() == next(other).weights.tolist()
    assert changed.person(1).weights.tolist() == setting.person(1).weights.tolist()
    assert changed.unusual_options == "earlier=4 of segments:3/2"


@pytest.mark.parametrize("weights", ["ordered-sparse", "normal"])
def test_a_setting_is_its_text_and_keys_of_what_was_run_before_stay(weights: Weights) -> None:
    plain = Setting(space=LAMP, strategy=Learner(), weights=weights)
    assert not any(word in plain.text for word in ("population", "no_order", "earlier"))
    said: dict[str, Any] = {"population": "segments:2", "earlier": 3, "earlier_population": "segments:2/2"}
    if weights == "ordered-sparse":
        said["no_order"] = 0.5
    full = Setting(space=LAMP, strategy=Learner(), weights=weights, **said)
    twin = read_setting(full.text)
    assert {word: getattr(twin, word) for word in said} == said
    assert twin.person(2).weights.tolist() == full.person(2).weights.tolist()
    assert len({plain.key, full.key}) == 2


def test_what_people_said_is_their_history() -> None:
    people = list(draw_people(SHIRTS, 3, response=Response(reasons=1.0)))
    histories = list(interview_people(people, Scripted(), questions=4))
    assert [len(history) for history in histories] == [4, 4, 4]
    for person, history in zip(people, histories, strict=True):
        noise, talk = person.noise(), person.talk()
        assert [answer for _, answer in history] == [person.answer(q, "choice", noise, talk) for q, _ in history]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"strategy": ["random"], "earlier": [5]}, "random does not learn from 5 earlier people; leave earlier out"),
        ({"earlier": [-5]}, "-5 earlier people cannot be asked"),
        ({"earlier_population": "segments:2"}, "nobody of segments:2 was asked before; say how many with earlier"),
        ({"earlier": [2], "earlier_population": "segment"}, "the population is 'segment'"),
        ({"weights": ["uniform"], "no_order": [0.1]}, "follow no order anyway; leave no-order out"),
    ],
)
def test_what_makes_no_difference_is_refused(said: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        grid(**said)


def test_given_people_are_of_no_population() -> None:
    weights = next(draw_people(SHIRTS, 1)).weights
    with pytest.raises(OptionError, match=r"people\.csv says what its people value; leave"):
        Setting(space=SHIRTS, strategy=Learner(), weights="people.csv", given=(weights,), population="segments:2")
