"""Claims about the languages of the page: all of them say everything, and people get theirs."""

from __future__ import annotations

from functools import partial
from typing import Any

from playwright.sync_api import Route, expect

from setmargin.server.api.pages import languages_of
from tests.server.page.browsing import Visitor

SHAPES = """
async (language) => {
  const { text } = await import(`/static/texts/${language}.js`);
  const bare = (made) => JSON.stringify(made).replace(/(\\d)[.,](\\d)/g, "$1$2");
  const marks = (made, given) => given.map((each) => bare(made).includes(each));
  const tried = (make, given) => {
    try { return marks(make(...given), given.map(String)); } catch (error) { return "no"; }
  };
  const shape = (each) => {
    if (typeof each === "function") {
      const many = Array.from({ length: Math.max(each.length, 1) });
      const parts = { version: 7654321, source: "given", people: 1234567 };
      const samples = [
        many.map((_, n) => 345678 + n), many.map((_, n) => `word${n}`), many.map((_, n) => n ? ["one", "two"] : 77777),
      ];
      return [each.length, ...samples.map((given) => tried(each, given)), tried(() => each(parts), [7654321, 1234567])];
    }
    return typeof each === "string" ? each.trim() !== "" : Object.fromEntries(
      Object.entries(each).map(([key, part]) => [key, shape(part)]));
  };
  return shape(text);
}
"""
"""What each text is: a sentence, parts, or a function with so many parameters that shows these of its arguments."""


def test_every_language_has_all_texts_with_the_same_placeholders(visitor: Visitor) -> None:
    page = visitor.page()
    english: dict[str, Any] = page.evaluate(SHAPES, "en")
    assert len(english) > 100
    assert english["quoteGaveUp"][2] == [True, True, True]
    others = [language for language in languages_of() if language != "en"]
    assert others
    for language in others:
        assert page.evaluate(SHAPES, language) == english, language


def test_what_often_goes_wrong_is_said_in_the_visitors_language(visitor: Visitor) -> None:
    visitor.expected = "409|503"
    page = visitor.page("/", locale="de")
    page.locator(".tile").first.wait_for()
    for kind, status, words in (("conflict", 409, "Jemand war schneller"), ("timeout", 503, "zu lange gedauert")):
        problem = {"type": f"https://example.org/{kind}", "title": "x", "detail": "English words", "cure": "English"}
        page.route("**/api/v1/catalogues/lamp", partial(Route.fulfill, status=status, json=problem))
        page.goto(f"{visitor.address}/c/lamp")
        expect(page.locator("main")).to_contain_text(words)
        expect(page.locator("main")).not_to_contain_text("English")


def test_the_browsers_language_is_spoken_and_another_one_is_remembered(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp", locale="de-AT")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_role("button", name="Starten").wait_for()
    page.get_by_label("Sprache").select_option("en")
    page.get_by_role("button", name="Just start").wait_for()
    page.goto(f"{visitor.address}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Find what suits you")
    page.goto(f"{visitor.address}/?language=de")
    expect(page.get_by_role("heading", level=1)).to_have_text("Finde, was zu dir passt")


def test_an_unknown_language_is_english(visitor: Visitor) -> None:
    page = visitor.page("/?language=tlh", locale="ja-JP")
    expect(page.get_by_role("heading", level=1)).to_have_text("Find what suits you")


def test_numbers_are_written_as_in_the_language(visitor: Visitor) -> None:
    page = visitor.page(locale="de-DE")
    shown: Any = page.evaluate(
        """async () => {
          const { amount, difference, listed, percent, value } = await import("/static/format.js");
          const price = { name: "price", unit: "€" };
          return [amount(price, 1480.5), difference(price, -1200), value({ name: "screen", unit: "Zoll" }, 13.3),
            percent(0.05), percent(0.001), listed(["a", "b", "c"], "or")];
        }"""
    )
    assert shown == ["1.480,50\xa0€", "−1.200\xa0€", "13,3\xa0Zoll", "5\xa0%", "<1\xa0%", "a, b oder c"]


def test_the_catalogue_speaks_the_visitors_language_and_wears_the_shops_name(visitor: Visitor) -> None:
    chair = visitor.page("/c/seat", locale="de-DE")
    expect(chair.get_by_role("heading", level=1)).to_have_text("Finde deinen Stuhl")
    expect(chair.locator(".home")).to_have_text("Sitz & Co")
    expect(chair).to_have_title("Finde deinen Stuhl · Sitz & Co")
    expect(chair.locator(".foot")).to_contain_text("setmargin")
    assert chair.locator(".logo").evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
    expect(chair.locator(".start-bar .primary")).to_have_css("background-color", "rgb(29, 79, 145)")
    chair.goto(f"{visitor.address}/c/lamp")
    expect(chair.locator(".home")).to_have_text("setmargin")
    expect(chair.locator(".start-bar .primary")).to_have_css("background-color", "rgb(29, 107, 90)")


def test_values_are_shown_by_title_picture_and_help_but_answered_by_name(visitor: Visitor) -> None:
    page = visitor.page("/c/seat?policy=comparisons&set_size=2", locale="de-DE")
    shown: Any = page.evaluate(
        """async () => {
          const { catalogue } = await import("/static/api.js");
          const { amount, helpOf, imageOf, label, value } = await import("/static/format.js");
          const { attributes: [wood, legs], quantities: [price] } = await catalogue("seat");
          return [label(wood), value(wood, "none"), value(wood, "beech"), helpOf(wood), helpOf(legs, 4),
            imageOf(wood, "oak").startsWith("/api/v1/images/"), imageOf(wood, "beech"), amount(price, 1480.4),
            value({ unit: "l", values: ["mains", 2] }, "mains"), value({ unit: "l", values: ["mains", 2] }, 2)];
        }"""
    )
    assert shown == [
        "Holz", "kein Holz", "beech", "Woraus er ist.", "Stands well.", True, None, "1.480\xa0€", "mains", "2\xa0l",
    ]  # fmt: skip
