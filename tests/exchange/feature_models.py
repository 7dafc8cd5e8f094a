"""Random feature models as plain trees, written as UVL here, and counted here by trying every set of features."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np


@dataclass
class Node:
    name: str
    groups: list[tuple[str, int, int, list[Node]]] = field(default_factory=list)
    price: float | None = None


@dataclass
class Model:
    root: Node
    constraints: list[tuple[str, ...]]
    limit: float


def nodes(node: Node) -> list[Node]:
    return [node, *(below for *_, children in node.groups for child in children for below in nodes(child))]


def random_model(seed: int, *, most: int = 12) -> Model:
    rng = np.random.default_rng(seed)
    root = Node("root")
    waiting, count = [root], 1
    while waiting and count < most:
        parent = waiting.pop(int(rng.integers(len(waiting))))
        for _ in range(int(rng.integers(1, 3))):
            size = int(rng.integers(1, 4))
            children = [Node(f"f{count + n}" if n else f"f {count}", price=_price(rng)) for n in range(size)]
            kind = ("mandatory", "optional", "alternative", "or", "[]")[rng.integers(5)]
            low = int(rng.integers(0, size + 1))
            ends = {"mandatory": (size, size), "optional": (0, size), "alternative": (1, 1), "or": (1, size)}
            least, top = ends.get(kind, (low, int(rng.integers(max(low, 1), size + 1))))
            parent.groups.append((f"[{least}..{top}]" if kind == "[]" else kind, least, top, children))
            waiting += children
            count += size
    names = [node.name for node in nodes(root)]
    signs = ("=>", "<=>", "|", "&", "! =>")
    chosen: list[tuple[str, ...]] = [
        (str(rng.choice(names)), signs[rng.integers(5)], str(rng.choice(names))) for _ in range(rng.integers(3))
    ]
    prices = [node.price or 0.0 for node in nodes(root)]
    return Model(root, chosen, round(float(sum(prices) * rng.uniform(0.3, 1.0)), 2))


def _price(rng: np.random.Generator) -> float | None:
    return round(float(rng.uniform(-1, 5)), 1) if rng.random() < 0.6 else None


def as_uvl(model: Model) -> str:
    lines = ["namespace test", "features", *_written(model.root, 1), "constraints"]
    for one, sign, other in model.constraints:
        negated = "!" if sign.startswith("!") else ""
        lines.append(f'\t{negated}"{one}" {sign.removeprefix("! ")} "{other}"')
    return "\n".join([*lines, f"\tsum(Price) <= {model.limit}"]) + "\n"


def _written(node: Node, depth: int) -> list[str]:
    beside = "" if node.price is None else f" {{Price {node.price}}}"
    lines = ["\t" * depth + f'"{node.name}"{beside}']
    for kind, _, _, children in node.groups:
        lines.append("\t" * (depth + 1) + kind)
        lines += [line for child in children for line in _written(child, depth + 2)]
    return lines


def counted(model: Model) -> int:
    """All sets of features that obey the tree and the constraints."""
    everything = nodes(model.root)
    return sum(
        _obeys(model, dict(zip((n.name for n in everything), chosen, strict=True)))
        for chosen in product((False, True), repeat=len(everything))
        if chosen[0]
    )


def _obeys(model: Model, there: dict[str, bool]) -> bool:
    for node in nodes(model.root):
        for _, least, most, children in node.groups:
            many = sum(there[child.name] for child in children)
            if not (least <= many <= most if there[node.name] else many == 0):
                return False
    for one, sign, other in model.constraints:
        a, b = there[one], there[other]
        good = {"=>": not a or b, "<=>": a == b, "|": a or b, "&": a and b, "! =>": a or b}[sign]
        if not good:
            return False
    tenths = sum(round(10 * (node.price or 0.0)) for node in nodes(model.root) if there[node.name])
    return 10 * tenths <= round(100 * model.limit)
