"""The page inside another site's, which is on another port, while everything of the server is below a path."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Frame, Page, expect
from scripts.driving import serving
from scripts.laboratory.receiver import SECRET, wait_until

from setmargin.client import Client
from setmargin.server.webhooks import Webhooks
from tests.server.page.browsing import MORE, READY, TOKEN, Visitor, begin
from tests.server.page.conftest import LAMP

LIGHT, DARK = "rgb(246, 246, 243)", "rgb(20, 23, 24)"
HEARD = """
<script>
  const heard = [];
  const hear = ({ type, detail, target }) => heard.push({ type, detail, from: target.id });
  for (const kind of ["started", "answered", "finished"]) document.addEventListener(`setmargin-${kind}`, hear);
</script>
"""


class Shop(ThreadingHTTPServer):
    """Another site, which shows whatever it is told to show."""

    daemon_threads = True
    shown = ""
    is_well = False
    """Whether it takes what it is told."""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Shown(BaseHTTPRequestHandler):
    server: Shop

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>shop</title>{self.server.shown}".encode())

    def do_POST(self) -> None:
        self.send_response(204 if self.server.is_well else 500)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop(("127.0.0.1", 0), _Shown) as site:
        thread = Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield site
        site.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def embedded_address(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home: Path = tmp_path_factory.mktemp("embedded")
    (home / "lamp.yaml").write_text(LAMP)
    options = ["--base-path", "/configure", "--allowed-origin", shop.origin]
    options += ["--webhook", f"{shop.origin}/told?key=secret", "--webhook-attempts", "1"]
    variables = {"SETMARGIN_WEBHOOK_SECRET": SECRET}
    with serving([str(home / "lamp.yaml")], home, token=TOKEN, options=options, variables=variables) as address:
        assert address.endswith("/configure")
        yield address


@pytest.fixture
def guest(browser: Browser, embedded_address: str) -> Iterator[Visitor]:
    """Somebody who visits the page at its own address, below the path."""
    someone = Visitor(browser, embedded_address)
    yield someone
    someone.close()
    assert someone.complaints == []


@pytest.fixture
def customer(browser: Browser, shop: Shop) -> Iterator[Visitor]:
    """Somebody who visits the shop; whatever is asked of the server besides is its part."""
    someone = Visitor(browser, shop.origin, expected=r"^asked |favicon")
    yield someone
    someone.close()
    assert someone.complaints == []


def inner(page: Page) -> Frame:
    """The page inside the component."""
    handle = page.wait_for_selector("setmargin-interview iframe")
    assert handle is not None
    frame = handle.content_frame()
    assert frame is not None
    return frame


def heard(page: Page, kind: str) -> dict[str, Any]:
    """What the first event of this kind said, once there is one."""
    page.wait_for_function("kind => heard.some(({ type }) => type === kind)", arg=f"setmargin-{kind}")
    found: dict[str, Any] = page.evaluate("kind => heard.find(({ type }) => type === kind)", f"setmargin-{kind}")
    return found


def test_the_component_is_told_what_to_show_and_tells_what_happens(
    shop: Shop, customer: Visitor, embedded_address: str
) -> None:
    shop.shown = f"""{HEARD}<script src="{embedded_address}/embed.js"></script>
      <setmargin-interview id="lamps" catalogue="lamp" language="de" theme="dark" width="700" height="640"
        require="price <= 60; foot = steel" return="/basket?lamp={{kind}}&for={{price}}" label="Lampen">
      </setmargin-interview>"""
    page = customer.page()
    frame = inner(page)
    frame.wait_for_selector("button[type=submit]")
    assert frame.evaluate("document.documentElement.lang") == "de"
    expect(frame.locator("body")).to_have_css("background-color", DARK)
    frame_box = page.locator("setmargin-interview iframe")
    box = frame_box.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (700, 640)
    assert frame_box.get_attribute("title") == "Lampen"
    expect(frame.locator(".home, .foot")).to_have_count(2)
    assert not any(each.is_visible() for each in frame.locator(".home, .foot").all())

    frame.locator("button[type=submit]").click()
    frame.wait_for_selector(READY)
    started = heard(page, "started")
    assert (started["from"], started["detail"]["catalogue"], started["detail"]["answered"]) == ("lamps", "lamp", 0)
    state = json.load(urlopen(f"{embedded_address}/api/v1/interviews/{started['detail']['interview']}"))
    assert set(state["must_haves"]) == {"price <= 60", "foot = steel"}

    frame.locator("body").press("1")
    frame.wait_for_selector(MORE)
    frame.locator("body").press("c")
    assert heard(page, "answered")["detail"]["answered"] == 1
    page.locator("setmargin-interview").evaluate("element => element.setAttribute('theme', 'light')")
    expect(frame.locator("body")).to_have_css("background-color", LIGHT)

    frame.goto(f"{embedded_address}/i/{state['id']}/result")
    frame.wait_for_selector(".outcome")
    expect(frame.locator("body")).to_have_css("background-color", LIGHT)
    frame.locator(".outcome .primary").click()
    finished = heard(page, "finished")["detail"]
    assert finished["interview"] == state["id"]
    assert finished["taken"]["values"]["foot"] == "steel"
    taken = finished["taken"]
    back = frame.locator(".back")
    assert back.inner_text() == f"Zurück zu {urlsplit(shop.origin).netloc}"
    back.click()
    page.wait_for_url(f"{shop.origin}/basket**")
    assert parse_qs(urlsplit(page.url).query) == {
        "lamp": [taken["values"]["kind"]],
        "for": [f"{taken['amounts']['price']:g}"],
    }


def test_it_grows_with_what_it_shows_and_another_catalogue_begins_anew(
    shop: Shop, customer: Visitor, embedded_address: str
) -> None:
    shop.shown = f"""{HEARD}<script src="{embedded_address}/embed.js"></script>
      <setmargin-interview height="auto"></setmargin-interview>"""
    page = customer.page(size=(360, 800))
    element = page.locator("setmargin-interview")
    element.evaluate("element => element.setAttribute('catalogue', 'lamp')")
    inner(page).wait_for_selector("button[type=submit]")
    page.wait_for_function("document.querySelector('setmargin-interview').offsetHeight > 700", polling=50)
    for _ in range(100):  # what is still being counted comes a moment later, and so does the height
        heights = [
            element.evaluate("element => element.offsetHeight"),
            inner(page).evaluate("document.body.offsetHeight"),
        ]
        if heights[0] == heights[1]:
            break
        page.wait_for_timeout(50)
    assert heights[0] == heights[1] < 3000
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_documented_script_verifies_a_webhook(shop: Shop, customer: Visitor) -> None:
    shop.shown = ""
    text = (Path(__file__).parents[3] / "docs" / "embedding.md").read_text("utf-8")
    code = text.partition("```js\n")[2].partition("```")[0]
    body, now = '{"words": "größer als 5 €"}', int(time.time())
    webhooks = Webhooks(urls=[shop.origin], secrets=[SECRET])
    sent = [
        [webhooks.signed("id", at, body.encode()), said] for at, said in ((now, body), (now, "{}"), (now - 400, body))
    ]
    each = "sent.map((each) => isFromSetmargin(secret, ...each))"
    verify = f"async ([secret, sent]) => {{ {code}; return Promise.all({each}); }}"
    assert customer.page().evaluate(verify, [SECRET, sent]) == [True, False, False]


def test_everything_is_below_the_path_and_links_stay_there(guest: Visitor, embedded_address: str) -> None:
    page = guest.page("/?theme=dark")
    expect(page.locator("body")).to_have_css("background-color", DARK)
    page.get_by_role("link", name="Find your lamp").click()
    page.wait_for_url(f"{embedded_address}/c/lamp")
    begin(page)
    assert page.url.startswith(f"{embedded_address}/i/")
    page.goto(f"{page.url}/result?return={quote('https://stranger.example/')}")
    page.locator(".outcome .primary").click()
    expect(page.get_by_role("heading", name="You took this one")).to_be_visible()
    expect(page.locator(".back")).to_have_count(0)
    page.locator(".home").click()
    page.wait_for_url(f"{embedded_address}/")
    page.go_back()
    page.wait_for_selector(".outcome")


def test_the_owner_sees_who_is_told_and_sends_again_what_was_given_up(guest: Visitor, shop: Shop) -> None:
    begun = guest.api("/interviews", {"catalogue": "lamp", "strategy": "random"})
    guest.api(f"/interviews/{begun['id']}/finish", {"version": 0})
    with Client(guest.address, token=TOKEN) as owner:
        assert wait_until(lambda: owner.webhooks().receivers[0].waiting == 0)
        page = guest.page("/owner")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Show").click()
        told = page.locator(".told")
        expect(told.get_by_role("rowheader")).to_have_text(f"{shop.origin}/told")
        expect(told.locator(".words li").first).to_have_text(f"{shop.origin}/told, attempt 1: the reply has status 500")
        shop.is_well = True
        told.get_by_role("button", name="Send again what was given up").click()
        assert wait_until(lambda: owner.webhooks().receivers[0].given_up == 0)
        assert wait_until(lambda: owner.webhooks().receivers[0].waiting == 0)
        assert owner.webhooks().failed == ()
