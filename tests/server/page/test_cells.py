"""A tap on the table itself: the cell that decided, or what it should be instead, takes its option at once."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from setmargin.answers import Change, Choice
from tests.server.page.accessible import findings
from tests.server.page.browsing import MORE, PHONE, READY, SCREEN, Visitor, answered, begin, overflow, place
from tests.server.page.talking import PAIRS, TALK, asked_for_change, question, rows, said


def cell(name: str, option: int) -> str:
    return f'.options tr[data-name="{name}"] [data-place="{option}"]'


def decisive(asked: dict[str, Any]) -> tuple[str, int]:
    """An attribute in which the options differ, and an option."""
    quantities = asked["options"][0]["amounts"]
    return next(name for name in asked["differing"] if name not in quantities), 1


@pytest.mark.parametrize("size", [SCREEN, PHONE])
def test_a_tap_on_a_cell_takes_its_option_and_says_why(visitor: Visitor, size: tuple[int, int]) -> None:
    page = visitor.page(PAIRS, size=size)
    begin(page)
    name, option = decisive(question(visitor, page))
    expect(page.locator(".lead")).to_contain_text("tap the value that decided")
    value = page.locator(f"{cell(name, option)} .value").inner_text()
    button = page.locator(f"{cell(name, option)} .because")
    expect(button).to_have_accessible_name(f"Rather option {option + 1}, because of {titled(name)}: {value}")
    answered(page, button.click, say_no_more=False)
    assert said(visitor, page) == [Choice(option, (name,))]
    expect(page.locator(".lead")).to_have_text(f"Noted: option {option + 1}, because of {titled(name)}.")
    assert overflow(page) <= 0
    answered(page, page.get_by_role("button", name="Undo").click)
    assert said(visitor, page) == []
    expect(page.locator(".lead")).not_to_contain_text("Noted")


def rest(page: Page, where: str) -> None:
    """The mouse comes to a cell, which opens nothing, and rests on its arrow, which is shown then."""
    page.locator(f"{where} .tell").hover(position={"x": 5, "y": 5})
    expect(page.locator(".instead")).to_have_count(0)
    page.locator(f"{where} .arrow").hover()


def titled(name: str) -> str:
    return {"brightness": "luminous flux"}.get(name, name)


def test_a_reason_can_be_taken_back_from_the_result(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    name, option = decisive(question(visitor, page))
    answered(page, page.locator(f"{cell(name, option)} .because").click, say_no_more=False)
    page.goto(f"{page.url}/result")
    page.locator(".given summary").click()
    expect(page.locator(".answers .said")).to_contain_text(f"because of {titled(name)}")
    page.get_by_role("button", name="take the reason back").click()
    page.get_by_role("button", name="Change my answer").click()
    expect(page.locator(".answers .said")).to_have_count(0)
    assert said(visitor, page) == [Choice(option)]


def test_cells_are_one_stop_for_the_keyboard_and_arrows_go_between_them(visitor: Visitor) -> None:
    page = visitor.page(PAIRS)
    begin(page)
    name, option = rows(page)[-1], 1
    first = page.locator(".options .tell").first
    assert page.locator('.options .tell[tabindex="0"]').count() == 1
    first.focus()
    page.keyboard.press("Tab")
    expect(page.locator(".choose").first).to_be_focused()
    last = page.locator(f"{cell(name, option)} .tell")
    last.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(last).to_be_focused()
    answered(page, lambda: page.keyboard.press("Enter"), say_no_more=False)
    assert said(visitor, page) == [Choice(option, (name,))]


def test_what_is_worst_decided_for_nobody(visitor: Visitor) -> None:
    """A tap there takes the option like anywhere else in its column, and the page asks why."""
    page = visitor.page(PAIRS)
    begin(page)
    prices = [option["amounts"]["price"] for option in question(visitor, page)["options"]]
    dearest = prices.index(max(prices))
    assert min(prices) < max(prices)
    expect(page.locator(f"{cell('price', 1 - dearest)} .because")).to_have_count(1)
    page.locator(f"{cell('price', dearest)} .value").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What decided?")
    page.wait_for_selector(MORE)
    page.keyboard.press("Escape")
    assert said(visitor, page) == []


def test_the_mouse_rests_on_an_arrow_and_one_press_takes_the_option_with_a_change(visitor: Visitor) -> None:
    page = visitor.page(TALK)
    asked = asked_for_change(visitor, page)
    name, option = decisive(asked)
    rest(page, cell(name, option))
    listed = page.locator(".instead .value")
    expect(listed.first).to_be_visible()
    changes = next(each for each in asked["changes"][option]["attributes"] if each["name"] == name)
    assert listed.count() == len(changes["values"])
    page.mouse.move(1, 1)
    expect(page.locator(".instead")).to_have_count(0)
    rest(page, cell(name, option))
    answered(page, listed.first.click, say_no_more=False)
    assert said(visitor, page) == [Change(name, changes["values"][0]["value"], option)]
    expect(page.locator(".lead")).to_contain_text(f"Noted: option {option + 1}, but {titled(name)}")


def test_beside_an_option_there_is_all_that_can_be_changed_about_it(visitor: Visitor) -> None:
    page = visitor.page(TALK)
    asked = asked_for_change(visitor, page)
    page.locator(".alter").nth(2).hover()
    listed = page.locator(".instead.all .value")
    expect(listed.first).to_be_visible()
    changes = asked["changes"][2]
    assert listed.count() == sum(len(each["values"]) for each in changes["attributes"]) + len(changes["better"])
    grave = findings(page, "dark", SCREEN) + findings(page, "light", SCREEN)
    thing = changes["attributes"][-1]
    wish = page.locator(f'.instead [data-name="{thing["name"]}"]').first
    answered(page, wish.click, say_no_more=False)
    assert said(visitor, page) == [Change(thing["name"], thing["values"][0]["value"], 2)]
    answered(page, page.get_by_role("button", name="Undo").click)
    page.locator(".alter").nth(2).click()
    page.wait_for_selector(MORE)
    expect(page.get_by_role("heading", level=1)).to_have_text("What would you change first about it?")
    assert grave == []


def test_a_tap_on_a_phone_opens_the_list_and_another_one_elsewhere_closes_it(visitor: Visitor) -> None:
    page = visitor.page(TALK, size=PHONE, touch=True)
    asked = asked_for_change(visitor, page)
    name, option = decisive(asked)
    opener = page.locator(f"{cell(name, option)} .rather")
    opener.tap()
    expect(opener).to_have_attribute("aria-expanded", "true")
    page.wait_for_timeout(400)  # a finger that is lifted leaves the table, but closes nothing
    expect(page.locator(".instead .value").first).to_be_visible()
    assert overflow(page) <= 0
    assert findings(page, "light", PHONE) == []
    page.locator("h1").tap()
    expect(page.locator(".instead")).to_have_count(0)
    page.wait_for_selector(READY)
    assert place(page) == "Question 1"
    opener.tap()
    answered(page, page.locator(".instead .value").first.tap, say_no_more=False)
    (wish,) = said(visitor, page)
    assert isinstance(wish, Change)
    assert (wish.name, wish.option) == (name, option)
