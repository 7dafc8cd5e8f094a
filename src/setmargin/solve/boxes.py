"""Unions of boxes, which are tables with sets and wildcards that are never unfolded: from formulas, and as automata.

A box has a set of values for each attribute. Reading a configuration attribute by attribute, what has to be remembered
of a union of boxes is which of them are still open: those whose sets have held every value so far. Boxes that go on
alike count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from setmargin.arrays import Bools, Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.relations import Automaton, merged_rows
from setmargin.space.formula import And, Box, Formula, Iff, InBoxes, Is, Not, Or, fold

MOST_BOXES = 5_000
"""Boxes that a formula may become."""
MOST_NAMED = 200_000
"""Attributes that all of them together may name."""

Sets = Mapping[int, frozenset[int]]
"""A box by its attributes; any value will do for those that are not named."""
Union = tuple[Sets, ...]


# From formulas


def boxes_of(formula: Formula, domains: Sequence[int]) -> InBoxes | None:
    """The formula as a union of boxes or what lies outside of one, whichever is shorter; None where both are long."""

    def visit(node: Formula, inner: Sequence[tuple[Union | None, Union | None]]) -> tuple[Union | None, Union | None]:
        match node:
            case Is(attribute, values):
                rest = frozenset(range(domains[attribute])) - values
                return _single(attribute, values, rest), _single(attribute, rest, values)
            case Not():
                return inner[0][1], inner[0][0]
            case And():
                return _common([where for where, _ in inner]), _together([nowhere for _, nowhere in inner])
            case Or():
                return _together([where for where, _ in inner]), _common([nowhere for _, nowhere in inner])
            case Iff():
                (left, not_left), (right, not_right) = inner
                same = _together([_common([left, right]), _common([not_left, not_right])])
                return same, _together([_common([left, not_right]), _common([not_left, right])])
        return None, None

    where, nowhere = fold(formula, visit)
    if where is None and nowhere is None:
        return None
    allow = nowhere is None or (where is not None and len(where) <= len(nowhere))
    union = where if allow else nowhere
    assert union is not None
    attributes = tuple(sorted({attribute for box in union for attribute in box}))
    return InBoxes(attributes, tuple(tuple(box.get(a) for a in attributes) for box in union), allow)


def _single(attribute: int, values: frozenset[int], rest: frozenset[int]) -> Union:
    return () if not values else ({attribute: values},) if rest else ({},)


def _together(parts: Sequence[Union | None]) -> Union | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or sum(map(len, known)) > MOST_BOXES:
        return None
    return _limited([box for part in known for box in part])


def _common(parts: Sequence[Union | None]) -> Union | None:
    """What lies in a box of every part."""
    result: Union = ({},)
    for part in sorted((part for part in parts if part is not None), key=len):
        if len(result) * len(part) > MOST_BOXES:
            return () if any(part == () for part in parts) else None
        crossed = (_intersection(one, other) for one, other in product(result, part))
        limited = _limited([box for box in crossed if box is not None])
        if limited is None:
            return None
        result = limited
    return None if result and any(part is None for part in parts) else result


def _limited(boxes: Sequence[Sets]) -> Union | None:
    distinct = {frozenset(box.items()): box for box in boxes}
    return tuple(distinct.values()) if sum(map(len, boxes)) <= MOST_NAMED else None


def _intersection(one: Sets, other: Sets) -> Sets | None:
    if len(one) < len(other):
        one, other = other, one
    both = dict(one)
    for attribute, values in other.items():
        both[attribute] = both[attribute] & values if attribute in both else values
        if not both[attribute]:
            return None
    return both


# Without values that are gone


def without(relation: InBoxes, alive: Sequence[Bools]) -> InBoxes:
    """Only the values that are alive, and no box that is empty then."""
    masks = [frozenset(np.flatnonzero(alive[a]).tolist()) for a in relation.attributes]
    boxes = (
        tuple(None if cell is None or cell >= mask else cell & mask for cell, mask in zip(box, masks, strict=True))
        for box in relation.boxes
    )
    return InBoxes(relation.attributes, tuple(dict.fromkeys(box for box in boxes if all(_some(box)))), relation.allow)


def _some(box: Box) -> Iterable[bool]:
    return (cell is None or bool(cell) for cell in box)


def strike(relation: InBoxes, alive: Sequence[Bools]) -> None:
    """Take the values that no box holds from those alive; boxes of what is forbidden strike nothing here."""
    if not relation.allow:
        return
    for column, attribute in enumerate(relation.attributes):
        cells = [box[column] for box in relation.boxes]
        if None not in cells:
            held = np.zeros(len(alive[attribute]), dtype=bool)
            held[list(frozenset().union(*(cell for cell in cells if cell is not None)))] = True
            alive[attribute][~held] = False


def renumbered(relation: InBoxes, position: Sequence[Ints], sizes: Sequence[int]) -> InBoxes | None:
    """Positions instead of values, without attributes that have one value left; None where nothing is restricted."""
    kept = [column for column, a in enumerate(relation.attributes) if sizes[a] > 1]
    scope = tuple(relation.attributes[column] for column in kept)
    boxes = tuple(tuple(_moved(box[c], position[relation.attributes[c]]) for c in kept) for box in relation.boxes)
    everything = any(all(cell is None for cell in box) for box in boxes)
    if everything if relation.allow else not boxes:
        return None
    if everything or not boxes:
        raise ModelInfeasible("a table forbids everything that is left; relax it")
    return InBoxes(scope, boxes, relation.allow)


def _moved(cell: frozenset[int] | None, position: Ints) -> frozenset[int] | None:
    return None if cell is None else frozenset(position[list(cell)].tolist())


# As automata


@dataclass(frozen=True, eq=False)
class _Endings:
    """The different ways in which boxes go on from one attribute: what each holds there, and how it goes on."""

    cells: tuple[frozenset[int] | None, ...]
    following: tuple[int, ...]
    free: int | None
    """The ending that holds whatever comes."""


def box_automaton(
    relation: InBoxes, order: Sequence[int], domains: Sequence[int], *, count: Callable[[int], None]
) -> Automaton:
    """The smallest automaton of the boxes that reads their attributes as they stand in `order`.

    `count` is told how many steps were taken, and may raise where these are too many.
    """
    place = {attribute: number for number, attribute in enumerate(order)}
    columns = sorted(range(len(relation.attributes)), key=lambda column: place[relation.attributes[column]])
    scope = tuple(relation.attributes[column] for column in columns)
    start, endings = _endings([tuple(box[column] for column in columns) for box in relation.boxes], len(scope))
    states = [_simple(start, endings[0].free, allow=relation.allow)]
    tables: list[Ints] = []
    for attribute, here, after in zip(scope, endings, endings[1:], strict=False):
        numbers: dict[frozenset[int], int] = {}
        table = np.full((len(states), domains[attribute]), -1, dtype=np.int64)
        for row, state in enumerate(states):
            count(domains[attribute] + len(state or ()))
            for value, still_open in enumerate(_read(state, here, domains[attribute])):
                following = _simple(still_open, after.free, allow=relation.allow)
                if following is not None:
                    table[row, value] = numbers.setdefault(following, len(numbers))
        tables.append(table)
        states = list(numbers)
    return Automaton(scope, _smallest(tables))


def _endings(boxes: Sequence[Box], length: int) -> tuple[frozenset[int], list[_Endings]]:
    """Where the boxes start, and how they go on from each attribute and after the last."""
    levels = [_Endings((None,), (0,), 0)]
    ending = [0] * len(boxes)
    for level in reversed(range(length)):
        numbers: dict[tuple[frozenset[int] | None, int], int] = {}
        ending = [numbers.setdefault((box[level], own), len(numbers)) for box, own in zip(boxes, ending, strict=True)]
        after = levels[-1].free
        free = None if after is None else numbers.get((None, after))
        levels.append(_Endings(tuple(cell for cell, _ in numbers), tuple(own for _, own in numbers), free))
    return frozenset(ending), levels[::-1]


def _simple(still_open: frozenset[int] | None, free: int | None, *, allow: bool) -> frozenset[int] | None:
    """What has to be known of the endings that are still open; None where nothing can be accepted any more."""
    if still_open is None:
        return None
    if free in still_open:
        return frozenset((free,)) if allow and free is not None else None
    return still_open if still_open or not allow else None


def _read(state: frozenset[int] | None, here: _Endings, size: int) -> list[frozenset[int] | None]:
    """The endings that are open after each value."""
    if state is None:
        return [None] * size
    always = frozenset(here.following[e] for e in state if here.cells[e] is None)
    more: dict[int, set[int]] = {}
    for ending in state:
        for value in here.cells[ending] or ():
            more.setdefault(value, set()).add(here.following[ending])
    return [always | more[value] if value in more else always for value in range(size)]


def _smallest(tables: Sequence[Ints]) -> tuple[Ints, ...]:
    """The same with one class for all that go on alike."""
    classes = np.zeros(1, dtype=np.int64)
    small: list[Ints] = []
    for level in reversed(range(len(tables))):
        table = np.append(classes, -1)[tables[level]]
        if level:
            table, classes = merged_rows(table)
        small.append(table)
    return tuple(small[::-1])
