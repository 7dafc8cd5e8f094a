"""What is noted beside the events, for the owner's view alone: results that were looked at, and must-haves refused.

None of it is waited for, and a power cut may lose the last of it. Must-haves are counted by catalogue and day, so that
nothing of a person is in them that would have to be forgotten with an interview.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, func, insert, select, update

from setmargin.server.store.interviews import known_id
from setmargin.server.store.tables import interviews, refusals, to_text

if TYPE_CHECKING:
    from setmargin.server.store.store import Store

MOST_A_DAY: Final = 500
"""Different must-haves of one catalogue that are noted on one day: anybody may send more."""
LONGEST: Final = 200


def note_result_seen(store: Store, id: str) -> None:
    """Somebody looked at the result of an interview; the first time counts."""
    first = and_(interviews.c.id == known_id(id), interviews.c.result_seen.is_(None))
    with store.transaction("cache") as connection:
        connection.execute(update(interviews).where(first).values(result_seen=store.now()))


def note_refusal(store: Store, rule: str, conflict: Sequence[str], *, digest: str) -> None:
    """A must-have was refused: nothing satisfies it together with the rules and must-haves of the conflict."""
    rule, day = " ".join(rule.split())[:LONGEST], _day(store.now())
    place = and_(refusals.c.digest == digest, refusals.c.day == day)
    with store.transaction("cache") as connection:
        again = update(refusals).where(place, refusals.c.rule == rule).values(count=refusals.c.count + 1)
        if connection.execute(again).rowcount:
            return
        many = connection.scalar(select(func.count()).select_from(refusals).where(place)) or 0
        if many < MOST_A_DAY:
            shown = to_text([each[:LONGEST] for each in conflict])
            row = {"digest": digest, "rule": rule, "day": day, "count": 1, "conflict": shown}
            connection.execute(insert(refusals).values(row))


def digest_of_interview(store: Store, id: str) -> str | None:
    """Which version of which catalogue an interview is about; None where there is no such interview."""
    with store.transaction("read") as connection:
        found: str | None = connection.scalar(select(interviews.c.digest).where(interviews.c.id == known_id(id)))
        return found


def drop_refusals(store: Store, before: datetime) -> None:
    """Forget the must-haves that were refused on days before that one."""
    with store.transaction("tidy") as connection:
        connection.execute(delete(refusals).where(refusals.c.day < _day(before)))


def _day(moment: datetime) -> datetime:
    """The day, as the moment that it began."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
