"""Relations as tables of combinations, and one relation as a reduced layered automaton.

Two beginnings of a relation's rows belong to the same *residual class* when the same endings remain allowed
after them. Reading a configuration attribute by attribute, the class is all to remember of a relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from setmargin.arrays import Bools, Ints

_WORD = 2**62
_MULTIPLIERS = np.random.default_rng(20).integers(1, 2**63, size=4096, dtype=np.uint64) | np.uint64(1)


@dataclass(frozen=True, eq=False)
class Relation:
    """Which combinations of a few attributes are allowed, as rows of value indices.

    With `allow` the rows are the allowed combinations, without it they are the forbidden ones.
    """

    scope: tuple[int, ...]
    rows: Ints
    allow: bool = True


@dataclass(frozen=True, eq=False)
class Automaton:
    """What a relation remembers: `tables[i][class, value of scope[i]]` is the next class, -1 when forbidden.

    The first layer has one class, the start. After the last attribute there is one class, 0: accepted.
    """

    scope: tuple[int, ...]
    tables: tuple[Ints, ...]


def automaton(relation: Relation, order: Sequence[int], domains: Sequence[int]) -> Automaton:
    """The smallest automaton of `relation` that reads its attributes as they stand in `order`."""
    columns = sorted(range(len(relation.scope)), key=[order.index(a) for a in relation.scope].__getitem__)
    scope = tuple(relation.scope[c] for c in columns)
    prefixes = _prefix_tree(relation.rows[:, columns], [domains[a] for a in scope])
    accepted, elsewhere = (0, -1) if relation.allow else (-1, 0)
    classes = np.full(len(prefixes[-1].parents) if prefixes else 0, accepted, dtype=np.int64)
    tables: list[Ints] = []
    for level in reversed(range(len(scope))):
        table = prefixes[level].table(classes, elsewhere)
        if level:
            table, classes, elsewhere = _reduced(table, elsewhere, forbids=not relation.allow)
        tables.append(table)
    return Automaton(scope, tuple(reversed(tables)))


@dataclass(frozen=True, eq=False)
class _Level:
    """The distinct rows cut after one attribute: how many there were before it, and what each continues."""

    size: int
    domain: int
    parents: Ints
    values: Ints

    def table(self, classes: Ints, elsewhere: int) -> Ints:
        table = np.full((self.size, self.domain), elsewhere, dtype=np.int64)
        table[self.parents, self.values] = classes
        return table


def _prefix_tree(rows: Ints, domains: Sequence[int]) -> list[_Level]:
    levels, size = [], 1
    ids = np.zeros(len(rows), dtype=np.int64)
    for column, domain in zip(rows.T, domains, strict=True):
        first, inverse = distinct_keys(ids * domain + column, size * domain)
        levels.append(_Level(size, domain, ids[first], column[first].astype(np.int64)))
        ids, size = inverse, len(first)
    return levels


def _reduced(table: Ints, elsewhere: int, *, forbids: bool) -> tuple[Ints, Ints, int]:
    """Equal rows of a table made one: the smaller table, the class of each row, and the accept-all class."""
    if forbids:
        table = np.vstack([table, np.full(table.shape[1], elsewhere, dtype=np.int64)])
    small, classes = merged_rows(table)
    return (small, classes[:-1], int(classes[-1])) if forbids else (small, classes, -1)


def merged_rows(table: Ints) -> tuple[Ints, Ints]:
    """The distinct rows of a table of children, and where each row went; rows without any child go to -1."""
    alive = (table >= 0).any(axis=1)
    living = table[alive]
    bound = int(living.max(initial=-1)) + 2
    first, inverse = distinct(living + 1, [bound] * table.shape[1])
    classes = np.full(len(table), -1, dtype=np.int64)
    classes[alive] = inverse
    return living[first], classes


def merged(relations: Sequence[Relation], domains: Sequence[int]) -> list[Relation]:
    """At most one relation for each set of attributes, with sorted scopes and distinct rows."""
    groups: dict[tuple[int, ...], list[Relation]] = {}
    for relation in relations:
        columns = np.argsort(relation.scope, kind="stable").astype(np.int64)
        scope = tuple(sorted(relation.scope))
        rows = relation.rows.reshape(len(relation.rows), len(scope))[:, columns]
        groups.setdefault(scope, []).append(Relation(scope, rows, relation.allow))
    return [_conjunction(scope, group, domains) for scope, group in groups.items()]


def _conjunction(scope: tuple[int, ...], group: Sequence[Relation], domains: Sequence[int]) -> Relation:
    rows = np.concatenate([relation.rows for relation in group])
    first, ids = distinct(rows, [domains[a] for a in scope])
    parts = np.split(ids, np.cumsum([len(relation.rows) for relation in group])[:-1])
    allowed = [_listed(part, len(first)) for part, r in zip(parts, group, strict=True) if r.allow]
    forbidden = [_listed(part, len(first)) for part, r in zip(parts, group, strict=True) if not r.allow]
    bad = np.logical_or.reduce([np.zeros(len(first), dtype=bool), *forbidden])
    chosen = np.logical_and.reduce([*allowed, ~bad]) if allowed else bad
    return Relation(scope, rows[first[chosen]], bool(allowed))


def _listed(ids: Ints, size: int) -> Bools:
    listed = np.zeros(size, dtype=bool)
    listed[ids] = True
    return listed


def distinct(rows: Ints, sizes: Sequence[int]) -> tuple[Ints, Ints]:
    """First index of every distinct row, and for each row which of them it is; column j is below sizes[j]."""
    words, size = _packed(rows, sizes)
    return distinct_keys(words[:, 0], size) if words.shape[1] == 1 else _distinct_words(words)


def distinct_keys(keys: Ints, size: int) -> tuple[Ints, Ints]:
    """`distinct` for one column of keys in [0, size): by a table where small, by sorting otherwise."""
    if size > 8 * len(keys) + 4096:
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        return first.astype(np.int64), inverse.reshape(-1).astype(np.int64)
    where = np.full(size, -1, dtype=np.int64)
    where[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    used = where >= 0
    return where[used], (np.cumsum(used) - 1)[keys]


def _packed(rows: Ints, sizes: Sequence[int]) -> tuple[Ints, int]:
    """The columns in mixed radix, as few words of 62 bits as they need, and the range of the last word."""
    words, word, radix = [], np.zeros(len(rows), dtype=np.int64), 1
    for column, size in zip(rows.T, sizes, strict=True):
        if radix * size > _WORD:
            words.append(word)
            word, radix = np.zeros(len(rows), dtype=np.int64), 1
        word, radix = word * size + column, radix * size
    return np.stack([*words, word], axis=1), radix


def _distinct_words(words: Ints) -> tuple[Ints, Ints]:
    """By a linear hash that is checked afterwards, several times faster than sorting the rows themselves."""
    hashes = _hashed(words)
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    if not np.array_equal(words[first[inverse]], words):
        _, first, inverse = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return first.astype(np.int64), inverse.reshape(-1).astype(np.int64)


def _hashed(words: Ints) -> NDArray[np.uint64]:
    multipliers = np.resize(_MULTIPLIERS, words.shape[1])
    hashed: NDArray[np.uint64] = (words.view(np.uint64) * multipliers).sum(axis=1, dtype=np.uint64)
    return hashed
