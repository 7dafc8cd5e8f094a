"""Spaces: configurations as vectors, plain data and back, and what does not fit together."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from setmargin.errors import ConfigurationError, OptionError, RuleError, SpaceError
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.catalogue import load
from setmargin.space.document import from_document, schema
from setmargin.space.rules import Table
from setmargin.space.space import Configuration, Space
from setmargin.space.space_checks import NAME
from setmargin.space.text import exact
from tests.space.generated import SHOP, everything, spaces

fixed = settings(derandomize=True, deadline=None, max_examples=60)

PC = Space(
    [Attribute("type", ["laptop", "tower"]), Attribute("memory", [8, 16, 32], unit="GB")],
    quantities=[
        Quantity("price", {"type": {"laptop": 300, "tower": 100}, "memory": 10}, better="lower", base=50),
        Quantity("comfort", {"type": {"laptop": 2, "tower": -1}}),
    ],
    rules=["type = tower => memory >= 16", "price <= 600"],
    name="pc",
    title="Find your PC",
    description="One sentence.",
)


def test_feature_names_are_values_then_quantities() -> None:
    values = ("type=laptop", "type=tower", "memory=8", "memory=16", "memory=32")
    assert PC.feature_names == (*values, "price", "comfort")


@given(spaces())
@fixed
def test_feature_names_are_unique_and_as_many_as_features(space: Space) -> None:
    assert len(set(space.feature_names)) == len(space.feature_names) == space.features(everything(space)[:1]).shape[1]


@given(spaces())
@fixed
def test_decoding_undoes_encoding(space: Space) -> None:
    for row in everything(space):
        chosen = space.configuration(row)
        assert space.indices(chosen).tolist() == row.tolist()
        assert space.decode(space.encode(chosen)) == chosen


@pytest.mark.parametrize(
    "features",
    [
        [0, 0, 1, 0, 0, 0.5, 0.5],
        [1, 1, 1, 0, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [[1, 0, 1, 0, 0, 0, 0]],
        [float("nan")] * 7,
        ["a"] * 7,
        None,
        [0.5, 0.5, 1, 0, 0, 0, 0],
    ],
)
def test_features_of_no_configuration_are_refused(features: Any) -> None:
    with pytest.raises(ConfigurationError):
        PC.decode(features)


def test_features_with_another_price_are_refused() -> None:
    features = PC.encode({"type": "laptop", "memory": 8})
    features[-2] += 0.01
    with pytest.raises(ConfigurationError, match="not those of one configuration"):
        PC.decode(features)


@given(spaces(), st.integers(0, 2**32 - 1))
@fixed
def test_value_weights_give_every_configuration_its_worth(space: Space, seed: int) -> None:
    rows = everything(space)
    weights = np.random.default_rng(seed).random((3, len(space.feature_names)))
    folded = space.value_weights(weights)
    np.testing.assert_allclose(space.onehot(rows) @ folded.T, space.features(rows) @ weights.T, atol=1e-9)
    np.testing.assert_allclose(space.value_weights(weights[0]), folded[0])


@given(spaces())
@fixed
def test_costs_are_never_negative_and_at_most_one_in_all(space: Space) -> None:
    assert (space.costs >= 0).all()
    derived = space.features(everything(space))[:, space.offsets[-1] :]
    assert (derived <= 1 + 1e-12).all()


@given(spaces())
@fixed
def test_a_quantity_grows_with_its_feature_unless_lower_is_better(space: Space) -> None:
    rows = everything(space)
    features = space.features(rows)[:, space.offsets[-1] :]
    assume(space.quantities)
    for column, quantity in enumerate(space.quantities):
        tables = [quantity.table(attribute) for attribute in space.attributes]
        amounts = [sum(exact(table[i]) for table, i in zip(tables, row, strict=True)) for row in rows.tolist()]
        turned = -1 if quantity.better == "lower" else 1
        order = sorted(range(len(rows)), key=amounts.__getitem__)
        assert (np.diff(turned * features[order, column]) >= -1e-9).all()


def test_costs_are_divided_by_the_sum_of_maxima() -> None:
    # price: 300 + 320 at most, turned around; comfort: lifted by one, so that it reaches from 0 to 3.
    np.testing.assert_allclose(PC.costs[0], np.array([0, 200, 240, 160, 0]) / 620)
    np.testing.assert_allclose(PC.costs[1], [1, 0, 0, 0, 0])


def test_amounts_are_in_their_own_unit_and_exact() -> None:
    assert PC.amounts({"type": "laptop", "memory": 16}) == {"price": 510, "comfort": 2}
    tenths = Space({"a": ["x"], "b": ["y"]}, quantities=[Quantity("q", {"a": {"x": 0.1}, "b": {"y": 0.2}})])
    assert tenths.amounts({"a": "x", "b": "y"}) == {"q": 0.3}
    tiny = Space({"a": [1]}, quantities=[Quantity("q", {"a": 1e-11})])
    assert tiny.amounts({"a": 1}) == {"q": 1e-11}


def test_a_configuration_that_breaks_rules_is_told_which() -> None:
    with pytest.raises(ConfigurationError) as caught:
        PC.check({"type": "tower", "memory": 8})
    assert str(caught.value) == "the configuration breaks: type = tower => memory >= 16"
    with pytest.raises(ConfigurationError, match=re.escape("price <= 600")):
        PC.check({"type": "laptop", "memory": 32})
    PC.check({"type": "laptop", "memory": "8"})


@given(spaces())
@fixed
def test_what_breaks_no_rule_is_feasible(space: Space) -> None:
    rows = everything(space)
    broken = [bool(space.broken_rules(space.configuration(row))) for row in rows]
    assert space.feasible(rows).tolist() == [not b for b in broken]


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({"type": "laptop"}, "lacks memory; choose a value for each attribute"),
        ({}, "lacks type, memory"),
        ({"type": "laptop", "memory": 8, "colour": "red"}, "there is no attribute 'colour'; the attributes are"),
        ({"tpe": "laptop", "memory": 8}, "there is no attribute 'tpe'; did you mean type?"),
        ({"type": "lapptop", "memory": 8}, "type has no value 'lapptop'; did you mean laptop?"),
        ({"type": "laptop", "memory": 9}, "memory has no value 9; its values are 8, 16, 32"),
        ({"type": "laptop", "memory": True}, "memory has no value True"),
        ({"type": None, "memory": 8}, "type has no value None"),
        ({5: "laptop", "memory": 8}, "there is no attribute 5"),
        (["laptop", 8], "['laptop', 8] is no configuration; give values by attribute"),
        (None, "None is no configuration"),
    ],
)
def test_what_is_no_configuration_is_named_with_the_cure(configuration: Mapping[str, Any], message: str) -> None:
    for look in (PC.indices, PC.encode, PC.amounts, PC.check, PC.broken_rules):
        with pytest.raises(ConfigurationError) as caught:
            look(configuration)
        assert message in str(caught.value)


def test_a_configuration_is_an_immutable_mapping() -> None:
    chosen = PC.configuration([1, 2])
    assert chosen == {"type": "tower", "memory": 32}
    assert {chosen: 1}[Configuration({"memory": 32, "type": "tower"})] == 1
    assert pickle.loads(pickle.dumps(chosen)) == chosen
    assert repr(chosen) == "Configuration({'type': 'tower', 'memory': 32})"
    with pytest.raises(TypeError):
        chosen["type"] = "laptop"  # type: ignore[index]
    with pytest.raises(ConfigurationError, match="5 has no values by attribute; give a mapping"):
        Configuration(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({}, [0, 0, 0, 0, 0, 0, 0]),
        ({"type=tower": 2, "price": -0.5}, [0, 2, 0, 0, 0, -0.5, 0]),
        ({"memory=16.0": 1, " memory = 32 ": np.float64(3)}, [0, 0, 0, 1, 3, 0, 0]),
    ],
)
def test_weights_go_by_the_names_of_features(named: dict[str, float], expected: list[float]) -> None:
    assert PC.weights(named).tolist() == expected


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"prise": 1}, "there is no feature 'prise'; did you mean price?"),
        ({"type=towr": 1}, "type has no value 'towr'; did you mean tower?"),
        ({"type": 1}, "type is an attribute; weigh its values, such as type=laptop"),
        ({5: 1}, "there is no feature 5"),
        ({"price": "1"}, "the weight of price is '1'; give a finite number"),
        ({"price": True}, "the weight of price is True"),
        ({"price": float("nan")}, "the weight of price is nan"),
        ({"memory=8": 1, "memory=8.0": 2}, "memory=8.0 is weighed twice"),
    ],
)
def test_weights_of_what_is_no_feature_are_refused(named: dict[str, float], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        PC.weights(named)
    assert message in str(caught.value)


def test_a_space_shows_itself_in_one_short_line() -> None:
    assert repr(PC) == "<Space pc (Find your PC): 2 attributes, 2 quantities, 2 rules>"
    quantity = Quantity("q", {"x": 1})
    assert repr(Space({"x": [1]}, quantities=[quantity], rules=["x = 1"])) == (
        "<Space unnamed: 1 attribute, 1 quantity, 1 rule>"
    )
    assert len(repr(load("synthetic:100"))) < 100


# As plain data


@given(spaces())
@fixed
def test_plain_data_gives_an_equal_space_back(space: Space) -> None:
    document = space.document()
    for again in (
        from_document(document),
        from_document(json.loads(json.dumps(document))),
        pickle.loads(pickle.dumps(space)),
        copy.deepcopy(space),
    ):
        assert again == space
        assert hash(again) == hash(space)
        assert again.document() == document
        assert again.attributes == space.attributes
        assert again.quantities == space.quantities
        rows = everything(space)
        assert (again.feasible(rows) == space.feasible(rows)).all()


def variants() -> dict[str, Space]:
    document = PC.document()
    changes: dict[str, dict[str, Any]] = {
        "name": {"catalogue": "pc2"},
        "title": {"title": "Other"},
        "description": {"description": "Other."},
        "value": {"attributes": {"type": ["laptop", "tower"], "memory": {"values": [8, 16, 32, 64], "unit": "GB"}}},
        "unit": {"attributes": {"type": ["laptop", "tower"], "memory": [8, 16, 32]}},
        "order": {"attributes": dict(reversed(document["attributes"].items()))},
        "spelling": {"attributes": {"type": ["laptop", "tower"], "memory": {"values": [8.0, 16, 32], "unit": "GB"}}},
        "better": {
            "quantities": {
                **document["quantities"],
                "comfort": {**document["quantities"]["comfort"], "better": "lower"},
            }
        },
        "base": {"quantities": {**document["quantities"], "comfort": {**document["quantities"]["comfort"], "base": 1}}},
        "quantities": {"quantities": dict(reversed(document["quantities"].items()))},
        "rule": {"rules": document["rules"][:1]},
        "rule order": {"rules": document["rules"][::-1]},
        "rule text": {"rules": ["type = tower => memory >= 16", "price <= 601"]},
    }
    return {name: from_document({**document, **change}) for name, change in changes.items()}


def test_the_fingerprint_differs_when_anything_differs() -> None:
    found = variants()
    prints = {space.fingerprint for space in (PC, *found.values())}
    assert len(prints) == len(found) + 1
    assert all(space != PC for space in found.values())


def test_spelling_of_the_same_numbers_and_order_of_terms_make_no_difference() -> None:
    first = Space({"x": [1, 2], "y": [1]}, quantities=[Quantity("q", {"x": 50, "y": {1: 0.0}})])
    second = Space({"x": [1, 2], "y": [1]}, quantities=[Quantity("q", {"y": {1: -0.0}, "x": 50.0})])
    assert first == second
    assert hash(first) == hash(second)
    assert first != "something else"


def test_the_fingerprint_is_the_one_that_databases_of_earlier_releases_hold() -> None:
    assert SHOP.fingerprint == from_document(SHOP.document()).fingerprint
    expected = "89fb28988f3695978735e0d16f36e5d10615769d4f6765188a0b2fc4dd2e95f4"
    assert Space({"x": ["a", "b"]}).fingerprint == expected


def test_more_rules_leave_the_space_itself_alone() -> None:
    before = PC.fingerprint
    more = PC.with_rules("memory <= 16", Table.forbidding(["type"], [["tower"]]))
    assert PC.fingerprint == before != more.fingerprint
    assert [rule.text for rule in more.rules[:2]] == [rule.text for rule in PC.rules]
    assert len(more.rules) == 4
    assert more.with_only(PC.rules) == PC
    assert more == from_document(more.document())


def test_only_some_rules_keep_everything_else() -> None:
    bare = PC.with_only(())
    assert (bare.name, bare.title, bare.description) == ("pc", "Find your PC", "One sentence.")
    assert bare.attributes == PC.attributes
    assert not bare.rules
    assert bare.feasible(everything(bare)).all()
    assert PC.with_only(PC.rules[1:]).rules == PC.rules[1:]


def test_a_mistake_in_one_more_rule_says_which_it_is() -> None:
    with pytest.raises(RuleError) as caught:
        PC.with_rules("memory <= 16", "memory <= lots")
    assert caught.value.at == ("rules", 3)


# What does not fit together


@pytest.mark.parametrize(
    ("options", "message", "at"),
    [
        ({"attributes": []}, "at least one attribute", ("attributes",)),
        ({"attributes": [Attribute("x", [1]), Attribute("x", [2])]}, "'x' is used twice", ("attributes", "x")),
        ({"quantities": [Quantity("a", {"a": {"b": 1}})]}, "'a' is used twice", ("quantities", "a")),
        ({"quantities": [Quantity("q", {"z": 1})]}, "'z', which is no attribute", ("quantities", "q", "sum", "z")),
        ({"quantities": [Quantity("q", {"a": 1})]}, "list a number", ("quantities", "q", "sum", "a")),
        ({"quantities": [Quantity("a=b", {"a": {"b": 1}})]}, "two features are called 'a=b'", ("quantities", "a=b")),
        ({"attributes": {"a": ["b=c"], "a=b": ["c"]}}, "two features are called 'a=b=c'", ("attributes", "a=b")),
        ({"name": "my cat"}, "'my cat'; use up to 64 letters", ("catalogue",)),
        ({"name": ""}, "''; use up to 64 letters", ("catalogue",)),
        ({"name": "a\n"}, "use up to 64 letters", ("catalogue",)),
        ({"title": "x" * 201}, "201 characters; use up to 200", ("title",)),
        ({"description": "x" * 2001}, "2,001 characters; use up to 2,000", ("description",)),
        ({"rules": ["a = b", "a = c"]}, "a has no value 'c'", ("rules", 1)),
        ({"attributes": ["a"]}, "'a' stands among the attributes; give Attribute(", ("attributes",)),
        ({"attributes": [Quantity("q", {"a": 1})]}, "Quantity('q', {'a': 1}) stands among", ("attributes",)),
        ({"attributes": "a"}, "attributes is 'a'; give a list", ("attributes",)),
        ({"attributes": 5}, "attributes is 5; give a list", ("attributes",)),
        ({"attributes": {"a": 5}}, "5 is not a list of values", ("values",)),
        ({"quantities": {"q": {"a": 1}}}, "quantities is {'q': {'a': 1}}; give a list", ("quantities",)),
        ({"quantities": ["q"]}, "'q' stands among the quantities; give Quantity(", ("quantities",)),
        ({"quantities": None}, "quantities is None; give a list", ("quantities",)),
        ({"rules": "a = b"}, "rules is 'a = b'; give a list of rules", ("rules",)),
        ({"rules": Table.allowing(["a"], [["b"]])}, "give a list of rules", ("rules",)),
        ({"rules": None}, "rules is None; give a list of rules", ("rules",)),
        ({"rules": [5]}, "5 is not a rule", ("rules", 0)),
    ],
)
def test_a_space_that_does_not_fit_together_is_refused(
    options: dict[str, Any], message: str, at: tuple[str | int, ...]
) -> None:
    with pytest.raises(SpaceError) as caught:
        Space(**{"attributes": {"a": ["b"]}, **options})
    assert message in str(caught.value)
    assert caught.value.at == at


def test_a_table_of_quantities_that_would_fill_the_memory_is_refused() -> None:
    quantities = [Quantity(f"q{number}", {"x": 1}) for number in range(1001)]
    with pytest.raises(SpaceError, match="too many"):
        Space({"x": range(10_000)}, quantities=quantities)


@pytest.mark.parametrize(
    "document", [None, [], 5, "x", {}, {"attributes": {"x": ["a"]}}, {"catalogue": "a", "attributes": {"x": 5}}]
)
def test_data_of_another_shape_is_refused(document: Any) -> None:
    with pytest.raises(SpaceError):
        from_document(document)


def test_the_schema_and_the_space_agree_on_names() -> None:
    assert schema()["properties"]["catalogue"]["pattern"] == f"^{NAME.pattern}$"
