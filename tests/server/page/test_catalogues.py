"""Catalogues as owners write them: odd names, long words, markup; and catalogues that change meanwhile."""

from __future__ import annotations

import json

from playwright.sync_api import Page, Route, expect

from tests.server.page.browsing import PHONE, Visitor, answered, begin, is_over, overflow, parts


def test_odd_names_are_text_and_long_words_never_scroll_sideways(visitor: Visitor) -> None:
    page = visitor.page("/", size=PHONE)
    views = {}

    def look(view: str, selector: str) -> None:
        page.locator(selector).first.wait_for()
        views[view] = overflow(page)

    look("start", ".tile")
    page.goto(f"{visitor.address}/c/odd")
    look("first step", ".wants")
    for pick in page.locator(".pick summary").all():
        pick.click()
    for chip in page.locator(".chip input").all()[:2]:
        chip.check()
    look("must-haves", ".chip")
    begin(page)
    look("question", ".options")
    for _ in range(3):
        if not is_over(page):
            answered(page, lambda: page.keyboard.press("1"))
    if not is_over(page):
        page.keyboard.press("b")
        look("best so far", ".drawer[open]")
        page.goto(f"{page.url}/result")
    look("result", ".outcome")
    assert {view: wider for view, wider in views.items() if wider > 0} == {}
    assert page.locator("main img, main script, main b").count() == 0
    assert parts(page)["<img src=x onerror=alert(1)>"] in ('a"b', "c\\d")
    assert "owned" not in page.title()


def test_a_catalogue_without_quantities_shows_no_empty_figures(visitor: Visitor) -> None:
    page = visitor.page("/c/odd")
    begin(page)
    page.goto(f"{page.url}/result")
    expect(page.locator(".outcome .parts")).to_be_visible()
    expect(page.locator(".figures")).to_have_count(0)


def test_an_interview_is_drawn_with_the_catalogue_that_it_began_with(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)

    def newer(route: Route) -> None:
        document = route.fetch().json()
        for each in document["attributes"] + document["quantities"]:
            each["title"], each["unit"] = "renamed", "parsecs"
        route.fulfill(json=document)

    page.route("**/api/v1/catalogues/lamp", newer)
    page.reload()
    expect(page.locator(".options")).to_contain_text("€")
    page.goto(f"{page.url}/result")
    expect(page.locator(".figures")).to_contain_text("€")
    assert "renamed" not in page.inner_text("main")


def wanted(page: Page) -> dict[str, object]:
    """What the page asks for when it begins."""
    with page.expect_request(lambda each: each.method == "POST" and each.url.endswith("/interviews")) as sent:
        begin(page)
    body: dict[str, object] = json.loads(sent.value.post_data or "")
    return body


def test_options_that_are_easy_to_compare_differ_in_few_things(visitor: Visitor) -> None:
    page = visitor.page("/c/odd")
    assert "differences" not in wanted(page)
    page.goto(f"{visitor.address}/c/odd")
    page.locator(".settings summary").click()
    page.get_by_label("at most four things").check(force=True)
    assert wanted(page)["differences"] == 4
    page.goto(f"{visitor.address}/c/odd?differences=2")
    expect(page.get_by_label("at most two things")).to_be_checked()
    assert wanted(page)["differences"] == 2
    assert page.locator(".options tbody tr").count() <= 2


def test_few_attributes_are_easy_to_compare_anyway(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    expect(page.locator(".segments")).to_have_count(1)


def test_a_value_that_says_what_it_is_of_stands_alone(visitor: Visitor) -> None:
    """As the terminal says it in its test of the same name."""
    page = visitor.page("/c/seat")
    usual: dict[str, object] = {"answers": [], "instead": None, "quantity": None, "by": None, "lost": None}
    quotes = [
        usual | {"name": "wood", "kind": "must-have", "value": "none"},
        usual | {"name": "wood", "kind": "must-have", "value": "oak"},
        usual
        | {"name": "price", "kind": "gave-up", "value": None, "answers": [1], "quantity": "price", "by": -20}
        | {"instead": "none", "lost": "wood"},
    ]
    told = page.evaluate(
        """async (quotes) => {
          const { reason } = await import("/static/parts/reasons.js");
          const { catalogue } = await import("/static/api.js");
          const about = await catalogue("seat");
          return quotes.map((quote) => Object.values(reason(about, quote)).join(" "));
        }""",
        quotes,
    )
    assert told[:2] == ["No wood: one of your must-haves.", "Wood Oak: one of your must-haves."]
    assert told[2].endswith("cheaper, instead of no wood.")
