"""What routes are given: the services, and the assurance that it is the owner who asks."""

from __future__ import annotations

import hmac
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from setmargin.languages import wanted_languages
from setmargin.server.api.problems import ProblemError
from setmargin.server.services.catalogues import CatalogueService
from setmargin.server.services.exporting import ExportService
from setmargin.server.services.interviews import InterviewService
from setmargin.server.services.learning import LearningService
from setmargin.server.services.owner import OwnerService
from setmargin.server.services.priors import PriorService
from setmargin.server.services.sharing import SharingService
from setmargin.server.services.webhooks import WebhookService
from setmargin.server.settings import TOKEN_VARIABLE

bearer = HTTPBearer(auto_error=False, scheme_name="owner", description="the owner's token")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


def _kept(name: str) -> Any:
    """What the app keeps under this name, for a route."""

    async def find(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(find)


def _languages(
    request: Request,
    language: Annotated[
        str | None,
        Query(max_length=35, description="the code of a language, which goes before Accept-Language", examples=["de"]),
    ] = None,
) -> tuple[str, ...]:
    """What the person would like to read, best first."""
    wanted = wanted_languages(request.headers.get("Accept-Language", ""))
    return wanted if language is None else (language, *wanted)


Interviews = Annotated[InterviewService, _kept("interviews")]
Catalogues = Annotated[CatalogueService, _kept("catalogues")]
Priors = Annotated[PriorService, _kept("priors")]
Sharing = Annotated[SharingService, _kept("sharing")]
Exports = Annotated[ExportService, _kept("exports")]
Owner = Annotated[OwnerService, _kept("owner")]
Deliveries = Annotated[WebhookService, _kept("webhooks")]
Languages = Annotated[tuple[str, ...], Depends(_languages)]
Learning = Annotated[LearningService | None, _kept("learning")]


def is_owner(token: str | None, given: str | None) -> bool:
    """Whether the token is the owner's; how long it takes to tell says nothing about it."""
    return token is not None and given is not None and hmac.compare_digest(token.encode(), given.encode())


def is_from_owner(request: Request) -> bool:
    """Whether a request that everybody may send comes with the owner's token."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and is_owner(request.app.state.settings.owner_token, given.strip())


async def owner_only(request: Request, credentials: Credentials) -> None:
    """Let only the owner pass."""
    token = request.app.state.settings.owner_token
    if token is None:
        raise ProblemError(
            "off", "the owner's part of the API is off", cure=f"start the server with {TOKEN_VARIABLE} set"
        )
    if not is_owner(token, credentials.credentials if credentials else None):
        raise ProblemError(
            "unauthorized", "the owner's token is missing or wrong", headers={"WWW-Authenticate": "Bearer"}
        )


async def uploads_only(request: Request) -> None:
    """Let nobody pass unless uploads are switched on."""
    if not request.app.state.settings.uploads:
        raise ProblemError("off", "catalogues cannot be put through the API", cure="start the server with --uploads")
