"""What interviews can be about."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response

from setmargin import documents
from setmargin.server.api.dependencies import Catalogues, owner_only, uploads_only
from setmargin.server.api.problems import documented

router = APIRouter(prefix="/api/v1/catalogues", tags=["catalogues"])
Name = Annotated[str, Path(min_length=1, max_length=64, description="the name of a catalogue", examples=["pc"])]

YAML: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "a catalogue file",
        "content": {
            "application/yaml": {
                "schema": {"type": "string"},
                "example": "catalogue: tea\nattributes:\n  kind: [green, black]\n  cups: [1, 2]\n",
            }
        },
    }
}


@router.get("", responses=documented("too-complex", "timeout"))
async def list_catalogues(catalogues: Catalogues) -> documents.Catalogues:
    """The catalogues that interviews can be about."""
    return documents.Catalogues(tuple(map(_card, await catalogues.offered())))


@router.get("/{name}", responses=documented("not-found", "too-complex", "timeout"))
async def read_catalogue(name: Name, catalogues: Catalogues) -> documents.Catalogue:
    """All about one catalogue: what must-haves can speak of."""
    return await catalogues.described(name)


@router.post("/{name}/possible", responses=documented("not-found", "too-complex", "timeout"))
async def possible(name: Name, body: documents.MustHaves, catalogues: Catalogues) -> documents.Possible:
    """What must-haves leave: how many configurations, which values, from where to where quantities go."""
    return await catalogues.possible(name, body.must_haves)


@router.post(
    "/check",
    openapi_extra=YAML,
    dependencies=[Depends(owner_only), Depends(uploads_only)],
    responses=documented("unauthorized", "off", "impossible", "too-complex", "timeout"),
)
async def check_catalogue(request: Request, catalogues: Catalogues) -> documents.Catalogue:
    """Read a catalogue without offering it; mistakes come with their lines."""
    return await catalogues.check(await request.body())


@router.put(
    "/{name}",
    openapi_extra=YAML,
    status_code=201,
    dependencies=[Depends(owner_only), Depends(uploads_only)],
    responses=documented("unauthorized", "off", "impossible", "too-complex", "timeout"),
)
async def put_catalogue(name: Name, request: Request, reply: Response, catalogues: Catalogues) -> documents.Catalogue:
    """Offer a catalogue from now on; interviews that began with an earlier version keep it."""
    offered = await catalogues.offer(name, await request.body())
    reply.headers["Location"] = f"{router.prefix}/{offered.name}"
    return offered


def _card(catalogue: documents.Catalogue) -> documents.CatalogueCard:
    return documents.CatalogueCard(
        name=catalogue.name,
        title=catalogue.title,
        description=catalogue.description,
        attributes=len(catalogue.attributes),
        quantities=len(catalogue.quantities),
        configurations=catalogue.configurations,
    )
