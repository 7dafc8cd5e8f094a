"""Options of strategies by name, from the command line."""

from __future__ import annotations

from typing import Any

import pytest

from setmargin.cli.options import make_strategy_with, read_options
from setmargin.errors import OptionError


@pytest.mark.parametrize(
    ("strategy", "text", "value"),
    [
        ("eus", "particles=5000", 5000),
        ("eus", "sharpness = 2", 2),
        ("regret", "kind=setwise", "setwise"),
        ("bayes", "differences=3", 3),
        ("bayes", "differences=none", None),
        ("setmargin", "tuning=none", None),
        ("setmargin", "setting=[5, 1, 0.1]", [5, 1, 0.1]),
        ("setmargin", "setmargin.mode=exact", "exact"),
    ],
)
def test_a_value_reaches_the_strategy(strategy: str, text: str, value: Any) -> None:
    own = read_options([text], [strategy])[strategy]
    name = text.partition("=")[0].strip().removeprefix(f"{strategy}.")
    assert own == {name: value}
    assert make_strategy_with(strategy, {}, [text]).options()[name] == value


def test_all_that_know_an_option_get_it_and_one_may_be_named() -> None:
    found = read_options(["prior=normal", "qi.restarts=3", "eus.particles=100"], ["eus", "qi", "random"])
    assert found == {
        "eus": {"prior": "normal", "particles": 100},
        "qi": {"prior": "normal", "restarts": 3},
        "random": {},
    }


def test_an_option_is_known_by_its_old_name_too() -> None:
    assert read_options(["bayes.people=512"], ["bayes", "random"]) == {"bayes": {"samples": 512}, "random": {}}


def test_an_option_that_two_strategies_share_is_not_kept_from_the_second() -> None:
    assert make_strategy_with("regret", {"seconds": 3.0}).options()["seconds"] == 3.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("particles", "write NAME=VALUE"),
        ("partciles=3", "eus knows no option 'partciles'; did you mean particles?"),
        ("particles=many", "--option particles is 'many'; give a whole number, such as 50000"),
        ("particles=0.5", "give a whole number"),
        ("particles=true", "give a whole number"),
        ("sharpness=sharp", "--option sharpness is 'sharp'; give a number"),
        ("set_size=3", "give --set-size"),
        ("qi.particles=3", "qi does not ask here; there is eus"),
    ],
)
def test_mistakes_are_refused_with_their_cure(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        read_options([text], ["eus"])


def test_lists_and_mappings_are_written_as_json() -> None:
    for text, words in (("setting=5", "give a list, such as"), ("tuning=5", "give a mapping in JSON, or none")):
        with pytest.raises(OptionError, match=words):
            read_options([text], ["setmargin"])
