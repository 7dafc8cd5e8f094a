"""What comes back about an interview: its state, its question, its result, and what would come of a change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from setmargin.documents.base import LAPTOP, QUESTION, TOWER, Document, Value, about, with_examples
from setmargin.documents.catalogues import Catalogue
from setmargin.documents.requests import _SAID, Answer


@dataclass(frozen=True)
class Item(Document):
    """An item of a product list, as its owner names and shows it."""

    id: str = field(metadata=about(example="L018"))
    title: str | None = field(metadata=about(example="Lux plus"))
    link: str | None = field(metadata=about("its page", example="https://shop.example/l018"))
    image: str | None = field(metadata=about("the address of its picture", example="https://shop.example/l018.jpg"))


@dataclass(frozen=True)
class Option(Document):
    """A configuration, and each of its quantities in its own unit."""

    __pydantic_config__ = with_examples(LAPTOP)

    values: dict[str, Value]
    amounts: dict[str, float]
    item: Item | None = field(
        default=None, metadata=about("of a product list: the item that it is, whose id is among the values", **_SAID)
    )


@dataclass(frozen=True)
class Wish(Document):
    """A change that was asked for: an attribute's value, or a quantity, without one, to be better."""

    name: str = field(metadata=about(example="memory"))
    value: Value | None = field(metadata=about(example=32))


@dataclass(frozen=True)
class PossibleValue(Document):
    """A value that can be had instead, and by how much each quantity would differ, in its own unit."""

    value: Value = field(metadata=about(example=32))
    amounts: dict[str, float] = field(
        metadata=about("quantities that stay the same are left out", example={"price": 90.0})
    )


@dataclass(frozen=True)
class PossibleValues(Document):
    """The other values of an attribute."""

    name: str = field(metadata=about(example="memory"))
    values: tuple[PossibleValue, ...]


@dataclass(frozen=True)
class PossibleChanges(Document):
    """What can be asked for instead of one configuration; wishes that are known are left out."""

    attributes: tuple[PossibleValues, ...]
    better: tuple[str, ...] = field(metadata=about("quantities that could be better", example=["price"]))


@dataclass(frozen=True)
class Question(Document):
    """Options to compare; or a single one: what should change about it?"""

    number: int = field(metadata=about("counted from 1", example=6))
    options: tuple[Option, ...] = field(metadata=about(example=[LAPTOP, TOWER]))
    differing: tuple[str, ...] = field(
        metadata=about("attributes and quantities in which they differ", example=["type", "price"])
    )
    alike: tuple[str, ...] = field(metadata=about("the others", example=["memory"]))
    asks_for_change: bool = field(
        default=False, metadata=about("whoever chooses is asked what to change about it, too")
    )
    besides: tuple[Wish, ...] = field(default=(), metadata=about("wishes that are known, not to be named again"))
    changes: tuple[PossibleChanges, ...] = field(
        default=(), metadata=about("of each option, where the question asks for a change", example=[])
    )
    id: str = field(default="", metadata=about("stands for all that is shown; an answer names it", example=QUESTION))


@dataclass(frozen=True)
class CurrentQuestion(Document):
    """The question, unless nothing more needs to be asked."""

    version: int
    question: Question | None
    done: bool


@dataclass(frozen=True)
class Stakes(Document):
    """How good the recommendation probably is."""

    expected_loss: float = field(metadata=about("relative to the best there is, on average", example=0.08))
    probability_within: float = field(metadata=about("how likely it is within 5% of the best", example=0.6))
    questions_left: int = field(metadata=about("about how many more it will take", example=4))


@dataclass(frozen=True)
class StrategyOfInterview(Document):
    """What chooses the questions."""

    name: str = field(metadata=about(example="bayes"))
    set_size: int = field(metadata=about(example=2))
    differences: int | None
    policy: str | None = field(default=None, metadata=about("bayes: what may be asked", example="conversation"))


@dataclass(frozen=True)
class CatalogueOfInterview(Document):
    """What it is about."""

    name: str = field(metadata=about(example="pc"))
    title: str = field(metadata=about(example="Find your PC"))


@dataclass(frozen=True)
class State(Document):
    """An interview as it is now. Its id is the key to it: whoever has it may read and answer."""

    id: str = field(metadata=about(example="mW0a1c8eJ5yQ0z3sT7kLxw2b"))
    version: int = field(metadata=about("how many events there were; every change adds one", example=7))
    catalogue: CatalogueOfInterview
    strategy: StrategyOfInterview
    answered: int = field(metadata=about("questions answered; skips do not count", example=5))
    must_haves: tuple[str, ...] = field(metadata=about(example=["price <= 900"]))
    question: Question | None
    best: Option = field(metadata=about("the recommendation so far"))
    stakes: Stakes | None = field(metadata=about("null where the strategy does not know"))
    done: bool = field(metadata=about("nothing more needs to be asked"))
    finished: Option | None = field(metadata=about("what the person took"))
    can_undo: bool
    undo_of: Literal["answer", "must-have", "asking-on", "finish"] | None


@dataclass(frozen=True)
class AnswerGiven(Document):
    """A question that was answered."""

    number: int = field(metadata=about("counted from 1", example=1))
    options: tuple[Option, ...]
    answer: Answer
    surprising: bool = field(metadata=about("goes against what all other answers say"))
    question: str = field(default="", metadata=about("the id of the question", example=QUESTION))
    asked: bool = field(default=True, metadata=about("false: the person said it by themselves"))


@dataclass(frozen=True)
class AnswersGiven(Document):
    """All answers in force, in order."""

    version: int
    answers: tuple[AnswerGiven, ...]


@dataclass(frozen=True)
class ChangesOfBest(Document):
    """What can be asked for instead of the recommendation."""

    version: int
    best: Option
    besides: tuple[Wish, ...] = field(metadata=about("wishes that are known"))
    changes: PossibleChanges


Fit = Literal["better", "same", "little", "less", "much"]
FIT = "how well it suits beside what there was: better, about the same, a little less, less, much less"


@dataclass(frozen=True)
class ChangedValue(Document):
    """An attribute that would be different."""

    name: str = field(metadata=about(example="memory"))
    before: Value = field(metadata=about(example=16))
    now: Value = field(metadata=about(example=32))


@dataclass(frozen=True)
class Preview(Document):
    """What one other value comes to: the best repair of the rest, with as few other changes as make sense."""

    value: Value = field(metadata=about(example=32))
    option: Option | None = field(metadata=about("null: rules and must-haves exclude the value"))
    changed: tuple[ChangedValue, ...] = field(metadata=about("all that would be different, the value itself first"))
    more: dict[str, float] = field(
        metadata=about("by how much each quantity would be higher; what stays is left out", example={"price": 90.0})
    )
    loss: float = field(metadata=about("how much less it is worth, as a share of what there was", example=0.02))
    fit: Fit = field(metadata=about(FIT))


@dataclass(frozen=True)
class Previews(Document):
    """What each other value of an attribute would come to; an adjustment with `keep` takes one of them."""

    version: int
    name: str = field(metadata=about(example="memory"))
    best: Option
    previews: tuple[Preview, ...]


@dataclass(frozen=True)
class AnswerPreview(Document):
    """What would be recommended if an earlier question were answered differently, beside what is now."""

    version: int
    number: int = field(metadata=about("the question, counted from 1", example=4))
    before: Option
    after: Option
    changed: tuple[ChangedValue, ...] = field(metadata=about("empty: the recommendation would stay as it is"))
    more: dict[str, float] = field(
        metadata=about("by how much each quantity would be higher; what stays is left out", example={"price": 90.0})
    )


@dataclass(frozen=True)
class Importance(Document):
    """How much one attribute or quantity matters: its share of all that is at stake, with a 90% interval."""

    name: str = field(metadata=about(example="price"))
    share: float = field(metadata=about(example=0.31))
    low: float | None = field(metadata=about(example=0.2))
    high: float | None = field(metadata=about(example=0.4))


@dataclass(frozen=True)
class Named(Document):
    """A share of the best utility, by attribute or quantity."""

    name: str = field(metadata=about(example="type"))
    share: float = field(metadata=about(example=0.05))


@dataclass(frozen=True)
class GaveUp(Document):
    """One thing was given up for another, so many times."""

    kind: Literal["gave-up"]
    gave_up: str = field(metadata=about(example="screen"))
    for_: str = field(metadata=about(example="weight", alias="for"))
    times: int = field(metadata=about(example=3))


@dataclass(frozen=True)
class DecisiveReason(Document):
    """An answer without which something else would be recommended."""

    kind: Literal["decisive"]
    answer: int = field(metadata=about("its number, counted from 1", example=4))
    instead: Option


@dataclass(frozen=True)
class WouldChange(Document):
    """What would be recommended without one answer: the same as its decisive reason."""

    answer: int = field(metadata=about("its number, counted from 1", example=4))
    instead: Option


@dataclass(frozen=True)
class Tips(Document):
    """What would have to change for it to win: this thing would have to matter so many times as much."""

    name: str = field(metadata=about(example="weight"))
    factor: float = field(metadata=about(example=1.8))


@dataclass(frozen=True)
class Alternative(Document):
    """Another good configuration, and what it gains and loses against the best."""

    option: Option
    loss: float = field(metadata=about("how much worse it probably is, as a share of the best", example=0.04))
    differing: tuple[str, ...]
    gains: tuple[Named, ...]
    losses: tuple[Named, ...]
    kind: Literal["suggested", "better", "bolder", "close"] = field(
        default="close",
        metadata=about(
            "better: in a quantity; bolder: in an attribute of which it is least sure how much it matters; suggested: "
            "what would be recommended if the person had not set something else; close: nearly as good"
        ),
    )
    name: str | None = field(default=None, metadata=about("that quantity or attribute", example="price"))
    fit: Fit = field(default="same", metadata=about(FIT))
    tips: Tips | None = field(default=None, metadata=about("null: it is as good, or nothing single would do"))


@dataclass(frozen=True)
class Quote(Document):
    """Why the recommendation has a value or an amount: what was said, in answers counted from 1.

    must-have: the must-haves leave no other value. set: the person changed it to this by themselves. asked-for: so they
    did when they were asked. decided: an option that has it was taken, and it was named as the reason. paid: an option
    that has it was taken, though another with `instead` had less (or more) of `quantity`. chosen: an option that has it
    was taken, and not one with `instead`. gave-up: an option with less (or more) of this quantity was taken, though
    another had `instead` of `lost`. better: an option with less (or more) of this quantity was taken.
    """

    name: str = field(metadata=about("an attribute or a quantity", example="brakes"))
    kind: Literal["must-have", "set", "asked-for", "decided", "paid", "gave-up", "chosen", "better"]
    value: Value | None = field(metadata=about("of the attribute; null: a quantity", example="hydraulic disc"))
    answers: tuple[int, ...] = field(metadata=about("which say so; all else is about the first", example=[4]))
    instead: Value | None = field(metadata=about(example="rim"))
    quantity: str | None = field(metadata=about(example="price"))
    by: float | None = field(metadata=about("how much more of it what was taken has", example=90.0))
    lost: str | None = field(metadata=about("an attribute"))


@dataclass(frozen=True)
class Matters(Document):
    """What matters in words: mostly these, these somewhat; both empty where nothing stands out."""

    mostly: tuple[str, ...] = field(metadata=about(example=["price", "weight"]))
    somewhat: tuple[str, ...] = field(metadata=about(example=["brakes"]))


Reason = GaveUp | DecisiveReason


@dataclass(frozen=True)
class Result(Document):
    """The recommendation and its reasons."""

    version: int
    best: Option
    stakes: Stakes | None
    importance: tuple[Importance, ...] = field(metadata=about("largest first"))
    reasons: tuple[Reason, ...]
    alternatives: tuple[Alternative, ...]
    would_change: tuple[WouldChange, ...]
    answers: tuple[AnswerGiven, ...]
    quotes: tuple[Quote, ...] = field(
        default=(), metadata=about("for the values that matter what was said, most important first", example=[])
    )
    matters: Matters = field(default_factory=lambda: Matters((), ()))


@dataclass(frozen=True)
class Exported(Document):
    """A whole interview as one document, which `Interview.load` of the Python library reads."""

    setmargin: int = field(metadata=about("the version of the format", example=1))
    catalogue: dict[str, Any]
    strategy: dict[str, Any]
    seed: int
    events: list[dict[str, Any]]
    question: dict[str, Any] | None = field(
        default=None, metadata=about("what is asked now; null: nothing is left to ask; left out: it is yet unknown")
    )


@dataclass(frozen=True)
class Shared(Document):
    """A result under a link of its own: the page shows it at /r/ and the token."""

    token: str = field(metadata=about("whoever has it may read the result", example="b7Q0z3sT7kLxw2mW0a1c8eJ5"))


@dataclass(frozen=True)
class SharedResult(Document):
    """A result as it was when it was shared; it says nothing of single answers but what its reasons quote."""

    created: str = field(metadata=about("when it was shared", example="2026-11-16T12:00:00+00:00"))
    catalogue: Catalogue
    must_haves: tuple[str, ...]
    finished: Option | None = field(metadata=about("what the person took"))
    result: Result
