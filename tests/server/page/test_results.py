"""The result on the page: changed in place, with reasons that quote, and with something to do at its end."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.interview.told import TOLD
from tests.server.page.browsing import Visitor, facts, identity, overflow, parts

DESK, PHONE = (1366, 768), (390, 844)
SHORT = 3000
"""Pixels: how long a result may be on a phone."""


@pytest.fixture
def finished(visitor: Visitor) -> str:
    """The path of a result whose person looks at the price, and says so."""
    state = visitor.api("/interviews", {"catalogue": "lamp", "policy": "comparisons", "until": 0.2})
    while state["question"]:
        state = visitor.api(f"/interviews/{state['id']}/answers", cheapest(state))
    return f"/i/{state['id']}/result"


def cheapest(state: dict[str, Any]) -> dict[str, Any]:
    prices = [option["amounts"]["price"] for option in state["question"]["options"]]
    because = ["price"] if len(set(prices)) > 1 else []
    answer = {"choice": prices.index(min(prices)), "because": because}
    return {"version": state["version"], "answer": answer}


def state_of(visitor: Visitor, page: Page) -> dict[str, Any]:
    state: dict[str, Any] = visitor.api(f"/interviews/{identity(page)}")
    return state


def open_part(page: Page, name: str) -> None:
    page.locator(f".part[data-name='{name}'] summary").click()
    page.wait_for_selector(".part[open] .value")


def test_a_part_is_changed_in_place_and_back(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished, size=DESK)
    before = parts(page)
    version = state_of(visitor, page)["version"]
    open_part(page, "kind")
    choice = page.locator(".part[open] .value:enabled").first
    shown = visitor.api(f"/interviews/{identity(page)}/previews?name=kind")["previews"]
    preview = next(each for each in shown if each["option"])
    expect(choice).to_contain_text(preview["value"])
    choice.click()
    trial = page.locator(".trial")
    expect(trial).to_contain_text(f"Kind {preview['value']}")
    tried = {name: value.split("\n")[0] for name, value in parts(page).items()}
    assert tried["kind"] == preview["option"]["values"]["kind"]
    assert state_of(visitor, page)["version"] == version, "nothing is sent before it is taken"
    trial.get_by_role("button", name="Undo").click()
    assert parts(page) == before
    choice.click()
    trial.get_by_role("button", name="Take it").click()
    expect(page.locator(".done")).to_contain_text("Changed")
    state = state_of(visitor, page)
    assert (state["version"], state["best"]) == (version + 1, preview["option"])
    assert parts(page)["kind"] == preview["value"]
    expect(page.locator(".why li[data-name=kind]")).to_contain_text("you chose it yourself")
    page.locator(".done").get_by_role("button", name="Undo").click()
    expect(page.locator(".hint")).to_be_visible()
    assert parts(page) == before


def test_what_belongs_together_stands_together(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished)
    groups = page.locator(".groups > div")
    expect(groups).to_have_count(2)
    expect(groups.first.get_by_role("heading")).to_have_text("The light")
    expect(groups.last.get_by_role("heading")).to_have_count(0)
    names = "parts => parts.map((part) => part.dataset.name)"
    assert groups.first.locator(".part").evaluate_all(names) == ["light colour", "brightness"]
    assert groups.last.locator(".part").evaluate_all(names) == ["kind", "foot"]
    page = visitor.page("/c/lamp")
    expect(page.locator(".wants legend")).to_have_text(["Budget and limits", "The light", "Choices"])


def test_what_a_value_needs_and_what_cannot_be_are_said(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished, size=PHONE)

    def needy(route: Route) -> None:
        found = route.fetch().json()
        first, second, *_ = found["previews"]
        first["more"], first["fit"] = {"price": 30.0, "life": 2.0}, "little"
        first["changed"] = [*first["changed"][:1], {"name": "brightness", "before": 200, "now": 400}]
        second["option"] = None
        route.fulfill(json=found)

    page.route("**/previews?*", needy)
    open_part(page, "kind")
    values = page.locator(".part[open] .value")
    expect(values.first).to_contain_text("needs luminous flux 400 lm")
    expect(values.first).to_contain_text("+30 € worse")
    expect(values.first).to_contain_text("+2 years better")
    expect(values.first).to_contain_text("a little less you")
    expect(values.nth(1)).to_be_disabled()
    expect(values.nth(1)).to_contain_text("not with your must-haves")
    assert overflow(page) <= 0


def test_reasons_quote_answers_and_price_can_be_one(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished)
    expect(page.locator(".matters")).to_contain_text("mostly price")
    price = page.locator(".why li[data-name=price]")
    expect(price).to_contain_text("Price decided in question")
    expect(price).to_contain_text("cheaper")
    expect(page.locator(".importance")).to_be_hidden()
    page.get_by_text("Details: how much").click()
    expect(page.locator(".importance")).to_be_visible()
    assert "▲" not in page.inner_text("main")


def test_every_kind_of_reason_has_the_sentence_of_the_terminal(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished)
    quotes = [quote.document() | {"answers": [number + 1 for number in quote.answers]} for quote, _ in TOLD]
    told = page.evaluate(
        """async ([id, quotes]) => {
          const { reason } = await import("/static/parts/reasons.js");
          const { catalogueOf } = await import("/static/api.js");
          const about = await catalogueOf(id);
          return quotes.map((quote) => Object.values(reason(about, quote)).join(" ").replaceAll("\\u00a0", " "));
        }""",
        [identity(page), quotes],
    )
    assert [each.replace("8.50", "8.5") for each in told] == [sentence for _, sentence in TOLD]


def test_alternatives_say_what_they_are_for_and_what_would_let_them_win(visitor: Visitor, finished: str) -> None:
    page = visitor.page("/")
    best: dict[str, Any] = {}

    def some(route: Route) -> None:
        result = route.fetch().json()
        best.update(result["best"])
        other = {"values": {**best["values"], "foot": "steel"}, "amounts": {"price": 20.0, "life": 9.0}}
        usual = {
            "option": other,
            "loss": 0.03,
            "differing": [],
            "gains": [],
            "losses": [],
            "fit": "little",
            "name": None,
        }
        result["alternatives"] = [
            usual | {"kind": "better", "name": "price", "tips": {"name": "price", "factor": 1.6}},
            usual | {"kind": "better", "name": "life", "tips": {"name": "foot", "factor": 0.5}},
            usual | {"kind": "bolder", "name": "foot", "tips": None},
        ]
        route.fulfill(json=result)

    page.route("**/recommendation", some)
    page.goto(visitor.address + finished)
    cards = page.locator(".offers li")
    expect(cards.nth(0)).to_contain_text("The cheaper one")
    expect(cards.nth(0)).to_contain_text("It would win if price mattered half as much again to you.")
    expect(cards.nth(1)).to_contain_text("More life")
    expect(cards.nth(1)).to_contain_text("if foot mattered half as much to you")
    expect(cards.nth(2)).to_contain_text("We are least sure about foot: worth a look if you like steel.")
    cards.nth(0).get_by_role("button").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You took this one")


def test_a_surprising_answer_is_looked_at_before_and_after_side_by_side(visitor: Visitor, finished: str) -> None:
    page = visitor.page("/")

    def odd(route: Route) -> None:
        result = route.fetch().json()
        result["answers"][0]["surprising"] = True
        result["would_change"] = [{"answer": 1, "instead": result["best"]}]
        route.fulfill(json=result)

    page.route("**/recommendation", odd)
    page.goto(visitor.address + finished)
    second = page.locator(".second")
    expect(second).to_contain_text("Your other answers say something else")
    before = visitor.api(finished.removesuffix("/result").replace("/i/", "/interviews/"))
    expect(second.locator(".option").first).to_be_hidden()
    second.locator("summary").click()
    second.locator(".option[aria-pressed=false]").first.click()
    look = second.locator(".look")
    expect(look.get_by_role("button", name="Change my answer")).to_be_visible()
    assert look.locator("th").all_inner_texts()[:2] in (["As it is", "With the other answer"], [])
    assert state_of(visitor, page) == before, "a look changes nothing"
    look.get_by_role("button", name="Leave it").click()
    expect(look).to_be_hidden()
    second.locator(".option[aria-pressed=false]").first.click()
    look.get_by_role("button", name="Change my answer").click()
    expect(page.locator(".done")).to_contain_text("Changed")
    assert state_of(visitor, page)["version"] == before["version"] + 1
    page.locator(".hinges summary").click()
    page.get_by_role("button", name="Without your answer to question 1").click()
    assert page.evaluate("document.activeElement.id") == "answer-1"


def test_asking_goes_on_and_being_done_is_one_tap(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished)
    page.get_by_role("button", name="I’m done").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You took this one")
    assert state_of(visitor, page)["finished"]
    assert facts(page, ".configuration .facts")
    page.get_by_role("button", name="Ask me more").click()
    expect(page).not_to_have_url(visitor.address + finished)
    page.wait_for_selector(".asked")
    state = state_of(visitor, page)
    assert state["question"]
    assert not state["finished"]


def test_a_shared_result_is_read_by_others_who_cannot_answer(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished)
    shown = parts(page)
    page.get_by_role("button", name="Copy a link to this result").click()
    field = page.get_by_label("Link to this result")
    expect(field).to_be_visible()
    link = field.input_value()
    assert identity(page) not in link
    other = visitor.page(link.removeprefix(visitor.address), size=PHONE)
    expect(other.get_by_role("heading", level=1)).to_contain_text("shared with you")
    assert facts(other, ".configuration .facts") == shown
    expect(other.locator(".why li").first).to_be_visible()
    expect(other.get_by_role("button", name="Take this one")).to_have_count(0)
    assert identity(page) not in other.content()
    assert overflow(other) <= 0


def test_two_results_of_this_browser_are_compared(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Nothing is saved yet")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Save to compare").click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    before = parts(page)
    open_part(page, "kind")
    page.locator(".part[open] .value:enabled").first.click()
    page.get_by_role("button", name="Take it").click()
    expect(page.locator(".done")).to_be_visible()
    page.get_by_role("button", name="Compare", exact=True).click()
    rows = page.get_by_role("dialog").locator("tbody tr")
    kind = rows.filter(has_text="Kind").first
    assert kind.locator("td").all_inner_texts()[1].strip() == before["kind"]
    assert kind.locator("td").all_inner_texts()[0].strip() == parts(page)["kind"]
    page.get_by_role("button", name="Take it off the list").click()
    expect(page.get_by_role("dialog")).to_contain_text("Nothing is saved yet")


def test_the_shops_own_button_has_the_configuration_in_its_link(visitor: Visitor, finished: str) -> None:
    page = visitor.page("/")

    def with_action(route: Route) -> None:
        about = route.fetch().json()
        about["action"] = {"text": "Buy it", "link": "https://shop.example/?c={light colour}&p={price}&x={unknown}"}
        route.fulfill(json=about)

    page.goto(visitor.address + finished)
    expect(page.locator(".outcome .action")).to_have_count(0)
    page.route("**/catalogue", with_action)
    page.reload()
    best = state_of(visitor, page)["best"]
    link = page.get_by_role("link", name="Buy it").get_attribute("href") or ""
    colour = best["values"]["light colour"].replace(" ", "%20")
    price = json.dumps(best["amounts"]["price"]).removesuffix(".0")
    assert link == f"https://shop.example/?c={colour}&p={price}&x="


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "light"), (PHONE, "dark")])
def test_the_result_is_short_and_never_wider_than_the_window(
    visitor: Visitor, finished: str, size: tuple[int, int], scheme: Any
) -> None:
    page = visitor.page(finished, size=size)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_selector(".outcome")
    assert page.evaluate("document.documentElement.scrollHeight") < SHORT
    steps: list[Callable[[], None]] = [lambda: None, lambda: open_part(page, "foot")]
    steps.append(page.locator(".part[data-name=foot] .value:enabled").first.click)
    for step in steps:
        step()
        assert overflow(page) <= 0
    take = page.get_by_role("button", name="Take it")
    box = take.bounding_box()
    assert box, "what was tried can be taken without scrolling"
    assert 0 <= box["y"] <= size[1] - box["height"]


def test_paper_has_the_result_and_nothing_to_press(visitor: Visitor, finished: str) -> None:
    page = visitor.page(finished)
    open_part(page, "kind")
    page.locator(".part[open] .value:enabled").first.click()
    page.emulate_media(media="print")
    for seen in (".figures", ".parts", ".why", "h1"):
        expect(page.locator(seen).first).to_be_visible()
    for unseen in (".top", ".foot", ".outcome .actions", ".keep", ".fold", ".part[open] .values", ".trial"):
        expect(page.locator(unseen).first).to_be_hidden()


def held(page: Page, waiting: list[Route]) -> Route:
    """The newest request that was stopped on its way; it is seen a moment before its route is asked."""
    while not waiting:
        page.wait_for_timeout(10)
    return waiting.pop()


def test_other_values_are_shown_at_once_and_what_they_would_do_as_soon_as_it_is_known(
    visitor: Visitor, finished: str
) -> None:
    visitor.expected = "500"
    page = visitor.page(finished)
    waiting: list[Route] = []
    page.route("**/previews?*", lambda route: waiting.append(route))
    with page.expect_request("**/previews?*"):
        page.locator(".part[data-name='light colour'] summary").click()
    values = page.locator(".part[open] .value")
    expect(values.first).to_contain_text("one moment")
    assert values.count() == 2
    assert values.evaluate_all("all => all.every((each) => each.disabled)")
    held(page, waiting).fulfill(status=500, json={"type": "x/internal", "title": "", "detail": ""})
    expect(values).to_have_count(0)
    with page.expect_request("**/previews?*"):
        for _ in range(2):  # shut and open it again
            page.locator(".part[data-name='light colour'] summary").click()
    expect(values.first).to_contain_text("one moment")
    held(page, waiting).continue_()
    expect(page.locator(".part[open] .value:enabled").first).to_contain_text("you")


def test_a_visitor_deletes_their_answers_once_asked_twice(visitor: Visitor, finished: str) -> None:
    visitor.expected = "404"
    page = visitor.page(finished, size=PHONE)
    state = state_of(visitor, page)
    page.get_by_role("button", name="Save to compare").click()
    page.locator(".keep summary").click()
    page.get_by_role("button", name="Delete my answers").click()
    expect(page.get_by_role("button", name="Keep", exact=True)).to_be_focused()
    page.get_by_role("button", name="Keep", exact=True).click()
    assert state_of(visitor, page) == state
    page.get_by_role("button", name="Delete my answers").click()
    assert overflow(page) <= 0
    page.get_by_role("button", name="Yes, delete").click()
    expect(page.locator(".toast")).to_contain_text("Nothing of it is left")
    assert state["id"] not in page.evaluate("JSON.stringify(localStorage)")
    page.goto(visitor.address + finished)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
