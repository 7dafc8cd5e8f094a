"""Claims about opening questions and languages at a terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from setmargin import loads
from setmargin.cli.terminal import formatting, help_page
from setmargin.cli.terminal.opening import ask_opening, read_opening
from setmargin.cli.terminal.screen import LineKeys, Screen
from setmargin.errors import OptionError
from tests.cli.talking import Scripted
from tests.space.presented import CHAIR

SPACE = loads(CHAIR)


def asked(keys: str, *, language: str = "en", given: dict[str, str] | None = None) -> tuple[dict[str, str], str]:
    console = Console(width=100, record=True, file=StringIO())
    answers = ask_opening(SPACE, Screen(console, Scripted(keys)), given or {}, language)
    return answers, console.export_text()


def test_one_key_answers_and_enter_leaves_it_open() -> None:
    assert asked("2")[0] == {"use": "party"}
    assert asked("9x1")[0] == {"use": "desk"}
    assert asked("\r")[0] == {}


def test_questions_are_asked_in_the_language() -> None:
    with formatting.speaking(SPACE.presentation, "de"):
        shown = asked("\r", language="de")[1]
    for words in ("Finde deinen Stuhl", "Wofür ist er?", "Du kannst das überspringen.", "1  Arbeiten"):
        assert words in shown


def test_what_is_given_is_not_asked_nor_are_those_who_do_not_see_it() -> None:
    assert asked("", given={"use": "any"})[0] == {"use": "any"}
    assert ask_opening(SPACE, Screen(Console(), LineKeys(StringIO(""))), {}, "en") == {}


def test_answers_are_written_as_question_and_answer() -> None:
    assert read_opening(["use=desk", "size = large"]) == {"use": "desk", "size": "large"}
    with pytest.raises(OptionError, match="--opening is 'use'; write QUESTION=ANSWER"):
        read_opening(["use"])
    with pytest.raises(OptionError, match="answers use twice"):
        read_opening(["use=a", "use=b"])


def test_titles_units_and_decimals_are_those_of_the_language() -> None:
    wood, legs, arms = SPACE.attributes
    price = SPACE.quantities[0]
    assert (formatting.label(wood), formatting.value(wood, "none")) == ("Wood", "none")
    with formatting.speaking(SPACE.presentation, "de"):
        assert (formatting.label(wood), formatting.value(wood, "none")) == ("Holz", "kein Holz")
        assert (formatting.value(legs, 4), formatting.value(arms, "yes")) == ("4", "yes")
        assert formatting.amount(price, 1480.4) == "1,480 €"
        console = Console(width=100, record=True, file=StringIO())
        console.print(help_page.keys(SPACE, None))
        assert "Holz  Woraus er ist." in console.export_text()
    assert formatting.label(wood) == "Wood"


def test_the_settings_of_the_terminal_say_which_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert formatting.languages_of_terminal() == []
    monkeypatch.setenv("LANG", "de_AT.UTF-8")
    assert formatting.languages_of_terminal() == ["de-AT"]
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert formatting.languages_of_terminal() == []
