"""What comes in from elsewhere means the same here, what goes out comes back, and nothing is half imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.errors import CatalogueError, InfeasibleSpace, OptionError
from setmargin.exchange.importing import import_catalogue
from setmargin.exchange.tables import export_table
from setmargin.exchange.uvl_exporting import export_model
from setmargin.exchange.uvl_importing import import_model
from setmargin.exchange.uvl_reading import read_model
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.document import from_document
from setmargin.space.space import Space
from tests.exchange.feature_models import as_uvl, counted, random_model
from tests.solve.spaces_with_rules import feasible, ruled_space

SANDWICH = """\
features
    Sandwich {abstract}
        mandatory
            Bread {Price 0.5}
                alternative
                    "Full Grain" {Price 1.99, Organic true}
                    Toast {Price 0.99}
        optional
            Sauce   // of any kind
                or
                    Ketchup {Price 0.5}
                    Mustard
            Cheese {Price 1}
                alternative
                    Gouda
                    Cheddar {Price 0.5}
constraints
    Ketchup => !Cheddar
    sum(Price) < 4
"""


def read(text: str) -> Space:
    return from_document(import_model(read_model(text, file="m.uvl"), file="m.uvl").document)


def count(space: Space) -> int:
    try:
        return oracle_for(space).count() or 0
    except InfeasibleSpace:
        return 0


@settings(derandomize=True, deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_a_feature_model_has_as_many_configurations_as_another_counter_finds(seed: int) -> None:
    model = random_model(seed, most=8)
    try:
        found = count(read(as_uvl(model)))
    except CatalogueError as error:
        assert "every feature must be there" in str(error) or "can never hold" in str(error)  # noqa: PT017
        return
    assert found == counted(model)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_a_space_comes_back_from_a_feature_model(seed: int) -> None:
    space = ruled_space(seed, attributes=4, values=3)
    many = len(feasible(space))
    if many > 1:
        assert count(read(export_model(space))) == many


@pytest.mark.parametrize("name", ["pc", "laptop"])
def test_shipped_catalogues_come_back_from_feature_models(name: str) -> None:
    space = load(name)
    again = read(export_model(space))
    assert count(again) == count(space)
    lowest, highest = oracle_for(space).range("price")
    assert list(oracle_for(again).range("price")) == pytest.approx([lowest, highest])


def test_a_feature_model_becomes_a_readable_catalogue(tmp_path: Path) -> None:
    (tmp_path / "sandwich.uvl").write_text(SANDWICH, encoding="utf-8")
    imported = import_catalogue(tmp_path / "sandwich.uvl")
    assert "  Cheese: [none, Gouda, Cheddar]          # line 13: optional feature with its alternative" in imported.text
    assert "  - Ketchup = yes => (not (Cheese = Cheddar))" in imported.text
    assert "# left out: Organic, which is no number, of 1 features" in imported.text
    path = tmp_path / "sandwich.yaml"
    path.write_text(imported.text, encoding="utf-8")
    assert load(path) == imported.space
    best = oracle_for(imported.space).best({"Price": 1.0})
    assert dict(best) == {"Bread": "Toast", "Sauce": "no", "Cheese": "none", "Ketchup": "no", "Mustard": "no"}
    assert imported.space.amounts(best) == {"Price": 1.49}


def test_a_table_comes_back_as_a_list(tmp_path: Path) -> None:
    space = load("pc").with_rules("price <= 400")
    (tmp_path / "pcs.csv").write_text(export_table(space), encoding="utf-8")
    again = load(tmp_path / "pcs.csv")
    assert count(again) == count(space)
    assert oracle_for(again).range("price") == oracle_for(space).range("price")
    assert export_table(again).splitlines()[1] == export_table(space).splitlines()[1]
    assert len(export_table(again.with_rules("price <= 300")).splitlines()) - 1 == count(
        space.with_rules("price <= 300")
    )
    with pytest.raises(OptionError, match="64,476 configurations, too many for a table of 100 lines"):
        export_table(load("pc"), most=100)
    with pytest.raises(OptionError, match="a product list is no feature model"):
        export_model(again)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            "            Bread {",
            "            Integer Bread {",
            r":4: Bread is a feature of type Integer.*alternative group",
        ),
        ("Mustard", "Mustard cardinality [1..3]", r":12: Mustard may be there several times"),
        (
            "                or\n",
            "                xor\n",
            r":10: no UVL from here on: 'xor'; the 9 lines before it were und",
        ),
        (
            "                or\n",
            "                [3..4]\n",
            r":10: of 2 features \[3..4\] cannot be chosen; write numbers from 0 to 2",
        ),
        ("Mustard", "Gouda", r":15: Gouda is there twice, first on line 12; rename one"),
        ("!Cheddar", "!Cheddr", r":18: there is no feature 'Cheddr'; did you mean Cheddar"),
        ("sum(Price) < 4", "avg(Price) < 4", r":19: this comparison is about something else.*such as sum\(price\)"),
        ("sum(Price) < 4", "Toast.Price < 4", r":19: this comparison is about"),
        ("sum(Price) < 4", "Ketchup == 'red'", r":19: this comparison is about"),
        ("features\n", "imports\n    other\nfeatures\n", r":1: the model imports others.*one file"),
        (
            "                    Mustard",
            "                  Mustard",
            r":12: no UVL: 'Mustard' is indented by 18, where.*16, 20",
        ),
    ],
)
def test_what_a_catalogue_has_not_is_refused_with_line_and_cure(before: str, after: str, told: str) -> None:
    assert before in SANDWICH
    with pytest.raises(CatalogueError, match=told):
        read(SANDWICH.replace(before, after, 1))
