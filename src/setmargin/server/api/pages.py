"""The page: files from one directory, one index for each of its addresses, and the component for other sites."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from setmargin.languages import CODE, choose_language, wanted_languages
from setmargin.server.site import Site

SERVER: Final = Path(__file__).parents[1]
PAGE: Final = SERVER / "page"
COMPONENT: Final = SERVER / "component" / "embed.js"
ADDRESSES: Final = ("/", "/c/{name}", "/i/{id}", "/i/{id}/result", "/r/{token}", "/owner")
CHECKED: Final = {"Cache-Control": "no-cache"}
"""Kept by browsers, but never used without asking whether it is still the same: a page never mixes two releases."""
BY_LANGUAGE: Final = {"Vary": "Accept-Language"}
ENGLISH: Final = "en"
"""The language of the page where nobody asks for another that is there."""


class PageFiles(StaticFiles):
    """The files of the page, with their ETags."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or the news that it did not change."""
        found = await super().get_response(path, scope)
        found.headers.update(CHECKED)
        return found


def install(app: FastAPI, page: Path = PAGE, *, site: Site | None = None) -> None:
    """Serve the page, in each language that has a file of texts."""
    languages = languages_of(page)
    indices = {language: _index(page, language, languages, site or Site()) for language in languages}

    async def show(request: Request) -> HTMLResponse:
        wanted = wanted_languages(request.headers.get("Accept-Language", ""))
        return HTMLResponse(indices[choose_language(wanted, languages)], headers=CHECKED | BY_LANGUAGE)

    async def embed() -> FileResponse:
        return FileResponse(COMPONENT, media_type="text/javascript; charset=utf-8", headers=CHECKED)

    for address in ADDRESSES:
        app.add_api_route(address, show, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route("/embed.js", embed, methods=["GET", "HEAD"], include_in_schema=False)
    app.mount("/static", GZipMiddleware(PageFiles(directory=page)), name="static")


def languages_of(page: Path = PAGE) -> tuple[str, ...]:
    """The codes of the languages there are texts in, English first."""
    others = {file.stem for file in (page / "texts").glob("*.js") if CODE.fullmatch(file.stem)} - {ENGLISH}
    return (ENGLISH, *sorted(others))


def _index(page: Path, language: str, languages: Sequence[str], site: Site) -> str:
    """The index as written is in English, and at the top of its site; elsewhere it names what differs.

    In another language it asks for the texts in that; where other sites are allowed, it says which.
    """
    written = (page / "index.html").read_text(encoding="utf-8")
    spoken = f'lang="{language}" data-languages="{" ".join(languages)}"'
    allowed = f' data-origins="{" ".join(site.origins)}"' if site.origins else ""
    for place, instead in (
        (f'lang="{ENGLISH}" data-languages="{ENGLISH}"', spoken + allowed),
        (f"/static/texts/{ENGLISH}.js", f"/static/texts/{language}.js"),
        ('"/static/', f'"{site.base_path}/static/'),
    ):
        written = written.replace(place, instead)
    return written
