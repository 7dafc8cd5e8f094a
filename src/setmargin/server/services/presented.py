"""A catalogue as people see it: in their language, with pictures by address, and the shop's colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from setmargin import documents
from setmargin.space.colours import legible, palette
from setmargin.space.images import Image
from setmargin.space.presentation import Appearance, OpeningAnswer, OpeningQuestion, Presentation, Theme, Words

IMAGES: Final = "/api/v1/images"


def presented(
    catalogue: documents.Catalogue, presentation: Presentation, languages: Sequence[str], base_path: str = ""
) -> documents.Catalogue:
    """The catalogue in the first of these languages that it has texts in, or else in its default one.

    Pictures are below the base path.
    """
    if not presentation:
        return catalogue
    speaker = _Speaker(presentation, presentation.language_for(languages), f"{base_path}{IMAGES}/{catalogue.digest}")
    action = presentation.action
    return replace(
        catalogue,
        title=speaker.said(presentation.title) or catalogue.title,
        description=speaker.said(presentation.description) or catalogue.description,
        attributes=tuple(map(speaker.attribute, catalogue.attributes)),
        quantities=tuple(map(speaker.quantity, catalogue.quantities)),
        language=speaker.language or None,
        languages=presentation.languages,
        theme=None if presentation.theme is None else speaker.theme(presentation.theme),
        action=None if action is None else documents.Action(speaker.said(action.text) or "", action.link),
        groups=tuple(documents.Group(speaker.said(each.title) or "", each.members) for each in presentation.groups),
        opening=tuple(speaker.question(name, each) for name, each in presentation.opening.items()),
    )


@dataclass(frozen=True)
class _Speaker:
    """One presentation in one language."""

    presentation: Presentation
    language: str
    images: str
    """Where its pictures are."""

    def said(self, words: Words) -> str | None:
        return self.presentation.said(words, self.language) or None

    def image(self, image: Image | None) -> str | None:
        return f"{self.images}/{image.digest}" if image else None

    def attribute(self, attribute: documents.Attribute) -> documents.Attribute:
        seen = self.presentation.of(attribute.name)
        labels = tuple(self.label(seen.values.get(str(value), Appearance())) for value in attribute.values)
        return replace(
            attribute,
            title=self.said(seen.title) or attribute.title,
            unit=self.said(seen.unit) or attribute.unit,
            help=self.said(seen.help),
            image=self.image(seen.image),
            currency=seen.currency or None,
            decimals=seen.decimals,
            labels=labels if seen.values else (),
        )

    def label(self, seen: Appearance) -> documents.ValueLabel:
        return documents.ValueLabel(self.said(seen.title), self.said(seen.help), self.image(seen.image))

    def quantity(self, quantity: documents.Quantity) -> documents.Quantity:
        seen = self.presentation.of(quantity.name)
        return replace(
            quantity,
            title=self.said(seen.title) or quantity.title,
            unit=self.said(seen.unit) or quantity.unit,
            help=self.said(seen.help),
            image=self.image(seen.image),
            currency=seen.currency or None,
            decimals=seen.decimals,
        )

    def theme(self, theme: Theme) -> documents.Theme:
        light = palette(theme.light, "light") if theme.light else {}
        dark = palette(theme.dark or legible(theme.light, "dark"), "dark") if theme.light else {}
        return documents.Theme(self.said(theme.name), self.image(theme.logo), light, dark)

    def question(self, name: str, question: OpeningQuestion) -> documents.OpeningQuestion:
        answers = tuple(self.answer(each, answer) for each, answer in question.answers.items())
        return documents.OpeningQuestion(name, self.said(question.title) or name, self.said(question.help), answers)

    def answer(self, name: str, answer: OpeningAnswer) -> documents.OpeningAnswer:
        return documents.OpeningAnswer(
            name,
            self.said(answer.title) or name,
            self.said(answer.help),
            self.image(answer.image),
            answer.require,
            dict(answer.matters),
        )
