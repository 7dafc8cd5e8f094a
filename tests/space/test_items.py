"""Product lists: what stands in a table is what can be had, with its own numbers, whatever the numbers are."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.errors import CatalogueError, ConfigurationError, InfeasibleSpace, SpaceError
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.catalogue import dumps, load, loads
from setmargin.space.guessing import bins_of
from setmargin.space.items import Item, Items
from setmargin.space.list_document import document_of_list
from setmargin.space.space import Space
from setmargin.space.text import exact

LAMPS = """\
sku,name,page,kind,light,shade,price,weight
A1,Lux,https://shop.example/a1,desk,400 lm,red,29.9,1.25
A2,Lux plus,https://shop.example/a2,desk,800 lm,,39.9,1.5
A3,Tall,https://shop.example/a3,floor,800 lm,blue,55,7.125
A4,Taller,,floor,1200 lm,red,1055,8
A5,Twin of A3,https://shop.example/a5,floor,800 lm,blue,55,7.125
"""


def written(folder: Path, text: str, name: str = "lamps.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


numbers = st.decimals(-1000, 1000, places=3, allow_nan=False).map(float)
tables = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), numbers, numbers), min_size=1, max_size=90)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(table=tables, seed=st.integers(0, 1000), copies=st.integers(1, 3))
def test_a_list_agrees_with_brute_force_over_its_rows(table: list[Any], seed: int, copies: int) -> None:
    table = table * copies
    rows = [[f"n{number}", *cells] for number, cells in enumerate(table)]
    space = Space(
        [Attribute("letter", list("abc")), Attribute("digit", range(4))],
        quantities=[Quantity("price", better="lower"), Quantity("joy", base=0.5)],
        items=Items(["id", "letter", "digit", "price", "joy"], rows, id="id"),
    )
    for row in rows:
        price, joy = space.amounts({"id": row[0]}).values()
        assert (exact(price), exact(joy)) == (exact(row[3]), exact(row[4]) + Fraction(1, 2))
    different = {tuple(row[1:]): row[0] for row in reversed(rows)}
    rng = np.random.default_rng(seed)
    bound = exact(float(rng.choice([row[3] for row in rows])))
    allowed = {cells: name for cells, name in different.items() if exact(cells[2]) <= bound or cells[0] == "b"}
    oracle = oracle_for(space, must=[f"price <= {float(bound)} or letter = b"])
    assert oracle.count() == len(allowed)
    weights = space.weights({"price": rng.normal(), "joy": rng.normal(), "letter=a": rng.normal(), "digit=2": 1.0})
    worth = {name: float(space.encode({"id": name}) @ weights) for name in allowed.values()}
    ranked = [str(space.configuration(row)["id"]) for row in oracle.ranked_for_values(space.value_weights(weights))]
    assert sorted(ranked) == sorted(worth)
    assert [worth[name] for name in ranked] == pytest.approx(sorted(worth.values(), reverse=True), abs=1e-9)
    assert worth[str(oracle.best(weights)["id"])] == pytest.approx(max(worth.values()), abs=1e-9)
    left = {cells[1] for cells in allowed if cells[0] == "a"}
    assert set(oracle.possible({"letter": "a"})["digit"]) == left
    drawn = oracle.sample(rng, 40)
    assert {str(space.configuration(row)["id"]) for row in drawn} <= set(worth)
    assert oracle.range("price") == pytest.approx((min(c[2] for c in allowed), max(c[2] for c in allowed)))


def test_a_table_alone_is_a_catalogue(tmp_path: Path) -> None:
    space = load(written(tmp_path, LAMPS))
    assert space.name == "lamps"
    assert [each.name for each in space.attributes] == ["kind", "light", "shade"]
    assert space.attributes[1] == Attribute("light", [400, 800, 1200], unit="lm")
    assert space.attributes[2].values == ("blue", "red", "–")
    assert [(each.name, each.better) for each in space.quantities] == [("price", "lower"), ("weight", "lower")]
    oracle = oracle_for(space)
    assert oracle.count() == 4  # two are the same in all that is compared
    assert oracle.top({"price": 1.0}, 1)[0]["sku"] == "A1"
    assert space.item({"sku": "A3"}) == Item("A3", "Tall", "https://shop.example/a3")
    assert oracle_for(space, must=["price <= 39.9", "light >= 800"]).count() == 1
    with pytest.raises(InfeasibleSpace, match=r"nothing satisfies price <= 39\.8 together with light >= 800"):
        oracle_for(space, must=["kind = desk", "price <= 39.8", "light >= 800"])
    for again in (loads(dumps(space)), pickle.loads(pickle.dumps(space))):
        assert again == space
        assert again.fingerprint == space.fingerprint


def test_a_catalogue_may_name_a_list_beside_it(tmp_path: Path) -> None:
    written(tmp_path, LAMPS)
    catalogue = """\
        catalogue: lights
        items: {file: lamps.csv, id: sku, title: name}
        attributes:
          kind: {}
          light: {better: higher}
          weight: {bins: [1.5, 8], unit: kg}
        quantities:
          price: {unit: €, better: lower}
        rules: ["price < 1000"]
    """
    space = load(written(tmp_path, catalogue, "lights.yaml"))
    assert space.attributes[2].values == ("< 1.5", "1.5 – 8", "≥ 8")
    assert [space.configuration(row)["weight"] for row in space.listing.rows] == ["< 1.5", "1.5 – 8", "1.5 – 8", "≥ 8"]
    assert oracle_for(space).count() == 3
    with pytest.raises(CatalogueError, match="only a catalogue that is loaded from its own file"):
        loads(catalogue)


def test_a_configuration_of_a_list_is_known_by_its_id_or_by_values_of_its_own() -> None:
    items = Items(["id", "kind", "price"], [["A", "desk", 1], ["B", "desk", 2], ["C", "floor", 2]], id="id")
    space = Space({"kind": ["desk", "floor"]}, quantities=[Quantity("price")], items=items)
    assert space.configuration(space.indices({"kind": "floor"}))["id"] == "C"
    assert space.decode(space.encode({"id": "B"})) == {"id": "B", "kind": "desk"}
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"kind": "desk"}, "2 items have these values; give the id"),
        ({"id": "D"}, "there is no item with id 'D'"),
        ({"id": "A", "kind": "floor"}, "the item with id A has kind = desk, not 'floor'"),
        ({"id": "A", "price": 1}, "there is no attribute 'price'"),
    ]
    for wrong, told in mistakes:
        with pytest.raises(ConfigurationError, match=told):
            space.indices(wrong)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "id,kind,price\nA,desk\n",
            r":2: this line has 2 cells, where 3 columns.*understood was id = 'A', kind = 'desk'",
        ),
        ("id,kind,price\nA,desk,1,299\n", r":2: this line has 4 cells.*in double quotes"),
        (
            "id,price,kind,price\nA,1,desk,2\n",
            r":1: two columns are called 'price', the 2. and the 4.*rename or remove",
        ),
        ("id,kind,\nA,desk,1\n", r":1: column 3 has no name"),
        ('id,kind,price\nA,desk,899\nB,desk,"1,299.00"\n', r":3: price is '1,299.00', which was.*write 1299.00"),
        ("id;kind;price\nA;desk;12,5\n", r":2: price is '12,5', which was understood as a word.*write 12.5"),
        ("id,kind,price\nA,desk,€ 1.299\nB,floor,€ 999\n", ""),
        ("id,kind\n", ":1: there are names of columns and no items"),
        ("", "there is nothing in it"),
        ("id,name\nA,one\nB,two\n", "nothing in the list could be compared"),
        (
            "id,kind,url\nA,desk,https://a.example/\nB,floor,javascript:x\n",
            ":3: url is 'javascript:x', which leads nowhere",
        ),
        ("sku,name,kind\nA,x,desk\nA,y,floor\nC,z,desk\n", ":3: sku 'A' stands there twice.*one of its own"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_with_line_and_cure(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path, text, "bad.csv")
    if not told:
        assert load(path).items is not None
        return
    with pytest.raises(CatalogueError, match=told) as caught:
        load(path)
    assert str(caught.value).startswith(path)


def test_mistakes_in_a_list_name_its_own_line(tmp_path: Path) -> None:
    written(tmp_path, LAMPS.replace("A2", "A1"))
    catalogue = "catalogue: x\nitems: {file: lamps.csv, id: sku}\nattributes: {kind: [desk]}\n"
    with pytest.raises(CatalogueError, match=r"lamps.csv:3: sku 'A1' stands there twice"):
        load(written(tmp_path, catalogue, "x.yaml"))
    written(tmp_path, LAMPS)
    with pytest.raises(CatalogueError, match=r"lamps.csv:4: kind has no value 'floor'"):
        load(written(tmp_path, catalogue, "x.yaml"))
    with pytest.raises(CatalogueError, match=r"x.yaml:3: the list has no column 'kinds'; did you mean kind"):
        load(written(tmp_path, catalogue.replace("kind:", "kinds:"), "x.yaml"))
    with pytest.raises(
        CatalogueError, match=r"lamps.csv:2: the quantity shade is 'red', which is a word; write a number"
    ):
        load(written(tmp_path, catalogue.replace("[desk]", "{}") + "quantities: {shade: {}}\n", "x.yaml"))


def test_without_a_list_a_quantity_is_a_sum() -> None:
    with pytest.raises(SpaceError, match="quantity price sums over no attribute; give it at least one, or a product"):
        Space({"kind": ["desk"]}, quantities=[Quantity("price")])


def test_a_spreadsheet_reads_like_the_table_in_it(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    lines = [line.split(",") for line in LAMPS.splitlines()]
    for cells in lines:
        book.active.append([float(cell) if cell.replace(".", "").isdigit() else cell or None for cell in cells])
    book.save(tmp_path / "lamps.xlsx")
    sheet, text = load(tmp_path / "lamps.xlsx"), load(written(tmp_path, LAMPS))
    assert sheet == text
    (tmp_path / "no.xlsx").write_bytes(b"PK")
    with pytest.raises(CatalogueError, match=r"no.xlsx: .*XLSX"):
        load(tmp_path / "no.xlsx")


def test_what_was_guessed_is_told(tmp_path: Path) -> None:
    *_, found, _ = (*document_of_list(written(tmp_path, LAMPS)),)
    assert found.reasons["sku"] == "id of each item, by its name"
    assert found.reasons["shade"] == "attribute: 2 different words; 1 empty cell is –"
    assert found.reasons["price"] == "quantity: a number for every item, lower is better by its name"


def test_what_it_costs_comes_first_and_is_shown_in_cents_where_there_are_any(tmp_path: Path) -> None:
    lines = [f"A{number},{'desk' if number % 2 else 'floor'},{number},{number + 0.5}" for number in range(30)]
    *_, found, _ = (*document_of_list(written(tmp_path, "\n".join(["sku,kind,weight,price", *lines, ""]))),)
    assert list(found.quantities) == ["price", "weight"]
    assert found.quantities["price"] == {"better": "lower", "decimals": 2}
    assert "decimals" not in found.quantities["weight"]


@pytest.mark.parametrize("many", [3, 30])
def test_one_number_that_is_missing_is_told_where_it_costs_a_quantity(tmp_path: Path, many: int) -> None:
    lines = [f"A{number},{'desk' if number % 2 else 'floor'},{number if number else ''}" for number in range(many)]
    *_, found, _ = (*document_of_list(written(tmp_path, "\n".join(["sku,kind,price", *lines, ""]))),)
    assert "1 empty cell is –" in found.reasons["price"]
    assert "with a number for every item it is a quantity" in found.reasons["price"]
    assert "not known" not in found.reasons["price"]


def test_bins_are_round_and_part_all_numbers() -> None:
    edges = bins_of(np.random.default_rng(0).normal(100, 15, 500).tolist())
    assert edges == sorted(set(edges))
    assert all(float(edge).is_integer() for edge in edges)
    assert bins_of([1.0] * 50 + [1.5, 2.0]) == [1.75]


def test_the_first_of_equally_good_items_is_taken() -> None:
    items = Items(["id", "kind"], [["B", "x"], ["A", "y"], ["C", "x"]], id="id")
    oracle = oracle_for(Space({"kind": ["y", "x"]}, items=items))
    found = oracle.ranked_for_values(np.zeros(2))
    assert [oracle.space.configuration(row)["id"] for row in islice(found, 5)] == ["B", "A"]
