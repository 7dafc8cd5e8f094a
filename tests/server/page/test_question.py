"""One question on the screen: all of it in view, where one stands, and back and forward in the browser."""

from __future__ import annotations

import json
import re
from typing import Literal

import pytest
from playwright.sync_api import Page, Route, expect

from setmargin.answers import Choice
from tests.server.page.browsing import READY, Visitor, answered, begin, place

LAPTOP, HANDY = (1366, 768), (390, 844)
LOOKS: list[tuple[tuple[int, int], Literal["light", "dark"], int]] = [
    (LAPTOP, "light", 4),
    (HANDY, "light", 4),
    (LAPTOP, "dark", 2),
]
PAIRS = "/c/lamp?policy=comparisons"


def in_view(page: Page, selector: str) -> bool:
    """Whether all of these are in the window as it is, and nothing lies over them."""
    seen: bool = page.locator(selector).evaluate_all(
        """all => all.length > 0 && all.every((each) => {
          const { left, right, top, bottom } = each.getBoundingClientRect();
          const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth
            && (each.contains(hit) || hit.matches(".tell") && hit.parentElement.contains(each));
        })"""
    )
    return seen


def answers(visitor: Visitor, page: Page) -> list[object]:
    return [answer for _, answer in visitor.interview(page).history]


@pytest.mark.parametrize(("size", "scheme", "options"), LOOKS)
def test_a_question_and_its_buttons_are_in_view_without_scrolling(
    visitor: Visitor, size: tuple[int, int], scheme: Literal["light", "dark"], options: int
) -> None:
    page = visitor.page(f"{PAIRS}&set_size={options}", size=size)
    page.emulate_media(color_scheme=scheme)
    begin(page)
    assert page.locator(".choose").count() == options
    for part in ("h1", ".options tbody .value", ".choose", ".dock button:not(:disabled)"):
        assert in_view(page, part), part
    page.locator(".choose").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What decided?")
    assert in_view(page, ".reason")
    assert in_view(page, ".choose")


def test_back_takes_back_the_last_answer_and_forward_puts_it_back(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    asked = page.locator(".options").inner_text()
    answered(page, lambda: page.keyboard.press("1"))
    answered(page, lambda: page.keyboard.press("2"))
    answered(page, lambda: page.evaluate("history.back()"))
    assert place(page) == "Question 2"
    expect(page.get_by_role("status")).to_contain_text("Your answer to question 2 is taken back")
    assert answers(visitor, page) == [Choice(0)]
    answered(page, page.get_by_role("button", name="Put it back").click)
    assert (place(page), answers(visitor, page)) == ("Question 3", [Choice(0), Choice(1)])
    for number in (2, 1):
        answered(page, lambda: page.evaluate("history.back()"))
        assert place(page) == f"Question {number}"
    assert page.locator(".options").inner_text() == asked
    answered(page, lambda: page.evaluate("history.forward()"))
    assert (place(page), answers(visitor, page)) == ("Question 2", [Choice(0)])


def test_undo_and_back_are_one_way(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    for key in "12":
        answered(page, lambda key=key: page.keyboard.press(key))  # type: ignore[misc]
    answered(page, page.get_by_role("button", name="Undo").click)
    answered(page, lambda: page.evaluate("history.back()"))
    assert (place(page), answers(visitor, page)) == ("Question 1", [])
    page.evaluate("history.back()")
    page.wait_for_selector(".wants")
    assert "/c/lamp" in page.url


def test_back_from_a_choice_shows_the_options_again(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    answered(page, lambda: page.keyboard.press("1"))
    page.keyboard.press("2")
    expect(page.get_by_role("heading", level=1)).to_have_text("What decided?")
    page.evaluate("history.back()")
    expect(page.get_by_role("heading", level=1)).to_have_text("Which would you rather have?")
    assert (place(page), answers(visitor, page)) == ("Question 2", [Choice(0)])
    answered(page, lambda: page.evaluate("history.back()"))
    assert (place(page), answers(visitor, page)) == ("Question 1", [])


def test_back_from_the_result_asks_the_last_question_again(visitor: Visitor) -> None:
    page = visitor.page(f"{PAIRS}&until=0.2")
    begin(page)
    count = 0
    while not page.url.endswith("/result"):
        answered(page, lambda: page.keyboard.press("1"))
        count += 1
    page.go_back()
    expect(page.locator(".progress strong")).to_have_text(f"Question {count}")
    expect(page.get_by_role("status")).to_contain_text("taken back")
    assert len(answers(visitor, page)) == count - 1


def test_undo_at_the_first_question_says_that_a_must_have_is_gone(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    page.get_by_label("Price at most").first.fill("45")
    begin(page)
    answered(page, page.get_by_role("button", name="Undo must-have").click)
    expect(page.get_by_role("status")).to_contain_text("No longer a must-have: price at most 45 €")
    expect(page.get_by_role("button", name="Must-haves")).to_have_text("Must-haves")


def test_where_one_stands_never_gets_worse_by_an_answer(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    sure = [0.7, 0.1, 0.95, 0.3]

    def rising(route: Route) -> None:
        reply = route.fetch()
        state = reply.json()
        state["stakes"] |= {"questions_left": 3 + 2 * state["version"], "probability_within": sure[state["answered"]]}
        route.fulfill(response=reply, body=json.dumps(state))

    page.route(re.compile(r"/api/v1/interviews/[^/]+(/answers|/undo)?$"), rising)
    begin(page)
    stands = page.locator(".progress span")
    expect(stands).to_have_text("About three questions make it sure")
    answered(page, lambda: page.keyboard.press("s"))  # a skip says nothing about anybody
    expect(stands).to_have_text("About three questions make it sure")
    answered(page, lambda: page.keyboard.press("1"))
    expect(stands).to_have_text("A first idea; about three more make it sure")
    answered(page, lambda: page.keyboard.press("1"))
    expect(stands).to_have_text("Sure; about three more make it sure")
    answered(page, lambda: page.keyboard.press("1"))
    page.reload()
    page.wait_for_selector(READY)
    expect(stands).to_have_text("Sure; about three more make it sure")


def test_the_best_so_far_says_what_the_last_answer_changed(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    before = 20

    def cheaper(route: Route) -> None:
        reply = route.fetch()
        state = reply.json()
        state["best"]["amounts"]["price"] = before + 5 * state["version"]
        route.fulfill(response=reply, body=json.dumps(state))

    page.route(re.compile(r"/api/v1/interviews/[^/]+(/answers)?$"), cheaper)
    begin(page)
    expect(page.locator(".best")).to_contain_text("First guess")
    answered(page, lambda: page.keyboard.press("1"))
    expect(page.locator(".best .became").first).to_have_text("Price 20\xa0€ →  now 25\xa0€")
    expect(page.locator("#live")).to_contain_text("price 25\xa0€ instead of 20\xa0€")
    page.keyboard.press("b")
    expect(page.locator(".drawer .quantity").first).to_contain_text("was 20\xa0€")
    assert page.locator(".drawer .body").get_attribute("tabindex") == "0"


@pytest.mark.parametrize("size", [LAPTOP, HANDY])
def test_messages_lie_over_no_button(visitor: Visitor, size: tuple[int, int]) -> None:
    page = visitor.page(f"{PAIRS}&set_size=4", size=size)
    begin(page)
    answered(page, lambda: page.keyboard.press("1"))
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_be_visible()
    page.wait_for_selector(READY)
    assert in_view(page, ".choose")
    assert in_view(page, ".dock button:not(:disabled), .top button")
