"""The OpenAPI document, made true where the framework only guesses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from setmargin.server.api import problems

ADDRESS: Final = "/api/v1/openapi.json"


def install(app: FastAPI, *, base_path: str = "") -> None:
    """Let the app describe itself."""

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app) | ({"servers": [{"url": base_path}]} if base_path else {})
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for reply in _replies(document):
        _as_problem(reply)
    schemas = document.get("components", {}).get("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    return document


def _replies(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every reply that is a problem."""
    for path in document["paths"].values():
        for operation in path.values():
            for status, reply in operation["responses"].items():
                if int(status) >= 400:
                    yield reply


def _as_problem(reply: dict[str, Any]) -> None:
    """Problems have a media type of their own."""
    content = reply.get("content", {})
    if "application/json" in content:
        content[problems.MEDIA] = content.pop("application/json")
