"""The catalogues that are offered, and what the API says about them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from setmargin import documents
from setmargin.errors import CatalogueError
from setmargin.lru import Lru
from setmargin.server.errors import NotOffered, RequestError
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.presented import presented
from setmargin.server.store import Store, StoredCatalogue, offering
from setmargin.server.work.pool import WorkerPool
from setmargin.space.catalogue import loads
from setmargin.space.images import Image
from setmargin.space.presentation import Presentation
from setmargin.space.presentation_document import split_document
from setmargin.space.space import fingerprint_of
from setmargin.space.text import suggest

FRESH_SECONDS: Final = 2.0
"""How long the list may be behind: another server on the same store may have put a catalogue."""
MOST_KEPT: Final = 100


class CatalogueService:
    """Catalogues by name and by digest. What was read or counted once is kept: a digest never means anything else."""

    def __init__(self, store: AsyncStore, workers: WorkerPool, *, base_path: str = "") -> None:
        """The base path is that below which pictures are found."""
        self._store, self._workers, self._base_path = store, workers, base_path
        self._known: Lru[str, StoredCatalogue] = Lru(MOST_KEPT)
        self._described: Lru[str, documents.Catalogue] = Lru(MOST_KEPT)
        self._presentations: Lru[str, Presentation] = Lru(MOST_KEPT)
        self._spoken_in: Lru[tuple[str, str], documents.Catalogue] = Lru(MOST_KEPT)
        self._files: dict[str, str] = {}
        """The digests of what this server was given, by name."""
        self._offered: tuple[StoredCatalogue, ...] = ()
        self._read_at = float("-inf")

    async def give(self, documents: Sequence[dict[str, Any]]) -> None:
        """Offer these, each under its own name; what the owner put since they were given before stays."""
        self._files = await self._store.patient(offering.give, documents)

    async def offered(self, languages: Sequence[str] = ()) -> list[documents.Catalogue]:
        """All that can be chosen, by name, each in the first of these languages that it has texts in."""
        return [await self._spoken(each, languages) for each in await self.current()]

    async def named(self, name: str) -> StoredCatalogue:
        """The version that is offered under this name."""
        known = {each.name: each for each in await self.current()}
        if name not in known:
            hint = suggest(name, sorted(known), what="there is")
            raise NotOffered(f"there is no catalogue {name[:64]!r}", cure=hint)
        return known[name]

    async def described(self, name: str, languages: Sequence[str] = ()) -> documents.Catalogue:
        """All about the version that is offered under this name."""
        return await self._spoken(await self.named(name), languages)

    async def possible(self, name: str, must_haves: Sequence[str]) -> documents.Possible:
        """What must-haves leave of the version that is offered under this name."""
        stored = await self.named(name)
        return await self._workers.possible(stored.document, stored.digest, must_haves)

    async def described_as(self, digest: str, languages: Sequence[str] = ()) -> documents.Catalogue:
        """All about any version there ever was."""
        return await self._spoken(await self.of(digest), languages)

    async def image(self, digest: str, image: str) -> Image:
        """A picture of any version there ever was."""
        found = self.presentation_of(await self.of(digest)).images.get(image)
        if found is None:
            raise NotOffered(
                f"the catalogue has no image {image[:64]!r}", cure="take an address that the catalogue gives"
            )
        return found

    def presentation_of(self, stored: StoredCatalogue) -> Presentation:
        """What people see of this version."""
        known = self._presentations.get(stored.digest)
        if known is None:
            _, known = split_document(stored.document)
            self._presentations[stored.digest] = known
        return known

    async def _spoken(self, stored: StoredCatalogue, languages: Sequence[str]) -> documents.Catalogue:
        presentation = self.presentation_of(stored)
        key = stored.digest, presentation.language_for(languages)
        known = self._spoken_in.get(key)
        if known is None:
            described = await self._describe(stored.digest, stored.document)
            known = self._spoken_in[key] = presented(described, presentation, languages, self._base_path)
        return known

    async def of(self, digest: str) -> StoredCatalogue:
        """Any version there ever was."""
        known = self._known.get(digest)
        if known is None:
            known = self._known[digest] = await self._store.read(Store.catalogue, digest)
        return known

    async def check(self, text: bytes) -> documents.Catalogue:
        """What a file describes."""
        document = await asyncio.to_thread(_read, text)
        return await self._described_whole(fingerprint_of(document["catalogue"], document), document)

    async def offer(self, name: str, text: bytes) -> documents.Catalogue:
        """Offer what a file describes, once it is known that something can be built of it."""
        document = await asyncio.to_thread(_read, text)
        if document["catalogue"] != name:
            raise RequestError(f"the file calls itself {document['catalogue']}, not {name}", cure="use the same name")
        described = await self._described_whole(fingerprint_of(name, document), document)
        await self._store.write(Store.put_catalogue, name, document)
        self._read_at = float("-inf")
        return described

    async def withdraw(self, name: str) -> documents.OwnersCatalogue:
        """Let no more interviews begin on it, on any server; those that were begun go on."""
        changed = await self._store.write(offering.withdraw, name)
        self._read_at = float("-inf")
        return await self._owned(changed)

    async def bring_back(self, name: str) -> documents.OwnersCatalogue:
        """Let interviews begin on it again."""
        changed = await self._store.write(offering.bring_back, name)
        self._read_at = float("-inf")
        return await self._owned(changed)

    async def owned(self) -> documents.OwnersCatalogues:
        """Every catalogue of the store, offered or not."""
        found = await self._store.read(offering.offers)
        return documents.OwnersCatalogues(tuple([await self._owned(each) for each in found]))

    async def _owned(self, offer: offering.CatalogueOffer) -> documents.OwnersCatalogue:
        digest = offer.version_for(self._files)
        return documents.OwnersCatalogue(
            name=offer.name,
            title=await self._title(digest or offer.digest),
            digest=digest or offer.digest,
            status="withdrawn" if offer.withdrawn else "not served" if digest is None else "offered",
            uploaded=offer.is_put,
            withdrawn=None if offer.withdrawn is None else offer.withdrawn.isoformat(timespec="seconds"),
        )

    async def _title(self, digest: str) -> str:
        title: str = split_document((await self.of(digest)).document)[0].get("title", "")
        return title

    async def current(self) -> tuple[StoredCatalogue, ...]:
        """The version of each catalogue that is offered now, by name."""
        now = asyncio.get_running_loop().time()
        if now - self._read_at > FRESH_SECONDS:
            found = [each.version_for(self._files) for each in await self._store.read(offering.offers)]
            self._offered = tuple([await self.of(digest) for digest in found if digest is not None])
            self._read_at = now
        return self._offered

    async def _described_whole(self, digest: str, document: dict[str, Any]) -> documents.Catalogue:
        """In its default language, though it is not offered yet."""
        return presented(await self._describe(digest, document), split_document(document)[1], (), self._base_path)

    async def _describe(self, digest: str, document: dict[str, Any]) -> documents.Catalogue:
        known = self._described.get(digest)
        if known is None:
            known = self._described[digest] = await self._workers.catalogue(document, digest)
        return known


def _read(text: bytes) -> dict[str, Any]:
    try:
        return loads(text.decode("utf-8"), file="catalogue").document()
    except UnicodeDecodeError:
        raise CatalogueError("this is not UTF-8 text; save it as UTF-8", file="catalogue") from None
