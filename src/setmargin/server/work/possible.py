"""What must-haves leave of a catalogue: how many configurations, which values, which amounts.

What is said of an attribute or a quantity does not count the must-haves about itself alone, as in the filters of a
shop: whoever asked for a red one sees that there are blue ones too, and whose budget is too low sees from where on it
is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from setmargin.documents import Possible, RangeLeft, ValuesLeft
from setmargin.server.work.describe import rounded
from setmargin.solve.oracle import Oracle, oracle_if_any
from setmargin.space.rules import bind
from setmargin.space.space import Space

_WORD: Final = r'"(?:[^"\\]|\\.)*"|[^\s"{}<>=!,]+'
SIMPLE: Final = re.compile(rf"\s*({_WORD})\s*(?:<=|>=|!=|=|<|>|\bin\b)\s*({_WORD}|\{{[^{{}}]*\}})\s*")


def possible_of(space: Space, must_haves: Sequence[str], *, digest: str) -> Possible:
    """What is left under the must-haves.

    Where there is no diagram of the space, only what is quickly known is told. Raises RuleError for a must-have that
    means nothing in this space.
    """
    for rule in must_haves:
        bind(rule, space.names)
    if not _is_known(oracle_if_any(space, must=())):
        return Possible(digest, None, (), ())
    about = {rule: _subject(rule, space) for rule in must_haves}
    everything = oracle_if_any(space, must=must_haves)
    apart = {
        name: oracle_if_any(space, must=[rule for rule in must_haves if about[rule] != name])
        for name in set(about.values())
        if name is not None
    }
    return Possible(
        digest=digest,
        configurations=0 if everything is None else rounded(everything.count()),
        attributes=tuple(
            _values(each.name, found)
            for each in space.attributes
            if _is_known(found := apart.get(each.name, everything))
        ),
        quantities=tuple(
            _range(each.name, found)
            for each in space.quantities
            if _is_known(found := apart.get(each.name, everything))
        ),
    )


def _values(name: str, oracle: Oracle | None) -> ValuesLeft:
    return ValuesLeft(name, () if oracle is None else oracle.possible()[name])


def _range(name: str, oracle: Oracle | None) -> RangeLeft:
    return RangeLeft(name, *((None, None) if oracle is None else oracle.range(name)))


def _is_known(oracle: Oracle | None) -> bool:
    return oracle is None or oracle.is_quick


def _subject(rule: str, space: Space) -> str | None:
    """The one attribute or quantity that a simple must-have is about; None for all others."""
    found = SIMPLE.fullmatch(rule)
    if found is None:
        return None
    name, other = map(_bare, found.groups())
    return name if name in space.things and other not in space.things else None


def _bare(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word
