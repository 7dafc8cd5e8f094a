"""What can go wrong in a server, as one tree; mistakes in what it is asked are the errors of the library.

StoreError                  the database cannot be used: the URL, the driver, the file or the server
├── NewerSchema             the database was written by a newer setmargin
├── StoreStalled            the database does not answer in time
├── UnknownCatalogue        no catalogue has this digest
├── UnknownInterview        no interview has this id
├── UnknownShared           no result was shared under this link
├── UnknownPrior            a catalogue has no prior of this version
├── Conflict                somebody else wrote first; `current` is the version they left
├── DamagedInterview        events of an interview are missing
├── ReplacedDatabase        the database is not the one that was written to: what was acknowledged is not in it
└── KeyReused               an idempotency key came back with another request
WorkError                   a worker failed twice with the same call, or is no longer there
├── WorkBusy                a call waited too long for its turn; try again later
├── WorkCrowded             one client, or one interview, has too many calls waiting already
├── WorkTooLarge            a call needs more memory than a process may have
├── WorkTimeout             a call took longer than its limit
│   ├── WorkTooLong         a call worked for longer than its limit, and would again
│   └── WorkStarved         a call had too little of the processor in its time; try again later
├── CheckpointNeeded        an interview is not at hand, and a checkpoint would save work
└── ReplayUnfinished        a call has replayed as much of an interview as it may; the next one goes on
StillReplaying              an interview is being replayed; try again later
RequestError                the request makes no sense here; `cure` says what would
└── NotOffered              no catalogue is offered under this name
Unavailable                 nobody can be served just now
"""

from __future__ import annotations

from setmargin.errors import SetmarginError


class StoreError(SetmarginError):
    """The database cannot be used; the message says why, and what to do."""


class NewerSchema(StoreError):
    """The database was written by a newer setmargin."""

    def __init__(self, *, found: int, known: int) -> None:
        self.found, self.known = found, known
        super().__init__(
            f"the database has schema {found}, and this setmargin knows {known}; "
            "install the newer setmargin that wrote it, or use another database"
        )


class StoreStalled(StoreError):
    """The database does not answer in time; what was asked of it may still happen."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the database did not answer within {seconds:g} seconds; see that its disk and its server work, and that "
            "no other program holds it"
        )


class UnknownCatalogue(StoreError):
    """No catalogue has this digest."""

    def __init__(self, digest: str) -> None:
        self.digest = digest
        super().__init__(f"there is no catalogue {digest[:80]!r}; take a digest that the list of catalogues gives")


class UnknownInterview(StoreError):
    """No interview has this id. The message keeps the id to itself: who knows an id can read its interview."""

    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__("there is no interview with this id; check the link, or start a new one")


class UnknownShared(StoreError):
    """No result was shared under this link, or its interview was deleted."""

    def __init__(self) -> None:
        super().__init__("there is no result under this link; check it, or ask whoever sent it for another one")


class UnknownPrior(StoreError):
    """A catalogue has no prior of this version."""

    def __init__(self, catalogue: str, version: int) -> None:
        self.catalogue, self.version = catalogue, version
        super().__init__(
            f"there is no version {version} of a prior of {catalogue[:64]!r}; take one that the list of priors gives"
        )


class Conflict(StoreError):
    """Somebody else wrote first: another tab, most often. `current` is the version they left."""

    def __init__(self, *, after: int, current: int) -> None:
        self.after, self.current = after, current
        super().__init__(
            f"the interview is at version {current}, and this was meant for version {after}; load it again and repeat"
        )


class DamagedInterview(StoreError):
    """Events of an interview are missing from the database. The message keeps its id to itself."""

    def __init__(self, *, found: int, version: int) -> None:
        self.found, self.version = found, version
        super().__init__(
            f"an interview has {found} of its {version} events; `setmargin database verify` says which are missing"
        )


class ReplacedDatabase(StoreError):
    """What this server wrote is not in the database any more, which must have been overwritten by another."""

    def __init__(self, *, known: int, found: int) -> None:
        self.known, self.found = known, found
        super().__init__(
            f"an interview had {known} events when this server last wrote to it, and now has {found}, or others: the "
            "database was replaced while it was in use, so nothing can be kept; put it back, or restart the server "
            "to go on with the one that is there"
        )


class KeyReused(StoreError):
    """An idempotency key came back with another request than the one it stands for."""

    def __init__(self) -> None:
        super().__init__("this idempotency key stands for another request already; use a new key for each request")


class WorkError(SetmarginError):
    """A worker failed twice with the same call, or is no longer there."""


class WorkBusy(WorkError):
    """A call waited too long for its turn; try again later."""


class WorkCrowded(WorkError):
    """One client, or one interview, has too many calls waiting already; wait for their replies."""


class WorkTooLarge(WorkError):
    """A call needs more memory than a process may have, and would again."""


class WorkTimeout(WorkError):
    """A call took longer than its limit; where its process had to be killed, nobody knows why."""


class WorkTooLong(WorkTimeout):
    """A call worked for longer than its limit, and would again."""


class WorkStarved(WorkTimeout):
    """A call had too little of the processor until its time was up; try again later."""


class CheckpointNeeded(WorkError):
    """An interview is not at hand, and a checkpoint would save work; `keys` say what it has to follow."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.keys = keys
        super().__init__(keys)

    def __str__(self) -> str:
        return f"an interview of {len(self.keys) - 1} events is not at hand; send a checkpoint along, if there is one"


class ReplayUnfinished(WorkError):
    """A call has replayed as much of an interview as it may, which is a checkpoint; the next call goes on from there.

    `done` of `total` events are replayed, `key` stands for them, and `body` is the belief then. `newest` is how many
    events are in force now, where these are the first of them; None where they are not, as those after a change.
    """

    def __init__(self, done: int, total: int, key: str, body: bytes, newest: int | None = None) -> None:
        self.done, self.total, self.key, self.body, self.newest = done, total, key, body, newest
        super().__init__(done, total, key, body, newest)

    def __str__(self) -> str:
        return f"{self.done} of {self.total} events of an interview are replayed; call again"


class StillReplaying(SetmarginError):
    """A long interview is being replayed, which goes on without anybody; try again later."""

    def __init__(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        super().__init__(f"the interview is being read: {done} of {total} events so far; try again in a moment")


class RequestError(SetmarginError):
    """The request makes no sense here; `cure` says what would, where that is known."""

    def __init__(self, reason: str, *, cure: str | None = None) -> None:
        self.cure = cure
        super().__init__(reason)


class NotOffered(RequestError):
    """No catalogue is offered under this name."""


class Unavailable(SetmarginError):
    """Nobody can be served just now."""
