"""Shoppers who use the page: simulated people in a real browser, from the first step to the recommendation.

    python -m scripts.shopper                             5 people on each shipped catalogue
    python -m scripts.shopper --catalogue pc --people 50 --json

Each of them reads for a while (--think), then takes the option they prefer, with the mistakes that people make, and
says why (--reasons) or what to change (--changes) as often as they are said to. Who has a reason taps the cell that
decided, which takes its option, too. Who would change something has a list of it from the arrow of the cell, or of the
option where the table does not show it: the mouse opens it by resting there. On a phone a cell's list takes a tap, and
what is in no cell a tap on the option first. Every press counts as a tap, and nothing else does.

Told are the screens and taps it took, how good the recommendation was, whether anything of the first three questions
had to be scrolled to, what the server needed for each answer (its own Server-Timing), how long the person waited from
the last tap to the next question (as the browser measures it), how many questions were ready before, and what the first
load of the page weighs.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args
from urllib.request import urlopen

import numpy as np
from playwright.sync_api import Browser, Locator, Page, expect
from scripts.driving import browsing, serving

from setmargin import Choice, Configuration, Question, Space, load
from setmargin.answers import Answer, Change, Skip
from setmargin.experiments.families import Weights
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response

CATALOGUES = ("bicycle", "laptop", "pc", "trip")
SCREEN, PHONE = (1366, 768), (390, 844)
MOST_QUESTIONS = 60
PATIENCE = 120_000
"""Milliseconds; machines that measure may be busy."""
expect.set_options(timeout=PATIENCE)
FIRST = 3
"""So many questions have to be answered without scrolling."""
IN_VIEW = """all => all.length > 0 && all.every((each) => {
  const { left, right, top, bottom } = each.getBoundingClientRect();
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight
    && (each.contains(hit) || hit?.matches(".tell") && hit.parentElement.contains(each));
})"""
WATCH = """() => {
  window.tapped = window.shown = 0;
  document.addEventListener("click", () => { window.tapped = performance.now(); }, true);
  const drawn = new MutationObserver(() => {
    drawn.disconnect();
    requestAnimationFrame(() => { window.shown = performance.now(); });
  });
  drawn.observe(document.querySelector(".asked .bar").parentElement, { childList: true });
}"""
"""Notes when the last tap was, and when the next question is drawn."""
WEIGHT = """() => {
  const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return loaded.filter(({ name }) => !/\\/api\\/|\\/images\\/|\\.(svg|png)$/.test(name))
    .reduce((sum, each) => sum + each.encodedBodySize, 0);
}"""
"""The bytes of all that was loaded, as they came, without pictures and what the API said."""
HAS_MOUSE = "() => matchMedia('(hover: hover)').matches"
HITS, MISSES = "setmargin_work_ready_hits_total", "setmargin_work_ready_misses_total"


@dataclass
class Visit:
    """One person on the page."""

    questions: int = 0
    taps: int = 0
    loss: float = 0.0
    scrolled: int = 0
    """Of the first questions, how many had something to scroll to."""
    weight: int = 0
    server: list[float] = field(default_factory=list)
    """Milliseconds for each answer, as the server says."""
    waited: list[float] = field(default_factory=list)
    """Milliseconds from each click to the next question."""


@dataclass(frozen=True)
class Figures:
    """What came out of all visits; times in milliseconds, losses as shares of the best utility."""

    catalogue: str
    people: int
    answers: int
    questions_median: float
    questions_p90: float
    screens_mean: float
    taps_mean: float
    """The tap that starts the interview counts too."""
    scrolled: int
    """How many of everybody's first three questions had something to scroll to before they could be answered."""
    kilobytes: float
    """What the first load of the page weighs, compressed, without pictures."""
    loss_mean: float
    loss_p90: float
    server_p50: float
    server_p95: float
    waited_p50: float
    waited_p95: float
    ready: float
    """The share of answers whose next question was ready before."""


def asked(space: Space, state: Mapping[str, Any]) -> Question:
    """The question on the page, as the person understands it."""
    question = state["question"]
    return Question(
        tuple(shown(space, option) for option in question["options"]),
        asks_for_change=question["asks_for_change"],
        besides=tuple((wish["name"], wish["value"]) for wish in question["besides"]),
    )


def shown(space: Space, option: Mapping[str, Any]) -> Configuration:
    """The configuration of an option."""
    return space.configuration(space.indices(option["values"]))


def visit(page: Page, address: str, person: Person, *, think: float, policy: str | None = None) -> Visit:
    """One interview through the page, until the page shows the result."""
    way = f"&policy={policy}" if policy else ""
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/c/{person.space.name}?seed={person.strategy_seed}{way}")
    start, seen = page.locator("button[type=submit]"), Visit()
    start.wait_for()
    seen.weight = page.evaluate(WEIGHT)
    with page.expect_response("**/api/v1/interviews") as reply:
        tap(start, seen)
    state, noise = reply.value.json(), person.noise()
    while state["question"] is not None and seen.questions < MOST_QUESTIONS:
        number = state["question"]["number"]
        expect(page.locator(".progress strong")).to_have_text(f"Question {number}")
        page.wait_for_timeout(1000 * think)
        page.wait_for_selector(".slot > :not(.fresh)")
        state = answer(page, person, asked(person.space, state), noise, seen)
    seen.loss = person.relative_loss(shown(person.space, state["best"]))
    return seen


def tap(button: Locator, seen: Visit) -> None:
    """One tap more."""
    button.click()
    seen.taps += 1


def answer(page: Page, person: Person, question: Question, noise: np.random.Generator, seen: Visit) -> dict[str, Any]:
    """One screen: a tap, another one that says more where the person does, and what came of it."""
    said = person.answer(question, "choice", noise, noise)
    page.locator(".bar").evaluate("bar => { bar.dataset.seen = 'yes'; }")
    page.evaluate(WATCH)
    fits = is_in_view(page, ".options .value", ".choose") if question.is_comparison else is_in_view(page, ".nothing")
    last = on_the_table(page, said, seen) if question.is_comparison else None
    if last is None and question.is_comparison and isinstance(said, Choice | Change):
        tap(page.locator(".choose").nth(said.option), seen)
        page.wait_for_selector(".decided:not(.fresh), .panel:not(.fresh)")
        fits &= is_in_view(page, ".carry" if page.locator(".carry").count() else ".reason, .chosen .choose")
    seen.scrolled += not fits and seen.questions < FIRST
    with page.expect_response(lambda each: each.url.endswith("/answers") and each.ok) as reply:
        if last is None:
            say_more(page, said, seen)
        else:
            tap(last, seen)
    expect(page.locator(".bar[data-seen]")).to_have_count(0)
    page.wait_for_selector(".slot > *, .outcome")
    tapped, drawn = page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done([tapped, shown])))")
    if drawn:
        seen.waited.append(drawn - tapped)
    seen.server.append(server_time(reply.value.header_value("server-timing") or ""))
    seen.questions += 1
    state: dict[str, Any] = reply.value.json()
    return state


def on_the_table(page: Page, said: Answer, seen: Visit) -> Locator | None:
    """What takes the option and says all of it at once: the cell that decided, or a value in a list of changes."""
    match said:
        case Choice(option, (name, *_)):
            decisive = page.locator(f'[data-name="{name}"] [data-place="{option}"] .because')
            return decisive if decisive.count() else None
        case Change(str(name), value, option):
            cell = page.locator(f'tr[data-name="{name}"] [data-place="{option}"] .rather')
            if page.evaluate(HAS_MOUSE):
                cell.hover() if cell.count() else None
                arrow = page.locator(f'thead [data-place="{option}"] .alter')
                (cell.locator(".arrow") if cell.count() else arrow).hover()
            elif cell.count():
                tap(cell, seen)
            else:
                return None
            wish = page.locator(f".instead {wish_of(name, value)}")
            page.locator(".instead").wait_for()
            if not wish.count():  # what cannot be is not offered; the option is taken all the same
                page.keyboard.press("Escape")
                return None
            unfold(wish, seen)
            return wish
    return None


def wish_of(name: str, value: object) -> str:
    """The button of a change."""
    return f'[data-name="{name}"][data-value="{"" if value is None else value}"]'


def unfold(wish: Locator, seen: Visit) -> None:
    """Where a thing has many values, they are folded."""
    if not wish.is_visible():
        tap(wish.locator("xpath=ancestor::details").locator("summary"), seen)


def is_in_view(page: Page, *selectors: str) -> bool:
    """Whether all of these can be seen and tapped without scrolling."""
    return all(page.locator(selector).evaluate_all(IN_VIEW) for selector in selectors)


def say_more(page: Page, said: Answer, seen: Visit) -> None:
    """What sends the answer."""
    match said:
        case Choice(_, (name, *_)) if page.locator(".decided").count():  # else a change was asked for
            tap(page.locator(f'.decided [data-name="{name}"] .reason'), seen)
        case Choice():
            tap(page.get_by_role("button", name="Carry on"), seen)
        case Change(None):
            tap(page.locator(".nothing"), seen)
        case Change(str(name), value):
            wish = page.locator(f".panel {wish_of(name, value)}")
            if wish.count():
                unfold(wish, seen)
                tap(wish, seen)
            else:
                tap(page.get_by_role("button", name="Carry on"), seen)
        case Skip():
            tap(page.get_by_role("button", name="Skip"), seen)
        case _:
            tap(page.get_by_role("button", name="No difference"), seen)


def server_time(header: str) -> float:
    """The duration in a Server-Timing header."""
    found = re.search(r"app;dur=([\d.]+)", header)
    if not found:
        raise RuntimeError(f"the server did not say how long it took: {header!r}")
    return float(found[1])


def counted(address: str, name: str) -> float:
    """One of the server's counters."""
    with urlopen(f"{address}/metrics", timeout=10) as reply:
        found = re.search(rf"^{name} (\S+)$", reply.read().decode(), re.MULTILINE)
    return float(found[1]) if found else 0.0


def figures(catalogue: str, visits: Sequence[Visit], *, ready: float) -> Figures:
    """What came out of all visits."""
    server = [each for one in visits for each in one.server]
    waited = [each for one in visits for each in one.waited]
    questions, losses = [one.questions for one in visits], [one.loss for one in visits]
    return Figures(
        catalogue=catalogue,
        people=len(visits),
        answers=len(server),
        questions_median=float(np.median(questions)),
        questions_p90=float(np.quantile(questions, 0.9)),
        screens_mean=float(np.mean(questions)),
        taps_mean=float(np.mean([one.taps for one in visits])),
        scrolled=sum(one.scrolled for one in visits),
        kilobytes=max(one.weight for one in visits) / 1000,
        loss_mean=float(np.mean(losses)),
        loss_p90=float(np.quantile(losses, 0.9)),
        server_p50=float(np.quantile(server, 0.5)),
        server_p95=float(np.quantile(server, 0.95)),
        waited_p50=float(np.quantile(waited, 0.5)),
        waited_p95=float(np.quantile(waited, 0.95)),
        ready=ready,
    )


def table(found: Figures) -> str:
    """The figures for people."""
    rows = [
        ("people, answers", f"{found.people}, {found.answers}"),
        (
            "screens, mean, median and 90%",
            f"{found.screens_mean:.1f}, {found.questions_median:g}, {found.questions_p90:g}",
        ),
        ("taps, mean", f"{found.taps_mean:.1f}"),
        ("of the first three questions scrolled", f"{found.scrolled}"),
        ("first load, compressed, without pictures", f"{found.kilobytes:.0f} kB"),
        ("loss of the recommendation, mean and 90%", f"{found.loss_mean:.1%}, {found.loss_p90:.1%}"),
        ("server time per answer, p50 and p95", f"{found.server_p50:.0f} ms, {found.server_p95:.0f} ms"),
        ("tap to next question, p50 and p95", f"{found.waited_p50:.0f} ms, {found.waited_p95:.0f} ms"),
        ("answered from the ready-made question", f"{found.ready:.0%}"),
    ]
    return "\n".join([f"shoppers on {found.catalogue}", *(f"  {name:<42}{value}" for name, value in rows)])


def run(wanted: argparse.Namespace) -> list[Figures]:
    """Start a server, send everybody through the page one after the other, stop it."""
    response = Response(wrong=wanted.wrong, reasons=wanted.reasons, changes=wanted.changes)
    names = wanted.catalogue or CATALOGUES
    everybody: list[Visit] = []
    found: list[Figures] = []
    with (
        tempfile.TemporaryDirectory() as home,
        serving(names, Path(home), workers=wanted.workers) as address,
        browsing() as browser,
    ):
        hits = misses = 0.0
        for name in names:
            people = draw_people(
                load(name),
                wanted.people,
                weights=wanted.weights,
                quantities=True,
                response=response,
                seed=wanted.seed,
            )
            visits = [visited(browser, address, person, wanted) for person in people]
            before, (hits, misses) = (hits, misses), (counted(address, HITS), counted(address, MISSES))
            found.append(figures(name, visits, ready=share(hits - before[0], misses - before[1])))
            everybody += visits
    return found if len(names) == 1 else [*found, figures("all of them", everybody, ready=share(hits, misses))]


def visited(browser: Browser, address: str, person: Person, wanted: argparse.Namespace) -> Visit:
    """One person with a browser that knows nothing yet."""
    width, height = PHONE if wanted.phone else SCREEN
    page = browser.new_page(viewport={"width": width, "height": height}, has_touch=wanted.phone, locale="en-US")
    try:
        return visit(page, address, person, think=wanted.think, policy=wanted.policy)
    finally:
        page.close()


def share(hits: float, misses: float) -> float:
    """The part of all that were hits."""
    return hits / max(hits + misses, 1)


def arguments() -> argparse.Namespace:
    """What is wanted."""
    about, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=5, help="how many on each catalogue, one after the other (5)")
    parser.add_argument("--catalogue", action="append", help="a shipped catalogue; may be repeated (all four)")
    parser.add_argument("--phone", action="store_true", help="on a phone instead of a laptop")
    parser.add_argument("--think", type=float, default=2.0, help="seconds that a person reads a question (2)")
    parser.add_argument("--weights", choices=get_args(Weights), default="sparse-uniform", help="what people are like")
    parser.add_argument("--wrong", type=float, default=0.0, help="the share of plainly wrong answers (0)")
    parser.add_argument("--reasons", type=float, default=1.0, help="how often people say why (1)")
    parser.add_argument("--changes", type=float, default=1.0, help="how often they say what to change if asked (1)")
    parser.add_argument("--policy", choices=["conversation", "comparisons"], help="what the server may ask")
    parser.add_argument("--workers", type=int, default=1, help="processes of the server that think (1)")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same people (0)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args()


def main() -> None:
    """Print what came out."""
    wanted = arguments()
    found = run(wanted)
    written = json.dumps([asdict(each) for each in found], indent=1)
    print(written if wanted.json else "\n".join(map(table, found)))


if __name__ == "__main__":
    main()
