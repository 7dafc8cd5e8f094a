"""What interviews can be about."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response

from setmargin import documents
from setmargin.server.api.dependencies import Catalogues, Languages, owner_only, uploads_only
from setmargin.server.api.problems import documented
from setmargin.space.images import TYPES

router = APIRouter(prefix="/api/v1/catalogues", tags=["catalogues"])
Name = Annotated[str, Path(min_length=1, max_length=64, description="the name of a catalogue", examples=["pc"])]

images = APIRouter(prefix="/api/v1/images", tags=["catalogues"])
Digest = Annotated[str, Path(min_length=1, max_length=64, description="a digest, as the catalogue gives it")]
PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"description": "the picture", "content": {type: {} for type in TYPES.values()}}
}
KEPT = {
    "Cache-Control": "public, max-age=31536000, immutable",
    # Of use where somebody opens the address of an SVG alone: no script, and nothing from elsewhere.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}

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
async def list_catalogues(catalogues: Catalogues, languages: Languages) -> documents.Catalogues:
    """The catalogues that interviews can be about."""
    return documents.Catalogues(tuple(map(_card, await catalogues.offered(languages))))


@router.get("/{name}", responses=documented("not-found", "too-complex", "timeout"))
async def read_catalogue(name: Name, catalogues: Catalogues, languages: Languages) -> documents.Catalogue:
    """All about one catalogue: what must-haves can speak of, and what people see of it."""
    return await catalogues.described(name, languages)


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
    reply.headers["Location"] = f"{request.app.state.settings.site.base_path}{router.prefix}/{offered.name}"
    return offered


def _card(catalogue: documents.Catalogue) -> documents.CatalogueCard:
    return documents.CatalogueCard(
        name=catalogue.name,
        title=catalogue.title,
        description=catalogue.description,
        attributes=len(catalogue.attributes),
        quantities=len(catalogue.quantities),
        configurations=catalogue.configurations,
        theme=catalogue.theme,
    )


@images.get("/{catalogue}/{image}", response_class=Response, responses=PICTURE | documented("not-found"))
async def read_image(catalogue: Digest, image: Digest, catalogues: Catalogues) -> Response:
    """A picture of a catalogue, by the digests of both; it may be kept for ever."""
    found = await catalogues.image(catalogue, image)
    return Response(found.content, media_type=found.type, headers=KEPT)
