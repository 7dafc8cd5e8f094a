"""Why, and what to change: one more tap on the row that decided, or on what should be different."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from setmargin.answers import Change, Choice, Ranking
from tests.server.page.browsing import (
    MORE,
    PHONE,
    READY,
    SCREEN,
    Visitor,
    answered,
    begin,
    identity,
    overflow,
    parts,
    place,
)
from tests.server.page.talking import PAIRS, TALK, asked_for_change, question, rows, said


def dearest(asked: dict[str, Any]) -> int:
    """The number of the option that costs most, so that there are cheaper ones."""
    prices = [option["amounts"]["price"] for option in asked["options"]]
    return prices.index(max(prices))


def test_a_tap_on_a_row_says_what_decided(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    differing = rows(page)
    assert sorted(differing) == sorted(question(visitor, page)["differing"])
    page.locator(".choose").nth(1).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What decided?")
    assert visitor.api(f"/interviews/{identity(page)}")["answered"] == 0  # one screen, one event
    page.wait_for_selector(MORE)
    assert page.locator(".reason").count() == len(differing)
    answered(page, page.locator(".reason").nth(1).click, say_no_more=False)
    assert said(visitor, page) == [Choice(1, (differing[1],))]


def test_a_digit_says_what_decided_and_c_carries_on(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    differing = rows(page)
    assert sorted(differing) == sorted(question(visitor, page)["differing"])
    page.keyboard.press("1")
    page.wait_for_selector(MORE)
    assert page.evaluate("document.activeElement.textContent").startswith("Carry on")
    answered(page, lambda: page.keyboard.press("2"), say_no_more=False)
    page.keyboard.press("2")
    page.wait_for_selector(MORE)
    answered(page, lambda: page.keyboard.press("c"), say_no_more=False)
    page.keyboard.press("1")
    page.wait_for_selector(MORE)
    answered(page, lambda: page.keyboard.press("Enter"), say_no_more=False)
    assert said(visitor, page) == [Choice(0, (differing[1],)), Choice(1), Choice(0)]


def test_another_card_or_none_may_be_chosen_instead(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    page.keyboard.press("1")
    page.wait_for_selector(MORE)
    page.locator(".choose").nth(1).click()
    expect(page.locator("thead .chosen kbd")).to_have_text("2")
    page.wait_for_selector(MORE)
    page.keyboard.press("u")
    expect(page.get_by_role("heading", level=1)).to_have_text("Which would you rather have?")
    expect(page.locator(".chosen, .reason")).to_have_count(0)
    page.wait_for_selector(READY)
    page.keyboard.press("2")
    page.wait_for_selector(MORE)
    page.keyboard.press("Escape")
    expect(page.locator(".chosen")).to_have_count(0)
    assert place(page) == "Question 1"
    assert said(visitor, page) == []


def test_a_ranking_may_say_why(visitor: Visitor) -> None:
    page = visitor.page(f"{PAIRS}&set_size=3")
    begin(page)
    differing = rows(page)
    assert sorted(differing) == sorted(question(visitor, page)["differing"])
    for key in "r32":
        page.keyboard.press(key)
    page.wait_for_selector(MORE)
    answered(page, page.locator(".reason").first.click, say_no_more=False)
    assert said(visitor, page) == [Ranking((2, 1, 0), (differing[0],))]


def test_who_leaves_after_a_choice_has_made_it(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    page.keyboard.press("2")
    page.wait_for_selector(MORE)
    page.goto(visitor.address)
    page.go_back()
    expect(page.locator(".progress strong")).to_have_text("Question 2")
    assert said(visitor, page) == [Choice(1)]


@pytest.mark.parametrize("by", ["tap", "phone", "keys"])
def test_a_choice_and_what_to_change_about_it_are_one_answer(visitor: Visitor, by: str) -> None:
    page = visitor.page(TALK, size=PHONE if by == "phone" else SCREEN)
    asked = asked_for_change(visitor, page)
    page.locator(".choose").nth(1).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What would you change first about it?")
    page.wait_for_selector(MORE)
    changes = asked["changes"][1]
    thing = changes["attributes"][0]
    wish = Change(thing["name"], thing["values"][0]["value"], 1)
    row = "details[open]" if by == "phone" else ".flat"
    if by != "keys":
        if by == "phone":  # elsewhere there is room for all values
            page.locator(".panel details").first.locator("summary").click()
        effect = thing["values"][0]["amounts"].get("price")
        if effect:
            written = f"{abs(effect):.2f}".removesuffix(".00")
            expect(page.locator(f"{row} .value").first).to_contain_text(f"{'−' if effect < 0 else '+'}{written}")
        answered(page, page.locator(f"{row} .value").first.click, say_no_more=False)
    else:
        page.keyboard.press(str(len(changes["better"]) + 1))
        expect(page.locator(".flat.active")).to_have_count(1)
        answered(page, lambda: page.keyboard.press("1"), say_no_more=False)
    assert said(visitor, page) == [wish]


def test_better_nothing_or_no_more_than_the_choice(visitor: Visitor) -> None:
    expected: list[Choice | Change] = []
    for act, answer in (
        (lambda page: page.locator(".panel").get_by_role("button", name="cheaper").click(), Change("price")),
        (lambda page: page.keyboard.press("0"), Change()),
        (lambda page: page.get_by_role("button", name="Carry on").click(), Choice(0)),
    ):
        page = visitor.page(TALK)
        option = dearest(asked_for_change(visitor, page))
        page.keyboard.press(str(option + 1))
        page.wait_for_selector(MORE)
        answered(page, lambda act=act, page=page: act(page), say_no_more=False)  # type: ignore[misc]
        expected.append(answer)
        assert said(visitor, page) == [replace(answer, option=option)]
    assert len(expected) == 3


def test_from_the_changes_there_is_a_way_back(visitor: Visitor) -> None:
    page = visitor.page(TALK)
    asked_for_change(visitor, page)
    page.keyboard.press("1")
    page.wait_for_selector(MORE)
    page.get_by_role("button", name="Back to the options").click()
    expect(page.locator(".panel")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text("Which would you rather have?")
    page.wait_for_selector(READY)
    answered(page, lambda: page.keyboard.press("s"))
    assert len(said(visitor, page)) == 1


def test_a_single_configuration_is_changed_at_once_and_wishes_are_known(visitor: Visitor) -> None:
    """The server seldom asks so; here its first question is shown with one option."""
    page = visitor.page(TALK, size=PHONE)

    def with_one_option(route: Route) -> None:
        reply = route.fetch()
        state = reply.json()
        if state.get("question") and state["version"] == 0:
            asked = state["question"]
            for part in ("options", "changes"):
                asked[part] = asked[part][:1]
            asked["differing"], asked["besides"] = [], [{"name": "foot", "value": "steel"}]
        route.fulfill(response=reply, body=json.dumps(state))

    page.route(re.compile(r"/api/v1/interviews/[^/]+$"), with_one_option)
    begin(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("What would you change first about it?")
    expect(page.locator(".known")).to_contain_text("foot steel")
    expect(page.get_by_role("button", name="No difference")).to_have_count(0)
    assert overflow(page) <= 0
    page.locator("details.thing").first.locator("summary").click()
    assert overflow(page) <= 0
    answered(page, page.locator(".actions .nothing").click, say_no_more=False)
    assert said(visitor, page) == [Change()]


def test_the_best_so_far_can_be_changed_from_the_question(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    page.keyboard.press("b")
    page.get_by_role("button", name="Change something").click()
    window = page.get_by_role("dialog", name="Change something")
    window.locator("summary").first.click()
    answered(page, window.locator("details[open] .value").first.click, say_no_more=False)
    assert place(page) == "Question 2"
    (first,) = said(visitor, page)
    assert isinstance(first, Change)
    page.goto(f"{page.url}/result")
    assert parts(page)[first.name or ""].removesuffix(" lm") == str(first.value)


def test_answers_are_listed_with_what_was_said(visitor: Visitor) -> None:
    page = visitor.page(TALK)
    option = dearest(asked_for_change(visitor, page))
    page.keyboard.press(str(option + 1))
    page.wait_for_selector(MORE)
    answered(page, page.locator(".panel").get_by_role("button", name="cheaper").click, say_no_more=False)
    page.goto(f"{page.url}/result")
    page.locator(".given summary").click()
    expect(page.locator(".answers .said")).to_have_text("would change first: price lower")
    pressed = page.locator(".answers .option[aria-pressed=true]")
    expect(pressed).to_have_count(1)
    other = int(option == 0)
    page.locator(".answers .option").nth(other).click()
    page.get_by_role("button", name="Change my answer").click()
    expect(page.locator(".answers .said")).to_have_count(0)
    assert said(visitor, page) == [Choice(other)]
