"""What one process does with one interview: pure computation from a log of events, without HTTP and without a store.

Whatever an interview comes to depends on its catalogue, strategy, seed and the events in force, and on nothing else.
So every interview that was worked out is kept under exactly these, and whatever is asked starts from the longest
beginning that is known: an answer from the moment before it, an undo from an earlier one, a look ahead likewise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import perf_counter
from typing import Any, Final

from setmargin import answers
from setmargin.answers import Answer, Change, Question
from setmargin.documents import AnswerPreview, Catalogue, ChangesOfBest, Possible, Previews, Result
from setmargin.errors import ConfigurationError, InterviewError, SpaceError
from setmargin.interview.interview import Interview
from setmargin.interview.log import (
    Answered,
    Changed,
    Entry,
    Event,
    Finished,
    Log,
    Undone,
    all_in_space,
    check_shown,
    entry_document,
    in_space,
    must_haves_after,
    read_entry,
    was_asked,
)
from setmargin.interview.saving import interview_document
from setmargin.lru import Lru
from setmargin.server.checkpoint import Checkpoint
from setmargin.server.errors import CheckpointNeeded, ReplayUnfinished
from setmargin.server.work import beliefs
from setmargin.server.work.describe import Step, catalogue_of, changes_of_best, step_of
from setmargin.server.work.job import PRIOR, Job
from setmargin.server.work.possible import possible_of
from setmargin.server.work.priors import PriorReport, read_prior, report_on
from setmargin.server.work.results import answer_preview, previews_of, result_of
from setmargin.solve.oracle import forget_compiled, oracle_for
from setmargin.space.document import from_document
from setmargin.space.rules import bind
from setmargin.space.space import Configuration, Space
from setmargin.space.text import short
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import restore_strategy

FEW: Final = 4
"""So many events are replayed without looking for a checkpoint."""
REPLAY_SECONDS: Final = 0.3
"""How long one call may replay events: then it is somebody else's turn."""
EVERYBODYS: Final = 5
"""So many events in, interviews are often alike: what is at hand of such beginnings serves others."""
KEPT_BEHIND: Final = 4
"""Moments of an interview that stay at hand, for undo and for what is worked out ahead."""
STEPS: Final = 4
"""A strategy learns, asks and recommends in a call: what a call may take is divided by this for each of them."""


class DocumentNeeded(Exception):
    """The job came without its catalogue's or its prior's document, which this process lacks too; send it along."""


class Sessions:
    """The interviews that one process has at hand, the most recently used ones."""

    def __init__(self, *, seconds: float | None = None, interviews: int = 2500, catalogues: int = 40) -> None:
        """`seconds` is what anything asked of it may take; strategies that keep an eye on the clock then hurry."""
        self._seconds = seconds
        self._spaces: Lru[str, Space] = Lru(catalogues)
        self._priors: Lru[str, Any] = Lru(catalogues)
        self._interviews: Lru[str, Interview] = Lru(interviews)
        self._following: Lru[str, set[str]] = Lru(interviews)
        """What was worked out to come after each interview, by their keys."""
        self._owners: dict[str, str] = {}
        """Whose interview each was last, by the same keys."""

    def __len__(self) -> int:
        return len(self._interviews)

    def forget_half(self) -> None:
        """Let go of the interviews that were used longest ago, and of what was compiled, to save memory."""
        self._interviews.shrink(len(self._interviews) // 2)
        forget_compiled()

    def forget(self, ids: Collection[str]) -> None:
        """Let go of whatever is at hand of these interviews, of what they would have come to as well."""
        gone = set(ids)
        self._interviews.discard_where(lambda key, _: self._owners.get(key) in gone)

    def _keep(self, job: Job, key: str, interview: Interview) -> None:
        self._interviews[key], self._owners[key] = interview, job.id
        if len(self._owners) > 2 * len(self._interviews) + FEW:
            self._owners = {key: id for key, id in self._owners.items() if key in self._interviews}

    # What is asked of it

    def step(self, job: Job) -> Step:
        """The interview after its events."""
        log = job.log
        with self._interview(job, log) as interview:
            return step_of(interview, log, id=job.id, version=job.version)

    def apply(self, job: Job, event: Mapping[str, Any]) -> Step:
        """The interview after one event more, which is checked, and completed where it says less than the log needs.

        An answer names the id of its question or none, which is then the current one, and a finish may come with None,
        which is then the recommendation. Nothing is stored: the event is part of the interview once a job has it.
        """
        before = job.log
        entry = self._entry(job, before, event)
        log = before.after(entry)
        with self._interview(job, log, again=_asked_again(before, entry)) as interview:
            return step_of(interview, log, id=job.id, version=job.version + 1, event=entry_document(entry))

    def result(self, job: Job) -> Result:
        """The recommendation with its reasons."""
        with self._interview(job, job.log) as interview:
            return result_of(interview, version=job.version)

    def changes(self, job: Job) -> ChangesOfBest:
        """What can be asked for instead of the recommendation."""
        with self._interview(job, job.log) as interview:
            return changes_of_best(interview, version=job.version)

    def previews(self, job: Job, name: str) -> Previews:
        """What each other value of an attribute of the recommendation would come to."""
        with self._interview(job, job.log) as interview:
            return previews_of(interview, name, version=job.version)

    def answer_preview(self, job: Job, event: Mapping[str, Any]) -> AnswerPreview:
        """What would be recommended if an earlier question were answered as this event says; nothing happens."""
        before = job.log
        entry = self._entry(job, before, event)
        assert isinstance(entry, Changed)
        with self._interview(job, before) as now, self._interview(job, before.after(entry)) as then:
            return answer_preview(now, then, entry.number, version=job.version)

    def export(self, job: Job) -> dict[str, Any]:
        """The interview as `Interview.load` reads it, with its question where that was given; nothing is replayed."""
        space = self._space(job)
        happened = all_in_space(job.log.events, space)
        document = interview_document(space, self._hurried(job), seed=job.seed, events=happened)
        return document | ({"question": job.questions[job.version]} if job.version in job.questions else {})

    def belief(self, job: Job) -> Checkpoint:
        """The belief after the events, to be kept in the store."""
        log = job.log
        with self._interview(job, log) as interview:
            return _checkpoint(job, interview, job.keys(log.events)[-1])

    def catalogue(self, document: Mapping[str, Any], digest: str) -> Catalogue:
        """What a catalogue holds, counted."""
        return catalogue_of(from_document(document), digest=digest)

    def possible(self, job: Job, *must_haves: Mapping[str, Any]) -> Possible:
        """What must-haves, each as an event would hold it, leave of the catalogue."""
        return possible_of(self._space(job), [str(each["require"]) for each in must_haves], digest=job.digest)

    def prior(self, document: Mapping[str, Any], catalogue: Mapping[str, Any]) -> PriorReport:
        """What a prior says about the people of this catalogue; an error where it does not fit it."""
        return report_on(document, from_document(catalogue))

    def prepare_catalogue(self, document: Mapping[str, Any]) -> None:
        """Work out once what every interview on the catalogue needs, and is kept wherever that is worked out."""
        Interview(from_document(document)).ask()

    # Events

    def _entry(self, job: Job, before: Log, event: Mapping[str, Any]) -> Entry:
        match event:
            case {"change": int(number), "answer": answer}:
                given = sum(isinstance(each, Answered) for each in before.events)
                if not 0 <= number < given:
                    raise InterviewError(f"there is no answer {number + 1}; {given} were given")
                _check_named(before.question(number), event)
                return Changed(number, self._said(job, answer))
            case {"answer": answer}:
                return Answered(self._asked(job, before, event), self._said(job, answer))
            case {"adjust": wanted, **more}:
                return self._adjusted(job, before, self._said(job, {"change": wanted}), keep=bool(more.get("keep")))
            case {"ask_on": None}:
                with self._interview(job, before) as interview:
                    return interview.asking_on()
            case {"finish": configuration}:
                return Finished(self._taken(job, before, configuration))
        return read_entry(event)

    def _asked(self, job: Job, log: Log, event: Mapping[str, Any]) -> Question:
        """The current question; whoever says which one they were shown was shown this one."""
        with self._interview(job, log) as interview:
            question = interview.ask()
        if question is None:
            raise InterviewError("there is no question left to answer; take the recommendation, or undo")
        _check_named(question, event)
        return question

    def _said(self, job: Job, document: Mapping[str, Any]) -> Answer:
        """The answer, whose value is written as in the catalogue: 16 and "16" are one wish."""
        answer = answers.from_document(document)
        if not isinstance(answer, Change) or answer.value is None:
            return answer
        attribute = next((each for each in self._space(job).attributes if each.name == answer.name), None)
        with suppress(SpaceError):
            if attribute is not None:
                return replace(answer, value=attribute.values[attribute.index(answer.value)])
        return answer  # which is refused where it is checked

    def _adjusted(self, job: Job, log: Log, change: Answer, *, keep: bool) -> Answered:
        """A change of the recommendation, as the answer to a question that nobody asked."""
        assert isinstance(change, Change)
        with self._interview(job, log) as interview:
            return interview.adjustment(change.name, change.value, keep=keep)

    def _taken(self, job: Job, log: Log, configuration: Mapping[str, Any] | None) -> Configuration:
        with self._interview(job, log) as interview:
            if configuration is None:
                return interview.recommend().configuration
            space = interview.belief.space
        if not isinstance(configuration, Mapping):
            raise ConfigurationError(f"{short(configuration)} is no configuration; give a value for each attribute")
        taken = space.configuration(space.indices(configuration))
        space.check(taken)
        return taken

    # Interviews

    @contextmanager
    def _interview(self, job: Job, log: Log, *, again: Question | None = None) -> Iterator[Interview]:
        """The interview with these events in force; afterwards it is kept, as small as it can be.

        A question that was given there, or is asked `again`, is its question. That of the interview which is kept is
        worked out: others, who were asked something else, may come to the same events.
        """
        keys = job.keys(log.events)
        found = self._found(job, log.events, keys)
        self._keep(job, keys[-1], found)
        given = job.given(log.events)
        if given is None and again is not None:
            given = (again,)
        yield found if given is None else found.giving(*given)
        found.forget()
        self._let_go(keys)

    def _let_go(self, keys: Sequence[str]) -> None:
        """Of what leads to an interview only its end stays at hand, and nothing of what could have come instead.

        So what is worked out ahead takes no room from what others are at. Beginnings are everybody's.
        """
        if len(keys) > 1:
            self._following[keys[-2]] = {*(self._following.get(keys[-2]) or ()), keys[-1]}
        for passed, instead in zip(keys[EVERYBODYS:-2], keys[EVERYBODYS + 1 : -1], strict=True):
            for other in self._following.get(passed) or ():
                if other != instead:
                    self._interviews.discard(other)
            self._following.discard(passed)
        for passed in keys[EVERYBODYS:-KEPT_BEHIND]:
            self._interviews.discard(passed)

    def _found(self, job: Job, events: Sequence[Event], keys: Sequence[str]) -> Interview:
        """From the longest beginning that is at hand, unless the store's checkpoint knows more."""
        length = next((n for n in reversed(range(len(keys))) if keys[n] in self._interviews), -1)
        if not job.is_searched and length < len(events) - FEW:
            raise CheckpointNeeded(tuple(keys))
        found = self._interviews[keys[length]] if length >= 0 else None
        kept = job.checkpoint
        if kept is not None and length < kept.events <= len(events) and keys[kept.events] == kept.key:
            found = self._restored(job, events[: kept.events], kept) or found
        return self._replayed(job, found or self._opened(job), events, keys)

    def _replayed(self, job: Job, found: Interview, events: Sequence[Event], keys: Sequence[str]) -> Interview:
        """All events after those that the interview has; ReplayUnfinished where they are too many for one call.

        However little time there is, each call comes at least one answer further.
        """
        until = None if self._seconds is None else perf_counter() + min(REPLAY_SECONDS, self._seconds / STEPS)
        while (done := len(found.events)) < len(events):
            found = found.after(*(in_space(event, found.space) for event in _next_events(events, done)))
            found.forget()
            done = len(found.events)
            if until is not None and done < len(events) and perf_counter() > until:
                self._keep_replayed(job, found, keys)
                in_force = job.log.events
                newest = len(in_force) if in_force[:done] == tuple(events[:done]) else None
                raise ReplayUnfinished(done, len(events), keys[done], _checkpoint(job, found, keys[done]).body, newest)
        return found

    def _keep_replayed(self, job: Job, found: Interview, keys: Sequence[str]) -> None:
        """Have it at hand for the next call; of those before it only the last, so that others stay at hand, too."""
        done = len(found.events)
        self._keep(job, keys[done], found)
        for passed in keys[EVERYBODYS : max(EVERYBODYS, done - KEPT_BEHIND)]:
            self._interviews.discard(passed)

    def _opened(self, job: Job) -> Interview:
        """The interview before anything happened."""
        return Interview(self._space(job), self._hurried(job), seed=job.seed)

    def _restored(self, job: Job, events: Sequence[Event], kept: Checkpoint) -> Interview | None:
        """From the belief that the store has; None where that cannot be read here."""
        space = self._space(job)
        happened = all_in_space(events, space)
        history = tuple((event.question, event.answer) for event in happened if isinstance(event, Answered))
        rules = [bind(text, space.names) for text in must_haves_after(happened)]
        now = oracle_for(space, must=rules).space
        belief = beliefs.load(kept.body, stamp=[*job.stamp, kept.key], space=now, history=history)
        if belief is None:
            return None
        known = (len(happened), belief)
        return Interview(space, self._hurried(job), seed=job.seed, events=happened, known=known)

    def _hurried(self, job: Job) -> Strategy[Any]:
        strategy = self._strategy(job)
        return strategy if self._seconds is None else strategy.within(self._seconds / STEPS)

    def _strategy(self, job: Job) -> Strategy[Any]:
        """The strategy with the prior that it names, which is read once for all interviews."""
        key = job.prior_key
        if not key:
            return restore_strategy(**job.strategy)
        if key not in self._priors:
            if job.prior is None:
                raise DocumentNeeded(key)
            self._priors[key] = read_prior(job.prior)
        return restore_strategy(**{**job.strategy, PRIOR: self._priors[key]})

    def _space(self, job: Job) -> Space:
        if job.digest not in self._spaces:
            if job.catalogue is None:
                raise DocumentNeeded(job.digest)
            self._spaces[job.digest] = from_document(job.catalogue)
        return self._spaces[job.digest]


def _asked_again(before: Log, entry: Entry) -> Question | None:
    """The question whose answer is taken back, as `Interview.undo` has it."""
    last = before.events[-1] if before.events else None
    is_undone = isinstance(entry, Undone) and before.finished is None
    return last.question if is_undone and isinstance(last, Answered) and was_asked(last.question) else None


def _check_named(question: Question, event: Mapping[str, Any]) -> None:
    if event.get("question") is not None:
        check_shown(question, event["question"])


def _next_events(events: Sequence[Event], done: int) -> Sequence[Event]:
    """What is replayed in one go: an answer, or must-haves that follow each other, which are compiled together."""
    end = done + 1
    while not isinstance(events[end - 1], Answered) and end < len(events) and not isinstance(events[end], Answered):
        end += 1
    return events[done:end]


def _checkpoint(job: Job, interview: Interview, key: str) -> Checkpoint:
    body = beliefs.dump(interview.belief, stamp=[*job.stamp, key])
    return Checkpoint(len(interview.events), key, body)
