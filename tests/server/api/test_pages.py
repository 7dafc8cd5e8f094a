"""The files of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from setmargin.server.api import pages
from tests.server.api.calling import Caller, calling


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Caller]:
    (tmp_path / "index.html").write_text("<!doctype html><title>hello</title>")
    (tmp_path / "app.js").write_text("export const one = 1;\n")
    app = FastAPI()
    pages.install(app, tmp_path)
    with calling(app) as caller:
        yield caller


@pytest.mark.parametrize("path", ["/", "/c/pc", "/i/abc", "/i/abc/result", "/owner"])
def test_every_address_of_the_page_gives_its_index(site: Caller, path: str) -> None:
    reply = site("GET", path)
    assert (reply.status_code, reply.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "hello" in reply.text
    assert site("HEAD", path).status_code == 200


def test_another_language_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<html lang="en" data-languages="en"><link href="/static/texts/en.js">')
    (tmp_path / "texts").mkdir()
    for name in ("en.js", "fr.js", "pt-BR.js", "notes.txt", "Not a code.js"):
        (tmp_path / "texts" / name).write_text("export const text = {};\n")
    app = FastAPI()
    pages.install(app, tmp_path)
    with calling(app) as site:
        french = site("GET", "/c/pc", headers={"Accept-Language": "ja, fr-CA;q=0.9, en;q=0.8"})
        assert french.text == '<html lang="fr" data-languages="en fr pt-BR"><link href="/static/texts/fr.js">'
        assert french.headers["Vary"] == "Accept-Language"
        assert 'lang="en"' in site("GET", "/", headers={"Accept-Language": "ja"}).text


def test_files_are_compressed_for_who_can_read_that(site: Caller, tmp_path: Path) -> None:
    (tmp_path / "long.js").write_text("export const two = 2;\n" * 200)
    packed = site("GET", "/static/long.js", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    plain = site("GET", "/static/long.js", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert packed.text == plain.text


def test_files_are_sent_once_and_then_only_asked_about(site: Caller) -> None:
    first = site("GET", "/static/app.js")
    assert (first.status_code, first.headers["Cache-Control"]) == (200, "no-cache")
    assert first.headers["Content-Type"].startswith("text/javascript")
    again = site("GET", "/static/app.js", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/static/../secret", "/static/%2e%2e/secret", "/static/..%2fsecret", "/static/none", "/x"]
)
def test_nothing_else_is_served(site: Caller, tmp_path: Path, path: str) -> None:
    (tmp_path.parent / "secret").write_text("secret")
    assert site("GET", path).status_code == 404


def test_the_page_ships_with_the_server() -> None:
    assert (pages.PAGE / "index.html").is_file()
