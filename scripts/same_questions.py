"""`python scripts/same_questions.py [--strategy NAME] [CATALOGUE ...]`: the same questions, however busy a machine is.

Simulated people are interviewed three times: undisturbed, on one core that others keep busy, and on two such cores.
Whatever a person sees goes into a digest, and the digests have to be equal; if not, this ends with 1. Needs Linux.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from setmargin import Interview, load
from setmargin.experiments.people import draw_people
from setmargin.strategies.registry import strategy_class

BUSY_LOOPS = 3
"""Processes that never rest, for each core."""


def digest(catalogue: str, strategy: str, *, people: int, questions: int) -> str:
    """Of all questions, how they came about, and the recommendation of each person."""
    seen = hashlib.sha256()
    for person in draw_people(load(catalogue), people, seed=5):
        interview = Interview(person.space, strategy_class(strategy)(), seed=person.strategy_seed)
        noise = person.noise()
        for _ in range(questions):
            question = interview.ask()
            if question is None:
                break
            seen.update(json.dumps([dict(option) for option in question.options], sort_keys=True).encode())
            seen.update(question.status.encode())
            interview.tell(person.answer(question, "choice", noise))
        seen.update(json.dumps(dict(interview.recommend().configuration), sort_keys=True).encode())
    return seen.hexdigest()[:16]


@contextmanager
def busy(cores: Sequence[int]) -> Iterator[None]:
    """Some processes that keep these cores busy."""
    loops = [
        subprocess.Popen([sys.executable, "-c", f"import os; os.sched_setaffinity(0, [{core}])\nwhile True: pass"])
        for core in cores
        for _ in range(BUSY_LOOPS)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def on_cores(cores: Sequence[int], arguments: Sequence[str]) -> str:
    """The digest that a fresh process on these cores comes to."""
    program = [sys.executable, __file__, "--digest", *arguments]
    done = subprocess.run(
        program, check=True, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores)
    )
    return done.stdout.strip()


def main() -> int:
    """Interview under three conditions and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("catalogues", nargs="*", metavar="CATALOGUE", help="synthetic:4 and pc if none is named")
    parser.add_argument("--strategy", default="setmargin", help="by name; setmargin if not given")
    parser.add_argument("--people", type=int, default=2, help="how many are interviewed on each catalogue")
    parser.add_argument("--questions", type=int, default=12, help="how many each is asked")
    parser.add_argument("--digest", action="store_true", help="only print the digest of one catalogue")
    options = parser.parse_args()
    if options.digest:
        print(digest(options.catalogues[0], options.strategy, people=options.people, questions=options.questions))
        return 0
    if not hasattr(os, "sched_setaffinity"):
        print("this system cannot bind a process to cores; run it on Linux", file=sys.stderr)
        return 2
    cores = sorted(os.sched_getaffinity(0))[:2]
    differing = False
    for catalogue in options.catalogues or ("synthetic:4", "pc"):
        settings = ["--strategy", options.strategy, "--people", str(options.people)]
        arguments = [catalogue, *settings, "--questions", str(options.questions)]
        found = {}
        for name, used, kept_busy in (
            ("undisturbed", cores, []),
            ("one busy core", cores[:1], cores[:1]),
            (f"{len(cores)} busy cores", cores, cores),
        ):
            began = perf_counter()
            with busy(kept_busy):
                found[name] = on_cores(used, arguments)
            print(
                f"{options.strategy} on {catalogue}, {name}: {found[name]} ({perf_counter() - began:.0f} s)", flush=True
            )
        differing |= len(set(found.values())) > 1
    print("different questions" if differing else "the same questions")
    return int(differing)


if __name__ == "__main__":
    sys.exit(main())
