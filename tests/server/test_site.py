"""Paths and origins are checked before anything is served below or for them."""

from __future__ import annotations

import re

import pytest

from setmargin.errors import OptionError
from setmargin.server.site import Site


@pytest.mark.parametrize(
    "origin",
    ["shop.example", "https://shop.example/", "https://shop.example/x", "ftp://x", "https://a b", "null", "https://x;",
     "https://u@x", "https://*", "https://a.*.b", "https://x:port", "https:// shop.example", "'self'"],
)  # fmt: skip
def test_what_is_no_origin_is_refused_by_name(origin: str) -> None:
    with pytest.raises(OptionError, match=re.escape(f"{origin!r} is no origin of a site; give its scheme")):
        Site(origins=[origin])


@pytest.mark.parametrize("path", ["configure", "/con figure", "/a//b", "/a/../b", '/"x', "/ö", "/a?b"])
def test_what_is_no_path_is_refused_by_name(path: str) -> None:
    with pytest.raises(OptionError, match=re.escape(f"the base path is {path!r}")):
        Site(base_path=path)


def test_one_origin_and_one_path_are_written_in_one_way() -> None:
    site = Site(base_path="/a/b/", origins=["HTTPS://Shop.example:443", "https://shop.example", "http://x:443"])
    assert site == Site(base_path="/a/b", origins=("https://shop.example", "http://x:443"))
    assert Site(base_path="/") == Site()


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("https://shop.example", True),
        ("https://shop.example.evil.example", False),
        ("https://shopXexample", False),
        ("http://shop.example", False),
        ("https://shop.example:8443", False),
        ("https://a.b.parts.example", True),
        ("https://parts.example", False),
        ("https://evilparts.example", False),
    ],
)
def test_an_origin_is_known_by_all_of_it(origin: str, allowed: bool) -> None:
    site = Site(origins=["https://shop.example", "https://*.parts.example"])
    assert bool(re.fullmatch(site.pattern(), origin)) == allowed
    assert re.fullmatch(Site(origins=["*"]).pattern(), origin)
