"""Why nothing can be built: a smallest set of rules that cannot hold together.

Smallest by number, not only irreducible: the least set that hits every known way out is tried until one is really
impossible (implicit hitting sets). Where that takes too long, an irreducible set is given instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

import numpy as np

from setmargin.errors import InfeasibleSpace, ModelInfeasible
from setmargin.solve.choose import engine_for
from setmargin.solve.highs import Highs
from setmargin.solve.lowered import Ints
from setmargin.solve.lowering import lower_formulas
from setmargin.solve.milp import Columns, assemble, rows, total
from setmargin.space.formula import holds
from setmargin.space.rules import Rule
from setmargin.space.space import Space

SECONDS = 10.0


def infeasible(space: Space, *, must: Sequence[Rule] = ()) -> InfeasibleSpace:
    """The error that names what cannot hold together: among the must-haves if there are any, else among the rules."""
    if must:
        conflict = smallest_conflict(space, hard=space.rules, soft=must)
    else:
        conflict = smallest_conflict(space, hard=(), soft=space.rules)
    texts = [rule.text for rule in conflict]
    cure = {1: "drop or change it", 2: "drop one of the two"}.get(len(texts), "drop one of them")
    return InfeasibleSpace(f"nothing satisfies {' together with '.join(texts)}; {cure}", conflict=texts)


def smallest_conflict(
    space: Space, *, hard: Sequence[Rule], soft: Sequence[Rule], seconds: float = SECONDS
) -> tuple[Rule, ...]:
    """A smallest set of soft rules that cannot hold beside the hard ones; irreducible where time runs out."""
    deadline = monotonic() + seconds
    ways_out: list[frozenset[int]] = []
    while monotonic() < deadline:
        tried = _least_hitting_set(ways_out, len(soft))
        kept = _grow(space, hard, soft, tried)
        if kept is None:
            return tuple(soft[number] for number in sorted(tried))
        if len(kept) == len(soft):
            raise ValueError("these rules do not conflict")
        ways_out.append(frozenset(range(len(soft))) - kept)
    return _irreducible(space, hard, soft)


def _least_hitting_set(sets: Sequence[frozenset[int]], size: int) -> frozenset[int]:
    if not sets:
        return frozenset()
    columns = Columns()
    take = columns.add("take", size, upper=1.0, objective=1.0, integer=True)
    hit = [rows(total(take[np.array(sorted(one_of))]), lower=1.0) for one_of in sets]
    values = Highs().solve(assemble(columns, hit)).values
    return frozenset(np.flatnonzero(values > 0.5).tolist())


def _grow(space: Space, hard: Sequence[Rule], soft: Sequence[Rule], kept: frozenset[int]) -> frozenset[int] | None:
    """As many soft rules as can hold beside those kept; None if not even those can."""
    found = _example(space, [*hard, *(soft[number] for number in kept)])
    if found is None:
        return None
    kept = _satisfied(soft, found)
    for number in range(len(soft)):
        if number not in kept:
            found = _example(space, [*hard, *(soft[each] for each in kept), soft[number]])
            if found is not None:
                kept = _satisfied(soft, found)
    return kept


def _satisfied(rules: Sequence[Rule], configuration: Ints) -> frozenset[int]:
    return frozenset(n for n, rule in enumerate(rules) if holds(rule.formula, configuration[None])[0])


def _irreducible(space: Space, hard: Sequence[Rule], soft: Sequence[Rule]) -> tuple[Rule, ...]:
    """Drop one rule after the other as long as the rest still conflicts."""
    needed = list(soft)
    for rule in soft:
        fewer = [other for other in needed if other is not rule]
        if _example(space, [*hard, *fewer]) is None:
            needed = fewer
    return tuple(needed)


def _example(space: Space, rules: Sequence[Rule]) -> Ints | None:
    """Some configuration that obeys the rules, or None."""
    lowered = lower_formulas(space.domains, [rule.formula for rule in rules])
    try:
        found: Ints = engine_for(lowered).best(np.zeros((1, sum(lowered.domains))))[0, : len(space.domains)]
        return found
    except ModelInfeasible:
        return None
