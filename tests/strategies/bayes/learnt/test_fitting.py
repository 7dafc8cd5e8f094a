from __future__ import annotations

import numpy as np
import pytest

from setmargin import Attribute, Bayes, Change, Choice, NoDifference, Question, Ranking, Skip, Space
from setmargin.errors import LearningError
from setmargin.logits.rows import log_likelihoods
from setmargin.strategies.base import History
from setmargin.strategies.bayes.learnt.basis import basis_of
from setmargin.strategies.bayes.learnt.fit import fit_prior
from setmargin.strategies.bayes.learnt.fit_tastes import fit_tastes
from setmargin.strategies.bayes.learnt.rows import rows_of
from tests.strategies.bayes.learnt.choosers import MEAN, ROOT, choosing, normal

SPACE = Space({"a": ["x", "y", "z"], "b": ["on", "off"], "c": ["p", "q"]}, name="little")


def test_a_normal_population_is_found_again_as_one_segment() -> None:
    found = fit_tastes(SPACE, choosing(SPACE, normal(120, MEAN, ROOT)))
    (segment,) = found.segments
    mean = found.sharpness * segment.mean
    for block in (slice(0, 3), slice(3, 5), slice(5, 7)):
        assert np.allclose(mean[block] - mean[block].mean(), MEAN[block], atol=0.45)
    spread = found.sharpness**2 * (segment.factors @ segment.factors.T + np.diag(segment.own**2))
    difference = np.array([0, 0, 0, 0, 0, 1, -1.0])
    assert difference @ spread @ difference == pytest.approx(4.4, rel=0.5)
    cross = np.array([1.0, 0, -1, 0, 0, 0, 0]) @ spread @ difference
    assert cross > 0.4  # they go together: 2 in truth


def test_two_clear_segments_are_found() -> None:
    space = Space({f"a{number}": ["x", "y"] for number in range(8)}, name="eight")
    likes = np.tile([1.0, 0.0], 8)
    tastes = np.concatenate([np.tile(likes, (80, 1)), np.tile(1 - likes, (80, 1))])
    found = fit_tastes(space, choosing(space, tastes, tasks=8))
    assert [segment.share for segment in found.segments] == pytest.approx([0.5, 0.5], abs=0.1)
    for segment in found.segments:
        differences = segment.mean[::2] - segment.mean[1::2]
        assert (differences > 0).all() or (differences < 0).all()


def test_few_people_are_refused_and_a_few_more_are_learnt_from() -> None:
    people = choosing(SPACE, normal(10, MEAN, ROOT))
    with pytest.raises(LearningError, match="9 of 9 people said something that can be learnt from; wait for 10"):
        fit_tastes(SPACE, people[:9])
    with pytest.raises(LearningError, match="wait for 30"):
        fit_tastes(SPACE, people, least=30)
    found = fit_tastes(SPACE, people)
    assert len(found.segments) == 1
    assert found.segments[0].mean[0] > found.segments[0].mean[2]
    assert Bayes().knowing(SPACE, people[:9]) == Bayes()


def test_people_who_said_nothing_usable_do_not_count_as_known() -> None:
    people = choosing(SPACE, normal(10, MEAN, ROOT), tasks=3)
    skipping: History = tuple((question, Skip()) for question, _ in people[0])
    strategy = Bayes()
    assert strategy.knowing(SPACE, [*people[1:], skipping, (), ()]) is strategy
    assert strategy.knowing(SPACE, [*people, skipping, ()]) != strategy


def test_where_the_catalogue_says_what_is_better_people_are_learnt_from_too() -> None:
    directed = [Attribute("a", [1, 2, 3], better="higher"), Attribute("b", ["on", "off"])]
    space = Space([*directed, Attribute("c", [1, 2, 4], better="peak")], name="directed")
    tastes = np.tile([0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 1.0, 0.0], (20, 1))
    people = choosing(space, tastes)
    strategy = Bayes(policy="comparisons").knowing(space, people)
    start = strategy.start(space)
    options = [{"a": a, "b": "on", "c": 2} for a in (3, 1)]
    assert strategy.predict(start, options)[0] > 0.7
    question = strategy.ask(start)
    assert question is not None
    assert len(strategy.learn(start, question, Choice(0)).history) == 1


def test_the_same_seed_gives_the_same_prior() -> None:
    people = choosing(SPACE, normal(12, MEAN, ROOT))
    assert fit_prior(SPACE, histories=people) == fit_prior(SPACE, histories=people)


def test_earlier_people_make_the_first_guess_better_and_somebody_unlike_them_is_understood() -> None:
    people = choosing(SPACE, normal(40, 2 * MEAN, ROOT), tasks=8)
    strategy = Bayes(policy="comparisons", samples=600).knowing(SPACE, people)
    likes = {"a": "x", "b": "on", "c": "p"}
    hates = {"a": "z", "b": "off", "c": "p"}
    start = strategy.start(SPACE)
    assert strategy.predict(start, [likes, hates])[0] > 0.75
    assert Bayes(policy="comparisons").predict(Bayes().start(SPACE), [likes, hates])[0] == pytest.approx(0.5, abs=0.1)
    belief = start
    learnt = [kind for kind in range(belief.population.kind.max() + 1) if kind >= 8]
    before = np.isin(belief.population.kind, learnt).mean()
    for one in ("p", "q", "p"):
        for first, second in (("z", "x"), ("z", "y"), ("y", "x")):
            better, worse = ({"a": value, "b": "off", "c": one} for value in (first, second))
            question = Question(tuple(SPACE.configuration(SPACE.indices(each)) for each in (better, worse)))
            belief = strategy.learn(belief, question, Choice(0))
    assert np.isin(belief.population.kind, learnt).mean() < before
    assert strategy.recommend(belief).configuration["a"] == "z"


def test_all_kinds_of_answers_become_choices() -> None:
    options = tuple(SPACE.configuration(np.array(row)) for row in ([0, 0, 0], [1, 1, 0], [2, 0, 1]))
    history: History = (
        (Question(options), Ranking((0, 1, 2))),
        (Question(options[:2]), NoDifference()),
        (Question(options[:2]), Choice(0, because=("b",))),
        (Question(options[:1], asks_for_change=True), Change("a", "y")),
    )
    data = rows_of(SPACE, [history, ()])
    # Two choices of the ranking, two halves of the tie, the choice and its reason, the change.
    assert len(data.starts) == 7
    assert data.weights is not None
    assert data.weights.tolist() == [1, 1, 0.5, 0.5, 1, 1, 1]
    liking = np.zeros((2, 7))
    liking[0, [0, 3]] = 3.0
    assert log_likelihoods(data, liking)[1] == 0
    assert data.rows[-1].tolist() == pytest.approx([-0.7, 0.7, 0, 0, 0, 0, 0])  # rather than no change at all


def test_many_ordered_values_have_few_tastes_and_words_one_less_than_values() -> None:
    space = Space({"size": range(20), "colour": ["red", "green", "blue"], "same": ["one"]}, name="many")
    basis = basis_of(space, np.array([5, 5, 0]))
    assert basis.matrix.shape == (24, 5)
    assert np.allclose(basis.matrix[:20].sum(axis=0), 0)
    assert np.allclose(basis.matrix[20:23, 3:].T @ basis.matrix[20:23, 3:], np.eye(2))
    assert not basis.known[23]
