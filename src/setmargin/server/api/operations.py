"""For whoever runs the server: is it alive, is it ready, how is it doing, and what did people do."""

from __future__ import annotations

from datetime import datetime
from ipaddress import ip_address
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from setmargin import documents
from setmargin.server.api.catalogues import Name
from setmargin.server.api.dependencies import (
    Catalogues,
    Credentials,
    Exports,
    Interviews,
    Learning,
    Owner,
    Priors,
    is_owner,
    owner_only,
)
from setmargin.server.api.interviews import Id
from setmargin.server.api.metrics import MEDIA
from setmargin.server.api.problems import ProblemError, documented
from setmargin.server.services.exporting import MEDIA as EXPORT_MEDIA
from setmargin.server.services.exporting import ExportedForm, ExportedTable

LARGEST_VERSION = 2**31 - 1
MOST_DAYS = 36_500
router = APIRouter(tags=["operations"])
owner_router = APIRouter(prefix="/api/v1/owner", tags=["owner"])


@router.get("/health", responses=documented())
async def health() -> documents.Alive:
    """Whether the process answers."""
    return documents.Alive()


@router.get("/ready", responses=documented("unavailable"))
async def ready(interviews: Interviews) -> documents.Alive:
    """Whether people can be served: the store answers, and processes work."""
    await interviews.check()
    return documents.Alive()


@owner_router.get("/summary", dependencies=[Depends(owner_only)], responses=documented("unauthorized", "off"))
async def summary(
    owner: Owner,
    since: Annotated[datetime | None, Query(description="only interviews begun since then")] = None,
) -> documents.Summary:
    """What people did, by catalogue: how many came, how many questions they needed, where the others left."""
    return await owner.summary(since)


@owner_router.get("/priors", dependencies=[Depends(owner_only)], responses=documented("unauthorized", "off"))
async def priors(request: Request, priors: Priors, learning: Learning) -> documents.Priors:
    """What interviews begin with: which version of what is known of earlier people, and from how many of them."""
    due = {} if learning is None else await learning.due()
    return await priors.described(least=request.app.state.settings.learning_least, due=due)


@owner_router.get(
    "/priors/{catalogue}/{version}",
    dependencies=[Depends(owner_only)],
    responses=documented("unauthorized", "off", "not-found"),
)
async def prior(
    catalogue: Annotated[str, Path(min_length=1, max_length=64, examples=["pc"])],
    version: Annotated[int, Path(ge=1, le=LARGEST_VERSION)],
    priors: Priors,
) -> documents.PriorFile:
    """One version whole: figures about all of these people, and nothing about anybody."""
    found = await priors.version(catalogue, version)
    return documents.PriorFile(found.catalogue, found.version, found.document)


@owner_router.get("/catalogues", dependencies=[Depends(owner_only)], responses=documented("unauthorized", "off"))
async def owned(catalogues: Catalogues) -> documents.OwnersCatalogues:
    """Every catalogue that was ever offered, and whether it is."""
    return await catalogues.owned()


@owner_router.post(
    "/catalogues/{name}/withdraw",
    dependencies=[Depends(owner_only)],
    responses=documented("unauthorized", "off", "not-found"),
)
async def withdraw(name: Name, catalogues: Catalogues) -> documents.OwnersCatalogue:
    """Let no more interviews begin on a catalogue, on any server and after any restart; those that were begun go on."""
    return await catalogues.withdraw(name)


@owner_router.post(
    "/catalogues/{name}/offer",
    dependencies=[Depends(owner_only)],
    responses=documented("unauthorized", "off", "not-found"),
)
async def offer(name: Name, catalogues: Catalogues) -> documents.OwnersCatalogue:
    """Bring a catalogue back that was withdrawn; one that is not served is offered by every server from then on."""
    return await catalogues.bring_back(name)


TABLE: dict[int | str, dict[str, Any]] = {
    200: {"description": "the table", "content": {media.split(";")[0]: {} for media in EXPORT_MEDIA.values()}}
}


@owner_router.get(
    "/export/{table}",
    dependencies=[Depends(owner_only)],
    response_class=StreamingResponse,
    responses=TABLE | documented("unauthorized", "off"),
)
async def export(
    table: ExportedTable,
    exports: Exports,
    form: Annotated[ExportedForm, Query(alias="format")] = "csv",
    catalogue: Annotated[str | None, Query(max_length=64, description="interviews on this one alone")] = None,
    since: Annotated[datetime | None, Query(description="only interviews begun since then")] = None,
) -> StreamingResponse:
    """Interviews, answers or results as a table, row by row, however many there are; no row is the key to anything."""
    pieces = await exports.stream(table, form, catalogue=catalogue, since=since)
    headers = {"Content-Disposition": f'attachment; filename="{table}.{form}"'}
    return StreamingResponse(pieces, media_type=EXPORT_MEDIA[form], headers=headers)


@owner_router.delete(
    "/interviews/{id}",
    status_code=204,
    dependencies=[Depends(owner_only)],
    responses=documented("unauthorized", "off", "not-found"),
)
async def forget(id: Id, interviews: Interviews) -> None:
    """Forget an interview: nothing of what was shown and said is left. What was learnt from many people stays."""
    await interviews.forget(id)


@owner_router.delete(
    "/interviews", dependencies=[Depends(owner_only)], responses=documented("unauthorized", "off", "validation")
)
async def forget_unseen(
    interviews: Interviews,
    days: Annotated[
        float, Query(gt=0, le=MOST_DAYS, description="forget those that nobody has looked at for so many days")
    ],
) -> documents.Forgotten:
    """Forget all interviews that nobody has looked at for so long."""
    return documents.Forgotten(await interviews.forget_unseen(days))


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
