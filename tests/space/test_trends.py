"""What follows from the order of values: rising and single-peaked tastes as sums of features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin import Attribute, Space, dumps, loads, oracle_for
from setmargin.arrays import Floats
from setmargin.errors import CatalogueError, OptionError, SpaceError
from setmargin.solve.milp.engine import MilpEngine
from setmargin.space.attributes import DIRECTIONS, Direction
from setmargin.space.space import build_space
from setmargin.space.trends import scale_of, trends_of

numbers = st.lists(
    st.one_of(st.integers(-50, 50), st.floats(0.1, 5000.0).map(lambda x: round(x, 3))),
    min_size=1,
    max_size=6,
    unique=True,
)
words = st.lists(st.sampled_from(["none", "low", "some", "much", "most"]), min_size=1, max_size=5, unique=True)


@st.composite
def attributes(draw: st.DrawFn, name: str) -> Attribute:
    """Any attribute: numbers or words, with and without an order, whatever is better."""
    better: Direction | None = draw(st.sampled_from([None, *DIRECTIONS]))
    if draw(st.booleans()):
        return Attribute(name, draw(numbers), better=better, ordered=draw(st.booleans()))
    ordered = better is not None or draw(st.booleans())
    return Attribute(name, draw(words), better=better, ordered=ordered)


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """Two or three attributes without rules."""
    return Space([draw(attributes(name)) for name in ("a", "b", "c")[: draw(st.integers(2, 3))]])


def everything(space: Space) -> np.ndarray:
    return np.stack([each.ravel() for each in np.meshgrid(*map(np.arange, space.domains), indexing="ij")], axis=1)


def worth(attribute: Attribute, weights: list[float]) -> Floats:
    """What each value is worth through trends, from the lowest value to the highest."""
    found = trends_of(attribute, 0)
    total = sum((w * np.array(t.row) for w, t in zip(weights, found, strict=False)), np.zeros(len(attribute.values)))
    return np.asarray(total[np.argsort(scale_of(attribute))])


class TestTrends:
    def test_are_a_ramp_and_a_step_for_every_value_but_the_worst(self) -> None:
        found = trends_of(Attribute("memory", [16, 8, 32], better="higher"), 3)
        assert [(each.kind, each.name, each.place, each.row) for each in found] == [
            ("ramp", "memory (more)", 2, (pytest.approx(1 / 3), 0.0, 1.0)),
            ("step", "memory>=16", 0, (1.0, 0.0, 1.0)),
            ("step", "memory>=32", 2, (0.0, 0.0, 1.0)),
        ]
        assert {each.attribute for each in found} == {3}

    def test_turn_around_where_less_is_better(self) -> None:
        found = trends_of(Attribute("weight", [1, 2, 4], better="lower"), 0)
        assert [each.name for each in found] == ["weight (less)", "weight<=2", "weight<=1"]
        assert found[0].row == pytest.approx((1, 2 / 3, 0))

    def test_are_tents_where_everybody_has_a_best_place(self) -> None:
        found = trends_of(Attribute("screen", [13, 14, 17], better="peak"), 0)
        assert [each.name for each in found] == ["screen~13", "screen~14", "screen~17"]
        assert found[1].row == (0.75, 1.0, 0.25)

    def test_go_by_doublings_where_numbers_are_far_apart(self) -> None:
        ramp = trends_of(Attribute("memory", [8, 16, 32, 64], better="higher"), 0)[0]
        assert ramp.row == pytest.approx((0, 1 / 3, 2 / 3, 1))

    def test_of_words_go_by_their_place_in_the_list(self) -> None:
        found = trends_of(Attribute("comfort", ["poor", "fair", "good"], better="higher", ordered=True), 0)
        assert [each.name for each in found] == ["comfort (more)", "comfort>=fair", "comfort>=good"]
        assert found[0].row == (0.0, 0.5, 1.0)

    def test_of_two_values_are_one_step_or_nothing(self) -> None:
        assert [each.kind for each in trends_of(Attribute("a", [1, 2], better="lower"), 0)] == ["step"]
        assert not trends_of(Attribute("a", [1, 2], better="peak"), 0)
        assert not trends_of(Attribute("a", [1], better="higher"), 0)

    @given(attribute=attributes("a"), weights=st.lists(st.floats(0, 100), min_size=8, max_size=8))
    def test_rise_or_fall_or_have_one_peak_with_weights_that_are_not_negative(
        self, attribute: Attribute, weights: list[float]
    ) -> None:
        values = worth(attribute, weights)
        steps = np.diff(values) / np.maximum(np.diff(np.sort(scale_of(attribute))), 1e-12)
        if attribute.better == "higher":
            assert (np.diff(values) >= -1e-9).all()
        elif attribute.better == "lower":
            assert (np.diff(values) <= 1e-9).all()
        elif attribute.better == "peak":  # concave on its scale, so single-peaked
            assert (np.diff(steps) <= 1e-6 * (1 + np.abs(steps[1:]))).all()
        else:
            assert not values.any()

    @given(values=st.lists(st.floats(0, 10), min_size=5, max_size=5))
    def test_make_any_rising_taste(self, values: list[float]) -> None:
        wanted = np.sort(values) - min(values)
        steps = [each for each in trends_of(Attribute("a", [1, 2, 3, 4, 5], better="higher"), 0) if each.kind == "step"]
        made = sum(gain * np.array(step.row) for gain, step in zip(np.diff(wanted), steps, strict=True))
        assert np.allclose(made, wanted)


class TestSpace:
    def test_has_trends_as_its_last_features(self) -> None:
        space = Space([Attribute("colour", ["red", "green"]), Attribute("memory", [8, 16, 32], better="higher")])
        assert space.feature_names[5:] == ("memory (more)", "memory>=16", "memory>=32")
        assert space.encode({"colour": "red", "memory": 16}).tolist() == [1, 0, 0, 1, 0, pytest.approx(1 / 3), 1, 0]
        assert space.features_of("memory").tolist() == [False] * 2 + [True] * 6
        assert space.weights({"memory>=16": 2.0})[6] == 2.0

    def test_without_a_direction_has_none(self) -> None:
        space = Space([Attribute("memory", [8, 16, 32]), Attribute("comfort", ["poor", "good"], ordered=True)])
        assert not space.trends
        assert len(space.feature_names) == 5

    @given(space=spaces())
    def test_is_read_back_as_it_was_written(self, space: Space) -> None:
        again = loads(dumps(space))
        assert again == space
        assert again.fingerprint == space.fingerprint
        assert again.feature_names == space.feature_names
        assert build_space(space.document()) == space

    @given(space=spaces(), data=st.data())
    def test_decodes_what_it_encodes(self, space: Space, data: st.DataObject) -> None:
        rows = everything(space)
        chosen = space.configuration(rows[data.draw(st.integers(0, len(rows) - 1))])
        features = space.encode(chosen)
        assert space.decode(features) == chosen
        assert len(features) == len(space.feature_names) == len(set(space.feature_names))
        assert ((features >= 0) & (features <= 1)).all()

    @given(space=spaces(), seed=st.integers(0, 10_000))
    @settings(max_examples=40)
    def test_has_the_same_best_by_every_engine_and_by_brute_force(self, space: Space, seed: int) -> None:
        weights = np.random.default_rng(seed).normal(size=(3, len(space.feature_names)))
        rows = everything(space)
        best = (space.features(rows) @ weights.T).max(axis=0)
        values = space.value_weights(weights)
        oracle = oracle_for(space)
        for found in (oracle.best_for_values(values), MilpEngine(oracle.lowered).best(values)):
            assert np.allclose(np.einsum("ij,ij->i", space.features(np.asarray(found)), weights), best)

    @given(space=spaces(), seed=st.integers(0, 10_000))
    def test_tells_the_same_tastes_without_trends(self, space: Space, seed: int) -> None:
        weights = np.random.default_rng(seed).random(len(space.feature_names))
        features = space.features(everything(space))
        told = space.without_trends(weights)
        assert np.allclose(features[:, : len(told)] @ told, features @ weights)
        by_thing = space.by_thing(features * weights)
        for number, name in enumerate(space.things):
            own = space.features_of(name)
            assert np.allclose(by_thing[:, number], features[:, own] @ weights[own])


class TestMistakes:
    def test_words_in_no_order_have_no_direction(self) -> None:
        with pytest.raises(SpaceError, match="words in no order; add ordered: true if they are listed from least"):
            Attribute("colour", ["red", "green"], better="higher")

    def test_are_told_with_line_and_cure(self) -> None:
        with pytest.raises(CatalogueError) as told:
            loads("catalogue: lamps\nattributes:\n  colour:\n    values: [red, green]\n    better: higher\n")
        assert told.value.line == 5
        assert "attribute colour: better is 'higher', but its values are words in no order" in str(told.value)

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("better: more", "'more' is not one of higher, lower, peak"),
            ("better: [higher]", "this list is not one of higher, lower, peak"),
            ("ordered: yes", "'yes' is not one of true, false"),
            ("ordered: 1", "1 is not one of true, false"),
            ("bettr: higher", "did you mean better"),
        ],
    )
    def test_in_words_are_told(self, line: str, words: str) -> None:
        with pytest.raises(CatalogueError, match=r":5: ") as told:
            loads(f"catalogue: lamps\nattributes:\n  watts:\n    values: [5, 10]\n    {line}\n")
        assert words in str(told.value)

    def test_in_python_are_told(self) -> None:
        with pytest.raises(SpaceError, match="better is 'more'; write higher, lower or peak"):
            Attribute("watts", [5, 10], better="more")  # type: ignore[arg-type]
        with pytest.raises(SpaceError, match="ordered is 'yes'; write true or false"):
            Attribute("watts", [5, 10], ordered="yes")  # type: ignore[arg-type]

    def test_an_order_of_numbers_needs_no_saying(self) -> None:
        assert loads("catalogue: a\nattributes:\n  b: {values: [5, 1], better: lower, ordered: true}").trends

    def test_features_of_one_name_are_refused(self) -> None:
        with pytest.raises(SpaceError, match="two features are called 'a>=2'"):
            Space([Attribute("a>", [2]), Attribute("a", [1, 2], better="higher")])

    def test_too_many_values_are_refused_at_once(self) -> None:
        with pytest.raises(SpaceError, match="leave better out of a"):
            Space([Attribute("a", range(20_000), better="peak")])

    def test_an_unknown_trend_is_no_feature(self) -> None:
        with pytest.raises(OptionError, match="no feature"):
            Space([Attribute("a", [1, 2], better="higher")]).weights({"a>=3": 1.0})
