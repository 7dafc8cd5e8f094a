"""Minimax regret; the judge is a linear problem for every set and every rival, written a second time without a MILP."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from setmargin.answers import Answer, Choice, Comparisons, NoDifference, Question, Ranking, Skip
from setmargin.arrays import Floats
from setmargin.errors import ConfigurationError, OptionError
from setmargin.laws.checks import noiseless, small_space, taste
from setmargin.solve.milp.model import Limits
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import History
from setmargin.strategies.rivals.regret.compatible_weights import (
    AnswerMargins,
    CompatibleWeights,
    compatible_with,
    favouring,
)
from setmargin.strategies.rivals.regret.minimax import MinimaxEffort, adversary, minimax
from setmargin.strategies.rivals.regret.strategy import Kind, Regret, current_set, max_regret
from tests.strategies.brute import all_configurations

FEW = settings(derandomize=True, deadline=None, max_examples=6)
TO_THE_END = MinimaxEffort(rounds=500, seconds=600.0)
LONG = Limits(seconds=600.0)
PLAIN = Space({"a": [1, 2, 3], "b": [1, 2], "c": [1, 2]}, rules=["a = 1 => b != 2"])


def some_history(space: Space, seed: int, count: int, *, torn: bool = False) -> History:
    """Pairs answered by one person, every fourth with no difference; or at random, which nobody would answer so."""
    rng = np.random.default_rng(seed)
    every = [space.configuration(row) for row in all_configurations(space)]
    chosen = rng.permutation(list(combinations(range(len(every)), 2)))[:count]
    questions = [Question((every[i], every[j])) for i, j in chosen]
    said: list[Answer] = [noiseless(space, taste(space, seed), question) for question in questions]
    if torn:
        said = [Choice(int(rng.integers(2))) for _ in questions]
    said[3::4] = [NoDifference()] * len(said[3::4])
    return tuple(zip(questions, said, strict=True))


def brute_regret(compatible: CompatibleWeights, chosen: Floats, better: Floats) -> float:
    """max over W of min over the chosen of ⟨w, y − x⟩, as an LP in (w, ξ, M)."""
    space, pairs, reading = compatible.space, compatible.pairs, compatible.reading
    lift = np.hstack([np.eye(int(space.offsets[-1])), space.costs.T])
    width, answers = lift.shape[1], len(pairs)
    strict, equal = pairs.strict @ lift, pairs.equal @ lift
    slack = np.eye(answers)
    lines = [
        *(np.concatenate([-row, -slack[h], [0.0]]) for h, row in enumerate(strict)),
        *(np.concatenate([s * row, -slack[len(strict) + h], [0.0]]) for h, row in enumerate(equal) for s in (1, -1)),
        np.concatenate([np.zeros(width), np.ones(answers), [0.0]]),
        *(np.concatenate([(x - better) @ lift, np.zeros(answers), [1.0]]) for x in chosen),
    ]
    right = [-reading.margin] * len(strict) + [reading.indifference] * 2 * len(equal)
    right += [compatible.budget + 1e-7 * max(compatible.budget, 1.0)] + [0.0] * len(chosen)
    limits = [*zip(compatible.bounds.lower, compatible.bounds.upper, strict=True), *[(0.0, None)] * answers]
    goal = np.zeros(width + answers + 1)
    goal[-1] = -1.0
    result = linprog(goal, A_ub=np.array(lines), b_ub=np.array(right), bounds=[*limits, (None, None)])
    assert result.status == 0, result.message
    assert result.fun is not None
    return -float(result.fun)


def brute_set_regret(compatible: CompatibleWeights, chosen: Floats) -> float:
    every = compatible.space.onehot(all_configurations(compatible.space))
    return max(brute_regret(compatible, chosen, better) for better in every)


@pytest.mark.parametrize("space", [PLAIN, small_space()], ids=["plain", "quantities"])
@pytest.mark.parametrize(("count", "torn"), [(0, False), (5, False), (8, True)])
def test_max_regret_is_that_of_brute_force(space: Space, count: int, torn: bool) -> None:
    history = some_history(space, 3, count, torn=torn)
    compatible = compatible_with(space, history)
    for row in all_configurations(space)[::2]:
        expected = brute_set_regret(compatible, space.onehot(row[None]))
        found = max_regret(space, history, space.configuration(row))
        assert found.regret == pytest.approx(expected, abs=1e-5)
        lost = found.weights @ (space.encode(found.better) - space.features(row[None])[0])
        assert lost == pytest.approx(expected, abs=1e-5)


@FEW
@given(st.integers(0, 10_000), st.integers(0, 7), st.booleans())
def test_minimax_regret_is_that_of_brute_force(seed: int, count: int, torn: bool) -> None:
    space = small_space()
    compatible = compatible_with(space, some_history(space, seed, count, torn=torn))
    every = all_configurations(space)
    expected = min(brute_set_regret(compatible, space.onehot(row[None])) for row in every)
    found = minimax(compatible, every[:1], effort=TO_THE_END)
    assert found.status == "optimal"
    assert found.regret == pytest.approx(expected, abs=1e-5)
    assert brute_set_regret(compatible, space.onehot(found.chosen)) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("count", "torn"), [(0, False), (3, False), (6, True)])
def test_setwise_minimax_regret_is_that_of_brute_force(count: int, torn: bool) -> None:
    space = small_space()
    compatible = compatible_with(space, some_history(space, 5, count, torn=torn))
    every = all_configurations(space)
    sets = [every[list(pair)] for pair in combinations(range(len(every)), 2)]
    expected = min(brute_set_regret(compatible, space.onehot(pair)) for pair in sets)
    found = minimax(compatible, every[:2], effort=TO_THE_END)
    assert found.regret == pytest.approx(expected, abs=1e-5)


def test_before_any_answer_everything_may_be_lost() -> None:
    for row in all_configurations(PLAIN):
        configuration = PLAIN.configuration(row)
        free = [c for c in all_configurations(PLAIN) if (c != row).all()]
        assert max_regret(PLAIN, (), configuration).regret == pytest.approx(3.0 if free else 2.0)


def test_answers_only_lessen_the_regret() -> None:
    space = small_space()
    history = some_history(space, 2, 3)
    beliefs = [compatible_with(space, history[:count]) for count in range(4)]
    regrets = [minimax(each, all_configurations(space)[:1], effort=TO_THE_END).regret for each in beliefs]
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(regrets))


def test_answers_that_agree_need_no_budget_and_others_as_much_as_they_contradict() -> None:
    question, _ = some_history(PLAIN, 1, 1)[0]
    back = Question(question.options[::-1])
    reading = AnswerMargins(margin=0.02)
    assert compatible_with(PLAIN, ((question, Choice(0)),), reading).budget == pytest.approx(0.0)
    torn = compatible_with(PLAIN, ((question, Choice(0)), (back, Choice(0))), reading)
    assert torn.budget == pytest.approx(0.04)


def test_favouring_weights_are_compatible() -> None:
    space, history = small_space(), some_history(small_space(), 4, 6)
    weights = favouring(compatible_with(space, history), np.zeros((0, 7)))
    for question, answer in history:
        apart = weights @ (space.encode(question.options[0]) - space.encode(question.options[1]))
        if isinstance(answer, Choice):
            assert (1 - 2 * answer.option) * apart >= 0.01 - 1e-6
        else:
            assert abs(apart) <= 0.05 + 1e-6


def test_the_current_question_is_the_recommendation_and_what_is_worst_for_it() -> None:
    space, strategy = small_space(), Regret()
    belief = strategy.start(space)
    question, best = strategy.ask(belief), strategy.recommend(belief).configuration
    assert question is not None
    assert question.options[0] == best
    guarantee = max_regret(space, (), best)
    lost = brute_regret(compatible_with(space, ()), _row(space, best), _row(space, question.options[1])[0])
    assert lost == pytest.approx(guarantee.regret, abs=1e-5)


def _row(space: Space, configuration: Configuration) -> Floats:
    return space.onehot(space.indices(configuration)[None])


def test_every_further_option_is_the_rival_of_those_before() -> None:
    space = small_space()
    compatible = compatible_with(space, ())
    found = minimax(compatible, all_configurations(space)[:1], effort=TO_THE_END)
    chosen = current_set(compatible, found, 3)
    before = space.onehot(chosen[:2])
    rival = brute_regret(compatible, before, space.onehot(chosen[2:])[0])
    assert rival == pytest.approx(brute_set_regret(compatible, before), abs=1e-5)


def test_a_setwise_question_leaves_no_more_regret_than_a_current_one() -> None:
    space, left = small_space(), []
    kinds: tuple[Kind, ...] = ("setwise", "current")
    for kind in kinds:
        strategy = Regret(kind=kind, rounds=500, seconds=600.0)
        question = strategy.ask(strategy.start(space))
        assert question is not None
        rows = np.array([space.indices(option) for option in question.options])
        left.append(adversary(compatible_with(space, ()), rows, limits=LONG).regret)
    assert left[0] <= left[1] + 1e-6


def test_nothing_is_asked_once_nothing_can_be_lost() -> None:
    space, strategy, weights = PLAIN, Regret(), taste(PLAIN, 3)
    belief, question = strategy.start(space), None
    for _ in range(40):
        question = strategy.ask(belief)
        if question is None:
            break
        belief = strategy.update(belief, question, noiseless(space, weights, question))
    assert question is None
    assert max_regret(space, belief.history, strategy.recommend(belief).configuration).regret <= 1e-6


@pytest.mark.parametrize("answer", [Choice(2), Ranking((1, 2, 0)), NoDifference(), Skip(), Comparisons(())])
def test_every_answer_leaves_a_recommendation(answer: Answer) -> None:
    space, strategy = small_space(), Regret(set_size=3, until=0.1)
    question = Question(tuple(space.configuration(row) for row in all_configurations(space)[:3]))
    belief = strategy.update(strategy.start(space), question, answer)
    space.check(strategy.recommend(belief).configuration)
    assert strategy.ask(belief) is not None


def test_regret_of_what_cannot_be_built_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        max_regret(PLAIN, (), {"a": 1, "b": 2, "c": 1})


@pytest.mark.parametrize(
    "options",
    [{"kind": "best"}, {"until": -1.0}, {"margin": 1.0}, {"indifference": -0.1}, {"rounds": 0}, {"seconds": 0}],
)
def test_impossible_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        Regret(**options)  # type: ignore[arg-type]
