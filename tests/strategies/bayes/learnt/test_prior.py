import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin import Bayes, Interview, Space, make_strategy
from setmargin.errors import LearningError
from setmargin.strategies.bayes.learnt.document import dump_prior, load_prior, save_prior
from setmargin.strategies.bayes.learnt.prior import (
    LEAST_SHARE,
    Favourite,
    Favourites,
    LearntPrior,
    LearntSegments,
    Segment,
)
from setmargin.strategies.bayes.prior import Prior, shape_of

SPACE = Space({"colour": ["red", "green", "blue"], "watts": [5, 10]}, name="lamps")


def tastes(space: Space, *, mean: float = 0.5, factors: int = 2) -> LearntSegments:
    names = space.feature_names
    numbers = np.linspace(-mean, mean, len(names))
    return LearntSegments(100, 8.0, (Segment(1.0, names, numbers, np.full((len(names), factors), 0.1), 0 * numbers),))


def learnt(space: Space = SPACE) -> LearntPrior:
    return LearntPrior(space.name, space.fingerprint, ("choices.csv",), tastes(space))


def favourites() -> Favourites:
    colours, watts = ("red", "green", "blue"), ("5", "10")
    return Favourites(
        50,
        (
            Favourite("colour", colours, None, (), np.array([[0.7, 0.2, 0.1]])),
            Favourite("watts", watts, "colour", colours, np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])),
        ),
    )


numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
words = st.text(st.characters(categories=["L", "N", "P", "S"], include_characters=" "), min_size=1, max_size=12)


@st.composite
def priors(draw: st.DrawFn) -> LearntPrior:
    names = tuple(draw(st.lists(words, min_size=1, max_size=5, unique=True)))
    count = draw(st.integers(0, 3))
    segments = draw(st.integers(1, 3))
    row = st.lists(numbers, min_size=len(names), max_size=len(names)).map(np.array)
    found = tuple(
        Segment(
            1 / segments,
            names,
            draw(row),
            np.array([draw(row) for _ in range(count)]).reshape(count, len(names)).T,
            np.abs(draw(row)),
        )
        for _ in range(segments)
    )
    return LearntPrior(
        draw(words), "f", tuple(draw(st.lists(words, max_size=2))), LearntSegments(12, 3.0, found), favourites()
    )


@given(priors())
@settings(max_examples=40, deadline=None)
def test_a_file_gives_the_same_prior_back(tmp_path_factory: pytest.TempPathFactory, prior: LearntPrior) -> None:
    path = tmp_path_factory.mktemp("priors") / "prior.yaml"
    save_prior(prior, path)
    again = load_prior(path)
    assert again == prior
    assert dump_prior(again) == dump_prior(prior)
    assert LearntPrior.from_document(prior.document()) == prior
    assert pickle.loads(pickle.dumps(prior)) == prior


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("format: 1", "format: 2", 1, "this version reads 1"),
        ("share: 1.0", "share: 0.4", 9, "add up to 0.4; make it 1"),
        ("share: 1.0", "share: many", 10, "share is 'many'; give a number"),
        ("people: 100\n  s", "people: 3\n  s", 7, "learn from 10 or more"),
        ("sharpness: 8.0", "sharpness: [", 10, "expected"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    path = tmp_path / "prior.yaml"
    text = dump_prior(learnt())
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(LearningError) as error:
        load_prior(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert said in str(error.value)


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(LearningError, match="setmargin learn"):
        Bayes(prior="/nowhere/prior.yaml")


def test_bayes_takes_a_prior_as_it_is_as_a_file_and_as_its_content(tmp_path: Path) -> None:
    prior = learnt()
    save_prior(prior, tmp_path / "prior.yaml")
    ways = [Bayes(prior=prior), Bayes(prior=str(tmp_path / "prior.yaml")), Bayes(prior=prior.document())]
    assert ways[0] == ways[1] == ways[2] == Bayes(prior=Prior(earlier=prior))
    assert make_strategy("bayes", **ways[0].options()) == ways[0]
    assert Bayes().options()["prior"] is None
    assert Bayes(prior=None) == Bayes()


def test_saved_interviews_keep_the_prior(tmp_path: Path) -> None:
    interview = Interview(SPACE, Bayes(prior=learnt()), seed=3)
    interview.tell(0)
    interview.save(tmp_path / "interview.json")
    again = Interview.load(tmp_path / "interview.json")
    assert again.strategy == interview.strategy
    assert again.ask() == interview.ask()


def test_the_usual_people_never_vanish() -> None:
    for people in (10, 100, 100_000):
        prior = LearntPrior("lamps", "f", (), LearntSegments(people, 8.0, tastes(SPACE).segments), favourites())
        shape = shape_of(Prior(earlier=prior), SPACE)
        learnt_share = sum(each.share for each in shape.tastes[1:])
        assert learnt_share == pytest.approx(1 - max(LEAST_SHARE, 10 / (60 + people)))
        assert len(shape.tastes) == 3


def test_a_prior_of_another_catalogue_is_refused_or_its_differences_are_said() -> None:
    other = Space({"shape": ["round", "square"]}, name="tables")
    with pytest.raises(LearningError, match="nothing in common with tables"):
        Interview(other, Bayes(prior=learnt())).ask()
    changed = Space({"colour": ["red", "green", "white"], "cable": ["long", "short"]}, name="lamps-2")
    notes = " ".join(learnt().notes(changed))
    assert "lamps-2 has no colour=blue, watts=10, watts=5" in notes
    assert "nothing is known about colour=white, cable=long, cable=short" in notes
    assert learnt().notes(SPACE) == ()
    assert Interview(changed, Bayes(prior=learnt(), samples=40)).ask() is not None


def test_learnt_weights_have_the_mean_and_the_spread_of_the_file() -> None:
    shape = shape_of(Prior(earlier=learnt()), SPACE)
    kind = shape.tastes[1]
    drawn = kind.weights(np.random.default_rng(0).standard_normal((len(kind.blocks), 4000), dtype=np.float32))
    mean = np.linspace(-0.5, 0.5, 5)
    assert np.allclose((drawn[1] - drawn[0]).mean(), mean[1] - mean[0], atol=0.02)
    assert drawn[:3].min(axis=0).max() == drawn[3:].min(axis=0).max() == 0


def test_favourites_follow_the_tree() -> None:
    prior = LearntPrior("lamps", SPACE.fingerprint, (), None, favourites())
    (kind,) = shape_of(Prior(earlier=prior), SPACE).tastes[1:]
    drawn = kind.weights(np.random.default_rng(0).standard_normal((len(kind.blocks), 6000), dtype=np.float32))
    colour, watts = drawn[:3].argmax(axis=0), drawn[3:].argmax(axis=0)
    care = (drawn[:3].max(axis=0) > 0) & (drawn[3:].max(axis=0) > 0)
    assert (colour[care] == 0).mean() == pytest.approx(0.7, abs=0.03)
    assert (watts[care & (colour == 0)] == 0).mean() == pytest.approx(0.9, abs=0.03)
    assert (watts[care & (colour == 1)] == 0).mean() == pytest.approx(0.1, abs=0.04)


def test_what_sales_do_not_name_matters_to_some_of_those_who_are_like_earlier_buyers() -> None:
    space = Space({"colour": ["red", "green", "blue"], "watts": [5, 10], "shape": ["round", "long"]}, name="lamps")
    prior = LearntPrior("lamps", "f", (), None, favourites())
    some, others = shape_of(Prior(earlier=prior), space).tastes[1:]
    assert some.share + others.share == pytest.approx(1 - prior.usual)
    rng = np.random.default_rng(0)
    as_usual, only_sold = (
        kind.weights(rng.standard_normal((len(kind.blocks), 500), dtype=np.float32)) for kind in (some, others)
    )
    assert (as_usual[5:].max(axis=0) > 0).mean() > 0.9
    assert not only_sold[5:].any()
    for drawn in (as_usual, only_sold):
        assert (drawn[:3].argmax(axis=0) == 0).mean() == pytest.approx(0.7, abs=0.12)


def test_favourites_that_are_certain_in_the_tree_still_differ_between_people() -> None:
    certain = favourites().tree[1]
    table = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    tree = (favourites().tree[0], Favourite("watts", certain.values, "colour", certain.given_values, table))
    prior = LearntPrior("lamps", SPACE.fingerprint, (), None, Favourites(50, tree))
    (kind,) = shape_of(Prior(earlier=prior), SPACE).tastes[1:]
    drawn = kind.weights(np.random.default_rng(0).standard_normal((len(kind.blocks), 6000), dtype=np.float32))
    care = (drawn[:3].max(axis=0) > 0) & (drawn[3:].max(axis=0) > 0)
    unlike = (drawn[3:].argmax(axis=0) == 1)[care & (drawn[:3].argmax(axis=0) == 0)]
    assert 0.002 < unlike.mean() < 0.03
