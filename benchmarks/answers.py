"""Answers that say more, on simulated people: how many screens, how much effort, and whether what is claimed is true.

A screen is one question with all that is asked along with it; its effort is reckoned in seconds as in
`setmargin.strategies.shared.effort`. The seed of these people was not used while anything was tuned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.answers_cases import (
    CONVERSATION,
    SEED,
    STOP,
    Case,
    Outcomes,
    curve_cases,
    grid_cases,
    interviews,
    large_case,
    stopping_cases,
)
from benchmarks.bayes import CLAIMS, LOSSES, calibration, reached
from benchmarks.timing import Grid, Report, Say
from setmargin.arrays import Floats

PEOPLE, PEOPLE_QUICK = 40, 2
SHOWN = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 32)
LEVELS = (0.1, 0.03, 0.01)
SURE = 0.9
"""Claims to be within 5% of the best that are at least this certain must hold that often."""


def run(quick: bool, say: Say) -> Report:
    """Every case, then what is claimed, then time and memory."""
    people = PEOPLE_QUICK if quick else PEOPLE
    curves, stopped, grids, large = curve_cases(), stopping_cases(), grid_cases(), large_case(quick=quick)
    if quick:
        curves, stopped, grids = _quickly(curves[2:5]), _quickly([stopped[0], *stopped[-2:]]), _quickly(grids[:1])
        large = replace(large, screens=2)
    found = interviews([*curves, *stopped, *grids], people, say) | interviews([large], 2, say)
    claims = {name: claims_of([found[case.name] for case in cases]) for name, cases in talk_groups(curves).items()}
    document = {
        "people": people,
        "seed": SEED,
        **{
            part: {case.name: document_of(found[case.name], case) for case in cases}
            for part, cases in (("curves", curves), ("stopped", stopped), ("grids", grids), ("large", [large]))
        },
        "claims": {
            name: {
                "sure": sure_claims(within),
                "within 5% of the best": calibration((*within, CLAIMS)),
                "expected loss": calibration((*expected, LOSSES)),
            }
            for name, (within, expected) in claims.items()
        },
    }
    return Report(
        [
            losses_grid(curves, found),
            needed_grid(curves, found),
            kinds_grid(curves, found),
            stopped_grid(stopped, found),
            differences_grid(stopped, found),
            medians_grid(grids, found),
            times_grid({"PC": found["conversation"], large.name: found[large.name]}),
            sure_grid(claims),
            *calibration_grids(claims),
            expected_grid(curves, found),
        ],
        [
            f"{people} people each, seed {SEED}; ± is a standard error. Losses are relative to the best utility. A "
            f"screen is one question with all that is asked along with it; effort is in seconds, as reckoned in "
            f"setmargin.strategies.shared.effort. Goals have the least acceptable in brackets.",
            "People were interviewed on all cores at once; times are processor time, which is that of one core.",
        ],
        document,
    )


def _quickly(cases: Sequence[Case]) -> list[Case]:
    """The same with few screens."""
    return [replace(case, screens=2) for case in cases]


def talk_groups(curves: Sequence[Case]) -> dict[str, list[Case]]:
    """The conversations by what people say besides their choices."""
    asked = [case for case in curves if case.options == CONVERSATION]
    return {
        "with reasons": [case for case in asked if case.response.talks and not case.response.careless],
        "3 of 10 careless": [case for case in asked if case.response.careless],
        "none": [case for case in asked if not case.response.talks],
    }


# Screens and effort


def _error(sample: Floats) -> float:
    return float(sample.std(ddof=1) / np.sqrt(len(sample))) if len(sample) > 1 else 0.0


def _percent(sample: Floats) -> str:
    return f"{100 * sample.mean():.1f} ± {100 * _error(sample):.1f}"


def losses_grid(cases: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """The mean loss on the way."""
    shown = [n for n in SHOWN if n <= max(case.screens for case in cases)]
    rows = [
        [case.name, *(_percent(found[case.name].loss[:, n - 1]) if n <= case.screens else "" for n in shown)]
        for case in cases
    ]
    return Grid("PC: mean relative loss in % after so many screens", ["people", *map(str, shown)], rows)


def needed_grid(cases: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """Screens until a level is kept, and the mean effort up to there."""
    rows = []
    for case in cases:
        each = found[case.name]
        levels = [reached(each.loss.mean(axis=0), level) for level in LEVELS]
        cells = [f"{level} ({effort_until(each, level):.0f} s)" if level else "–" for level in levels]
        rows.append([case.name, *cells, f"{np.nanmean(each.effort):.1f}", case.goal or "–"])
    headers = ["people", *(f"mean {level:.0%}" for level in LEVELS), "effort a screen, s", "goal"]
    return Grid("PC: screens (and seconds of effort) until the mean loss is this small for good", headers, rows)


def effort_until(each: Outcomes, screen: int) -> float:
    """The mean seconds that people spent up to this screen, and on it."""
    return float(np.nansum(each.effort[:, :screen], axis=1).mean())


def kinds_grid(cases: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """What was asked in conversations, and how often."""
    asked = [case for case in cases if case.options == CONVERSATION]
    counts = {case.name: Counter(kind for kinds in found[case.name].kinds for kind in kinds) for case in asked}
    kinds = sorted({kind for each in counts.values() for kind in each})
    rows = [[name, *(f"{100 * each[kind] / each.total():.0f}" for kind in kinds)] for name, each in counts.items()]
    return Grid("PC: kinds of screens in conversations, %", ["people", *kinds], rows)


def stopped_grid(cases: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """Screens until the strategy stopped by itself, and the true loss then."""
    rows = []
    for case in cases:
        each = found[case.name]
        rows.append(
            [
                case.name,
                f"{each.asked.mean():.1f} ± {_error(each.asked):.1f}",
                f"{np.quantile(each.asked, 0.9):.0f}",
                f"{each.total_effort.mean():.0f}",
                f"{(each.asked < case.screens).mean():.0%}",
                _percent(each.loss[:, -1]),
                case.goal or "–",
            ]
        )
    headers = ["people", "screens", "9 of 10 people", "effort, s", "stopped", "true loss then, %", "goal"]
    return Grid(f"Left to stop by itself at an expected loss of {STOP:.0%} (sparse people)", headers, rows)


def differences_grid(cases: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """How many times the screens and the effort it takes where options may differ in few things only."""
    rows = []
    for case in cases:
        whole = found.get(case.name.replace("4 differences", "conversation"))
        if "differences" in case.options and whole is not None:
            each = found[case.name]
            screens, effort = (
                each.asked.mean() / whole.asked.mean(),
                each.total_effort.mean() / whole.total_effort.mean(),
            )
            rows.append([case.space.name, f"{screens:.2f}", f"{effort:.2f}", case.goal])
    headers = ["catalogue", "× the screens", "× the effort", "goal"]
    return Grid("At most 4 differing rows in a comparison, against any number", headers, rows)


def medians_grid(cases: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """The median loss on the way, where the best can be found exactly."""
    shown = [n for n in SHOWN if n <= max(case.screens for case in cases)]
    rows = []
    for case in cases:
        medians = np.median(found[case.name].loss, axis=0)
        zero = reached(medians, 1e-9)
        rows.append([case.name, *(f"{100 * medians[n - 1]:.1f}" for n in shown), str(zero or "–"), case.goal])
    headers = ["dense people", *map(str, shown), "0 from", "goal"]
    return Grid("Median relative loss in % after so many screens", headers, rows)


def times_grid(timed: Mapping[str, Outcomes]) -> Grid:
    """Processor time to ask and learn, and what a belief takes."""
    rows = []
    for name, each in timed.items():
        times = each.milliseconds[np.isfinite(each.milliseconds)]
        sizes = f"{each.kilobytes.mean():.0f}"
        rows.append([name, f"{np.median(times):.0f}", f"{np.quantile(times, 0.95):.0f}", f"{times.max():.0f}", sizes])
    headers = ["space", "median ms", "p95 ms", "most", "belief, kB"]
    return Grid("Conversation: milliseconds to ask and learn, and the size of a pickled belief", headers, rows)


# Claims

Claims = tuple[tuple[Floats, Floats], tuple[Floats, Floats]]
"""Claimed and true: to be within 5% of the best, and the loss; over all people and screens."""


def claims_of(outcomes: Sequence[Outcomes]) -> Claims:
    """What was claimed beside what came true."""

    def joined(tables: Sequence[Floats]) -> Floats:
        return np.concatenate([np.zeros(0), *(each.ravel() for each in tables)])

    loss = joined([each.loss for each in outcomes])
    within = joined([each.within for each in outcomes])
    return (within, (loss <= 0.05).astype(float)), (joined([each.expected for each in outcomes]), loss)


def sure_claims(within: tuple[Floats, Floats]) -> dict[str, float | int | None]:
    """Of claims that are nearly certain: how often they were made, what they said on average, how often they held."""
    claimed, true = within
    sure = claimed >= SURE
    if not sure.any():
        return {"times": 0, "claimed": None, "held": None}
    return {"times": int(sure.sum()), "claimed": float(claimed[sure].mean()), "held": float(true[sure].mean())}


def sure_grid(claims: Mapping[str, Claims]) -> Grid:
    """Whether claims of 90% hold 90%."""
    rows = []
    for name, (within, _) in claims.items():
        sure = sure_claims(within)
        cells = ["–" if sure[part] is None else f"{100 * float(sure[part] or 0):.1f}" for part in ("claimed", "held")]
        rows.append([name, *cells, f"{sure['times']:,}"])
    title = f"PC: claims of {SURE:.0%} or more to be within 5% of the best"
    return Grid(title, ["people", "claimed, %", "held, %", "times"], rows)


def calibration_grids(claims: Mapping[str, Claims]) -> list[Grid]:
    """Claimed and true by how much was claimed, for each way of talking."""
    made = []
    for name, (within, expected) in claims.items():
        for what, table in (("within 5% of the best", (*within, CLAIMS)), ("expected loss", (*expected, LOSSES))):
            rows = [
                [f"{100 * b['claimed']:.1f}", f"{100 * b['true']:.1f}", f"{b['times']:,}"] for b in calibration(table)
            ]
            made.append(Grid(f"Calibration, {name}: {what}", ["claimed, %", "true, %", "times"], rows))
    return made


def expected_grid(cases: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """Case by case, since errors of opposite sign hide each other in the pooled tables."""
    shown = [n for n in SHOWN if n <= max(case.screens for case in cases)]
    rows = []
    for case in cases:
        each = found[case.name]
        both = list(zip(100 * each.expected.mean(axis=0), 100 * each.loss.mean(axis=0), strict=True))
        rows.append([case.name, *("{:.1f} / {:.1f}".format(*both[n - 1]) if n <= case.screens else "" for n in shown)])
    return Grid("PC: expected / true loss in % after so many screens", ["people", *map(str, shown)], rows)


# For machines


def document_of(each: Outcomes, case: Case) -> dict[str, Any]:
    """Everything that the tables and the figure are made of."""
    times = each.milliseconds[np.isfinite(each.milliseconds)]
    errors = [_error(column) for column in each.loss.T]
    return {
        "goal": case.goal,
        "mean": each.loss.mean(axis=0).tolist(),
        "standard error": errors,
        "median": np.median(each.loss, axis=0).tolist(),
        "expected": each.expected.mean(axis=0).tolist(),
        "effort": [effort_until(each, screen) for screen in range(1, case.screens + 1)],
        "asked": each.asked.tolist(),
        "kinds": dict(Counter(kind for kinds in each.kinds for kind in kinds)),
        "milliseconds": {"median": float(np.median(times)), "p95": float(np.quantile(times, 0.95))},
        "kilobytes": float(each.kilobytes.mean()),
    }
