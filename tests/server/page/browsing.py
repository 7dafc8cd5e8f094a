"""A browser in front of a real server: what the tests of the page see and do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.request import Request, urlopen

from playwright.sync_api import Browser, Page, expect

from setmargin import Interview

TOKEN = "a-token-for-tests-only"
PHONE, SCREEN = (360, 800), (1280, 900)
PATIENCE = 20_000
"""Milliseconds; machines that run tests may be busy."""
READY = ".slot > :not(.fresh)"
"""A question that listens."""
MORE = ".decided:not(.sent):not(.fresh), .panel:not(.sent):not(.fresh)"
"""Something is chosen, and the page asks why, or what to change."""
expect.set_options(timeout=PATIENCE)


@dataclass
class Visitor:
    """Opens pages, and keeps what none of them should ever do."""

    browser: Browser
    address: str
    complaints: list[str] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    expected: str = r"(?!)"
    """Complaints that a test provokes."""

    def page(
        self, path: str = "/", *, size: tuple[int, int] = SCREEN, locale: str = "en-US", touch: bool = False
    ) -> Page:
        """A page of a browser that knows nothing yet but its language."""
        width, height = size
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", locale=locale, has_touch=touch
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self._note(message.text, message.type in ("error", "warning")))
        page.on("pageerror", lambda error: self._note(str(error)))
        page.on("request", lambda request: self._note(f"asked {request.url}", not request.url.startswith(self.address)))
        self.pages.append(page)
        page.goto(self.address + path)
        return page

    def _note(self, complaint: str, matters: bool = True) -> None:
        if matters and not re.search(self.expected, complaint):
            self.complaints.append(complaint)

    def close(self) -> None:
        for page in self.pages:
            page.context.close()

    # Beside the page: what the server knows

    def api(self, path: str, body: object = None) -> Any:
        """What the API says."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.address}/api/v1{path}", data, {"Content-Type": "application/json"})
        with urlopen(request, timeout=15) as reply:
            return json.load(reply)

    def interview(self, page: Page) -> Interview:
        """The interview on the page, replayed by the library from its export."""
        return Interview.from_document(self.api(f"/interviews/{identity(page)}/export"))


def identity(page: Page) -> str:
    """The id of the interview on the page."""
    found = re.search(r"/i/([^/]+)", page.url)
    assert found, page.url
    return found[1]


def begin(page: Page) -> None:
    """From the first step to the first question."""
    page.get_by_role("button", name=re.compile("^(Just start|Start)")).click()
    page.wait_for_selector(READY)


def without_narrowing(page: Page) -> None:
    """The server does not say what must-haves leave, so that people can still ask for what cannot be."""
    unknown: dict[str, object] = {"digest": "", "configurations": None, "attributes": [], "quantities": []}
    page.route("**/possible", lambda route: route.fulfill(json=unknown))


def place(page: Page) -> str:
    """Which question is on the page."""
    return page.locator(".progress strong").inner_text()


def answered(page: Page, act: Callable[[], None], *, say_no_more: bool = True) -> None:
    """Do what answers the question, say no more than that, and wait until the next one is there, or the result."""
    page.wait_for_selector(READY)
    page.locator(".bar").evaluate("bar => { bar.dataset.seen = 'yes'; }")
    act()
    if say_no_more:
        asks = page.locator(MORE)
        expect(asks.or_(page.locator(".asked .bar:not([data-seen]), .outcome")).first).to_be_attached()
        if asks.count():
            page.keyboard.press("c")
    expect(page.locator(".bar[data-seen]")).to_have_count(0)
    page.wait_for_selector(f"{READY}, .outcome")


def carry_on(page: Page) -> None:
    """Something is chosen; say no more than that."""
    page.wait_for_selector(MORE)
    page.get_by_role("button", name="Carry on").click()


def is_over(page: Page) -> bool:
    """Whether the result is shown."""
    return page.url.endswith("/result")


def facts(page: Page, selector: str) -> dict[str, str]:
    """Names and values as they are shown."""
    rows = page.locator(f"{selector} > div").all()
    return {row.locator("dt").inner_text().lower(): row.locator("dd").inner_text().replace("\xa0", " ") for row in rows}


def parts(page: Page) -> dict[str, str]:
    """The parts of a result that can be changed, as they are shown."""
    page.wait_for_selector(".outcome")
    rows = page.locator(".parts > .part").all()
    return {
        row.locator(".name").inner_text().lower(): row.locator(".now").inner_text().replace("\xa0", " ") for row in rows
    }


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return wider
