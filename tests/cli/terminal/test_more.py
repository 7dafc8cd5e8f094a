"""Reasons and changes at the terminal: by keys one after the other, and in lines."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from setmargin.answers import Change, Choice, NoDifference, Question, Ranking, Skip, differing
from setmargin.cli.terminal import menu
from setmargin.cli.terminal.dialogue import Ending
from setmargin.cli.terminal.said import in_words, read_change, read_reasons
from setmargin.interview.interview import Interview
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.options import no_option
from tests.cli.talking import LAMP, Scripted, Talk

DESK, FLOOR, CEILING = (
    Configuration({"kind": kind, "colour": colour, "power": power, "dimmer": dimmer})
    for kind, colour, power, dimmer in (
        ("desk", "red", 5, "none"),
        ("floor", "red", 5, "touch"),
        ("ceiling", "blue", 20, "none"),
    )
)


@dataclass(frozen=True, kw_only=True)
class Prepared(Strategy[Belief]):
    """Asks prepared questions, and recommends the first option of the first one."""

    name = "prepared"

    questions: tuple[Question, ...] = no_option(())

    def _start(self, space: Space, seed: int) -> Belief:
        return Belief(space, seed)

    def _ask(self, belief: Belief) -> Question | None:
        new = [q for q in self.questions if not belief.was_asked(frozenset(q.options), q.besides)]
        return new[0] if new else None

    def _recommend(self, belief: Belief) -> Recommendation:  # noqa: ARG002
        return Recommendation(self.questions[0].options[0], LAMP.weights({"price": 1.0}))


PAIR = Question((DESK, FLOOR))
CHANGE_ONE = Question((DESK, CEILING), asks_for_change=True)
ALONE = Question((DESK,), besides=(("dimmer", "touch"),))


def asking(*questions: Question, space: Space = LAMP) -> Interview:
    return Interview(space, Prepared(questions=questions))


def said(talk: Talk) -> list[object]:
    return [answer for _, answer in talk.interview.history]


def pressed(interview: Interview, keys: str, lines: tuple[str, ...] = (), *, width: int = 80, height: int = 24) -> Talk:
    return Talk(interview, keys=Scripted(keys, lines), terminal=True, width=width, height=height)


# Reasons


def test_one_key_more_says_what_decided() -> None:
    assert differing(LAMP, PAIR.options) == ("kind", "dimmer", "price")
    talk = pressed(asking(PAIR), "23")
    assert said(talk) == [Choice(1, ("price",))]
    assert "What decided?" in talk.text


@pytest.mark.parametrize("enter", ["\r", "\n"])
def test_enter_gives_no_reason(enter: str) -> None:
    assert said(pressed(asking(PAIR), f"2{enter}")) == [Choice(1)]


@pytest.mark.parametrize("back", ["\x7f", "\b", "\x1b", "u"])
def test_whoever_goes_back_chooses_again(back: str) -> None:
    assert said(pressed(asking(PAIR), f"2{back}11")) == [Choice(0, ("kind",))]


def test_a_key_of_no_row_is_no_reason() -> None:
    talk = pressed(asking(PAIR), "29x1")
    assert said(talk) == [Choice(1, ("kind",))]
    assert "press the key of a row" in talk.text


def test_commands_leave_the_reason() -> None:
    assert said(pressed(asking(PAIR, ALONE), "2s")) == [Skip()]
    talk = pressed(asking(PAIR), "2q")
    assert (said(talk), talk.ending) == ([], Ending.QUIT)


def test_a_single_difference_needs_no_reason_and_equal_neither() -> None:
    other = Configuration({**DESK, "colour": "blue"})
    assert said(pressed(asking(Question((DESK, other))), "1")) == [Choice(0)]
    assert said(pressed(asking(PAIR), "=")) == [NoDifference()]


def test_what_puts_the_first_of_a_ranking_first() -> None:
    talk = Talk(asking(PAIR), keys=Scripted("213"), how="ranking", terminal=True)
    assert said(talk) == [Ranking((1, 0), ("price",))]
    assert said(Talk(asking(PAIR), "21 price", how="ranking")) == [Ranking((1, 0), ("price",))]


def test_more_rows_than_keys_come_one_page_after_the_other() -> None:
    many = Space({f"a{number}": ["x", "y"] for number in range(30)})
    options = tuple(many.configuration([value] * 30) for value in (0, 1))
    interview = Interview(many, Prepared(questions=(Question(options),)))
    assert said(pressed(interview, "1+2", height=60)) == [Choice(0, (f"a{len(menu.KEYS) + 1}",))]


# Changes


def test_after_a_choice_one_key_names_the_thing_and_one_the_value() -> None:
    talk = pressed(asking(CHANGE_ONE), "222")
    assert said(talk) == [Change("colour", "green", option=1)]
    assert "What would you change first?" in talk.text


def test_what_a_value_does_to_quantities_stands_beside_it() -> None:
    text = pressed(asking(ALONE), "1").text
    assert "floor" in text
    assert "+500 €" in text
    assert "+1,000 €" in text
    assert "something else has to change" in text


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("1\r", Choice(0)),
        ("10", Change()),
        ("2n", Change(option=1)),
        ("14", None),
        ("25", Change("price", option=1)),
        ("12\r0", Change()),
        ("12\x1b5", Change("price")),
        ("1\x7f25", Change("price", option=1)),
    ],
)
def test_nothing_a_quantity_and_ways_back(keys: str, answer: object) -> None:
    assert said(pressed(asking(CHANGE_ONE), keys)) == ([] if answer is None else [answer])


def test_a_single_configuration_asks_for_a_change_alone() -> None:
    talk = pressed(asking(ALONE), "21")
    assert said(talk) == [Change("colour", "green")]
    assert "known already: dimmer touch" in talk.text
    assert "What else would you change first?" in talk.text
    assert said(pressed(asking(ALONE), "0")) == [Change()]
    assert said(pressed(asking(ALONE), "s")) == [Skip()]


def test_enter_alone_changes_nothing_about_a_single_configuration() -> None:
    talk = pressed(asking(ALONE), "\r0")
    assert said(talk) == [Change()]
    assert "0 for nothing, or s to skip" in talk.text


def test_known_and_impossible_values_are_not_offered() -> None:
    interview = asking(ALONE)
    interview.require("colour != green")
    text = pressed(interview, "2").text
    offered = text[text.rindex("colour: red now") :]
    assert "blue" in offered
    assert "green" not in offered
    # The dimmer has no other value that is not known already, so the key after power is the price's.
    assert said(pressed(interview, "4")) == [Change("price")]


def test_what_a_wish_comes_to_is_said() -> None:
    talk = pressed(asking(ALONE, PAIR), "12")
    assert said(talk) == [Change("kind", "ceiling")]
    assert "Noted: kind ceiling. Then: +1,000 € · power" in talk.text


def test_undo_brings_the_question_about_changes_back() -> None:
    talk = pressed(asking(CHANGE_ONE, PAIR), "15u")
    assert said(talk) == []
    assert talk.interview.ask() == CHANGE_ONE


def test_a_wish_about_the_best_so_far_is_made_unasked_and_undone() -> None:
    talk = pressed(asking(PAIR), "w22")
    assert talk.interview.history == ((Question((DESK,)), Change("colour", "blue")),)
    assert talk.interview.ask() == PAIR
    assert said(pressed(asking(PAIR), "w22u")) == []
    for keys in ("w\r", "w\x7f", "wu"):
        assert said(pressed(asking(PAIR), keys)) == []


def test_an_answer_can_become_another_with_a_reason_or_a_change() -> None:
    talk = pressed(asking(PAIR, CHANGE_ONE, ALONE), "2\r1\rc23c15", ("1", "2"))
    assert said(talk) == [Choice(1, ("price",)), Change("price")]


def test_taking_the_only_option_takes_the_best_so_far() -> None:
    talk = pressed(asking(ALONE), "tt")
    assert (talk.ending, talk.dialogue.taken) == (Ending.TAKEN, None)


# Lines


def test_lines_without_reasons_mean_what_they_meant() -> None:
    assert said(Talk(asking(PAIR, CHANGE_ONE), "1", "2")) == [Choice(0), Choice(1)]


@pytest.mark.parametrize(
    ("question", "line", "answer"),
    [
        (PAIR, "2 price", Choice(1, ("price",))),
        (PAIR, "2 Price, KIND", Choice(1, ("price", "kind"))),
        (PAIR, "1 power = 20 W", Change("power", 20)),
        (CHANGE_ONE, "2 colour = green", Change("colour", "green", option=1)),
        (CHANGE_ONE, "1 price", Change("price")),
        (CHANGE_ONE, "2 0", Change(option=1)),
        (ALONE, "colour=blue", Change("colour", "blue")),
        (ALONE, "price", Change("price")),
        (ALONE, "nothing", Change()),
        (ALONE, "0", Change()),
        (ALONE, "1", Change()),
    ],
)
def test_a_line_says_it_all(question: Question, line: str, answer: object) -> None:
    assert said(Talk(asking(question), line)) == [answer]


@pytest.mark.parametrize(
    ("question", "line", "message"),
    [
        (PAIR, "2 colour", "The reason colour is the same in all options"),
        (PAIR, "2 weight", "'weight' is unknown"),
        (ALONE, "colour = red", "Colour is red already"),
        (ALONE, "colour = pink", "pink"),
        (ALONE, "colour = green", "Colour cannot be green with the rules and must-haves"),
        (ALONE, "dimmer = touch", "known already"),
        (ALONE, "colour =", "should be what"),
        (ALONE, "weight", "'weight' cannot be changed"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused_and_nothing_is_lost(
    question: Question, line: str, message: str
) -> None:
    interview = asking(question)
    interview.require("colour != green")
    talk = Talk(interview, line, "1")
    assert message in " ".join(talk.text.split())
    assert len(said(talk)) == 1


def test_a_wish_is_a_line_of_its_own() -> None:
    assert said(Talk(asking(PAIR), "w", "colour = blue")) == [Change("colour", "blue")]
    assert said(Talk(asking(PAIR), "w", "")) == []
    talk = Talk(asking(PAIR), "w", "colour = red")
    assert said(talk) == []
    assert "Nothing changed: colour is red already" in talk.text


def test_reasons_and_changes_are_saved_and_listed(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    interview = Interview(LAMP, "random")
    talk = Talk(interview, "1", "w", "price", "c", "", save_to=file, width=100)
    assert Interview.load(file).events == interview.events
    assert "   2  lower price" in talk.text


# Words and lists


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        (PAIR, Choice(1, ("price", "kind")), "option 2, because of price, kind"),
        (PAIR, NoDifference(("kind",)), "no difference, whatever the kind"),
        (CHANGE_ONE, Change("power", 20), "option 1, but power 20 W"),
        (CHANGE_ONE, Change(option=1), "option 2, nothing to change"),
        (ALONE, Change("price"), "lower price"),
        (ALONE, Change(), "nothing to change"),
        (ALONE, Skip(), "skipped"),
    ],
)
def test_answers_in_words(question: Question, answer: Change, words: str) -> None:
    assert in_words(LAMP, question, answer) == words


def test_words_are_read_as_they_are_written() -> None:
    assert read_reasons(LAMP, " price ,, Kind") == ("price", "kind")
    assert read_change(LAMP, "Power = 10 w", 1) == Change("power", 10, 1)


@pytest.mark.parametrize(("width", "height", "pages"), [(80, 14, 2), (80, 6, 3), (40, 14, 3), (120, 30, 2)])
def test_long_lists_fit_the_screen(width: int, height: int, pages: int) -> None:
    entries = [menu.Entry(str(n), f"Intel Pentium {1000 + n}", Text(f"+{n} €")) for n in range(36)]
    shown: list[str] = []
    for number in range(pages):
        page = menu.paged(entries, number, width=width, height=height)
        assert page.pages == pages
        assert len(page.picks) == len(page.entries)
        console = Console(file=StringIO(), width=width)
        lines = console.render_lines(page.table(width=width, height=height), pad=False)
        assert len(lines) <= height
        text = "\n".join("".join(segment.text for segment in line) for line in lines)
        assert all(entry.label in text for _, entry in page.entries)
        shown += [entry.name for _, entry in page.entries]
    assert shown == [entry.name for entry in entries]
