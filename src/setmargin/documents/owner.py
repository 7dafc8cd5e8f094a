"""What the owner sees: how far people came and what they took, catalogues, priors, and webhooks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from setmargin.documents.base import QUESTION, Document, about
from setmargin.documents.interviews import Named, Option


@dataclass(frozen=True)
class CountOfQuestions(Document):
    """How many people needed that many questions."""

    count: int
    questions: int


@dataclass(frozen=True)
class CountOfAnswers(Document):
    """How many people left after that many answers."""

    count: int
    answers: int


@dataclass(frozen=True)
class Needed(Document):
    """How many questions people who finished needed."""

    median: float | None
    p90: float | None
    histogram: tuple[CountOfQuestions, ...]


@dataclass(frozen=True)
class Stopped(Document):
    """Where people stand who took nothing, and whom nobody saw for half an hour."""

    before_first: int = field(metadata=about("before the first answer"))
    answering: int
    at_result: int = field(metadata=about("they looked at the result"))


@dataclass(frozen=True)
class TakenOption(Document):
    """A configuration that so many people took; without amounts where the catalogue is another by now."""

    count: int
    option: Option


@dataclass(frozen=True)
class CountOfValue(Document):
    """How many people took this value."""

    count: int
    value: str


@dataclass(frozen=True)
class TakenValues(Document):
    """The values of one attribute among all that was taken, the most frequent first."""

    name: str
    values: tuple[CountOfValue, ...]


@dataclass(frozen=True)
class CountOfRule(Document):
    """In how many interviews a must-have was in force at the end."""

    count: int
    rule: str = field(metadata=about(example="price <= 900"))


@dataclass(frozen=True)
class Budget(Document):
    """The limits that people set on one quantity by must-haves: a tenth, a half and nine tenths set no more."""

    name: str
    side: Literal["most", "least"]
    count: int
    low: float
    median: float
    high: float


@dataclass(frozen=True)
class RefusedRule(Document):
    """How often a must-have was refused, and a smallest set of rules that it was in conflict with."""

    count: int
    rule: str
    conflict: tuple[str, ...]


@dataclass(frozen=True)
class CatalogueSummary(Document):
    """What people did with one catalogue."""

    name: str
    title: str
    interviews: int
    answered: int = field(metadata=about("interviews with at least one answer"))
    finished: int = field(metadata=about("something was taken, or nothing was left to ask"))
    questions: Needed
    left: tuple[CountOfAnswers, ...] = field(metadata=about("after how many answers people left without finishing"))
    importance: tuple[Named, ...] = field(metadata=about("on average over people, largest first"))
    five: int = field(default=0, metadata=about("interviews with five answers, or with all that was asked"))
    result_seen: int = field(default=0, metadata=about("interviews whose result somebody looked at"))
    taken: int = field(default=0, metadata=about("interviews in which a configuration was taken"))
    stopped: Stopped | None = None
    configurations: tuple[TakenOption, ...] = field(default=(), metadata=about("those that most people took"))
    values: tuple[TakenValues, ...] = field(default=(), metadata=about("of all that was taken"))
    must_haves: tuple[CountOfRule, ...] = field(
        default=(), metadata=about("the most frequent ones, but for limits on quantities, which are `budgets`")
    )
    budgets: tuple[Budget, ...] = ()
    refused: tuple[RefusedRule, ...] = field(
        default=(), metadata=about("must-haves that nothing satisfied, the most frequent first")
    )


@dataclass(frozen=True)
class Summary(Document):
    """What people did; no interview can be told from it."""

    since: str | None
    catalogues: tuple[CatalogueSummary, ...]


@dataclass(frozen=True)
class OwnersCatalogue(Document):
    """A catalogue as whoever runs the server knows it."""

    name: str
    title: str
    digest: str = field(metadata=about("the version that is offered, or was last"))
    status: Literal["offered", "withdrawn", "not served"] = field(
        metadata=about("`not served`: no file of it was named when this server was started, and the owner put none")
    )
    uploaded: bool = field(metadata=about("whether this version was put through the API"))
    withdrawn: str | None = field(metadata=about("since when it is", example="2026-11-16T12:00:00+00:00"))


@dataclass(frozen=True)
class OwnersCatalogues(Document):
    """Every catalogue that was ever offered."""

    catalogues: tuple[OwnersCatalogue, ...]


@dataclass(frozen=True)
class PriorVersion(Document):
    """One version of what is known of earlier people."""

    version: int
    source: Literal["learnt", "given"] = field(metadata=about("from interviews of this store, or from a file"))
    people: int | None = field(metadata=about("how many people it was learnt from"))
    created: str = field(metadata=about("when", example="2026-11-16T12:00:00+00:00"))
    digest: str = field(metadata=about("the catalogue that it was made for"))


@dataclass(frozen=True)
class PriorOfCatalogue(Document):
    """What interviews on one catalogue begin with."""

    catalogue: str
    title: str
    used: PriorVersion | None = field(metadata=about("what interviews that begin now expect; null: the usual people"))
    summary: tuple[str, ...] = field(metadata=about("the prior in words"))
    notes: tuple[str, ...] = field(metadata=about("what of it does not fit the catalogue as it is now"))
    finished: int = field(metadata=about("interviews with an answer that are finished"))
    learnt_at: int | None = field(metadata=about("at so many finished interviews it is learnt anew"))
    versions: tuple[PriorVersion, ...] = field(metadata=about("all there are, the newest first"))


@dataclass(frozen=True)
class Priors(Document):
    """What is known of earlier people, by catalogue: figures about all of them, and nothing about anybody."""

    learning: bool = field(metadata=about("whether this server learns from finished interviews"))
    least: int | None = field(metadata=about("from how many people on; null: not at all"))
    catalogues: tuple[PriorOfCatalogue, ...]


@dataclass(frozen=True)
class PriorFile(Document):
    """One version whole; `document`, written as YAML or JSON, is a file that `serve --prior` takes."""

    catalogue: str
    version: int
    document: dict[str, Any]


@dataclass(frozen=True)
class WebhookReceiver(Document):
    """Somebody who is told of finished interviews, and how that goes."""

    address: str = field(metadata=about("without its query", example="https://shop.example/setmargin"))
    is_served: bool = field(metadata=about("whether this server sends to it; others may"))
    waiting: int
    sent: int
    given_up: int
    oldest: str | None = field(
        metadata=about("when the oldest one was written that waits", example="2026-11-16T12:00:00+00:00")
    )


@dataclass(frozen=True)
class FailedWebhook(Document):
    """A message that was sent and not taken."""

    id: str = field(metadata=about("as in the header webhook-id", example=QUESTION))
    address: str
    fate: Literal["waiting", "given up"] = field(metadata=about("whether it is sent again"))
    attempts: int
    problem: str = field(metadata=about("what went wrong last", example="the reply has status 500"))
    created: str


@dataclass(frozen=True)
class WebhookDeliveries(Document):
    """What receivers of webhooks were told, and what they did not take."""

    receivers: tuple[WebhookReceiver, ...]
    failed: tuple[FailedWebhook, ...] = field(metadata=about("the newest, at most 100"))


@dataclass(frozen=True)
class SentAgain(Document):
    """What is sent again although it was given up."""

    messages: int = field(metadata=about("how many", example=3))
