"""The laws that every strategy obeys, and that a strategy of your own can be tried on; see `laws`."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from setmargin.answers import (
    Answer,
    Change,
    Choice,
    Comparisons,
    NoDifference,
    Outcome,
    Question,
    Ranking,
    Skip,
    differing,
)
from setmargin.arrays import Floats
from setmargin.space.attributes import Quantity
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Belief, Strategy
from setmargin.strategies.shared.changes import changes_of, gains_of

Make = Callable[[], Strategy[Any]]
Law = Callable[[Make], None]
NOTHING_ASKED = "the strategy asked nothing, so nothing is known about it"


def small_space() -> Space:
    """Three attributes, one quantity and two rules: seven configurations."""
    return Space(
        {"colour": ["red", "green", "blue"], "size": [1, 2], "box": ["yes", "no"]},
        quantities=[Quantity("price", {"size": 2.0, "box": {"yes": 1, "no": 0}}, better="lower")],
        rules=["colour = red => size = 2", "price <= 4 or colour != green"],
    )


def taste(space: Space, seed: int) -> Floats:
    """A person's weights, all different; what nobody sees weighs nothing."""
    weights = np.random.default_rng(seed).uniform(1.0, 100.0, len(space.feature_names))
    weights[space.seen_values : int(space.offsets[-1])] = 0.0
    return weights


def noiseless(space: Space, weights: Floats, question: Question) -> Answer:
    """The best option without doubt and, where that is asked for, the change of it that is worth most."""
    utilities = [float(weights @ space.encode(option)) for option in question.options]
    best = int(np.argmax(utilities))
    if not question.asks_for_change:
        return Choice(best)
    changes, gains = gains_of(space, weights, Question((question.options[best],), besides=question.besides))
    return replace(changes[int(np.argmax(gains))], option=best)


def indifferent(question: Question) -> Answer:
    """None of them is better than another, or than it could be."""
    return NoDifference() if question.is_comparison else Change()


def interview(
    strategy: Strategy[Any], belief: Belief, weights: Floats, *, budget: int
) -> Iterator[tuple[Belief, Question]]:
    """Questions with the belief they were asked from, answered without noise, as long as there are any."""
    for _ in range(budget):
        question = strategy.ask(belief)
        if question is None:
            return
        yield belief, question
        belief = strategy.update(belief, question, noiseless(belief.space, weights, question))


def check_questions_are_feasible_and_different(make: Make) -> None:
    """Every option obeys every rule, and no two options are alike."""
    space, strategy = small_space(), make()
    asked = list(interview(strategy, strategy.start(space), taste(space, 1), budget=6))
    assert asked, NOTHING_ASKED
    for _, question in asked:
        assert len(question.options) <= strategy.set_size
        assert len(set(question.options)) == len(question.options)
        for option in question.options:
            space.check(option)


def check_no_question_is_asked_twice(make: Make) -> None:
    """The same options never appear together again, unless more of what is wanted is known, whatever was answered."""
    space, strategy = small_space(), make()
    belief = strategy.start(space)
    asked = set()
    for turn in range(12):
        question = strategy.ask(belief)
        if question is None:
            break
        assert _identity(question) not in asked
        asked.add(_identity(question))
        answer: Answer = (Choice(0), indifferent(question), Skip())[turn % 3]
        belief = strategy.update(belief, question, answer)
    assert asked, NOTHING_ASKED


def check_same_seed_same_questions(make: Make) -> None:
    """Two strategies with one seed ask and recommend the same."""
    space = small_space()
    runs = []
    for strategy in (make(), make()):
        asked = list(interview(strategy, strategy.start(space, seed=5), taste(space, 2), budget=5))
        assert asked, NOTHING_ASKED
        runs.append(([question for _, question in asked], strategy.recommend(asked[-1][0])))
    assert runs[0] == runs[1]


def check_a_belief_survives_pickling(make: Make) -> None:
    """A belief that was stored and loaded asks the same next question."""
    space, strategy = small_space(), make()
    asked = list(interview(strategy, strategy.start(space), taste(space, 3), budget=3))
    assert asked, NOTHING_ASKED
    for belief, question in asked:
        loaded = pickle.loads(pickle.dumps(belief))
        assert loaded == belief
        assert strategy.ask(loaded) == question


def check_learning_changes_nothing_that_was_given(make: Make) -> None:
    """Beliefs are values: the old one asks what it asked before, so undo is the old belief."""
    space, strategy = small_space(), make()
    before = strategy.start(space)
    question = strategy.ask(before)
    assert question is not None, NOTHING_ASKED
    kept = pickle.dumps(before)
    strategy.update(before, question, Choice(0))
    assert pickle.loads(kept) == before
    assert strategy.ask(before) == question


def check_a_noiseless_person_ends_at_zero_loss(make: Make) -> None:
    """With enough questions on a small space the recommendation is the best there is."""
    space, strategy = small_space(), make()
    for seed in range(2):
        weights = taste(space, 10 + seed)
        belief = strategy.start(space, seed=seed)
        for _ in range(30):
            question = strategy.ask(belief)
            if question is None:
                break
            belief = strategy.update(belief, question, noiseless(space, weights, question))
        assert belief.history, NOTHING_ASKED
        best = float(weights @ space.encode(belief.oracle.best(weights)))
        found = float(weights @ space.encode(strategy.recommend(belief).configuration))
        assert found >= best - 1e-9, f"seed {seed}: {found} instead of {best}"


def check_one_configuration_needs_no_question(make: Make) -> None:
    """Where nothing can be chosen nothing is asked, and the one configuration is recommended."""
    space, strategy = Space({"a": [1, 2], "b": [1]}, rules=["a = 2"]), make()
    belief = strategy.start(space)
    assert strategy.ask(belief) is None
    assert dict(strategy.recommend(belief).configuration) == {"a": 2, "b": 1}


def check_a_recommendation_is_ready_before_any_answer(make: Make) -> None:
    """Whoever takes the first best gets something that can be built."""
    space, strategy = small_space(), make()
    recommendation = strategy.recommend(strategy.start(space))
    space.check(recommendation.configuration)
    assert recommendation.weights.shape == (len(space.feature_names),)
    assert (recommendation.weights >= 0).all()


def check_restrictions_are_obeyed(make: Make) -> None:
    """What breaks a must-have appears in no question and no recommendation from then on."""
    space, strategy = small_space(), make()
    belief = strategy.start(space)
    question = strategy.ask(belief)
    assert question is not None, NOTHING_ASKED
    narrow = space.with_rules("colour = blue")
    belief = strategy.restrict(strategy.update(belief, question, Choice(0)), narrow)
    narrow.check(strategy.recommend(belief).configuration)
    asked = list(interview(strategy, belief, taste(space, 4), budget=4))
    assert asked, NOTHING_ASKED
    for at, question in asked:
        for option in (*question.options, strategy.recommend(at).configuration):
            narrow.check(option)


def check_contradictions_are_survived(make: Make) -> None:
    """Answers that no weights can explain leave a feasible question, if any, and recommendation."""
    space, strategy = small_space(), make()
    belief = strategy.start(space)
    for turn in range(8):
        question = strategy.ask(belief)
        if question is None:
            break
        worst = Choice(turn % len(question.options))
        belief = strategy.update(belief, question, worst if turn % 3 else indifferent(question))
        space.check(strategy.recommend(belief).configuration)
    assert belief.history, NOTHING_ASKED


def check_someone_indifferent_to_all_is_served(make: Make) -> None:
    """A person who sees no difference anywhere still gets a recommendation."""
    space, strategy = small_space(), make()
    belief = strategy.start(space)
    for _ in range(6):
        question = strategy.ask(belief)
        if question is None:
            break
        belief = strategy.update(belief, question, indifferent(question))
    assert belief.history, NOTHING_ASKED
    space.check(strategy.recommend(belief).configuration)


def check_all_kinds_of_answers_are_understood(make: Make) -> None:
    """Reasons, changes and skips in turn, asked for or not, and must-haves after them: all laws hold with them, too."""
    space = small_space()
    runs = []
    for strategy in (make(), make()):
        belief = strategy.start(space, seed=3)
        asked: list[Question] = []
        for turn in range(7):
            question = strategy.ask(belief)
            if question is None:
                break
            assert _identity(question) not in map(_identity, asked)
            assert strategy.ask(pickle.loads(pickle.dumps(belief))) == question
            asked.append(question)
            belief = strategy.update(belief, question, _kind_of_answer(space, question, turn))
            best = strategy.recommend(belief).configuration
            for option in (*question.options, best):
                space.check(option)
            unasked = Question((best,))
            if not belief.was_asked(frozenset((best,))):
                asked.append(unasked)
                belief = strategy.update(belief, unasked, _kind_of_change(space, unasked, turn))
        assert asked, NOTHING_ASKED
        assert pickle.loads(pickle.dumps(belief)) == belief
        narrow = strategy.restrict(belief, space.with_rules("colour = blue"))
        for option in (strategy.recommend(narrow).configuration, *_options_of(strategy.ask(narrow))):
            narrow.space.check(option)
        runs.append((asked, strategy.recommend(belief), strategy.recommend(narrow)))
    assert runs[0] == runs[1]


def _identity(question: Question) -> tuple[object, object]:
    return frozenset(question.options), frozenset(question.besides)


def _options_of(question: Question | None) -> tuple[Configuration, ...]:
    return () if question is None else question.options


def _kind_of_answer(space: Space, question: Question, turn: int) -> Answer:
    if not question.is_comparison:
        return _kind_of_change(space, question, turn)
    names, size = differing(space, question.options), len(question.options)
    last = size - 1
    match turn % 7:
        case 0:
            return Choice(last, names[:1])
        case 1:
            return NoDifference(names[-1:])
        case 2:
            return Ranking(tuple(range(size)), names[::-1])
        case 3:
            shown = Question((question.options[last],), besides=question.besides)
            return replace(_kind_of_change(space, shown, turn), option=last)
        case 4:
            return Change(option=last)
        case 5:
            return Skip()
    return Comparisons(((0, last, Outcome.SECOND),))


def _kind_of_change(space: Space, question: Question, turn: int) -> Change:
    """A value, a quantity or nothing."""
    changes = changes_of(space, question)
    return changes[-1 - turn % min(len(changes), 3)]


def check_what_is_known_makes_sense(make: Make) -> None:
    """Chances are chances and add up, shares have intervals, and decisive answers lead to something else."""
    space, strategy = small_space(), make()
    names = set(space.things)
    shown = [{"colour": colour, "size": 2, "box": "no"} for colour in ("red", "green", "blue")]
    asked = list(interview(strategy, strategy.start(space), taste(space, 5), budget=5))
    assert asked, NOTHING_ASKED
    for belief, _ in asked:
        if (stakes := strategy.stakes(belief)) is not None:
            assert 0 <= stakes.expected_loss <= 1
            assert 0 <= stakes.probability_within <= 1
            assert stakes.questions_left >= 0
        if (shares := strategy.importance(belief)) is not None:
            assert set(shares) == names
            assert list(shares.values()) == sorted(shares.values(), key=lambda share: -share.mean)
            assert all(0 <= share.low <= share.high <= 1 for share in shares.values())
        if (chances := strategy.predict(belief, shown)) is not None:
            assert (chances >= 0).all()
            assert abs(float(chances.sum()) - 1) < 1e-6
            assert (chances == strategy.predict(belief, shown)).all()
        for each in strategy.influence(belief) or ():
            assert 0 <= each.number < len(belief.history)
            assert each.instead != strategy.recommend(belief).configuration
            space.check(each.instead)


def laws() -> tuple[Law, ...]:
    """The laws that every strategy obeys.

    Each takes a function that makes the strategy afresh, and raises AssertionError where the strategy breaks it. The
    strategy has to ask to the very end: give it `until=0` or the like where it would stop when little is left to gain.

    Examples
    --------
    >>> from setmargin.laws import laws
    >>> for law in laws():
    ...     law(lambda: make_strategy("random"))

    Or with pytest, one test for each law:

    >>> import pytest
    >>> @pytest.mark.parametrize("law", laws())
    ... def test_my_strategy(law):
    ...     law(lambda: make_strategy("random"))
    """
    return (
        check_questions_are_feasible_and_different,
        check_no_question_is_asked_twice,
        check_same_seed_same_questions,
        check_a_belief_survives_pickling,
        check_learning_changes_nothing_that_was_given,
        check_a_noiseless_person_ends_at_zero_loss,
        check_one_configuration_needs_no_question,
        check_a_recommendation_is_ready_before_any_answer,
        check_restrictions_are_obeyed,
        check_contradictions_are_survived,
        check_someone_indifferent_to_all_is_served,
        check_all_kinds_of_answers_are_understood,
        check_what_is_known_makes_sense,
    )
