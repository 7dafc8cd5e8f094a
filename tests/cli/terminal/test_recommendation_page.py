from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from setmargin.cli.terminal import formatting, recommendation_page
from setmargin.interview.explain import Explanation
from setmargin.interview.interview import Interview
from setmargin.space.catalogue import load
from setmargin.space.space import Configuration
from tests.cli.talking import LAMP, Scripted, Talk, lamp, lamp_by_margin
from tests.cli.terminal.pages import BLUE, DESK, drawn, examples, table_of


def explanation(runner_up: Configuration | None, **separation: float) -> Explanation:
    return Explanation(
        configuration=DESK,
        amounts=LAMP.amounts(DESK),
        utility=1.0,
        contributions={},
        importance={"kind": 0.6, "price": 0.3, "power": 0.08, "colour": 0.02, "dimmer": 0.0},
        runner_up=runner_up,
        separation=separation,
    )


def test_a_recommendation_shows_amounts_and_what_mattered() -> None:
    rows = table_of(drawn(recommendation_page.recommendation(LAMP, explanation(BLUE), width=80)))
    assert "1,000 €" in rows["price"]
    assert rows["kind"].rstrip().endswith(" █████████████ 60%")
    assert rows["price"].rstrip().endswith(" ██████▌ 30%")
    assert rows["power"].rstrip().endswith(" █▊ 8%")
    assert "%" not in rows["colour"] + rows["dimmer"]


def test_the_runner_up_shows_only_what_separates_it_and_which_way() -> None:
    text = drawn(
        recommendation_page.recommendation(LAMP, explanation(BLUE, kind=0.5, colour=-0.2, price=0.0), width=80)
    )
    rows = table_of(text)
    assert "floor worse" in rows["kind"]
    assert "blue better" in rows["colour"]
    assert re.search(r"1,500 € \(\+500\) +█", rows["price"])
    assert rows["power"].count("10 W") == 1
    assert "comes close." in text


def test_a_runner_up_that_is_as_good_is_said_to_be() -> None:
    assert "as good, as far as is known." in drawn(
        recommendation_page.recommendation(LAMP, explanation(BLUE, kind=0.0), width=80)
    )


def test_nothing_is_said_about_importance_when_nothing_is_known() -> None:
    nothing = Explanation(DESK, LAMP.amounts(DESK), 0.0, {}, {"kind": 0.0, "price": 0.0}, None, {})
    assert "matters" not in drawn(recommendation_page.recommendation(LAMP, nothing, width=80))


@pytest.mark.parametrize("largest", range(4, 101))
def test_bars_of_one_length_carry_one_number(largest: int) -> None:
    assert len({recommendation_page._blocks(share, largest) for share in range(3, largest + 1)}) == largest - 2


def matters(importance: dict[str, float], *, runner_up: Configuration | None = BLUE, informed: bool = True) -> str:
    why = Explanation(DESK, LAMP.amounts(DESK), 1.0, {}, importance, runner_up, {})
    return drawn(recommendation_page.recommendation(LAMP, why, width=80, informed=informed))


KNOWN = {"kind": 0.6, "price": 0.4, "power": 0.0, "colour": 0.0, "dimmer": 0.0}


def test_nothing_is_said_about_importance_before_the_first_strict_answer_or_without_an_alternative() -> None:
    assert "matters" in matters(KNOWN)
    assert "matters" not in matters(KNOWN, informed=False)
    assert "matters" not in matters(KNOWN, runner_up=None)


@pytest.mark.parametrize(("typed", "known"), [(["=", "s"], False), (["=", "1"], True), ([], False)])
def test_only_a_strict_answer_says_what_matters(typed: list[str], known: bool) -> None:
    talk = Talk(lamp(), *typed)
    assert recommendation_page.informed(talk.interview.history) == known
    assert known or "matters" not in talk.finish()


def test_shares_that_are_all_alike_get_a_word_instead_of_bars() -> None:
    flat = matters(dict.fromkeys(KNOWN, 0.2) | {"kind": 0.21, "price": 0.19})
    assert "How much it matters: all about the same so far." in flat
    assert "%" not in flat
    some = matters(KNOWN | {"kind": 0.5, "price": 0.5})
    assert "How much it matters: kind, price all about the same so far, the rest less." in some
    assert "60%" in matters(KNOWN)
    assert "100%" in matters(dict.fromkeys(KNOWN, 0.0) | {"kind": 1.0})


@pytest.mark.parametrize("name", ["bicycle", "pc", "trip", "laptop"])
@pytest.mark.parametrize("width", [24, 30, 40, 60])
def test_a_recommendation_never_cuts_a_value(name: str, width: int) -> None:
    space, (best, other) = examples(name, 2)
    why = Explanation(best, space.amounts(best), 1.0, {}, dict.fromkeys(best, 0.1) | {"x": 0.5}, other, {})
    text = drawn(recommendation_page.recommendation(space, why, width=width), width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    seen = "".join(text.split())
    assert width > 30 or all("".join(str(value).split()) in seen for value in best.values())


@pytest.mark.parametrize("name", ["bicycle", "pc", "trip", "laptop"])
@pytest.mark.parametrize("typed", ["", "12", "1r2"])
@pytest.mark.parametrize("make", [lamp, lamp_by_margin])
def test_the_last_page_fits_a_terminal_of_80_by_24(name: str, typed: str, make: Callable[..., Interview]) -> None:
    interview = make(space=load(name))
    rule = "price >= 0" if interview.space.quantities else ""
    talk = Talk(interview, keys=Scripted(typed, (rule,)), budget=2, terminal=True, height=24)
    lines = talk.finish().split("\x1b[2J\x1b[H")[-1].splitlines()
    assert interview.space.title in lines[0]
    assert len(lines) <= 23
    page = "".join(re.sub(r"\x1b\[[0-9;]*m", "", "".join(lines)).split())
    assert all("".join(formatting.label(attribute).split()) in page for attribute in interview.space.attributes)


@pytest.mark.parametrize("name", ["bicycle", "pc", "trip", "laptop"])
def test_the_last_page_of_60_columns_cuts_nothing_and_says_how_sure_it_is(name: str) -> None:
    talk = Talk(lamp(space=load(name)), *"1212", width=60, budget=4)
    text = talk.finish()
    assert max(map(len, text.splitlines())) <= 60
    assert "…" not in text
    assert re.search(r"\d+–\d+%", text)
    assert "expected loss" in text.lower()


def test_the_last_page_sums_up() -> None:
    talk = Talk(lamp(), "1", "s", "r", "kind = desk", budget=2)
    assert "That was the last screen. 2 screens · 1 skipped." in talk.finish()
