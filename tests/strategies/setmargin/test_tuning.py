"""Tuning: the score, the folds, the choice and its special cases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.errors import NoSolutionInTime, OptionError
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits, Solver
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.setmargin import tuning as module
from setmargin.strategies.setmargin.local_search import WorkBudget
from setmargin.strategies.setmargin.problem import Bounds, Form, Hyperparameters
from setmargin.strategies.setmargin.tuning import (
    CrossValidation,
    Learner,
    Score,
    Tuning,
    best_of,
    cross_validation,
    score,
    tune,
)
from setmargin.strategies.setmargin.weights import Fit, WeightFitter
from setmargin.strategies.shared.pairs import Pairs
from tests.another_path import AnotherPath
from tests.strategies.setmargin.examples import random_pairs

SPACE = Space({"a": ["x", "y"], "b": [1, 2, 3]})
NONE = np.zeros((0, 5))


FIRST = Hyperparameters(1.0, 1.0, 1.0)
HIGHS = Highs()
PAPERS = Tuning()


def run(
    pairs: Pairs,
    *,
    current: Hyperparameters = FIRST,
    tuning: Tuning = PAPERS,
    seed: int = 0,
    solver: Solver = HIGHS,
) -> Hyperparameters:
    return tune(
        oracle_for(SPACE),
        pairs,
        current,
        tuning=tuning,
        bounds=Bounds.usual(SPACE),
        form=Form.COUPLED,
        solver=solver,
        rng=np.random.default_rng(seed),
    ).setting


@pytest.mark.parametrize("seed", range(3))
def test_the_chosen_setting_does_not_depend_on_the_path_to_the_optima(seed: int) -> None:
    pairs = consistent_pairs(10, seed=seed)
    assert {run(pairs, solver=AnotherPath(path)) for path in range(3)} == {run(pairs)} != {FIRST}


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
    assert run(pairs, current=Hyperparameters(10.0, 10.0, 0.001), tuning=tuning) == Hyperparameters(10.0, 0.001, 0.001)


def test_where_every_setting_vanishes_the_current_one_stays() -> None:
    current = Hyperparameters(1.0, 10.0, 0.001)
    assert (
        run(consistent_pairs(8), current=current, tuning=Tuning(alphas=(1.0,), betas=(10.0,), gammas=(0.001,)))
        == current
    )


def test_with_fewer_than_two_pairs_nothing_is_tuned() -> None:
    assert run(consistent_pairs(1)) == Hyperparameters(1.0, 1.0, 1.0)


def test_ties_keep_the_current_setting() -> None:
    """With one grid in another order, and the current setting in it, the current one wins its ties."""
    pairs = consistent_pairs(12, seed=3)
    best = run(pairs)
    assert run(pairs, current=best) == best


def test_time_running_out_keeps_what_was_found() -> None:
    assert run(
        consistent_pairs(8), current=Hyperparameters(5.0, 0.1, 0.1), tuning=Tuning(seconds=1e-9)
    ) == Hyperparameters(5.0, 0.1, 0.1)


def test_only_indifferent_answers_can_be_tuned_on() -> None:
    equal = random_pairs(SPACE, np.random.default_rng(0), strict=0, equal=6)
    assert run(equal) in (*Tuning().grid(), Hyperparameters(1.0, 1.0, 1.0))


def test_the_folds_share_the_pairs_out() -> None:
    folds = module.folds_of(13, 5, np.random.default_rng(0))
    assert len(folds) == 5
    assert sorted(np.concatenate([held for held, _ in folds]).tolist()) == list(range(13))
    for held, rest in folds:
        assert sorted([*held.tolist(), *rest.tolist()]) == list(range(13))
    assert len(module.folds_of(3, 5, np.random.default_rng(0))) == 3


@contextmanager
def validation(pairs: Pairs, *, effort: WorkBudget | None = None) -> Iterator[CrossValidation]:
    bounds, rng = Bounds.usual(SPACE), np.random.default_rng(0)
    with cross_validation(
        oracle_for(SPACE), pairs, tuning=PAPERS, bounds=bounds, form=Form.COUPLED, solver=Highs(), rng=rng
    ) as made:
        for learner in (made.whole, *(each for each, _ in made.folds)):
            learner.effort = effort or learner.effort
        yield made


def kept(pairs: Pairs) -> WeightFitter:
    bounds, limits = Bounds.usual(SPACE), Limits(seconds=10.0)
    return WeightFitter(SPACE, pairs, size=1, bounds=bounds, form=Form.COUPLED, solver=Highs(), limits=limits)


def test_discarding_hopeless_settings_early_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a plain cross-validation that scores every setting on every fold."""
    pairs = consistent_pairs(10, seed=5)
    quick, plain = run(pairs), CrossValidation.score

    def patient(found: CrossValidation, setting: Hyperparameters, *_: Score) -> Score:
        found.without_weights.clear()
        return plain(found, setting)

    monkeypatch.setattr(CrossValidation, "score", patient)
    assert run(pairs) == quick


@settings(max_examples=15, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), equal=st.integers(0, 4))
def test_where_a_mild_setting_has_no_weights_a_harsher_one_has_none_either(seed: int, equal: int) -> None:
    pairs = random_pairs(SPACE, np.random.default_rng(seed), strict=4, equal=equal)
    with validation(pairs) as found:
        for setting in sorted(Tuning().grid(), key=lambda each: (each.alpha, each.beta, -each.gamma)):
            if found.is_hopeless(setting):
                learners = (found.whole, *(learner for learner, _ in found.folds))
                assert any(not learner.fit(setting).value_weights[0].any() for learner in learners)
            found.score(setting)
        assert found.without_weights


def test_a_setting_that_vanishes_only_with_all_answers_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    with validation(consistent_pairs(8)) as found:
        first, fit = best_of(Tuning().grid(), FIRST, found), found.whole.fit
        assert first != FIRST

        def vanishing(each: Hyperparameters) -> Fit:
            usual = fit(each)
            return usual if each != first else replace(usual, value_weights=0.0 * usual.value_weights)

        monkeypatch.setattr(found.whole, "fit", vanishing)
        assert best_of(Tuning().grid(), FIRST, found) != first


def test_nothing_is_solved_where_no_wrong_order_is_left_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Learner, "fit", None)
    with validation(consistent_pairs(8)) as found:
        assert found.score(Hyperparameters(5.0, 0.1, 0.1), Score(0.0, 0.0)) == module.WORST


def test_a_few_settings_are_spread_over_the_grid() -> None:
    first = Tuning().grid()[:8]
    assert {s.alpha for s in first} == {20, 10, 5, 1}
    assert {s.beta for s in first} == {s.gamma for s in first} == {10, 1, 0.1, 0.001}


class Ticking(WorkBudget):
    """Over after so many looks at the clock."""

    looks = 0

    @property
    def is_over(self) -> bool:
        self.looks += 1
        return self.looks > self.fits


@pytest.mark.parametrize("looks", [0, 3, 40, 400])
def test_whenever_time_runs_out_the_choice_scores_no_worse_than_the_current_setting(looks: int) -> None:
    pairs = consistent_pairs(12, seed=1)
    with validation(pairs, effort=Ticking(looks)) as found:
        chosen = best_of(Tuning().grid(), FIRST, found)
    with validation(pairs) as patient:
        assert patient.score(chosen) <= patient.score(FIRST)


def test_a_linear_problem_that_runs_out_of_time_ends_tuning_with_what_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(learner: Learner, setting: Hyperparameters) -> None:
        raise NoSolutionInTime(f"{learner} and {setting}")

    monkeypatch.setattr(Learner, "fit", late)
    assert run(consistent_pairs(8), current=Hyperparameters(5.0, 0.1, 0.1)) == Hyperparameters(5.0, 0.1, 0.1)


def test_a_warm_learner_gives_the_weights_of_a_cold_one() -> None:
    pairs, oracle = consistent_pairs(9), oracle_for(SPACE)
    with kept(pairs) as long:
        warm = Learner(long, oracle, WorkBudget.unlimited())
        for setting in (
            Hyperparameters(20.0, 0.1, 0.1),
            Hyperparameters(5.0, 0.001, 1.0),
            Hyperparameters(1.0, 0.001, 0.1),
        ):
            with kept(pairs) as short:
                here, there = (
                    each.fit(setting).value_weights[0]
                    for each in (warm, Learner(short, oracle, WorkBudget.unlimited()))
                )
            onehot = oracle.space.onehot(oracle.best_for_values(np.stack([here, there])))
            assert here @ onehot[0] == pytest.approx(here @ onehot[1])


@pytest.mark.parametrize("bad", [{"folds": 1}, {"every": 0}, {"seconds": 0.0}, {"alphas": ()}])
def test_impossible_tunings_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        Tuning(**bad)  # type: ignore[arg-type]
