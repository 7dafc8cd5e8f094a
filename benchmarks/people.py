"""People as they are: with directions, of segments, after others, and whether what is claimed about them is true.

Each section can be run alone (`--only ordered,segments`). The seed of the people was not used while anything was tuned.
What real people chose is measured by `setmargin choices FILE.csv`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import people_calibration, people_ordered, people_paper, people_sales, people_segments
from benchmarks.people_cases import PEOPLE, PEOPLE_QUICK, SEED
from benchmarks.timing import Grid, Report, Say
from setmargin.errors import OptionError
from setmargin.space.text import suggest

Section = Callable[[bool, Say], Report]
SECTIONS = ("ordered", "segments", "calibration", "sales", "choices", "paper")


def run(
    quick: bool,
    say: Say,
    *,
    only: Sequence[str] = (),
    sales: tuple[Path, Path] | None = None,
    count: int | None = None,
    seed: int = SEED,
) -> Report:
    """The sections that were named, or all, with so many people each; that on sales needs a catalogue and its sales."""
    everybody = count or (PEOPLE_QUICK if quick else PEOPLE)
    sections: dict[str, Section] = {
        "ordered": partial(people_ordered.run, people=everybody, seed=seed),
        "segments": partial(people_segments.run, people=everybody, seed=seed),
        "calibration": partial(people_calibration.run, people=everybody, seed=seed),
        "sales": partial(people_sales.run, files=sales, people=everybody, seed=seed),
        "choices": choices,
        "paper": paper,
    }
    for name in only:
        if name not in sections:
            raise OptionError(f"there is no section {name!r}; {suggest(name, list(sections), what='there is')}")
    reports: dict[str, Report] = {}
    for name in only or sections:
        say(f"people: {name}")
        reports[name] = sections[name](quick, say)
    notes = [
        f"{everybody} people each, seed {seed}; ± is a standard error, of screens by drawing the people again. Losses "
        f"are relative to the best utility. A screen is one question with all that is asked along with it.",
        *(note for report in reports.values() for note in report.notes),
    ]
    grids = [grid for report in reports.values() for grid in report.grids]
    return Report(
        grids, notes, {"people": everybody, "seed": seed, **{name: report.document for name, report in reports.items()}}
    )


def choices(quick: bool, say: Say) -> Report:  # noqa: ARG001
    """What is measured elsewhere."""
    return Report([], ["Real choices: `setmargin choices FILE.csv` scores every strategy that predicts."], {})


def paper(quick: bool, say: Say) -> Report:
    """Hashes of people and records beside those that are recorded, and the losses of `bayes`."""
    people, records = people_paper.people_hashes(), people_paper.record_hashes(quick, say)
    recorded = people_paper.recorded()
    known = {**recorded["people"], **recorded["records"]}
    found = {**people, **records}
    same = Grid(
        "The paper's people and the records of strategies but bayes, by hash",
        ["what", "hash", "as recorded"],
        [[name, each, "yes" if each == known[name] else "NO"] for name, each in found.items()],
    )
    losses = people_paper.bayes_losses(quick, say)
    before = {name: np.array(each) for name, each in recorded["bayes"].items()}
    rows = []
    for name, each in losses.items():
        for place, after in enumerate(people_paper.AFTER):
            if after > each.shape[1]:
                continue
            now, then = each[:, after - 1], before[name][place]
            change = now - then
            error = 100 * change.std(ddof=1) / np.sqrt(len(change))
            means = [f"{100 * then.mean():.1f}", f"{100 * now.mean():.1f}", f"{100 * change.mean():+.1f} ± {error:.1f}"]
            rows.append([f"{name}, after {after}", *means])
    better = Grid("Bayes on the paper's people: mean relative loss in %", ["people", "before", "now", "change"], rows)
    document = {"hashes": found, "same": sum(each == known[name] for name, each in found.items())}
    return Report([same, better], [], {**document, "bayes": {name: each.tolist() for name, each in losses.items()}})
