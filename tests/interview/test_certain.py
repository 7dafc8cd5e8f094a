from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from setmargin.answers import Answer, Choice, NoDifference, Question
from setmargin.arrays import Floats
from setmargin.errors import ConfigurationError
from setmargin.interview.certain import Certain
from setmargin.interview.interview import Interview
from setmargin.laws.checks import noiseless, small_space, taste
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import History
from setmargin.strategies.registry import make_strategy
from setmargin.strategies.rivals.regret.compatible_weights import AnswerMargins
from setmargin.strategies.setmargin.problem import Bounds
from tests.strategies.brute import all_configurations

SPACE = small_space()
EVERY = [SPACE.configuration(row) for row in all_configurations(SPACE)]
FEATURES = np.array([SPACE.encode(each) for each in EVERY])
STRICT = AnswerMargins(margin=1e-4, indifference=0.05)


def answers(seed: int, count: int) -> History:
    """Pairs answered by one person; and two that make no difference, if they are nearly equal."""
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(list(permutations(range(len(EVERY)), 2)))[:count]
    questions = [Question((EVERY[i], EVERY[j])) for i, j in pairs]
    return tuple((question, noiseless(SPACE, taste(SPACE, seed), question)) for question in questions)


def crowd(history: History, size: int = 20_000) -> Floats:
    """The utilities of everybody out of many random people who would have answered so: people × configurations."""
    bounds = Bounds.usual(SPACE)
    people = np.random.default_rng(1).uniform(0, bounds.upper, (size, len(bounds.upper)))
    keep = np.ones(size, dtype=bool)
    for question, answer in history:
        assert isinstance(answer, Choice)
        chosen, other = (SPACE.encode(question.options[n]) for n in (answer.option, 1 - answer.option))
        keep &= people @ (chosen - other) >= STRICT.margin
    utilities: Floats = people[keep] @ FEATURES.T
    assert len(utilities) > 50
    return utilities


@pytest.mark.parametrize(("seed", "count"), [(1, 0), (2, 3), (3, 5), (4, 7)])
def test_nobody_in_a_crowd_contradicts_what_is_said_of_all_and_everybody_is_possible(seed: int, count: int) -> None:
    history = answers(seed, count)
    utilities, certain = crowd(history), Certain(SPACE, history, STRICT)
    for a, b in permutations(range(len(EVERY)), 2):
        apart, said = utilities[:, a] - utilities[:, b], certain.difference(EVERY[a], EVERY[b])
        assert said.least <= apart.min() + 1e-7
        assert said.most >= apart.max() - 1e-7
        assert certain.necessarily(EVERY[a], EVERY[b]) == (said.least >= -1e-6)
        assert certain.possibly(EVERY[a], EVERY[b]) == (said.most >= -1e-6)


@pytest.mark.parametrize(("seed", "count"), [(2, 0), (2, 3), (4, 7)])
def test_whatever_is_best_for_somebody_is_possibly_best(seed: int, count: int) -> None:
    history = answers(seed, count)
    somebodys = set(crowd(history).argmax(axis=1).tolist())
    certain = Certain(SPACE, history, STRICT)
    found = {number for number, each in enumerate(EVERY) if certain.possibly_best(each)}
    assert somebodys <= found
    beaten = {a for a, b in permutations(range(len(EVERY)), 2) if not certain.possibly(EVERY[a], EVERY[b])}
    assert not found & beaten


def test_what_was_said_is_necessary_and_its_opposite_impossible() -> None:
    question = Question((EVERY[0], EVERY[3]))
    certain = Certain(SPACE, ((question, Choice(1)),))
    assert certain.necessarily(EVERY[3], EVERY[0])
    assert not certain.possibly(EVERY[0], EVERY[3])
    assert not certain.possibly_best(EVERY[0])


def test_without_answers_all_is_possible_but_only_what_is_better_in_everything_is_necessary() -> None:
    space = Space({"a": [1, 2], "b": [1, 2]})
    one, other = space.configuration([0, 0]), space.configuration([0, 1])
    certain = Certain(space, ())
    assert certain.possibly(one, other)
    assert certain.possibly(other, one)
    assert not certain.necessarily(one, other)
    assert certain.necessarily(one, one)


def test_necessary_preference_is_transitive() -> None:
    certain = Certain(SPACE, answers(4, 7), STRICT)
    above = {(a, b) for a, b in permutations(range(len(EVERY)), 2) if certain.necessarily(EVERY[a], EVERY[b])}
    assert all((a, c) in above for a, b in above for other, c in above if b == other and a != c)
    assert len(above) >= 7


def proven(seed: int) -> tuple[History, Configuration]:
    strategy = make_strategy("regret")
    belief = strategy.start(SPACE)
    while (question := strategy.ask(belief)) is not None:
        belief = strategy.update(belief, question, noiseless(SPACE, taste(SPACE, seed), question))
    return belief.history, strategy.recommend(belief).configuration


def test_necessarily_best_is_necessarily_preferred_to_all_others() -> None:
    history, best = proven(11)
    certain = Certain(SPACE, history)
    assert certain.necessarily_best(best)
    assert all(certain.necessarily(best, other) for other in EVERY)
    assert not any(certain.necessarily_best(other) for other in EVERY if other != best)


def test_before_the_end_nothing_is_necessarily_best() -> None:
    certain = Certain(SPACE, answers(2, 2), STRICT)
    assert not any(certain.necessarily_best(each) for each in EVERY)
    assert all(certain.guarantee(each).regret > 0.1 for each in EVERY)


@pytest.mark.parametrize(("said", "bent"), [(Choice(0), False), (Choice(1), True), (NoDifference(), False)])
def test_only_answers_that_contradict_one_another_are_bent(said: Answer, bent: bool) -> None:
    question = Question((EVERY[0], EVERY[3]))
    certain = Certain(SPACE, ((question, Choice(0)), (question, said)))
    assert (certain.contradiction > 1e-6) == bent
    assert certain.possibly_best(EVERY[2])


def test_an_interview_with_any_strategy_says_what_is_certain() -> None:
    interview = Interview(SPACE, make_strategy("random"))
    question = interview.ask()
    assert question is not None
    interview.tell(0)
    assert interview.certain().necessarily(question.options[0], question.options[1])


def test_what_cannot_be_built_is_never_best() -> None:
    with pytest.raises(ConfigurationError):
        Certain(SPACE, ()).possibly_best({"colour": "red", "size": 1, "box": "yes"})
