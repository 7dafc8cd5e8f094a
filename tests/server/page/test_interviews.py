"""Whole interviews through the page: by mouse, by keyboard, on a phone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from setmargin.answers import Choice, NoDifference, Ranking, Skip
from tests.server.page.browsing import PHONE, Visitor, answered, begin, facts, identity, is_over, overflow, parts, place

MOST_QUESTIONS = 25


def cheaper(page: Page) -> int:
    """The option that somebody takes who looks at the price alone."""
    prices = page.locator('.options tr[data-name="price"] .value').all_inner_texts()
    numbers = [float(price.split("\xa0")[0].replace(",", "")) for price in prices]
    return numbers.index(min(numbers)) if numbers else 0


def column(page: Page, place: int) -> dict[str, str]:
    """What the table says about one option, by name."""
    rows = page.locator(".options tbody tr").all()
    cells = {row.locator("th").inner_text(): row.locator("td").nth(place).locator(".value") for row in rows}
    return {name.lower(): cell.inner_text().replace("\xa0", " ") for name, cell in cells.items()}


def shown_as_recommended(visitor: Visitor, page: Page) -> None:
    """What the result says is what the library recommends after the same answers."""
    interview = visitor.interview(page)
    best = interview.recommend().configuration
    shown = {a.title or a.name: f"{best[a.name]} {a.unit}".strip() for a in interview.space.attributes}
    assert parts(page) == shown
    price = f"{interview.space.amounts(best)['price']:.2f}".removesuffix(".00")
    assert facts(page, ".figures")["price"] == f"{price} €"


def test_a_whole_interview_by_mouse(visitor: Visitor) -> None:
    page = visitor.page("/")
    page.get_by_role("link", name="Find your lamp").click()
    begin(page)
    choices: list[int] = []
    while not is_over(page):
        choices.append(cheaper(page))
        answered(page, page.locator(".choose").nth(choices[-1]).click)
        assert len(choices) <= MOST_QUESTIONS
    expect(page.get_by_role("heading", level=1)).to_have_text("This one suits you best")
    assert [answer for _, answer in visitor.interview(page).history] == [Choice(choice) for choice in choices]
    assert page.locator(".answers > li").count() == len(choices)
    shown_as_recommended(visitor, page)
    page.get_by_role("button", name="I’m done").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You took this one")
    state = visitor.api(f"/interviews/{identity(page)}")
    assert state["finished"] == state["best"]


def test_a_whole_interview_by_keyboard_only(visitor: Visitor) -> None:
    page = visitor.page("/")
    page.get_by_role("link", name="Find your lamp").wait_for()
    press = page.keyboard.press
    for _ in range(20):
        press("Tab")
        if page.evaluate("document.activeElement.classList.contains('tile')"):
            break
    press("Enter")
    page.wait_for_selector(".wants")
    page.goto(f"{visitor.address}/c/lamp?policy=comparisons")
    page.wait_for_selector(".wants")
    for _ in range(40):
        press("Tab")
        if page.evaluate("document.activeElement.matches('button[type=submit]')"):
            break
    press("Enter")
    page.wait_for_selector(".options")
    expected: list[object] = []
    for key, answer in [("=", NoDifference()), ("s", Skip()), ("2", Choice(1)), ("1", Choice(0))]:
        answered(page, lambda key=key: press(key))  # type: ignore[misc]
        expected.append(answer)
    answered(page, lambda: press("u"))
    assert place(page) == "Question 4"
    expected.pop()
    tops: set[tuple[float, ...]] = set()
    while not is_over(page):
        option = cheaper(page)
        boxes = [page.locator(part).bounding_box() for part in ("h1", ".options", ".dock")]
        tops.add(tuple(box["y"] for box in boxes if box))
        answered(page, lambda key=str(option + 1): press(key))  # type: ignore[misc]
        expected.append(Choice(option))
        assert len(expected) <= MOST_QUESTIONS
    assert len(tops) == 1  # nothing jumps from question to question
    assert [answer for _, answer in visitor.interview(page).history] == expected
    assert page.evaluate("document.activeElement.tagName") == "H1"
    for _ in range(40):
        press("Tab")
        if page.evaluate("document.activeElement.textContent") == "I’m done":
            break
    press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("You took this one")


def test_an_interview_on_a_phone_never_scrolls_sideways(visitor: Visitor) -> None:
    page = visitor.page("/", size=PHONE)
    page.get_by_role("link", name="Find your lamp").wait_for()
    assert overflow(page) <= 0
    page.goto(f"{visitor.address}/c/lamp?policy=comparisons")
    page.wait_for_selector(".wants")
    for pick in page.locator(".pick summary").all():
        pick.click()
    assert overflow(page) <= 0
    begin(page)
    count = 0
    while not is_over(page):
        assert overflow(page) <= 0
        boxes = [button.bounding_box() for button in page.locator(".choose").all()]
        assert len({box["y"] for box in boxes if box}) == 1  # side by side
        answered(page, page.locator(".choose").nth(cheaper(page)).click)
        count += 1
        assert count <= MOST_QUESTIONS
    assert overflow(page) <= 0
    shown_as_recommended(visitor, page)


def test_three_options_can_be_ranked(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons&set_size=3", size=PHONE)
    begin(page)
    assert overflow(page) <= 0
    page.keyboard.press("r")
    expect(page.get_by_role("heading", level=1)).to_have_text("Which is your first choice?")
    page.keyboard.press("3")
    answered(page, page.locator(".choose").nth(0).click)
    assert [answer for _, answer in visitor.interview(page).history] == [Ranking((2, 0, 1))]


def test_the_table_shows_what_differs_price_first_and_folds_what_is_equal_with_its_names(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons&differences=1&seed=3")
    begin(page)
    question = visitor.api(f"/interviews/{identity(page)}")["question"]
    titled = {"brightness": "luminous flux"}
    shown = column(page, 0)
    assert set(shown) == {titled.get(name, name) for name in question["differing"]}
    assert next(iter(shown)) == "price"
    same = question["alike"][0]
    value = question["options"][0]["values"][same]
    expect(page.locator(".alike .hint")).to_contain_text(f"{titled.get(same, same).capitalize()}: {value}")
    page.locator(".alike summary").click()
    assert list(facts(page, ".alike dl")) == [titled.get(name, name) for name in question["alike"]]


def test_amounts_are_compared_with_sign_and_unit(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    first, second = visitor.api(f"/interviews/{identity(page)}")["question"]["options"]
    difference = second["amounts"]["price"] - first["amounts"]["price"]
    written = f"{abs(difference):.2f}".removesuffix(".00")
    signs = ("−", "+") if difference > 0 else ("+", "−")
    pills = page.locator(".quantity", has=page.get_by_text("Price")).locator(".pill").all_inner_texts()
    assert [pill.split("\n")[0].replace("\xa0", " ") for pill in pills] == [f"{sign}{written} €" for sign in signs]


def test_the_best_so_far_can_be_opened_and_taken(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    answered(page, lambda: page.keyboard.press("1"))
    page.keyboard.press("b")
    best = visitor.api(f"/interviews/{identity(page)}")["best"]
    assert facts(page, ".drawer .facts")["kind"].split(" was ")[0] == best["values"]["kind"]
    page.get_by_role("dialog").get_by_role("button", name="I take this one").click()
    page.wait_for_selector(".outcome")
    assert visitor.api(f"/interviews/{identity(page)}")["finished"] == best


def test_an_option_can_be_taken_at_once(visitor: Visitor) -> None:
    page = visitor.page("/c/lamp?policy=comparisons")
    begin(page)
    option = visitor.api(f"/interviews/{identity(page)}")["question"]["options"][1]
    page.get_by_role("button", name="Take option 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You took this one")
    assert facts(page, ".configuration .facts")["foot"] == option["values"]["foot"]
    page.get_by_role("button", name="Change my mind").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This one suits you best")
    page.get_by_role("button", name="Ask me more").click()
    expect(page.locator(".progress strong")).to_have_text("Question 1")
