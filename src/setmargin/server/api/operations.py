"""For whoever runs the server: is it alive, is it ready, and how is it doing."""

from __future__ import annotations

from ipaddress import ip_address

from fastapi import APIRouter, Request, Response

from setmargin.server.api.metrics import MEDIA
from setmargin.server.api.models import Alive
from setmargin.server.api.owner import Credentials, is_owner
from setmargin.server.api.problems import ProblemError, documented
from setmargin.server.services.interviews import TheDesk

router = APIRouter(tags=["operations"])


@router.get("/health", responses=documented())
async def health() -> Alive:
    """Whether the process answers."""
    return Alive()


@router.get("/ready", responses=documented("unavailable"))
async def ready(desk: TheDesk) -> Alive:
    """Whether people can be served: the store answers, and processes work."""
    await desk.check()
    return Alive()


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request, credentials: Credentials) -> Response:
    """Numbers for Prometheus: for whoever is on this machine, or has the owner's token."""
    token = credentials.credentials if credentials else None
    if not (is_owner(request.app.state.settings.owner_token, token) or _is_here(request)):
        raise ProblemError("unauthorized", "metrics are for the owner", headers={"WWW-Authenticate": "Bearer"})
    return Response(request.app.state.metrics.text(), media_type=MEDIA)


def _is_here(request: Request) -> bool:
    """Whether the request comes from this machine itself, and not through a proxy on it."""
    if "x-forwarded-for" in request.headers or "forwarded" in request.headers or request.client is None:
        return False
    try:
        return ip_address(request.client.host).is_loopback
    except ValueError:
        return False
