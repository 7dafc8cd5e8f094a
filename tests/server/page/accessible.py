"""What axe-core holds against a page."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

SETTLED = """async () => {
  const drawn = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  const fading = () => document.getAnimations().filter((each) => each.effect.getComputedTiming().endTime < Infinity);
  for (let quiet = 0; quiet < 3; quiet = fading().length ? 0 : quiet + 1) {
    await Promise.allSettled(fading().map((each) => each.finished));
    await drawn();
  }
}"""
"""Colours fade, and what inherits one may begin when that ends; half-way there is no contrast to judge."""
GRAVE = {"serious", "critical"}


def findings(page: Page, scheme: Literal["light", "dark"], size: tuple[int, int]) -> list[tuple[str, Any]]:
    """What axe-core holds against the page in these colours and at this size, and against which element."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(SETTLED)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in GRAVE]
