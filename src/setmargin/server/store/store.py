"""The store: catalogues, interviews, and their events, which are numbered and never overwritten.

store = Store.open("sqlite:///setmargin.db")
catalogue = store.put_catalogue("pc", document)
interview = store.start(catalogue.digest, {"name": "bayes"}, 7)
store.append(interview.id, {"require": "price <= 900"}, after=0, key="one-per-click")

Every call is one transaction and may come from any thread. What a call has returned from is on the disk, caches apart.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Engine, select, update

from setmargin.server.checkpoint import Checkpoint
from setmargin.server.errors import (
    Conflict,
    StoreError,
    UnknownInterview,
)
from setmargin.server.store import chain
from setmargin.server.store.catalogues import StoredCatalogue, as_catalogue, catalogue_of, name_of
from setmargin.server.store.checkpoints import drop_checkpoints, find_checkpoint, put_checkpoint
from setmargin.server.store.database import Database, now
from setmargin.server.store.ends import KnownEnds
from setmargin.server.store.interviews import (
    Document,
    Progress,
    StoredInterview,
    chained,
    check_not_deleted,
    end_of,
    event_row,
    forget_interviews,
    interview_of,
    known_id,
    note_deleted,
    number_of,
    put_progress,
    version_of,
    write_events,
)
from setmargin.server.store.offering import check_offered
from setmargin.server.store.outbox import (
    FailedMessage,
    OutboxMessage,
    ReceiverCounts,
    count_by_receiver,
    failed_messages,
    is_any_due,
    note_failed,
    note_sent,
    put_messages,
    send_again,
    take_messages,
)
from setmargin.server.store.priors import (
    Source,
    StoredPrior,
    all_priors,
    count_finished,
    finished_logs,
    newest_prior,
    prior_of,
    put_prior,
)
from setmargin.server.store.questions import (
    GivenQuestion,
    check_answers,
    give_question,
    question_at,
)
from setmargin.server.store.shared import StoredShared, share, shared_result, token_at
from setmargin.server.store.summary import CatalogueCounts, count_by_catalogue
from setmargin.server.store.tables import (
    catalogues,
    interviews,
    offered,
    put,
    sorted_text,
    to_text,
)
from setmargin.server.store.verify import Verified, verified
from setmargin.space.space import fingerprint_of

SEEN_EVERY = timedelta(minutes=1)
ID_BYTES = 18
FORGOTTEN_AT_ONCE = 200
"""Interviews that are deleted in one transaction, so that those who answer meanwhile wait little."""


@dataclass(frozen=True)
class Appended:
    """An event is in the log as number `version`; `repeated`: it was there before, and nothing changed."""

    version: int
    repeated: bool


class Store(Database):
    """The truth about every interview; `open` and `existing` give one."""

    def __init__(self, reading: Engine, writing: Engine, *, clock: Callable[[], datetime] = now) -> None:
        super().__init__(reading, writing, clock=clock)
        self._ends = KnownEnds()

    # Catalogues

    def put_catalogue(self, name: str, document: Mapping[str, Any]) -> StoredCatalogue:
        """Offer this version of the catalogue from now on; versions that interviews began with stay readable.

        The digest stands for name and document, so the same pair again is the same catalogue.
        """
        text = to_text(document)
        digest = fingerprint_of(name, document)
        with self.transaction("write") as connection:
            row = {"digest": digest, "name": name, "document": text, "created": self.now()}
            connection.execute(put(connection, catalogues, row, replacing=()))
            new = {"name": name, "digest": digest, "withdrawn": None}
            connection.execute(put(connection, offered, new, replacing=("digest", "withdrawn")))
            return catalogue_of(connection, digest)

    def catalogues(self) -> tuple[StoredCatalogue, ...]:
        """The version of each catalogue that came last, by name, but for what is withdrawn."""
        query = select(catalogues).join(offered, offered.c.digest == catalogues.c.digest).order_by(catalogues.c.name)
        query = query.where(offered.c.withdrawn.is_(None))
        with self.transaction("read") as connection:
            return tuple(as_catalogue(row) for row in connection.execute(query))

    def catalogue(self, digest: str) -> StoredCatalogue:
        """One version of a catalogue, offered or not; UnknownCatalogue if there is none."""
        with self.transaction("read") as connection:
            return catalogue_of(connection, digest)

    # Interviews

    def start(
        self,
        digest: str,
        strategy: Mapping[str, Any],
        seed: int,
        *,
        events: Sequence[Mapping[str, Any]] = (),
        question: GivenQuestion | None = None,
        id: str | None = None,
    ) -> StoredInterview:
        """A new interview on this version of a catalogue, with its first events (must-haves) and its first question.

        The id is long and random: who knows it may read and continue the interview. The seed is below 2**63. Where an
        `id` is given, which has to be as hard to guess, and there is such an interview, it stays as it is; where it was
        deleted lately, UnknownInterview.
        """
        id, at = known_id(id or secrets.token_urlsafe(ID_BYTES)), self.now()
        row = {"id": id, "digest": digest, "strategy": to_text(strategy), "seed": seed, "created": at}
        rows = [event_row(id, number, event, at=at) for number, event in enumerate(events, 1)]
        end = chained(rows, after=chain.beginning(row))
        with self.transaction("write") as connection:
            name = name_of(connection, digest)
            row |= {"seen": at, "version": len(events), "checksum": end}
            added = put(connection, interviews, row, replacing=())
            is_new = connection.scalar(added.returning(interviews.c.id)) is not None
            if is_new:
                check_not_deleted(connection, id)
                check_offered(connection, name)
            if is_new and rows:
                write_events(connection, rows)
            if is_new and question is not None:
                give_question(connection, id, len(events), question, at=at)
            if not is_new:
                return interview_of(connection, id)
        self._ends.begin(id, len(events), end)
        written = tuple(json.loads(each["body"]) for each in rows)
        given = {} if question is None else {len(events): question}
        created = at.astimezone(UTC)
        return StoredInterview(id, name, digest, dict(strategy), seed, created, created, len(events), written, given)

    def interview(self, id: str, *, with_state: bool = True) -> StoredInterview:
        """The interview with all its events, and what was shown last; UnknownInterview if there is none."""
        with self.transaction("read") as connection:
            return interview_of(connection, id, with_state=with_state)

    def version_of(self, id: str) -> int:
        """The number of events, without reading them; UnknownInterview if there is no such interview."""
        with self.transaction("read") as connection:
            return version_of(connection, id)

    def append(
        self,
        id: str,
        event: Mapping[str, Any],
        *,
        after: int,
        key: str | None = None,
        request: object = None,
        progress: Progress | None = None,
        state: bytes | None = None,
        answers: str | None = None,
        question: GivenQuestion | None = None,
        messages: Sequence[OutboxMessage] = (),
    ) -> Appended:
        """Write the event as number `after + 1`; it is durable when this returns.

        `key` makes it idempotent: the same key with the same `request` (any JSON; the event itself unless given) again
        changes nothing and gives the number that the event got the first time, whatever happened since. With another
        request it raises KeyReused. Where `after` is not the current version, it raises Conflict with the current one.
        `progress` and the `state` that is shown then (JSON), if given, are put down in the same transaction, and so are
        the `question` that is given after the event, and the `messages` that tell others of it. `answers` is the id of
        the question that the event answers: OtherQuestion where another one was given. ReplacedDatabase: what this
        server wrote before is not there.
        """
        asked = sorted_text(event if request is None else request)
        with self.transaction("write") as connection:
            current, end = end_of(connection, id)
            self._ends.check(connection, id, current, end)
            number = None if key is None else number_of(connection, id, key, asked)
            if number is not None:
                return Appended(number, repeated=True)
            if after != current:
                raise Conflict(after=after, current=current)
            if answers is not None:
                check_answers(connection, id, after, answers)
            at, number = self.now(), after + 1
            row = event_row(id, number, event, at=at, key=key, asked=asked, answers=answers)
            row["checksum"] = chain.following(end, row)
            write_events(connection, [row])
            now = {"version": number, "seen": at, "checksum": row["checksum"]}
            connection.execute(update(interviews).where(interviews.c.id == id).values(now))
            if question is not None:
                give_question(connection, id, number, question, at=at)
            if progress is not None:
                put_progress(connection, id, number, progress, state)
            put_messages(connection, id, messages, at=at)
        self._ends.note(id, number, row["checksum"])
        return Appended(number, repeated=False)

    def repeated(self, id: str, *, key: str, request: object) -> int | None:
        """The number that the event of this key got, or None while the key is new; to ask before any work is done.

        KeyReused: the key came with another request.
        """
        with self.transaction("read") as connection:
            version_of(connection, id)
            return number_of(connection, id, key, sorted_text(request))

    def give(self, id: str, version: int, question: GivenQuestion) -> GivenQuestion:
        """Write down what is asked after so many events, before anybody is shown it; what was written first stays.

        Returns what is there then. It is durable when this returns.
        """
        with self.transaction("write") as connection:
            if (current := version_of(connection, id)) < version:
                raise Conflict(after=version, current=current)
            give_question(connection, id, version, question, at=self.now())
            return question_at(connection, id, version) or question

    def seen(self, id: str) -> None:
        """The person is still there. Written at most once a minute, so it may be called with every request."""
        at = self.now()
        with self.transaction("read") as connection:
            last = connection.scalar(select(interviews.c.seen).where(interviews.c.id == known_id(id)))
        if last is None:
            raise UnknownInterview(id)
        if at - last >= SEEN_EVERY:
            with self.transaction("cache") as connection:
                connection.execute(update(interviews).where(interviews.c.id == id).values(seen=at))

    # Results that are shared

    def share(self, id: str, version: int, document: Mapping[str, Any]) -> str:
        """Keep the result at this version under a link; who has the link can read that, and nothing else.

        The same version has the same link. It is durable when this returns.
        """
        with self.transaction("write") as connection:
            end_of(connection, id)
            return token_at(connection, id, version) or share(connection, id, version, dict(document), at=self.now())

    def token_at(self, id: str, version: int) -> str | None:
        """The link to the result at this version; None where it was not shared."""
        with self.transaction("read") as connection:
            return token_at(connection, id, version)

    def shared(self, token: str) -> StoredShared:
        """The result behind a link; UnknownShared if there is none."""
        with self.transaction("read") as connection:
            return shared_result(connection, token)

    # What others are told

    def is_any_due(self, receiver: str, *, waits: Sequence[timedelta] = ()) -> bool:
        """Whether there is something to send to this receiver now; `waits` is as in outbox.py."""
        with self.transaction("read") as connection:
            return is_any_due(connection, receiver, at=self.now(), waits=waits)

    def take_messages(
        self, receiver: str, *, keep: timedelta, most: int, waits: Sequence[timedelta] = ()
    ) -> tuple[OutboxMessage, ...]:
        """Take some that are due, which nobody else is given for so long; it counts as an attempt to send them."""
        at = self.now()
        with self.transaction("write") as connection:
            return take_messages(connection, receiver, at=at, until=at + keep, waits=waits, most=most)

    def note_sent(self, id: str, receiver: str) -> None:
        """The receiver has it."""
        with self.transaction("write") as connection:
            note_sent(connection, id, receiver)

    def note_failed(self, id: str, receiver: str, problem: str, *, again: timedelta | None) -> None:
        """The receiver did not take it; it is due again after so long, or never."""
        due = None if again is None else self.now() + again
        with self.transaction("write") as connection:
            note_failed(connection, id, receiver, problem, due=due)

    def send_again(self) -> int:
        """Let all that were given up be due now; says how many."""
        with self.transaction("write") as connection:
            return send_again(connection, at=self.now())

    def outbox(self, *, most: int) -> tuple[tuple[ReceiverCounts, ...], tuple[FailedMessage, ...]]:
        """How each receiver is doing, and the newest messages that were not taken, at most so many."""
        with self.transaction("report") as connection:
            return count_by_receiver(connection), failed_messages(connection, most=most)

    # Caches: what can be computed again from the events. A newer version is never replaced by an older one.

    def put_checkpoint(self, id: str, version: int, checkpoint: Checkpoint, *, newest: int | None = None) -> None:
        """Keep a belief of the interview at this version; older ones that are not needed any more are dropped.

        `newest` is how many events are in force then, where the belief follows only some of them, as in a replay.
        """
        with self.transaction("cache") as connection:
            version_of(connection, id)
            put_checkpoint(connection, id, version, checkpoint, newest=newest)

    def put_progress(self, id: str, version: int, progress: Progress, state: bytes) -> None:
        """Keep what is shown at this version (JSON), where that was worked out again."""
        with self.transaction("cache") as connection:
            put_progress(connection, id, version, progress, state)

    def long_interviews(self, *, least: int, most: int) -> tuple[str, ...]:
        """The ids of interviews with so many events at least, those that somebody was at last; at most so many."""
        query = select(interviews.c.id).where(interviews.c.version >= least)
        with self.transaction("report") as connection:
            return tuple(connection.scalars(query.order_by(interviews.c.seen.desc()).limit(most)))

    def checkpoint(self, id: str, keys: Sequence[str]) -> Checkpoint | None:
        """The belief that follows most of the events; `keys[n]` stands for the first n of them."""
        with self.transaction("read") as connection:
            return find_checkpoint(connection, known_id(id), keys)

    def drop_checkpoints(self, *, unseen: timedelta) -> int:
        """Drop what can be spared of interviews that nobody has looked at for so long; says how many.

        The newest stays, but for those of short interviews that are finished; of long ones, all stay.
        """
        with self.transaction("tidy") as connection:
            return drop_checkpoints(connection, unseen_since=self.now() - unseen)

    # Forgetting

    def forget(self, id: str) -> None:
        """Delete the interview with all that was shown and said; UnknownInterview if there is none.

        What was learnt from many people together stays.
        """
        with self.transaction("tidy") as connection:
            end_of(connection, id)  # nobody adds to it meanwhile
            forget_interviews(connection, [id])
            note_deleted(connection, id, at=self.now())
        self._ends.forget([id])

    def forget_unseen(
        self, unseen: timedelta, *, on_forgotten: Callable[[Sequence[str]], object] = lambda _: None
    ) -> int:
        """Delete the interviews that nobody has looked at for so long; says how many.

        It takes turns with those who answer: some are deleted at a time, and `on_forgotten` is told their ids.
        """
        if unseen < timedelta():
            raise StoreError(f"interviews cannot be forgotten after {unseen}; give a time that is not negative")
        before, forgotten = self.now() - unseen, 0
        while True:
            with self.transaction("tidy") as connection:
                old = select(interviews.c.id).where(interviews.c.seen <= before).limit(FORGOTTEN_AT_ONCE)
                ids = connection.scalars(old).all()
                forget_interviews(connection, ids)
            self._ends.forget(ids)
            on_forgotten(ids)
            forgotten += len(ids)
            if len(ids) < FORGOTTEN_AT_ONCE:
                return forgotten

    # Priors: what earlier people were like. A version is never overwritten.

    def put_prior(
        self,
        catalogue: str,
        version: int,
        document: Mapping[str, Any],
        *,
        digest: str,
        source: Source,
        people: int | None,
        finished: int = 0,
    ) -> bool:
        """Write this version of the prior of a catalogue; False where somebody else wrote that version first."""
        row = {"catalogue": catalogue, "version": version, "digest": digest, "source": source, "people": people}
        with self.transaction("write") as connection:
            catalogue_of(connection, digest)
            return put_prior(connection, row | {"finished": finished}, document=document, at=self.now())

    def newest_prior(self, catalogue: str, *, source: Source | None = None) -> StoredPrior | None:
        """The newest version for a catalogue, of this source where one is named; None where there is none."""
        with self.transaction("read") as connection:
            return newest_prior(connection, catalogue, source)

    def prior(self, catalogue: str, version: int) -> StoredPrior:
        """One version; UnknownPrior if there is none."""
        with self.transaction("read") as connection:
            return prior_of(connection, catalogue, version)

    def priors(self) -> tuple[StoredPrior, ...]:
        """Every version, by catalogue, the newest first."""
        with self.transaction("read") as connection:
            return all_priors(connection)

    def count_finished(self) -> dict[str, dict[str, int]]:
        """How many interviews with an answer are finished, by the name and then the digest of their catalogue."""
        with self.transaction("report") as connection:
            return count_finished(connection)

    def finished_logs(self, catalogue: str, *, most: int) -> tuple[tuple[Document, ...], ...]:
        """The events of finished interviews on the catalogues of this name, at most so many, the latest."""
        with self.transaction("report") as connection:
            return finished_logs(connection, catalogue, most)

    # Whether all is as it was written

    def verify(self, *, newest: int | None = None, seconds: float | None = None) -> Verified:
        """Look for events that are missing, changed, there twice or in another place, and answers to other questions.

        Parameters
        ----------
        newest : int, optional
            Only so many interviews, those that somebody was at last; all unless given.
        seconds : float, optional
            When to stop looking.
        """
        return verified(self.snapshot, newest=newest, seconds=seconds)

    # The owner's view

    def summary(self, *, since: datetime | None = None) -> tuple[CatalogueCounts, ...]:
        """Each catalogue by name, over the interviews begun since then; it counts what progress says."""
        with self.transaction("report") as connection:
            return count_by_catalogue(connection, since=since, now=self.now())
