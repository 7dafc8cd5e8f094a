"""What people see, in and out of a catalogue's document, where it stands beside what can be built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, Final

from setmargin.errors import SpaceError
from setmargin.space.colours import LEAST_CONTRAST, Scheme, legibility, legible
from setmargin.space.images import MOST_IN_ALL, Image, read_image
from setmargin.space.presentation import (
    NOTHING,
    Action,
    Appearance,
    AttributeGroup,
    OpeningAnswer,
    OpeningQuestion,
    Presentation,
    Theme,
    Words,
)
from setmargin.space.text import LONGEST_NAME, LONGEST_UNIT, Path, Value, check_text, native, suggest

OWN_KEYS: Final = ("languages", "theme", "action", "groups", "opening")
"""Keys of a document that are about nothing else."""
SYMBOLS: Final = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}
LIKELY: Final = 0.95
"""How likely something matters that an answer says does."""
LONGEST_HELP: Final = 300
LONGEST_DESCRIPTION: Final = 2000
LONGEST_LABEL: Final = 60


# Reading


def split_document(
    document: Mapping[str, Any], folder: Traversable | None = None
) -> tuple[Mapping[str, Any], Presentation]:
    """What can be built, with texts in the default language, and what people see of it.

    Parameters:
        document: a catalogue's document, whose shape is known to be right.
        folder: where image files are; None: only data addresses are read.
    """
    reader = _PresentationReader(tuple(document.get("languages", ())), folder)
    plain = {key: body for key, body in document.items() if key not in OWN_KEYS}
    appearances: dict[str, Appearance] = {}
    for kind in ("attributes", "quantities"):
        if kind in document:
            plain[kind] = {}
            for name, body in document[kind].items():
                plain[kind][name], seen = reader.thing(body, (kind, name))
                if seen != NOTHING:
                    appearances[name] = seen
    title = reader.shared(plain, "title", (), LONGEST_NAME)
    description = reader.shared(plain, "description", (), LONGEST_DESCRIPTION)
    opening = document.get("opening", {})
    groups = enumerate(document.get("groups", ()))
    presentation = Presentation(
        reader.languages,
        title,
        description,
        reader.theme(document["theme"]) if "theme" in document else None,
        reader.action(document["action"]) if "action" in document else None,
        tuple(reader.group(body, number) for number, body in groups),
        {name: reader.opening(body, ("opening", name)) for name, body in opening.items()},
        appearances,
    )
    _check_sizes(presentation)
    return plain, presentation


@dataclass(frozen=True)
class _PresentationReader:
    """Knows the languages, and where images are."""

    languages: tuple[str, ...]
    folder: Traversable | None

    def __post_init__(self) -> None:
        if len(set(self.languages)) < len(self.languages):
            raise SpaceError("a language stands there twice; keep one", at=("languages",))

    def words(self, body: Mapping[str, Any], key: str, at: Path, longest: int) -> Words:
        """The text under this key by language; nothing where it is missing or empty."""
        written, at = body.get(key, ""), (*at, key)
        default = self.languages[0] if self.languages else ""
        if not isinstance(written, Mapping):
            return {default: check_text(written, key, at=at, longest=longest)} if written else {}
        for language in written:
            if language not in self.languages:
                raise SpaceError(f"{key}: {self._unknown(language)}", at=(*at, language))
        if default not in written:
            raise SpaceError(f"{key} has no text in {default}, the first of the languages; add it", at=at)
        return {
            language: check_text(each, f"{key} in {language}", at=(*at, language), longest=longest)
            for language, each in written.items()
        }

    def _unknown(self, language: str) -> str:
        if not self.languages:
            return f"there are texts by language; say which ones there are, the default first: languages: [{language}]"
        hint = suggest(language, self.languages, what="the languages are")
        return f"there is no language {language!r}; {hint}, or add it to languages"

    def shared(self, body: dict[str, Any], key: str, at: Path, longest: int) -> Words:
        """A text that the space has in the default language, which is put in its place; nothing where that is all."""
        if not isinstance(body.get(key), Mapping):
            return {}
        words = self.words(body, key, at, longest)
        body[key] = next(iter(words[each] for each in self.languages[:1]))
        return words if len(words) > 1 else {}

    def image(self, body: Mapping[str, Any], key: str, at: Path) -> Image | None:
        if key not in body:
            return None
        try:
            return read_image(body[key], self.folder)
        except SpaceError as error:
            raise error.under(*at, key) from None

    def thing(self, body: Any, at: Path) -> tuple[Any, Appearance]:
        """An attribute or a quantity."""
        if not isinstance(body, Mapping):
            values = self.values(body, at)
            return _values_alone(body), Appearance(values=values) if values else NOTHING
        plain = dict(body)
        if "values" in body:
            plain["values"] = _values_alone(body["values"])
        seen = Appearance(
            title=self.shared(plain, "title", at, LONGEST_NAME),
            help=self.words(body, "help", at, LONGEST_HELP),
            image=self.image(body, "image", at),
            unit=self.shared(plain, "unit", at, LONGEST_UNIT),
            currency=body.get("currency", ""),
            decimals=body.get("decimals"),
            values=self.values(body.get("values", ()), (*at, "values")),
        )
        if seen.currency and not plain.get("unit"):
            plain["unit"] = SYMBOLS.get(seen.currency, seen.currency)
        for key in ("help", "image", "currency", "decimals"):
            plain.pop(key, None)
        return plain, seen

    def values(self, bodies: Any, at: Path) -> dict[str, Appearance]:
        found: dict[str, Appearance] = {}
        for place, body in enumerate(bodies):
            if isinstance(body, Mapping):
                here = (*at, place)
                seen = Appearance(
                    title=self.words(body, "title", here, LONGEST_NAME),
                    help=self.words(body, "help", here, LONGEST_HELP),
                    image=self.image(body, "image", here),
                )
                if seen != NOTHING:
                    found[str(native(body["value"]))] = seen
        return found

    def theme(self, body: Mapping[str, Any]) -> Theme:
        at = ("theme",)
        accent = body.get("accent", "")
        light, dark = (
            (accent.get(each, "") for each in ("light", "dark")) if isinstance(accent, Mapping) else (accent, "")
        )
        _check_colour(light, "light", (*at, "accent", "light"))
        _check_colour(dark, "dark", (*at, "accent", "dark"))
        return Theme(self.words(body, "name", at, LONGEST_LABEL), self.image(body, "logo", at), light, dark)

    def action(self, body: Mapping[str, Any]) -> Action:
        return Action(self.words(body, "text", ("action",), LONGEST_LABEL), body["link"])

    def group(self, body: Mapping[str, Any], number: int) -> AttributeGroup:
        return AttributeGroup(self.words(body, "title", ("groups", number), LONGEST_NAME), tuple(body["members"]))

    def opening(self, body: Mapping[str, Any], at: Path) -> OpeningQuestion:
        answers = {name: self.answer(each, (*at, "answers", name)) for name, each in body["answers"].items()}
        title, help = (self.words(body, *each) for each in (("title", at, LONGEST_NAME), ("help", at, LONGEST_HELP)))
        return OpeningQuestion(title, answers, help)

    def answer(self, body: Mapping[str, Any], at: Path) -> OpeningAnswer:
        rules, matters = body.get("require", ()), body.get("matters", {})
        return OpeningAnswer(
            title=self.words(body, "title", at, LONGEST_NAME),
            help=self.words(body, "help", at, LONGEST_HELP),
            image=self.image(body, "image", at),
            require=(rules,) if isinstance(rules, str) else tuple(rules),
            matters=dict(matters) if isinstance(matters, Mapping) else dict.fromkeys(matters, LIKELY),
        )


def _values_alone(values: Any) -> list[Value]:
    return [each["value"] if isinstance(each, Mapping) else each for each in values]


def _check_colour(colour: str, scheme: Scheme, at: Path) -> None:
    if colour and (found := legibility(colour, scheme)) < LEAST_CONTRAST:
        better = "darker" if scheme == "light" else "lighter"
        raise SpaceError(
            f"the accent {colour} can hardly be read on a {scheme} page: its contrast is {found:.1f}, and has to be "
            f'{LEAST_CONTRAST}; use a {better} one, such as "{legible(colour, scheme)}"',
            at=at,
        )


def _check_sizes(presentation: Presentation) -> None:
    size = sum(len(image.content) for image in presentation.images.values())
    if size > MOST_IN_ALL:
        raise SpaceError(
            f"all images together have {size:,} bytes; keep them below {MOST_IN_ALL:,}", at=("attributes",)
        )


# Writing


def merged_document(plain: Mapping[str, Any], presentation: Presentation) -> dict[str, Any]:
    """The document of both; `split_document` gives them back."""
    if not presentation:
        return dict(plain)
    head = {
        "catalogue": plain["catalogue"],
        "languages": list(presentation.languages),
        "title": _written(presentation.title) or plain.get("title"),
        "description": _written(presentation.description) or plain.get("description"),
        "theme": presentation.theme and _theme_document(presentation.theme),
        "action": presentation.action
        and {"text": _written(presentation.action.text), "link": presentation.action.link},
        "groups": [{"title": _written(each.title), "members": list(each.members)} for each in presentation.groups],
        "opening": {name: _question_document(each) for name, each in presentation.opening.items()},
    }
    document = _said(head)
    for kind in ("attributes", "quantities"):
        if kind in plain:
            bodies = plain[kind].items()
            document[kind] = {name: _thing_document(body, presentation.of(name)) for name, body in bodies}
    return {**document, **{key: body for key, body in plain.items() if key not in document}}


def _thing_document(body: Any, seen: Appearance) -> Any:
    if seen == NOTHING:
        return body
    body = dict(body) if isinstance(body, Mapping) else {"values": body}
    if "values" in body:
        body["values"] = [_value_document(value, seen.values.get(str(value))) for value in body["values"]]
    more = {"title": _written(seen.title), "unit": _written(seen.unit), **_look(seen), "currency": seen.currency}
    decimals = {} if seen.decimals is None else {"decimals": seen.decimals}
    return {**body, **_said(more), **decimals}


def _value_document(value: Value, seen: Appearance | None) -> Any:
    return value if seen is None else {"value": value, **_said({"title": _written(seen.title), **_look(seen)})}


def _question_document(question: OpeningQuestion) -> dict[str, Any]:
    answers = {name: _answer_document(each) for name, each in question.answers.items()}
    return _said({"title": _written(question.title), "help": _written(question.help), "answers": answers})


def _answer_document(answer: OpeningAnswer) -> dict[str, Any]:
    wishes = {"require": list(answer.require), "matters": dict(answer.matters)}
    return _said({"title": _written(answer.title), **_look(answer), **wishes})


def _theme_document(theme: Theme) -> dict[str, Any]:
    accent = {"light": theme.light, "dark": theme.dark} if theme.dark else theme.light
    logo = theme.logo.data if theme.logo else ""
    return _said({"name": _written(theme.name), "logo": logo, "accent": accent})


def _look(seen: Appearance | OpeningAnswer) -> dict[str, Any]:
    return {"help": _written(seen.help), "image": seen.image.data if seen.image else ""}


def _written(words: Words) -> str | dict[str, str]:
    """One text as it is, several by language."""
    return next(iter(words.values()), "") if len(words) < 2 else dict(words)


def _said(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in parts.items() if part}
