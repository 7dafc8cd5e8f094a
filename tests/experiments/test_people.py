"""People: their weights and their answers."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Hashable
from itertools import islice, permutations, product
from math import exp
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Choice, Comparisons, How, NoDifference, Outcome, Question, Ranking, preferences
from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError, PeopleError
from setmargin.experiments.families import Sparsity, Weights, usual_sparsity
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import MODELS, Response
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from tests.experiments.stubs import LAMP
from tests.experiments.stubs import SHIRTS as SPACE

FIRST, SECOND, EQUAL = Outcome.FIRST, Outcome.SECOND, Outcome.EQUAL
VALUES = Space({"x": ["a", "b", "c", "d"]})
DRAWS = 1500


def somebody(weights: list[float], *, space: Space = VALUES, **response: object) -> Person:
    return Person(space=space, weights=np.array(weights, dtype=float), response=Response(**response))  # type: ignore[arg-type]


def about(*values: str) -> Question:
    return Question(tuple(VALUES.configuration(VALUES.indices({"x": value})) for value in values))


def frequencies(say: Callable[[np.random.Generator], Hashable]) -> dict[Hashable, float]:
    rng = np.random.default_rng(7)
    return {said: times / DRAWS for said, times in Counter(say(rng) for _ in range(DRAWS)).items()}


def assert_close(found: dict[Hashable, float], chances: dict[Hashable, float]) -> None:
    """Within four standard errors, and nothing that cannot happen."""
    assert set(found) <= {said for said, chance in chances.items() if chance > 0}
    for said, chance in chances.items():
        assert abs(found.get(said, 0.0) - chance) <= 4 * (chance * (1 - chance) / DRAWS) ** 0.5 + 1e-12


# Probabilities


def by_the_book(model: str, d: float, one: float = 1.0, two: float = 1.0) -> list[float]:
    e, g = exp(-two * abs(d)), 1 / (1 + exp(-one * d))
    if model == "tree":
        return [(1 - e) * g, (1 - e) * (1 - g), e]
    return [g / (1 + e), (1 - g) / (1 + e), e / (1 + e)]


@pytest.mark.parametrize("model", ["tree", "proportional"])
@pytest.mark.parametrize("d", [-30.0, -2.0, -0.1, 0.0, 0.1, 1.0, 5.0])
def test_pairs_follow_the_formulas(model: str, d: float) -> None:
    assert Response(model=model).of_pair(d) == pytest.approx(by_the_book(model, d), abs=1e-12)
    slow = Response(model=model, lambda1=0.3, lambda2=0.7)
    assert slow.of_pair(d) == pytest.approx(by_the_book(model, d, 0.3, 0.7), abs=1e-12)


def test_equals_always_tie_in_the_tree_model_and_half_of_the_time_in_the_proportional_one() -> None:
    assert Response(model="tree").of_pair(0.0).tolist() == [0, 0, 1]
    assert Response(model="proportional").of_pair(0.0).tolist() == [0.25, 0.25, 0.5]
    assert Response(model="noiseless").of_pair(0.0).tolist() == [0, 0, 1]


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("d", [800.0, 1e6, 1e12])
def test_huge_differences_are_certain_and_do_not_overflow(model: str, d: float) -> None:
    response = Response(model=model, lambda1=1e12, lambda2=1e12)
    for sure in (Response(model=model), response):
        assert sure.of_pair(d).tolist() == [1, 0, 0]
        assert sure.of_pair(-d).tolist() == [0, 1, 0]
        assert sure.of_choice(np.array([-d, d, 0.0])).tolist() == [0, 1, 0]


@given(st.sampled_from(list(MODELS)), st.floats(-1e12, 1e12), st.floats(0, 1e3), st.floats(0, 1e3))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_probabilities_of_a_pair_sum_to_one_and_swap_with_its_sides(
    model: str, d: float, one: float, two: float
) -> None:
    response = Response(model=model, lambda1=one, lambda2=two)
    chances = response.of_pair(d)
    assert chances.sum() == pytest.approx(1)
    assert (chances >= 0).all()
    assert response.of_pair(-d) == pytest.approx(chances[[1, 0, 2]])


@pytest.mark.parametrize("model", ["tree", "proportional"])
def test_choices_are_logistic(model: str) -> None:
    utilities = np.array([0.0, 1.0, 3.0])
    scores = np.exp(0.5 * utilities)
    response = Response(model=model, lambda1=0.5)
    assert response.of_choice(utilities) == pytest.approx(scores / scores.sum())
    assert response.of_choice(utilities + 1e6) == pytest.approx(scores / scores.sum())


@pytest.mark.parametrize("model", ["tree", "proportional"])
@pytest.mark.parametrize("d", [0.0, 0.4, -1.5])
def test_pairs_are_drawn_with_their_probabilities(model: str, d: float) -> None:
    person = somebody([1.5 + d, 1.5, 0, 0], model=model)
    question = about("a", "b")
    found = frequencies(lambda rng: person.answer(question, "pairs", rng))
    chances = dict(zip((FIRST, SECOND, EQUAL), by_the_book(model, d), strict=True))
    assert_close(found, {Comparisons(((0, 1, outcome),)): chance for outcome, chance in chances.items()})


def test_choices_are_drawn_with_their_probabilities() -> None:
    person = somebody([0, 1, 2, 0])
    found = frequencies(lambda rng: person.answer(about("a", "b", "c"), "choice", rng))
    total = sum(map(exp, range(3)))
    assert_close(found, {Choice(option): exp(option) / total for option in range(3)})


def test_rankings_are_successive_choices() -> None:
    utilities = [0.0, 0.5, 1.5]
    person = somebody([*utilities, 0])
    found = frequencies(lambda rng: person.answer(about("a", "b", "c"), "ranking", rng))

    def chance(order: tuple[int, ...]) -> float:
        scores = [exp(utilities[option]) for option in order]
        return scores[0] / sum(scores) * scores[1] / sum(scores[1:])

    assert_close(found, {Ranking(order): chance(order) for order in permutations(range(3))})


# Without noise


def test_without_noise_the_best_is_chosen_and_the_order_is_sorted() -> None:
    person, rng = somebody([1, 5, 3, 0], model="noiseless"), np.random.default_rng(0)
    question = about("a", "b", "c")
    assert person.answer(question, "choice", rng) == Choice(1)
    assert person.answer(question, "ranking", rng) == Ranking((1, 2, 0))
    assert person.answer(question, "pairs", rng) == Comparisons(((0, 1, SECOND), (0, 2, SECOND), (1, 2, FIRST)))
    assert person.answer(question, "sort", rng) == Comparisons(((0, 1, SECOND), (1, 2, FIRST), (0, 2, SECOND)))


def test_without_noise_equals_make_no_difference_and_the_first_of_the_best_is_chosen() -> None:
    rng = np.random.default_rng(0)
    question = about("a", "b", "c")
    for how in ("choice", "ranking"):
        assert somebody([2, 2, 2, 0], model="noiseless").answer(question, how, rng) == NoDifference()
    assert somebody([1, 2, 2, 0], model="noiseless").answer(question, "choice", rng) == Choice(1)
    assert somebody([1, 2, 2, 0], model="noiseless").answer(question, "ranking", rng) == Ranking((1, 2, 0))


def test_what_differs_by_rounding_only_is_equal() -> None:
    space = Space({"x": ["a", "b"], "y": ["c", "d"]})
    person = somebody([0.1, 0.3, 0.2, 0.0], space=space, model="noiseless")
    one, other = (space.configuration(row) for row in ([0, 0], [1, 1]))
    assert person.utilities([one])[0] != person.utilities([other])[0]
    said = person.answer(Question((one, other)), "pairs", np.random.default_rng(0))
    assert said == Comparisons(((0, 1, EQUAL),))


def test_a_loss_by_rounding_only_is_none() -> None:
    space = Space({"x": ["a", "b"], "y": ["c", "d"]}, rules=["x = a <=> y = c"])
    person = somebody([0.1, 0.3, 0.2, 0.0], space=space)
    both = [space.configuration(row) for row in ([0, 0], [1, 1])]
    assert len(set(person.utilities(both))) == 2
    assert [person.loss(one) for one in both] == [0, 0]


# Wrong answers


def test_wrong_answers_about_pairs_prefer_the_other_one() -> None:
    person = somebody([2, 1, 1, 0], model="noiseless", wrong=0.3)

    def said(better: str, worse: str) -> dict[Hashable, float]:
        return frequencies(lambda rng: preferences_of(person, about(better, worse), rng))

    assert_close(said("a", "b"), {((0, 1, True),): 0.7, ((1, 0, True),): 0.3})
    assert_close(said("b", "c"), {((0, 1, False),): 0.7, ((0, 1, True),): 0.15, ((1, 0, True),): 0.15})


def preferences_of(person: Person, question: Question, rng: np.random.Generator, how: How = "pairs") -> Hashable:
    return preferences(question, person.answer(question, how, rng))


def test_wrong_choices_and_rankings_are_any_other_equally_likely() -> None:
    person, question = somebody([3, 2, 1, 0], model="noiseless", wrong=0.5), about("a", "b", "c")
    chosen = frequencies(lambda rng: person.answer(question, "choice", rng))
    assert_close(chosen, {Choice(0): 0.5, Choice(1): 0.25, Choice(2): 0.25})
    ranked = frequencies(lambda rng: person.answer(question, "ranking", rng))
    assert_close(ranked, {Ranking(order): 0.1 + 0.4 * (order == (0, 1, 2)) for order in permutations(range(3))})


def test_wrong_answers_about_equals_prefer_something() -> None:
    person, question = somebody([1, 1, 1, 0], model="noiseless", wrong=0.5), about("a", "b", "c")
    chosen = frequencies(lambda rng: person.answer(question, "choice", rng))
    assert_close(chosen, {NoDifference(): 0.5, **{Choice(option): 1 / 6 for option in range(3)}})
    ranked = frequencies(lambda rng: person.answer(question, "ranking", rng))
    assert_close(ranked, {NoDifference(): 0.5, **{Ranking(order): 1 / 12 for order in permutations(range(3))}})


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("weights", [[1, 1.5, 0, 0], [1, 1, 0, 0]])
def test_of_two_options_every_way_gives_the_answer_of_a_pair(model: str, weights: list[float]) -> None:
    person, question = somebody(weights, model=model, wrong=0.2), about("a", "b")
    for seed in range(40):
        said = {preferences_of(person, question, np.random.default_rng(seed), how) for how in get_args(How)}
        assert len(said) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "trees"}, "did you mean tree"),
        ({"wrong": 1.0}, "less than 1"),
        ({"wrong": -0.1}, "-0.1"),
        ({"wrong": float("nan")}, "nan"),
        ({"lambda1": -1.0}, "lambda1 is -1.0"),
        ({"lambda2": float("inf")}, "lambda2 is inf"),
    ],
)
def test_impossible_responses_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Response(**options)  # type: ignore[arg-type]


def test_an_unknown_way_of_answering_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean pairs"):
        somebody([1, 2, 3, 4]).answer(about("a", "b"), "pair", np.random.default_rng(0))  # type: ignore[arg-type]


# Losses


def everything(space: Space) -> Ints:
    rows: Ints = np.array(list(product(*map(range, space.domains))))
    return rows[space.feasible(rows)]


@given(st.lists(st.floats(0, 100), min_size=6, max_size=6))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_losses_are_those_of_brute_force(weights: list[float]) -> None:
    person = somebody(weights, space=SPACE)
    configurations = [SPACE.configuration(row) for row in everything(SPACE)]
    worth = [float(SPACE.encode(one) @ person.weights) for one in configurations]
    assert person.best_utility == pytest.approx(max(worth))
    for configuration, here in zip(configurations, worth, strict=True):
        assert person.loss(configuration) == pytest.approx(max(worth) - here, abs=1e-9 * max(weights))
        if max(worth) > 0:
            assert person.relative_loss(configuration) == pytest.approx(1 - here / max(worth), abs=1e-6)
    assert min(person.loss(configuration) for configuration in configurations) == 0


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize("how", get_args(How))
def test_a_person_to_whom_all_is_equal_loses_nothing_and_still_answers(weight: float, how: How) -> None:
    person = somebody([weight] * 4)
    assert person.loss(about("a", "b").options[0]) == person.relative_loss(about("a", "b").options[0]) == 0
    for question in (about("a", "b"), about("a", "b", "c", "d")):
        preferences(question, person.answer(question, how, np.random.default_rng(0)))


@pytest.mark.parametrize("weights", [[1.0], [1, 2, 3, -1], [1, 2, 3, float("nan")], [1, 2, 3, float("inf")]])
def test_weights_that_make_no_sense_are_refused(weights: list[float]) -> None:
    with pytest.raises(PeopleError, match=r"weight"):
        somebody(weights)


# People that are drawn


def drawn(space: Space, count: int, weights: Weights, **options: object) -> Floats:
    return np.stack([person.weights for person in draw_people(space, count, weights=weights, **options)])  # type: ignore[arg-type]


@pytest.mark.parametrize("weights", get_args(Weights))
def test_a_person_does_not_depend_on_how_many_are_drawn(weights: Weights) -> None:
    few, many = (list(draw_people(LAMP, count, weights=weights, seed=3)) for count in (2, 9))
    for one, twin in zip(few, many[:2], strict=True):
        assert one.weights.tolist() == twin.weights.tolist()
        assert one.noise().random(5).tolist() == twin.noise().random(5).tolist()
        assert (one.number, one.strategy_seed) == (twin.number, twin.strategy_seed)
    assert len({tuple(person.weights) for person in many}) == 9
    assert len({person.noise().random() for person in many}) == 9
    assert len({person.strategy_seed for person in many}) == 9


def test_another_seed_gives_other_people() -> None:
    assert (drawn(SPACE, 3, "uniform", seed=0)[:, :5] != drawn(SPACE, 3, "uniform", seed=1)[:, :5]).all()


def test_weights_and_answers_have_streams_of_their_own() -> None:
    dense, sparse = (next(draw_people(SPACE, 1, weights=kind)) for kind in ("uniform", "sparse-normal"))
    assert dense.noise().random(3).tolist() == sparse.noise().random(3).tolist()
    noisy = next(draw_people(SPACE, 1, response=Response(model="tree", wrong=0.4)))
    assert noisy.weights.tolist() == dense.weights.tolist()
    assert not np.isclose(dense.noise().uniform(1, 100, 5), dense.weights[:5]).any()


def test_people_are_drawn_one_by_one() -> None:
    assert len(list(islice(draw_people(SPACE, 10**15), 3))) == 3


def test_uniform_weights_lie_between_1_and_100() -> None:
    weights = drawn(load("synthetic:5"), 200, "uniform")
    assert 1 <= weights.min() < 1.5
    assert 99.5 < weights.max() <= 100
    assert weights.mean() == pytest.approx(50.5, abs=1.5)


def test_normal_weights_are_clipped_at_0() -> None:
    weights = drawn(load("synthetic:10"), 200, "normal")
    assert weights.min() == 0
    assert weights.mean() == pytest.approx(25, abs=0.3)
    assert weights.std() == pytest.approx(25 / 3, abs=0.3)


@pytest.mark.parametrize(("name", "kept"), [("synthetic:3", 2), ("synthetic:4", 4), ("synthetic:5", 5)])
def test_sparse_people_of_even_spaces_keep_a_fifth_of_all_weights(name: str, kept: int) -> None:
    weights = drawn(load(name), 50, "sparse-uniform")
    assert ((weights > 0).sum(axis=1) == kept).all()
    assert (weights > 0).any(axis=0).all()


def test_sparse_people_of_other_spaces_keep_a_fifth_of_each_attribute() -> None:
    space = load("pc")
    weights = drawn(space, 50, "sparse-uniform")
    assert (weights[:, -1] == 0).all()
    for start, size in zip(space.offsets, space.domains, strict=False):
        block = weights[:, start : start + size] > 0
        assert (block.sum(axis=1) == max(1, size // 5)).all()
        assert block.any(axis=0).sum() >= size // 2


def test_the_sparsity_can_be_said() -> None:
    assert [usual_sparsity(space) for space in (load("synthetic:4"), load("pc"))] == ["overall", "by-attribute"]
    even = drawn(load("synthetic:4"), 20, "sparse-uniform", sparsity="by-attribute").reshape(20, 4, 4)
    assert ((even > 0).sum(axis=2) == 1).all()
    uneven = drawn(load("pc"), 20, "sparse-uniform", sparsity="overall")
    assert ((uneven > 0).sum(axis=1) == 76 - 60).all()


@pytest.mark.parametrize("sparsity", get_args(Sparsity))
def test_quantities_are_worth_nothing_unless_asked_for(sparsity: Sparsity) -> None:
    assert (drawn(SPACE, 20, "sparse-uniform", sparsity=sparsity)[:, -1] == 0).all()
    assert drawn(SPACE, 20, "sparse-uniform", sparsity=sparsity, quantities=True)[:, -1].any()


def test_weights_of_quantities_are_drawn_like_the_others_and_change_none_of_them() -> None:
    without, having = (drawn(SPACE, 20, "uniform", quantities=quantities) for quantities in (False, True))
    assert (having[:, :-1] == without[:, :-1]).all()
    assert (having[:, -1] >= 1).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"count": 0}, "0 people"),
        ({"weights": "sparse"}, "did you mean"),
        ({"sparsity": "overall"}, "give sparse-uniform"),
        ({"sparsity": "some", "weights": "sparse-normal"}, "the sparsity is 'some'"),
        ({"seed": -1}, "the seed is -1"),
    ],
)
def test_impossible_people_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises((OptionError, PeopleError), match=words):
        draw_people(SPACE, **{"count": 1, **options})  # type: ignore[arg-type]


def test_people_survive_pickling() -> None:
    person = next(draw_people(SPACE, 1, response=Response(wrong=0.1)))
    twin = pickle.loads(pickle.dumps(person))
    assert (twin.weights.tolist(), twin.space, twin.response) == (person.weights.tolist(), SPACE, person.response)
