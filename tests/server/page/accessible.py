"""What axe-core holds against a page."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

SETTLED = """() => {
  const fades = (each) => each.playState === "running" && each.effect.getComputedTiming().endTime < Infinity;
  window.quietFrames = document.getAnimations().some(fades) ? 0 : (window.quietFrames ?? 0) + 1;
  return window.quietFrames > 3;
}"""
"""Colours fade, and what inherits one may begin when that ends; half-way there is no contrast to judge. Frames are
looked at one by one: the promise that an animation ends is sometimes never kept."""
GRAVE = {"serious", "critical"}


def findings(page: Page, scheme: Literal["light", "dark"], size: tuple[int, int]) -> list[tuple[str, Any]]:
    """What axe-core holds against the page in these colours and at this size, and against which element."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("window.quietFrames = 0")
    page.wait_for_function(SETTLED)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in GRAVE]
