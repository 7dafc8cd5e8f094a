"""What the API, the page and the client exchange, declared once, in the standard library alone.

Every document is a frozen dataclass whose fields are the keys of a JSON object, in order. The server checks requests
against these declarations, writes replies by them and describes them in its OpenAPI document; `read` makes values of
what a server sent. What a field may hold and means to people is in its metadata, in the words of pydantic's `Field`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import cache
from operator import not_
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

Strategy = Literal["bayes", "setmargin", "random"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)
USUAL_STRATEGY: Strategy = "bayes"
LARGEST_SET = 6
LARGEST_WHOLE = 2**53 - 1
"""Whole numbers up to here are the same in every language that reads JSON."""
LONGEST_RULE = 500
LONGEST_NAME = 500
MOST_REASONS = 50
MOST_MUST_HAVES = 50
MOST_OPENING = 10
PROBLEM_TYPES = "https://setmargin.invalid/problems/"

D = TypeVar("D")
QUESTION = "5f0c3a9be1d24c7788aa10e2c94d6b03"
LAPTOP: dict[str, Any] = {"values": {"type": "laptop", "memory": 16}, "amounts": {"price": 899.0}}
TOWER: dict[str, Any] = {"values": {"type": "tower", "memory": 16}, "amounts": {"price": 749.0}}


class Checked:
    """What pydantic has to check of a value beyond its type, as entries of its core schema: it need not be imported."""

    def __init__(self, **entries: Any) -> None:
        self._entries = entries

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        return {**handler(source), **self._entries}


class OnlyTrue:
    """To Python 1 is True as well."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        function = {"type": "no-info", "function": self._check}
        return {"type": "function-before", "function": function, "schema": handler(source)}

    def _check(self, value: object) -> object:
        if value is not True:
            raise ValueError("write true")
        return value


Value = str | int | float
SentValue = (
    Annotated[str, Checked(strict=True)] | Annotated[int, Checked(strict=True)] | Annotated[float, Checked(strict=True)]
)
"""True is no number here."""
Yes = Annotated[Literal[True], OnlyTrue()]
Place = Annotated[int, Checked(strict=True, ge=0, lt=LARGEST_SET)]
Rule = Annotated[str, Checked(min_length=1, max_length=LONGEST_RULE)]
Name = Annotated[str, Checked(min_length=1, max_length=LONGEST_NAME)]


class Document:
    """Holds nothing that is not declared, and no number that is not one."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}


def _with_examples(*examples: dict[str, Any]) -> dict[str, Any]:
    return {**Document.__pydantic_config__, "json_schema_extra": {"examples": list(examples)}}


def _about(description: str | None = None, *, example: Any = None, **limits: Any) -> dict[str, Any]:
    """The metadata of a field."""
    shown = {} if example is None else {"examples": [example]}
    return {"description": description, **shown, **limits}


# What is sent

_SAID: dict[str, Any] = {"exclude_if": lambda part: part is None}
"""Of answers only what was said is written, as old ones are."""


def _reasons(description: str) -> dict[str, Any]:
    """The metadata of the things that decided; none need be named."""
    limits = {"max_length": MOST_REASONS, "json_schema_extra": {"default": []}, "exclude_if": not_}
    return _about(description, example=["price"], **limits)


@dataclass(frozen=True)
class Chosen(Document):
    """This option is the best of them, counted from 0; of a single one: nothing should change about it."""

    choice: Place
    because: list[Name] = field(
        default_factory=list,
        metadata=_reasons("the attributes and quantities that decided, the most important one first"),
    )


@dataclass(frozen=True)
class Ranked(Document):
    """All options, best first."""

    ranking: list[Place] = field(metadata={"min_length": 2, "max_length": LARGEST_SET})
    because: list[Name] = field(default_factory=list, metadata=_reasons("what puts the first one before the others"))


@dataclass(frozen=True)
class Equal(Document):
    """All options are equally good."""

    equal: Yes
    because: list[Name] = field(
        default_factory=list, metadata=_reasons("things in which they differ, but which do not matter")
    )


@dataclass(frozen=True)
class WantedChange(Document):
    """An attribute with another value; a quantity, without a value, to be better; neither: nothing should change."""

    __pydantic_config__ = _with_examples({"name": "memory", "value": 32}, {"name": "price"}, {})

    name: Name | None = field(default=None, metadata=_about("an attribute or a quantity", example="memory", **_SAID))
    value: SentValue | None = field(default=None, metadata=_about("of an attribute", example=32, **_SAID))
    option: Place = field(
        default=0, metadata=_about("which option it is about; that is also the best one", exclude_if=not_)
    )


@dataclass(frozen=True)
class Changing(Document):
    """What to change first about the best option."""

    change: WantedChange


@dataclass(frozen=True)
class Skipped(Document):
    """No answer."""

    skip: Yes


Answer = Chosen | Ranked | Equal | Changing | Skipped


@dataclass(frozen=True)
class Start(Document):
    """A new interview."""

    __pydantic_config__ = _with_examples(
        {"catalogue": "pc"},
        {"catalogue": "pc", "must_haves": ["price <= 900"]},
        {"catalogue": "pc", "policy": "conversation", "set_size": 4},
    )

    catalogue: str = field(metadata=_about("the name of a catalogue", min_length=1, max_length=64))
    strategy: Strategy = field(
        default=USUAL_STRATEGY,
        metadata=_about("what chooses the questions; the server says which ones everybody may choose"),
    )
    set_size: int | None = field(
        default=None,
        metadata=_about(
            "how many configurations a question shows, in a conversation at most; null: as the strategy does",
            strict=True,
            ge=2,
            le=LARGEST_SET,
        ),
    )
    policy: Literal["conversation", "comparisons"] | None = field(
        default=None,
        metadata=_about(
            "bayes: comparisons of so many options each, or a conversation, which also asks what to change; "
            "null: as the strategy does"
        ),
    )
    differences: int | None = field(
        default=None,
        metadata=_about(
            "bayes: in how many attributes the options of a question differ at most", strict=True, ge=1, le=2000
        ),
    )
    until: float | None = field(
        default=None,
        metadata=_about("bayes: the expected loss at which no more is asked; null: 0.03", strict=True, ge=0, lt=1),
    )
    seed: int | None = field(
        default=None, metadata=_about("same seed, same questions; null: 0", strict=True, ge=0, le=LARGEST_WHOLE)
    )
    must_haves: list[Rule] = field(
        default_factory=list, metadata={"max_length": MOST_MUST_HAVES, "json_schema_extra": {"default": []}}
    )
    opening: dict[str, str] = field(
        default_factory=dict,
        metadata=_about(
            "answers to the catalogue's opening questions, by id; those left out are skipped",
            example={"use": "city"},
            max_length=MOST_OPENING,
            json_schema_extra={"default": {}},
        ),
    )


@dataclass(frozen=True)
class At(Document):
    """Which version of the interview the client has seen: whoever comes second learns that there is a newer one."""

    __pydantic_config__ = _with_examples({"version": 7})

    version: int = field(metadata=_about("the version that the client has seen", strict=True, ge=0, le=LARGEST_WHOLE))


@dataclass(frozen=True)
class GiveAnswer(At):
    """An answer to the current question, or another one to an earlier question."""

    __pydantic_config__ = _with_examples(
        {"version": 7, "question": QUESTION, "answer": {"choice": 0}},
        {"version": 7, "answer": {"choice": 0, "because": ["price"]}},
        {"version": 7, "answer": {"equal": True}},
        {"version": 7, "answer": {"change": {"name": "memory", "value": 32}}},
        {"version": 7, "answer": {"change": {"name": "price", "option": 1}}},
        {"version": 7, "answer": {"change": {}}},
    )

    answer: Answer
    question: str | None = field(
        default=None,
        metadata=_about(
            "the id of the question that the person was shown; null: whichever was asked at this version",
            min_length=1,
            max_length=64,
        ),
    )


@dataclass(frozen=True)
class Adjust(At):
    """A change of the recommendation that nobody asked for: a value, a quantity to be better, or nothing to change."""

    __pydantic_config__ = _with_examples(
        {"version": 7, "name": "memory", "value": 32}, {"version": 7, "name": "price"}, {"version": 7}
    )

    name: Name | None = field(
        default=None, metadata=_about("an attribute or a quantity; null: nothing", example="memory")
    )
    value: SentValue | None = field(default=None, metadata=_about("of an attribute; null: a quantity", example=32))
    keep: bool = field(
        default=False,
        metadata=_about(
            "whether the configuration with the change, as its preview shows it, is the recommendation from then on",
            strict=True,
        ),
    )


@dataclass(frozen=True)
class AddMustHave(At):
    """One more rule that everything shown has to obey."""

    __pydantic_config__ = _with_examples({"version": 7, "rule": "price <= 900"})

    rule: Rule = field(metadata={"description": "a rule", "examples": ["price <= 900", "type = laptop"]})


@dataclass(frozen=True)
class Finish(At):
    """The person takes this one; the recommendation unless another one is named."""

    __pydantic_config__ = _with_examples({"version": 7}, {"version": 7, "configuration": LAPTOP["values"]})

    configuration: dict[str, SentValue] | None = field(default=None, metadata={"max_length": 2000})


# What comes back


@dataclass(frozen=True)
class Item(Document):
    """An item of a product list, as its owner names and shows it."""

    id: str = field(metadata=_about(example="L018"))
    title: str | None = field(metadata=_about(example="Lux plus"))
    link: str | None = field(metadata=_about("its page", example="https://shop.example/l018"))
    image: str | None = field(metadata=_about("the address of its picture", example="https://shop.example/l018.jpg"))


@dataclass(frozen=True)
class Option(Document):
    """A configuration, and each of its quantities in its own unit."""

    __pydantic_config__ = _with_examples(LAPTOP)

    values: dict[str, Value]
    amounts: dict[str, float]
    item: Item | None = field(
        default=None, metadata=_about("of a product list: the item that it is, whose id is among the values", **_SAID)
    )


@dataclass(frozen=True)
class Wish(Document):
    """A change that was asked for: an attribute's value, or a quantity, without one, to be better."""

    name: str = field(metadata=_about(example="memory"))
    value: Value | None = field(metadata=_about(example=32))


@dataclass(frozen=True)
class PossibleValue(Document):
    """A value that can be had instead, and by how much each quantity would differ, in its own unit."""

    value: Value = field(metadata=_about(example=32))
    amounts: dict[str, float] = field(
        metadata=_about("quantities that stay the same are left out", example={"price": 90.0})
    )


@dataclass(frozen=True)
class PossibleValues(Document):
    """The other values of an attribute."""

    name: str = field(metadata=_about(example="memory"))
    values: tuple[PossibleValue, ...]


@dataclass(frozen=True)
class PossibleChanges(Document):
    """What can be asked for instead of one configuration; wishes that are known are left out."""

    attributes: tuple[PossibleValues, ...]
    better: tuple[str, ...] = field(metadata=_about("quantities that could be better", example=["price"]))


@dataclass(frozen=True)
class Question(Document):
    """Options to compare; or a single one: what should change about it?"""

    number: int = field(metadata=_about("counted from 1", example=6))
    options: tuple[Option, ...] = field(metadata=_about(example=[LAPTOP, TOWER]))
    differing: tuple[str, ...] = field(
        metadata=_about("attributes and quantities in which they differ", example=["type", "price"])
    )
    alike: tuple[str, ...] = field(metadata=_about("the others", example=["memory"]))
    asks_for_change: bool = field(
        default=False, metadata=_about("whoever chooses is asked what to change about it, too")
    )
    besides: tuple[Wish, ...] = field(default=(), metadata=_about("wishes that are known, not to be named again"))
    changes: tuple[PossibleChanges, ...] = field(
        default=(), metadata=_about("of each option, where the question asks for a change", example=[])
    )
    id: str = field(default="", metadata=_about("stands for all that is shown; an answer names it", example=QUESTION))


@dataclass(frozen=True)
class CurrentQuestion(Document):
    """The question, unless nothing more needs to be asked."""

    version: int
    question: Question | None
    done: bool


@dataclass(frozen=True)
class Stakes(Document):
    """How good the recommendation probably is."""

    expected_loss: float = field(metadata=_about("relative to the best there is, on average", example=0.08))
    probability_within: float = field(metadata=_about("how likely it is within 5% of the best", example=0.6))
    questions_left: int = field(metadata=_about("about how many more it will take", example=4))


@dataclass(frozen=True)
class StrategyOfInterview(Document):
    """What chooses the questions."""

    name: str = field(metadata=_about(example="bayes"))
    set_size: int = field(metadata=_about(example=2))
    differences: int | None
    policy: str | None = field(default=None, metadata=_about("bayes: what may be asked", example="conversation"))


@dataclass(frozen=True)
class CatalogueOfInterview(Document):
    """What it is about."""

    name: str = field(metadata=_about(example="pc"))
    title: str = field(metadata=_about(example="Find your PC"))


@dataclass(frozen=True)
class State(Document):
    """An interview as it is now. Its id is the key to it: whoever has it may read and answer."""

    id: str = field(metadata=_about(example="mW0a1c8eJ5yQ0z3sT7kLxw2b"))
    version: int = field(metadata=_about("how many events there were; every change adds one", example=7))
    catalogue: CatalogueOfInterview
    strategy: StrategyOfInterview
    answered: int = field(metadata=_about("questions answered; skips do not count", example=5))
    must_haves: tuple[str, ...] = field(metadata=_about(example=["price <= 900"]))
    question: Question | None
    best: Option = field(metadata=_about("the recommendation so far"))
    stakes: Stakes | None = field(metadata=_about("null where the strategy does not know"))
    done: bool = field(metadata=_about("nothing more needs to be asked"))
    finished: Option | None = field(metadata=_about("what the person took"))
    can_undo: bool
    undo_of: Literal["answer", "must-have", "asking-on", "finish"] | None


@dataclass(frozen=True)
class AnswerGiven(Document):
    """A question that was answered."""

    number: int = field(metadata=_about("counted from 1", example=1))
    options: tuple[Option, ...]
    answer: Answer
    surprising: bool = field(metadata=_about("goes against what all other answers say"))
    question: str = field(default="", metadata=_about("the id of the question", example=QUESTION))
    asked: bool = field(default=True, metadata=_about("false: the person said it by themselves"))


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
    besides: tuple[Wish, ...] = field(metadata=_about("wishes that are known"))
    changes: PossibleChanges


Fit = Literal["better", "same", "little", "less", "much"]
FIT = "how well it suits beside what there was: better, about the same, a little less, less, much less"


@dataclass(frozen=True)
class ChangedValue(Document):
    """An attribute that would be different."""

    name: str = field(metadata=_about(example="memory"))
    before: Value = field(metadata=_about(example=16))
    now: Value = field(metadata=_about(example=32))


@dataclass(frozen=True)
class Preview(Document):
    """What one other value comes to: the best repair of the rest, with as few other changes as make sense."""

    value: Value = field(metadata=_about(example=32))
    option: Option | None = field(metadata=_about("null: rules and must-haves exclude the value"))
    changed: tuple[ChangedValue, ...] = field(metadata=_about("all that would be different, the value itself first"))
    more: dict[str, float] = field(
        metadata=_about("by how much each quantity would be higher; what stays is left out", example={"price": 90.0})
    )
    loss: float = field(metadata=_about("how much less it is worth, as a share of what there was", example=0.02))
    fit: Fit = field(metadata=_about(FIT))


@dataclass(frozen=True)
class Previews(Document):
    """What each other value of an attribute would come to; an adjustment with `keep` takes one of them."""

    version: int
    name: str = field(metadata=_about(example="memory"))
    best: Option
    previews: tuple[Preview, ...]


@dataclass(frozen=True)
class AnswerPreview(Document):
    """What would be recommended if an earlier question were answered differently, beside what is now."""

    version: int
    number: int = field(metadata=_about("the question, counted from 1", example=4))
    before: Option
    after: Option
    changed: tuple[ChangedValue, ...] = field(metadata=_about("empty: the recommendation would stay as it is"))
    more: dict[str, float] = field(
        metadata=_about("by how much each quantity would be higher; what stays is left out", example={"price": 90.0})
    )


@dataclass(frozen=True)
class Importance(Document):
    """How much one attribute or quantity matters: its share of all that is at stake, with a 90% interval."""

    name: str = field(metadata=_about(example="price"))
    share: float = field(metadata=_about(example=0.31))
    low: float | None = field(metadata=_about(example=0.2))
    high: float | None = field(metadata=_about(example=0.4))


@dataclass(frozen=True)
class Named(Document):
    """A share of the best utility, by attribute or quantity."""

    name: str = field(metadata=_about(example="type"))
    share: float = field(metadata=_about(example=0.05))


@dataclass(frozen=True)
class GaveUp(Document):
    """One thing was given up for another, so many times."""

    kind: Literal["gave-up"]
    gave_up: str = field(metadata=_about(example="screen"))
    for_: str = field(metadata=_about(example="weight", alias="for"))
    times: int = field(metadata=_about(example=3))


@dataclass(frozen=True)
class DecisiveReason(Document):
    """An answer without which something else would be recommended."""

    kind: Literal["decisive"]
    answer: int = field(metadata=_about("its number, counted from 1", example=4))
    instead: Option


@dataclass(frozen=True)
class WouldChange(Document):
    """What would be recommended without one answer: the same as its decisive reason."""

    answer: int = field(metadata=_about("its number, counted from 1", example=4))
    instead: Option


@dataclass(frozen=True)
class Tips(Document):
    """What would have to change for it to win: this thing would have to matter so many times as much."""

    name: str = field(metadata=_about(example="weight"))
    factor: float = field(metadata=_about(example=1.8))


@dataclass(frozen=True)
class Alternative(Document):
    """Another good configuration, and what it gains and loses against the best."""

    option: Option
    loss: float = field(metadata=_about("how much worse it probably is, as a share of the best", example=0.04))
    differing: tuple[str, ...]
    gains: tuple[Named, ...]
    losses: tuple[Named, ...]
    kind: Literal["suggested", "better", "bolder", "close"] = field(
        default="close",
        metadata=_about(
            "better: in a quantity; bolder: in an attribute of which it is least sure how much it matters; suggested: "
            "what would be recommended if the person had not set something else; close: nearly as good"
        ),
    )
    name: str | None = field(default=None, metadata=_about("that quantity or attribute", example="price"))
    fit: Fit = field(default="same", metadata=_about(FIT))
    tips: Tips | None = field(default=None, metadata=_about("null: it is as good, or nothing single would do"))


@dataclass(frozen=True)
class Quote(Document):
    """Why the recommendation has a value or an amount: what was said, in answers counted from 1.

    must-have: the must-haves leave no other value. set: the person changed it to this by themselves. asked-for: so they
    did when they were asked. decided: an option that has it was taken, and it was named as the reason. paid: an option
    that has it was taken, though another with `instead` had less (or more) of `quantity`. chosen: an option that has it
    was taken, and not one with `instead`. gave-up: an option with less (or more) of this quantity was taken, though
    another had `instead` of `lost`. better: an option with less (or more) of this quantity was taken.
    """

    name: str = field(metadata=_about("an attribute or a quantity", example="brakes"))
    kind: Literal["must-have", "set", "asked-for", "decided", "paid", "gave-up", "chosen", "better"]
    value: Value | None = field(metadata=_about("of the attribute; null: a quantity", example="hydraulic disc"))
    answers: tuple[int, ...] = field(metadata=_about("which say so; all else is about the first", example=[4]))
    instead: Value | None = field(metadata=_about(example="rim"))
    quantity: str | None = field(metadata=_about(example="price"))
    by: float | None = field(metadata=_about("how much more of it what was taken has", example=90.0))
    lost: str | None = field(metadata=_about("an attribute"))


@dataclass(frozen=True)
class Matters(Document):
    """What matters in words: mostly these, these somewhat; both empty where nothing stands out."""

    mostly: tuple[str, ...] = field(metadata=_about(example=["price", "weight"]))
    somewhat: tuple[str, ...] = field(metadata=_about(example=["brakes"]))


Reason = GaveUp | DecisiveReason


@dataclass(frozen=True)
class Result(Document):
    """The recommendation and its reasons."""

    version: int
    best: Option
    stakes: Stakes | None
    importance: tuple[Importance, ...] = field(metadata=_about("largest first"))
    reasons: tuple[Reason, ...]
    alternatives: tuple[Alternative, ...]
    would_change: tuple[WouldChange, ...]
    answers: tuple[AnswerGiven, ...]
    quotes: tuple[Quote, ...] = field(
        default=(), metadata=_about("for the values that matter what was said, most important first", example=[])
    )
    matters: Matters = field(default_factory=lambda: Matters((), ()))


@dataclass(frozen=True)
class Exported(Document):
    """A whole interview as one document, which `Interview.load` of the Python library reads."""

    setmargin: int = field(metadata=_about("the version of the format", example=1))
    catalogue: dict[str, Any]
    strategy: dict[str, Any]
    seed: int
    events: list[dict[str, Any]]
    question: dict[str, Any] | None = field(
        default=None, metadata=_about("what is asked now; null: nothing is left to ask; left out: it is yet unknown")
    )


IMAGE = (
    "/api/v1/images/412c038e1b5a3ff1361cd5aab9c2c096e608802d85ace97268ac2e622064d141/5f0c3a9be1d24c7788aa10e2c94d6b03"
)
_IMAGE = _about("the address of a picture, which never changes; null: there is none", example=IMAGE)
_CURRENCY = _about("by its three letters, where the unit is one; null: it is none", example="EUR")
_DECIMALS = _about("how many are shown; null: as many as there are", example=0)
_HELP = _about("one line for people who do not know it; null: there is none")


@dataclass(frozen=True)
class Theme(Document):
    """Whose page it is. Colours are by the names of the page's CSS variables; without an accent there are none."""

    name: str | None = field(metadata=_about("of the shop; null: nothing is said", example="Two Wheels"))
    logo: str | None = field(metadata=_IMAGE)
    light: dict[str, str] = field(metadata=_about(example={"accent": "#1d6b5a", "on-accent": "#ffffff"}))
    dark: dict[str, str] = field(metadata=_about(example={"accent": "#7fd0b7", "on-accent": "#101414"}))


@dataclass(frozen=True)
class Action(Document):
    """A button beside the result."""

    text: str = field(metadata=_about(example="Put into the basket"))
    link: str = field(
        metadata=_about(
            "names of attributes and quantities stand in braces, for escaped values",
            example="https://shop.example/basket?frame={frame}&price={price}",
        )
    )


@dataclass(frozen=True)
class Group(Document):
    """Attributes and quantities that are shown together."""

    title: str = field(metadata=_about(example="Frame"))
    members: tuple[str, ...] = field(metadata=_about(example=["frame", "frame shape"]))


@dataclass(frozen=True)
class OpeningAnswer(Document):
    """An answer to an opening question, and what follows from it: must-haves, and how likely things matter."""

    id: str = field(metadata=_about(example="city"))
    title: str = field(metadata=_about(example="Mostly in town"))
    help: str | None = field(metadata=_HELP)
    image: str | None = field(metadata=_IMAGE)
    require: tuple[str, ...] = field(metadata=_about(example=["style in {city, folding}"]))
    matters: dict[str, float] = field(metadata=_about(example={"weight": 0.95}))


@dataclass(frozen=True)
class OpeningQuestion(Document):
    """A question before the first comparison, which may be skipped."""

    id: str = field(metadata=_about(example="use"))
    title: str = field(metadata=_about(example="What is it for?"))
    help: str | None = field(metadata=_HELP)
    answers: tuple[OpeningAnswer, ...]


@dataclass(frozen=True)
class ValueLabel(Document):
    """What people see of a value."""

    title: str | None = field(metadata=_about("what people call it; null: the value itself", example="no motor"))
    help: str | None = field(metadata=_HELP)
    image: str | None = field(metadata=_IMAGE)


@dataclass(frozen=True)
class MustHaves(Document):
    """Rules that everything has to obey, in addition to those of the catalogue."""

    __pydantic_config__ = _with_examples({"must_haves": ["price <= 900", "type = laptop"]})

    must_haves: list[Rule] = field(
        default_factory=list, metadata={"max_length": MOST_MUST_HAVES, "json_schema_extra": {"default": []}}
    )


@dataclass(frozen=True)
class ValuesLeft(Document):
    """The values of an attribute that can be had under the must-haves about everything else."""

    name: str = field(metadata=_about(example="memory"))
    values: tuple[Value, ...] = field(metadata=_about(example=[8, 16]))


@dataclass(frozen=True)
class RangeLeft(Document):
    """What a quantity can be under the must-haves about everything else; null where nothing can be built then."""

    name: str = field(metadata=_about(example="price"))
    least: float | None = field(metadata=_about(example=299.0))
    most: float | None = field(metadata=_about(example=2499.0))


@dataclass(frozen=True)
class Possible(Document):
    """What is left of a catalogue under must-haves; of what is not listed nothing is known."""

    digest: str = field(metadata=_about("the version of the catalogue"))
    configurations: float | int | None = field(
        metadata=_about("how many obey all must-haves; null: unknown", example=12400)
    )
    attributes: tuple[ValuesLeft, ...]
    quantities: tuple[RangeLeft, ...]


@dataclass(frozen=True)
class CatalogueCard(Document):
    """A catalogue in short."""

    name: str = field(metadata=_about(example="pc"))
    title: str = field(metadata=_about(example="Find your PC"))
    description: str
    attributes: int = field(metadata=_about(example=6))
    quantities: int = field(metadata=_about(example=1))
    configurations: float | int | None = field(
        metadata=_about("how many can be built, rounded where there are very many; null: unknown", example=64476)
    )
    theme: Theme | None = None


@dataclass(frozen=True)
class Catalogues(Document):
    """The catalogues that interviews can be about."""

    catalogues: tuple[CatalogueCard, ...]


@dataclass(frozen=True)
class Attribute(Document):
    """Something chosen from a list of values."""

    name: str = field(metadata=_about(example="memory"))
    title: str | None = field(metadata=_about("what people call it; null: its name", example="Memory"))
    unit: str | None = field(metadata=_about(example="GB"))
    values: tuple[Value, ...] = field(metadata=_about(example=[8, 16, 32]))
    numeric: bool
    better: Literal["higher", "lower", "peak"] | None = field(
        default=None,
        metadata=_about("which values people like; peak: everybody has one best place; null: nothing is known"),
    )
    ordered: bool = field(
        default=False, metadata=_about("whether words are listed from least to most; numbers have their own order")
    )
    help: str | None = field(default=None, metadata=_HELP)
    image: str | None = field(default=None, metadata=_IMAGE)
    currency: str | None = field(default=None, metadata=_CURRENCY)
    decimals: int | None = field(default=None, metadata=_DECIMALS)
    labels: tuple[ValueLabel, ...] = field(
        default=(), metadata=_about("what people see of each value, in the same order; empty: the values themselves")
    )


@dataclass(frozen=True)
class Quantity(Document):
    """Something that follows from the choices."""

    name: str = field(metadata=_about(example="price"))
    title: str | None = field(metadata=_about("what people call it; null: its name", example="Price"))
    unit: str | None = field(metadata=_about(example="€"))
    better: Literal["lower", "higher"]
    least: float = field(metadata=_about(example=299.0))
    most: float = field(metadata=_about(example=2499.0))
    help: str | None = field(default=None, metadata=_HELP)
    image: str | None = field(default=None, metadata=_IMAGE)
    currency: str | None = field(default=None, metadata=_CURRENCY)
    decimals: int | None = field(default=None, metadata=_DECIMALS)


@dataclass(frozen=True)
class Catalogue(Document):
    """What can be built."""

    name: str = field(metadata=_about(example="pc"))
    title: str = field(metadata=_about(example="Find your PC"))
    description: str
    digest: str = field(metadata=_about("changes when anything in the catalogue does"))
    configurations: float | int | None
    attributes: tuple[Attribute, ...]
    quantities: tuple[Quantity, ...]
    rules: tuple[str, ...] = field(metadata=_about(example=["type = tower => memory >= 16"]))
    language: str | None = field(
        default=None, metadata=_about("the language of the texts; null: the catalogue does not say", example="en")
    )
    languages: tuple[str, ...] = field(default=(), metadata=_about("all it has texts in", example=["en", "de"]))
    theme: Theme | None = None
    action: Action | None = None
    groups: tuple[Group, ...] = ()
    opening: tuple[OpeningQuestion, ...] = field(
        default=(), metadata=_about("what to ask before the first comparison; the answers are part of starting")
    )


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

    before_first: int = field(metadata=_about("before the first answer"))
    answering: int
    at_result: int = field(metadata=_about("they looked at the result"))


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
    rule: str = field(metadata=_about(example="price <= 900"))


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
    answered: int = field(metadata=_about("interviews with at least one answer"))
    finished: int = field(metadata=_about("something was taken, or nothing was left to ask"))
    questions: Needed
    left: tuple[CountOfAnswers, ...] = field(metadata=_about("after how many answers people left without finishing"))
    importance: tuple[Named, ...] = field(metadata=_about("on average over people, largest first"))
    five: int = field(default=0, metadata=_about("interviews with five answers, or with all that was asked"))
    result_seen: int = field(default=0, metadata=_about("interviews whose result somebody looked at"))
    taken: int = field(default=0, metadata=_about("interviews in which a configuration was taken"))
    stopped: Stopped | None = None
    configurations: tuple[TakenOption, ...] = field(default=(), metadata=_about("those that most people took"))
    values: tuple[TakenValues, ...] = field(default=(), metadata=_about("of all that was taken"))
    must_haves: tuple[CountOfRule, ...] = field(
        default=(), metadata=_about("the most frequent ones, but for limits on quantities, which are `budgets`")
    )
    budgets: tuple[Budget, ...] = ()
    refused: tuple[RefusedRule, ...] = field(
        default=(), metadata=_about("must-haves that nothing satisfied, the most frequent first")
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
    digest: str = field(metadata=_about("the version that is offered, or was last"))
    status: Literal["offered", "withdrawn", "not served"] = field(
        metadata=_about("`not served`: no file of it was named when this server was started, and the owner put none")
    )
    uploaded: bool = field(metadata=_about("whether this version was put through the API"))
    withdrawn: str | None = field(metadata=_about("since when it is", example="2026-11-16T12:00:00+00:00"))


@dataclass(frozen=True)
class OwnersCatalogues(Document):
    """Every catalogue that was ever offered."""

    catalogues: tuple[OwnersCatalogue, ...]


@dataclass(frozen=True)
class Shared(Document):
    """A result under a link of its own: the page shows it at /r/ and the token."""

    token: str = field(metadata=_about("whoever has it may read the result", example="b7Q0z3sT7kLxw2mW0a1c8eJ5"))


@dataclass(frozen=True)
class SharedResult(Document):
    """A result as it was when it was shared; it says nothing of single answers but what its reasons quote."""

    created: str = field(metadata=_about("when it was shared", example="2026-11-16T12:00:00+00:00"))
    catalogue: Catalogue
    must_haves: tuple[str, ...]
    finished: Option | None = field(metadata=_about("what the person took"))
    result: Result


@dataclass(frozen=True)
class PriorVersion(Document):
    """One version of what is known of earlier people."""

    version: int
    source: Literal["learnt", "given"] = field(metadata=_about("from interviews of this store, or from a file"))
    people: int | None = field(metadata=_about("how many people it was learnt from"))
    created: str = field(metadata=_about("when", example="2026-11-16T12:00:00+00:00"))
    digest: str = field(metadata=_about("the catalogue that it was made for"))


@dataclass(frozen=True)
class PriorOfCatalogue(Document):
    """What interviews on one catalogue begin with."""

    catalogue: str
    title: str
    used: PriorVersion | None = field(metadata=_about("what interviews that begin now expect; null: the usual people"))
    summary: tuple[str, ...] = field(metadata=_about("the prior in words"))
    notes: tuple[str, ...] = field(metadata=_about("what of it does not fit the catalogue as it is now"))
    finished: int = field(metadata=_about("interviews with an answer that are finished"))
    learnt_at: int | None = field(metadata=_about("at so many finished interviews it is learnt anew"))
    versions: tuple[PriorVersion, ...] = field(metadata=_about("all there are, the newest first"))


@dataclass(frozen=True)
class Priors(Document):
    """What is known of earlier people, by catalogue: figures about all of them, and nothing about anybody."""

    learning: bool = field(metadata=_about("whether this server learns from finished interviews"))
    least: int | None = field(metadata=_about("from how many people on; null: not at all"))
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

    address: str = field(metadata=_about("without its query", example="https://shop.example/setmargin"))
    is_served: bool = field(metadata=_about("whether this server sends to it; others may"))
    waiting: int
    sent: int
    given_up: int
    oldest: str | None = field(
        metadata=_about("when the oldest one was written that waits", example="2026-11-16T12:00:00+00:00")
    )


@dataclass(frozen=True)
class FailedWebhook(Document):
    """A message that was sent and not taken."""

    id: str = field(metadata=_about("as in the header webhook-id", example=QUESTION))
    address: str
    fate: Literal["waiting", "given up"] = field(metadata=_about("whether it is sent again"))
    attempts: int
    problem: str = field(metadata=_about("what went wrong last", example="the reply has status 500"))
    created: str


@dataclass(frozen=True)
class WebhookDeliveries(Document):
    """What receivers of webhooks were told, and what they did not take."""

    receivers: tuple[WebhookReceiver, ...]
    failed: tuple[FailedWebhook, ...] = field(metadata=_about("the newest, at most 100"))


@dataclass(frozen=True)
class SentAgain(Document):
    """What is sent again although it was given up."""

    messages: int = field(metadata=_about("how many", example=3))


@dataclass(frozen=True)
class Alive(Document):
    """The process answers."""

    status: Literal["ok"] = "ok"


@dataclass(frozen=True)
class Forgotten(Document):
    """What was deleted."""

    interviews: int = field(metadata=_about("how many interviews", example=3))


@dataclass(frozen=True)
class Problem(Document):
    """A problem document: what went wrong, and what to do about it. Some kinds carry more."""

    __pydantic_config__ = {"extra": "allow"}  # noqa: RUF012

    type: str = field(metadata=_about("which kind, by its last segment", example=f"{PROBLEM_TYPES}conflict"))
    title: str = field(metadata=_about("the kind in words", example="Somebody else was quicker"))
    status: int = field(metadata=_about("the HTTP status again", example=409))
    detail: str = field(metadata=_about("what was wrong this time", example="the interview is at version 8, not 7"))
    cure: str = field(metadata=_about("what to do about it", example="load the interview again"))
    current: int | None = field(default=None, metadata=_about("conflict: the version that the interview has"))
    conflict: list[str] | None = field(
        default=None, metadata=_about("impossible: a smallest set of rules that exclude each other")
    )
    errors: list[dict[str, Any]] | None = field(
        default=None, metadata=_about("validation: each mistake, with its place")
    )


# Sending, and reading what a server sent


def plain(document: Any) -> dict[str, Any]:
    """The document as plain data, without the parts that say nothing."""
    held = ((each, getattr(document, each.name)) for each in fields(document))
    return {each.name: plain(part) if is_dataclass(part) else part for each, part in held if part != _default(each)}


def _default(part: Field[Any]) -> object:
    return part.default if part.default_factory is MISSING else part.default_factory()


def read(kind: type[D], document: Any) -> D:
    """The document behind plain JSON; what a newer server adds is passed over, what an older one lacks is usual."""
    return cast(D, _read(kind, document))


def _read(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if is_dataclass(hint):
        parts = (part for part in _parts(cast(type, hint)) if part.key in value or part.needed)
        return cast(type, hint)(**{part.name: _read(part.hint, value[part.key]) for part in parts})
    if get_origin(hint) in (tuple, list):
        return get_origin(hint)(_read(get_args(hint)[0], each) for each in value)
    if get_origin(hint) in (Union, UnionType):
        kinds = (kind for kind in get_args(hint) if is_dataclass(kind))
        fitting = (kind for kind in kinds if all(part.key in value for part in _parts(cast(type, kind)) if part.needed))
        return _read(next(fitting, None), value)
    return value


class _Part(NamedTuple):
    """A field: its name, its key in JSON, what it holds, and whether it has to be there."""

    name: str
    key: str
    hint: Any
    needed: bool


@cache
def _parts(kind: type) -> list[_Part]:
    hints = get_type_hints(kind)
    return [
        _Part(each.name, each.metadata.get("alias", each.name), hints[each.name], _default(each) is MISSING)
        for each in fields(kind)
    ]
