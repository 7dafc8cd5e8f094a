"""What comes back about a catalogue: what it holds, how it is presented, and what must-haves leave of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from setmargin.documents.base import MOST_MUST_HAVES, Document, Rule, Value, about, with_examples

IMAGE = (
    "/api/v1/images/412c038e1b5a3ff1361cd5aab9c2c096e608802d85ace97268ac2e622064d141/5f0c3a9be1d24c7788aa10e2c94d6b03"
)
_IMAGE = about("the address of a picture, which never changes; null: there is none", example=IMAGE)
_CURRENCY = about("by its three letters, where the unit is one; null: it is none", example="EUR")
_DECIMALS = about("how many are shown; null: as many as there are", example=0)
_HELP = about("one line for people who do not know it; null: there is none")


@dataclass(frozen=True)
class Theme(Document):
    """Whose page it is. Colours are by the names of the page's CSS variables; without an accent there are none."""

    name: str | None = field(metadata=about("of the shop; null: nothing is said", example="Two Wheels"))
    logo: str | None = field(metadata=_IMAGE)
    light: dict[str, str] = field(metadata=about(example={"accent": "#1d6b5a", "on-accent": "#ffffff"}))
    dark: dict[str, str] = field(metadata=about(example={"accent": "#7fd0b7", "on-accent": "#101414"}))


@dataclass(frozen=True)
class Action(Document):
    """A button beside the result."""

    text: str = field(metadata=about(example="Put into the basket"))
    link: str = field(
        metadata=about(
            "names of attributes and quantities stand in braces, for escaped values",
            example="https://shop.example/basket?frame={frame}&price={price}",
        )
    )


@dataclass(frozen=True)
class Group(Document):
    """Attributes and quantities that are shown together."""

    title: str = field(metadata=about(example="Frame"))
    members: tuple[str, ...] = field(metadata=about(example=["frame", "frame shape"]))


@dataclass(frozen=True)
class OpeningAnswer(Document):
    """An answer to an opening question, and what follows from it: must-haves, and how likely things matter."""

    id: str = field(metadata=about(example="city"))
    title: str = field(metadata=about(example="Mostly in town"))
    help: str | None = field(metadata=_HELP)
    image: str | None = field(metadata=_IMAGE)
    require: tuple[str, ...] = field(metadata=about(example=["style in {city, folding}"]))
    matters: dict[str, float] = field(metadata=about(example={"weight": 0.95}))


@dataclass(frozen=True)
class OpeningQuestion(Document):
    """A question before the first comparison, which may be skipped."""

    id: str = field(metadata=about(example="use"))
    title: str = field(metadata=about(example="What is it for?"))
    help: str | None = field(metadata=_HELP)
    answers: tuple[OpeningAnswer, ...]


@dataclass(frozen=True)
class ValueLabel(Document):
    """What people see of a value."""

    title: str | None = field(metadata=about("what people call it; null: the value itself", example="no motor"))
    help: str | None = field(metadata=_HELP)
    image: str | None = field(metadata=_IMAGE)


@dataclass(frozen=True)
class MustHaves(Document):
    """Rules that everything has to obey, in addition to those of the catalogue."""

    __pydantic_config__ = with_examples({"must_haves": ["price <= 900", "type = laptop"]})

    must_haves: list[Rule] = field(
        default_factory=list, metadata={"max_length": MOST_MUST_HAVES, "json_schema_extra": {"default": []}}
    )


@dataclass(frozen=True)
class ValuesLeft(Document):
    """The values of an attribute that can be had under the must-haves about everything else."""

    name: str = field(metadata=about(example="memory"))
    values: tuple[Value, ...] = field(metadata=about(example=[8, 16]))


@dataclass(frozen=True)
class RangeLeft(Document):
    """What a quantity can be under the must-haves about everything else; null where nothing can be built then."""

    name: str = field(metadata=about(example="price"))
    least: float | None = field(metadata=about(example=299.0))
    most: float | None = field(metadata=about(example=2499.0))


@dataclass(frozen=True)
class Possible(Document):
    """What is left of a catalogue under must-haves; of what is not listed nothing is known."""

    digest: str = field(metadata=about("the version of the catalogue"))
    configurations: float | int | None = field(
        metadata=about("how many obey all must-haves; null: unknown", example=12400)
    )
    attributes: tuple[ValuesLeft, ...]
    quantities: tuple[RangeLeft, ...]


@dataclass(frozen=True)
class CatalogueCard(Document):
    """A catalogue in short."""

    name: str = field(metadata=about(example="pc"))
    title: str = field(metadata=about(example="Find your PC"))
    description: str
    attributes: int = field(metadata=about(example=6))
    quantities: int = field(metadata=about(example=1))
    configurations: float | int | None = field(
        metadata=about("how many can be built, rounded where there are very many; null: unknown", example=64476)
    )
    theme: Theme | None = None


@dataclass(frozen=True)
class Catalogues(Document):
    """The catalogues that interviews can be about."""

    catalogues: tuple[CatalogueCard, ...]


@dataclass(frozen=True)
class Attribute(Document):
    """Something chosen from a list of values."""

    name: str = field(metadata=about(example="memory"))
    title: str | None = field(metadata=about("what people call it; null: its name", example="Memory"))
    unit: str | None = field(metadata=about(example="GB"))
    values: tuple[Value, ...] = field(metadata=about(example=[8, 16, 32]))
    numeric: bool
    better: Literal["higher", "lower", "peak"] | None = field(
        default=None,
        metadata=about("which values people like; peak: everybody has one best place; null: nothing is known"),
    )
    ordered: bool = field(
        default=False, metadata=about("whether words are listed from least to most; numbers have their own order")
    )
    help: str | None = field(default=None, metadata=_HELP)
    image: str | None = field(default=None, metadata=_IMAGE)
    currency: str | None = field(default=None, metadata=_CURRENCY)
    decimals: int | None = field(default=None, metadata=_DECIMALS)
    labels: tuple[ValueLabel, ...] = field(
        default=(), metadata=about("what people see of each value, in the same order; empty: the values themselves")
    )


@dataclass(frozen=True)
class Quantity(Document):
    """Something that follows from the choices."""

    name: str = field(metadata=about(example="price"))
    title: str | None = field(metadata=about("what people call it; null: its name", example="Price"))
    unit: str | None = field(metadata=about(example="€"))
    better: Literal["lower", "higher"]
    least: float = field(metadata=about(example=299.0))
    most: float = field(metadata=about(example=2499.0))
    help: str | None = field(default=None, metadata=_HELP)
    image: str | None = field(default=None, metadata=_IMAGE)
    currency: str | None = field(default=None, metadata=_CURRENCY)
    decimals: int | None = field(default=None, metadata=_DECIMALS)


@dataclass(frozen=True)
class Catalogue(Document):
    """What can be built."""

    name: str = field(metadata=about(example="pc"))
    title: str = field(metadata=about(example="Find your PC"))
    description: str
    digest: str = field(metadata=about("changes when anything in the catalogue does"))
    configurations: float | int | None
    attributes: tuple[Attribute, ...]
    quantities: tuple[Quantity, ...]
    rules: tuple[str, ...] = field(metadata=about(example=["type = tower => memory >= 16"]))
    language: str | None = field(
        default=None, metadata=about("the language of the texts; null: the catalogue does not say", example="en")
    )
    languages: tuple[str, ...] = field(default=(), metadata=about("all it has texts in", example=["en", "de"]))
    theme: Theme | None = None
    action: Action | None = None
    groups: tuple[Group, ...] = ()
    opening: tuple[OpeningQuestion, ...] = field(
        default=(), metadata=about("what to ask before the first comparison; the answers are part of starting")
    )
