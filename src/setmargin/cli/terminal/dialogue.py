"""An interview at a terminal, key by key: a small state machine between an `Interview` and a `Screen`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path

from rich.console import RenderableType

from setmargin.answers import Answer, Choice, How, NoDifference, Outcome, Question, Ranking, Skip, all_pairs, by_sorting
from setmargin.cli.terminal import certainty, formatting, help_page, question_page, recommendation_page
from setmargin.cli.terminal.screen import Screen
from setmargin.errors import InterviewError, SetmarginError
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, Dropped, Event, Required
from setmargin.space.space import Configuration

EQUAL = "="
BACKSPACES = ("\x7f", "\b")
AGAIN = "again"
OUTCOMES = {"1": Outcome.FIRST, "2": Outcome.SECOND, EQUAL: Outcome.EQUAL}


class Ending(StrEnum):
    """Why an interview stopped."""

    BUDGET = "all questions asked"
    NOTHING_LEFT = "nothing left to ask"
    GOOD_ENOUGH = "good enough"
    TAKEN = "taken"
    INPUT_ENDED = "end of input"
    QUIT = "quit"


FINAL = (Ending.BUDGET, Ending.NOTHING_LEFT, Ending.GOOD_ENOUGH)
"""Endings that come by themselves, from which a step back leads on."""


class Command(Exception):
    """A key that is no answer. It leaves the question, however deep in its pairs we are."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


class Dialogue:
    """Asks until an ending is reached, and saves after every step."""

    def __init__(
        self,
        interview: Interview,
        screen: Screen,
        *,
        how: How = "choice",
        budget: int = 30,
        save_to: Path | None = None,
    ) -> None:
        self.interview, self.screen = interview, screen
        self.how, self.budget, self.save_to = how, budget, save_to
        self.taken: Configuration | None = None
        """The option that was taken instead of the recommendation."""
        self._all_rows = False
        self._notice = ""
        self._again: int | None = None

    def run(self) -> Ending:
        """Ask question after question; after an ending, go on from where it was."""
        self.taken = None
        self._save()
        try:
            while (ending := self._step()) is None:
                self._save()
        except EOFError:
            return Ending.INPUT_ENDED
        return ending

    def _step(self) -> Ending | None:
        """One question, from asking it to its answer or to whatever else the person wanted."""
        if len(self.interview.history) >= self.budget:
            return Ending.BUDGET
        with self._searching():
            question = self.interview.ask()
        if question is None:
            return Ending.GOOD_ENOUGH if self._stopped_early() else Ending.NOTHING_LEFT
        try:
            answer = self._answer(question)
        except Command as command:
            return self._run_command(command.key, question)
        with self._searching():
            self.interview.tell(answer)
        return None

    def _stopped_early(self) -> bool:
        """Whether there would be something left to win, if little."""
        stakes = self.interview.stakes()
        return stakes is not None and 0 < stakes.expected_loss < self.stopping_loss

    @property
    def stopping_loss(self) -> float:
        """The expected loss below which the strategy stops; 0 where it does not stop so."""
        strategy = self.interview.strategy
        return float(strategy.options()["until"]) if strategy.until_means == "expected loss" else 0.0

    def _save(self) -> None:
        if self.save_to is not None:
            self.interview.save(self.save_to)

    def _searching(self) -> AbstractContextManager[None]:
        return self.screen.busy(formatting.listed([self._place(), "searching…"]))

    def _place(self) -> str:
        if self._again is not None:
            return f"question {self._again + 1} again"
        return f"question {len(self.interview.history) + 1} of at most {self.budget}"

    def _progress(self) -> str:
        """How far we have come, once something was answered."""
        stakes = self.interview.stakes() if self.interview.belief.answered else None
        return "" if stakes is None else certainty.progress(stakes, self.budget - len(self.interview.history))

    # Ways of answering

    def _answer(self, question: Question) -> Answer:
        match self.how:
            case "ranking":
                return self._ranking(question)
            case "pairs" | "sort" if len(question.options) > 2:
                return self._comparisons(question)
        return self._choice(question)

    def _choice(self, question: Question) -> Answer:
        size = len(question.options)
        key = self._key(question.options, f"[1-{size}]|=", help_page.choice_prompt(size))
        return NoDifference() if key == EQUAL else Choice(int(key) - 1)

    def _ranking(self, question: Question) -> Answer:
        """Keys add up to an order, best first."""
        size, order = len(question.options), ""
        while len(order) < size:
            key = self._key(question.options, f"[1-{size}]+|[=\x7f\b]", help_page.ranking_prompt(size), typed=order)
            if key == EQUAL:
                return NoDifference()
            order = order[:-1] if key in BACKSPACES else order + key
            if len(set(order)) < len(order):
                self._notice, order = "Each of them has one place; begin again.", ""
        return Ranking(tuple(int(digit) - 1 for digit in order))

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

    def _key(
        self, options: Sequence[Configuration], answers: str, ask: str, *, place: str = "", typed: str = ""
    ) -> str:
        """The next key that answers. What only shows something is shown; every other key is a command, or a mistake."""
        while True:
            self._draw(options, ask, place)
            key = self.screen.key(f"> {typed}").lower()
            if re.fullmatch(answers, key):
                return key
            if key in help_page.COMMANDS:
                raise Command(key)
            self._show_or_hint(key, len(options))

    def _draw(self, options: Sequence[Configuration], ask: str, place: str) -> None:
        space = self.interview.space
        where = formatting.listed(filter(None, [self._place(), place]))
        self.screen.page(
            question_page.heading(space.title or space.name, where, self.interview.must_haves, self._progress()),
            question_page.options(space, options, width=self.screen.width, all_rows=self._all_rows),
            help_page.prompt_and_keys(ask, notice=self._notice, all_rows=self._all_rows),
        )
        self._notice = ""

    # What other keys do

    def _show_or_hint(self, key: str, size: int) -> None:
        """Keys that show something and change nothing, and keys that mean nothing."""
        match key:
            case "a":
                self._all_rows = not self._all_rows
            case "b":
                self.screen.page(self._best_so_far())
                self.screen.pause()
            case "h" | "?":
                self.screen.page(help_page.keys(self.interview.space, self.interview.ask()))
                self.screen.pause()
            case _:
                self._notice = help_page.wrong_key(key, size)

    def _best_so_far(self) -> RenderableType:
        with self._searching():
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

    def _run_command(self, key: str, question: Question) -> Ending | None:
        """Keys that change something, or end it all."""
        match key:
            case "s":
                with self._searching():
                    self.interview.skip()
            case "u":
                self._undo()
            case "r":
                self._must_haves()
            case "c":
                self._change()
            case "t":
                return self._take(question)
            case "q":
                return Ending.QUIT
            case _:
                self._notice = "This question from its first pair again."
        return None

    def _undo(self) -> None:
        try:
            self._notice = _taken_back(self.interview.undo())
        except InterviewError as error:
            self._notice = formatting.sentence(error)

    def _take(self, question: Question) -> Ending | None:
        """The best so far, or one of the options beside it; any other key goes back to the question."""
        with self._searching():
            best = self.interview.recommend().configuration
        space, size, beside = self.interview.space, len(question.options), [best, *question.options]
        self.screen.page(
            question_page.heading(space.title or space.name, "take one", self.interview.must_haves),
            question_page.options(space, beside, width=self.screen.width, all_rows=self._all_rows, best_first=True),
            help_page.take_prompt(size),
        )
        try:
            key = self.screen.key().lower()
        except EOFError:
            key = "t"
        if re.fullmatch(f"[1-{size}]", key) and question.options[int(key) - 1] != best:
            self.taken = question.options[int(key) - 1]
        return Ending.TAKEN if re.fullmatch(rf"[1-{size}]|[t\r\n]?", key) else None

    def goes_back(self, ending: Ending) -> bool:
        """Whether the person, having seen the end, wants one step back; only who sits at a terminal is asked."""
        steps = ending is Ending.TAKEN or (ending in FINAL and bool(self.interview.events))
        if not (self.screen.keys.live and steps):
            return False
        try:
            back = self.screen.key("u goes back, any other key ends ").lower() == "u"
        except EOFError:
            return False
        if back and ending is not Ending.TAKEN:
            self._undo()
        return back

    def _change(self) -> None:
        """Answer an earlier question differently; what is no answer changes nothing."""
        history = self.interview.history
        if not history:
            self._notice = "There is no answer to change yet."
            return
        with self._searching():
            why = self.interview.explain()
        room = self.screen.width - help_page.ANSWER_WIDTH
        self.screen.page(help_page.answers(history, certainty.notes(self.interview.space, why, width=room)))
        number = self.screen.line("question> ")
        if not (re.fullmatch(r"[1-9]\d{0,5}", number) and int(number) <= len(history)):
            self._notice = f"Nothing changed: give a number from 1 to {len(history)}."
            return
        self._again = int(number) - 1
        try:
            answer = self._answer_again(history[self._again][0])
            with self._searching():
                self.interview.change(self._again, answer)
            self._notice = f"Your answer to question {number} is changed."
        except Command:
            self._notice = "Nothing changed."
        finally:
            self._again = None

    def _answer_again(self, question: Question) -> Answer:
        try:
            return self._answer(question)
        except Command as command:
            if command.key == "s":
                return Skip()
            raise

    def _must_haves(self) -> None:
        """Add a must-have or drop one; what is impossible or cannot be read changes nothing."""
        interview = self.interview
        self.screen.page(help_page.must_haves(interview.space, interview.must_haves, interview.ask()))
        rule = self.screen.line("must-have> ")
        try:
            with self._searching():
                self._notice = self._change_must_haves(rule)
        except SetmarginError as error:
            self._notice = f"Nothing changed: {str(error).rstrip('.')}."

    def _change_must_haves(self, rule: str) -> str:
        if not rule:
            return ""
        if not rule.startswith("-"):
            self.interview.require(rule)
            return f"From now on: {rule}"
        dropped = self._must_have_named(rule[1:].strip())
        self.interview.drop(dropped)
        return f"No longer a must-have: {dropped}"

    def _must_have_named(self, rule: str) -> str:
        """A must-have by its number in the list, or in its own words."""
        held = self.interview.must_haves
        return held[int(rule) - 1] if re.fullmatch(r"[1-9]\d?", rule) and int(rule) <= len(held) else rule


def _taken_back(event: Event) -> str:
    match event:
        case Answered():
            return "Your last answer is taken back."
        case Required(rule):
            return f"No longer a must-have: {rule}"
        case Dropped(rule):
            return f"A must-have again: {rule}"
