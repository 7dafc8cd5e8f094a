"""Random small spaces whose rules are written as people write them, and brute force over them."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import assume

from setmargin.arrays import Floats, Ints
from setmargin.solve.lowering import Lowered
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.formula import holds, scope
from setmargin.space.rules import Table
from setmargin.space.space import Space

SIGNS = ("<=", ">=", "<", ">", "=", "!=")


def ruled_space(
    seed: int, *, fewest: int = 2, attributes: int = 5, values: int = 4, rules: int = 3, depth: int = 3
) -> Space:
    """Up to so many attributes of up to so many numbers, two quantities, and rules of every kind; maybe empty."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, values + 1, size=rng.integers(fewest, attributes + 1))
    chosen = [Attribute(f"x{n}", range(int(size))) for n, size in enumerate(sizes)]
    space = Space(chosen, quantities=[_quantity(rng, "cost", chosen), _quantity(rng, "joy", chosen)])
    return space.with_rules(*(random_rule(rng, space, depth=depth) for _ in range(rng.integers(rules + 1))))


def _quantity(rng: np.random.Generator, name: str, over: list[Attribute]) -> Quantity:
    some = [a for a in over if rng.random() < 0.7] or over[:1]
    terms = {a.name: {v: float(rng.integers(-3, 20)) / 2 for v in a.values} for a in some}
    return Quantity(name, terms, better="lower" if rng.random() < 0.5 else "higher", base=float(rng.integers(3)))


def random_rule(rng: np.random.Generator, space: Space, *, depth: int = 3) -> str | Table:
    """A table, a conjunction, a conditional budget, or any nested formula."""
    kind = rng.integers(6)
    if kind == 0:
        return _table(rng, space)
    if kind == 1:
        return f"{_formula(rng, space, 1)} and {_formula(rng, space, depth - 1)} and {_formula(rng, space, 0)}"
    if kind == 2:
        return f"{_formula(rng, space, 1)} => cost <= {rng.integers(0, 30)}"
    return _formula(rng, space, depth)


def _table(rng: np.random.Generator, space: Space) -> Table:
    places = rng.permutation(len(space.attributes))[: int(rng.integers(1, 4))]
    every = list(product(*(space.attributes[place].values for place in places)))
    rows = [row for row in every if rng.random() < 0.6]
    return Table(tuple(space.attributes[place].name for place in places), tuple(rows), allow=bool(rng.random() < 0.6))


def _formula(rng: np.random.Generator, space: Space, depth: int) -> str:
    if depth <= 0 or rng.random() < 0.15:
        return _leaf(rng, space)
    parts = [_formula(rng, space, depth - 1) for _ in range(rng.integers(2, 4))]
    word = ("and", "or", "=>", "<=>", "not")[rng.integers(5)]
    if word == "not":
        return f"not ({parts[0]})"
    return "(" + f" {word} ".join(f"({part})" for part in (parts if word in ("and", "or") else parts[:2])) + ")"


def _leaf(rng: np.random.Generator, space: Space) -> str:
    attribute = space.attributes[rng.integers(len(space.attributes))]
    some = rng.choice(attribute.values, size=2)
    sign = SIGNS[rng.integers(len(SIGNS))]
    match rng.integers(5):
        case 0:
            return f"{attribute.name} in {{{some[0]}, {some[1]}}}"
        case 1:
            return f"cost - 2*joy {sign} {rng.integers(-20, 20)}"
        case 2:
            return f"cost {sign} {rng.integers(-5, 40)}"
        case 3:
            other = space.attributes[rng.integers(len(space.attributes))]
            return f"2*{attribute.name} - 3*{other.name} + x0 {sign} {rng.integers(-4, 5)}"
    return f"{attribute.name} {'=' if rng.random() < 0.6 else '!='} {some[0]}"


def everything(space: Space) -> Ints:
    """All combinations of values, feasible or not."""
    return np.array(list(np.ndindex(space.domains)), dtype=np.int64)


def feasible(space: Space) -> Ints:
    """All configurations, by trying all; skips a property's example when there is none."""
    tried = everything(space)
    found: Ints = tried[space.feasible(tried)]
    assume(len(found) > 0)
    return found


def listed(space: Space) -> Ints:
    """All configurations of a larger space, attribute by attribute; what breaks a rule is not continued."""
    rows = np.zeros((1, 0), dtype=np.int64)
    for place, size in enumerate(space.domains):
        rows = np.column_stack([np.repeat(rows, size, axis=0), np.tile(np.arange(size), len(rows))])
        for rule in space.rules:
            if max(scope(rule.formula), default=0) == place:
                rows = rows[holds(rule.formula, rows)]
    return rows


def completions(lowered: Lowered, visible: Ints) -> Ints:
    """In how many ways the hidden attributes can follow each visible row, everything satisfied.

    Hidden attributes are tried one after the other, and what restricts only attributes seen so far is applied at once.
    """
    width = visible.shape[1]
    rows, origin = visible, np.arange(len(visible))
    for seen in range(width, len(lowered.domains) + 1):
        if seen > width:
            rows = np.concatenate([np.insert(rows, seen - 1, value, axis=1) for value in (0, 1)])
            origin = np.concatenate([origin, origin])
        good = _so_far(lowered, seen, first=seen == width).holds(rows)
        rows, origin = rows[good], origin[good]
    return np.bincount(origin, minlength=len(visible))


def _so_far(lowered: Lowered, seen: int, *, first: bool) -> Lowered:
    """What restricts the first `seen` attributes, and among them the last, unless it is the first step."""

    def due(scope: tuple[int, ...]) -> bool:
        last = max(scope, default=0)
        return last < seen if first else last == seen - 1

    return Lowered(
        lowered.domains[:seen],
        tuple(relation for relation in lowered.relations if due(relation.scope)),
        tuple(row for row in lowered.rows if due(tuple(row.coefficients))),
        tuple(union for union in lowered.boxes if due(union.attributes)),
    )


def worth(space: Space, rows: Ints, weights: Floats) -> Floats:
    """The utility of each row under one vector of feature weights."""
    found: Floats = space.value_weights(weights)[rows + space.offsets[:-1]].sum(axis=1)
    return found
