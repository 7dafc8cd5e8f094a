"""What a server is told before it starts; everything else it finds in its store."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from setmargin.documents import LARGEST_SET, STRATEGIES
from setmargin.errors import OptionError
from setmargin.server.site import Site
from setmargin.server.webhooks import Webhooks
from setmargin.strategies.bayes.learnt.prior import LEAST_PEOPLE

TOKEN_VARIABLE: Final = "SETMARGIN_OWNER_TOKEN"
SHORTEST_TOKEN: Final = 16
MOST_WORKERS: Final = 4
LEAST_MEMORY: Final = 300


@dataclass(frozen=True)
class Settings:
    """One server. The owner's token stays out of every text that is made of it."""

    database: str
    """`sqlite:///PATH` or `postgresql+psycopg://USER@HOST/NAME`."""
    catalogues: tuple[dict[str, Any], ...] = ()
    """Documents that are put into the store at the start, each under its own name."""
    workers: int = 1
    """Processes that think."""
    seconds: float = 10.0
    """How long one of them may think about one request."""
    memory: int = 1000
    """Megabytes that each of them may have; 0: as many as there are."""
    owner_token: str | None = field(default=None, repr=False)
    uploads: bool = False
    """Whether the owner may put catalogues through the API."""
    rate: float = 20.0
    """Requests a second that one address may send in the long run; 0: as many as it likes."""
    burst: int = 200
    """Requests that one address may send at once after a pause."""
    allowed_strategies: tuple[str, ...] = ("random",)
    """Strategies that everybody may choose besides the usual one; the owner may choose any."""
    allowed_set_size: int = 4
    """How many options everybody may ask for in a question, besides the usual number; the owner may ask for any."""
    priors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What earlier people were like, by the name of the catalogue, where that is known and stays as it is."""
    learning: bool = False
    """Whether to learn from finished interviews."""
    learning_least: int = 30
    """How many people are learnt from at least."""
    learning_seconds: float = 600.0
    """How long that may take."""
    hosts: tuple[str, ...] = ()
    """Names that the header `Host` may have, such as `shop.example` or `*.shop.example`; empty: any."""
    site: Site = field(default_factory=Site)
    """Below which path everything is, and which other sites may show the page and ask the API."""
    webhooks: Webhooks = field(default_factory=Webhooks)
    """Who is told of finished interviews."""
    retention: float | None = None
    """After how many days interviews that nobody looks at are forgotten; None: never."""
    largest_body: int = 64_000
    largest_catalogue: int = 10_000_000

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise OptionError(f"{self.workers} workers cannot work; give 1 or more")
        if not self.seconds > 0:
            raise OptionError(f"the time limit is {self.seconds} seconds; give more than 0")
        if self.memory and self.memory < LEAST_MEMORY:
            raise OptionError(
                f"{self.memory} MB are too few for a process; give {LEAST_MEMORY} or more, or 0 for no limit"
            )
        if not self.rate >= 0 or self.burst < 1:
            raise OptionError(f"the rate is {self.rate} with bursts of {self.burst}; give 0 or more, and 1 or more")
        for name in self.allowed_strategies:
            if name not in STRATEGIES:
                raise OptionError(f"the server has no strategy {name!r}; allow one of {', '.join(STRATEGIES)}")
        if not 2 <= self.allowed_set_size <= LARGEST_SET:
            raise OptionError(
                f"questions of {self.allowed_set_size} options cannot be allowed; give 2 to {LARGEST_SET}"
            )
        if self.learning_least < LEAST_PEOPLE:
            raise OptionError(
                f"learning from {self.learning_least} people would say too much about each of them; "
                f"give {LEAST_PEOPLE} or more"
            )
        if not self.learning_seconds > 0:
            raise OptionError(f"the time limit of learning is {self.learning_seconds} seconds; give more than 0")
        if self.retention is not None and not self.retention > 0:
            raise OptionError(f"interviews would be forgotten after {self.retention} days; give more than 0")
        if self.owner_token is not None and len(self.owner_token) < SHORTEST_TOKEN:
            raise OptionError(
                f"{TOKEN_VARIABLE} has {len(self.owner_token)} characters; give {SHORTEST_TOKEN} or more, such as "
                "those that `openssl rand -hex 24` prints"
            )
        if self.uploads and self.owner_token is None:
            raise OptionError(f"uploads need the owner's token; set {TOKEN_VARIABLE}")


def usual_workers() -> int:
    """As many as there are cores, within reason: one core thinks for hundreds of people."""
    return max(1, min(os.cpu_count() or 1, MOST_WORKERS))


def data_directory() -> Path:
    """The user's own place for data, so that interviews survive wherever the command is run."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "setmargin"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "setmargin"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "setmargin"
