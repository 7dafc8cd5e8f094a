"""Where interviews ended when this server last wrote to them: what is known to be on the disk has to be there still.

A database that is overwritten in place, by a copy or a backup, keeps its name and its file. What was acknowledged since
that copy was made is gone then, and more would be written after what is no longer there.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Final

from sqlalchemy import Connection, and_, select

from setmargin.lru import Lru
from setmargin.server.errors import ReplacedDatabase
from setmargin.server.store.tables import events

MOST_KNOWN: Final = 10_000


class KnownEnds:
    """The version and the checksum that each interview had last, of those that were written to last; for any thread."""

    def __init__(self) -> None:
        self._ends: Lru[str, tuple[int, str]] = Lru(MOST_KNOWN)
        self._lock = Lock()

    def begin(self, id: str, version: int, checksum: str) -> None:
        """The interview is new, whatever had its id before."""
        with self._lock:
            self._ends[id] = version, checksum

    def note(self, id: str, version: int, checksum: str) -> None:
        """The event of this number was written; others may have written later ones already."""
        with self._lock:
            known = self._ends.get(id)
            if known is None or known[0] < version:
                self._ends[id] = version, checksum

    def forget(self, ids: Iterable[str]) -> None:
        """These interviews were deleted."""
        with self._lock:
            for id in ids:
                self._ends.discard(id)

    def check(self, connection: Connection, id: str, version: int, checksum: str) -> None:
        """Raise ReplacedDatabase where an interview that is now at this version does not go on from where it was."""
        with self._lock:
            known = self._ends.get(id)
        if known is None or known == (version, checksum):
            return
        number, expected = known
        if number and number < version:  # another server wrote since
            place = and_(events.c.interview == id, events.c.number == number)
            if connection.scalar(select(events.c.checksum).where(place)) == expected:
                return
        elif number < version:
            return  # nothing was written here yet
        raise ReplacedDatabase(known=number, found=version)
