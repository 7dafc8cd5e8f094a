"""Which catalogues are offered: what servers are given, what the owner put, and what the owner withdrew.

A server offers the files that it is given, and whatever the owner put through the API. What the owner put under a name
stands until a server is given another file of that name than before: a restart changes nothing. What is withdrawn
stays so, across restarts and on every server, until it is brought back; interviews that were begun go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select, update

from setmargin.server.errors import NotOffered
from setmargin.server.store.tables import catalogues, offered, put, to_text
from setmargin.space.space import fingerprint_of
from setmargin.space.text import suggest

if TYPE_CHECKING:
    from setmargin.server.store.store import Store


@dataclass(frozen=True)
class CatalogueOffer:
    """What the database knows of one name.

    `digest` is the version that came last, and `given` the one that a server was given last, from a file; None: the
    owner put it. `withdrawn` says since when it is not offered, where that is so.
    """

    name: str
    digest: str
    given: str | None
    withdrawn: datetime | None

    @property
    def is_put(self) -> bool:
        """Whether the owner put this version, and no file came since."""
        return self.digest != self.given

    def version_for(self, files: Mapping[str, str]) -> str | None:
        """The digest that a server with these files, by name, offers; None: it does not offer this name."""
        if self.withdrawn is not None or (self.given is not None and self.name not in files):
            return None
        return self.digest if self.is_put else files[self.name]


def offers(store: Store) -> tuple[CatalogueOffer, ...]:
    """Every name that was ever offered, in order."""
    with store.transaction("read") as connection:
        return tuple(
            CatalogueOffer(**row._mapping) for row in connection.execute(select(offered).order_by(offered.c.name))
        )


def give(store: Store, documents: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """A server starts with these files: their digests by name. What the owner put since the same file came stays."""
    digests = {}
    for document in documents:
        name: str = document["catalogue"]
        digest = digests[name] = fingerprint_of(name, document)
        with store.transaction("write") as connection:
            row = {"digest": digest, "name": name, "document": to_text(document), "created": store.now()}
            connection.execute(put(connection, catalogues, row, replacing=()))
            known = _known(connection, name)
            if known is None or known.given != digest:
                new = {"name": name, "digest": digest, "given": digest, "withdrawn": known and known.withdrawn}
                connection.execute(put(connection, offered, new, replacing=("digest", "given")))
    return digests


def withdraw(store: Store, name: str) -> CatalogueOffer:
    """Offer this name no more, on any server; what is withdrawn already stays so."""
    with store.transaction("write") as connection:
        known = _existing(connection, name)
        if known.withdrawn is None:
            connection.execute(update(offered).where(offered.c.name == name).values(withdrawn=store.now()))
        return _existing(connection, name)


def bring_back(store: Store, name: str) -> CatalogueOffer:
    """Offer what was withdrawn as before; what was not, is offered by every server, whatever files it is given."""
    with store.transaction("write") as connection:
        known = _existing(connection, name)
        changed = {"given": None} if known.withdrawn is None else {"withdrawn": None}
        connection.execute(update(offered).where(offered.c.name == name).values(changed))
        return _existing(connection, name)


def check_offered(connection: Connection, name: str) -> None:
    """Raise NotOffered where this name is withdrawn, whatever this server has read before."""
    if connection.scalar(select(offered.c.withdrawn).where(offered.c.name == name)) is not None:
        raise NotOffered(f"the catalogue {name!r} is not offered any more", cure="choose another one")


def _existing(connection: Connection, name: str) -> CatalogueOffer:
    known = _known(connection, name)
    if known is None:
        names = sorted(connection.scalars(select(offered.c.name)))
        hint = suggest(name, names, what="there is")
        raise NotOffered(f"there is no catalogue {name[:64]!r}; {hint}", cure=hint)
    return known


def _known(connection: Connection, name: str) -> CatalogueOffer | None:
    row = connection.execute(select(offered).where(offered.c.name == name).with_for_update()).one_or_none()
    return None if row is None else CatalogueOffer(**row._mapping)
