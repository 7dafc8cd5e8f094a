"""Setwise problems recorded from simulated interviews, as small JSON files.

`python -m benchmarks.instances` records them anew. An instance holds the space's name, k, (α, β, γ) and the pairs that
the answers ordered; so a method that is measured today meets the same problems as one measured next year.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from setmargin.answers import preferences
from setmargin.experiments.families import Weights
from setmargin.experiments.people import draw_people
from setmargin.experiments.responses import Response
from setmargin.solve.milp.feasible import feasible_block
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.strategies.setmargin.problem import Bounds, Hyperparameters, SetProblem
from setmargin.strategies.setmargin.strategy import SetMargin, SetMarginBelief
from setmargin.strategies.shared.pairs import Pairs

FOLDER = Path(__file__).parent / "recorded"
AFTER = (0, 1, 3, 5, 8, 12, 20, 30, 40)


OrderedPair = tuple[tuple[int, ...], tuple[int, ...], bool]
"""Better, worse, and whether strictly, in value indices."""


@lru_cache
def space_named(name: str) -> Space:
    """A catalogue, or one without its quantities (`pc without price`)."""
    catalogue, without, _ = name.partition(" without ")
    space = load(catalogue)
    return Space(space.attributes, rules=space.rules, name=space.name) if without else space


@dataclass(frozen=True)
class Instance:
    """One setwise problem."""

    name: str
    space: str
    set_size: int
    setting: Hyperparameters
    pairs: tuple[OrderedPair, ...]

    def problem(self, *, one_bound: bool = False) -> SetProblem:
        """As printed in the paper (`one_bound`), or with a bound per feature."""
        space = space_named(self.space)
        block = feasible_block(oracle_for(space).lowered)
        bounds = Bounds.usual(space)
        return SetProblem(space, block, self._pairs(), self.set_size, self.setting, bounds, one_bound=one_bound)

    def _pairs(self) -> Pairs:
        space = space_named(self.space)
        empty = np.zeros((0, int(space.offsets[-1])))
        kinds = {True: [empty], False: [empty]}
        for better, worse, strict in self.pairs:
            first, second = space.onehot(np.array([better, worse]))
            kinds[strict].append((first - second)[None])
        return Pairs(np.concatenate(kinds[True]), np.concatenate(kinds[False]))


def instances() -> list[Instance]:
    """All recorded ones, in order."""
    return [_read(path) for path in sorted(FOLDER.glob("*.json"))]


def _read(path: Path) -> Instance:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    pairs = tuple((tuple(better), tuple(worse), bool(strict)) for better, worse, strict in data["pairs"])
    return Instance(path.stem, data["space"], data["set_size"], Hyperparameters(*data["setting"]), pairs)


def write(instance: Instance) -> None:
    """One file."""
    data = {"space": instance.space, "set_size": instance.set_size, "setting": list(astuple(instance.setting))}
    text = json.dumps({**data, "pairs": instance.pairs}, separators=(",", ":"))
    (FOLDER / f"{instance.name}.json").write_text(text + "\n", encoding="utf-8")


INTERVIEWS: tuple[tuple[str, int, Weights, float], ...] = (
    ("synthetic:4", 2, "uniform", 0.0),
    ("synthetic:4", 2, "sparse-normal", 0.15),
    ("synthetic:4", 3, "uniform", 0.0),
    ("synthetic:5", 2, "uniform", 0.1),
    ("synthetic:5", 2, "sparse-normal", 0.0),
    ("synthetic:5", 3, "uniform", 0.0),
    ("pc", 2, "sparse-uniform", 0.0),
    ("pc", 2, "sparse-uniform", 0.15),
    ("pc", 3, "sparse-uniform", 0.0),
)


def recorded() -> Iterator[Instance]:
    """Interviews of one person each; at each stop the strategy's own setting, or one drawn from the usual values."""
    for number, (catalogue, k, weights, wrong) in enumerate(INTERVIEWS):
        rng = np.random.default_rng([11, number])
        space, strategy = load(catalogue), SetMargin(set_size=k)
        (person,) = draw_people(space, 1, weights=weights, response=Response(wrong=wrong), seed=number)
        belief, noise = strategy.start(space, seed=number), person.noise()
        for answered in range(AFTER[-1] + 1):
            if answered in AFTER:
                name = f"{number + 1:02d}-{catalogue.replace(':', '')}-k{k}-{answered:02d}"
                yield Instance(name, catalogue, k, _setting(belief, rng), _pairs_of(belief))
            question = strategy.ask(belief)
            if question is None:
                break
            belief = strategy.update(belief, question, person.answer(question, "pairs", noise))


def _setting(belief: SetMarginBelief, rng: np.random.Generator) -> Hyperparameters:
    drawn = [float(rng.choice(values)) for values in ((20, 10, 5, 1), (1, 0.1, 0.01, 0.001), (1, 0.1, 0.01, 0.001))]
    return belief.setting if rng.random() < 0.6 else Hyperparameters(*drawn)


def _pairs_of(belief: SetMarginBelief) -> tuple[OrderedPair, ...]:
    found = []
    for question, answer in belief.history:
        rows = [tuple(belief.space.indices(option).tolist()) for option in question.options]
        found += [(rows[better], rows[worse], strict) for better, worse, strict in preferences(question, answer)]
    return tuple(found)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for instance in recorded():
        write(instance)
        print(instance.name, astuple(instance.setting), len(instance.pairs), flush=True)
