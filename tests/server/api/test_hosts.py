from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from tests.server.api.calling import API, Caller, calling
from tests.server.api.inline import InlinePool


@pytest.fixture(scope="module")
def named(options: Settings) -> Iterator[Caller]:
    """A server that is known by two names."""
    known = replace(options, hosts=("shop.example", "*.Tea.example"))
    with calling(create_app(known, make_pool=InlinePool)) as call:
        yield call


@pytest.mark.parametrize(
    "host",
    [
        "shop.example",
        "SHOP.example:8000",
        "shop.example.",
        "green.tea.example",
        "a.b.tea.example:80",
        "localhost:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
    ],
)
def test_a_name_that_the_server_is_known_by_is_served(named: Caller, host: str) -> None:
    assert named("GET", f"{API}/catalogues", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "tea.example", "shop.example.evil.example", "", "xtea.example", "[::2]"]
)
@pytest.mark.parametrize("path", ["/", "/health", "/metrics", f"{API}/catalogues"])
def test_any_other_name_is_refused_with_a_problem_document(named: Caller, host: str, path: str) -> None:
    reply = named("GET", path, headers={"Host": host})
    assert (reply.status_code, reply.json()["type"].rpartition("/")[2]) == (421, "misdirected")
    assert host not in reply.text or not host


def test_a_server_without_names_is_served_under_any(call: Caller) -> None:
    assert call("GET", "/health", headers={"Host": "anything.example"}).status_code == 200
