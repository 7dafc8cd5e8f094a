"""Below a path, and for other sites: what they may, and what only the owner may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from setmargin.server.site import Site
from setmargin.space.catalogue import loads
from tests.server.api.calling import OWNER, Caller, calling
from tests.server.api.inline import InlinePool
from tests.space.presented import CHAIR

SHOP, STRANGER = "https://shop.example", "https://stranger.example"
API = "/configure/api/v1"


@pytest.fixture(scope="module")
def call(options: Settings) -> Iterator[Caller]:
    """A server as a part of a shop's site."""
    site = Site(base_path="/configure", origins=[SHOP])
    served = (*options.catalogues, loads(CHAIR).document())
    changed = replace(options, site=site, catalogues=served, rate=0.001, burst=20, hosts=("shop.example", "test"))
    with calling(create_app(changed, make_pool=InlinePool)) as caller:
        yield caller


def test_pages_may_be_shown_by_the_origins_that_are_allowed(call: Caller) -> None:
    for path in ("/configure", "/configure/", "/configure/c/tea", "/configure/i/x/result"):
        headers = call("GET", path).headers
        assert headers["Content-Security-Policy"].endswith(f"; frame-ancestors {SHOP}")
        assert "X-Frame-Options" not in headers
    owner = call("GET", "/configure/owner").headers
    assert owner["Content-Security-Policy"].endswith("; frame-ancestors 'none'")
    assert owner["X-Frame-Options"] == "DENY"


def test_the_component_may_be_loaded_from_other_sites(call: Caller) -> None:
    script = call("GET", "/configure/embed.js")
    assert script.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert script.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert len(script.content) < 10_000


def test_scripts_of_allowed_origins_may_ask_and_others_may_not(call: Caller) -> None:
    asked = {"Origin": SHOP, "Access-Control-Request-Method": "POST"}
    wanted = {"Access-Control-Request-Headers": "content-type, idempotency-key"}
    before = call("OPTIONS", f"{API}/interviews", headers=asked | wanted)
    assert (before.status_code, before.headers["Access-Control-Allow-Origin"]) == (200, SHOP)
    started = call("POST", f"{API}/interviews", json={"catalogue": "tea"}, headers={"Origin": SHOP})
    assert (started.status_code, started.headers["Access-Control-Allow-Origin"]) == (201, SHOP)
    assert "Location" in started.headers["Access-Control-Expose-Headers"]
    assert started.headers["Location"] == f"{API}/interviews/{started.json()['id']}"
    assert "Access-Control-Allow-Credentials" not in started.headers
    refused = call("OPTIONS", f"{API}/interviews", headers=asked | {"Origin": STRANGER})
    assert (refused.status_code, refused.headers.get("Access-Control-Allow-Origin")) == (400, None)
    assert "Access-Control-Allow-Origin" not in call("GET", f"{API}/catalogues", headers={"Origin": STRANGER}).headers


def test_what_is_the_owners_is_for_no_other_site(call: Caller) -> None:
    asked = {"Origin": SHOP, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    for path in ("/owner/summary", "/catalogues/tea"):
        assert call("OPTIONS", API + path, headers=asked).status_code in (400, 405)
    reply = call("GET", f"{API}/owner/summary", headers=OWNER | {"Origin": SHOP})
    assert (reply.status_code, reply.headers.get("Access-Control-Allow-Origin")) == (200, None)


def test_limits_and_names_hold_below_the_path_too(call: Caller) -> None:
    busy = [call("GET", f"{API}/catalogues", at="198.51.100.7").status_code for _ in range(21)]
    assert (busy[0], busy[-1]) == (200, 429)
    assert call("GET", "/configure/", headers={"Host": "stranger.example"}).status_code == 421
    assert call("POST", f"{API}/interviews", content=b"x" * 70_000).status_code == 413


def test_addresses_in_documents_are_below_the_path(call: Caller) -> None:
    document = call("GET", f"{API}/openapi.json").json()
    assert document["servers"] == [{"url": "/configure"}]
    theme = call("GET", f"{API}/catalogues/chair").json()["theme"]
    assert theme["logo"].startswith(f"{API}/images/")
    assert call("GET", theme["logo"]).status_code == 200
    index = call("GET", "/configure/").text
    assert 'src="/configure/static/main.js"' in index
    assert '"/static/' not in index
    assert call("GET", "/configure/static/main.js").status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/catalogues", "/configured", "/static/main.js", "/nowhere/", "/configure/x"]
)
def test_nothing_is_elsewhere(call: Caller, path: str) -> None:
    assert call("GET", path).status_code == 404


def test_whoever_watches_the_server_asks_as_always(call: Caller) -> None:
    assert [call("GET", path).status_code for path in ("/health", "/ready", "/configure/health")] == [200, 200, 200]


def test_by_default_no_site_may_anything(options: Settings) -> None:
    with calling(create_app(options, make_pool=InlinePool)) as closed:
        reply = closed("GET", "/", headers={"Origin": SHOP})
        assert reply.headers["X-Frame-Options"] == "DENY"
        assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert (
            "Access-Control-Allow-Origin" not in closed("GET", "/api/v1/catalogues", headers={"Origin": SHOP}).headers
        )
        assert "data-origins" not in reply.text
