"""One question, from showing it to its answer: the keys that answer, and those that only show something."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager

from rich.console import Group, RenderableType
from rich.text import Text

from setmargin.answers import (
    Answer,
    Change,
    Choice,
    How,
    NoDifference,
    Outcome,
    Question,
    Ranking,
    all_pairs,
    by_sorting,
    check,
)
from setmargin.cli.terminal import certainty, formatting, help_page, question_page, recommendation_page
from setmargin.cli.terminal.more import Back, More
from setmargin.cli.terminal.said import NOTHING, read_change, read_reasons, wish
from setmargin.cli.terminal.screen import Screen
from setmargin.errors import AnswerError
from setmargin.interview.interview import Interview
from setmargin.space.space import Configuration
from setmargin.strategies.shared.changes import can_be_had

EQUAL = "="
BACKSPACES = ("\x7f", "\b")
AGAIN = "again"
OUTCOMES = {"1": Outcome.FIRST, "2": Outcome.SECOND, EQUAL: Outcome.EQUAL}
FINE = ("1", *NOTHING)
"""Lines by which a single configuration stays as it is; who chooses it would change nothing."""


class Command(Exception):
    """A key that is no answer. It leaves the question, however deep in it we are."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


class Answering:
    """Shows questions and reads answers. At a terminal reasons and changes take another key each, in lines they follow
    the choice on the same line: so lines from before there were reasons mean what they meant."""

    def __init__(self, interview: Interview, screen: Screen, *, how: How, budget: int) -> None:
        self.interview, self.screen = interview, screen
        self.how, self.budget = how, budget
        self.notice = ""
        self.again: int | None = None
        """The number of the answer that is given anew, if one is."""
        self._all_rows = False
        self.more = More(interview, screen, self._press)

    @property
    def all_rows(self) -> bool:
        return self._all_rows

    def searching(self) -> AbstractContextManager[None]:
        return self.screen.busy(formatting.listed([self._place(), "searching…"]))

    def _place(self) -> str:
        if self.again is not None:
            return f"answer {self.again + 1} again"
        return f"screen {len(self.interview.history) + 1} of at most {self.budget}"

    def _progress(self) -> str:
        """How far we have come, once something was answered."""
        stakes = self.interview.stakes() if self.interview.belief.answered else None
        return "" if stakes is None else certainty.progress(stakes, self.budget - len(self.interview.history))

    # Ways of answering

    def answer(self, question: Question) -> Answer:
        """The answer as it can be told; Command where the person wants something else."""
        while True:
            try:
                return self._answer(question)
            except Back:
                continue
            except AnswerError as error:
                self.notice = formatting.sentence(error)

    def _answer(self, question: Question) -> Answer:
        if not question.is_comparison:
            return self._single(question)
        match self.how:
            case "ranking":
                return self._ranking(question)
            case "pairs" | "sort" if len(question.options) > 2:
                return self._comparisons(question)
        return self._choice(question)

    def _choice(self, question: Question) -> Answer:
        size = len(question.options)
        more = help_page.line_hint(asks_for_change=question.asks_for_change)
        key = self._key(
            question.options, rf"[1-{size}](\s.*)?|=", help_page.choice_prompt(size), besides=question, more=more
        )
        if key == EQUAL:
            return NoDifference()
        option, more = int(key[0]) - 1, key[1:].strip()
        if more:
            return self._typed(question, option, more)
        if not self.screen.keys.live:
            return Choice(option)
        if question.asks_for_change:
            return self.more.change(question, option, title=f"Option {option + 1}") or Choice(option)
        return Choice(option, self._reasons(question, option))

    def _typed(self, question: Question, option: int, more: str) -> Answer:
        """A choice with its reasons, or with a change, on one line."""
        space = self.interview.space
        answer: Answer = Choice(option)
        if question.asks_for_change or EQUAL in more:
            answer = read_change(space, more, option)
        else:
            answer = Choice(option, read_reasons(space, more))
        return self._checked(question, answer)

    def _checked(self, question: Question, answer: Answer) -> Answer:
        space = self.interview.belief.space
        check(question, answer, space)
        if isinstance(answer, Change) and not can_be_had(space, answer):
            raise AnswerError(f"{answer.name} cannot be {answer.value} with the rules and must-haves; choose another")
        return answer

    def _reasons(self, question: Question, option: int) -> tuple[str, ...]:
        return self.more.reasons(question.options, option, all_rows=lambda: self._all_rows)

    def _single(self, question: Question) -> Answer:
        """What to change about the only configuration shown."""
        if self.screen.keys.live:
            return self.more.change(question, title="The best so far", alone=True) or Change()
        key = self._key(question.options, r"\S.+|[01n]", help_page.line_prompt(), besides=question)
        change = Change() if key in FINE else read_change(self.interview.space, key)
        return self._checked(question, change)

    def wish(self, question: Question) -> Change | None:
        """What the person would change about the best so far, unasked; None if nothing after all."""
        if self.screen.keys.live:
            return self.more.change(question, title="The best so far")
        line = self.screen.line("change> ")
        return read_change(self.interview.space, line) if line else None

    def _ranking(self, question: Question) -> Answer:
        """Keys add up to an order, best first."""
        size, order, more = len(question.options), "", ""
        pattern = rf"[1-{size}]+(\s.*)?|[=\x7f\b]"
        while len(order) < size:
            key = self._key(question.options, pattern, help_page.ranking_prompt(size), typed=order)
            if key == EQUAL:
                return NoDifference()
            digits, _, more = key.partition(" ")
            order = order[:-1] if key in BACKSPACES else order + digits
            if len(set(order)) < len(order):
                self.notice, order = "Each of them has one place; begin again.", ""
        places = tuple(int(digit) - 1 for digit in order)
        if self.screen.keys.live:
            return Ranking(places, self._reasons(question, places[0]))
        return self._checked(question, Ranking(places, read_reasons(self.interview.space, more)))

    def _comparisons(self, question: Question) -> Answer:
        """Two at a time. Undo starts the question over, once something of it was answered."""
        options, compared = question.options, 0

        def compare(first: int, second: int) -> Outcome:
            nonlocal compared
            place = f"pair {compared + 1}"
            key = self._key((options[first], options[second]), "[12=]", help_page.choice_prompt(2), place=place)
            compared += 1
            return OUTCOMES[key]

        try:
            return (by_sorting if self.how == "sort" else all_pairs)(len(options), compare)
        except Command as command:
            raise Command(AGAIN) if command.key == "u" and compared else command from None

    # Pages and keys

    def _key(
        self,
        options: Sequence[Configuration],
        answers: str,
        ask: str,
        *,
        place: str = "",
        typed: str = "",
        besides: Question | None = None,
        more: str = "",
    ) -> str:
        """The next key that answers. What only shows something is shown; every other key is a command, or a mistake."""
        space, pattern = self.interview.space, re.compile(answers)

        def draw() -> RenderableType:
            body = question_page.options(space, options, width=self.screen.width, all_rows=self._all_rows)
            known = [wish(space, *each) for each in (besides.besides if besides else ())]
            lines = [f"known already: {formatting.listed(known)}"] if known else []
            lines += [more] if more and not self.screen.keys.live else []
            return Group(body, *(Text(line, style="dim") for line in lines))

        keys = ("0 nothing", "s skip", "u undo", "h help") if len(options) == 1 else help_page.ANSWERS
        hint = help_page.hint(len(options)) if len(options) > 1 else "write NAME = VALUE, 0 for nothing, or s to skip."
        return self._pressed(draw, ask, keys, lambda key: bool(pattern.fullmatch(key)), hint, place, typed)

    def _press(
        self,
        draw: Callable[[], RenderableType],
        ask: str,
        keys: Sequence[str],
        accepted: Collection[str],
        hint: str,
        *,
        commands: bool = False,
    ) -> str:
        return self._pressed(draw, ask, keys, lambda key: key in accepted, hint, commands=commands)

    def _pressed(
        self,
        draw: Callable[[], RenderableType],
        ask: str,
        keys: Sequence[str],
        accepts: Callable[[str], bool],
        hint: str,
        place: str = "",
        typed: str = "",
        commands: bool = True,
    ) -> str:
        while True:
            self._draw(draw(), ask, keys, place, commands=commands)
            key = self.screen.key(f"> {typed}").lower()
            if accepts(key):
                return key
            if key in help_page.COMMANDS:
                raise Command(key)
            self._show_or_hint(key, hint)

    def _draw(self, body: RenderableType, ask: str, keys: Sequence[str], place: str, *, commands: bool) -> None:
        space = self.interview.space
        where = formatting.listed(filter(None, [self._place(), place]))
        self.screen.page(
            question_page.heading(
                formatting.catalogue_title(space), where, self.interview.must_haves, self._progress()
            ),
            body,
            help_page.prompt_and_keys(ask, notice=self.notice, all_rows=self._all_rows, keys=keys, commands=commands),
        )
        self.notice = ""

    def _show_or_hint(self, key: str, hint: str) -> None:
        """Keys that show something and change nothing, and keys that mean nothing."""
        match key:
            case "a":
                self._all_rows = not self._all_rows
            case "b":
                self.screen.page(self._best_so_far())
                self.screen.pause()
            case "h" | "?":
                live = self.screen.keys.live
                self.screen.page(help_page.keys(self.interview.space, self.interview.ask(), live=live))
                self.screen.pause()
            case _:
                self.notice = help_page.wrong_key(key, hint)

    def _best_so_far(self) -> RenderableType:
        with self.searching():
            why, stakes = self.interview.explain(), self.interview.stakes()
        return recommendation_page.recommendation(
            self.interview.space,
            why,
            stakes,
            width=self.screen.width,
            height=self.screen.height and self.screen.height - 2,
            title="best so far",
            informed=recommendation_page.informed(self.interview.history),
        )
