"""The store as services call it: from threads, reads apart from writes, and never waited for without a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Concatenate, Final, ParamSpec, TypeVar

from setmargin.server.errors import StoreStalled
from setmargin.server.store import Store

P = ParamSpec("P")
T = TypeVar("T")
ANSWER_SECONDS: Final = 1.8
"""How long a person waits for the store: a little longer than it waits for its locks itself."""
READERS: Final = 16
WRITERS: Final = 8


class AsyncStore:
    """A store whose calls can be awaited.

        stored = await store.read(Store.interview, id)
        await store.write(Store.append, id, event, after=3)

    A call that takes longer than `ANSWER_SECONDS` raises StoreStalled. It may still happen then, as any request may
    whose reply is lost; one that has not begun does not. Writers that are stuck keep no reader waiting.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._readers = ThreadPoolExecutor(READERS, "store-read")
        self._writers = ThreadPoolExecutor(WRITERS, "store-write")
        self._patient = ThreadPoolExecutor(2, "store-patient")

    def close(self) -> None:
        """Take no more calls; those that wait are dropped."""
        for threads in (self._readers, self._writers, self._patient):
            threads.shutdown(wait=False, cancel_futures=True)

    async def read(self, call: Callable[Concatenate[Store, P], T], *arguments: P.args, **named: P.kwargs) -> T:
        """What a method of the store returns that reads, while a person waits."""
        return await self._limited(self._readers, partial(call, self._store, *arguments, **named))

    async def write(self, call: Callable[Concatenate[Store, P], T], *arguments: P.args, **named: P.kwargs) -> T:
        """What a method of the store returns that writes, while a person waits."""
        return await self._limited(self._writers, partial(call, self._store, *arguments, **named))

    async def patient(self, call: Callable[Concatenate[Store, P], T], *arguments: P.args, **named: P.kwargs) -> T:
        """What any method of the store returns, however long it takes: for reports, and what nobody waits for."""
        work = partial(call, self._store, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(self._patient, work)

    async def _limited(self, threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        called = asyncio.get_running_loop().run_in_executor(threads, work)
        try:
            # What is done by then counts, even where the loop itself was kept from hearing of it.
            await asyncio.wait([called], timeout=ANSWER_SECONDS)
            if called.done():
                return called.result()
            raise StoreStalled(ANSWER_SECONDS)
        finally:
            called.cancel()
