"""What the package weighs, what it brings along, and how long it takes to start: each in processes of their own."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from zipfile import ZipFile

from benchmarks.timing import Grid, Report, Say

ROOT = Path(__file__).parents[1]
STARTS: dict[str, Sequence[str]] = {
    "python -c pass": ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import setmargin": ("-c", "import setmargin"),
    "from setmargin import Interview": ("-c", "from setmargin import Interview"),
    "the first question about bicycles": ("-c", "from setmargin import Interview; Interview('bicycle').ask()"),
    "setmargin --help": ("-m", "setmargin", "--help"),
    "setmargin catalogues": ("-m", "setmargin", "catalogues"),
    "setmargin check pc": ("-m", "setmargin", "check", "pc"),
}
ROUNDS, QUICK_ROUNDS = 7, 1
GOALS = {"from setmargin import Interview": (0.6, 2), "setmargin catalogues": (0.4, 1)}
"""Seconds, and by how much a busy core, which gives a program half of its time, makes them longer."""


def run(quick: bool, say: Say) -> Report:
    """The wheel, the dependencies by extra, and the starts, round by round so that all see the same machine."""
    grids: list[Grid] = []
    document: dict[str, object] = {}
    if not quick:
        sizes = wheel_sizes()
        say("package: the wheel is built")
        rows = [[name, f"{files:,}", f"{size / 1000:,.0f}"] for name, (files, size) in sizes.items()]
        grids.append(Grid("In the wheel", ["", "files", "kB"], rows))
        document["wheel"] = {name: {"files": files, "bytes": size} for name, (files, size) in sizes.items()}
    brought = {extra: packages_of(extra) for extra in ("", *extras())}
    rows = [_row(extra, names, brought[""]) for extra, names in brought.items()]
    grids.append(Grid("What it brings along", ["extra", "packages", "MB", "those beyond the core"], rows))
    document["packages"] = {extra or "core": sorted(names) for extra, names in brought.items()}
    say("package: what it brings along is counted")
    seconds = starts(QUICK_ROUNDS, warm=False) if quick else starts(ROUNDS)
    bare = median(work for _, work in seconds["python -c pass"])
    timed = []
    for name, found in seconds.items():
        wall, work = (median(column) for column in zip(*found, strict=True))
        timed.append([name, f"{work:.2f}", f"{work / bare:.1f}", f"{wall:.2f}"])
    headers = ["", "processor seconds", "times a bare Python", "seconds on the clock"]
    grids.append(Grid("To start", headers, timed))
    document["seconds"] = seconds
    return Report(grids, [_goal(name, goal, seconds[name]) for name, goal in GOALS.items()], document)


def _goal(name: str, goal: tuple[float, int], found: Sequence[tuple[float, float]]) -> str:
    most, times = goal
    needed = times * median(work for _, work in found)
    where = "a core that another program shares" if times > 1 else "a free core"
    return f"Goal: {name} in {most} s on {where}: {needed:.2f} s, {'met' if needed <= most else 'missed'}."


def _row(extra: str, names: set[str], core: set[str]) -> list[str]:
    counted = names if not extra else names - core
    listed = "" if not extra else ", ".join(sorted(counted))
    return [extra or "(core)", f"{len(counted)}", f"{sum(map(megabytes, counted)):,.0f}", listed]


# The wheel


def wheel_sizes() -> dict[str, tuple[int, int]]:
    """Files and compressed bytes of the built wheel, in all and by part."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", folder, str(ROOT)]
        subprocess.run(command, check=True, capture_output=True)
        (wheel,) = Path(folder).glob("*.whl")
        with ZipFile(wheel) as archive:
            parts: dict[str, list[int]] = {}
            for each in archive.infolist():
                parts.setdefault(_part(each.filename), []).append(each.compress_size)
        whole = wheel.stat().st_size
    found = {name: (len(sizes), sum(sizes)) for name, sizes in sorted(parts.items(), key=lambda part: -sum(part[1]))}
    return {"all": (sum(files for files, _ in found.values()), whole), **found}


def _part(name: str) -> str:
    if "dist-info" in name:
        return "metadata"
    folders = {"/server/page/": "the page", "/catalogues/": "catalogues"}
    return next((part for folder, part in folders.items() if folder in name), Path(name).suffix or "other")


# What it brings along


def extras() -> tuple[str, ...]:
    """The extras for users; those for developers are not counted."""
    named = distribution("setmargin").metadata.get_all("Provides-Extra") or []
    return tuple(name for name in named if name not in ("dev", "docs"))


def packages_of(extra: str) -> set[str]:
    """The packages that an installation needs, directly or not, as far as they are installed here."""
    found: set[str] = set()
    waiting = [("setmargin", extra)]
    while waiting:
        name, wanted = waiting.pop()
        for needed, needed_extra in _needs(name, wanted):
            if needed not in found and _installed(needed):
                found.add(needed)
                waiting.append((needed, needed_extra))
    return found


def _needs(name: str, extra: str) -> Iterator[tuple[str, str]]:
    from packaging.requirements import Requirement

    for text in requires(name) or ():
        each = Requirement(text)
        if each.marker is None or each.marker.evaluate({"extra": extra}):
            yield re.sub(r"[-_.]+", "-", each.name).lower(), next(iter(each.extras), "")


def _installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def megabytes(name: str) -> float:
    """What a package takes on the disk."""
    files = (file.locate() for file in distribution(name).files or ())
    return sum(os.path.getsize(file) for file in files if os.path.isfile(file)) / 1e6


# How long it takes to start


def starts(rounds: int, *, warm: bool = True) -> dict[str, list[tuple[float, float]]]:
    """Seconds on the clock and of the processor from nothing to the end of each program, everything in turn.

    Where it is `warm`, first once untimed, which compiles all. Processor seconds hardly depend on what else the machine
    does.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in STARTS}
    for number in range(0 if warm else 1, rounds + 1):
        for name, arguments in STARTS.items():
            began, worked = perf_counter(), _worked()
            subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True)
            if number:
                found[name].append((perf_counter() - began, _worked() - worked))
    return found


def _worked() -> float:
    """Processor seconds of all programs that were started here and have ended."""
    if sys.platform == "win32":
        return math.nan  # nobody counts it there
    import resource  # finer than `os.times`

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
