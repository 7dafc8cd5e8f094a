"""Questions that ask for more than a choice: what they ask, and what was said."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from setmargin.answers import Answer
from tests.server.page.browsing import Visitor, begin, identity

PAIRS = "/c/lamp?policy=comparisons"
TALK = "/c/lamp?policy=conversation&set_size=4&seed=3"


def said(visitor: Visitor, page: Page) -> list[Answer]:
    return [answer for _, answer in visitor.interview(page).history]


def question(visitor: Visitor, page: Page) -> dict[str, Any]:
    found: dict[str, Any] = visitor.api(f"/interviews/{identity(page)}")["question"]
    return found


def rows(page: Page) -> list[str]:
    """What the options differ in, in the order of the table."""
    named: list[str] = page.locator(".options tbody tr").evaluate_all("rows => rows.map((row) => row.dataset.name)")
    return named


def asked_for_change(visitor: Visitor, page: Page) -> dict[str, Any]:
    """The first question of this conversation, which asks for a change."""
    begin(page)
    found = question(visitor, page)
    assert found["asks_for_change"]
    assert len(found["options"]) > 1
    return found
