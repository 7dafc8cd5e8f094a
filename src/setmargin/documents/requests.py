"""What is sent: answers, changes, must-haves, and what an interview starts with."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import not_
from typing import Any, Literal

from setmargin.documents.base import (
    LAPTOP,
    LARGEST_SET,
    LARGEST_WHOLE,
    MOST_MUST_HAVES,
    MOST_OPENING,
    MOST_REASONS,
    QUESTION,
    USUAL_STRATEGY,
    Document,
    Name,
    Place,
    Rule,
    SentValue,
    Strategy,
    Yes,
    about,
    with_examples,
)

_SAID: dict[str, Any] = {"exclude_if": lambda part: part is None}
"""Of answers only what was said is written, as old ones are."""


def _reasons(description: str) -> dict[str, Any]:
    """The metadata of the things that decided; none need be named."""
    limits = {"max_length": MOST_REASONS, "json_schema_extra": {"default": []}, "exclude_if": not_}
    return about(description, example=["price"], **limits)


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

    __pydantic_config__ = with_examples({"name": "memory", "value": 32}, {"name": "price"}, {})

    name: Name | None = field(default=None, metadata=about("an attribute or a quantity", example="memory", **_SAID))
    value: SentValue | None = field(default=None, metadata=about("of an attribute", example=32, **_SAID))
    option: Place = field(
        default=0, metadata=about("which option it is about; that is also the best one", exclude_if=not_)
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

    __pydantic_config__ = with_examples(
        {"catalogue": "pc"},
        {"catalogue": "pc", "must_haves": ["price <= 900"]},
        {"catalogue": "pc", "policy": "conversation", "set_size": 4},
    )

    catalogue: str = field(metadata=about("the name of a catalogue", min_length=1, max_length=64))
    strategy: Strategy = field(
        default=USUAL_STRATEGY,
        metadata=about("what chooses the questions; the server says which ones everybody may choose"),
    )
    set_size: int | None = field(
        default=None,
        metadata=about(
            "how many configurations a question shows, in a conversation at most; null: as the strategy does",
            strict=True,
            ge=2,
            le=LARGEST_SET,
        ),
    )
    policy: Literal["conversation", "comparisons"] | None = field(
        default=None,
        metadata=about(
            "bayes: comparisons of so many options each, or a conversation, which also asks what to change; "
            "null: as the strategy does"
        ),
    )
    differences: int | None = field(
        default=None,
        metadata=about(
            "bayes: in how many attributes and quantities the options of a question differ at most",
            strict=True,
            ge=1,
            le=2000,
        ),
    )
    until: float | None = field(
        default=None,
        metadata=about("bayes: the expected loss at which no more is asked; null: 0.03", strict=True, ge=0, lt=1),
    )
    seed: int | None = field(
        default=None, metadata=about("same seed, same questions; null: 0", strict=True, ge=0, le=LARGEST_WHOLE)
    )
    must_haves: list[Rule] = field(
        default_factory=list, metadata={"max_length": MOST_MUST_HAVES, "json_schema_extra": {"default": []}}
    )
    opening: dict[str, str] = field(
        default_factory=dict,
        metadata=about(
            "answers to the catalogue's opening questions, by id; those left out are skipped",
            example={"use": "city"},
            max_length=MOST_OPENING,
            json_schema_extra={"default": {}},
        ),
    )


@dataclass(frozen=True)
class At(Document):
    """Which version of the interview the client has seen: whoever comes second learns that there is a newer one."""

    __pydantic_config__ = with_examples({"version": 7})

    version: int = field(metadata=about("the version that the client has seen", strict=True, ge=0, le=LARGEST_WHOLE))


@dataclass(frozen=True)
class GiveAnswer(At):
    """An answer to the current question, or another one to an earlier question."""

    __pydantic_config__ = with_examples(
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
        metadata=about(
            "the id of the question that the person was shown; null: whichever was asked at this version",
            min_length=1,
            max_length=64,
        ),
    )


@dataclass(frozen=True)
class Adjust(At):
    """A change of the recommendation that nobody asked for: a value, a quantity to be better, or nothing to change."""

    __pydantic_config__ = with_examples(
        {"version": 7, "name": "memory", "value": 32}, {"version": 7, "name": "price"}, {"version": 7}
    )

    name: Name | None = field(
        default=None, metadata=about("an attribute or a quantity; null: nothing", example="memory")
    )
    value: SentValue | None = field(default=None, metadata=about("of an attribute; null: a quantity", example=32))
    keep: bool = field(
        default=False,
        metadata=about(
            "whether the configuration with the change, as its preview shows it, is the recommendation from then on",
            strict=True,
        ),
    )


@dataclass(frozen=True)
class AddMustHave(At):
    """One more rule that everything shown has to obey."""

    __pydantic_config__ = with_examples({"version": 7, "rule": "price <= 900"})

    rule: Rule = field(metadata={"description": "a rule", "examples": ["price <= 900", "type = laptop"]})


@dataclass(frozen=True)
class Finish(At):
    """The person takes this one; the recommendation unless another one is named."""

    __pydantic_config__ = with_examples({"version": 7}, {"version": 7, "configuration": LAPTOP["values"]})

    configuration: dict[str, SentValue] | None = field(default=None, metadata={"max_length": 2000})
