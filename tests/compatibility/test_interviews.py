"""Interviews that an earlier setmargin saved (commit b44ee99), one with each strategy, are continued as they were.

`expected.json` has what that version then asked and recommended.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from setmargin.answers import Choice, NoDifference, Skip
from setmargin.interview.interview import Interview
from setmargin.strategies.bayes.strategy import Bayes
from setmargin.strategies.registry import strategy_names

FILES = Path(__file__).parent / "interviews"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FILES / "expected.json").read_text(encoding="utf-8"))
# These ask and recommend what a solver found; among equals it may find another one.
BY_SOLVER = {"setmargin", "regret", "polyhedral"}
OURS = set(strategy_names())  # now: other tests may register some of their own


def test_there_is_a_file_of_every_strategy_that_there_was() -> None:
    assert set(EXPECTED) == {path.stem for path in FILES.glob("*.json")} - {"expected"}
    assert len(EXPECTED) == 9
    assert set(EXPECTED) <= OURS


@pytest.mark.parametrize("name", EXPECTED)
def test_an_old_file_opens_with_all_that_happened(name: str) -> None:
    interview = Interview.load(FILES / f"{name}.json")
    assert interview.strategy.name == name
    assert [answer for _, answer in interview.history] == [Choice(1), Skip(), Choice(1), NoDifference()]
    assert [type(event).__name__ for event in interview.events][2::3] == ["Required", "Dropped"]
    assert interview.must_haves == ()


def test_what_older_files_do_not_name_is_as_it_was_then() -> None:
    strategy = Interview.load(FILES / "bayes.json").strategy
    assert isinstance(strategy, Bayes)
    assert (strategy.policy, strategy.set_size) == ("comparisons", 2)


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - BY_SOLVER - {"bayes"}))
def test_it_goes_on_with_the_same_question(name: str) -> None:
    question = Interview.load(FILES / f"{name}.json").ask()
    assert question is not None
    assert [dict(option) for option in question.options] == EXPECTED[name]["question"]


def test_bayes_goes_on_asking_in_the_same_way() -> None:
    """Not with the same question: quantities count as differences now, and its file allows two."""
    interview = Interview.load(FILES / "bayes.json")
    question = interview.ask()
    assert question is not None
    assert (len(question.options), question.asks_for_change) == (2, False)
    assert sum(question.options[0][name] != question.options[1][name] for name in question.options[0]) <= 2


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - BY_SOLVER - {"random"}))
def test_it_has_the_same_recommendation(name: str) -> None:
    recommendation = Interview.load(FILES / f"{name}.json").recommend()
    assert dict(recommendation.configuration) == EXPECTED[name]["recommendation"]


@pytest.mark.parametrize("name", EXPECTED)
def test_saved_again_it_keeps_its_strategy_and_events(name: str, tmp_path: Path) -> None:
    interview = Interview.load(FILES / f"{name}.json")
    interview.save(tmp_path / "again.json")
    again = Interview.load(tmp_path / "again.json")
    assert again.strategy == interview.strategy
    assert again.events == interview.events
    old, new = (json.loads(path.read_text())["strategy"] for path in (FILES / f"{name}.json", tmp_path / "again.json"))
    old = {"samples" if option == "people" else option: value for option, value in old.items()}
    assert [(option, value) for option, value in new.items() if option in old] == list(old.items())


def test_the_sample_of_bayes_was_called_people() -> None:
    assert json.loads((FILES / "bayes.json").read_text())["strategy"]["people"] == 64
    strategy = Interview.load(FILES / "bayes.json").strategy
    assert strategy == Bayes(
        policy="comparisons", set_size=2, samples=64, until=0.0, differences=2, hints={"price": 0.9}
    )
