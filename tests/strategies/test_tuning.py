"""Tuning: the score, the folds, the choice and its special cases."""

from __future__ import annotations

import numpy as np
import pytest

from setmargin.errors import OptionError
from setmargin.solve.highs import Highs
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.setmargin import tuning as module
from setmargin.strategies.setmargin.fixed import FixedConfigurations
from setmargin.strategies.setmargin.problem import Form, Pairs
from setmargin.strategies.setmargin.setting import Bounds, Setting
from setmargin.strategies.setmargin.tuning import Score, Tuning, score, tune
from tests.strategies.test_problem import random_pairs

SPACE = Space({"a": ["x", "y"], "b": [1, 2, 3]})
NONE = np.zeros((0, 5))


FIRST = Setting(1.0, 1.0, 1.0)
PAPERS = Tuning()


def run(pairs: Pairs, *, current: Setting = FIRST, tuning: Tuning = PAPERS, seed: int = 0) -> Setting:
    return tune(
        oracle_for(SPACE),
        pairs,
        current,
        tuning=tuning,
        bounds=Bounds.usual(SPACE),
        form=Form.COUPLED,
        solver=Highs(),
        rng=np.random.default_rng(seed),
    )


def consistent_pairs(count: int, seed: int = 0) -> Pairs:
    rng = np.random.default_rng(seed)
    weights = rng.uniform(1, 100, 5)
    drawn = random_pairs(SPACE, rng, strict=4 * count, equal=0).strict
    drawn = drawn[np.abs(drawn @ weights) > 1][:count]
    return Pairs(drawn * np.sign(drawn @ weights)[:, None], NONE)


def test_the_grid_is_the_papers() -> None:
    grid = Tuning().grid()
    assert len(set(grid)) == 64
    assert {s.alpha for s in grid} == {20, 10, 5, 1}
    assert {s.beta for s in grid} == {s.gamma for s in grid} == {10, 1, 0.1, 0.001}
    assert (Tuning().folds, Tuning().every) == (5, 5)


def test_the_ranking_loss_counts_wrong_orders_and_half_for_ties() -> None:
    right, wrong, tie = [1.0, -1.0, 0, 0, 0], [-1.0, 1.0, 0, 0, 0], [0, 0, 1.0, -1.0, 0]
    weights = np.array([1.0, 0.0, 0.5, 0.5, 0.0])
    assert score(weights, Pairs(np.array([right, wrong, tie]), NONE)).ranking == 1.5
    assert score(weights, Pairs(NONE, np.array([right, tie]))).ranking == 0.5


def test_the_hinge_loss_does_not_depend_on_the_size_of_the_weights() -> None:
    pairs = random_pairs(SPACE, np.random.default_rng(0), strict=5, equal=2)
    weights = np.random.default_rng(1).random(5)
    small, large = score(weights, pairs), score(7.0 * weights, pairs)
    assert small.ranking == large.ranking
    assert small.hinge == pytest.approx(large.hinge)


def test_fewer_wrong_orders_beat_a_smaller_hinge_loss() -> None:
    assert Score(1.0, 9.0) < Score(1.5, 0.0)
    assert Score(1.0, 1.0) < Score(1.0, 2.0)


def test_the_choice_is_one_of_the_grid_and_repeatable() -> None:
    pairs = consistent_pairs(10)
    chosen = run(pairs)
    assert chosen in Tuning().grid()
    assert run(pairs) == chosen


def test_a_setting_whose_weights_vanish_is_never_chosen() -> None:
    pairs = consistent_pairs(8)
    tuning = Tuning(alphas=(10.0,), betas=(10.0, 0.001), gammas=(0.001,))
    assert run(pairs, current=Setting(10.0, 10.0, 0.001), tuning=tuning) == Setting(10.0, 0.001, 0.001)


def test_where_every_setting_vanishes_the_current_one_stays() -> None:
    current = Setting(1.0, 10.0, 0.001)
    assert (
        run(consistent_pairs(8), current=current, tuning=Tuning(alphas=(1.0,), betas=(10.0,), gammas=(0.001,)))
        == current
    )


def test_with_fewer_than_two_pairs_nothing_is_tuned() -> None:
    assert run(consistent_pairs(1)) == Setting(1.0, 1.0, 1.0)


def test_ties_keep_the_current_setting() -> None:
    """With one grid in another order, and the current setting in it, the current one wins its ties."""
    pairs = consistent_pairs(12, seed=3)
    best = run(pairs)
    assert run(pairs, current=best) == best


def test_time_running_out_keeps_what_was_found() -> None:
    assert run(consistent_pairs(8), current=Setting(5.0, 0.1, 0.1), tuning=Tuning(seconds=1e-9)) == Setting(
        5.0, 0.1, 0.1
    )


def test_only_indifferent_answers_can_be_tuned_on() -> None:
    equal = random_pairs(SPACE, np.random.default_rng(0), strict=0, equal=6)
    assert run(equal) in (*Tuning().grid(), Setting(1.0, 1.0, 1.0))


def test_the_folds_share_the_pairs_out() -> None:
    folds = module._folds(13, 5, np.random.default_rng(0))
    assert len(folds) == 5
    assert sorted(np.concatenate([held for held, _ in folds]).tolist()) == list(range(13))
    for held, rest in folds:
        assert sorted([*held.tolist(), *rest.tolist()]) == list(range(13))
    assert len(module._folds(3, 5, np.random.default_rng(0))) == 3


def test_discarding_hopeless_settings_early_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a plain cross-validation that scores every setting on every fold."""
    pairs = consistent_pairs(10, seed=5)
    quick = run(pairs)
    plain = module._cross_validate

    def patient(*arguments: object) -> Score:
        return plain(*arguments[:-1], module.WORST)  # type: ignore[arg-type,call-arg]

    monkeypatch.setattr(module, "_cross_validate", patient)
    assert run(pairs) == quick


def test_a_warm_learner_gives_the_weights_of_a_cold_one() -> None:
    pairs, oracle = consistent_pairs(9), oracle_for(SPACE)
    start = oracle.best_for_values(np.zeros((1, 5)))

    def learner() -> FixedConfigurations:
        return module._learner(oracle, pairs, Bounds.usual(SPACE), Form.COUPLED, Highs())

    with learner() as warm:
        for setting in (Setting(20.0, 0.1, 0.1), Setting(5.0, 0.001, 1.0), Setting(1.0, 0.001, 0.1)):
            with learner() as cold:
                here, there = (module.learn(each, oracle, setting, start) for each in (warm, cold))
            onehot = oracle.space.onehot(oracle.best_for_values(np.stack([here, there])))
            assert here @ onehot[0] == pytest.approx(here @ onehot[1])


@pytest.mark.parametrize("bad", [{"folds": 1}, {"every": 0}, {"seconds": 0.0}, {"alphas": ()}])
def test_impossible_tunings_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        Tuning(**bad)  # type: ignore[arg-type]
