"""From relations to a diagram: propagate, order, multiply, reduce; several orders, the smallest diagram wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter

import numpy as np

from setmargin.errors import ModelInfeasible
from setmargin.solve.boxes import box_automaton
from setmargin.solve.diagram.diagram import Diagram
from setmargin.solve.diagram.limits import ArcCounter, DiagramLimits, TooLarge
from setmargin.solve.diagram.ordering import orders
from setmargin.solve.diagram.product import product
from setmargin.solve.diagram.propagate import Propagated, propagate
from setmargin.solve.lowering import Lowered
from setmargin.solve.relations import Relation, automaton
from setmargin.space.formula import InBoxes

_SMALL = 20_000
_PROMISING = 0.5
"""The share of layers that has to fit into a sketch: tangled spaces grow by a factor from layer to layer, and more room
would add a layer or two."""
_HOPELESS = 0.1
"""Where orders of both kinds fill a sketch with less than this share of the layers, others will not fit either."""
_FEW_TRIES = 4


def compile_diagram(
    lowered: Lowered, *, limits: DiagramLimits | None = None, order: Sequence[int] | None = None, seed: int = 0
) -> Diagram:
    """The diagram of the relations of a space; its linear rows only serve to drop values, and are not in it.

    Raises `ModelInfeasible` when nothing satisfies the relations, `TooLarge` when every order outgrew its limits.
    """
    limits = limits or DiagramLimits()
    space = propagate(lowered)
    if order is not None:
        return _compiled(space, tuple(order), lowered.domains, _counter(limits, limits.arcs))
    return _smallest(space, lowered.domains, limits, seed)


def _smallest(space: Propagated, domains: Sequence[int], limits: DiagramLimits, seed: int) -> Diagram:
    """Try orders while they are few and cheap; later ones may not be much larger than the best.

    Small limits come first, as most orders of a space that is too tangled are; only the best of them gets all there is.
    """
    best: Diagram | None = None
    failures: list[tuple[int, tuple[int, ...], str]] = []
    work, cap = 0, min(limits.arcs, limits.sketch_arcs)
    candidates = _candidates(space, len(domains), seed, lambda: best is None)
    tries = limits.tries if space.scopes else 1  # all orders are as good where nothing depends on anything
    for tried, order in enumerate(islice(candidates, tries)):
        if _enough(best, tried, work, limits):
            break
        counter = _counter(limits, cap)
        try:
            diagram = _compiled(space, order, domains, counter)
        except TooLarge as error:
            failures.append((counter.layers, order, str(error)))
        else:
            best = diagram if best is None or diagram.arcs < best.arcs else best
            cap = min(cap, 2 * counter.arcs)
        work += counter.arcs
        if best is None and _is_hopeless(failures, len(domains)):
            break
    if best is not None:
        return best
    furthest, order, why = max(failures, key=itemgetter(0))
    if cap < limits.arcs and furthest >= _PROMISING * len(domains):
        return _compiled(space, order, domains, _counter(limits, limits.arcs))
    raise TooLarge(f"none of {len(failures)} orders gave a diagram that fits: {why}")


def _candidates(
    space: Propagated, attributes: int, seed: int, none_fits: Callable[[], bool]
) -> Iterator[tuple[int, ...]]:
    """Orders to try; where neither kind fits, the catalogue's own is next, which has together what belongs together."""
    good = orders(attributes, space.scopes, seed=seed)
    yield from islice(good, 2)
    if none_fits():
        yield tuple(range(attributes))
    yield from good


def _counter(limits: DiagramLimits, arcs: int) -> ArcCounter:
    return ArcCounter(arcs, limits.cells * arcs / limits.arcs)


def _is_hopeless(failures: Sequence[tuple[int, tuple[int, ...], str]], layers: int) -> bool:
    return len(failures) > 1 and max(failures)[0] < _HOPELESS * layers


def _enough(best: Diagram | None, tried: int, work: int, limits: DiagramLimits) -> bool:
    if best is None:
        return tried >= limits.failures
    return work > limits.work or (tried >= _FEW_TRIES and best.arcs < _SMALL)


def _compiled(space: Propagated, order: tuple[int, ...], domains: Sequence[int], counter: ArcCounter) -> Diagram:
    place = np.argsort(order)
    sizes = [space.sizes[a] for a in order]
    moved = [Relation(tuple(int(place[a]) for a in r.scope), r.rows, r.allow) for r in space.relations]
    unions = [InBoxes(tuple(int(place[a]) for a in u.attributes), u.boxes, u.allow) for u in space.boxes]
    machines = [automaton(relation, range(len(order)), sizes) for relation in moved]
    machines += [box_automaton(union, range(len(order)), sizes, count=counter.step) for union in unions]
    tables = product(machines, sizes, counter=counter)
    diagram = Diagram.of(domains, order, [space.values[a] for a in order], tables)
    if diagram.empty:
        raise ModelInfeasible("no configuration satisfies all relations together; relax one of them")
    return diagram
