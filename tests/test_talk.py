"""Answers that say more: reasons for a choice, and changes of what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from setmargin.answers import (
    Answer,
    Change,
    Choice,
    NoDifference,
    Preference,
    Question,
    Ranking,
    Skip,
    check,
    differing,
    from_document,
    preferences,
    settled,
    to_document,
)
from setmargin.errors import AnswerError
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.registry import make_strategy
from setmargin.strategies.shared.changes import changes_of, column_of, gains_of

SPACE = Space(
    {"colour": ["red", "green", "blue"], "size": [1, 2], "box": ["yes", "no"]},
    quantities=[Quantity("price", {"size": 2.0, "box": {"yes": 1, "no": 0}}, better="lower")],
)


def show(*rows: tuple[int, int, int], **more: Any) -> Question:
    return Question(tuple(SPACE.configuration(row) for row in rows), **more)


def test_options_differ_in_attributes_and_quantities() -> None:
    assert differing(SPACE, show((0, 0, 0), (1, 0, 0)).options) == ("colour",)
    assert differing(SPACE, show((0, 0, 0), (0, 1, 0)).options) == ("size", "price")


def test_quantities_that_make_up_for_each_other_do_not_differ() -> None:
    space = Space({"a": [0, 1], "b": [0, 1]}, quantities=[Quantity("sum", {"a": 1.0, "b": 1.0})])
    options = [space.configuration((0, 1)), space.configuration((1, 0))]
    assert differing(space, options) == ("a", "b")


@pytest.mark.parametrize(
    "answer",
    [Choice(0, ("colour",)), Choice(1, ("price", "colour")), Ranking((1, 0), ("size",)), NoDifference(("colour",))],
)
def test_reasons_in_which_the_options_differ_fit(answer: Answer) -> None:
    check(show((0, 0, 0), (1, 1, 0)), answer, SPACE)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Choice(0, ("box",)), "box is the same in all options; they differ in colour"),
        (Choice(0, ("color",)), "'color' is unknown; did you mean colour"),
        (Choice(0, ("colour", "box")), "box is the same"),
        (Change("colour", "red"), "colour is red already"),
        (Change("colour", "pink"), "pink"),
        (Change("weight"), "'weight' cannot be changed"),
        (Change("colour"), "instead of red should be what"),
        (Change("price", 3), "follows from the choices"),
        (Change("colour", "blue", option=2), "the options are 0 to 1"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_named(answer: Answer, message: str) -> None:
    with pytest.raises(AnswerError, match=message):
        check(show((0, 0, 0), (1, 1, 0)), answer, SPACE)


def test_a_value_alone_is_no_change() -> None:
    with pytest.raises(AnswerError, match="instead of what"):
        Change(value="red")


def test_one_reason_may_be_given_as_a_word_and_each_counts_once() -> None:
    said: Any = "price"
    assert Choice(0, said) == Choice(0, ("price",))
    assert Choice(0, ("price", "size", "price")).because == ("price", "size")
    with pytest.raises(AnswerError, match="the reason is 3"):
        Choice(0, 3)  # type: ignore[arg-type]


def test_a_single_configuration_asks_for_a_change() -> None:
    alone = show((0, 0, 0))
    assert alone.asks_for_change
    assert not alone.is_comparison
    check(alone, Change("colour", "blue"), SPACE)
    check(alone, Skip(), SPACE)
    for answer in (NoDifference(), Ranking((0,))):
        with pytest.raises(AnswerError, match="say what to change"):
            check(alone, answer, SPACE)


def test_choosing_the_only_option_changes_nothing() -> None:
    assert settled(show((0, 0, 0)), Choice(0)) == Change()
    assert settled(show((0, 0, 0), (1, 0, 0)), Choice(0)) == Choice(0)


def test_changing_one_of_several_also_prefers_it() -> None:
    pairs = preferences(show((0, 0, 0), (1, 0, 0), asks_for_change=True), Change("box", "no", option=1))
    assert pairs == (Preference(1, 0, True),)
    assert preferences(show((0, 0, 0)), Change("box", "no")) == ()


def test_known_wishes_belong_to_questions_about_changes_and_are_not_named_again() -> None:
    with pytest.raises(AnswerError, match="known already"):
        show((0, 0, 0), (1, 0, 0), besides=(("box", "no"),))
    question = show((0, 0, 0), besides=(("box", "no"), ("price", None)))
    check(question, Change("size", 2), SPACE)
    for wish in (Change("box", "no"), Change("price")):
        with pytest.raises(AnswerError, match="is known already"):
            check(question, wish, SPACE)


def test_all_changes_are_offered_but_what_is_shown_known_or_impossible() -> None:
    space = SPACE.with_rules("colour != green")
    question = show((0, 0, 0), besides=(("size", 2),))
    offered = changes_of(space, question)
    assert offered == [Change("colour", "blue"), Change("box", "no"), Change("price"), Change()]
    assert [column_of(space, each.name, each.value) for each in offered] == [2, 6, 7, 8]


def test_what_a_change_is_worth_counts_what_it_does_to_quantities() -> None:
    weights = np.arange(1.0, 9.0)
    question = show((0, 0, 0))
    changes, gains = gains_of(SPACE, weights, question)
    worth = dict(zip(changes, gains, strict=True))
    for change in changes:
        if change.value is not None and change.name is not None:
            changed = {**question.options[0], change.name: change.value}
            apart = weights @ (SPACE.encode(changed) - SPACE.encode(question.options[0]))
            assert worth[change] == pytest.approx(apart)
    assert worth[Change()] == 0
    assert worth[Change("price")] == pytest.approx(0.15 * 8)


@pytest.mark.parametrize(
    ("answer", "document"),
    [
        (Choice(1, ("price",)), {"choice": 1, "because": ["price"]}),
        (Ranking((1, 0), ("size", "box")), {"ranking": [1, 0], "because": ["size", "box"]}),
        (NoDifference(("box",)), {"equal": True, "because": ["box"]}),
        (Change("box", "no"), {"change": {"name": "box", "value": "no"}}),
        (Change("price", option=1), {"change": {"name": "price", "option": 1}}),
        (Change(), {"change": {}}),
    ],
)
def test_what_is_said_survives_being_written_and_read(answer: Answer, document: dict[str, Any]) -> None:
    assert to_document(answer) == document
    assert from_document(document) == answer


@pytest.mark.parametrize(
    "document",
    [
        {"choice": 0, "because": 3},
        {"choice": 0, "because": [1]},
        {"skip": True, "because": ["price"]},
        {"change": {"name": 1}},
        {"change": {"name": "box", "value": True}},
        {"change": {"colour": "red"}},
        {"change": "price"},
        {"change": {}, "because": ["price"]},
        {"change": {"name": "box", "value": "no", "option": "1"}},
    ],
    ids=repr,
)
def test_malformed_data_says_nothing(document: Any) -> None:
    with pytest.raises(AnswerError):
        from_document(document)


def test_a_change_that_must_haves_exclude_is_refused_and_changes_nothing() -> None:
    strategy = make_strategy("bayes")
    belief = strategy.start(SPACE.with_rules("colour != green"))
    with pytest.raises(AnswerError, match="colour cannot be green"):
        strategy.learn(belief, show((0, 0, 0)), Change("colour", "green"))
    assert strategy.learn(belief, show((0, 0, 0)), Change("colour", "blue")).answered == 1
