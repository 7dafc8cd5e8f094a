"""What only the owner may do, and how the owner is known."""

from __future__ import annotations

import hmac
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from setmargin.server.api import models
from setmargin.server.api.problems import ProblemError, documented
from setmargin.server.services.catalogues import TheShelf
from setmargin.server.settings import TOKEN_VARIABLE

router = APIRouter(prefix="/api/v1/owner", tags=["owner"])
bearer = HTTPBearer(auto_error=False, scheme_name="owner", description="the owner's token")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


def is_owner(token: str | None, given: str | None) -> bool:
    """Whether the token is the owner's; how long it takes to tell says nothing about it."""
    return token is not None and given is not None and hmac.compare_digest(token.encode(), given.encode())


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


@router.get("/summary", dependencies=[Depends(owner_only)], responses=documented("unauthorized", "off"))
async def summary(
    shelf: TheShelf,
    since: Annotated[datetime | None, Query(description="only interviews begun since then")] = None,
) -> models.Summary:
    """What people did, by catalogue: how many came, how many questions they needed, where the others left."""
    return await shelf.summary(since)
