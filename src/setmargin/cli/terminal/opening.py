"""The catalogue's opening questions at a terminal: one key each, or Enter for none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from setmargin.cli.terminal import formatting
from setmargin.cli.terminal.screen import Screen
from setmargin.errors import OptionError
from setmargin.space.presentation import OpeningQuestion, Presentation
from setmargin.space.space import Space


def read_opening(texts: Sequence[str]) -> dict[str, str]:
    """Answers written as QUESTION=ANSWER.

    Raises:
        OptionError: for one that is written otherwise, or twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, sign, answer = (part.strip() for part in text.partition("="))
        if not (name and sign and answer):
            raise OptionError(f"--opening is {text!r}; write QUESTION=ANSWER, such as use=city")
        if name in found:
            raise OptionError(f"--opening answers {name} twice; keep one")
        found[name] = answer
    return found


def ask_opening(space: Space, screen: Screen, given: Mapping[str, str], language: str) -> dict[str, str]:
    """The answers that are given, and those of a person at a terminal to the other questions.

    Where keys come from elsewhere nothing is asked: whoever wrote them did not know these questions.
    """
    answers = dict(given)
    if not screen.keys.live:
        return answers
    questions = space.presentation.opening
    for number, (name, question) in enumerate(questions.items(), 1):
        if name not in answers:
            place = f"before we begin, {number} of {len(questions)}"
            answer = _ask(space, screen, question, place, language)
            answers |= {} if answer is None else {name: answer}
    return answers


def _ask(space: Space, screen: Screen, question: OpeningQuestion, place: str, language: str) -> str | None:
    """The name of the answer; None where the person leaves it open."""
    seen, names = space.presentation, list(question.answers)
    heading = Text.assemble((formatting.catalogue_title(space), "bold"), (f"{formatting.SEPARATOR}{place}", "dim"))
    lines = [_line(seen, question, number, name, language) for number, name in enumerate(names, 1)]
    help = Text(seen.said(question.help, language), style="dim")
    screen.page(heading, "", Text(seen.said(question.title, language), style="bold"), help, *lines, "")
    while True:
        key = screen.key(f"1–{len(names)}, or Enter to leave it open > ")
        if key.isdecimal() and 1 <= int(key) <= len(names):
            return names[int(key) - 1]
        if not key.strip() or key in ("s", "q"):
            return None


def _line(seen: Presentation, question: OpeningQuestion, number: int, name: str, language: str) -> Text:
    answer = question.answers[name]
    more = seen.said(answer.help, language)
    return Text.assemble((f"  {number}  ", "bold cyan"), seen.said(answer.title, language), (f"  {more}", "dim"))
