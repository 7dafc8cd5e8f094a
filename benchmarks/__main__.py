"""`python -m benchmarks [NAME ...] [--quick] [--json FILE] [--figures DIR]`: measure on one thread, print tables.

`python -m benchmarks setwise --seed N [--count M]` draws M instances of each family from any seed;
`python -m benchmarks people [--only SECTION,...] [--sales SPACE.yaml SALES.csv]` runs some of its sections.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

from rich.console import Console

from setmargin.threads import ONE_THREAD

if __name__ == "__main__":  # linear algebra libraries read this when NumPy is imported, so it has to come first
    os.environ |= ONE_THREAD

from benchmarks import (
    answers,
    answers_figure,
    bayes,
    bayes_figure,
    files,
    grid,
    lists,
    methods,
    modes,
    oracle,
    package,
    people,
    questions,
    recorded,
    setwise,
    tuning,
)
from benchmarks.timing import Disagreement, Report, Say, load, show, surroundings
from setmargin.errors import SetmarginError

BENCHMARKS: dict[str, tuple[str, Callable[[bool, Say], Report]]] = {
    "oracle": ("from weights to the best configuration: the diagram against HiGHS", oracle.run),
    "files": ("large catalogues from files: reading, writing, compiling, memory", files.run),
    "setwise": ("the setwise problem on fresh instances: exact mode beside Gurobi, by family; searches", setwise.run),
    "recorded": ("the setwise problem on recorded instances, in six ways", recorded.run),
    "tuning": ("cross-validation as shipped, against 320 cold solves", tuning.run),
    "questions": ("seconds a question: both modes on PC, and spaces that grow", questions.run),
    "bayes": ("the default strategy on simulated people: questions, claims, time", bayes.run),
    "answers": ("answers that say more: screens and effort of pairs, reasons and conversations", answers.run),
    "people": ("people with directions, segments and a past: screens, claims, and the paper's as ever", people.run),
    "methods": ("seconds a question of every strategy, side by side", methods.run),
    "lists": ("product lists of up to 100,000 items: compile, memory, milliseconds and questions", lists.run),
    "grid": ("many short trials on two cores: time lost, and memory", grid.run),
    "modes": ("how good the questions are: loss curves of fast and exact mode", modes.run),
    "package": ("the wheel, what it brings along, and how long it takes to start", package.run),
}
FIGURES: dict[str, Callable[[Mapping[str, object], Path], Path]] = {
    "modes": modes.draw,
    "bayes": bayes_figure.draw,
    "answers": answers_figure.draw,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was named, or everything; 1 where methods disagreed."""
    options = _parser().parse_args(arguments)
    console = Console(markup=False, emoji=False, highlight=False)
    if not options.names:
        console.print(_listed())
    document: dict[str, object] = surroundings()
    for name in options.names or BENCHMARKS:
        try:
            report = _run(name, _how(name, options), quick=options.quick)
        except (Disagreement, SetmarginError) as error:
            _say(f"{name}: {error}")
            return 1
        show(report, console)
        document[name] = report.document
        if options.figures and name in FIGURES:
            _say(f"{name}: drawn in {FIGURES[name](report.document, options.figures)}")
    if options.json:
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


def _how(name: str, options: argparse.Namespace) -> Callable[[bool, Say], Report]:
    """The benchmark with the options that are its own."""
    if name == "setwise":
        return partial(setwise.run, seed=options.seed, count=options.count, solver_alone=options.solver_alone)
    if name != "people":
        return BENCHMARKS[name][1]
    only = tuple(options.only.split(",")) if options.only else ()
    return partial(
        people.run,
        only=only,
        sales=tuple(options.sales) if options.sales else None,
        count=options.count,
        seed=options.seed,
    )


def _run(name: str, benchmark: Callable[[bool, Say], Report], *, quick: bool) -> Report:
    """With a note of what else kept the machine busy, since that is in the figures too."""
    before, began = load(), perf_counter()
    report = benchmark(quick, _say)
    took = f"{name}: {perf_counter() - began:.0f} s on one thread, load {before} before and {load()} after."
    return replace(report, notes=[*report.notes, took])


def _listed() -> str:
    return "\n".join(["There is:", *(f"  {name}: {what}" for name, (what, _) in BENCHMARKS.items()), ""])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", type=_known, help=f"of {', '.join(BENCHMARKS)}; all if none"
    )
    parser.add_argument("--quick", action="store_true", help="fewer and smaller spaces, in seconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure as JSON")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="also draw, where there is something to see")
    parser.add_argument(
        "--seed", type=int, default=0, help="of setwise and people: what is drawn; 0 to 9 are never used for tuning"
    )
    parser.add_argument(
        "--count", type=int, metavar="N", help="of setwise and people: how many of each kind; 8 and 40 if not given"
    )
    parser.add_argument("--solver-alone", action="store_true", help="of setwise: also measure without machine code")
    parser.add_argument("--only", metavar="SECTIONS", help=f"of people: {','.join(people.SECTIONS)}; all if not given")
    parser.add_argument(
        "--sales",
        nargs=2,
        type=Path,
        metavar=("SPACE", "SALES"),
        help="of people: a catalogue and a CSV file",
    )
    return parser


def _known(name: str) -> str:
    """Not left to `choices`, which in Python 3.11 refuses an empty list."""
    if name not in BENCHMARKS:
        raise argparse.ArgumentTypeError(f"there is no {name!r}; there is {', '.join(BENCHMARKS)}")
    return name


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
