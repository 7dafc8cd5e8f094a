"""Answers as pairs: what each kind says, that it is true of whoever says it, and that old answers say what they did."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setmargin.answers import Answer, Change, Choice, NoDifference, Question, Ranking, Skip, differing, preferences
from setmargin.arrays import Floats
from setmargin.laws.checks import small_space
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits
from setmargin.space.attributes import Quantity
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.strategies.setmargin.problem import Form, Hyperparameters, formulate
from setmargin.strategies.setmargin.tuning import score
from setmargin.strategies.setmargin.weights import WeightFitter
from setmargin.strategies.shared.changes import STEP, gains_of
from setmargin.strategies.shared.pairs import Pairs, pairs_of
from tests.strategies.brute import all_configurations
from tests.strategies.setmargin.examples import GRID, make, solved

PRICED = Space(
    {"colour": ["red", "green", "blue"], "size": [1, 2]},
    quantities=[Quantity("price", {"size": 2.0, "colour": {"red": 1, "green": 0, "blue": 0}}, better="lower")],
)
Shown = dict[str, str | int]
RED: Shown = {"colour": "red", "size": 1}
GREEN: Shown = {"colour": "green", "size": 1}
BLUE: Shown = {"colour": "blue", "size": 2}


def ask(space: Space, *options: Shown) -> Question:
    return Question(tuple(space.configuration(space.indices(option)) for option in options))


def random_question(space: Space, rng: np.random.Generator, size: int) -> Question:
    rows = rng.permutation(all_configurations(space))[:size]
    return Question(tuple(space.configuration(row) for row in rows))


def contributions(space: Space, question: Question, weights: Floats, best: int) -> dict[str, float]:
    """What each thing in which the options differ adds to the best, beside the mean of the others."""
    features = np.stack([space.encode(option) for option in question.options])
    apart = features[best] - np.delete(features, best, axis=0).mean(axis=0)
    return {name: float((apart * space.features_of(name)) @ weights) for name in differing(space, question.options)}


def true_answer(space: Space, question: Question, weights: Floats, kind: str) -> Answer:
    utilities = np.array([space.encode(option) @ weights for option in question.options])
    best = int(utilities.argmax())
    adds = contributions(space, question, weights, best) if question.is_comparison else {}
    names = tuple(sorted(adds, key=lambda name: -adds[name])[:2])
    match kind:
        case "choice":
            return Choice(best, names)
        case "ranking":
            return Ranking(tuple(np.argsort(-utilities).tolist()), names[:1])
    changes, gains = gains_of(space, weights, Question((question.options[best],)))
    return replace(changes[int(gains.argmax())], option=best)


@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["choice", "ranking", "change"]), size=st.integers(1, 4))
def test_what_an_answer_says_is_true_of_whoever_gives_it(seed: int, kind: str, size: int) -> None:
    space, rng = (small_space(), PRICED)[seed % 2], np.random.default_rng(seed)
    weights = rng.uniform(1.0, 100.0, len(space.feature_names))
    kind = kind if size > 1 else "change"
    question = random_question(space, rng, size)
    pairs = pairs_of(space, [(question, true_answer(space, question, weights, kind))])
    assert len(pairs.strict) >= size - 1
    strict, _ = pairs.in_features(space)
    assert (strict @ weights > -1e-9).all()
    ahead, _ = pairs.ahead(space.value_weights(weights), weights[int(space.offsets[-1]) :])
    assert ahead == pytest.approx(strict @ weights)


def test_a_reason_adds_more_than_everything_else_they_differ_in() -> None:
    question = ask(PRICED, RED, BLUE)
    strict, _ = pairs_of(PRICED, [(question, Choice(1, ("price",)))]).in_features(PRICED)
    _, than_colour, than_size = strict
    apart = (PRICED.encode(question.options[1]) - PRICED.encode(question.options[0]))[-1]
    assert than_colour.tolist() == pytest.approx([1, 0, -1, 0, 0, apart])
    assert than_size.tolist() == pytest.approx([0, 0, 0, 1, -1, apart])


def test_a_second_reason_is_compared_with_what_is_left() -> None:
    pairs = pairs_of(PRICED, [(ask(PRICED, RED, BLUE), Choice(1, ("price", "size", "colour")))])
    strict, _ = pairs.in_features(PRICED)
    assert len(strict) == 1 + 2 + 1
    assert strict[-1].tolist() == pytest.approx([1, 0, -1, -1, 1, 0])


def test_of_several_the_reason_is_what_sets_the_best_apart_from_their_mean() -> None:
    strict, _ = pairs_of(PRICED, [(ask(PRICED, RED, GREEN, BLUE), Choice(0, ("colour",)))]).in_features(PRICED)
    assert strict[2][:3].tolist() == pytest.approx([1, -0.5, -0.5])


def test_what_does_not_matter_ties_by_itself() -> None:
    pairs = pairs_of(PRICED, [(ask(PRICED, RED, GREEN), NoDifference(("colour",)))])
    _, equal = pairs.in_features(PRICED)
    assert equal.shape == (2, 6)
    assert equal[1].tolist() == pytest.approx([1, -1, 0, 0, 0, 0])


def test_a_change_is_better_than_what_was_shown_than_other_values_and_than_other_changes_on_average() -> None:
    strict, _ = pairs_of(PRICED, [(ask(PRICED, RED), Change("colour", "blue"))]).in_features(PRICED)
    better, than_green, than_others = strict[:, :5]
    assert better.tolist() == [-1, 0, 1, 0, 0]
    assert than_green.tolist() == [0, -1, 1, 0, 0]
    changes = np.array([[-1, 1, 0, 0, 0], [0, 0, 0, -1, 1], [0, 0, 0, 0, 0]])
    assert than_others.tolist() == pytest.approx((better - changes.mean(axis=0)).tolist())


def test_a_better_quantity_is_better_by_a_step() -> None:
    strict, _ = pairs_of(PRICED, [(ask(PRICED, RED), Change("price"))]).in_features(PRICED)
    assert strict[0].tolist() == pytest.approx([0, 0, 0, 0, 0, STEP])


def test_what_nobody_would_change_is_better_than_with_a_change_on_average() -> None:
    strict, _ = pairs_of(PRICED, [(ask(PRICED, RED), Change())]).in_features(PRICED)
    assert np.sign(strict[0]).tolist() == [1, -1, -1, 1, -1, np.sign(strict[0, -1])]
    assert len(strict) == 1


def test_a_change_of_one_of_several_also_prefers_it() -> None:
    question = ask(PRICED, RED, BLUE)
    pairs = pairs_of(PRICED, [(question, Change("size", 1, option=1))])
    assert pairs.strict[0].tolist() == pairs_of(PRICED, [(question, Choice(1))]).strict[0].tolist()
    assert pairs.strict[1].tolist() == [0, 0, 0, 1, -1]


def test_wishes_that_are_known_are_not_compared_with() -> None:
    shown = ask(PRICED, RED).options
    known = Question(shown, besides=(("colour", "green"), ("price", None), ("size", 2)))
    assert len(pairs_of(PRICED, [(known, Change("colour", "blue"))])) == 1


# Answers that say no more than they used to


def plain_history(space: Space, seed: int) -> list[tuple[Question, Answer]]:
    rng = np.random.default_rng(seed)
    answers: list[Answer] = [Choice(1), Ranking((2, 0, 1)), NoDifference(), Skip(), Choice(0)]
    return [(random_question(space, rng, 3), answer) for answer in answers]


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("seed", range(3))
def test_answers_without_reasons_give_the_problem_that_they_always_gave(form: Form, seed: int) -> None:
    history = plain_history(PRICED, seed)
    rows: dict[bool, list[Floats]] = {True: [], False: []}
    for question, answer in history:
        options = PRICED.onehot(np.array([PRICED.indices(option) for option in question.options]))
        for better, worse, strict in preferences(question, answer):
            rows[strict].append(options[better] - options[worse])
    found, by_hand = pairs_of(PRICED, history), Pairs(np.array(rows[True]), np.array(rows[False]))
    assert (found.strict_beside, found.equal_beside, found.answer) == (None, None, None)
    assert found.strict.tobytes() == by_hand.strict.tobytes()
    assert found.equal.tobytes() == by_hand.equal.tobytes()
    models = [formulate(make(PRICED, each, size=2, setting=GRID[0], form=form))[0] for each in (found, by_hand)]
    for name in ("objective", "row_lower", "row_upper", "lower", "upper", "integer"):
        assert getattr(models[0], name).tobytes() == getattr(models[1], name).tobytes()
    assert models[0].matrix.toarray().tobytes() == models[1].matrix.toarray().tobytes()
    chosen = np.random.default_rng(seed).permutation(len(found))[:4]
    assert found.at(chosen).strict.tobytes() == by_hand.at(chosen).strict.tobytes()
    assert found.answers == len(found)
    weights = np.arange(5.0)
    assert score(weights, found) == score(weights, by_hand)


# What learners make of it


def said_more(space: Space, weights: Floats, count: int, seed: int) -> Pairs:
    rng = np.random.default_rng(seed)
    questions = [random_question(space, rng, 1 + number % 3) for number in range(count)]
    kinds = ["change", "choice", "ranking"]
    return pairs_of(space, [(q, true_answer(space, q, weights, kinds[n % 3])) for n, q in enumerate(questions)])


@pytest.mark.parametrize("seed", range(5))
def test_true_reasons_and_changes_can_all_be_obeyed(seed: int) -> None:
    space = small_space()
    pairs = said_more(space, np.random.default_rng(seed).uniform(0.1, 1.0, len(space.feature_names)), 6, seed)
    found = solved(make(space, pairs, size=1, setting=Hyperparameters(20.0, 1e-6, 1e-6)))
    cut = int(space.offsets[-1])
    strict, _ = pairs.ahead(found.value_weights[0], found.weights[0, cut:])
    assert found.margin > 1e-6
    assert (strict >= found.margin - 1e-6).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_kept_problem_and_the_whole_one_read_reasons_alike(seed: int) -> None:
    space = small_space()
    pairs = said_more(space, np.random.default_rng(seed).uniform(0.1, 1.0, len(space.feature_names)), 5, seed)
    for setting in GRID:
        problem = make(space, pairs, size=1, setting=setting)
        whole = solved(problem)
        with WeightFitter(
            space,
            pairs,
            size=1,
            bounds=problem.bounds,
            form=Form.COUPLED,
            solver=Highs(),
            limits=Limits(seconds=10.0),
        ) as fitter:
            fit = fitter.fit(space.onehot(whole.configurations), setting)
        assert fit.objective == pytest.approx(whole.objective, abs=1e-6)


def test_all_that_one_answer_says_is_held_out_together_and_counts_once() -> None:
    pairs = said_more(PRICED, np.arange(1.0, 7.0), 6, seed=0)
    assert pairs.answer is not None
    assert pairs.answers == len(set(pairs.answer.tolist())) == 6
    assert sum(part.sum() for part in pairs.counts()) == pytest.approx(6.0)
    held, rest = pairs.at(np.array([1, 4])), pairs.at(np.array([0, 2, 3, 5]))
    assert held.answer is not None
    assert rest.answer is not None
    assert not set(held.answer.tolist()) & set(rest.answer.tolist())
    assert len(held) + len(rest) == len(pairs)
    assert held.strict_beside is not None
    assert held.strict_beside.shape == (len(held.strict), 1)


def test_without_weights_of_quantities_what_speaks_of_them_is_left_out() -> None:
    pairs = pairs_of(PRICED, [(ask(PRICED, RED, BLUE), Choice(1, ("size",))), (ask(PRICED, RED), Change("price"))])
    plain = pairs.of_values_alone()
    assert plain.strict_beside is None
    assert len(plain) == 1
    unpriced = load("synthetic:3")
    said = said_more(unpriced, np.arange(1.0, 10.0), 4, seed=0)
    assert len(said.of_values_alone()) == len(said) > 4
