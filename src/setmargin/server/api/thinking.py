"""What the API needs of whoever thinks: processes in a server, the test's own thread in a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from setmargin.server.work.session import Job
from setmargin.server.work.views import CatalogueView, Result, View


class Thinking(Protocol):
    """Works out what an interview comes to; stores nothing."""

    async def view(self, job: Job) -> View:
        """The interview after its events."""

    async def apply(self, job: Job, event: Mapping[str, Any]) -> View:
        """The interview after one event more, which is checked and completed."""

    async def result(self, job: Job) -> Result:
        """The recommendation with its reasons."""

    async def export(self, job: Job) -> dict[str, Any]:
        """The interview as `Interview.from_document` takes it."""

    async def belief(self, job: Job) -> bytes:
        """The belief after the events, to be kept."""

    async def catalogue(self, document: Mapping[str, Any]) -> CatalogueView:
        """What a catalogue holds, counted."""

    def prepare(self, job: Job, view: View) -> None:
        """Work out what follows while the person reads."""

    def stats(self) -> Mapping[str, float]:
        """Counters for the metrics."""
