"""Exports for the owner: made by a process of its own and of low priority, and passed on as they are written."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from datetime import datetime
from typing import Final, Literal

from setmargin.server.errors import Unavailable
from setmargin.server.services.owner import in_utc
from setmargin.server.settings import TOKEN_VARIABLE
from setmargin.server.webhooks import SECRET_VARIABLE

ExportedTable = Literal["interviews", "answers", "results"]
ExportedForm = Literal["csv", "parquet"]
MEDIA: Final = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
PIECE: Final = 65_536
MOST_AT_ONCE: Final = 2
SECRETS: Final = frozenset({TOKEN_VARIABLE, SECRET_VARIABLE})


class ExportFailed(Unavailable):
    """The process that exports ended with an error, which the message is."""


class ExportService:
    """Streams tables; memory and time that this takes are those of another process, which people go before."""

    def __init__(self, database: str) -> None:
        self._database, self._turns = database, asyncio.Semaphore(MOST_AT_ONCE)

    async def stream(
        self, table: ExportedTable, form: ExportedForm, *, catalogue: str | None, since: datetime | None
    ) -> AsyncIterator[bytes]:
        """The table piece by piece, from its first piece on; ExportFailed where there is none.

        Where the process fails later, the stream ends with that error, and so the reply before its end.
        """
        options = [f"--format={form}", "--gently"]
        options += [] if catalogue is None else [f"--catalogue={catalogue}"]
        options += [] if since is None else [f"--since={in_utc(since):%Y-%m-%dT%H:%M:%S}"]
        pieces = self._pieces([table, *options, "--", "-"])
        first = await anext(pieces, b"")

        async def all_of_them() -> AsyncIterator[bytes]:
            try:
                yield first
                async for piece in pieces:
                    yield piece
            finally:
                await pieces.aclose()

        return all_of_them()

    async def _pieces(self, words: list[str]) -> AsyncGenerator[bytes, None]:
        async with self._turns:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "setmargin", "database", "export"),
                *words,
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                env=self._environment(),
            )
            try:
                assert process.stdout is not None
                while piece := await process.stdout.read(PIECE):
                    yield piece
                await _check(process)
            finally:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    def _environment(self) -> dict[str, str]:
        """The way into the database, by a way that no list of processes shows; and no secret that it does not need."""
        kept = {name: value for name, value in os.environ.items() if name not in SECRETS}
        return {**kept, "SETMARGIN_DATABASE": self._database, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


async def _check(process: Process) -> None:
    assert process.stderr is not None
    said = (await process.stderr.read(PIECE)).decode(errors="replace").strip()
    if await process.wait():
        raise ExportFailed(said.removeprefix("setmargin: ") or "the export failed")
