"""An interview at a terminal, key by key: a small state machine between an `Interview` and a `Screen`."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from setmargin.answers import Answer, Change, How, Question, Skip
from setmargin.cli.terminal import certainty, formatting, help_page, question_page
from setmargin.cli.terminal.answering import Answering, Command
from setmargin.cli.terminal.more import Back
from setmargin.cli.terminal.said import more_in_words, wish
from setmargin.cli.terminal.screen import Screen
from setmargin.errors import AnswerError, InterviewError, SetmarginError
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, AskedOn, Dropped, Event, Required
from setmargin.space.space import Configuration


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
        overwrite: bool = True,
    ) -> None:
        self.interview, self.screen = interview, screen
        self.budget, self.save_to, self._overwrite = budget, save_to, overwrite
        self.taken: Configuration | None = None
        """The option that was taken instead of the recommendation."""
        self._asking = Answering(interview, screen, how=how, budget=budget)

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
        with self._asking.searching():
            question = self.interview.ask()
        self._save()  # whoever goes on later is asked just this, and not what another version or a slower day would ask
        if question is None:
            return Ending.GOOD_ENOUGH if self._stopped_early() else Ending.NOTHING_LEFT
        try:
            answer = self._asking.answer(question)
        except Command as command:
            return self._run_command(command.key, question)
        noted = self._noted(answer) if not question.is_comparison else ""
        self._tell(lambda: self.interview.tell(answer), noted)
        return None

    def _noted(self, answer: Answer) -> str:
        """What a wish about the best so far comes to, as far as is known."""
        if not isinstance(answer, Change) or answer.name is None:
            return ""
        space, said = self.interview.space, f"Noted: {wish(self.interview.space, answer.name, answer.value)}"
        try:
            with self._asking.searching():
                found = self.interview.with_change(answer.name, answer.value)
        except AnswerError:  # nothing is better, or something else is the best by now
            return f"{said}."
        others = [f"{name} {now}" for name, (_, now) in found.changed.items() if name != answer.name]
        parts = [*more_in_words(space, found.more), *others]
        return certainty.fitted(f"{said}. Then: ", parts, self.screen.width) if parts else f"{said}."

    def _tell(self, tell: Callable[[], None], noted: str = "") -> None:
        try:
            with self._asking.searching():
                tell()
            self._asking.notice = noted
        except AnswerError as error:
            self._asking.notice = f"Nothing changed: {str(error).rstrip('.')}."

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
            self.interview.save(self.save_to, overwrite=self._overwrite)

    def _run_command(self, key: str, question: Question) -> Ending | None:
        """Keys that change something, or end it all."""
        match key:
            case "s":
                with self._asking.searching():
                    self.interview.skip()
            case "u":
                self._undo()
            case "r":
                self._must_haves()
            case "c":
                self._change()
            case "w":
                self._wish()
            case "t":
                return self._take(question)
            case "q":
                return Ending.QUIT
            case _:
                self._asking.notice = "This question from its first pair again."
        return None

    def _undo(self) -> None:
        try:
            self._asking.notice = _taken_back(self.interview.undo())
        except InterviewError as error:
            self._asking.notice = formatting.sentence(error)

    def _take(self, question: Question) -> Ending | None:
        """The best so far, or one of the options beside it; any other key goes back to the question."""
        with self._asking.searching():
            best = self.interview.recommend().configuration
        others = () if question.options == (best,) else question.options
        space, size, beside = self.interview.space, len(others), [best, *others]
        self.screen.page(
            question_page.heading(formatting.catalogue_title(space), "take one", self.interview.must_haves),
            question_page.options(
                space, beside, width=self.screen.width, all_rows=self._asking.all_rows, best_first=True
            ),
            help_page.take_prompt(size),
        )
        try:
            key = self.screen.key().lower()
        except EOFError:
            key = "t"
        by_number = {str(number): option for number, option in enumerate(others, 1)}
        if by_number.get(key, best) != best:
            self.taken = by_number[key]
        return Ending.TAKEN if key in by_number or re.fullmatch(r"[t\r\n]?", key) else None

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
            self._asking.notice = "There is no answer to change yet."
            return
        with self._asking.searching():
            why = self.interview.explain()
        self.screen.page(help_page.answers(self.interview.space, history, why, width=self.screen.width))
        number = self.screen.line("answer> ")
        if not (re.fullmatch(r"[1-9]\d{0,5}", number) and int(number) <= len(history)):
            self._asking.notice = f"Nothing changed: give a number from 1 to {len(history)}."
            return
        self._asking.again = int(number) - 1
        try:
            answer = self._answer_again(history[int(number) - 1][0])
            with self._asking.searching():
                self.interview.change(int(number) - 1, answer)
            self._asking.notice = f"Your answer {number} is changed."
        except Command:
            self._asking.notice = "Nothing changed."
        except AnswerError as error:
            self._asking.notice = f"Nothing changed: {str(error).rstrip('.')}."
        finally:
            self._asking.again = None

    def _answer_again(self, question: Question) -> Answer:
        try:
            return self._asking.answer(question)
        except Command as command:
            if command.key == "s":
                return Skip()
            raise

    def _wish(self) -> None:
        """Change something about the best so far, unasked."""
        with self._asking.searching():
            question = self.interview.adjustment().question
        try:
            change = self._asking.wish(question)
        except (Back, Command):
            change = None
        except AnswerError as error:
            self._asking.notice = f"Nothing changed: {str(error).rstrip('.')}."
            return
        if change is None:
            self._asking.notice = "Nothing changed."
            return
        self._tell(lambda: self.interview.adjust(change.name, change.value), self._noted(change))

    def _must_haves(self) -> None:
        """Add a must-have or drop one; what is impossible or cannot be read changes nothing."""
        interview = self.interview
        self.screen.page(help_page.must_haves(interview.space, interview.must_haves, interview.ask()))
        rule = self.screen.line("must-have> ")
        try:
            with self._asking.searching():
                self._asking.notice = self._change_must_haves(rule)
        except SetmarginError as error:
            self._asking.notice = f"Nothing changed: {str(error).rstrip('.')}."

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
        case AskedOn():
            return "No more is asked than was needed."
