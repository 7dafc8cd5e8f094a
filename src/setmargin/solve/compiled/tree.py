"""Branch and bound over sets of one-hot groups, compiled: whether a user has a value, on a kept linear problem.

A node is which values each user may still take; its children are that one of them is given, and that it is not. Many
quick nodes are what counts here: depth first, there is little to solve from one node to the next. What keeps it small:
- orbits: users who may still take the same values are interchangeable, and so are values that nothing tells apart. If
  a value is not given to one of them, it need not be given to any of them, nor any that is like it;
- reduced costs rule values out, for one user and so for all who are like it;
- it branches where both children are expected to lose most, by what earlier branchings did to the bound, and by some
  pivots in each child where there was none.

Functions that others call are compiled again with them, so only `grow` and what it says of one node call `solve`.
"""

from __future__ import annotations

import logging
from typing import Final, NamedTuple, TypeVar

import numpy as np
from scipy.sparse import csr_array

from setmargin.arrays import Bools, Floats, Ints
from setmargin.solve.compiled.basis import PIVOTS, Lp, copied, copy_state, prepared
from setmargin.solve.compiled.jit import compiled, is_kept
from setmargin.solve.compiled.simplex import CUT_OFF, INFEASIBLE, safe_bound, solve
from setmargin.solve.milp.model import Milp

LOGGER: Final = logging.getLogger(__name__)

_Array = TypeVar("_Array", Floats, Ints, Bools)

DONE, WHOLE, LEFT, GUESS, MORE, FULL = 0, 1, 2, 3, 4, 5
"""Why `grow` came back: nothing is left; a solution is whole, or one set is left, which is written down; it is time to
guess; the work is done; there is no room."""

NEAR = 1e-6
"""Shares this near to none or all count as that."""
GIVEN_FIRST = 0.4
"""Where the relaxation gives a user at least this share of a value, it is first given whole, else first forbidden."""
TINY, LEAST_SHARE = 1e-9, 1e-3
LARGEST_EVERY = 100
"""Every so many nodes the one with the largest bound is next."""
MOST_PIVOTS = 2000
"""For one node; what is not solved by then is branched on with the bound that it has."""
RELIABLE = 2.0
"""What was branched on less often is tried out first,"""
PROBES, PROBE_PIVOTS, VAIN = 8, 60, 3
"""so many at a node, each with so many pivots, until so many in a row were no better;"""
PROBED = 1
"""and none at a node if there were more probes than so many a node before it."""

FIRST_GUESS = 8
"""It is time to guess at this node, at 16, 32, …: a guess costs as much as some nodes."""

WAITING, NODES, PROBED_CHILDREN, WORK = 0, 1, 2, 3
"""What is counted: nodes that wait, those that were solved, children that were tried out, and pivots in all."""


class NodeTable(NamedTuple):
    """The nodes that wait, and what earlier ones have taught."""

    x: Ints
    """The columns of the shares (users × values)."""
    starts: Ints
    """Where each group of values starts, with the total at the end."""
    kinds: Ints
    """Values of one kind are interchangeable."""
    bound: Floats
    allowed: Bools
    """nodes × users × values"""
    value: Ints
    given: Ints
    moved: Floats
    """By which value, given or not, a node came about, and by how much of a share that moves the relaxation."""
    lost: Floats
    times: Floats
    """How much of the bound it cost per share that a value was forbidden or given, and how often that was."""
    shares: Floats
    found: Ints
    """The shares of the latest node, and the set that it came to."""
    counts: Ints


@compiled
def _next(tree: NodeTable, goal: float) -> int:
    """The node to take up, moved behind those that wait; -1 if nothing is left that is worth more than the goal."""
    while tree.counts[WAITING] > 0:
        last = tree.counts[WAITING] - 1
        place = last
        if tree.counts[NODES] % LARGEST_EVERY == LARGEST_EVERY - 1:
            for n in range(last):
                if tree.bound[n] > tree.bound[place]:
                    place = n
        tree.counts[WAITING] = last
        if place != last:
            _swap(tree, place, last)
        if tree.bound[last] > goal:
            return int(last)
    return -1


@compiled
def _swap(tree: NodeTable, a: int, b: int) -> None:
    tree.bound[a], tree.bound[b] = tree.bound[b], tree.bound[a]
    tree.value[a], tree.value[b] = tree.value[b], tree.value[a]
    tree.given[a], tree.given[b] = tree.given[b], tree.given[a]
    tree.moved[a], tree.moved[b] = tree.moved[b], tree.moved[a]
    for i in range(tree.allowed.shape[1]):
        for v in range(tree.allowed.shape[2]):
            tree.allowed[a, i, v], tree.allowed[b, i, v] = tree.allowed[b, i, v], tree.allowed[a, i, v]


@compiled
def _push(tree: NodeTable, allowed: Bools, bound: float, value: int, given: int, moved: float) -> None:
    n = tree.counts[WAITING]
    for i in range(allowed.shape[0]):
        for v in range(allowed.shape[1]):
            tree.allowed[n, i, v] = allowed[i, v]
    tree.bound[n], tree.value[n], tree.given[n], tree.moved[n] = bound, value, given, moved
    tree.counts[WAITING] = n + 1


@compiled
def _learn(tree: NodeTable, given: int, value: int, lost: float, moved: float) -> None:
    """What it cost of the bound to give a value or to forbid it, per share that this moved."""
    if value >= 0:
        tree.lost[given, value] += lost / max(moved, LEAST_SHARE)
        tree.times[given, value] += 1.0


@compiled
def _read(lp: Lp, tree: NodeTable, reduced: Floats, gains: Floats) -> bool:
    """The shares of a solved node, what each would add, and whether every user has one value of each group."""
    whole = True
    for i in range(tree.x.shape[0]):
        for a in range(len(tree.starts) - 1):
            best = tree.starts[a]
            for v in range(tree.starts[a], tree.starts[a + 1]):
                q = tree.x[i, v]
                tree.shares[i, v], gains[i, v] = min(max(lp.x[q], 0.0), 1.0), -reduced[q]
                if tree.shares[i, v] > tree.shares[i, best]:
                    best = v
            whole = whole and tree.shares[i, best] >= 1.0 - NEAR
            tree.found[i, a] = best - tree.starts[a]
    return whole


@compiled
def _alike(allowed: Bools, first: Ints) -> None:
    """For each user the first one who may still take the same values."""
    for i in range(allowed.shape[0]):
        first[i] = i
        for j in range(i - 1, -1, -1):
            same = True
            for v in range(allowed.shape[1]):
                same = same and allowed[i, v] == allowed[j, v]
            if same:
                first[i] = j


@compiled
def _narrow(tree: NodeTable, allowed: Bools, alike: Ints, gains: Floats, gap: float) -> int:
    """Without the values that cost more of the bound, by their reduced costs, than there is to lose, neither for a user
    nor for others like it. Returns how many the group has that has most; 0 if one has none, and if all have one, that
    is written down."""
    users = allowed.shape[0]
    for i in range(users):
        for a in range(len(tree.starts) - 1):
            best = 0.0
            for v in range(tree.starts[a], tree.starts[a + 1]):
                if allowed[i, v]:
                    best += max(gains[i, v], 0.0)
            for v in range(tree.starts[a], tree.starts[a + 1]):
                if allowed[i, v] and best - gains[i, v] >= gap:
                    allowed[i, v] = False
    most = 1
    for i in range(users):
        for a in range(len(tree.starts) - 1):
            left = 0
            for v in range(tree.starts[a], tree.starts[a + 1]):
                for j in range(users):
                    if alike[j] == alike[i] and not allowed[j, v]:
                        allowed[i, v] = False
                left += 1 if allowed[i, v] else 0
            if left == 0:
                return 0
            most = max(most, left)
    if most == 1:
        for i in range(users):
            for a in range(len(tree.starts) - 1):
                for v in range(tree.starts[a], tree.starts[a + 1]):
                    if allowed[i, v]:
                        tree.found[i, a] = v - tree.starts[a]
    return most


@compiled
def _rate(tree: NodeTable, allowed: Bools, gap: float, merits: Floats) -> None:
    """What branching on each user and value promises: what both children are expected to lose, multiplied."""
    usual = np.zeros(2)
    for g in range(2):
        lost, times = TINY, TINY
        for v in range(tree.lost.shape[1]):
            lost += tree.lost[g, v]
            times += tree.times[g, v]
        usual[g] = lost / times
    found = False
    for only_shared in (True, False):  # else it is whole, but not buildable: anything that is not settled yet
        for i in range(allowed.shape[0]):
            for a in range(len(tree.starts) - 1):
                left = 0
                for v in range(tree.starts[a], tree.starts[a + 1]):
                    left += 1 if allowed[i, v] else 0
                for v in range(tree.starts[a], tree.starts[a + 1]):
                    share = tree.shares[i, v]
                    shared = share > NEAR and share < 1.0 - NEAR
                    merits[i, v] = -1.0
                    if allowed[i, v] and left > 1 and (shared or not only_shared):
                        forbidden = (tree.lost[0, v] + usual[0]) / (tree.times[0, v] + 1.0) * share
                        given = (tree.lost[1, v] + usual[1]) / (tree.times[1, v] + 1.0) * (1.0 - share)
                        merits[i, v] = max(min(forbidden, gap), TINY) * max(min(given, gap), TINY)
                        found = True
        if found:
            return


@compiled
def _children(
    tree: NodeTable, allowed: Bools, alike: Ints, user: int, value: int, given: Bools, forbidden: Bools
) -> None:
    """What is left where a user is given a value, and where nobody like this user is given it or one like it."""
    users = allowed.shape[0]
    for i in range(users):
        for v in range(allowed.shape[1]):
            given[i, v] = forbidden[i, v] = allowed[i, v]
    a = 0
    while tree.starts[a + 1] <= value:
        a += 1
    for v in range(tree.starts[a], tree.starts[a + 1]):
        given[user, v] = v == value
        same = tree.kinds[v] == tree.kinds[value]
        for i in range(users):
            same = same and allowed[i, v] == allowed[i, value]
        if same:
            for i in range(users):
                if alike[i] == alike[user]:
                    forbidden[i, v] = False


@compiled
def _bounded(lp: Lp, tree: NodeTable, allowed: Bools, goal: float, most: int, reduced: Floats) -> float:
    """What is worth at most so much where these values are allowed, as far as so many pivots show; the goal if less."""
    for i in range(allowed.shape[0]):
        for v in range(allowed.shape[1]):
            lp.upper[tree.x[i, v]] = 1.0 if allowed[i, v] else 0.0
    before = lp.counts[PIVOTS]
    status = solve(lp, -goal, most)
    tree.counts[WORK] += lp.counts[PIVOTS] - before + 1
    if status in (CUT_OFF, INFEASIBLE):
        return goal
    return max(-safe_bound(lp, np.zeros(len(lp.cost) - len(lp.implied)), 0.0, reduced), goal)


@compiled
def grow(lp: Lp, saved: Lp, tree: NodeTable, goal: float, nodes: int, work: int) -> int:
    """Go on for so many nodes or pivots, or until nothing is left, a set is found, or it is time to guess.

    Problems are minimised, and bounds are turned around: a node is worth at most its bound. `saved` is another problem
    of the same size, to come back to after children were tried out.
    """
    users, values = tree.x.shape
    # Of what is called with a constant there would be a version for it, compiled again.
    pivots, probe_pivots, nobody = int(np.int64(MOST_PIVOTS)), int(np.int64(PROBE_PIVOTS)), int(np.int64(-1))
    reduced, scratch = np.empty(len(lp.implied)), np.empty(len(lp.implied))
    gains, merits = np.empty((users, values)), np.empty((users, values))
    allowed = np.empty((users, values), dtype=np.bool_)
    given, forbidden = np.empty((users, values), dtype=np.bool_), np.empty((users, values), dtype=np.bool_)
    alike = np.empty(users, dtype=np.int64)
    last_node, last_work = tree.counts[NODES] + nodes, tree.counts[WORK] + work
    while tree.counts[NODES] < last_node and tree.counts[WORK] < last_work:
        if tree.counts[WAITING] + 2 > len(tree.bound):
            return FULL
        node = _next(tree, goal)
        if node < 0:
            return DONE
        for i in range(users):
            for v in range(values):
                allowed[i, v] = tree.allowed[node, i, v]
        before, own = tree.bound[node], _bounded(lp, tree, allowed, goal, pivots, reduced)
        bound = min(before, own)
        tree.counts[NODES] += 1
        if before < np.inf:
            _learn(tree, tree.given[node], tree.value[node], before - bound, tree.moved[node])
        if bound <= goal:
            continue
        whole = _read(lp, tree, reduced, gains)
        _alike(allowed, alike)
        left = _narrow(tree, allowed, alike, gains, own - goal)  # its own bound: these reduced costs go with no other
        if left == 1:
            return LEFT
        if left > 1:
            _rate(tree, allowed, bound - goal, merits)
            user, value, most, below_given, below_forbidden = nobody, nobody, -1.0, bound, bound
            vain, is_saved, is_over = 0, False, False
            for _ in range(PROBES):
                i, v = 0, 0
                for place in range(users * values):
                    if merits[place // values, place % values] > merits[i, v]:
                        i, v = place // values, place % values
                merit, share = merits[i, v], tree.shares[i, v]
                if merit < 0.0 or vain >= VAIN:
                    break
                merits[i, v] = -1.0
                after_given, after_forbidden = bound, bound
                rarely = min(tree.times[0, v], tree.times[1, v]) < RELIABLE
                if rarely and tree.counts[PROBED_CHILDREN] <= PROBED * tree.counts[NODES]:
                    if not is_saved:
                        copy_state(lp, saved)
                        is_saved = True
                    _children(tree, allowed, alike, i, v, given, forbidden)
                    for side in range(2):
                        child = given if side == 1 else forbidden
                        after = min(bound, _bounded(lp, tree, child, goal, probe_pivots, scratch))
                        copy_state(saved, lp)
                        _learn(tree, side, v, bound - after, 1.0 - share if side == 1 else share)
                        if side == 1:
                            after_given = after
                        else:
                            after_forbidden = after
                    tree.counts[PROBED_CHILDREN] += 2
                    is_over = after_given <= goal and after_forbidden <= goal
                    if is_over:
                        break
                    merit = max(bound - after_given, TINY) * max(bound - after_forbidden, TINY)
                vain += 1
                if merit > most:
                    user, value, most, vain = i, v, merit, 0
                    below_given, below_forbidden = after_given, after_forbidden
            if not is_over:
                _children(tree, allowed, alike, user, value, given, forbidden)
                share = tree.shares[user, value]
                for turn in range(2):
                    side = turn if share >= GIVEN_FIRST else 1 - turn
                    below = below_given if side == 1 else below_forbidden
                    child = given if side == 1 else forbidden
                    if below > goal:
                        _push(tree, child, below, value, side, 1.0 - share if side == 1 else share)
        if whole:
            return WHOLE
        if tree.counts[NODES] >= FIRST_GUESS and tree.counts[NODES] & (tree.counts[NODES] - 1) == 0:
            return GUESS
    return MORE


CAPACITY = 256
"""Nodes that there is room for at first."""


def started(x: Ints, starts: Ints, kinds: Ints, allowed: Bools) -> NodeTable:
    """The tree whose root allows these values to every user."""
    users, values = x.shape
    room = np.zeros((CAPACITY, users, values), dtype=np.bool_)
    room[0] = allowed
    return NodeTable(
        x=np.ascontiguousarray(x, dtype=np.int64),  # of another layout it would all be compiled again
        starts=np.ascontiguousarray(starts, dtype=np.int64),
        kinds=np.ascontiguousarray(kinds, dtype=np.int64),
        bound=np.full(CAPACITY, np.inf),
        allowed=room,
        value=np.full(CAPACITY, -1, dtype=np.int64),
        given=np.zeros(CAPACITY, dtype=np.int64),
        moved=np.ones(CAPACITY),
        lost=np.zeros((2, values)),
        times=np.zeros((2, values)),
        shares=np.zeros((users, values)),
        found=np.zeros((users, len(starts) - 1), dtype=np.int64),
        counts=np.array([1, 0, 0, 0], dtype=np.int64),
    )


def with_more_room(tree: NodeTable) -> NodeTable:
    """The same tree with twice the room for nodes."""
    return tree._replace(
        bound=_doubled(tree.bound),
        allowed=_doubled(tree.allowed),
        value=_doubled(tree.value),
        given=_doubled(tree.given),
        moved=_doubled(tree.moved),
    )


def _doubled(array: _Array) -> _Array:
    longer: _Array = np.concatenate([array, np.zeros_like(array)])
    return longer


def load() -> None:
    """Compile all of it, or load what was compiled: else that happens when something is first solved."""
    if not is_kept():
        LOGGER.warning("compiling what proves questions to be best: about twenty seconds, once on this machine")
    model = Milp(
        objective=np.zeros(2),
        matrix=csr_array(np.ones((1, 2))),
        row_lower=np.ones(1),
        row_upper=np.ones(1),
        lower=np.zeros(2),
        upper=np.ones(2),
        integer=np.zeros(2, dtype=bool),
    )
    lp = prepared(model, np.ones(2))
    tree = started(np.array([[0, 1]]), np.array([0, 2]), np.arange(2), np.ones((1, 2), dtype=bool))
    grow(lp, copied(lp), tree, -1.0, 1, 1)
