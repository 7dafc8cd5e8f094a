"""Interviews: undo, change, must-haves, and one file that is written whole and read with care."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from setmargin.answers import Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip
from setmargin.errors import AnswerError, InfeasibleSpace, InterviewError, OptionError, RuleError, SetmarginError
from setmargin.interview import Answered, Dropped, Interview, Required
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.random import RandomStrategy
from setmargin.strategies.registry import make_strategy

SPACE = Space(
    {"colour": ["red", "green", "blue"], "size": [1, 2, 3], "box": ["yes", "no"]},
    quantities=[Quantity("price", {"size": 2.0, "box": {"yes": 1, "no": 0.5}}, better="lower")],
    rules=["colour = red => size >= 2", "price <= 4.5 or colour != green"],
    name="boxes",
)

STRATEGIES: dict[str, Callable[[], Strategy[Any]]] = {
    "random": lambda: make_strategy("random", set_size=3),
    "setmargin": lambda: make_strategy("setmargin", mode="fast", fits=4, tuning=None),
}
Make = Callable[[], Interview]


@pytest.fixture(params=STRATEGIES)
def make(request: pytest.FixtureRequest) -> Make:
    return lambda: Interview(SPACE, STRATEGIES[request.param](), seed=4)


@pytest.fixture
def interview() -> Interview:
    return Interview(SPACE, STRATEGIES["random"](), seed=4)


def asked(interview: Interview) -> Question:
    question = interview.ask()
    assert question is not None
    return question


def eventful(make: Make) -> Interview:
    """An interview in which everything happened, must-haves between answers."""
    interview = make()
    interview.tell(1)
    interview.require("size >= 2")
    interview.tell(NoDifference())
    interview.skip()
    interview.require("colour != blue")
    interview.tell(Ranking(tuple(range(len(asked(interview).options)))))
    interview.drop("size >= 2")
    interview.tell(Comparisons(((0, 1, Outcome.SECOND),)))
    return interview


def assert_same(one: Interview, other: Interview) -> None:
    assert one.events == other.events
    assert one.must_haves == other.must_haves
    assert one.belief == other.belief
    assert one.ask() == other.ask()
    assert one.recommend() == other.recommend()


# Asking and telling


class Counting(Strategy[Belief]):
    """Asks about the next two configurations each time, and counts how often it was asked."""

    name = "counting"

    def __init__(self) -> None:
        super().__init__()
        self.asks = 0

    def _start(self, space: Space, seed: int) -> Belief:
        return Belief(space, seed)

    def _ask(self, belief: Belief) -> Question | None:
        self.asks += 1
        pairs = [(a, b) for a in belief.space.attributes[0].values for b in belief.space.attributes[1].values]
        here = pairs[len(belief.history) : len(belief.history) + 2]
        options = [{"colour": colour, "size": size, "box": "no"} for colour, size in here]
        return Question(tuple(map(belief.space.configuration, map(belief.space.indices, options)))) if here else None

    def _recommend(self, belief: Belief) -> Recommendation:
        raise NotImplementedError


def test_the_question_stays_until_it_is_told(make: Make) -> None:
    interview = make()
    first = asked(interview)
    interview.recommend()
    interview.explain()
    assert interview.ask() is first
    with pytest.raises(AnswerError):
        interview.tell(7)
    assert interview.ask() is first
    interview.tell(0)
    assert asked(interview) != first
    assert interview.history == ((first, Choice(0)),)


def test_a_strategy_is_asked_once_for_each_question_and_never_again_for_undo() -> None:
    strategy = Counting()
    interview = Interview(SPACE, strategy)
    for _ in range(3):
        assert interview.ask() is interview.ask()
        interview.tell(0)
    assert strategy.asks == 3
    interview.change(0, 1)
    for _ in range(2):
        event = interview.undo()
        assert isinstance(event, Answered)
        assert interview.ask() == event.question
    assert strategy.asks == 3


def test_skipping_goes_on_to_another_question(make: Make) -> None:
    interview = make()
    first = asked(interview)
    interview.skip()
    assert frozenset(asked(interview).options) != frozenset(first.options)
    assert interview.events == (Answered(first, Skip()),)
    assert interview.belief.answered == 0


@pytest.mark.parametrize("answer", [2.0, "0", None, True, Choice(9), Ranking((0,)), {"choice": 0}])
def test_what_is_no_answer_changes_nothing(interview: Interview, answer: Any) -> None:
    question = asked(interview)
    with pytest.raises(AnswerError):
        interview.tell(answer)
    assert interview.events == ()
    assert interview.ask() is question


def test_nothing_can_be_told_when_nothing_is_asked() -> None:
    interview = Interview(Space({"a": [1]}), STRATEGIES["random"]())
    assert interview.ask() is None
    with pytest.raises(InterviewError, match="no question left"):
        interview.tell(0)
    with pytest.raises(InterviewError, match="no question left"):
        interview.skip()
    assert dict(interview.recommend().configuration) == {"a": 1}


@pytest.mark.parametrize("seed", [-1, 1.0, True, None, "3"])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(OptionError, match="the seed is"):
        Interview(SPACE, seed=seed)


def test_the_default_strategy_is_setmargin() -> None:
    assert Interview(SPACE).strategy.name == "setmargin"


# Undo and change


def test_undo_goes_back_step_by_step_to_exactly_what_was(make: Make) -> None:
    interview = make()
    steps: list[Callable[[], None]] = [
        lambda: interview.tell(0),
        lambda: interview.require("size >= 2"),
        lambda: interview.skip(),
        lambda: interview.tell(NoDifference()),
        lambda: interview.change(0, 1),
        lambda: interview.drop("size >= 2"),
        lambda: interview.tell(1),
    ]
    states = []
    for step in steps:
        states.append((interview.belief, interview.ask(), interview.must_haves, interview.events))
        step()
    for number in (6, 5):
        interview.undo()
        assert (interview.belief, interview.ask(), interview.must_haves, interview.events) == states[number]
    interview.change(0, 0)
    for number in (3, 2, 1, 0):
        interview.undo()
        assert (interview.belief, interview.ask(), interview.must_haves, interview.events) == states[number]
    with pytest.raises(InterviewError, match="nothing to undo"):
        interview.undo()


def test_undo_says_what_was_taken_back(interview: Interview) -> None:
    question = asked(interview)
    interview.tell(1)
    interview.require(" size >= 2 ")
    interview.drop("size >= 2")
    taken_back = [interview.undo(), interview.undo(), interview.undo()]
    assert taken_back == [Dropped("size >= 2"), Required("size >= 2"), Answered(question, Choice(1))]


def test_undo_shows_the_same_question_again_also_after_loading(make: Make) -> None:
    interview = eventful(make)
    loaded = Interview.from_document(interview.document())
    for each in (interview, loaded):
        event = each.undo()
        assert isinstance(event, Answered)
        assert each.ask() == event.question


def test_a_changed_answer_is_as_if_it_had_been_given(make: Make) -> None:
    changed = eventful(make)
    for number, answer in ((0, Choice(0)), (2, Choice(1)), (1, Skip())):
        changed.change(number, answer)
    document = eventful(make).document()
    answered = [event for event in document["events"] if "answer" in event]
    answered[0]["answer"], answered[2]["answer"], answered[1]["answer"] = {"choice": 0}, {"choice": 1}, {"skip": True}
    straight = Interview.from_document(document)
    assert [answer for _, answer in changed.history][:3] == [Choice(0), Skip(), Choice(1)]
    assert_same(changed, straight)


@pytest.mark.parametrize("number", [-1, 2, 10])
def test_only_answers_that_were_given_can_be_changed(interview: Interview, number: int) -> None:
    interview.tell(0)
    interview.require("size >= 2")
    interview.tell(0)
    with pytest.raises(InterviewError, match="there is no answer"):
        interview.change(number, 1)


def test_a_change_that_does_not_fit_changes_nothing(interview: Interview) -> None:
    interview.tell(0)
    interview.tell(0)
    before, question = interview.belief, interview.ask()
    with pytest.raises(AnswerError):
        interview.change(0, 5)
    assert interview.belief is before
    assert interview.ask() is question


# Must-haves


def test_nothing_that_breaks_a_must_have_appears_until_it_is_dropped(make: Make) -> None:
    interview = make()
    interview.tell(0)
    interview.require("colour = blue")
    narrow = SPACE.with_rules("colour = blue")
    for _ in range(4):
        question = interview.ask()
        shown = [] if question is None else list(question.options)
        explanation = interview.explain()
        for option in [*shown, explanation.configuration, explanation.runner_up or explanation.configuration]:
            narrow.check(option)
        if question is not None:
            interview.tell(0)
    interview.drop("colour = blue")
    assert interview.must_haves == ()
    assert interview.belief.space == SPACE


def test_what_was_dropped_comes_back(interview: Interview) -> None:
    interview.require("colour = blue")
    interview.drop(" colour = blue ")
    seen = set()
    for _ in range(10):
        seen |= {option["colour"] for option in asked(interview).options}
        interview.tell(0)
    assert seen == {"red", "green", "blue"}


def test_an_impossible_must_have_names_the_smallest_conflict_and_changes_nothing(make: Make) -> None:
    interview = make()
    interview.tell(0)
    interview.require("box = no")
    interview.require("colour != blue")
    interview.require("size >= 2")
    before, question, events = interview.belief, interview.ask(), interview.events
    with pytest.raises(InfeasibleSpace) as caught:
        interview.require("price <= 3")
    assert set(caught.value.conflict) == {"size >= 2", "price <= 3"}
    with pytest.raises(InfeasibleSpace) as caught:
        interview.require("colour = blue or size = 1")  # no rule of the catalogue is to blame
    assert set(caught.value.conflict) == {"colour != blue", "size >= 2", "colour = blue or size = 1"}
    with pytest.raises(InfeasibleSpace) as caught:
        interview.require("colour = green and price >= 5")  # only a rule of the catalogue is to blame
    assert caught.value.conflict == ("colour = green and price >= 5",)
    with pytest.raises(InfeasibleSpace) as caught:
        interview.require("size > 3")
    assert caught.value.conflict == ("size > 3",)
    assert interview.belief is before
    assert interview.ask() is question
    assert interview.events == events


def test_a_must_have_that_cannot_be_read_changes_nothing(interview: Interview) -> None:
    question = asked(interview)
    for wrong in ("colour = pink", "price <", "", 5):
        with pytest.raises(RuleError):
            interview.require(wrong)  # type: ignore[arg-type]
    assert interview.ask() is question
    assert interview.events == ()


def test_the_same_must_have_twice_is_one(interview: Interview) -> None:
    interview.require("size >= 2")
    question = asked(interview)
    interview.require("  size >= 2 ")
    assert interview.ask() is question
    assert interview.must_haves == ("size >= 2",)


def test_only_a_must_have_in_force_can_be_dropped(interview: Interview) -> None:
    with pytest.raises(InterviewError, match="no must-have 'size >= 2'; in force: none"):
        interview.drop("size >= 2")
    interview.require("size >= 2")
    with pytest.raises(InterviewError, match="no must-have 'size = 2'; in force: size >= 2"):
        interview.drop("size = 2")
    interview.drop("size >= 2")
    with pytest.raises(InterviewError, match="in force: none"):
        interview.drop("size >= 2")


def test_a_single_configuration_that_is_left_ends_the_questions(make: Make) -> None:
    interview = make()
    interview.require("colour = red and size = 2 and box = no")
    assert interview.ask() is None
    assert interview.explain().runner_up is None


# One file


def test_a_saved_interview_goes_on_as_if_it_had_never_been_saved(make: Make, tmp_path: Path) -> None:
    interview = eventful(make)
    path = tmp_path / "interview.json"
    interview.save(path)
    loaded = Interview.load(path)
    assert_same(loaded, interview)
    assert loaded.document() == interview.document()
    for each in (interview, loaded):
        each.require("size >= 2")
        each.tell(1)
    assert_same(loaded, interview)


def test_an_interview_can_be_saved_at_any_point(make: Make, tmp_path: Path) -> None:
    interview = eventful(make)
    while interview.events:
        interview.undo()
        interview.save(tmp_path / "interview.json")
        assert_same(Interview.load(tmp_path / "interview.json"), interview)


def test_must_haves_in_a_file_are_read_like_those_that_are_typed(interview: Interview) -> None:
    interview.require("size >= 2")
    document = interview.document()
    document["events"][0]["require"] = "  size >= 2 "
    loaded = Interview.from_document(document)
    loaded.drop("size >= 2")
    assert loaded.must_haves == ()


def test_the_file_is_small_plain_json(interview: Interview, tmp_path: Path) -> None:
    interview.tell(1)
    interview.require("size >= 2")
    interview.save(tmp_path / "a.json")
    document = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert list(document) == ["setmargin", "catalogue", "strategy", "seed", "events"]
    assert document["catalogue"]["catalogue"] == "boxes"
    assert document["strategy"] == {"name": "random", "set_size": 3}
    assert document["events"][0]["answer"] == {"choice": 1}
    assert document["events"][1] == {"require": "size >= 2"}
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("failing", ["write_text", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    failing: str, error: BaseException, interview: Interview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "interview.json"
    interview.save(path)
    before = path.read_text(encoding="utf-8")
    interview.tell(0)

    def fail(self: Path, *_: Any, **__: Any) -> None:
        if failing == "write_text":
            self.write_bytes(b'{"setmargin": 1, "cat')
        raise error

    monkeypatch.setattr(Path, failing, fail)
    with pytest.raises(InterviewError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        interview.save(path)
    monkeypatch.undo()
    assert isinstance(error, KeyboardInterrupt) or str(path) in str(caught.value)
    assert path.read_text(encoding="utf-8") == before
    assert os.listdir(tmp_path) == ["interview.json"]


def test_places_that_cannot_be_written_or_read_are_named(interview: Interview, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for place in ("missing/a.json", "file/a.json", "folder", "a\0b"):
        with pytest.raises(InterviewError, match=r"cannot write .*; choose another place"):
            interview.save(tmp_path / place)
        with pytest.raises(InterviewError, match=r"cannot read|is no JSON"):
            Interview.load(tmp_path / place)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[1, 2",
        b"nonsense",
        b"[" * 100_000,
        b'{"a": ' * 5_000,
        b'{"setmargin": ' + b"9" * 5_000,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_what_is_no_json_is_refused_with_the_name_of_the_file(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(InterviewError, match=r"broken\.json is no JSON"):
        Interview.load(path)


def test_a_truncated_file_is_refused_wherever_it_was_cut(interview: Interview, tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    interview.tell(0)
    interview.save(path)
    whole = path.read_bytes().rstrip()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(InterviewError, match=r"cut\.json"):
            Interview.load(path)


def with_change(document: dict[str, Any], place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The document with one thing replaced, or removed where the value is `...`."""
    changed: Any = copy.deepcopy(document)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return changed  # type: ignore[no-any-return]


FIRST = ("events", 0, "question", 0)
DAMAGES: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("setmargin",), ..., "no saved interview"),
    (("setmargin",), 2, "format 2 is not known; this version reads 1"),
    (("setmargin",), "1", "format '1' is not known"),
    (("catalogue",), ..., "the part catalogue is missing or damaged"),
    (("catalogue",), "boxes", "the part catalogue is missing or damaged: 'boxes'"),
    (("catalogue",), {}, "its catalogue is damaged: .*(attributes|catalogue)"),
    (("catalogue", "attributes", "size"), [], "its catalogue is damaged: .*size"),
    (("catalogue", "attributes", "size"), 3, "its catalogue is damaged: .*size"),
    (("catalogue", "extra"), 3, "its catalogue is damaged: .*extra"),
    (("catalogue", "rules", 0), "colour = pink", "its catalogue is damaged: colour has no value 'pink'"),
    (("catalogue", "rules"), ["size > 3"], "nothing satisfies size > 3"),
    (("strategy",), ..., "the part strategy is missing"),
    (("strategy", "name"), "best", "no strategy 'best'"),
    (("strategy", "name"), 3, "its strategy cannot be made"),
    (("strategy", "name"), [], "its strategy cannot be made"),
    (("strategy", "set_size"), 99, "the set size is 99"),
    (("strategy", "set_size"), 2.5, "the set size is 2.5"),
    (("strategy", "set_size"), None, "the set size is None|its strategy cannot be made"),
    (("strategy", "speed"), 1, "its strategy cannot be made: .*speed"),
    (("seed",), ..., "the part seed is missing"),
    (("seed",), "4", "the part seed is missing or damaged: '4'"),
    (("seed",), float("inf"), "the part seed is missing or damaged: inf"),
    (("seed",), -4, "the seed is -4"),
    (("seed",), True, "the seed is True"),
    (("events",), {}, "the part events is missing or damaged: {}"),
    (("events", 0), None, "None is no event"),
    (("events", 0), {"what": 1}, "is no event"),
    (("events", 0, "answer"), {"choice": 9}, "option 10 was chosen"),
    (("events", 0, "answer"), "first", "'first' is no answer"),
    (("events", 0, "status"), 7, "is no event"),
    (("events", 0, "question"), [], "at least two options"),
    (("events", 0, "question"), "ab", "is no event"),
    (FIRST, "red", "'red' is no option"),
    ((*FIRST, "size"), ..., "lacks size"),
    ((*FIRST, "size"), 9, "size has no value 9"),
    ((*FIRST, "weight"), 9, "no attribute 'weight'"),
    (FIRST, {"colour": "red", "size": 1, "box": "no"}, "breaks: colour = red => size >= 2"),
    (("events", 1), {"require": "size > 3"}, "nothing satisfies size > 3"),
    (("events", 1), {"require": "width = 3"}, "no attribute or quantity 'width'"),
    (("events", 1), {"drop": "size >= 2"}, "no must-have 'size >= 2'"),
    (("events", 1), {"require": 3}, "is no event"),
]


@pytest.mark.parametrize(("place", "value", "message"), DAMAGES)
def test_damage_is_named_with_the_file(
    place: tuple[str | int, ...], value: Any, message: str, interview: Interview, tmp_path: Path
) -> None:
    interview.tell(0)
    interview.require("size >= 2")
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(with_change(interview.document(), place, value)))
    with pytest.raises(InterviewError, match=rf"damaged\.json cannot be continued: .*({message})"):
        Interview.load(path)


@pytest.mark.parametrize("document", [None, [], "text", 3, {}, {"catalogue": "pc"}, True])
def test_a_foreign_file_is_no_interview(document: Any, tmp_path: Path) -> None:
    path = tmp_path / "foreign.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InterviewError, match=r"foreign\.json cannot be continued: this is no saved interview"):
        Interview.load(path)


JUNK: list[Any] = [None, True, 0, -1, 2, 3.5, 1e308, float("nan"), float("inf"), 10**30, "", "x", "size >= 2", "\ud800"]
JUNK += [[], {}, [[]], {"a": 1}, [1, 2], "a" * 300, "random", {"choice": 0}]


def places(document: Any, here: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    keys = document if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in keys:
        yield (*here, key)
        yield from places(document[key], (*here, key))


@pytest.mark.parametrize("seed", range(2))
def test_whatever_is_changed_in_a_file_it_is_refused_or_can_be_continued(seed: int, make: Make, tmp_path: Path) -> None:
    rng = random.Random(seed)
    document = json.loads(json.dumps(eventful(make).document()))
    path = tmp_path / "mutant.json"
    refused = 0
    for _ in range(60):
        mutant = document
        for _ in range(rng.choice([1, 1, 2])):
            if known := list(places(mutant)):
                mutant = with_change(mutant, rng.choice(known), rng.choice([..., *JUNK]))
        path.write_text(json.dumps(mutant))
        try:
            interview = Interview.load(path)
        except InterviewError as error:
            assert "mutant.json" in str(error)  # noqa: PT017
            refused += 1
            continue
        assert Interview.from_document(interview.document()).belief == interview.belief
    assert refused > 20


def test_every_mistake_is_one_of_ours(interview: Interview) -> None:
    for mistake in (
        lambda: interview.tell(9),
        interview.undo,
        lambda: interview.require("?"),
        lambda: interview.drop(""),
    ):
        with pytest.raises(SetmarginError):
            mistake()


def test_spaces_in_a_must_have_do_not_matter() -> None:
    interview = Interview(SPACE, make_strategy("random"))
    interview.require("size  =  2")
    interview.require("size=2")
    assert interview.must_haves == ("size  =  2",)
    interview.drop("size= 2")
    assert not interview.must_haves


def test_an_option_may_be_chosen_by_any_whole_number() -> None:
    interview = Interview(SPACE, make_strategy("random"))
    interview.ask()
    interview.tell(np.int64(1))  # type: ignore[arg-type]
    assert interview.history[0][1] == Choice(1)


def test_a_strategy_of_ones_own_is_given_along_when_loading(tmp_path: Path) -> None:
    class Mine(RandomStrategy):
        name = "mine"

    interview = Interview(SPACE, Mine())
    interview.ask()
    interview.tell(0)
    interview.save(tmp_path / "mine.json")
    with pytest.raises(InterviewError, match="no strategy 'mine'"):
        Interview.load(tmp_path / "mine.json")
    assert Interview.load(tmp_path / "mine.json", strategy=Mine()).belief == interview.belief
