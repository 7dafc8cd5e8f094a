"""SetMargin as a strategy: tuning on time, stopping, fallbacks and options."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from setmargin.answers import Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip, all_pairs, by_sorting
from setmargin.arrays import Ints
from setmargin.errors import OptionError
from setmargin.interview.explain import explain, importance_by
from setmargin.laws.checks import interview, noiseless, small_space, taste
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Solver
from setmargin.space.attributes import Quantity
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.strategies.registry import make_strategy
from setmargin.strategies.setmargin.problem import STRICTEST, Bounds, Hyperparameters
from setmargin.strategies.setmargin.proof import weight_fitter
from setmargin.strategies.setmargin.strategy import MODES, NO_MARGIN, Mode, SetMargin, SetMarginBelief
from setmargin.strategies.setmargin.tuning import Tuned, Tuning
from tests.another_path import AnotherPath
from tests.strategies.brute import all_configurations
from tests.strategies.setmargin.examples import make

SPACE = Space({"a": ["x", "y"], "b": [1, 2, 3]})
PATHS = [pytest.param(Highs(), id="this path"), *(pytest.param(AnotherPath(n), id=f"path {n}") for n in (1, 5))]
"""Other ways to optima of degenerate problems, as other processors take them."""


def belief_after(strategy: SetMargin, space: Space, answers: Iterator[object]) -> SetMarginBelief:
    belief = strategy.start(space)
    for answer in answers:
        question = strategy.ask(belief)
        assert question is not None
        belief = strategy.update(belief, question, answer)  # type: ignore[arg-type]
    return belief


def test_tuning_comes_every_five_answers_and_skips_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def fake(*_: object, **__: object) -> Tuned:
        calls.append(1)
        return Tuned(Hyperparameters(5.0, 0.1, 0.1))

    monkeypatch.setattr("setmargin.strategies.setmargin.strategy.tune", fake)
    strategy = SetMargin(mode="fast")
    space = small_space()
    weights = taste(space, 1)
    settings: list[tuple[int, Hyperparameters]] = []
    belief = strategy.start(space)
    for turn in range(8):
        question = strategy.ask(belief)
        if question is None:
            break
        answer = Skip() if turn == 2 else noiseless(space, weights, question)
        belief = strategy.update(belief, question, answer)
        settings.append((belief.answered, belief.setting))
    assert len(calls) == 1
    for answered, setting in settings:
        assert setting == (Hyperparameters(1.0, 1.0, 1.0) if answered < 5 else Hyperparameters(5.0, 0.1, 0.1))


def test_without_tuning_the_setting_stays() -> None:
    strategy = SetMargin(mode="fast", tuning=None, setting=Hyperparameters(10.0, 0.1, 0.1))
    belief = belief_after(strategy, small_space(), iter([Choice(0)] * 5))
    assert belief.setting == Hyperparameters(10.0, 0.1, 0.1)


@pytest.mark.parametrize("mode", MODES)
def test_it_stops_when_no_pair_can_be_told_apart_any_more(mode: Mode) -> None:
    strategy = SetMargin(mode=mode)
    asked = list(interview(strategy, strategy.start(SPACE), taste(SPACE, 1), budget=50))
    assert 3 <= len(asked) < 16
    belief, question = asked[-1]
    assert isinstance(belief, SetMarginBelief)
    belief = strategy.update(belief, question, noiseless(SPACE, taste(SPACE, 1), question))
    assert strategy.ask(belief) is None


@pytest.mark.parametrize("mode", ["fast", "exact"])
def test_a_setting_that_would_make_all_weights_zero_still_gives_a_question(mode: str) -> None:
    strategy = make_strategy("setmargin", mode=mode, setting=[10.0, 10.0, 0.001], tuning=None)
    space = Space({f"x{i}": range(3) for i in range(3)})
    weights = taste(space, 2)
    asked = list(interview(strategy, strategy.start(space), weights, budget=4))
    assert len(asked) == 4
    recommendation = strategy.recommend(asked[-1][0])
    assert np.ptp(recommendation.weights) > 0


def test_contradictory_answers_do_not_end_the_interview() -> None:
    """With a contradiction the margin is zero for good, but there is still something to ask."""
    strategy = SetMargin(mode="fast")
    belief = strategy.start(SPACE)
    first, second, third = (SPACE.configuration(row) for row in ((0, 0), (1, 0), (1, 1)))
    for pair, answer in (
        ((first, second), Choice(0)),
        ((second, third), Choice(0)),
        ((third, first), Choice(0)),
    ):
        belief = strategy.update(belief, Question(pair), answer)
    question = strategy.ask(belief)
    assert question is not None
    assert not belief.was_asked(frozenset(question.options))


def test_the_recommendation_obeys_all_answers_where_that_is_possible() -> None:
    strategy = SetMargin(mode="fast", tuning=None, setting=Hyperparameters(1.0, 0.001, 10.0))
    space = Space({f"x{i}": range(3) for i in range(3)})
    weights = taste(space, 3)
    beliefs = [belief for belief, _ in interview(strategy, strategy.start(space), weights, budget=8)]
    assert len(beliefs[-1].history) >= 5
    for belief in beliefs:
        assert isinstance(belief, SetMarginBelief)
        learnt = strategy.recommend(belief).weights
        for question, answer in belief.history:
            assert isinstance(answer, Choice)
            values = [learnt @ space.encode(option) for option in question.options]
            assert values[answer.option] == max(values)


def test_running_out_of_time_gives_the_best_found_and_says_so() -> None:
    space = Space({f"x{i}": range(6) for i in range(6)})
    strategy = SetMargin(mode="exact", seconds=1e-4, tuning=None, setting=Hyperparameters(10.0, 0.001, 0.001))
    weights = taste(space, 4)
    asked = [question for _, question in interview(strategy, strategy.start(space), weights, budget=3)]
    assert len(asked) == 3
    for question in asked:
        assert question.status == "time limit"
        assert space.feasible(np.array([space.indices(option) for option in question.options])).all()


def test_every_way_of_answering_a_set_is_learnt_from() -> None:
    strategy = SetMargin(mode="fast", set_size=3)
    space = small_space()
    weights = taste(space, 5)
    belief = strategy.start(space)
    for turn in range(4):
        question = strategy.ask(belief)
        assert question is not None
        values = [float(weights @ space.encode(option)) for option in question.options]

        def compare(i: int, j: int, values: list[float] = values) -> Outcome:
            return Outcome.FIRST if values[i] > values[j] else Outcome.SECOND

        order = tuple(int(i) for i in np.argsort(values)[::-1])
        size = len(values)
        answer = (Ranking(order), Choice(order[0]), all_pairs(size, compare), by_sorting(size, compare))[turn]
        belief = strategy.update(belief, question, answer)
        assert belief.history[-1][1] == answer
    learnt = strategy.recommend(belief).weights
    ranked_question, ranking = belief.history[0]
    assert isinstance(ranking, Ranking)
    values = [float(learnt @ space.encode(option)) for option in ranked_question.options]
    assert [values[i] for i in ranking.order] == sorted(values, reverse=True)


def test_someone_who_sees_no_difference_is_learnt_from() -> None:
    strategy = SetMargin(mode="fast", tuning=None, setting=Hyperparameters(20.0, 0.001, 0.001))
    belief = strategy.start(SPACE)
    pair = Question((SPACE.configuration((0, 0)), SPACE.configuration((1, 0))))
    belief = strategy.update(belief, pair, NoDifference())
    learnt = strategy.recommend(belief).weights
    assert learnt[0] == pytest.approx(learnt[1], abs=1e-6)


def test_comparisons_of_no_pair_teach_nothing() -> None:
    strategy = SetMargin(mode="fast")
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    after = strategy.learn(belief, question, Comparisons(()))
    assert strategy.recommend(after).configuration in [SPACE.configuration(r) for r in np.ndindex(2, 3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"set_size": 1}, "set size"),
        ({"set_size": 7}, "set size"),
        ({"mode": "slow"}, "mode"),
        ({"fits": 0}, "fits"),
        ({"solver": "cplex"}, "no solver"),
        ({"seconds": 0.0}, "seconds"),
        ({"speed": 3}, "no option 'speed'"),
        ({"set_size": "2"}, "set size is '2'"),
        ({"setting": [1, 2]}, "three numbers"),
        ({"setting": 5}, "three numbers"),
        ({"tuning": {"foos": 3}}, "alphas, betas, gammas"),
        ({"tuning": {"alphas": "x"}}, "alphas, betas, gammas"),
        ({"form": "free"}, "coupled or paper"),
        ({"seconds": "x"}, "number of seconds"),
        ({"fits": 2.5}, "a whole number"),
        ({"setting": [0.1, 1.0, 1.0]}, "alpha"),
    ],
)
def test_bad_options_get_a_clear_error(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_strategy("setmargin", **options)


def test_an_unknown_strategy_is_named_with_the_known_ones() -> None:
    with pytest.raises(OptionError, match="did you mean setmargin"):
        make_strategy("setmargins")


def test_tuning_can_be_adjusted_and_written_down() -> None:
    strategy = SetMargin(tuning=Tuning(alphas=(5.0,), every=3), set_size=4)
    again = make_strategy("setmargin", **strategy.options())
    assert isinstance(again, SetMargin)
    assert again.tuning == Tuning(alphas=(5.0,), every=3)
    assert again.set_size == 4


@pytest.mark.parametrize("solver", PATHS)
@pytest.mark.parametrize("size", [3, 4])
def test_sets_stay_full_as_long_as_that_many_can_be_told_apart(size: int, solver: Solver) -> None:
    space = Space({f"x{i}": range(4) for i in range(4)})
    strategy = SetMargin(set_size=size, solver=solver)
    asked = list(interview(strategy, strategy.start(space), taste(space, 6), budget=7))
    assert [len(question.options) for _, question in asked] == [size] * 7


@pytest.mark.parametrize("seed", range(2))
def test_where_a_set_is_not_full_no_configuration_could_be_added_to_it(seed: int) -> None:
    space = Space({"a": range(3), "b": range(2)})
    everything = all_configurations(space)
    strategy = SetMargin(set_size=4)
    smaller = [
        (belief, np.array([space.indices(option) for option in question.options]))
        for belief, question in interview(strategy, strategy.start(space), taste(space, seed), budget=6)
        if len(question.options) < 4
    ]
    assert smaller
    for belief, options in smaller:
        assert isinstance(belief, SetMarginBelief)
        others = [row for row in everything if not (options == row).all(axis=1).any()]
        assert [margin_of(space, belief, np.vstack([options, row])) for row in others] == [0.0] * len(others)


def margin_of(space: Space, belief: SetMarginBelief, rows: Ints) -> float:
    """By how much these can be told apart by somebody who gave these answers; 0 where it is no margin."""
    problem = make(space, belief.pairs, size=len(rows), setting=STRICTEST)
    with weight_fitter(problem, Highs()) as fitter:
        margin = fitter.fit(space.onehot(rows), STRICTEST).margin
    return margin if margin >= NO_MARGIN else 0.0


def test_after_a_skip_something_else_is_asked() -> None:
    space = Space({f"x{i}": range(4) for i in range(6)})
    strategy = SetMargin()
    belief = strategy.start(space)
    for _ in range(4):
        question = strategy.ask(belief)
        assert question is not None
        belief = strategy.update(belief, question, Skip())
        following = strategy.ask(belief)
        assert following is not None
        apart = [
            min(sum(new[name] != old[name] for name in new) for old in question.options) for new in following.options
        ]
        assert sum(apart) >= 4


def test_among_equally_good_configurations_the_cheaper_one_is_recommended() -> None:
    price = Quantity("price", {"a": {"x": 9, "y": 1}, "b": {"p": 5, "q": 0, "r": 7}}, better="lower")
    space = Space({"a": ["x", "y"], "b": ["p", "q", "r"]}, quantities=[price])
    strategy = SetMargin(tuning=None, setting=Hyperparameters(20.0, 0.001, 0.0))
    belief = strategy.start(space)
    pair = Question((space.configuration((0, 0)), space.configuration((1, 0))))
    belief = strategy.update(belief, pair, Choice(0))
    assert dict(strategy.recommend(belief).configuration) == {"a": "x", "b": "q"}


def answers_by_price(space: Space, strategy: SetMargin, *, count: int) -> SetMarginBelief:
    """What somebody says who looks at the price and at nothing else."""
    belief = strategy.start(space)
    for _ in range(count):
        question = strategy.ask(belief)
        assert question is not None
        prices = [space.amounts(option)["price"] for option in question.options]
        answer = NoDifference() if prices[0] == prices[1] else Choice(int(np.argmin(prices)))
        belief = strategy.update(belief, question, answer)
    return belief


@pytest.mark.parametrize("solver", PATHS)
def test_somebody_who_cares_only_about_the_price_is_understood(solver: Solver) -> None:
    space = load("bicycle")
    strategy = SetMargin(solver=solver)
    belief = answers_by_price(space, strategy, count=10)
    recommendation = strategy.recommend(belief)
    why = explain(belief.oracle, recommendation)
    assert next(iter(why.importance)) == "price"
    lowest, highest = belief.oracle.range("price")
    assert why.amounts["price"] <= lowest + 0.1 * (highest - lowest)


def test_one_answer_against_the_price_and_it_is_no_longer_all_that_matters() -> None:
    price = Quantity("price", {"a": {"x": 0, "y": 3}, "b": {1: 0, 2: 1, 3: 2}}, better="lower")
    space = Space({"a": ["x", "y"], "b": [1, 2, 3]}, quantities=[price])
    strategy = SetMargin(tuning=None)
    cheap, dear = space.configuration((0, 0)), space.configuration((1, 2))
    belief = strategy.start(space)
    for _ in range(8):
        belief = strategy.learn(belief, Question((cheap, dear)), Choice(0))
    assert importance_by(space, strategy.recommend(belief).weights)["price"] > 0.99
    assert strategy.recommend(belief).configuration == cheap
    belief = strategy.learn(belief, Question((space.configuration((1, 0)), space.configuration((0, 0)))), Choice(0))
    assert importance_by(space, strategy.recommend(belief).weights)["price"] < 0.5


def test_the_usual_bounds_let_a_quantity_matter_as_much_as_its_attributes() -> None:
    space = load("bicycle")
    bounds = Bounds.usual(space)
    price = space.feature_names.index("price")
    assert bounds.upper[price] == len(next(each for each in space.quantities if each.name == "price").terms)
    assert bounds.upper[price] * bounds.counts[price] == pytest.approx(1.0)
    assert (bounds.upper[: space.offsets[-1]] == 1.0).all()
