"""Answers: what fits a question, what it says about pairs, ways of asking in pairs, and plain data."""

from __future__ import annotations

import json
from itertools import combinations, pairwise, permutations
from math import ceil, log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import (
    Answer,
    Choice,
    Comparisons,
    NoDifference,
    Outcome,
    Question,
    Ranking,
    Skip,
    all_pairs,
    by_sorting,
    check,
    from_document,
    preferences,
    to_document,
)
from setmargin.errors import AnswerError
from setmargin.space.space import Configuration

claims = settings(derandomize=True, deadline=None, max_examples=100)

options = st.integers(0, 5)
answers: st.SearchStrategy[Answer] = st.one_of(
    options.map(Choice),
    st.permutations(range(4)).map(lambda order: Ranking(tuple(order))),
    st.just(NoDifference()),
    st.just(Skip()),
    st.lists(st.tuples(options, options, st.sampled_from(Outcome))).map(lambda said: Comparisons(tuple(said))),
)


def question(size: int) -> Question:
    return Question(tuple(Configuration({"a": number, "b": "same"}) for number in range(size)))


# Questions


@pytest.mark.parametrize("numbers", [(), (1, 1), (1, 2, 1), (1, 1.0)])
def test_a_question_shows_different_options(numbers: tuple[float, ...]) -> None:
    with pytest.raises(AnswerError, match=r"at least one configuration|twice"):
        Question(tuple(Configuration({"a": number}) for number in numbers))


def test_how_a_question_was_found_is_no_part_of_its_identity() -> None:
    plain = question(2)
    found = Question(plain.options, status="optimal", gap=0.5)
    assert found == plain
    assert hash(found) == hash(plain)
    assert Question(plain.options[::-1]) != plain


# What fits


def test_a_forced_choice_may_not_be_left_undecided() -> None:
    forced = Question(question(2).options, forced=True)
    check(forced, Choice(1))
    check(forced, Skip())
    with pytest.raises(AnswerError, match="choose one, or skip"):
        check(forced, NoDifference())
    assert forced != question(2)


@pytest.mark.parametrize(
    "answer",
    [
        Choice(0),
        Choice(2),
        Ranking((2, 0, 1)),
        NoDifference(),
        Skip(),
        Comparisons(()),
        Comparisons(((0, 1, Outcome.FIRST), (2, 1, Outcome.EQUAL))),
    ],
)
def test_an_answer_about_the_options_fits(answer: Answer) -> None:
    check(question(3), answer)


WRONG: list[tuple[Any, str]] = [
    (Choice(3), "option 3 was chosen, but the options are 0 to 2"),
    (Choice(-1), "option -1 was chosen"),
    (Choice(True), "option True was chosen"),
    (Choice("0"), "option '0' was chosen"),  # type: ignore[arg-type]
    (Choice(1.0), "option 1.0 was chosen"),  # type: ignore[arg-type]
    (Ranking((0, 1)), "the ranking 0, 1 must name each of the options 0 to 2 once"),
    (Ranking((0, 1, 1)), "the ranking 0, 1, 1 must"),
    (Ranking((0, 1, 3)), "the ranking 0, 1, 3 must"),
    (Ranking((0, 1, 2, 0)), "the ranking 0, 1, 2, 0 must"),
    (Ranking((0, True, 2)), "the ranking 0, True, 2 must"),
    (Ranking(()), "must name each"),
    (Comparisons(((0, 3, Outcome.FIRST),)), "options 0 and 3 are no pair of the options 0 to 2"),
    (Comparisons(((0, 1, Outcome.FIRST), (1, 1, Outcome.FIRST))), "options 1 and 1 are no pair"),
    (Comparisons(((-1, 1, Outcome.FIRST),)), "options -1 and 1 are no pair"),
    (Comparisons(((0, "1", Outcome.FIRST),)), "options 0 and '1' are no pair"),  # type: ignore[arg-type]
    (Comparisons(((0, 1, "first"),)), "options 0 and 1 compare as 'first'"),  # type: ignore[arg-type]
    (0, "0 is no answer"),
    (None, "None is no answer"),
    ("skip", "'skip' is no answer"),
    (Outcome.FIRST, "is no answer"),
]


@pytest.mark.parametrize(("answer", "message"), WRONG)
def test_what_does_not_fit_is_refused_before_anything_is_learnt_from_it(answer: Any, message: str) -> None:
    for ask in (check, preferences):
        with pytest.raises(AnswerError, match=message):
            ask(question(3), answer)


# What answers say about pairs


@pytest.mark.parametrize(
    ("answer", "pairs"),
    [
        (Choice(1), [(1, 0, True), (1, 2, True)]),
        (Ranking((2, 0, 1)), [(2, 0, True), (2, 1, True), (0, 1, True)]),
        (NoDifference(), [(0, 1, False), (0, 2, False), (1, 2, False)]),
        (Skip(), []),
        (
            Comparisons(((0, 1, Outcome.SECOND), (0, 2, Outcome.EQUAL), (2, 1, Outcome.FIRST))),
            [(1, 0, True), (0, 2, False), (2, 1, True)],
        ),
    ],
)
def test_an_answer_orders_these_pairs(answer: Answer, pairs: list[tuple[int, int, bool]]) -> None:
    assert list(preferences(question(3), answer)) == pairs


def test_all_ways_of_saying_an_order_of_two_say_the_same() -> None:
    said: list[Answer] = [
        Choice(1),
        Ranking((1, 0)),
        all_pairs(2, lambda *_: Outcome.SECOND),
        by_sorting(2, lambda *_: Outcome.SECOND),
    ]
    assert len({preferences(question(2), answer) for answer in said}) == 1


# Ways of asking in pairs


def noiseless(worth: tuple[int, ...]) -> Any:
    def compare(first: int, second: int) -> Outcome:
        if worth[first] == worth[second]:
            return Outcome.EQUAL
        return Outcome.FIRST if worth[first] > worth[second] else Outcome.SECOND

    return compare


def test_all_pairs_are_asked_once_and_in_order() -> None:
    said = all_pairs(4, noiseless((3, 1, 2, 1)))
    assert [(i, j) for i, j, _ in said.outcomes] == list(combinations(range(4), 2))
    assert [outcome.value for *_, outcome in said.outcomes] == ["first", "first", "first", "second", "equal", "first"]


@pytest.mark.parametrize("size", range(2, 7))
def test_sorting_asks_no_pair_twice_and_few_pairs_in_all(size: int) -> None:
    for worth in permutations(range(size)):
        pairs = [frozenset((i, j)) for i, j, _ in by_sorting(size, noiseless(worth)).outcomes]
        assert len(set(pairs)) == len(pairs)
        assert size - 1 <= len(pairs) <= size * ceil(log2(size))


@claims
@given(worth=st.lists(st.integers(0, 6), min_size=2, max_size=40).map(tuple))
def test_sorting_settles_the_whole_order(worth: tuple[int, ...]) -> None:
    said = by_sorting(len(worth), noiseless(worth))
    assert len(said.outcomes) <= len(worth) * ceil(log2(len(worth)))
    at_least = {(i, j) for i, j, outcome in said.outcomes if outcome is not Outcome.SECOND}
    at_least |= {(j, i) for i, j, outcome in said.outcomes if outcome is not Outcome.FIRST}
    order = sorted(range(len(worth)), key=lambda option: -worth[option])
    assert set(pairwise(order)) <= at_least  # all neighbours were compared, so everything else follows


@claims
@given(seed=st.randoms(use_true_random=False), size=st.integers(2, 12))
def test_sorting_survives_someone_who_contradicts_themselves(seed: Any, size: int) -> None:
    said = by_sorting(size, lambda *_: seed.choice(list(Outcome)))
    check(question(size), said)
    assert len({frozenset((i, j)) for i, j, _ in said.outcomes}) == len(said.outcomes)


# Plain data


@claims
@given(answer=answers)
def test_an_answer_survives_being_written_and_read(answer: Answer) -> None:
    assert from_document(json.loads(json.dumps(to_document(answer)))) == answer


def test_the_plain_data_is_what_interview_files_hold() -> None:
    assert to_document(Choice(1)) == {"choice": 1}
    assert to_document(Ranking((1, 0))) == {"ranking": [1, 0]}
    assert to_document(NoDifference()) == {"equal": True}
    assert to_document(Skip()) == {"skip": True}
    assert to_document(Comparisons(((0, 1, Outcome.EQUAL),))) == {"comparisons": [[0, 1, "equal"]]}


NOT_TRUE: list[Any] = [False, 1, "true", None]
MALFORMED: list[Any] = [
    *({"choice": wrong} for wrong in (True, "0", 1.0, None, [0], float("inf"))),
    *({"ranking": wrong} for wrong in (0, "01", [0, "1"], [0, 1.5], [True, 0], {"0": 1}, [[0]], [float("nan")], None)),
    *({"equal": wrong} for wrong in NOT_TRUE),
    *({"skip": wrong} for wrong in NOT_TRUE),
    *({"comparisons": wrong} for wrong in (3, "abc", ["abc"], [[0, 1]], [[0, 1, "third"]], [[0, 1, None]], [0])),
    *({"comparisons": [[wrong, 1, "first"]]} for wrong in (True, "0", 0.0, None)),
    {"comparisons": [[0, 1, []]]},
    {},
    {"choice": 0, "skip": True},
    {"chosen": 0},
    {"choice": {}},
    {1: 2},
    None,
    0,
    "choice",
    [["choice", 0]],
]


@pytest.mark.parametrize("document", MALFORMED, ids=repr)
def test_malformed_data_is_no_answer(document: Any) -> None:
    with pytest.raises(AnswerError, match="is no answer; write choice, ranking"):
        from_document(document)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(claims, max_examples=200)
@given(kind=st.sampled_from(["choice", "ranking", "equal", "skip", "comparisons"]), said=junk)
def test_whatever_is_read_is_an_answer_that_reads_back_or_an_error(kind: str, said: Any) -> None:
    try:
        answer = from_document({kind: said})
    except AnswerError:
        return
    assert to_document(answer) == {kind: said}
