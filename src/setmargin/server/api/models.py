"""The documents of the API: what may be sent, strictly, and what comes back, exactly."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Value = str | int | float
LARGEST_SET = 6
LARGEST_WHOLE = 2**53 - 1
"""Whole numbers up to here are the same in every language that reads JSON."""
LONGEST_RULE = 500
MOST_MUST_HAVES = 50

LAPTOP: dict[str, Any] = {"values": {"type": "laptop", "memory": 16}, "amounts": {"price": 899.0}}
TOWER: dict[str, Any] = {"values": {"type": "tower", "memory": 16}, "amounts": {"price": 749.0}}


class Sent(BaseModel):
    """What clients send: nothing that is not known, no number that is not one."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Given(BaseModel):
    """What clients get."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


Version = Annotated[int, Field(ge=0, le=LARGEST_WHOLE, description="the version that the client has seen")]
Rule = Annotated[
    str, Field(min_length=1, max_length=LONGEST_RULE, description="a rule", examples=["price <= 900", "type = laptop"])
]
Place = Annotated[int, Field(ge=0, lt=LARGEST_SET)]


def _really(value: object) -> object:
    """To Python 1 is True as well."""
    if value is not True:
        raise ValueError("write true")
    return value


Yes = Annotated[Literal[True], BeforeValidator(_really)]


# What is sent


class Chosen(Sent):
    """This option is the best of them, counted from 0."""

    choice: Place


class Ranked(Sent):
    """All options, best first."""

    ranking: list[Place] = Field(min_length=2, max_length=LARGEST_SET)


class Equal(Sent):
    """All options are equally good."""

    equal: Yes


class Skipped(Sent):
    """No answer."""

    skip: Yes


Answer = Chosen | Ranked | Equal | Skipped


class Start(Sent):
    """A new interview."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"catalogue": "pc"}, {"catalogue": "pc", "must_haves": ["price <= 900"]}]}
    )

    catalogue: str = Field(min_length=1, max_length=64, description="the name of a catalogue")
    strategy: Literal["bayes", "setmargin", "random"] = Field("bayes", description="what chooses the questions")
    set_size: int = Field(2, ge=2, le=LARGEST_SET, description="how many configurations a question shows")
    differences: int | None = Field(
        None, ge=1, le=2000, description="bayes: in how many attributes the options of a question differ at most"
    )
    until: float | None = Field(
        None, ge=0, lt=1, description="bayes: the expected loss at which no more is asked; null: 0.03"
    )
    seed: int | None = Field(None, ge=0, le=LARGEST_WHOLE, description="same seed, same questions; null: 0")
    must_haves: list[Rule] = Field(default=[], max_length=MOST_MUST_HAVES)


class At(Sent):
    """Which version of the interview the client has seen: whoever comes second learns that there is a newer one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"version": 7}]})

    version: Version


class GiveAnswer(At):
    """An answer to the current question, or another one to an earlier question."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"version": 7, "answer": {"choice": 0}}, {"version": 7, "answer": {"equal": True}}]
        }
    )

    answer: Answer


class AddMustHave(At):
    """One more rule that everything shown has to obey."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"version": 7, "rule": "price <= 900"}]})

    rule: Rule


class Finish(At):
    """The person takes this one; the recommendation unless another one is named."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"version": 7}, {"version": 7, "configuration": LAPTOP["values"]}]}
    )

    configuration: dict[str, Value] | None = Field(None, max_length=2000)


# What comes back


class Option(Given):
    """A configuration, and each of its quantities in its own unit."""

    model_config = ConfigDict(json_schema_extra={"examples": [LAPTOP]})

    values: dict[str, Value]
    amounts: dict[str, float]


class Question(Given):
    """Options to compare."""

    number: int = Field(description="counted from 1", examples=[6])
    options: list[Option] = Field(examples=[[LAPTOP, TOWER]])
    differing: list[str] = Field(
        description="attributes and quantities in which they differ", examples=[["type", "price"]]
    )
    alike: list[str] = Field(description="the others", examples=[["memory"]])


class CurrentQuestion(Given):
    """The question, unless nothing more needs to be asked."""

    version: int
    question: Question | None
    done: bool


class Stakes(Given):
    """How good the recommendation probably is."""

    expected_loss: float = Field(description="relative to the best there is, on average", examples=[0.08])
    probability_within: float = Field(description="how likely it is within 5% of the best", examples=[0.6])
    questions_left: int = Field(description="about how many more it will take", examples=[4])


class StrategyOfInterview(Given):
    """What chooses the questions."""

    name: str = Field(examples=["bayes"])
    set_size: int = Field(examples=[2])
    differences: int | None


class CatalogueOfInterview(Given):
    """What it is about."""

    name: str = Field(examples=["pc"])
    title: str = Field(examples=["Find your PC"])


class State(Given):
    """An interview as it is now. Its id is the key to it: whoever has it may read and answer."""

    id: str = Field(examples=["mW0a1c8eJ5yQ0z3sT7kLxw2b"])
    version: int = Field(description="how many events there were; every change adds one", examples=[7])
    catalogue: CatalogueOfInterview
    strategy: StrategyOfInterview
    answered: int = Field(description="questions answered or skipped", examples=[5])
    must_haves: list[str] = Field(examples=[["price <= 900"]])
    question: Question | None
    best: Option = Field(description="the recommendation so far")
    stakes: Stakes | None = Field(description="null where the strategy does not know")
    done: bool = Field(description="nothing more needs to be asked")
    finished: Option | None = Field(description="what the person took")
    can_undo: bool
    undo_of: Literal["answer", "must-have", "finish"] | None


class AnswerGiven(Given):
    """A question that was answered."""

    number: int = Field(description="counted from 1", examples=[1])
    options: list[Option]
    answer: Answer
    surprising: bool = Field(description="goes against what all other answers say")


class AnswersGiven(Given):
    """All answers in force, in order."""

    version: int
    answers: list[AnswerGiven]


class Importance(Given):
    """How much one attribute or quantity matters: its share of all that is at stake, with a 90% interval."""

    name: str = Field(examples=["price"])
    share: float = Field(examples=[0.31])
    low: float | None = Field(examples=[0.2])
    high: float | None = Field(examples=[0.4])


class Named(Given):
    """A share of the best utility, by attribute or quantity."""

    name: str = Field(examples=["type"])
    share: float = Field(examples=[0.05])


class GaveUp(Given):
    """One thing was given up for another, so many times."""

    kind: Literal["gave-up"]
    gave_up: str = Field(examples=["screen"])
    for_: str = Field(alias="for", examples=["weight"])
    times: int = Field(examples=[3])


class DecisiveReason(Given):
    """An answer without which something else would be recommended."""

    kind: Literal["decisive"]
    answer: int = Field(description="its number, counted from 1", examples=[4])
    instead: Option


class WouldChange(Given):
    """What would be recommended without one answer."""

    answer: int = Field(description="its number, counted from 1", examples=[4])
    instead: Option


class Alternative(Given):
    """Another good configuration, and what it gains and loses against the best."""

    option: Option
    loss: float = Field(description="how much worse it probably is, as a share of the best", examples=[0.04])
    differing: list[str]
    gains: list[Named]
    losses: list[Named]


class Result(Given):
    """The recommendation and its reasons."""

    version: int
    best: Option
    stakes: Stakes | None
    importance: list[Importance] = Field(description="largest first")
    reasons: list[Annotated[GaveUp | DecisiveReason, Field(discriminator="kind")]]
    alternatives: list[Alternative]
    would_change: list[WouldChange]
    answers: list[AnswerGiven]


class Exported(Given):
    """A whole interview as one document, which `Interview.load` of the Python library reads."""

    setmargin: int = Field(description="the version of the format", examples=[1])
    catalogue: dict[str, Any]
    strategy: dict[str, Any]
    seed: int
    events: list[dict[str, Any]]


class CatalogueCard(Given):
    """A catalogue in short."""

    name: str = Field(examples=["pc"])
    title: str = Field(examples=["Find your PC"])
    description: str
    attributes: int = Field(examples=[6])
    quantities: int = Field(examples=[1])
    configurations: float | int | None = Field(
        description="how many can be built, rounded where there are very many; null: unknown", examples=[64476]
    )


class Catalogues(Given):
    """The catalogues that interviews can be about."""

    catalogues: list[CatalogueCard]


class Attribute(Given):
    """Something chosen from a list of values."""

    name: str = Field(examples=["memory"])
    title: str | None = Field(description="what people call it; null: its name", examples=["Memory"])
    unit: str | None = Field(examples=["GB"])
    values: list[Value] = Field(examples=[[8, 16, 32]])
    numeric: bool


class Quantity(Given):
    """Something that follows from the choices."""

    name: str = Field(examples=["price"])
    title: str | None = Field(description="what people call it; null: its name", examples=["Price"])
    unit: str | None = Field(examples=["€"])
    better: Literal["lower", "higher"]
    least: float = Field(examples=[299.0])
    most: float = Field(examples=[2499.0])


class Catalogue(Given):
    """What can be built."""

    name: str = Field(examples=["pc"])
    title: str = Field(examples=["Find your PC"])
    description: str
    digest: str = Field(description="changes when anything in the catalogue does")
    configurations: float | int | None
    attributes: list[Attribute]
    quantities: list[Quantity]
    rules: list[str] = Field(examples=[["type = tower => memory >= 16"]])


class Count(Given):
    """How many people did so."""

    count: int


class CountOfQuestions(Count):
    """How many people needed that many questions."""

    questions: int


class CountOfAnswers(Count):
    """How many people left after that many answers."""

    answers: int


class Needed(Given):
    """How many questions people who finished needed."""

    median: float | None
    p90: float | None
    histogram: list[CountOfQuestions]


class CatalogueSummary(Given):
    """What people did with one catalogue."""

    name: str
    title: str
    interviews: int
    answered: int = Field(description="interviews with at least one answer")
    finished: int
    questions: Needed
    left: list[CountOfAnswers] = Field(description="after how many answers people left without finishing")
    importance: list[Named] = Field(description="on average over people, largest first")


class Summary(Given):
    """What people did; no interview can be told from it."""

    since: str | None
    catalogues: list[CatalogueSummary]


class Alive(Given):
    """The process answers."""

    status: Literal["ok"] = "ok"
