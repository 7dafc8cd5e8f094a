"""Links to results: what somebody came to, to be read by whoever has the link, and by nobody changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from setmargin import documents
from setmargin.server.errors import Conflict
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.catalogues import CatalogueService
from setmargin.server.services.interviews import InterviewService
from setmargin.server.store import Store


class SharingService:
    """Shares results as they are at one moment: whoever goes on answering does not change what others were sent."""

    def __init__(self, store: AsyncStore, interviews: InterviewService, catalogues: CatalogueService) -> None:
        self._store, self._interviews, self._catalogues = store, interviews, catalogues

    async def share(self, id: str, version: int) -> documents.Shared:
        """A link to the result at the version that the person has seen; the same version has the same link."""
        state = await self._interviews.state(id)
        if state.version != version:
            raise Conflict(after=version, current=state.version)
        token = await self._store.read(Store.token_at, id, version)
        if token is None:
            result = await self._interviews.result(id)
            token = await self._store.write(Store.share, id, version, _document(state, result))
        return documents.Shared(token)

    async def shared(self, token: str, languages: Sequence[str] = ()) -> documents.SharedResult:
        """What was shared under this link, with its catalogue in the first of these languages that it has."""
        found = await self._store.read(Store.shared, token)
        shown = found.document
        return documents.SharedResult(
            created=found.created.isoformat(timespec="seconds"),
            catalogue=await self._catalogues.described_as(found.digest, languages),
            must_haves=tuple(shown["must_haves"]),
            finished=documents.read(documents.Option | None, shown["finished"]),  # type: ignore[arg-type]
            result=documents.read(documents.Result, shown["result"]),
        )


def _document(state: documents.State, result: documents.Result) -> dict[str, Any]:
    """What others may see: the result and its reasons, but neither the key to the interview nor all that was said."""
    public = replace(result, answers=(), would_change=(), reasons=())
    plain = {"must_haves": state.must_haves, "finished": state.finished, "result": public}
    return {name: _plain(part) for name, part in plain.items()}


def _plain(part: Any) -> Any:
    """Dataclasses and tuples as JSON has them."""
    if isinstance(part, tuple | list):
        return [_plain(each) for each in part]
    if isinstance(part, dict):
        return {name: _plain(each) for name, each in part.items()}
    return _plain(asdict(part)) if hasattr(part, "__dataclass_fields__") else part
