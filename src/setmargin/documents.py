"""What the API, the page and the client exchange, declared once, in the standard library alone.

Every document is a frozen dataclass whose fields are the keys of a JSON object, in order. The server checks requests
against these declarations, writes replies by them and describes them in its OpenAPI document; `read` makes values of
what a server sent. What a field may hold and means to people is in its metadata, in the words of pydantic's `Field`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

LARGEST_SET = 6
LARGEST_WHOLE = 2**53 - 1
"""Whole numbers up to here are the same in every language that reads JSON."""
LONGEST_RULE = 500
MOST_MUST_HAVES = 50
PROBLEM_TYPES = "https://setmargin.invalid/problems/"

D = TypeVar("D")
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
SentValue = Annotated[Value, Checked(strict=True)]
Yes = Annotated[Literal[True], OnlyTrue()]
Place = Annotated[int, Checked(strict=True, ge=0, lt=LARGEST_SET)]
Rule = Annotated[str, Checked(min_length=1, max_length=LONGEST_RULE)]


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


@dataclass(frozen=True)
class Chosen(Document):
    """This option is the best of them, counted from 0."""

    choice: Place


@dataclass(frozen=True)
class Ranked(Document):
    """All options, best first."""

    ranking: list[Place] = field(metadata={"min_length": 2, "max_length": LARGEST_SET})


@dataclass(frozen=True)
class Equal(Document):
    """All options are equally good."""

    equal: Yes


@dataclass(frozen=True)
class Skipped(Document):
    """No answer."""

    skip: Yes


Answer = Chosen | Ranked | Equal | Skipped


@dataclass(frozen=True)
class Start(Document):
    """A new interview."""

    __pydantic_config__ = _with_examples({"catalogue": "pc"}, {"catalogue": "pc", "must_haves": ["price <= 900"]})

    catalogue: str = field(metadata=_about("the name of a catalogue", min_length=1, max_length=64))
    strategy: Literal["bayes", "setmargin", "random"] = field(
        default="bayes", metadata=_about("what chooses the questions")
    )
    set_size: int = field(
        default=2, metadata=_about("how many configurations a question shows", strict=True, ge=2, le=LARGEST_SET)
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


@dataclass(frozen=True)
class At(Document):
    """Which version of the interview the client has seen: whoever comes second learns that there is a newer one."""

    __pydantic_config__ = _with_examples({"version": 7})

    version: int = field(metadata=_about("the version that the client has seen", strict=True, ge=0, le=LARGEST_WHOLE))


@dataclass(frozen=True)
class GiveAnswer(At):
    """An answer to the current question, or another one to an earlier question."""

    __pydantic_config__ = _with_examples(
        {"version": 7, "answer": {"choice": 0}}, {"version": 7, "answer": {"equal": True}}
    )

    answer: Answer


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
class Option(Document):
    """A configuration, and each of its quantities in its own unit."""

    __pydantic_config__ = _with_examples(LAPTOP)

    values: dict[str, Value]
    amounts: dict[str, float]


@dataclass(frozen=True)
class Question(Document):
    """Options to compare."""

    number: int = field(metadata=_about("counted from 1", example=6))
    options: tuple[Option, ...] = field(metadata=_about(example=[LAPTOP, TOWER]))
    differing: tuple[str, ...] = field(
        metadata=_about("attributes and quantities in which they differ", example=["type", "price"])
    )
    alike: tuple[str, ...] = field(metadata=_about("the others", example=["memory"]))


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
    undo_of: Literal["answer", "must-have", "finish"] | None


@dataclass(frozen=True)
class AnswerGiven(Document):
    """A question that was answered."""

    number: int = field(metadata=_about("counted from 1", example=1))
    options: tuple[Option, ...]
    answer: Answer
    surprising: bool = field(metadata=_about("goes against what all other answers say"))


@dataclass(frozen=True)
class AnswersGiven(Document):
    """All answers in force, in order."""

    version: int
    answers: tuple[AnswerGiven, ...]


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
class Alternative(Document):
    """Another good configuration, and what it gains and loses against the best."""

    option: Option
    loss: float = field(metadata=_about("how much worse it probably is, as a share of the best", example=0.04))
    differing: tuple[str, ...]
    gains: tuple[Named, ...]
    losses: tuple[Named, ...]


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


@dataclass(frozen=True)
class Exported(Document):
    """A whole interview as one document, which `Interview.load` of the Python library reads."""

    setmargin: int = field(metadata=_about("the version of the format", example=1))
    catalogue: dict[str, Any]
    strategy: dict[str, Any]
    seed: int
    events: list[dict[str, Any]]


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


@dataclass(frozen=True)
class Quantity(Document):
    """Something that follows from the choices."""

    name: str = field(metadata=_about(example="price"))
    title: str | None = field(metadata=_about("what people call it; null: its name", example="Price"))
    unit: str | None = field(metadata=_about(example="€"))
    better: Literal["lower", "higher"]
    least: float = field(metadata=_about(example=299.0))
    most: float = field(metadata=_about(example=2499.0))


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
class CatalogueSummary(Document):
    """What people did with one catalogue."""

    name: str
    title: str
    interviews: int
    answered: int = field(metadata=_about("interviews with at least one answer"))
    finished: int
    questions: Needed
    left: tuple[CountOfAnswers, ...] = field(metadata=_about("after how many answers people left without finishing"))
    importance: tuple[Named, ...] = field(metadata=_about("on average over people, largest first"))


@dataclass(frozen=True)
class Summary(Document):
    """What people did; no interview can be told from it."""

    since: str | None
    catalogues: tuple[CatalogueSummary, ...]


@dataclass(frozen=True)
class Alive(Document):
    """The process answers."""

    status: Literal["ok"] = "ok"


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


# Reading what a server sent


def read(kind: type[D], document: Any) -> D:
    """The document behind plain JSON; what a newer server adds is passed over."""
    return cast(D, _read(kind, document))


def _read(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if is_dataclass(hint):
        parts = _parts(cast(type, hint))
        return cast(type, hint)(**{name: _read(part, value[key]) for name, key, part in parts})
    if get_origin(hint) in (tuple, list):
        return get_origin(hint)(_read(get_args(hint)[0], each) for each in value)
    if get_origin(hint) in (Union, UnionType):
        kinds = (kind for kind in get_args(hint) if is_dataclass(kind))
        fitting = (kind for kind in kinds if all(key in value for _, key, _ in _parts(cast(type, kind))))
        return _read(next(fitting, None), value)
    return value


@cache
def _parts(kind: type) -> list[tuple[str, str, Any]]:
    """Of each field its name, its key in JSON, and what it holds."""
    hints = get_type_hints(kind)
    return [(each.name, each.metadata.get("alias", each.name), hints[each.name]) for each in fields(kind)]
