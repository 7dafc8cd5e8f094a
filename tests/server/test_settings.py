"""Settings are checked, and keep the token to themselves."""

from __future__ import annotations

import re

import pytest

from setmargin.errors import OptionError
from setmargin.server.settings import Settings
from tests.server.api.calling import TOKEN


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"workers": 0}, "0 workers cannot work"),
        ({"seconds": 0}, "the time limit is 0 seconds"),
        ({"rate": -1}, "the rate is -1"),
        ({"burst": 0}, "bursts of 0"),
        ({"learning_least": 9}, "learning from 9 people would say too much about each of them; give 10 or more"),
        ({"allowed_strategies": ("nonsense",)}, "no strategy 'nonsense'; allow one of bayes, setmargin, random"),
        ({"allowed_set_size": 7}, "questions of 7 options cannot be allowed; give 2 to 6"),
        ({"learning_seconds": 0}, "the time limit of learning is 0 seconds"),
        ({"owner_token": "short"}, "has 5 characters"),
        ({"uploads": True}, "uploads need the owner's token"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=re.escape(said)):
        Settings(database="sqlite:///x.db", **wrong)  # type: ignore[arg-type]


def test_the_token_is_in_no_text_about_the_settings() -> None:
    assert TOKEN not in repr(Settings(database="sqlite:///x.db", owner_token=TOKEN))
