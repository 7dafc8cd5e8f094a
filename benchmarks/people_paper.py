"""The paper's people and spaces: the same people and records as ever, by hash, and `bayes` no worse.

What is recorded here was measured before attributes could say what is better, on one x86 processor. On another one
`setmargin`, `regret`, `eus` and `qi` may ask other questions (docs/reproducibility.md), so that their hashes differ.
This module uses nothing that older versions lack: run it as a script with an older version on the path to record anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from joblib import cpu_count, delayed

from setmargin import load
from setmargin.arrays import Floats
from setmargin.experiments import draw_people, make_grid, run_trial
from setmargin.experiments.running import local_pool
from setmargin.strategies.registry import make_for_simulation

EVERYBODY = ("random", "perceptron", "coactive", "setmargin", "rivoi", "eus", "qi", "polyhedral", "regret")
GRIDS: dict[str, tuple[str, ...]] = {
    "synthetic:3": EVERYBODY,
    "synthetic:4": EVERYBODY,
    "pc": ("random", "perceptron", "coactive", "setmargin", "polyhedral"),
}
FAMILIES = ("uniform", "normal", "sparse-uniform", "sparse-normal")
QUESTIONS, PEOPLE = 32, 40
AFTER = (16, 32)
SEED = 0
BAYES: tuple[tuple[str, str], ...] = (
    ("pc", "sparse-uniform"),
    ("pc", "uniform"),
    ("synthetic:4", "uniform"),
    ("synthetic:5", "sparse-normal"),
)

RECORDED = Path(__file__).parent / "people_recorded.json"
"""Hashes of people and records, and the losses of `bayes` by person, each as these functions give them."""


def people_hashes() -> dict[str, str]:
    """Of 20 people of each family, in digits that are the same on any processor."""
    found = {}
    for catalogue in GRIDS:
        for family in FAMILIES:
            drawn: Any = draw_people(load(catalogue), 20, weights=family, quantities=True, seed=SEED)
            numbers = (number for each in drawn for number in (*each.weights, *each.noise().random(3)))
            found[f"{catalogue}, {family}"] = _hash(" ".join(f"{number:.6f}" for number in numbers))
    return found


def record_hashes(quick: bool, say: Callable[[str], None]) -> dict[str, str]:
    """Of the records of two people, seconds aside, for every strategy but `bayes`."""
    found = {}
    for catalogue, names in GRIDS.items():
        for name in names if not quick else names[:2]:
            say(f"people: records of {name} on {catalogue}")
            grid = make_grid(
                catalogue=[catalogue], strategy=[name], weights=FAMILIES[::2], people=2, questions=6, seed=SEED
            )
            rows = [record for trial in grid.trials() for record in trial.setting.run(trial.person)]
            found[f"{catalogue}, {name}"] = _hash(json.dumps([_without_seconds(dict(row)) for row in rows]))
    return found


def _without_seconds(record: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in record.items() if not name.endswith("_seconds")}
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in kept.items()}


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def bayes_losses(quick: bool, say: Callable[[str], None]) -> dict[str, Floats]:
    """People × questions: the relative loss of `bayes` with pairs."""
    people, questions = (2, 2) if quick else (PEOPLE, QUESTIONS)
    found = {}
    for catalogue, family in BAYES[-1:] if quick else BAYES:
        say(f"people: bayes on {catalogue}, {family}")
        drawn: Any = draw_people(load(catalogue), people, weights=family, seed=SEED)
        with local_pool(cpu_count(), in_order=True) as pool:
            found[f"{catalogue}, {family}"] = np.array(list(pool(delayed(_losses)(each, questions) for each in drawn)))
    return found


def _losses(person: Any, questions: int) -> list[float]:
    records = list(run_trial(make_for_simulation("bayes", set_size=2), person, questions=questions))
    losses = [record["relative_loss"] for record in records]
    return losses + losses[-1:] * (questions - len(losses))


def recorded() -> dict[str, Any]:
    """What was found before."""
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    losses = bayes_losses(False, print)
    document = {
        "people": people_hashes(),
        "records": record_hashes(False, print),
        "bayes": {name: [np.round(each[:, n - 1], 6).tolist() for n in AFTER] for name, each in losses.items()},
    }
    RECORDED.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
