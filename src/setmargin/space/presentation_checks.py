"""Whether what people see fits what can be built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from setmargin.errors import SpaceError
from setmargin.space.presentation import PLACEHOLDER, Action, OpeningQuestion, Presentation
from setmargin.space.rules import bind
from setmargin.space.text import Path, short, suggest

if TYPE_CHECKING:
    from setmargin.space.space import Space

ANSWER_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
LINK_START: Final = re.compile(r"https?://[^/?#\s{}\\]+(?=[/?#]|$)|/(?![/\\])|\./|\?", re.IGNORECASE)


def check_presentation(presentation: Presentation, space: Space) -> None:
    """Raise a SpaceError, with its place in the document, for a name or a rule that the space does not know."""
    if not isinstance(presentation, Presentation):
        raise SpaceError(f"presentation is {short(presentation)}; give a Presentation, or leave it out")
    if not presentation:
        return
    things = space.things
    for name, seen in presentation.appearances.items():
        _known(name, things, "what is shown", ("attributes",))
        labels = next((each.labels for each in space.attributes if each.name == name), ())
        for label in seen.values:
            _known(label, labels, f"what is shown of {name}", ("attributes", name))
    _check_groups(presentation, things)
    if presentation.action:
        _check_action(presentation.action, (*things, space.items.id) if space.items else things)
    for name, question in presentation.opening.items():
        _check_opening(name, question, space)


def _check_groups(presentation: Presentation, things: Sequence[str]) -> None:
    grouped: set[str] = set()
    for number, group in enumerate(presentation.groups):
        for place, name in enumerate(group.members):
            at = ("groups", number, "members", place)
            _known(name, things, "a group", at)
            if name in grouped:
                raise SpaceError(f"{name} is in two groups; keep it in one", at=at)
            grouped.add(name)


def _check_action(action: Action, things: Sequence[str]) -> None:
    at = ("action", "link")
    if not LINK_START.match(action.link) or not action.link.isprintable() or " " in PLACEHOLDER.sub("", action.link):
        raise SpaceError(
            f"the link {short(action.link)} leads nowhere; write an address that begins with https:// or /, "
            f"with the server's name in full, such as https://shop.example/basket?price={{price}}",
            at=at,
        )
    if set("{}") & set(PLACEHOLDER.sub("", action.link)):
        raise SpaceError(f"a brace is open in the link {short(action.link)}; close it, or write %7B for {{", at=at)
    for name in PLACEHOLDER.findall(action.link):
        _known(name, things, "the link", at)


def _check_opening(name: str, question: OpeningQuestion, space: Space) -> None:
    at: Path = ("opening", name)
    _check_id(name, "an opening question", at)
    for answer, body in question.answers.items():
        here = (*at, "answers", answer)
        _check_id(answer, f"an answer to {name}", here)
        for thing in body.matters:
            _known(thing, space.things, "matters", (*here, "matters"))
        for rule in body.require:
            try:
                bind(rule, space.names)
            except SpaceError as error:
                raise SpaceError(f"{error}", at=(*here, "require")) from None


def _check_id(name: str, what: str, at: Path) -> None:
    if not ANSWER_NAME.fullmatch(name):
        raise SpaceError(
            f"the name of {what} is {short(name)}; use up to 64 letters, digits, - _ and ., "
            f"and say the rest in its title",
            at=at,
        )


def _known(name: str, known: Iterable[str], where: str, at: Path) -> None:
    names = list(known)
    if name not in names:
        raise SpaceError(f"{where} names {short(name)}; {suggest(name, names, what='there are')}", at=at)


def missing_translations(presentation: Presentation) -> dict[str, list[str]]:
    """By language, the texts that are said in the default language only."""
    found: dict[str, list[str]] = {language: [] for language in presentation.languages[1:]}
    for place, words in _all_words(presentation):
        for language, missing in found.items():
            if words and language not in words:
                missing.append(place)
    return found


def the_same_in_all(space: Space) -> list[str]:
    """Names and words that have no text although there are several languages: everybody reads them as they are."""
    seen = space.presentation
    if len(seen.languages) < 2:
        return []
    found = [name for name in space.things if not seen.of(name).title]
    for attribute in space.attributes:
        words = [
            value
            for value in attribute.values
            if isinstance(value, str) and not seen.of_value(attribute.name, value).title
        ]
        if words:
            found.append(f"{attribute.name} = {', '.join(words)}")
    return found


def _all_words(presentation: Presentation) -> Iterable[tuple[str, dict[str, str]]]:
    parts: list[tuple[str, object]] = [("theme", presentation.theme), ("action", presentation.action)]
    parts += [(f"group {number}", each) for number, each in enumerate(presentation.groups, 1)]
    for name, seen in presentation.appearances.items():
        parts += [(name, seen), *((f"{name} = {label}", value) for label, value in seen.values.items())]
    for name, question in presentation.opening.items():
        parts += [(f"opening {name}", question)]
        parts += [(f"opening {name} / {each}", answer) for each, answer in question.answers.items()]
    for place, part in parts:
        for key in ("title", "help", "text"):
            if words := getattr(part, key, None):
                yield f"{place}: {key}", words
