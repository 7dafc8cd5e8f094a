"""Are the questions of the fast mode as good as those of the exact mode? Loss curves of the same simulated people.

The modes agree where their mean losses differ by no more than the standard error of the difference of two means. This
is about quality, so it runs on two cores and its times mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.timing import Grid, Report, Say
from setmargin.experiments import FINISHED, Point, Record, collect, curve, is_last, simulate
from setmargin.experiments.families import Weights
from setmargin.experiments.people import draw_people
from setmargin.space.catalogue import load
from setmargin.strategies.setmargin.strategy import MODES, Mode, SetMargin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

JOBS = 2
STOPS = (5, 10, 20, 30, 40)
ROUNDING = 1e-9
COLOURS: Mapping[Mode, str] = {"fast": "#d95f02", "exact": "#1b6ca8"}
DASHES: Mapping[Mode, str] = {"fast": "-", "exact": "--"}


@dataclass(frozen=True)
class Case:
    """Where people are drawn from, and the seconds that the exact mode has for a question."""

    title: str
    space: str
    weights: Weights
    seconds: float


CASES = (
    Case("r = 4, uniform", "synthetic:4", "uniform", 2.0),
    Case("r = 4, sparse normal", "synthetic:4", "sparse-normal", 2.0),
    Case("PC, sparse uniform", "pc", "sparse-uniform", 2.0),
)


@dataclass(frozen=True)
class Compared:
    """The loss curves of both modes in one case, and how many questions of the exact mode were proven best."""

    case: Case
    curves: Mapping[Mode, tuple[Point, ...]]
    proven: float

    def apart(self) -> list[float]:
        """After each question, how far the means differ, in standard errors of their difference."""
        return [_apart(*both) for both in zip(self.curves["fast"], self.curves["exact"], strict=True)]

    def within(self) -> int:
        """After how many questions the modes lie within each other's standard error."""
        return sum(each <= 1.0 for each in self.apart())

    def document(self) -> dict[str, object]:
        """As plain data."""
        curves = {mode: [point.document() for point in points] for mode, points in self.curves.items()}
        return {"case": self.case.title, "curves": curves, "within": self.within(), "proven": self.proven}


def _apart(fast: Point, exact: Point) -> float:
    difference, error = abs(fast.mean - exact.mean), hypot(fast.standard_error, exact.standard_error)
    return 0.0 if difference <= ROUNDING else difference / max(error, ROUNDING)


def strategy(mode: Mode, case: Case) -> SetMargin:
    """Pairs, tuned as usual; only the exact mode ever needs its time."""
    return SetMargin(set_size=2, mode=mode, seconds=case.seconds if mode == "exact" else 10.0)


def compared(case: Case, *, people: int, questions: int, say: Say, jobs: int = JOBS) -> Compared:
    """The same people, interviewed in both modes."""
    records = {mode: list(_records(mode, case, people, questions, say, jobs)) for mode in MODES}
    curves = {mode: curve(collect(found, questions=questions)) for mode, found in records.items()}
    asked = [each["status"] for each in records["exact"] if each["status"] != FINISHED]
    return Compared(case, curves, proven=asked.count("optimal") / max(len(asked), 1))


def _records(mode: Mode, case: Case, people: int, questions: int, say: Say, jobs: int) -> Iterator[Record]:
    """As they come, with a word after each person."""
    drawn = draw_people(load(case.space), people, weights=case.weights, seed=0)
    for record in simulate(drawn, strategy(mode, case), questions=questions, jobs=jobs):
        if is_last(record, questions=questions):
            say(f"modes: {case.title}, {mode} mode, person {record['person']} of {people}")
        yield record


def run(quick: bool, say: Say) -> Report:
    """Every case in both modes."""
    cases, people, questions = (CASES[:1], 2, 5) if quick else (CASES, 20, 40)
    found = [compared(case, people=people, questions=questions, say=say) for case in cases]
    document = {"people": people, "questions": questions, "cases": [each.document() for each in found]}
    notes = [
        f"{people} people, {questions} questions, two jobs at once; the same people in both modes. In exact mode a "
        f"question has {', '.join(f'{case.seconds:g} s ({case.title})' for case in cases)}.",
        "Within: the means differ by no more than √(se² + se²), the standard error of their difference.",
    ]
    return Report([agreement(found), losses(found)], notes, document)


def agreement(found: Sequence[Compared]) -> Grid:
    """Whether the curves lie within each other's standard error."""
    rows = []
    for each in found:
        apart = each.apart()
        worst = f"{max(apart):.1f} after {apart.index(max(apart)) + 1}"
        rows.append([each.case.title, f"{each.within()} of {len(apart)}", worst, f"{each.proven:.0%}"])
    headers = ["people", "questions within", "largest difference, in standard errors", "exact mode proves"]
    return Grid("Fast and exact mode: mean relative loss", headers, rows)


def losses(found: Sequence[Compared]) -> Grid:
    """The curves at a few questions."""
    asked = len(found[0].curves["fast"])
    stops = [stop for stop in STOPS if stop <= asked] or [asked]
    rows = [
        [each.case.title, mode, *(_shown(each.curves[mode][stop - 1]) for stop in stops)]
        for each in found
        for mode in MODES
    ]
    return Grid("Mean relative loss ± its standard error", ["people", "mode", *map("after {}".format, stops)], rows)


def _shown(point: Point) -> str:
    return f"{point.mean:.3f} ± {point.standard_error:.3f}"


# The plot


def draw(document: Mapping[str, Any], folder: Path) -> Path:
    """One panel for each case: a line and a band of one standard error for each mode. Needs matplotlib."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # Text stays text, and ids do not change from run to run: a small file with small differences.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "modes", "font.size": 9}):
        cases = document["cases"]
        figure = Figure(figsize=(1.2 + 2.9 * len(cases), 2.9), layout="constrained")
        panels = figure.subplots(1, len(cases), sharey=True, squeeze=False)[0]
        for panel, case in zip(panels, cases, strict=True):
            _draw_case(panel, case)
        panels[0].set(ylabel="mean relative loss", ylim=(0, None))  # the last word on an axis that all share
        panels[0].legend(frameon=False)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "modes.svg", metadata={"Date": None})
    return folder / "modes.svg"


def _draw_case(panel: Axes, case: Mapping[str, Any]) -> None:
    for mode in MODES:
        points = case["curves"][mode]
        asked, mean = ([point[name] for point in points] for name in ("question", "mean"))
        error = [point["standard_error"] or 0.0 for point in points]
        low, high = ([m + sign * e for m, e in zip(mean, error, strict=True)] for sign in (-1, 1))
        panel.fill_between(asked, low, high, color=COLOURS[mode], alpha=0.2, linewidth=0)
        panel.plot(asked, mean, DASHES[mode], color=COLOURS[mode], linewidth=1.5, label=f"{mode} mode")
    panel.set(title=case["case"], xlabel="questions", xlim=(0, len(case["curves"]["fast"])))
    panel.spines[["top", "right"]].set_visible(False)
