"""What people see of a catalogue beside its names and numbers; nothing here changes what can be built.

Texts stand by language: the first language of a catalogue is its default, and says what another one does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Final
from urllib.parse import quote

from setmargin.errors import OptionError
from setmargin.languages import choose_language
from setmargin.space.images import Image
from setmargin.space.text import Value, suggest

Words = Mapping[str, str]
"""A text by language; under "" where the catalogue does not say which language it is in. Empty: nothing is said."""
PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Appearance:
    """What people see of an attribute, a quantity or a value.

    `title` and `unit` are those in several languages; what stands in one language alone is the attribute's own. A
    `currency` goes before the unit. `values` are those of an attribute, by their labels.
    """

    title: Words = field(default_factory=dict)
    help: Words = field(default_factory=dict)
    image: Image | None = None
    unit: Words = field(default_factory=dict)
    currency: str = ""
    decimals: int | None = None
    values: Mapping[str, Appearance] = field(default_factory=dict)


@dataclass(frozen=True)
class Theme:
    """Whose page it is. Colours are written as `#1d6b5a`; without a dark one, it follows from the light one."""

    name: Words = field(default_factory=dict)
    logo: Image | None = None
    light: str = ""
    dark: str = ""


@dataclass(frozen=True)
class Action:
    """A button beside the result, and the link that it leads to, with names of attributes and quantities in braces."""

    text: Words
    link: str

    def link_for(self, parts: Mapping[str, Value]) -> str:
        """The link for a configuration and its amounts by name; every value is escaped.

        >>> Action({"": "Buy"}, "https://shop.example/?frame={frame}").link_for({"frame": "steel & co"})
        'https://shop.example/?frame=steel%20%26%20co'
        """
        return PLACEHOLDER.sub(lambda found: quote(_plainly(parts[found[1]]), safe=""), self.link)


@dataclass(frozen=True)
class AttributeGroup:
    """Attributes and quantities that are shown together."""

    title: Words
    members: tuple[str, ...]


@dataclass(frozen=True)
class OpeningAnswer:
    """An answer to an opening question: must-haves that follow from it, and how likely things matter then."""

    title: Words
    help: Words = field(default_factory=dict)
    image: Image | None = None
    require: tuple[str, ...] = ()
    matters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class OpeningQuestion:
    """A question before the first comparison, with its answers by name."""

    title: Words
    answers: Mapping[str, OpeningAnswer]
    help: Words = field(default_factory=dict)


@dataclass(frozen=True)
class OpeningWishes:
    """What the answers to opening questions come to."""

    must_haves: tuple[str, ...] = ()
    hints: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Presentation:
    """All of it. `appearances` are by the names of attributes and quantities, `opening` by the names of questions."""

    languages: tuple[str, ...] = ()
    title: Words = field(default_factory=dict)
    description: Words = field(default_factory=dict)
    theme: Theme | None = None
    action: Action | None = None
    groups: tuple[AttributeGroup, ...] = ()
    opening: Mapping[str, OpeningQuestion] = field(default_factory=dict)
    appearances: Mapping[str, Appearance] = field(default_factory=dict)

    @property
    def default(self) -> str:
        """The language that says what others do not."""
        return self.languages[0] if self.languages else ""

    def language_for(self, wanted: Sequence[str]) -> str:
        """The first of the languages that are wanted in which there are texts, else the default one."""
        return choose_language(wanted, self.languages) if self.languages else ""

    def said(self, words: Words, language: str | None = None, otherwise: str = "") -> str:
        """The text in this language, or else in the default one."""
        return words.get(self.default if language is None else language) or words.get(self.default) or otherwise

    def of(self, name: str) -> Appearance:
        """What people see of an attribute or a quantity."""
        return self.appearances.get(name, NOTHING)

    def of_value(self, name: str, value: Value) -> Appearance:
        """What people see of a value."""
        return self.of(name).values.get(str(value), NOTHING)

    def wishes(self, answers: Mapping[str, str]) -> OpeningWishes:
        """What these answers, by question, come to: must-haves in order, and hints, of which the strongest count.

        Raises:
            OptionError: for a question or an answer that there is not.
        """
        rules: list[str] = []
        hints: dict[str, float] = {}
        for name, answer in answers.items():
            if name not in self.opening:
                hint = suggest(name, list(self.opening), what="the questions are")
                raise OptionError(f"there is no opening question {name[:64]!r}; {hint}")
            known = self.opening[name].answers
            if answer not in known:
                hint = suggest(answer, list(known), what="the answers are")
                raise OptionError(f"the opening question {name} has no answer {answer[:64]!r}; {hint}")
            rules += [rule for rule in known[answer].require if rule not in rules]
            for thing, chance in known[answer].matters.items():
                hints[thing] = max(chance, hints.get(thing, 0.0))
        return OpeningWishes(tuple(rules), hints)

    @cached_property
    def images(self) -> Mapping[str, Image]:
        """All pictures by their digests."""
        return {image.digest: image for image in self._all_images() if image is not None}

    def _all_images(self) -> Iterator[Image | None]:
        if self.theme:
            yield self.theme.logo
        for appearance in self.appearances.values():
            yield appearance.image
            yield from (value.image for value in appearance.values.values())
        for question in self.opening.values():
            yield from (answer.image for answer in question.answers.values())

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Presentation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __bool__(self) -> bool:
        """Whether anything is said at all."""
        return self != EMPTY

    @cached_property
    def _text(self) -> str:
        return json.dumps(asdict(self), default=lambda content: content.hex())


def _plainly(value: Value) -> str:
    """A number without what comes of rounding: 1480, not 1480.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


NOTHING: Final = Appearance()
EMPTY: Final = Presentation()
