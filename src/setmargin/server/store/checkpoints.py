"""Beliefs of interviews as they were after some of their events, so that not all of them are replayed.

One that is asked for is found by what it follows: `keys[n]` stands for the first n events in force. The newest is
always kept; of earlier ones, which undo and changes come back to, the fewer the older they are.
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


def is_kept_after(version: int) -> bool:
    """Whether an interview gets a checkpoint when it comes to this version."""
    return version >= LONG or version % KEPT_EVERY == 0


def superfluous(events: Iterable[int], newest: int) -> list[int]:
    """Which checkpoints, by their numbers of events, are not needed beside the newest.

    Those that are kept are 1, 2, 4, 8 … events apart, so whoever goes back n events replays at most 2n.
    """
    return [each for each in events if each != newest and not _is_spare(each, newest)]


def _is_spare(events: int, newest: int) -> bool:
    apart = newest - events
    return events >= SHORT and apart > 0 and events % (1 << (apart.bit_length() - 1)) == 0


def put_checkpoint(connection: Connection, id: str, version: int, checkpoint: Checkpoint) -> None:
    """Keep it as the newest, unless a later version of the interview has one, and drop what is not needed then."""
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
    dropped = superfluous(kept, checkpoint.events)
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
    """Drop all but the newest of interviews that nobody has looked at since; of short finished ones that, too."""
    idle = select(interviews.c.id).where(interviews.c.seen <= unseen_since)
    other = checkpoints.alias()
    newest = select(func.max(other.c.events)).where(other.c.interview == checkpoints.c.interview).scalar_subquery()
    older = delete(checkpoints).where(checkpoints.c.interview.in_(idle), checkpoints.c.events < newest)
    done = idle.join(progress, progress.c.interview == interviews.c.id)
    done = done.where(progress.c.finished, interviews.c.version < SHORT)
    finished = delete(checkpoints).where(checkpoints.c.interview.in_(done))
    return connection.execute(older).rowcount + connection.execute(finished).rowcount
