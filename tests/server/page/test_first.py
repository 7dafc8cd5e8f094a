"""Before the first comparison: what it must have, with what is left of the catalogue as one goes."""

from __future__ import annotations

import json
import re
from typing import Literal

import pytest
from playwright.sync_api import Route, expect

from tests.server.page.browsing import PHONE, READY, Visitor, begin, identity, overflow

LAPTOP = (1366, 768)


@pytest.mark.parametrize(("size", "scheme"), [(LAPTOP, "dark"), (PHONE, "light")])
def test_the_first_step_counts_greys_out_and_says_from_where_on(
    visitor: Visitor, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    page = visitor.page("/c/lamp", size=size)
    page.emulate_media(color_scheme=scheme)
    left = page.locator(".remain")
    expect(left).to_have_text(re.compile(r"^(\d+) of \1 fit$"))
    box = page.get_by_role("button", name="Just start").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= size[1]
    page.locator(".pick summary", has_text="Kind").click()
    page.get_by_label("wall").check(force=True)
    page.locator(".pick summary", has_text="Foot").click()
    expect(page.get_by_label("wood")).to_be_disabled()
    expect(page.get_by_label("steel")).to_be_enabled()
    price = page.get_by_label("Price at most").first
    price.fill("5")
    expect(left).to_have_text("Nothing fits this yet")
    page.get_by_role("button", name=re.compile("^from .* €$")).click()
    expect(left).to_have_text(re.compile(r"^[1-9]\d* of \d+ fit$"))
    assert float(price.input_value()) > 5
    assert overflow(page) <= 0
    page.get_by_role("button", name="Start with 2 must-haves").click()
    page.wait_for_selector(f"{READY}, .outcome")
    assert len(visitor.api(f"/interviews/{identity(page)}")["must_haves"]) == 2


def test_a_link_brings_must_haves_and_back_finds_them(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons&require=kind%20%3D%20desk")
    expect(page.locator(".pick .some")).to_have_text("desk")
    page.locator(".pick summary", has_text="Foot").click()
    page.get_by_label("wood").check(force=True)
    begin(page)
    assert visitor.api(f"/interviews/{identity(page)}")["must_haves"] == ["kind = desk", "foot = wood"]
    page.go_back()
    expect(page.locator(".pick .some")).to_have_text(["desk", "wood"])


def test_opening_questions_are_answered_by_a_tap_and_sent(visitor: Visitor) -> None:
    page = visitor.page("/")
    answers = [
        {
            "id": "read",
            "title": "Reading",
            "help": "at night",
            "image": None,
            "require": ["kind = desk"],
            "matters": {},
        },
        {"id": "look", "title": "Looks", "help": None, "image": None, "require": [], "matters": {"foot": 0.9}},
    ]

    def with_opening(route: Route) -> None:
        found = route.fetch().json()
        found["opening"] = [{"id": "use", "title": "What is it for?", "help": None, "answers": answers}]
        route.fulfill(json=found)

    sent: list[dict[str, object]] = []

    def started(route: Route) -> None:
        body = json.loads(route.request.post_data or "")
        sent.append(body)
        route.continue_(post_data=json.dumps({key: value for key, value in body.items() if key != "opening"}))

    page.route("**/api/v1/catalogues/lamp", with_opening)
    page.route("**/api/v1/interviews", started)
    page.goto(f"{visitor.address}/c/lamp")
    expect(page.locator(".remain")).to_contain_text("fit")
    every = page.locator(".remain").inner_text()
    group = page.get_by_role("group", name="What is it for?")
    group.get_by_role("button", name="Reading").click()
    expect(page.locator(".remain")).not_to_have_text(every)
    group.get_by_role("button", name="Reading").click()
    expect(page.locator(".remain")).to_have_text(every)
    group.get_by_role("button", name="Looks").click()
    begin(page)
    assert sent[0]["opening"] == {"use": "look"}


def test_what_was_answered_first_can_be_done_without(visitor: Visitor) -> None:
    """A conflict names the opening answer, not the rule behind it, and drops it by a tap."""
    visitor.expected = "409"
    page = visitor.page("/c/seat")
    group = page.get_by_role("group", name="What is it for?")
    group.get_by_role("button", name="Work").click()
    page.get_by_label("Price at most").first.fill("60")
    with page.expect_response("**/api/v1/interviews") as refused:
        page.locator("button[type=submit]").click()
    assert refused.value.status == 409
    trouble = page.locator(".conflict")
    expect(trouble.get_by_role("button")).to_have_text(["Without “price at most €60”", "Without “Work”"])
    expect(trouble.locator("code")).to_have_count(0)
    trouble.get_by_role("button", name="Work").click()
    page.wait_for_selector(f"{READY}, .outcome")
    assert visitor.api(f"/interviews/{identity(page)}")["must_haves"] == ["price <= 60"]


def test_many_wishes_are_folded_until_there_is_one(visitor: Visitor) -> None:
    page = visitor.page("/")

    def with_more(route: Route) -> None:
        found = route.fetch().json()
        found["attributes"] += [{**found["attributes"][0], "name": f"kind {number}"} for number in range(4)]
        route.fulfill(json=found)

    page.route("**/api/v1/catalogues/lamp", with_more)
    page.goto(f"{visitor.address}/c/lamp")
    expect(page.get_by_text("Something else")).to_be_visible()
    expect(page.locator(".pick").first).to_be_hidden()
    page.get_by_text("Something else").click()
    expect(page.locator(".pick").first).to_be_visible()
    page.goto(f"{visitor.address}/c/lamp?require=kind%20%3D%20desk")
    expect(page.locator(".pick .some")).to_be_visible()


def test_the_way_of_asking_is_a_quiet_setting(visitor: Visitor) -> None:
    page = visitor.page("/c/odd")
    expect(page.get_by_label("at most four things")).not_to_be_visible()
    page.get_by_text("Settings").click()
    expect(page.get_by_label("at most four things")).to_be_attached()
