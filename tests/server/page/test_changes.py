"""Changing one's mind, must-haves that cannot be, other tabs, and connections that fail."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from setmargin import Interview
from setmargin.answers import Choice, NoDifference
from tests.server.page.browsing import (
    PHONE,
    Visitor,
    answered,
    begin,
    carry_on,
    facts,
    identity,
    parts,
    place,
    without_narrowing,
)


def answers(visitor: Visitor, page: Page) -> list[object]:
    return [answer for _, answer in visitor.interview(page).history]


def test_undo_brings_the_question_back(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    before = page.locator(".options").inner_text()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    answered(page, page.locator(".choose").first.click)
    assert page.locator(".options").inner_text() != before
    answered(page, page.get_by_role("button", name="Undo").click)
    assert page.locator(".options").inner_text() == before
    assert answers(visitor, page) == []


def test_a_changed_answer_is_learnt_from(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    for _ in range(3):
        answered(page, lambda: page.keyboard.press("1"))
    page.goto(f"{page.url}/result")
    second = page.locator("#answer-2")
    page.locator(".given summary").click()
    second.locator(".option").nth(1).click()
    second.get_by_role("button", name="Change my answer").click()
    expect(page.locator(".done")).to_contain_text("Changed")
    expect(second.locator(".option").nth(1)).to_have_attribute("aria-pressed", "true")
    assert answers(visitor, page) == [Choice(0), Choice(1), Choice(0)]
    interview = visitor.interview(page)
    foot = interview.recommend().configuration["foot"]
    assert parts(page)["foot"] == foot
    page.locator(".importances summary").click()
    shares = [f"{round(100 * share)}%" for share in interview.explain().importance.values() if share >= 0.03]
    assert page.locator(".importance .much").all_inner_texts() == shares


def test_a_download_goes_on_in_python(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    answered(page, lambda: page.keyboard.press("="))
    page.goto(f"{page.url}/result")
    with page.expect_download() as download:
        page.locator(".keep summary").click()
        page.get_by_role("link", name="Download").click()
    download.value.save_as(tmp_path / "interview.json")
    assert Interview.load(tmp_path / "interview.json").history == visitor.interview(page).history
    assert answers(visitor, page) == [NoDifference()]


def test_an_impossible_must_have_is_cured_by_one_click(visitor: Visitor) -> None:
    visitor.expected = "409"
    page = visitor.page("/c/lamp?policy=comparisons")
    without_narrowing(page)
    page.get_by_label("Price at most").first.fill("45")
    begin(page)
    assert page.get_by_role("button", name="Must-haves").inner_text() == "Must-haves (1)"
    page.keyboard.press("m")
    window = page.get_by_role("dialog")
    window.locator(".pick summary", has_text="Kind").click()
    window.get_by_label("floor").check(force=True)
    window.get_by_role("button", name="Apply").click()
    expect(window.get_by_role("alert")).to_contain_text("Nothing satisfies these together")
    window.get_by_role("button", name="Without “price at most 45 €”").click()
    expect(page.get_by_role("status")).to_contain_text("changed")
    state = visitor.api(f"/interviews/{identity(page)}")
    assert state["must_haves"] == ["kind = floor"]
    assert {option["values"]["kind"] for option in state["question"]["options"]} == {"floor"}


def test_an_impossible_change_of_a_must_have_leaves_it_as_it_was(visitor: Visitor) -> None:
    visitor.expected = "409"
    page = visitor.page("/c/lamp?policy=comparisons")
    without_narrowing(page)
    page.get_by_label("Price at most").first.fill("45")
    begin(page)
    asked = page.locator(".options").inner_text()
    page.keyboard.press("m")
    window = page.get_by_role("dialog")
    window.get_by_label("Price at most").first.fill("3")
    window.get_by_role("button", name="Apply").click()
    expect(window.get_by_role("alert")).to_contain_text("Nothing satisfies this")
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    assert visitor.api(f"/interviews/{identity(page)}")["must_haves"] == ["price <= 45"]
    assert page.locator(".options").inner_text() == asked
    answered(page, lambda: page.keyboard.press("1"))


def test_an_impossible_start_names_the_conflict(visitor: Visitor) -> None:
    visitor.expected = "409"
    page = visitor.page("/c/lamp?policy=comparisons", size=PHONE)
    without_narrowing(page)
    page.get_by_label("Price at most").first.fill("35")
    page.locator(".pick summary", has_text="Luminous flux").click()
    page.get_by_label("from").select_option("400")
    page.get_by_role("button", name="Start with 2 must-haves").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing satisfies these together")
    page.get_by_role("button", name="Without “luminous flux at least 400 lm”").click()
    page.wait_for_selector(".options")
    assert visitor.api(f"/interviews/{identity(page)}")["must_haves"] == ["price <= 35"]


def test_must_haves_that_leave_one_thing_ask_nothing(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    page.get_by_label("Price at most").first.fill("30")
    page.get_by_role("button", name="Start with 1 must-have").click()
    expect(page.locator(".sure")).to_contain_text("leave nothing to ask")
    assert facts(page, ".figures")["price"] == "30 €"


def test_the_link_resumes_the_interview_anywhere(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    answered(page, lambda: page.keyboard.press("2"))
    page.goto(f"{page.url}/result")
    link = page.get_by_label("Link to this interview").input_value()
    elsewhere = visitor.page(link.removeprefix(visitor.address), size=PHONE)
    expect(elsewhere.locator(".progress strong")).to_have_text("Question 2")
    answered(elsewhere, elsewhere.locator(".choose").first.click)
    assert answers(visitor, elsewhere) == [Choice(1), Choice(0)]
    page.goto(visitor.address)
    page.get_by_role("link", name=re.compile("Find your lamp.*1 answer")).click()
    expect(page.locator(".progress strong")).to_have_text("Question 3")


def test_a_second_tab_is_told_and_mixes_nothing_up(visitor: Visitor) -> None:
    visitor.expected = "409"
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    other = visitor.page(page.url.removeprefix(visitor.address))
    other.wait_for_selector(".options")
    answered(page, lambda: page.keyboard.press("1"))
    answered(other, lambda: other.keyboard.press("2"))
    expect(other.get_by_role("status")).to_contain_text("another tab")
    assert other.locator(".options").inner_text() == page.locator(".options").inner_text()
    assert answers(visitor, page) == [Choice(0)]


def test_an_answer_names_the_question_that_was_shown_and_is_dropped_if_another_one_is_asked(visitor: Visitor) -> None:
    visitor.expected = "409"
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    shown = visitor.api(f"/interviews/{identity(page)}")["question"]
    named: list[str] = []

    def as_if_shown_before(route: Route) -> None:
        body = json.loads(route.request.post_data or "{}")
        named.append(body["question"])
        route.continue_(post_data=json.dumps(body | {"question": "0" * 32}))

    page.route("**/answers", as_if_shown_before, times=1)
    answered(page, lambda: page.keyboard.press("1"))
    expect(page.get_by_role("status")).to_contain_text("your answer was not counted")
    assert (named, place(page), answers(visitor, page)) == ([shown["id"]], "Question 1", [])
    answered(page, lambda: page.keyboard.press("1"))
    assert (place(page), answers(visitor, page)) == ("Question 2", [Choice(0)])


def test_an_answer_whose_reply_is_lost_is_given_once(visitor: Visitor) -> None:
    visitor.expected = "ERR_FAILED"
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    keys: list[str] = []

    def lose_the_first_reply(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        reply = route.fetch()
        if len(keys) == 1:
            route.abort()
        else:
            route.fulfill(response=reply)

    page.route("**/answers", lose_the_first_reply)
    answered(page, lambda: page.keyboard.press("1"))
    assert place(page) == "Question 2"
    assert answers(visitor, page) == [Choice(0)]
    assert len(keys) == 2
    assert keys[0] == keys[1]


def test_a_busy_server_is_asked_again(visitor: Visitor) -> None:
    visitor.expected = "503"
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    tries: list[Route] = []

    def busy_at_first(route: Route) -> None:
        tries.append(route)
        if len(tries) == 1:
            route.fulfill(status=503, headers={"Retry-After": "1"}, body="{}", content_type="application/problem+json")
        else:
            route.continue_()

    page.route("**/answers", busy_at_first)
    page.locator(".choose").nth(1).click()
    carry_on(page)
    expect(page.get_by_role("status")).to_contain_text("busy")
    page.locator(".choose").nth(0).click(force=True)
    page.keyboard.press("s")
    expect(page.locator("tfoot .chosen")).to_have_count(1)
    expect(page.locator("tfoot [data-place='1']")).to_have_class(re.compile("chosen"))
    expect(page.locator(".progress strong")).to_have_text("Question 2")
    expect(page.locator(".toast")).to_have_count(0)
    assert answers(visitor, page) == [Choice(1)]


def test_an_answer_given_offline_is_sent_when_the_browser_is_back(visitor: Visitor) -> None:
    visitor.expected = "ERR_INTERNET_DISCONNECTED"
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    page.context.set_offline(True)
    page.locator(".choose").nth(1).click()
    carry_on(page)
    expect(page.get_by_role("alert")).to_contain_text("Nothing you answered is lost")
    page.context.set_offline(False)
    expect(page.locator(".progress strong")).to_have_text("Question 2")
    assert answers(visitor, page) == [Choice(1)]


def test_a_double_click_answers_one_question(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    answered(page, lambda: page.locator(".choose").nth(1).dblclick(delay=5))
    page.wait_for_timeout(300)
    assert place(page) == "Question 2"
    assert answers(visitor, page) == [Choice(1)]


def test_what_does_not_exist_is_said_kindly(visitor: Visitor) -> None:
    visitor.expected = "404"
    page = visitor.page("/i/there-is-no-such-interview")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
