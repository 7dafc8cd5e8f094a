"""The page: a few files from one directory, and the same index for each of its addresses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import FastAPI
from fastapi.responses import FileResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PAGE: Final = Path(__file__).parents[1] / "page"
ADDRESSES: Final = ("/", "/c/{name}", "/i/{id}", "/i/{id}/result", "/owner")
CHECKED: Final = {"Cache-Control": "no-cache"}
"""Kept by browsers, but never used without asking whether it is still the same: a page never mixes two releases."""


class PageFiles(StaticFiles):
    """The files of the page, with their ETags."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or the news that it did not change."""
        found = await super().get_response(path, scope)
        found.headers.update(CHECKED)
        return found


def install(app: FastAPI, page: Path = PAGE) -> None:
    """Serve the page."""
    index = page / "index.html"

    async def show() -> FileResponse:
        return FileResponse(index, headers=CHECKED)

    for address in ADDRESSES:
        app.add_api_route(address, show, methods=["GET", "HEAD"], include_in_schema=False)
    app.mount("/static", PageFiles(directory=page), name="static")
