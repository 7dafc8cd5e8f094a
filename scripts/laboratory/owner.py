"""The owner meanwhile: deletes interviews, and withdraws a catalogue and brings it back, again and again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any

from scripts.laboratory.people import PAUSE, REPLY_SECONDS, TOKEN, Journal

from setmargin.client import Client, ClientError

NAME = "leaflet"
CATALOGUE = f"catalogue: {NAME}\nattributes:\n  paper: [thin, thick]\n  colour: [red, blue, green]\n"
"""What is withdrawn: nobody else is at it."""
SHARE = 0.25
"""Of all interviews, how many are deleted at most: what is gone says nothing about answers."""
BETWEEN = 0.4
"""Seconds between two things that the owner does."""


class OwnerAtWork:
    """One person who changes what is there under the others, on whichever server, until told to stop."""

    def __init__(self, urls: Sequence[str], journal: Journal, stop: Event, *, seed: int) -> None:
        self._journal, self._stop, self._random = journal, stop, random.Random(seed)
        self._clients = [Client(url, token=TOKEN, timeout=REPLY_SECONDS, retries=0) for url in urls]

    def run(self) -> None:
        """Do one thing after the other."""
        try:
            while not self._stop.wait(BETWEEN):
                self._random.choice([self._delete, self._withdraw])()
        except Exception as error:
            self._journal.problems.append(f"the owner gave up: {type(error).__name__}: {error}")
        finally:
            for client in self._clients:
                client.close()

    def _delete(self) -> None:
        """Delete an interview, under way or not: as its owner, or as whoever has its link."""
        left = [id for id in list(self._journal.started) if id not in self._journal.deleted]
        if not left or len(self._journal.deleted) >= SHARE * len(self._journal.started):
            return
        id = self._random.choice(left)
        place = f"{self._random.choice(['', '/owner'])}/interviews/{id}"
        self._journal.deleted[id] = "unknown"
        for tries, reply in enumerate(self._replies(lambda client: client.call("DELETE", place))):
            if reply == 204 or (reply == 404 and tries):  # an earlier try may have done it
                self._journal.deleted[id] = "acknowledged"
            elif reply is not None:
                self._journal.problems.append(f"the interview {id} cannot be deleted: {reply}")

    def _withdraw(self) -> None:
        """Withdraw the catalogue, see that nobody can begin it anywhere, and bring it back."""
        if self._changed("withdraw", withdrawn=True):
            start = {"catalogue": NAME, "strategy": "random"}
            for reply in self._replies(lambda client: client.call("POST", "/interviews", start)):
                if reply == 204:
                    self._journal.problems.append("an interview was begun on a catalogue that was withdrawn")
        self._changed("offer", withdrawn=False)

    def _changed(self, change: str, *, withdrawn: bool) -> bool:
        place = f"/owner/catalogues/{NAME}/{change}"
        self._journal.withdrawn = None  # nobody knows, until it is acknowledged
        for reply in self._replies(lambda client: client.call("POST", place)):
            if reply == 204:
                self._journal.withdrawn = withdrawn
                self._journal.withdrawals += withdrawn
                return True
            if reply is not None:
                self._journal.problems.append(f"{change} is refused: {reply}")
        return False

    def _replies(self, send: Callable[[Client], Any]) -> Any:
        """Send until there is a reply: None for each try without one, then 204 for success or the status of refusal."""
        while not self._stop.is_set():
            try:
                send(self._random.choice(self._clients))
                yield 204
                return
            except ClientError as error:
                if error.status and error.status not in (429, 503):
                    yield error.status
                    return
            yield None
            self._stop.wait(PAUSE)
