"""What the sections of the benchmark `people` share: interviews in parallel, and questions needed with their errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from joblib import cpu_count, delayed

from benchmarks.bayes import reached
from benchmarks.timing import Grid, Say
from setmargin.arrays import Floats
from setmargin.experiments.people import Person
from setmargin.experiments.running import local_pool
from setmargin.strategies.base import Strategy

SEED = 0
"""Of the people that are reported; while anything was tuned, the seeds were 1000 and 2000."""
PEOPLE, PEOPLE_QUICK = 40, 2
LEVEL = 0.03
CLAIMED_AFTER = (4, 8, 12, 16)
DRAWS = 400
PAIRS: Mapping[str, Any] = {"policy": "comparisons", "set_size": 2, "until": 0.0}
CONVERSATION: Mapping[str, Any] = {"policy": "conversation", "set_size": 4, "until": 0.0}


@dataclass(frozen=True, eq=False)
class Case:
    """Some people, and the strategy that asks them."""

    name: str
    people: Sequence[Person]
    strategy: Strategy[Any]
    screens: int


@dataclass(frozen=True, eq=False)
class Outcomes:
    """People × screens: the true relative loss, what was claimed about it, and milliseconds to ask and learn.

    Where a strategy stopped, what was reached is carried on, and there is no time (NaN).
    """

    loss: Floats
    expected: Floats
    milliseconds: Floats

    def needed(self, level: float = LEVEL) -> int:
        """Screens until the mean loss stays at or below the level; one more than there were if it does not."""
        return _needed(self.loss, level)

    def document(self) -> dict[str, object]:
        """The curves as plain data."""
        return {
            "people": len(self.loss),
            "mean": self.loss.mean(axis=0).tolist(),
            "standard error": _error(self.loss).tolist(),
            "median": np.median(self.loss, axis=0).tolist(),
            "claimed": self.expected.mean(axis=0).tolist(),
            "screens to 3%": self.needed(),
            "milliseconds": float(np.nanmedian(self.milliseconds)),
        }


def interviews(cases: Sequence[Case], say: Say) -> dict[str, Outcomes]:
    """All people of all cases, on all cores; the outcomes by the names of the cases."""
    found: dict[str, Outcomes] = {}
    with local_pool(cpu_count(), in_order=True) as pool:
        calls = (delayed(_interview)(case.strategy, each, case.screens) for case in cases for each in case.people)
        results: Iterator[list[tuple[float, ...]]] = iter(pool(calls))
        for case in cases:
            found[case.name] = Outcomes(*np.moveaxis(np.array([next(results) for _ in case.people]), 2, 0))
            losses = " ".join(f"{100 * loss:.0f}" for loss in found[case.name].loss.mean(axis=0)[3::4])
            needed = shown_count(found[case.name].needed(), case.screens)
            say(f"people: {case.name}: 3% after {needed}; every fourth mean loss in %: {losses}")
    return found


def _interview(strategy: Strategy[Any], person: Person, screens: int) -> list[tuple[float, ...]]:
    belief, noise, talk = strategy.start(person.space, seed=person.strategy_seed), person.noise(), person.talk()
    rows: list[tuple[float, ...]] = []
    for _ in range(screens):
        began = process_time()
        question = strategy.ask(belief)
        took = process_time() - began if question else np.nan
        if question is not None:
            answer = person.answer(question, "choice", noise, talk)
            began = process_time()
            belief = strategy.update(belief, question, answer)
            took += process_time() - began
        stakes, best = strategy.stakes(belief), strategy.recommend(belief).configuration
        rows.append((person.relative_loss(best), stakes.expected_loss if stakes else np.nan, 1000 * took))
        if question is None:
            break
    return rows + rows[-1:] * (screens - len(rows))


# Figures


def _needed(loss: Floats, level: float) -> int:
    return reached(loss.mean(axis=0), level) or loss.shape[1] + 1


def _error(loss: Floats) -> Floats:
    if len(loss) < 2:
        return np.zeros(loss.shape[1])
    error: Floats = loss.std(axis=0, ddof=1) / np.sqrt(len(loss))
    return error


def shown_count(needed: int, screens: int) -> str:
    return f"> {screens}" if needed > screens else str(needed)


def ratio(one: Outcomes, other: Outcomes, level: float = LEVEL) -> tuple[float, float]:
    """How many times the screens of the other the one needs, for the same people, and its standard error.

    The error is found by drawing the people again; where a level is not reached, its screens count as one more than
    there were, so the ratio is then a bound.
    """
    rng = np.random.default_rng(SEED)
    rows = rng.integers(len(one.loss), size=(DRAWS, len(one.loss)))
    again = [_needed(one.loss[row], level) / _needed(other.loss[row], level) for row in rows]
    return one.needed(level) / other.needed(level), float(np.std(again))


def needed_cell(found: Outcomes, level: float = LEVEL) -> str:
    """Screens to the level, with the standard error over people drawn again."""
    rng = np.random.default_rng(SEED)
    rows = rng.integers(len(found.loss), size=(DRAWS, len(found.loss)))
    error = float(np.std([_needed(found.loss[row], level) for row in rows]))
    return f"{shown_count(found.needed(level), found.loss.shape[1])} ± {error:.1f}"


def losses_grid(title: str, found: Mapping[str, Outcomes], shown: Sequence[int]) -> Grid:
    """The mean loss on the way, in %."""
    rows = []
    for name, each in found.items():
        means, errors = 100 * each.loss.mean(axis=0), 100 * _error(each.loss)
        cells = [f"{means[n - 1]:.1f} ± {errors[n - 1]:.1f}" if n <= len(means) else "" for n in shown]
        rows.append([name, *cells, needed_cell(each), f"{np.nanmedian(each.milliseconds):.0f}"])
    return Grid(title, ["people", *map(str, shown), "to 3%", "ms"], rows)


def claims_grid(title: str, found: Mapping[str, Outcomes], shown: Sequence[int] = CLAIMED_AFTER) -> Grid:
    """Claimed and true loss in %, with the standard error of their difference."""
    rows = []
    for name, each in found.items():
        cells = []
        for n in shown:
            if n > each.loss.shape[1]:
                cells.append("")
                continue
            claimed, true = 100 * each.expected[:, n - 1], 100 * each.loss[:, n - 1]
            error = _error((claimed - true)[:, None])[0]
            cells.append(f"{claimed.mean():.1f} / {true.mean():.1f} ± {error:.1f}")
        rows.append([name, *cells])
    return Grid(title, ["people", *map(str, shown)], rows)
