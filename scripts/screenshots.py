"""Take the screenshots of the documentation anew: a question, its result, and the same on a phone.

    python -m scripts.screenshots                         writes docs/images/*.png

The person behind them looks at the price and the weight alone, and the seed is fixed: the same pictures each time.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page
from scripts.driving import browsing, serving

CATALOGUE = "bicycle"
PRICE_OF_A_KILO = 60.0
QUESTIONS_BEFORE = 9
SCREEN, PHONE = (1180, 860), (360, 740)
IMAGES = Path(__file__).parents[1] / "docs" / "images"


def cost(option: Mapping[str, Any]) -> float:
    """What the option costs this person, weight included."""
    amounts = option["amounts"]
    return float(amounts["price"] + PRICE_OF_A_KILO * amounts["weight"])


def preferred(state: Mapping[str, Any]) -> int:
    """Which option of the question this person prefers."""
    options = state["question"]["options"]
    return min(range(len(options)), key=lambda place: cost(options[place]))


def begin(page: Page, address: str) -> dict[str, Any]:
    """Start the interview, with one must-have."""
    page.goto(f"{address}/c/{CATALOGUE}?differences=4")
    page.get_by_label("Price at most").first.fill("2500")
    with page.expect_response("**/api/v1/interviews") as reply:
        page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".slot > :not(.fresh)")
    state: dict[str, Any] = reply.value.json()
    return state


def go_on(page: Page, state: dict[str, Any], questions: int) -> dict[str, Any]:
    """Answer that many questions, or all there are."""
    for _ in range(questions):
        if state["question"] is None:
            break
        if len(state["question"]["options"]) > 1:
            page.locator(".choose").nth(preferred(state)).click()
        page.wait_for_selector(".decided:not(.fresh), .panel:not(.fresh)")
        with page.expect_response("**/answers") as reply:
            page.keyboard.press("c" if len(state["question"]["options"]) > 1 else "s")
        state = reply.value.json()
        page.wait_for_timeout(300)
    return state


def visit(browser: Browser, size: tuple[int, int], *, dark: bool = False) -> Page:
    """A window of that size."""
    width, height = size
    return browser.new_page(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", has_touch=size == PHONE
    )


def picture(page: Page, target: Path) -> None:
    """Take it once the colours have settled and nothing is under the mouse."""
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)
    page.screenshot(path=target)
    print(f"{target}  {target.stat().st_size / 1000:.0f} kB")


def take(address: str, browser: Browser, images: Path) -> None:
    """All of them."""
    page = visit(browser, SCREEN)
    state = go_on(page, begin(page, address), QUESTIONS_BEFORE)
    picture(page, images / "question.png")
    go_on(page, state, 60)
    page.goto(f"{address}/i/{state['id']}/result")
    page.wait_for_selector(".outcome")
    page.set_viewport_size({"width": SCREEN[0], "height": 1620})
    picture(page, images / "result.png")
    phone = visit(browser, PHONE, dark=True)
    go_on(phone, begin(phone, address), QUESTIONS_BEFORE)
    picture(phone, images / "phone.png")


def main() -> None:
    """Start a server, take the pictures, stop it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--to", type=Path, default=IMAGES, metavar="DIRECTORY", help="where the pictures go")
    images = parser.parse_args().to
    images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, serving([CATALOGUE], Path(home)) as address, browsing() as browser:
        take(address, browser, images)


if __name__ == "__main__":
    main()
