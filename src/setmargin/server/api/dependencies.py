"""What routes are given: the services, and the assurance that it is the owner who asks."""

from __future__ import annotations

import hmac
from typing import Annotated

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


async def _interviews(request: Request) -> InterviewService:
    service: InterviewService = request.app.state.interviews
    return service


async def _catalogues(request: Request) -> CatalogueService:
    service: CatalogueService = request.app.state.catalogues
    return service


async def _priors(request: Request) -> PriorService:
    service: PriorService = request.app.state.priors
    return service


async def _exports(request: Request) -> ExportService:
    service: ExportService = request.app.state.exports
    return service


async def _owner(request: Request) -> OwnerService:
    service: OwnerService = request.app.state.owner
    return service


async def _sharing(request: Request) -> SharingService:
    service: SharingService = request.app.state.sharing
    return service


async def _webhooks(request: Request) -> WebhookService:
    service: WebhookService = request.app.state.webhooks
    return service


async def _learning(request: Request) -> LearningService | None:
    service: LearningService | None = request.app.state.learning
    return service


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


Interviews = Annotated[InterviewService, Depends(_interviews)]
Catalogues = Annotated[CatalogueService, Depends(_catalogues)]
Priors = Annotated[PriorService, Depends(_priors)]
Sharing = Annotated[SharingService, Depends(_sharing)]
Exports = Annotated[ExportService, Depends(_exports)]
Owner = Annotated[OwnerService, Depends(_owner)]
Deliveries = Annotated[WebhookService, Depends(_webhooks)]
Languages = Annotated[tuple[str, ...], Depends(_languages)]
Learning = Annotated[LearningService | None, Depends(_learning)]


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
