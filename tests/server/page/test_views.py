"""Every view, in light and dark, at the eyes of axe-core; and what only the owner sees."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Route, expect

from tests.server.page.accessible import findings
from tests.server.page.browsing import PHONE, SCREEN, TOKEN, Visitor, answered, begin, carry_on


def test_no_view_has_a_serious_finding_in_light_or_dark_wide_or_narrow(visitor: Visitor) -> None:
    page = visitor.page()
    seen: dict[str, list[tuple[str, Any]]] = {}

    def look(view: str, selector: str) -> None:
        page.locator(selector).first.wait_for()
        seen[view] = findings(page, "dark", PHONE) + findings(page, "light", SCREEN)

    look("start", ".tile")
    page.goto(f"{visitor.address}/c/lamp?policy=comparisons&set_size=3")
    page.locator(".wants").wait_for()
    for pick in page.locator(".pick summary").all()[:3]:
        pick.click()
    page.locator(".chip").first.click()
    look("first step", ".wants")
    page.locator(".chip").first.click()
    begin(page)
    look("question", ".options")
    page.keyboard.press("r")
    page.keyboard.press("1")
    look("ranking", ".placed")
    page.keyboard.press("r")
    page.keyboard.press("1")
    look("what decided", ".decided:not(.fresh)")
    page.keyboard.press("Escape")
    answered(page, lambda: page.keyboard.press("1"))
    answered(page, lambda: page.keyboard.press("2"))
    page.keyboard.press("b")
    look("best so far", ".drawer[open]")
    page.get_by_role("button", name="Change something").click()
    page.locator(".window summary").first.click()
    look("change something", ".window details[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    look("must-haves", ".window")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    look("keys", "dl.keys")
    page.keyboard.press("Escape")
    page.goto(f"{page.url}/result")
    for summary in page.locator(".fold > summary").all():
        summary.click()
    page.locator(".part summary").first.click()
    page.locator(".part[open] .value:enabled").first.click()
    look("result", ".trial:not([hidden])")
    page.goto(f"{visitor.address}/owner")
    look("token", "input[type=password]")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Show").click()
    look("owner", ".overview")
    assert {view: found for view, found in seen.items() if found} == {}


def test_the_owner_sees_how_interviews_go(visitor: Visitor) -> None:
    visitor.expected = "401"
    page = visitor.page("/c/seat")
    expect(page.locator(".logo")).to_be_visible()
    page.get_by_role("link", name="For the owner").click()
    expect(page.get_by_label("Token")).to_be_visible()
    expect(page.locator(".logo")).to_have_count(0)  # it is about all shops
    page.get_by_label("Token").fill("this is not the token")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("alert")).to_contain_text("not the owner’s token")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("rowheader", name="Find your lamp")).to_be_visible()
    page.reload()
    expect(page.get_by_role("rowheader", name="Find your lamp")).to_be_visible()
    page.get_by_role("button", name="Withdraw: Find your lamp").click()
    page.get_by_role("button", name="Offer again: Find your lamp").click()
    expect(page.get_by_role("button", name="Withdraw: Find your lamp")).to_be_visible()
    assert TOKEN not in page.evaluate("JSON.stringify(localStorage) + document.cookie + location.href")
    page.get_by_role("button", name="Forget the token").click()
    page.reload()
    expect(page.get_by_label("Token")).to_be_visible()


def test_the_owner_deletes_an_interview_once_asked_twice(visitor: Visitor) -> None:
    visitor.expected = "404"
    gone, stays = (visitor.api("/interviews", {"catalogue": "lamp", "seed": seed})["id"] for seed in (1, 2))
    page = visitor.page("/owner")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Show").click()
    field = page.get_by_label("Link of an interview")
    for link, words in ((f"{visitor.address}/i/{gone}/result", "1 interview deleted"), (gone, "no such interview")):
        field.fill(link)
        page.get_by_role("button", name="Delete it").click()
        page.get_by_role("button", name="Keep").click()
        assert visitor.api(f"/interviews/{stays}")
        page.get_by_role("button", name="Delete it").click()
        page.get_by_role("button", name="Yes, delete").click()
        expect(page.locator(".toast")).to_contain_text(words)
    page.get_by_role("button", name="Delete them").click()
    page.get_by_role("button", name="Yes, delete").click()
    expect(page.locator(".toast")).to_contain_text("0 interviews deleted")
    assert visitor.api(f"/interviews/{stays}")["id"] == stays
    page.goto(f"{visitor.address}/i/{gone}")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")


def test_the_owner_sees_what_interviews_expect_of_people(visitor: Visitor) -> None:
    page = visitor.page("/owner")

    def learnt(route: Route) -> None:
        found = route.fetch().json()
        used = {"version": 3, "source": "learnt", "people": 120, "created": "", "digest": ""}
        found["learning"] = True
        found["catalogues"][0] |= {"used": used, "summary": ["wood is liked"], "notes": ["a note"], "learnt_at": 144}
        route.fulfill(json=found)

    page.route("**/owner/priors", learnt)
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Show").click()
    section = page.locator("section.earlier")
    expect(section).to_contain_text("version 3 of what 120 earlier people were like, learnt here")
    expect(section).to_contain_text("it is learnt anew at 144")
    expect(section.get_by_role("listitem")).to_have_text(["wood is liked", "a note"])
    expect(section).to_contain_text("Interviews begin without knowing earlier people")


def test_a_new_question_is_read_out_and_reading_starts_at_it(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    answered(page, lambda: page.keyboard.press("1"))
    expect(page.locator("#live")).to_contain_text("Question 2. Option 1:")
    assert page.evaluate("document.activeElement.tagName") == "H1"


def test_single_keys_can_be_switched_off(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Answer by single keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.locator(".choose").nth(1).click()
    carry_on(page)
    expect(page.locator(".progress strong")).to_have_text("Question 2")
