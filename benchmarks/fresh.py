"""Setwise problems drawn from a seed: families of spaces and set sizes, numbers of answers, noise, and settings.

Nothing here asks the strategy that is measured, so the same seed gives the same problems to every version of it.
Questions are of three kinds: any two configurations; two that are best for somebody; and two that are good for whoever
answered as this person did, which is what an interview comes to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from benchmarks.instances import Instance, OrderedPair, space_named
from setmargin.arrays import Floats, Ints
from setmargin.experiments.families import PaperWeights, draw_weights, usual_sparsity
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.setmargin.problem import Hyperparameters

Kind = Literal["any", "best", "interview"]
ANSWERS = (1, 3, 5, 8, 12, 20, 30)
WRONG = (0.0, 0.1, 0.2)
"""How often an answer is the opposite of what the person thinks."""
ALPHAS, BETAS, GAMMAS = (20.0, 10.0, 5.0, 1.0), (1.0, 0.1, 0.01, 0.001), (1.0, 0.1, 0.01, 0.001)
CLOSE = 0.02
"""Two whose utilities differ by less than this share of the best one's are mostly called alike."""
TRIES = 20


@dataclass(frozen=True)
class Family:
    """Problems of one space and one set size; `answers` and `setting` are drawn where they are not given."""

    name: str
    space: str
    set_size: int
    answers: int | None = None
    setting: tuple[float, float, float] | None = None


FAMILIES = (
    *(Family(f"r = {r}, k = {k}", f"synthetic:{r}", k) for r in (3, 4, 5) for k in (2, 3)),
    *(Family(f"PC without price, k = {k}", "pc without price", k) for k in (2, 3)),
    *(Family(f"PC with price, k = {k}", "pc", k) for k in (2, 3)),
)
# Settings and numbers of answers on which an earlier version took 10 to 25 times as long as Gurobi, or failed.
HARD = (
    Family("hard: PC, k = 2, after 30", "pc without price", 2, 30, (20.0, 0.1, 0.1)),
    Family("hard: r = 5, k = 2, after 8", "synthetic:5", 2, 8, (1.0, 0.1, 0.01)),
    Family("hard: r = 4, k = 3, after 12", "synthetic:4", 3, 12, (20.0, 0.001, 1.0)),
    Family("hard: r = 5, k = 3, after 8", "synthetic:5", 3, 8, (1.0, 0.1, 0.1)),
)


def drawn(seed: int, *, count: int) -> Iterator[tuple[Family, Instance]]:
    """So many problems of every family, and a third as many of the hard ones, in turn."""
    for number in range(count):
        for place, family in enumerate((*FAMILIES, *HARD)):
            if family in FAMILIES or number % 3 == 0:
                yield family, draw(family, np.random.default_rng([seed, place, number]), name=f"{seed}-{number}")


def draw(family: Family, rng: np.random.Generator, *, name: str = "") -> Instance:
    """One problem: a person, questions and answers, and a setting of the usual grid."""
    space = space_named(family.space)
    weights = draw_weights(
        space,
        rng.choice(np.array(get_args(PaperWeights))),
        sparsity=usual_sparsity(space),
        quantities=True,
        rng=rng,
    )
    answers = family.answers or int(rng.choice(ANSWERS))
    kind: Kind = rng.choice(np.array(get_args(Kind)))
    pairs = _answered(space, space.value_weights(weights), answers, kind, float(rng.choice(WRONG)), rng)
    setting = family.setting or tuple(float(rng.choice(values)) for values in (ALPHAS, BETAS, GAMMAS))
    return Instance(f"{family.name}, {name}", family.space, family.set_size, Hyperparameters(*setting), pairs)


def _answered(
    space: Space, weights: Floats, answers: int, kind: Kind, wrong: float, rng: np.random.Generator
) -> tuple[OrderedPair, ...]:
    """What somebody with these weights of values says about so many pairs."""
    best = float((space.onehot(oracle_for(space).best_for_values(weights[None])) @ weights)[0])
    guess, found = np.ones(len(weights)), []
    for _ in range(answers):
        rows = _question(space, kind, guess, rng)
        first, second = space.onehot(rows)
        ahead = float((first - second) @ weights)
        strict = bool(rng.random() >= np.exp(-abs(ahead) / (CLOSE * best)))
        if (ahead < 0) != (strict and rng.random() < wrong):
            rows, first, second = rows[::-1], second, first
        if strict:
            guess = np.maximum(guess + 0.5 * (first - second), 0.0)
        better, worse = (tuple(row.tolist()) for row in rows)
        found.append((better, worse, strict))
    return tuple(found)


def _question(space: Space, kind: Kind, guess: Floats, rng: np.random.Generator) -> Ints:
    """Two different configurations."""
    oracle = oracle_for(space)
    for _ in range(TRIES):
        if kind == "any":
            rows = oracle.sample(rng, 2)
        else:
            spread = rng.random((2, len(guess)))
            rows = oracle.best_for_values(spread if kind == "best" else guess * (0.25 + spread))
        if (rows[0] != rows[1]).any():
            return rows
    return oracle.sample(rng, 2)
