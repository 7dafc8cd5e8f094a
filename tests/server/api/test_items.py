"""A product list over HTTP: questions show items, the result is one, and its pictures may be loaded."""

from __future__ import annotations

from setmargin import Attribute, Interview, Items, Quantity, Space
from setmargin.server.api.headers import picture_origins
from setmargin.server.work.describe import catalogue_of, option_of
from setmargin.server.work.results import answer_preview, previews_of

ROWS: list[list[str | float]] = [
    ["A1", "Lux", "https://shop.example/a1", "https://pictures.example:444/a1.jpg", "desk", 29.9],
    ["A2", "", "", "/own/a2.jpg", "floor", 55],
    ["A3", "Tall", "", "https://evil.example;script-src/a.jpg", "floor", 45.5],
]
COLUMNS = ["sku", "name", "url", "picture", "kind", "price"]
SPACE = Space(
    [Attribute("kind", ["desk", "floor"])],
    quantities=[Quantity("price", better="lower")],
    items=Items(COLUMNS, ROWS, id="sku", title="name", link="url", image="picture"),
    name="lamps",
)


def test_an_option_of_a_list_is_an_item() -> None:
    option = option_of(SPACE, {"sku": "A1", "kind": "desk"})
    assert option.amounts == {"price": 29.9}
    assert option.item is not None
    assert (option.item.id, option.item.title, option.item.link) == ("A1", "Lux", "https://shop.example/a1")
    other = option_of(SPACE, {"sku": "A2"}).item
    assert other is not None
    assert (other.title, other.link, other.image) == (None, None, "/own/a2.jpg")
    about = catalogue_of(SPACE, digest="x")
    assert [each.name for each in about.attributes] == ["kind"]
    assert [(each.least, each.most) for each in about.quantities] == [(29.9, 55.0)]


def test_pictures_come_from_where_the_list_says_and_nothing_else_gets_into_the_policy() -> None:
    assert picture_origins([{}, SPACE.document()]) == ("https://pictures.example:444",)


def test_what_another_value_changes_is_what_people_see_and_not_the_id() -> None:
    """The id of an item is no attribute, so neither the page nor anybody else would know what to call it."""
    interview = Interview(SPACE, seed=1)
    best = interview.recommend().configuration
    (other,) = (each for each in previews_of(interview, "kind", version=0).previews if each.value != best["kind"])
    assert other.option is not None
    assert other.option.item is not None
    assert [each.name for each in other.changed] == ["kind"]
    told = Interview(SPACE, seed=1)
    told.require(f"kind = {other.value}")
    preview = answer_preview(interview, told, 0, version=0)
    assert [each.name for each in preview.changed] == ["kind"]
