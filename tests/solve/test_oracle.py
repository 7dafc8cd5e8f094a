"""The oracle with each of its engines, against brute force and against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ConfigurationError, InfeasibleSpace, ModelInfeasible, OptionError, SetmarginError
from setmargin.solve import engine, lowering
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import DiagramLimits, TooLarge
from setmargin.solve.engine import Engine
from setmargin.solve.items.engine import ItemsEngine
from setmargin.solve.lowering import Lowered, lower
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.catalogue import load, shipped
from setmargin.space.rules import Table, bind
from setmargin.space.space import Configuration, Space
from tests.solve.lowered_spaces import claims, random_weights, seeds
from tests.solve.spaces_with_rules import everything, feasible, listed, ruled_space, worth

few = settings(claims, max_examples=25)

Make = Callable[[Lowered], Engine]


class Outgrown:
    """A diagram of which every search outgrows its limits, a ranking after its first two configurations."""

    name = "outgrown"

    def __init__(self, lowered: Lowered) -> None:
        self.count = (engine := DiagramEngine(lowered)).count
        self._ranked = engine.ranked

    def best(self, weights: Floats) -> Ints:
        raise TooLarge(f"too many labels for {weights.shape}")

    def possible(self, allowed: Bools) -> Bools:
        raise TooLarge(f"too many labels for {allowed.shape}")

    def sample(self, rng: np.random.Generator, size: int) -> Ints:
        raise TooLarge(f"too few of {size} from {rng}")

    def ranked(self, weights: Floats) -> Iterator[Ints]:
        yield from islice(self._ranked(weights), 2)
        raise TooLarge("too many partial configurations")


def list_engine(lowered: Lowered) -> ItemsEngine:
    """All configurations, hidden attributes too, as a list."""
    tried = np.array(list(np.ndindex(lowered.domains)), dtype=np.int64)
    return ItemsEngine(lowered.domains, tried[lowered.holds(tried)])


ENGINES: dict[str, Make] = {
    "list": lambda lowered: list_engine(lowered) if prod(lowered.domains) < 20_000 else DiagramEngine(lowered),
    "diagram": DiagramEngine,
    "diagram with rows beside it": lambda lowered: DiagramEngine(
        lowered, limits=DiagramLimits(row_arcs=1, pending_rows=100)
    ),
    "diagram that is outgrown": Outgrown,
    "MILP": MilpEngine,
}
engines = st.sampled_from(sorted(ENGINES))
hiding = st.booleans()


def made(space: Space, engine: str, *, hide: bool = False) -> Oracle:
    """The oracle with that engine, or the MILP where a diagram is too large; with `hide` its rules are cut into hidden
    attributes and linear rows."""
    with pytest.MonkeyPatch.context() as patch:
        if hide:
            patch.setattr(lowering, "MOST_COMBINATIONS", 8)
            patch.setattr(lowering, "MOST_LINEAR_COMBINATIONS", 1)
        lowered = lower(space)
        try:
            return Oracle(space, engine=ENGINES[engine](lowered))
        except TooLarge:
            return Oracle(space, engine=MilpEngine(lowered))


def rows_of(space: Space, found: Iterable[Configuration]) -> Ints:
    return np.array([space.indices(each) for each in found], dtype=np.int64)


# Against brute force


@settings(claims, max_examples=60)
@given(seed=seeds, engine=engines, hide=hiding)
def test_the_best_is_the_best_for_one_and_for_many(seed: int, engine: str, hide: bool) -> None:
    space = ruled_space(seed)
    rows, oracle = feasible(space), made(space, engine, hide=hide)
    batch = random_weights(seed, len(space.feature_names))
    found = oracle.best_indices(batch)
    assert space.feasible(found).all()
    for weights, row in zip(batch, found, strict=True):
        best = worth(space, rows, weights).max()
        tolerance = 1e-9 * np.abs(weights).max()
        assert worth(space, row[None], weights)[0] == pytest.approx(best, rel=0, abs=tolerance)
        alone = rows_of(space, [oracle.best(weights)])
        assert worth(space, alone, weights)[0] == pytest.approx(best, rel=0, abs=tolerance)


@settings(claims, max_examples=40)
@given(seed=seeds, engine=engines, hide=hiding)
def test_the_ranking_is_complete_without_repeats_and_in_order(seed: int, engine: str, hide: bool) -> None:
    space = ruled_space(seed, attributes=4, values=3)
    rows, oracle = feasible(space), made(space, engine, hide=hide)
    weights = random_weights(seed, len(space.feature_names))[seed % 6]
    count = min(len(rows) + 3, 25)
    top = rows_of(space, oracle.top(weights, count))
    assert len(np.unique(top, axis=0)) == len(top) == min(count, len(rows))
    expected = -np.sort(-worth(space, rows, weights))[: len(top)]
    np.testing.assert_allclose(worth(space, top, weights), expected, rtol=0, atol=1e-9 * max(1, np.abs(weights).max()))
    assert space.feasible(top).all()


@settings(claims, max_examples=40)
@given(seed=seeds, engine=engines, hide=hiding)
def test_the_best_other_is_the_best_of_the_rest(seed: int, engine: str, hide: bool) -> None:
    space = ruled_space(seed, attributes=4, values=3)
    rows, oracle = feasible(space), made(space, engine, hide=hide)
    weights = np.random.default_rng(seed).normal(size=len(space.feature_names))
    order = rows[np.argsort(-worth(space, rows, weights))]
    for cut in {1, 3, len(order)} - set(range(len(order) + 1, 4)):
        other = oracle.best_other(weights, [space.configuration(row) for row in order[:cut]])
        if cut == len(order):
            assert other is None
        else:
            assert other is not None
            found = worth(space, rows_of(space, [other]), weights)[0]
            assert found == pytest.approx(worth(space, order[cut:], weights).max(), abs=1e-9)


@settings(claims, max_examples=60)
@given(seed=seeds, engine=engines)
def test_counts_are_exact_and_samples_reach_everything(seed: int, engine: str) -> None:
    space = ruled_space(seed, attributes=4, values=3)
    rows, oracle = feasible(space), made(space, engine)
    assert oracle.count() == len(rows)
    drawn = oracle.sample(np.random.default_rng(seed), 30 * len(rows))
    assert {tuple(row) for row in drawn.tolist()} == {tuple(row) for row in rows.tolist()}


@few
@given(seed=seeds, engine=engines)
def test_samples_are_feasible_and_counts_exact_or_none_with_hidden_attributes(seed: int, engine: str) -> None:
    space = ruled_space(seed)
    rows, oracle = feasible(space), made(space, engine, hide=True)
    assert oracle.count() in (len(rows), None)
    drawn = oracle.sample(np.random.default_rng(seed), 5)
    assert drawn.shape == (5, len(space.domains))
    assert space.feasible(drawn).all()


@settings(claims, max_examples=50)
@given(seed=seeds, engine=engines, hide=hiding)
def test_what_is_possible_after_choices_is_what_some_configuration_has(seed: int, engine: str, hide: bool) -> None:
    rng = np.random.default_rng(seed)
    space = ruled_space(seed)
    rows, oracle = feasible(space), made(space, engine, hide=hide)
    choices = {a.name: rng.permutation(a.values)[: rng.integers(1, 4)] for a in space.attributes if rng.random() < 0.4}
    for place, attribute in enumerate(space.attributes):
        if attribute.name in choices:
            rows = rows[np.isin(rows[:, place], choices[attribute.name])]
    assert oracle.possible(choices) == {
        attribute.name: tuple(sorted(set(rows[:, place].tolist()))) for place, attribute in enumerate(space.attributes)
    }


@few
@given(seed=seeds, engine=engines, hide=hiding)
def test_the_range_of_a_quantity_is_reached_at_both_ends(seed: int, engine: str, hide: bool) -> None:
    space = ruled_space(seed)
    rows, oracle = feasible(space), made(space, engine, hide=hide)
    for quantity in ("cost", "joy"):
        amounts = [space.amounts(space.configuration(row))[quantity] for row in rows]
        assert oracle.range(quantity) == (min(amounts), max(amounts))


# Shipped catalogues: the engines against each other, and against the list of all configurations

TIGHT = {"pc": "price <= 900", "bicycle": "price <= 1500", "laptop": "price <= 1100", "trip": "price <= 600"}
CASES = [
    *((name, "") for name in shipped()),
    *TIGHT.items(),
    ("pc", "type = laptop => price <= 600"),
    ("trip", 'season = summer <=> price + 30*"travel time" <= 1000'),
]


@cache
def configurations(name: str) -> Ints:
    return listed(load(name))


def tastes(space: Space, size: int) -> Floats:
    """Weights of features: dense, sparse, and both with negative ones."""
    rng = np.random.default_rng(7)
    weights = rng.uniform(0, 1, size=(size, len(space.feature_names)))
    weights[size // 2 :] = rng.normal(size=weights[size // 2 :].shape)
    weights[::2][rng.random(weights[::2].shape) < 0.8] = 0.0
    return weights


@pytest.mark.parametrize(("name", "rule"), CASES)
def test_the_engines_agree_on_shipped_catalogues(name: str, rule: str) -> None:
    space = load(name).with_rules(*filter(None, [rule]))
    weights = tastes(space, 24)
    found = [Oracle(space, engine=make(lower(space))).best_indices(weights) for make in (DiagramEngine, MilpEngine)]
    utilities = [np.einsum("ij,ij->i", space.features(rows), weights) for rows in found]
    assert all(space.feasible(rows).all() for rows in found)
    np.testing.assert_allclose(utilities[0], utilities[1], rtol=0, atol=1e-9)
    rows = configurations(name)
    rows = rows[space.feasible(rows)]
    assert oracle_for(space).count() == len(rows)
    for place in (0, 1, 22, 23):
        assert utilities[0][place] == pytest.approx(worth(space, rows, weights[place]).max(), abs=1e-9)


def test_the_pc_catalogue_has_the_papers_number_of_configurations() -> None:
    assert oracle_for(load("pc")).count() == 64_476


def test_counts_of_any_size_are_plain_integers() -> None:
    assert oracle_for(load("synthetic:7")).count() == 823_543
    count = oracle_for(load("synthetic:30x30")).count()
    assert count == 30**30
    assert type(count) is int


def test_the_list_of_all_configurations_is_the_product_without_what_breaks_a_rule() -> None:
    for seed in range(20):
        space = ruled_space(seed)
        rows = everything(space)
        np.testing.assert_array_equal(listed(space), rows[space.feasible(rows)])


# Mistakes


@pytest.fixture
def small() -> Oracle:
    quantity = Quantity("joy", {"b": 1})
    return Oracle(Space({"a": ["x", "y"], "b": [1, 2, 3]}, quantities=[quantity], rules=["a = x => b <= 2"]))


@pytest.mark.parametrize(
    "weights",
    [[], [1.0] * 5, [1.0] * 7, [[1.0] * 6], 1.0, ["a"] * 6, [1, 2, 3, 4, 5, {}], [1, 2, [3], 4, 5, 6], [1j] * 6],
    ids=repr,
)
def test_weights_of_the_wrong_shape_or_kind_are_refused(small: Oracle, weights: object) -> None:
    for ask in (small.best, lambda w: small.top(w, 2), lambda w: small.best_other(w, [])):
        with pytest.raises(OptionError, match="for each"):
            ask(weights)  # type: ignore[arg-type]


@pytest.mark.parametrize("place", [0, 4, 5])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(small: Oracle, wrong: float, place: int) -> None:
    weights = np.arange(6.0)
    weights[place] = wrong
    with pytest.raises(OptionError, match="finite"):
        small.best(weights)
    with pytest.raises(OptionError, match="finite"):
        small.best_indices(np.stack([np.zeros(6), weights]))
    with pytest.raises(OptionError, match="finite"):
        small.best_for_values(np.full((1, 5), wrong))


@pytest.mark.parametrize("shape", [(5,), (6,), (2, 4), (2, 7), (1, 2, 5), (1, 2, 6)])
def test_batches_of_the_wrong_shape_are_refused(small: Oracle, shape: tuple[int, ...]) -> None:
    for ask in (small.best_indices, small.best_for_values):
        with pytest.raises(OptionError, match="shape"):
            ask(np.ones(shape))


def test_an_empty_batch_has_no_best(small: Oracle) -> None:
    assert small.best_indices(np.zeros((0, 6))).shape == (0, 2)


def test_a_choice_may_be_one_value_or_several_of_any_number_type(small: Oracle) -> None:
    assert small.possible({"b": 3}) == {"a": ("y",), "b": (3,)}
    third: Any = np.int64(3)
    assert small.possible({"b": third}) == small.possible({"b": "3"}) == small.possible({"b": {3.0}})
    assert small.possible({"a": "x", "b": [2, 3]}) == {"a": ("x",), "b": (2,)}
    assert small.possible({"a": "x", "b": 3}) == {"a": (), "b": ()}
    assert small.possible({"b": ()}) == {"a": (), "b": ()}


def test_a_choice_of_something_unknown_is_refused(small: Oracle) -> None:
    with pytest.raises(ConfigurationError, match="no attribute 'c'"):
        small.possible({"c": 1})
    for wrong in (4, "z", None, True):
        with pytest.raises(ConfigurationError, match="b has no value"):
            small.possible({"b": wrong})  # type: ignore[dict-item]


def test_an_unknown_quantity_has_no_range(small: Oracle) -> None:
    with pytest.raises(OptionError, match="no quantity 'price'"):
        small.range("price")
    with pytest.raises(OptionError, match="no quantity 5"):
        small.range(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda oracle: oracle.top([1.0] * 6, -1), "count is -1; give a whole number"),
        (lambda oracle: oracle.top([1.0] * 6, 2.5), "count is 2.5; give a whole number"),
        (lambda oracle: oracle.best_other({}, {"a": "x", "b": 1}), "give a list of them"),
        (lambda oracle: oracle.sample(3), "rng is 3; give a generator"),
        (lambda oracle: oracle.sample(np.random.default_rng(0), -1), "size is -1; give a whole number"),
        (lambda oracle: oracle.possible(["a"]), "choices is ['a']; give values by attribute"),
        (lambda oracle: oracle.possible({5: 1}), "there is no attribute 5"),
        (lambda _: oracle_for("bicycle"), "'bicycle' is no space; give one, such as load('bicycle')"),  # type: ignore[arg-type]
        (lambda oracle: oracle_for(oracle.space, must="a = x"), "must is 'a = x'; give a list of must-haves"),
        (lambda oracle: oracle_for(oracle.space, must=[5]), "5 is not a rule"),  # type: ignore[list-item]
    ],
)
def test_arguments_of_another_kind_are_refused_with_the_cure(
    small: Oracle, call: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(SetmarginError) as caught:
        call(small)
    assert message in str(caught.value)


# Weights by name


def test_weights_by_name_are_those_of_the_vector(small: Oracle) -> None:
    named, vector = {"joy": 1.0, "a=x": 0.9}, [0.9, 0, 0, 0, 0, 1.0]
    assert small.best(named) == small.best(vector) == {"a": "x", "b": 2}
    assert small.top(named, 3) == small.top(vector, 3)
    excluded = [small.best(named)]
    assert small.best_other(named, excluded) == small.best_other(vector, excluded)


def test_a_name_that_is_no_feature_is_refused_by_all_that_take_weights(small: Oracle) -> None:
    for ask in (small.best, lambda w: small.top(w, 2), lambda w: small.best_other(w, [])):
        with pytest.raises(OptionError, match="no feature 'jov'; did you mean joy"):
            ask({"jov": 1.0})


def test_must_haves_may_be_texts_and_tables(small: Oracle) -> None:
    space = small.space
    assert oracle_for(space, must=["b = 3"]).count() == 1
    assert oracle_for(space, must=[Table.forbidding(["a"], [["y"]])]).count() == 2
    with pytest.raises(InfeasibleSpace) as caught:
        oracle_for(space, must=["a = y", "a = x", "b = 3"])
    assert caught.value.conflict in (("a = y", "a = x"), ("a = x", "b = 3"))


def test_an_oracle_shows_itself_in_one_short_line(small: Oracle) -> None:
    assert repr(small) == "<Oracle of unnamed: decision diagram>"


# Which engine


def test_a_space_that_is_too_large_for_a_diagram_gets_the_milp(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(lowered: Lowered) -> DiagramEngine:
        raise TooLarge(f"too many arcs over {lowered.domains}")

    monkeypatch.setattr(engine, "DiagramEngine", too_large)
    oracle = Oracle(Space({"a": [1, 2], "b": [1, 2]}, rules=["a + b <= 3"]))
    assert oracle.report.engine.startswith("MILP")
    assert oracle.report.document()["nodes"] is None
    assert oracle.count() == 3
    with pytest.raises(ModelInfeasible):
        Oracle(Space({"a": [1, 2], "b": [1, 2]}, rules=["a + b <= 3", "a = 2", "b = 2"]))


def test_the_report_says_how_large_the_diagram_is() -> None:
    report = oracle_for(load("pc")).report
    assert report.engine == "decision diagram"
    assert report.nodes is not None
    assert report.arcs is not None
    assert 0 < report.nodes < report.arcs
    assert report.pending_rows == 0


def test_a_space_is_compiled_once() -> None:
    space = load("laptop")
    assert oracle_for(space) is oracle_for(load("laptop"))
    must = [bind("price <= 1100", space.names)]
    assert oracle_for(space, must=must) is oracle_for(space.with_rules("price <= 1100"))
