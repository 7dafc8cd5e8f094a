"""Beliefs of interviews as they were after some of their events, so that not all of them are replayed.

One that is asked for is found by what it follows: `keys[n]` stands for the first n events in force. The newest is
always kept; of earlier ones, which undo and changes come back to, the fewer the older they are. So there are about
twenty of an interview of a thousand answers, of 70 kB each on the catalogue of PCs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, delete, func, select

from setmargin.server.checkpoint import Checkpoint
from setmargin.server.store.tables import checkpoints, interviews, keep_newest, progress

SHORT: Final = 32
"""So many events are quickly replayed: only the newest checkpoint is kept among them."""
KEPT_EVERY: Final = 4
LONG: Final = 40
"""From so many events on there is a checkpoint after each: learning takes longer the more was said before."""


def is_long(version: int) -> bool:
    """Whether replaying an interview of so many events takes longer than somebody should wait."""
    return version >= LONG


def is_kept_after(version: int) -> bool:
    """Whether an interview gets a checkpoint when it comes to this version."""
    return is_long(version) or version % KEPT_EVERY == 0


def superfluous(events: Iterable[int], newest: int) -> list[int]:
    """Which checkpoints, by their numbers of events, are not needed where so many events are in force.

    The last three before the newest are kept, then those that are 2, 4, 8 … events apart: whoever goes back n events
    replays at most n / 2, and there are two for each doubling.
    """
    return [each for each in events if each != newest and not _is_spare(each, newest)]


def _is_spare(events: int, newest: int) -> bool:
    apart = newest - events
    return events >= SHORT and apart > 0 and events % (1 << max(0, apart.bit_length() - 2)) == 0


def put_checkpoint(
    connection: Connection, id: str, version: int, checkpoint: Checkpoint, *, newest: int | None = None
) -> None:
    """Keep it, unless a later version of the interview has it, and drop what is not needed then.

    `newest` is how many events are in force at this version, where the checkpoint follows only some of them.
    """
    row = {
        "interview": id,
        "events": checkpoint.events,
        "key": checkpoint.key,
        "version": version,
        "body": checkpoint.body,
    }
    connection.execute(keep_newest(connection, checkpoints), row)
    earlier = and_(checkpoints.c.interview == id, checkpoints.c.version <= version)
    kept = connection.scalars(select(checkpoints.c.events).where(earlier)).all()
    others = (events for events in kept if events != checkpoint.events)
    dropped = superfluous(others, checkpoint.events if newest is None else newest)
    if dropped:
        connection.execute(delete(checkpoints).where(earlier, checkpoints.c.events.in_(dropped)))


def find_checkpoint(connection: Connection, id: str, keys: Sequence[str]) -> Checkpoint | None:
    """The one that follows most of the events; None where none of them fits."""
    query = select(checkpoints.c.events, checkpoints.c.key).where(checkpoints.c.interview == id)
    for events, key in connection.execute(query.order_by(checkpoints.c.events.desc())):
        if events < len(keys) and keys[events] == key:
            place = and_(checkpoints.c.interview == id, checkpoints.c.events == events)
            body = connection.scalar(select(checkpoints.c.body).where(place))
            return None if body is None else Checkpoint(events, key, body)
    return None


def drop_checkpoints(connection: Connection, *, unseen_since: datetime) -> int:
    """Drop what can be spared of interviews that nobody has looked at since, unless they are long.

    The newest stays, but for those of short interviews that are finished.
    """
    idle = select(interviews.c.id).where(interviews.c.seen <= unseen_since)
    other = checkpoints.alias()
    newest = select(func.max(other.c.events)).where(other.c.interview == checkpoints.c.interview).scalar_subquery()
    quick = idle.where(interviews.c.version < LONG)
    older = delete(checkpoints).where(checkpoints.c.interview.in_(quick), checkpoints.c.events < newest)
    done = idle.join(progress, progress.c.interview == interviews.c.id)
    done = done.where(progress.c.finished, interviews.c.version < SHORT)
    finished = delete(checkpoints).where(checkpoints.c.interview.in_(done))
    return connection.execute(older).rowcount + connection.execute(finished).rowcount
