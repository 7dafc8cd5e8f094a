"""From a listening socket to a server that stops gracefully."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import uvicorn
from fastapi import FastAPI

from setmargin.server.api.app import create_app
from setmargin.server.api.connections import ConnectionLimits, limited
from setmargin.server.api.logs import LOGGER, Form, log_to_stderr
from setmargin.server.settings import Settings

LARGEST_HEAD: Final = 32_000
"""Bytes that the address and the headers of a request may have."""

STOP_SECONDS: Final = 10
"""How long requests under way may take to end once the server was told to stop."""

USUAL_LIMITS: Final = ConnectionLimits()

ACCEPTED_AT_ONCE: Final = 32
"""Connections that are taken before the limit of connections looks at them: far fewer than the files that it leaves."""

WAITING_TO_BE_ACCEPTED: Final = 1024


def run(
    settings: Settings,
    listener: socket.socket,
    *,
    started: Callable[[], None],
    proxies: Sequence[str] = (),
    limits: ConnectionLimits = USUAL_LIMITS,
    log: Form = "text",
) -> None:
    """Serve until SIGTERM or SIGINT: then answer what was asked, and put everything away."""
    log_to_stderr(log)
    if is_root():
        LOGGER.warning("the server runs as root; give it a user of its own, and that user the database")
    with _stopping_quietly():
        _Server(configured(create_app(settings), proxies=proxies, limits=limits), started).run(sockets=[listener])


def is_root() -> bool:
    """Whether this process may do everything on this machine, and so whoever gets into it."""
    return sys.platform != "win32" and os.geteuid() == 0


def configured(app: FastAPI, *, proxies: Sequence[str] = (), limits: ConnectionLimits = USUAL_LIMITS) -> uvicorn.Config:
    """How HTTP is spoken."""
    return uvicorn.Config(
        app,
        http=limited(limits),  # on h11: the other parser that may be installed reads headers without end
        h11_max_incomplete_event_size=LARGEST_HEAD,
        ws="none",
        backlog=ACCEPTED_AT_ONCE,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=STOP_SECONDS,
    )


class _Server(uvicorn.Server):
    """Says when people can come."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(WAITING_TO_BE_ACCEPTED)
        if self.started:
            self._started()


@contextmanager
def _stopping_quietly() -> Iterator[None]:
    """Uvicorn raises the signal that stopped it once more at the very end; being told to stop is no failure."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [(each, signal.signal(each, lambda *_: None)) for each in signals]
    try:
        yield
    finally:
        for each, handler in before:
            signal.signal(each, handler)
