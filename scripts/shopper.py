"""Shoppers who use the page: simulated people in a real browser, from the first step to the recommendation.

    python -m scripts.shopper                             10 people on `pc`
    python -m scripts.shopper --people 50 --json

Each of them reads for a while (--think), then clicks the card they prefer, with the mistakes that people make, and says
why (--reasons) or what to change (--changes) as often as they are said to. Told
are the questions it took, how good the recommendation was, what the server needed for each answer (its own
Server-Timing), how long the person waited from click to next question, and how many questions were ready before.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args
from urllib.request import urlopen

import numpy as np
from playwright.sync_api import Page, expect
from scripts.driving import browsing, serving

from setmargin import Choice, Configuration, Question, Space, load
from setmargin.answers import Answer, Change, Skip
from setmargin.experiments.families import Weights
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response

MOST_QUESTIONS = 60
HITS, MISSES = "setmargin_work_ready_hits_total", "setmargin_work_ready_misses_total"


@dataclass
class Visit:
    """One person on the page."""

    questions: int = 0
    loss: float = 0.0
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
    page.goto(f"{address}/c/{person.space.name}?seed={person.strategy_seed}{way}")
    with page.expect_response("**/api/v1/interviews") as reply:
        page.get_by_role("button", name="Start").click()
    state, noise, seen = reply.value.json(), person.noise(), Visit()
    while state["question"] is not None and seen.questions < MOST_QUESTIONS:
        number = state["question"]["number"]
        expect(page.locator(".progress strong")).to_have_text(f"Question {number}")
        page.wait_for_timeout(1000 * think)
        page.wait_for_selector(".slot > :not(.fresh)")
        state = answer(page, person, asked(person.space, state), noise, seen)
    seen.loss = person.relative_loss(shown(person.space, state["best"]))
    return seen


def answer(page: Page, person: Person, question: Question, noise: np.random.Generator, seen: Visit) -> dict[str, Any]:
    """One screen: a click, another one that says more where the person does, and what came of it."""
    said = person.answer(question, "choice", noise, noise)
    page.locator(".bar").evaluate("bar => { bar.dataset.seen = 'yes'; }")
    if question.is_comparison and isinstance(said, Choice | Change):
        page.locator(".choose").nth(said.option).click()
        page.wait_for_selector(".decided:not(.fresh), .panel:not(.fresh)")
    if isinstance(said, Change) and said.value is not None:
        page.locator("details.thing").filter(has=page.locator(f'[data-name="{said.name}"]')).locator("summary").click()
    begun = time.perf_counter()
    with page.expect_response("**/answers") as reply:
        last_click(page, said)
    expect(page.locator(".bar[data-seen]")).to_have_count(0)
    seen.waited.append(1000 * (time.perf_counter() - begun))
    seen.server.append(server_time(reply.value.header_value("server-timing") or ""))
    seen.questions += 1
    state: dict[str, Any] = reply.value.json()
    return state


def last_click(page: Page, said: Answer) -> None:
    """What sends the answer."""
    match said:
        case Choice(_, (name, *_)) if page.locator(".decided").count():  # else a change was asked for
            page.locator(f'.chosen [data-name="{name}"] .reason').click()
        case Choice():
            page.get_by_role("button", name="Carry on").click()
        case Change(None):
            page.locator(".panel .nothing").click()
        case Change(name, value):
            page.locator(f'.panel [data-name="{name}"][data-value="{"" if value is None else value}"]').click()
        case Skip():
            page.get_by_role("button", name="Skip").click()
        case _:
            page.get_by_role("button", name="No difference").click()


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
        ("questions, median and 90%", f"{found.questions_median:g}, {found.questions_p90:g}"),
        ("loss of the recommendation, mean and 90%", f"{found.loss_mean:.1%}, {found.loss_p90:.1%}"),
        ("server time per answer, p50 and p95", f"{found.server_p50:.0f} ms, {found.server_p95:.0f} ms"),
        ("click to next question, p50 and p95", f"{found.waited_p50:.0f} ms, {found.waited_p95:.0f} ms"),
        ("answered from the ready-made question", f"{found.ready:.0%}"),
    ]
    return "\n".join([f"shoppers on {found.catalogue}", *(f"  {name:<42}{value}" for name, value in rows)])


def run(wanted: argparse.Namespace) -> Figures:
    """Start a server, send everybody through the page one after the other, stop it."""
    response = Response(wrong=wanted.wrong, reasons=wanted.reasons, changes=wanted.changes)
    people = draw_people(
        load(wanted.catalogue),
        wanted.people,
        weights=wanted.weights,
        quantities=True,
        response=response,
        seed=wanted.seed,
    )
    with (
        tempfile.TemporaryDirectory() as home,
        serving([wanted.catalogue], Path(home), workers=wanted.workers) as address,
        browsing() as browser,
    ):
        page = browser.new_page()
        visits = [visit(page, address, person, think=wanted.think, policy=wanted.policy) for person in people]
        hits, misses = counted(address, HITS), counted(address, MISSES)
    return figures(wanted.catalogue, visits, ready=hits / max(hits + misses, 1))


def arguments() -> argparse.Namespace:
    """What is wanted."""
    about, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=10, help="how many, one after the other (10)")
    parser.add_argument("--catalogue", default="pc", help="a shipped catalogue (pc)")
    parser.add_argument("--think", type=float, default=2.0, help="seconds that a person reads a question (2)")
    parser.add_argument("--weights", choices=get_args(Weights), default="sparse-uniform", help="what people are like")
    parser.add_argument("--wrong", type=float, default=0.0, help="the share of plainly wrong answers (0)")
    parser.add_argument("--reasons", type=float, default=0.0, help="how often people say why (0)")
    parser.add_argument("--changes", type=float, default=0.0, help="how often they say what to change if asked (0)")
    parser.add_argument("--policy", choices=["conversation", "comparisons"], help="what the server may ask")
    parser.add_argument("--workers", type=int, default=1, help="processes of the server that think (1)")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same people (0)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args()


def main() -> None:
    """Print what came out."""
    wanted = arguments()
    found = run(wanted)
    print(json.dumps(asdict(found), indent=1) if wanted.json else table(found))


if __name__ == "__main__":
    main()
