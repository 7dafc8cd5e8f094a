"""Results that people share: one route, which reads."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from setmargin import documents
from setmargin.server.api.dependencies import Languages, Sharing
from setmargin.server.api.problems import documented

router = APIRouter(prefix="/api/v1/shared", tags=["interviews"])
Token = Annotated[str, Path(description="what a link to a result ends with", examples=["b7Q0z3sT7kLxw2mW0a1c8eJ5"])]


@router.get("/{token}", responses=documented("not-found", "too-complex", "timeout"))
async def shared(token: Token, sharing: Sharing, languages: Languages) -> documents.SharedResult:
    """A result as it was when its link was made; the interview behind it can be neither read nor changed by it."""
    return await sharing.shared(token, languages)
