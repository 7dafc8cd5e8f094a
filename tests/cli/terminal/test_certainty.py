"""How sure we are, in plain words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from setmargin.answers import Change, Choice, Question
from setmargin.cli.terminal import certainty, formatting, help_page, recommendation_page
from setmargin.interview.explain import Decisive, Explanation
from setmargin.strategies.base import Stakes
from tests.cli.talking import LAMP
from tests.cli.terminal.pages import BLUE, DESK, FLOOR, drawn, table_of

SHARES = {"kind": 0.5, "price": 0.3, "power": 0.1, "colour": 0.1, "dimmer": 0.0}
ENDS = {"kind": (0.4, 0.6), "price": (0.0, 0.4), "power": (0.1, 0.1), "colour": (0.05, 0.2), "dimmer": (0.0, 0.0)}


def decisive(number: int) -> Decisive:
    return Decisive(number, Question((DESK, FLOOR)), Choice(0), FLOOR, 0.1)


def why(*numbers: int) -> Explanation:
    return Explanation(
        DESK, LAMP.amounts(DESK), 1.0, {}, SHARES, BLUE, {}, intervals=ENDS, decisive=tuple(map(decisive, numbers))
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0%"), (0.001, "under 1%"), (0.12, "12%"), (0.994, "99%"), (0.999, "over 99%"), (1.0, "100%")],
)
def test_nearly_nothing_and_nearly_all_are_not_said_to_be_nothing_and_all(share: float, text: str) -> None:
    assert formatting.percent(share) == text


def test_progress_is_one_short_line() -> None:
    assert certainty.progress(Stakes(0.12, 0.4, 5), 9) == "expected loss 12%, about 5 screens left"
    assert certainty.progress(Stakes(0.04, 0.8, 1), 1) == "expected loss 4%, about 1 screen left"
    assert certainty.progress(Stakes(0.02, 0.9, 0), 1) == "expected loss 2%, almost done"


def test_more_questions_than_there_will_be_are_not_promised() -> None:
    assert certainty.progress(Stakes(0.42, 0.4, 10), 9) == "expected loss 42%"


def test_certainty_is_said_where_there_is_some() -> None:
    sure = "Expected to be within 2% of your best; 93% sure it is within 5%."
    assert certainty.certainty(Stakes(0.02, 0.93, 0)) == sure
    assert certainty.certainty(Stakes(0.0, 1.0, 0)) == "Sure to be the best for you, as far as your answers go."
    unsure = "Not sure yet: expected loss 24%; about 9 more screens would tell."
    assert certainty.certainty(Stakes(0.24, 0.05, 9)) == unsure
    assert certainty.certainty(Stakes(0.07, 0.4, 0)) == "Not sure yet: expected loss 7%."


def test_a_decisive_answer_is_named_with_what_would_be_otherwise() -> None:
    (line,) = certainty.decisive(LAMP, why(3), width=70, most=3)
    assert line == "Your answer 4 decided; otherwise: kind floor · power 20 W · 1 more"
    (line,) = certainty.decisive(LAMP, why(3), width=120, most=3)
    assert line.endswith("kind floor · power 20 W · dimmer touch")


def test_decisive_answers_are_marked_in_the_list_of_all_answers() -> None:
    text = drawn(help_page.answers(LAMP, ((Question((DESK, FLOOR)), Choice(0)),) * 2, why(1), width=80))
    first, second = (line for line in text.splitlines() if "option 1" in line)
    assert "decided" not in first
    assert second.endswith("decided; otherwise: kind floor · power 20 W · dimmer touch")


def test_notes_about_long_answers_stand_on_a_line_of_their_own() -> None:
    said = Choice(0, ("kind", "power", "dimmer", "price"))
    text = drawn(help_page.answers(LAMP, ((Question((DESK, FLOOR)), said),), why(0), width=60), 60)
    assert "option 1, because of kind, power, dimmer, price\n      decided; otherwise: kind floor" in text
    assert max(map(len, text.splitlines()[:-3])) <= 60


def test_a_decisive_reason_or_change_is_quoted() -> None:
    question = Question((DESK, FLOOR))
    for answer, said in (
        (Choice(0, ("price",)), "Your answer 4 (because of price) decided; "),
        (Change("power", 20), "Your answer 4 (but power 20 W) decided; "),
        (Change(), "Your answer 4 decided; "),
    ):
        told = why(3)
        assert told.decisive
        told = replace(told, decisive=(replace(told.decisive[0], question=question, answer=answer),))
        (line,) = certainty.decisive(LAMP, told, width=120, most=1)
        assert line.startswith(said)


def test_at_least_one_change_is_named_however_narrow_the_screen() -> None:
    (line,) = certainty.decisive(LAMP, why(3), width=10, most=3)
    assert line.endswith("kind floor · 2 more")


def test_bars_are_solid_as_far_as_is_certain() -> None:
    rows = table_of(drawn(recommendation_page.recommendation(LAMP, why(), width=80)))
    assert rows["kind"].rstrip().endswith(" ████████▋░░░░ 40–60%")
    assert rows["price"].rstrip().endswith(" ░░░░░░░░░ 0–40%")
    assert rows["power"].rstrip().endswith(" ██▏ 10%")
    assert "%" not in rows["dimmer"]


def test_ranges_stand_without_bars_where_these_would_not_fit() -> None:
    text = drawn(recommendation_page.recommendation(LAMP, why(), width=45), 45)
    assert "40–60%" in text
    assert "░" not in text
    assert max(map(len, text.splitlines())) <= 45


@pytest.mark.parametrize(("height", "named", "rows"), [(None, 3, 5), (14, 3, 5), (13, 2, 5), (12, 1, 5)])
def test_where_the_screen_is_small_rows_stay_longer_than_decisive_answers(
    height: int | None, named: int, rows: int
) -> None:
    page = recommendation_page.recommendation(LAMP, why(0, 1, 2), Stakes(0.02, 0.93, 0), width=80, height=height)
    text = drawn(page)
    assert text.count("decided; otherwise") == named
    assert len(set(table_of(text.split("also:")[0])) & set(SHARES)) == rows
    assert height is None or len(text.splitlines()) <= height


def test_who_has_said_nothing_is_told_nothing() -> None:
    page = recommendation_page.recommendation(LAMP, why(0), Stakes(0.02, 0.93, 0), width=80, informed=False)
    assert "decided" not in drawn(page)
    assert "sure" not in drawn(page)
