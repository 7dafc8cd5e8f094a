"""People who answer as fast as they can: several at one interview, on whichever server, until they are told to stop."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any

from scripts.laboratory.history import Fate, Sent

from setmargin.client import Client, ClientError

TOKEN = "the-owner-may-choose-any-strategy"
REPLY_SECONDS = 8.0
"""How long somebody waits for a reply before they ask again, on any server."""
PAUSE = 0.1
TWICE = 0.05
"""How often an answer that was acknowledged is sent once more, as an impatient finger does."""
LOOKS = 0.3
"""How often somebody looks again, on any server, instead of going on from the last reply."""


@dataclass
class Journal:
    """All that people remember together."""

    started: list[str] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    finished: list[tuple[str, int]] = field(default_factory=list)
    """Interviews whose end was acknowledged, and the version that they had then."""
    acknowledged_at: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    strategies: dict[str, int] = field(default_factory=dict)
    """Answers acknowledged, by strategy."""
    deleted: dict[str, Fate] = field(default_factory=dict)
    """Interviews that somebody deletes, and what they were told."""
    withdrawn: bool | None = False
    """Whether a catalogue is withdrawn, as far as its owner was told; None: nobody knows."""
    withdrawals: int = 0
    unanswered: int = 0
    """Requests without a reply, or with one that says to come back later."""
    lock: Lock = field(default_factory=Lock)

    def acknowledge(self, sent: Sent, strategy: str) -> None:
        """A reply of success was read."""
        with self.lock:
            sent.fate = "acknowledged"
            self.acknowledged_at.append(time.monotonic())
            self.strategies[strategy] = self.strategies.get(strategy, 0) + 1


class Stopped(Exception):
    """It is over, before there was a reply."""


class Table:
    """Where several people sit at one interview after the other."""

    def __init__(self, strategies: Sequence[str], *, catalogue: str, answers: int, seed: int) -> None:
        self.catalogue, self.answers = catalogue, answers
        self._strategies, self._random, self._lock = strategies, random.Random(seed), Lock()
        self._count = seed
        self._begun: dict[str, Any] | None = None
        self.strategy = strategies[0]

    def interview(self, start: Callable[[dict[str, Any]], dict[str, Any]]) -> tuple[str, str]:
        """The interview that is under way and its strategy; where there is none, `start` begins one."""
        with self._lock:
            if self._begun is None:
                self.strategy = self._strategies[self._count % len(self._strategies)]
                self._count += 1
                seed = self._random.randrange(2**31)
                self._begun = start({"catalogue": self.catalogue, "strategy": self.strategy, "seed": seed})
            return self._begun["id"], self.strategy

    def over(self, interview: str) -> None:
        """Nothing more is asked there."""
        with self._lock:
            if self._begun is not None and self._begun["id"] == interview:
                self._begun = None


class Writer:
    """One person at a table."""

    def __init__(self, table: Table, urls: Sequence[str], journal: Journal, stop: Event, *, seed: int) -> None:
        self._table, self._journal, self._stop = table, journal, stop
        self._random = random.Random(seed)
        self._clients = [Client(url, token=TOKEN, timeout=REPLY_SECONDS, retries=0) for url in urls]

    def run(self) -> None:
        """Answer until told to stop."""
        try:
            while not self._stop.is_set():
                self._interview()
        except Stopped:
            pass
        except Exception as error:
            self._journal.problems.append(f"a client gave up: {type(error).__name__}: {error}")
        finally:
            for client in self._clients:
                client.close()

    def _interview(self) -> None:
        interview, strategy = self._table.interview(self._begin)
        state: dict[str, Any] | None = None
        while True:
            if state is None or self._random.random() < LOOKS:
                state = self._insist(lambda client: client.call("GET", f"/interviews/{interview}"))
            if state is None:
                if interview not in self._journal.deleted:
                    self._journal.problems.append(f"the interview {interview} cannot be read")
                return self._table.over(interview)
            if state["question"] is None or state["answered"] >= self._table.answers:
                if state["finished"] is None:
                    self._finish(state)
                return self._table.over(interview)
            state = self._answer(state, strategy)

    def _begin(self, body: dict[str, Any]) -> dict[str, Any]:
        key = secrets.token_urlsafe(12)
        state = self._insist(lambda client: client.call("POST", "/interviews", body, key=key))
        if state is None:
            raise RuntimeError(f"no interview can be begun with {body}")
        self._journal.started.append(state["id"])
        return state

    def _answer(self, state: dict[str, Any], strategy: str) -> dict[str, Any] | None:
        """Send one answer until it is acknowledged or refused; None: somebody else was quicker."""
        question = state["question"]
        sent = Sent(
            interview=state["id"],
            after=state["version"],
            key=secrets.token_urlsafe(12),
            options=[option["values"] for option in question["options"]],
            said={"choice": self._random.randrange(len(question["options"]))},
            question=question.get("id") or "",
        )
        body = {"version": sent.after, "answer": sent.said} | ({"question": sent.question} if sent.question else {})
        self._journal.sent.append(sent)

        def send(client: Client) -> Any:
            return client.call("POST", f"/interviews/{sent.interview}/answers", body, key=sent.key)

        reply = self._insist(send)
        if reply is None:
            sent.fate = "refused"
            return None
        self._journal.acknowledge(sent, strategy)
        again = self._random.random() < TWICE
        if again and self._insist(send) is None and sent.interview not in self._journal.deleted:
            self._journal.problems.append(f"an answer to {sent.interview} was acknowledged, and then refused")
        return dict(reply)

    def _finish(self, state: dict[str, Any]) -> None:
        """Take what is recommended, until that is acknowledged; somebody else may be quicker."""
        key, body = secrets.token_urlsafe(12), {"version": state["version"]}
        place = f"/interviews/{state['id']}/finish"
        if self._insist(lambda client: client.call("POST", place, body, key=key)) is not None:
            self._journal.finished.append((state["id"], state["version"] + 1))

    def _insist(self, send: Callable[[Client], Any]) -> dict[str, Any] | None:
        """The reply, however often servers die before they give one; None where it is refused for good."""
        while not self._stop.is_set():
            try:
                reply: dict[str, Any] = send(self._random.choice(self._clients))
                return reply
            except ClientError as error:
                if error.status and error.status not in (429, 500, 503):
                    is_gone = error.kind == "not-found" and self._journal.deleted
                    if error.kind not in ("conflict", "other-question") and not is_gone:
                        self._journal.problems.append(f"{error.status} {error.kind}: {error}")
                    return None
                if error.status == 500:
                    self._journal.problems.append(f"500: {error}")
                self._journal.unanswered += 1
            self._stop.wait(PAUSE)
        raise Stopped
