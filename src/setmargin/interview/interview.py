"""One person's interview: the mutable face of a strategy, and one JSON file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setmargin.answers import Answer, Change, Question, Skip
from setmargin.errors import InterviewError, OptionError, SetmarginError
from setmargin.files import KnownFiles
from setmargin.html import heading, table
from setmargin.interview.adjustment import previews
from setmargin.interview.arguments import as_answer, as_space, strategy_on, with_reasons
from setmargin.interview.insight import Insight
from setmargin.interview.kept_catalogue import kept_space
from setmargin.interview.log import (
    UNASKED,
    Answered,
    AskedOn,
    Changed,
    Dropped,
    Entry,
    Event,
    Log,
    Required,
    Undone,
    all_in_space,
    check_shown,
    kept_values,
    question_document,
    question_in_space,
    read_event,
    was_asked,
)
from setmargin.interview.moments import KnownMoment, KnownMoments, moments_until
from setmargin.interview.saving import (
    check_parts,
    interview_document,
    read_interview,
    shown_in,
    strategy_in,
    write_interview,
)
from setmargin.solve.oracle import oracle_for
from setmargin.space.rules import bind
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, short
from setmargin.strategies.base import Belief, Recommendation, Stakes, Strategy

if TYPE_CHECKING:
    pass

LESS_LOSS = 3.0
"""By this factor the expected loss should fall when somebody wants to be asked more."""


class Interview(Insight):
    """One person's questions and answers, from first to last.

    Parameters
    ----------
    space : Space, str or path
        What can be built: a space, the name of a shipped catalogue such as `"bicycle"`, or a catalogue file.
    strategy : Strategy or str, optional
        What asks: `Bayes(until=0.01)`, `SetMargin()`, or the name of a strategy (see `list_strategies`).
        By default `Bayes()`. By its name or by default it starts from the prior that a catalogue file names.
    seed : int, optional
        The same seed and the same answers lead to the same questions.
    events : sequence of events, optional
        What happened already, as `Interview.events` has it.
    known : (int, Belief), optional
        A belief that was kept, and the number of events that it follows: only later events are worked out now, earlier
        ones when undo or change needs them.

    Raises
    ------
    OptionError
        Where an argument is of no use.
    CatalogueError
        Where there is no such catalogue, or it does not make sense.
    InfeasibleSpace
        Where nothing can be built.

    Examples
    --------
    Options and answers are counted from 0.

    >>> interview = Interview("bicycle", "random")
    >>> question = interview.ask()
    >>> len(question.options)
    2
    >>> interview.tell(0)
    >>> interview.require("price <= 1500")
    >>> interview
    <Interview on bicycle by random: 1 answer, must have price <= 1500>
    >>> recommendation = interview.recommend()
    >>> recommendation.configuration["frame"] in ("aluminium", "steel")
    True
    """

    def __init__(
        self,
        space: Space | str | os.PathLike[str],
        strategy: Strategy[Any] | str | None = None,
        *,
        seed: int = 0,
        events: Sequence[Event] = (),
        known: tuple[int, Belief] | None = None,
    ) -> None:
        if type(seed) is not int or seed < 0:
            raise OptionError(f"the seed is {short(seed)}; give a whole number that is not negative")
        self.seed = seed
        self.space = as_space(space)
        self.strategy = strategy_on(strategy, space, self.space)
        self._log = Log()
        self._files = KnownFiles()
        # By the number of events before it. The latest one is always there; earlier ones may have been forgotten.
        self._moments: dict[int, KnownMoment] = {}
        self._replay(events, {} if known is None else {known[0]: KnownMoment(known[1])})

    def __repr__(self) -> str:
        answered = self.belief.answered
        skipped = len(self.history) - answered
        said = f"{answered} answer{'' if answered == 1 else 's'}" + (f" and {skipped} skipped" if skipped else "")
        must = f", must have {' and '.join(self.must_haves)}" if self.must_haves else ""
        return f"<Interview on {self.space.name} by {self.strategy.name}: {said}{must}>"

    def _repr_html_(self) -> str:
        """In a notebook: what was said, and the best so far."""
        said = [(number, repr(asked)[1:-1], repr(answer)) for number, (asked, answer) in enumerate(self.history)]
        parts = [heading(repr(self)[1:-1])]
        parts += [table(said, header=("", "question", "answer"))] if said else []
        return "".join([*parts, heading("Best so far"), self.recommend()._repr_html_()])

    @property
    def belief(self) -> Belief:
        """What the answers so far say."""
        return self._now.belief

    @property
    def events(self) -> tuple[Event, ...]:
        """Answers and must-haves in force, in order."""
        return self._log.events

    @property
    def must_haves(self) -> tuple[str, ...]:
        """The must-haves in force."""
        return self._log.must_haves

    def ask(self) -> Question | None:
        """The current question, or None where nothing is left to ask.

        It stays the same until it is answered or skipped, or a must-have changes.
        """
        now = self._now
        if not now.asked:
            now.question, now.asked = self._asking.ask(now.belief), True
        return now.question

    @property
    def _asking(self) -> Strategy[Any]:
        """The strategy, which stops later where the person wants to be asked more."""
        until = self._log.until
        more: dict[str, Any] = {"until": until}
        return self.strategy if until is None or self.strategy.until_means is None else replace(self.strategy, **more)

    def ask_on(self) -> None:
        """Ask more although the strategy has stopped; `undo` takes that back like an answer.

        Raises
        ------
        InterviewError
            Where nothing is left to ask at all; nothing is changed then.

        Examples
        --------
        >>> interview = Interview("synthetic:3", Bayes(until=0.9))
        >>> interview.ask() is None
        True
        >>> interview.ask_on()
        >>> interview.ask() is None
        False
        """
        self._enter(self.asking_on())

    def asking_on(self) -> AskedOn:
        """What `ask_on` would add to the events: an `until` at which there is a question again."""
        strategy, stakes = self._asking, self.stakes()
        if strategy.until_means is not None:
            now = float(strategy.options()["until"])
            if self.ask() is not None:
                return AskedOn(now)
            reached = now if stakes is None else min(now, stakes.expected_loss)
            for until in (reached / LESS_LOSS, 0.0):
                if self.after(AskedOn(until)).ask() is not None:
                    return AskedOn(until)
        raise InterviewError("nothing is left to ask that would tell more; change something, or undo")

    def tell(
        self, answer: Answer | int, *, because: str | Sequence[str] = (), question: Question | str | None = None
    ) -> None:
        """Answer the current question.

        Parameters
        ----------
        answer : int or Answer
            The option chosen, counted from 0; or a `Change`, a `Ranking`, `NoDifference()`, `Comparisons` …
        because : str or sequence of str, optional
            What decided: attributes or quantities in which the options differ, the most important one first.
        question : Question or str, optional
            The question that the person was shown, or its id, where that may be another one than the current question.

        Raises
        ------
        AnswerError
            Where the answer does not fit the question; nothing is changed then.
        OtherQuestion
            Where the person was shown another question; nothing is changed then.
        InterviewError
            Where there is no question left.

        Examples
        --------
        >>> interview = Interview("bicycle", "random")
        >>> interview.tell(5)
        Traceback (most recent call last):
        setmargin.errors.AnswerError: option 5 was chosen, but the options are 0 to 1
        >>> interview.tell(0, because="price")
        >>> interview.history[0][1]
        Choice(option=0, because=('price',))
        """
        current = self.ask()
        if current is None:
            raise InterviewError("there is no question left to answer; take the recommendation, or undo")
        if question is not None:
            check_shown(current, question.id if isinstance(question, Question) else question)
        self._enter(Answered(current, with_reasons(as_answer(answer), because)))

    def skip(self) -> None:
        """Pass over the current question; it is not asked again."""
        self.tell(Skip())

    def adjust(self, name: str | None = None, value: Value | None = None, *, keep: bool = False) -> None:
        """Say what to change about the best so far, unasked; `undo` takes it back like any other answer.

        Parameters
        ----------
        name : str, optional
            An attribute, or a quantity that should be better; where it is left out, nothing would be changed.
        value : str or number, optional
            What the attribute should be instead.
        keep : bool, optional
            Whether the configuration with the change, as `previews` shows it, is what is recommended from then on. It
            is as long as nothing else is said; after that only the value is kept. Otherwise the change is learnt from,
            which may or may not lead to another recommendation.

        Raises
        ------
        AnswerError
            Where there is no such thing, it is so already, or rules and must-haves exclude it; nothing is changed then.

        Examples
        --------
        >>> interview = Interview("bicycle", "random")
        >>> interview.adjust("price")
        >>> interview.adjust("prise")
        Traceback (most recent call last):
        setmargin.errors.AnswerError: 'prise' cannot be changed, as nothing is called so; did you mean price?
        """
        self._enter(self.adjustment(name, value, keep=keep))

    def adjustment(self, name: str | None = None, value: Value | None = None, *, keep: bool = False) -> Answered:
        """What `adjust` would add to the events: a question about the best so far, and the change as its answer.

        Wishes from before are known in it, but for the one that is made now: whoever repeats it means it.
        """
        wishes = tuple(wish for wish in self.belief.wishes if wish != (name, value))
        best = self.recommend()
        question = Question((best.configuration,), status=UNASKED, besides=wishes)
        return Answered(question, Change(name, value), self._kept(best, name, value) if keep else None)

    def _kept(self, best: Recommendation, name: str | None, value: Value | None) -> Configuration:
        """What the change makes of the recommendation; the error of `adjust` where it cannot be."""
        wish = self.with_change(name, value, recommendation=best)
        if name is None or value is None:
            return wish.configuration
        found = previews(self.belief.oracle, best, name, kept_values(self.events))[self._written(name, value)]
        return (found or wish).configuration

    def _written(self, name: str, value: Value) -> Value:
        """The value as the catalogue has it: "16" is 16."""
        attribute = self.space.attributes[self.space.names.positions[name]]
        return attribute.values[attribute.index(value)]

    def undo(self) -> Event:
        """Take back the last answer or must-have.

        The question is again the one from before it. Raises InterviewError where nothing happened yet.
        """
        before = self._log.after(Undone())
        event = self.events[-1]
        self._replay(before.events)
        if isinstance(event, Answered) and was_asked(event.question):
            self._moments[len(before.events)] = KnownMoment(self.belief, event.question, asked=True)
        return event

    def change(self, number: int, answer: Answer | int) -> None:
        """Answer an earlier question differently; later questions and answers stay as they were.

        Parameters
        ----------
        number : int
            Which question of the `history`, counted from 0.
        answer : int or Answer
            As for `tell`.
        """
        self._enter(Changed(number, as_answer(answer)))

    def require(self, rule: str) -> None:
        """Add a must-have, such as `type = laptop` or `price <= 900`; nothing that breaks it appears from then on.

        Raises
        ------
        RuleError
            Where the rule cannot be read.
        InfeasibleSpace
            Where nothing can be built any more; `conflict` names a smallest set of rules that cannot hold together, and
            the interview stays as it was.
        """
        self._enter(Required(bind(rule, self.space.names).text))

    def drop(self, rule: str) -> None:
        """Take a must-have back; spaces in it do not matter. Raises InterviewError where it is not in force."""
        if not isinstance(rule, str):
            raise InterviewError(f"{short(rule)} is no must-have; in force: {', '.join(self.must_haves) or 'none'}")
        self._enter(Dropped(rule))

    def stakes(self) -> Stakes | None:
        """How good the recommendation probably is, and how many questions are left; None: the strategy cannot tell."""
        stakes, now = self._asking.stakes(self.belief), self._now
        if stakes is not None and now.asked and now.question is None:
            return replace(stakes, questions_left=0)  # whatever is still at stake, nothing more can be asked
        return stakes

    # Events

    def after(self, *events: Event) -> Interview:
        """The interview as it will be if this happens next; this one stays as it is, and what is known is shared."""
        twin = copy(self)
        twin._replay([*self.events, *events])
        return twin

    def giving(self, question: Question | None) -> Interview:
        """This interview with a question that was given already, so that it is not worked out; None: nothing is left.

        Whatever is worked out anew may be another question where a strategy stops by the clock, or is a newer version.

        Raises
        ------
        SetmarginError
            Where the options are no configurations of this space under its must-haves.
        """
        if question is not None:
            question = question_in_space(question, self.belief.space)
        twin = copy(self)
        twin._moments = {**self._moments, len(self.events): KnownMoment(self.belief, question, asked=True)}
        return twin

    def reconsider(self) -> None:
        """Let go of the current question: `ask` works it out anew, by a strategy that may stop elsewhere now."""
        self._moments = {**self._moments, len(self.events): KnownMoment(self.belief)}

    def forget(self) -> None:
        """Let go of all that can be worked out again, to save memory: undo and change then have to."""
        # A copy of a belief holds what the belief is made of, as its pickle does.
        self._moments = {len(self.events): replace(self._now, belief=copy(self.belief))}

    @property
    def _now(self) -> KnownMoment:
        return self._moments[len(self.events)]

    def _enter(self, entry: Entry) -> None:
        self._replay(self._log.after(entry).events)

    def _replay(self, events: Sequence[Event], known: KnownMoments | None = None) -> None:
        """All events anew, from the latest moment that is known; nothing changes if one of them fails."""
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self.events, events, strict=False)))
        moments = known or {place: moment for place, moment in self._moments.items() if place <= same}
        moments = moments or {0: KnownMoment(self.strategy.start(self.space, seed=self.seed))}
        moments = moments_until(events, moments, space=self.space, strategy=self.strategy)
        self._log, self._moments = Log(tuple(events)), moments

    # One JSON file

    def document(self) -> dict[str, Any]:
        """The whole interview as plain data, which `from_document` continues: with the current question, once asked."""
        now = self._now
        shown = None if now.question is None else question_document(now.question)
        document = interview_document(self.space, self.strategy, seed=self.seed, events=self.events)
        return document | ({"question": shown} if now.asked else {})

    @classmethod
    def from_document(
        cls, document: Mapping[str, Any], *, strategy: Strategy[Any] | None = None, folder: Path | None = None
    ) -> Interview:
        """The interview behind plain data, replayed; a question that was on the screen is the current one again.

        A strategy of your own is found by its name if it was registered (see `register`), or is given along. A large
        catalogue is only named in the document, and kept in the folder. Raises InterviewError where the document is
        damaged.
        """
        check_parts(document)
        try:
            space = kept_space(document["catalogue"], folder)
            oracle_for(space)  # where nothing can be built, that is what has to be said
            events = all_in_space([read_event(event) for event in document["events"]], space)
            found = cls(space, strategy or strategy_in(document["strategy"]), seed=document["seed"], events=events)
            return found.giving(shown_in(document)) if "question" in document else found
        except SetmarginError as error:
            raise InterviewError(str(error)) from None

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the interview to a file for its owner alone, whole or not at all; `Interview.load` continues it.

        Once this returns, the file is on the disk. A large catalogue is kept beside it, once for all interviews there.

        Parameters
        ----------
        path : str or path
            The file.
        overwrite : bool, optional
            Whether a file that is there may be replaced, if this interview was neither loaded from it nor saved to it.

        Raises
        ------
        InterviewError
            Where it cannot be written, or another program has written it since this interview was loaded or saved.
        """
        write_interview(Path(path), self.document(), self.space, files=self._files, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, strategy: Strategy[Any] | None = None) -> Interview:
        """Continue an interview that was saved; see `from_document`."""
        document, content = read_interview(Path(path))
        try:
            loaded = cls.from_document(document, strategy=strategy, folder=Path(path).parent)
        except (InterviewError, RecursionError) as error:
            raise InterviewError(f"{path} cannot be continued: {error}") from None
        loaded._files.note(Path(path), content)
        return loaded
