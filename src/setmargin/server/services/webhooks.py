"""Telling others of finished interviews: at least once, under one id, however often servers die meanwhile."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import timedelta
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Final

from setmargin import documents
from setmargin.errors import SetmarginError
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.posting import Poster, PostError
from setmargin.server.store import Store
from setmargin.server.store.outbox import OutboxMessage
from setmargin.server.webhooks import Webhooks, shown_address

LOGGER: Final = logging.getLogger("setmargin.server")
FINISHED: Final = "interview.finished"
LOOK_SECONDS: Final = 2.0
"""How often to look for what others left, or what is due again."""
AT_ONCE: Final = 8
GROWN: Final = 20
"""After so many attempts pauses are as long as they get."""
SPREAD: Final = (0.8, 1.2)
"""Pauses are so many times as long as they should be: what failed together is not sent together again."""
MOST_SHOWN: Final = 100
ID_LENGTH: Final = 32
OnAttempt = Callable[[str], None]
"""Told what came of an attempt: `sent`, `failed` or `given up`."""


class WebhookService:
    """Sends what is in the outbox. Each receiver has a loop of its own, so that none waits for another."""

    def __init__(self, store: AsyncStore, webhooks: Webhooks, *, on_attempt: OnAttempt = lambda _: None) -> None:
        self._store, self._webhooks, self._on_attempt = store, webhooks, on_attempt
        self._news = {url: asyncio.Event() for url in webhooks.urls}
        # Longer than an attempt can take: who still has a message then is dead, or as good as dead.
        self._kept = timedelta(seconds=2 * webhooks.seconds + 1)
        pauses = (webhooks.pause_after(often) or 0.0 for often in range(1, min(webhooks.attempts, GROWN) + 1))
        self._waits = (timedelta(), *(max(self._kept, timedelta(seconds=SPREAD[1] * each)) for each in pauses))

    def messages(self, state: documents.State) -> tuple[OutboxMessage, ...]:
        """What to tell of an interview that has just been finished; to be stored with the event that finished it."""
        if state.finished is None or not self._webhooks.urls:
            return ()
        id = sha256(f"{FINISHED} {state.id} {state.version}".encode()).hexdigest()[:ID_LENGTH]
        body = json.dumps(_told(id, state), separators=(",", ":"), ensure_ascii=False)
        return tuple(OutboxMessage(id, url, body) for url in self._webhooks.urls)

    def heard(self, _catalogue: str, kind: str, _asked: bool) -> None:
        """Somebody did something: if they finished, there is something to send."""
        if kind == "finish":
            for news in self._news.values():
                news.set()

    async def run(self) -> None:
        """Send, until told to stop."""
        await asyncio.gather(*(self._serve(url) for url in self._webhooks.urls))

    async def _serve(self, url: str) -> None:
        with closing(Poster(url, seconds=self._webhooks.seconds)) as poster:
            while True:
                try:
                    sent = await self._send_some(url, poster)
                except SetmarginError as error:
                    sent = 0
                    LOGGER.warning("webhooks are not sent: %s", error)
                except Exception:  # a mistake of ours must not end it for good
                    sent = 0
                    LOGGER.exception("webhooks are not sent")
                if not sent:
                    await self._wait(url)

    async def _send_some(self, url: str, poster: Poster) -> int:
        """Send what is due now, at most so much; says how much that was."""
        if not await self._store.read(Store.is_any_due, url, waits=self._waits):
            return 0
        taken = await self._store.write(Store.take_messages, url, keep=self._kept, most=AT_ONCE, waits=self._waits)
        await asyncio.gather(*(self._send(each, poster) for each in taken))
        return len(taken)

    async def _send(self, message: OutboxMessage, poster: Poster) -> None:
        body = message.body.encode()
        headers = self._webhooks.signed(message.id, int(time.time()), body)
        about = {"Content-Type": "application/json", "User-Agent": f"setmargin/{version('setmargin')}"}
        try:
            await poster.post(body, headers | about)
        except PostError as error:
            await self._failed(message, str(error))
        else:
            self._on_attempt("sent")
            await self._store.write(Store.note_sent, message.id, message.receiver)

    async def _failed(self, message: OutboxMessage, problem: str) -> None:
        pause = self._webhooks.pause_after(message.attempts)
        again = None if pause is None else timedelta(seconds=pause * random.uniform(*SPREAD))
        await self._store.write(Store.note_failed, message.id, message.receiver, problem, again=again)
        self._on_attempt("failed" if again else "given up")
        fields = {"webhook": message.id, "receiver": shown_address(message.receiver), "attempts": message.attempts}
        LOGGER.warning("webhook not taken%s: %s", "" if again else ", given up", problem, extra={"fields": fields})

    async def _wait(self, url: str) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self._news[url].wait()
        self._news[url].clear()

    # The owner's view

    async def described(self) -> documents.WebhookDeliveries:
        """How each receiver is doing, and what was not taken."""
        counts, failed = await self._store.read(Store.outbox, most=MOST_SHOWN)
        found = {each.receiver: each for each in counts}
        return documents.WebhookDeliveries(
            receivers=tuple(
                documents.WebhookReceiver(
                    address=shown_address(url),
                    is_served=url in self._webhooks.urls,
                    waiting=found[url].waiting if url in found else 0,
                    sent=found[url].sent if url in found else 0,
                    given_up=found[url].given_up if url in found else 0,
                    oldest=_moment(found[url].oldest) if url in found else None,
                )
                for url in dict.fromkeys([*self._webhooks.urls, *found])
            ),
            failed=tuple(
                documents.FailedWebhook(
                    id=each.id,
                    address=shown_address(each.receiver),
                    fate="given up" if each.fate == "given up" else "waiting",
                    attempts=each.attempts,
                    problem=each.problem,
                    created=each.created.isoformat(timespec="seconds"),
                )
                for each in failed
            ),
        )

    async def send_again(self) -> int:
        """Send what was given up, from the beginning; says how much that is."""
        many = await self._store.write(Store.send_again)
        self.heard("", "finish", False)
        return many


def _moment(moment: Any) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


def _told(id: str, state: documents.State) -> dict[str, Any]:
    """What a receiver reads."""
    return {
        "type": FINISHED,
        "id": id,
        "interview": state.id,
        "version": state.version,
        "catalogue": state.catalogue.name,
        "answered": state.answered,
        "must_haves": list(state.must_haves),
        "taken": documents.plain(state.finished),
    }
