"""The space: attributes, quantities and rules, and configurations as feature vectors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ConfigurationError, SpaceError
from setmargin.html import heading, table
from setmargin.space.attributes import Attribute, Quantity, check_size
from setmargin.space.features import Features
from setmargin.space.finding_items import indices_of_item
from setmargin.space.formula import holds
from setmargin.space.items import Item, Items
from setmargin.space.presentation import EMPTY, Presentation
from setmargin.space.presentation_checks import check_presentation
from setmargin.space.presentation_document import merged_document, split_document
from setmargin.space.rules import Rule, Table, bind
from setmargin.space.space_checks import check_parts
from setmargin.space.text import Value, exact, short, suggest

Thing = TypeVar("Thing", Attribute, Quantity)


class Configuration(Mapping[str, Value]):
    """One value for each attribute: an immutable, hashable mapping, which may be a key or stand in a set.

    The configurations that a space gives have their values in the order of its attributes. Wherever one is expected, a
    plain dictionary will do as well.

    >>> from setmargin import load, oracle_for
    >>> cheapest = oracle_for(load("bicycle")).best({"price": 1.0})
    >>> cheapest["motor"]
    'none'
    >>> cheapest == dict(cheapest)
    True
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Value]) -> None:
        try:
            self._items = dict(items)
        except (TypeError, ValueError):
            raise ConfigurationError(f"{short(items)} has no values by attribute; give a mapping") from None

    def __getitem__(self, name: str) -> Value:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"Configuration({self._items!r})"

    def _repr_html_(self) -> str:
        return table(self._items.items())


VALUES_SHOWN, RULES_SHOWN, RULE_LENGTH = 8, 12, 100
"""How much of a space a notebook shows."""


def _few(labels: Sequence[str]) -> str:
    more = len(labels) - VALUES_SHOWN
    return ", ".join([*labels[:VALUES_SHOWN], *([f"and {more} more"] if more > 0 else [])])


def _in_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= RULE_LENGTH else f"{line[: RULE_LENGTH - 1]}…"


@dataclass(frozen=True, init=False, eq=False)
class Space(Features):
    """What can be built: attributes, quantities, and rules. Make one in Python, or read a catalogue with `load`.

    A space never changes. Its *features* are one for each value of an attribute, then one for each quantity, then the
    trends of the attributes that say what is better (`space/trends.py`).

    Parameters:
        attributes: what is chosen, as `Attribute`s, or as a mapping from names to lists of values.
        quantities: what follows from the choices.
        rules: what may not be combined, each as a text in the rule language or as a `Table`.
        name: what the catalogue is called in files and on servers.
        title: what people see instead of the name.
        description: a few sentences for people.
        presentation: what else people see: texts in several languages, pictures, groups, opening questions.
        items: a product list. Then only what it lists can be had: every attribute takes its values from the column of
            its name, and so does every quantity that is no sum.

    Raises:
        SpaceError: if these do not fit together; RuleError, one of its kind, if a rule is to blame.

    >>> from setmargin import Space
    >>> space = Space(
    ...     attributes={"type": ["laptop", "tower"], "memory": [8, 16]},
    ...     rules=["type = tower => memory >= 16"],
    ... )
    >>> space
    <Space unnamed: 2 attributes, 0 quantities, 1 rule>
    >>> space.feature_names
    ('type=laptop', 'type=tower', 'memory=8', 'memory=16')
    >>> space.check({"type": "tower", "memory": 8})
    Traceback (most recent call last):
        ...
    setmargin.errors.ConfigurationError: the configuration breaks: type = tower => memory >= 16
    """

    attributes: tuple[Attribute, ...]
    quantities: tuple[Quantity, ...]
    rules: tuple[Rule, ...]
    name: str
    title: str
    description: str
    presentation: Presentation
    items: Items | None

    def __init__(
        self,
        attributes: Iterable[Attribute] | Mapping[str, Any],
        *,
        quantities: Iterable[Quantity] = (),
        rules: Iterable[str | Table | Rule | Mapping[str, Any]] = (),
        name: str = "unnamed",
        title: str = "",
        description: str = "",
        presentation: Presentation = EMPTY,
        items: Items | None = None,
    ) -> None:
        if isinstance(attributes, Mapping):
            attributes = [Attribute(key, values) for key, values in attributes.items()]
        fields: dict[str, object] = {
            "attributes": _all(Attribute, attributes, "attributes", "Attribute('watts', [5, 10])"),
            "quantities": _all(Quantity, quantities, "quantities", "Quantity('price', {'watts': 2})"),
            "name": name,
            "title": title,
            "description": description,
            "presentation": presentation,
            "items": items,
        }
        for key, value in fields.items():
            object.__setattr__(self, key, value)
        check_size(len(self.attributes), sum(self.domains))
        check_parts(self)
        if isinstance(rules, str | Mapping | Table | Rule) or not isinstance(rules, Iterable):
            raise SpaceError(f"rules is {short(rules)}; give a list of rules, such as ['watts <= 10']", at=("rules",))
        object.__setattr__(self, "rules", tuple(self._bind(source, n) for n, source in enumerate(rules)))
        check_presentation(presentation, self)

    def __repr__(self) -> str:
        title = f" ({self.title})" if self.title else ""
        attributes, quantities, rules = len(self.attributes), len(self.quantities), len(self.rules)
        items = "" if self.items is None else f", {len(self.items):,} item{'s' * (len(self.items) != 1)}"
        return (
            f"<Space {self.name}{title}: {attributes} attribute{'s' * (attributes != 1)}, "
            f"{quantities} {'quantity' if quantities == 1 else 'quantities'}, {rules} rule{'s' * (rules != 1)}{items}>"
        )

    def _repr_html_(self) -> str:
        """In a notebook: what can be chosen, what it adds up to, and the rules."""
        chosen = [(each.name, _few(each.labels), each.unit, each.better or "") for each in self.attributes]
        added = [(each.name, "a sum over the choices", each.unit, each.better) for each in self.quantities]
        rules = [(_in_one_line(rule.text),) for rule in self.rules[:RULES_SHOWN]]
        more = len(self.rules) - len(rules)
        return "".join(
            [
                heading(
                    self.title or self.name, more=f"{self.name}: {len(self.things)} things, {len(self.rules)} rules"
                ),
                table([*chosen, *added], header=("", "values", "unit", "better")),
                table(rules, header=("rules" if more <= 0 else f"the first {len(rules)} of {len(self.rules)} rules",))
                if rules
                else "",
            ]
        )

    def _bind(self, source: object, number: int) -> Rule:
        try:
            return bind(source, self.names)
        except SpaceError as error:
            raise error.under("rules", number) from None

    # Configurations as indices, features and amounts

    def indices(self, configuration: Mapping[str, Value]) -> Ints:
        """The configuration as value indices, one per attribute."""
        if not isinstance(configuration, Mapping):
            raise ConfigurationError(f"{short(configuration)} is no configuration; give values by attribute")
        known = self.names.positions
        if self.items is not None:
            return indices_of_item(self, configuration)
        for name in () if set(configuration) == known.keys() else configuration:
            if name not in known:
                hint = suggest(str(name), list(known), what="the attributes are")
                raise ConfigurationError(f"there is no attribute {short(name)}; {hint}")
        if len(configuration) < len(known):
            missing = [name for name in known if name not in configuration]
            raise ConfigurationError(f"the configuration lacks {', '.join(missing)}; choose a value for each attribute")
        try:
            return np.array([a.index(configuration[a.name]) for a in self.attributes], dtype=np.int64)
        except SpaceError as error:
            raise ConfigurationError(str(error)) from None

    def item(self, configuration: Mapping[str, Value]) -> Item | None:
        """The item of a product list that the configuration is, as people see it; None where there is no list.

        >>> from setmargin import Items, Space
        >>> lamps = Items(["sku", "kind", "name"], [["A1", "desk", "Lux 5"]], id="sku", title="name")
        >>> Space({"kind": ["desk"]}, items=lamps).item({"sku": "A1"})
        Item(id='A1', title='Lux 5', link='', image='')
        """
        if self.items is None:
            return None
        return self.items.item(self.listing.alike(self.indices(configuration))[0])

    def configuration(self, indices: Sequence[int] | Ints) -> Configuration:
        """The configuration behind value indices."""
        if self.items is not None:
            alike = self.listing.alike(np.asarray(indices))
            seen = {a.name: a.values[int(i)] for a, i in zip(self.attributes, indices, strict=False)}
            return Configuration({self.items.id: self.items.ids[alike[0]], **seen} if alike else seen)
        return Configuration({a.name: a.values[int(i)] for a, i in zip(self.attributes, indices, strict=True)})

    def onehot(self, indices: Ints) -> Floats:
        """Value indices (n × attributes) as one-hot rows."""
        rows = np.zeros((len(indices), int(self.offsets[-1])))
        rows[np.arange(len(indices))[:, None], indices + self.offsets[:-1]] = 1.0
        return rows

    def features(self, indices: Ints) -> Floats:
        """Value indices (n × attributes) as feature rows: one-hot values, then quantities, then trends."""
        onehot = self.onehot(indices)
        return np.concatenate([onehot, onehot @ self.costs.T], axis=1)

    def encode(self, configuration: Mapping[str, Value]) -> Floats:
        """The configuration as a feature vector."""
        row: Floats = self.features(self.indices(configuration)[None])[0]
        return row

    def decode(self, features: Floats) -> Configuration:
        """The configuration behind a feature vector; the inverse of `encode`."""
        try:
            features = np.asarray(features, dtype=float)
        except (TypeError, ValueError):
            raise ConfigurationError("features are numbers, one for each feature name") from None
        if features.shape != (len(self.feature_names),):
            raise ConfigurationError(f"expected {len(self.feature_names)} features, got shape {features.shape}")
        blocks = np.split(features[: self.offsets[-1]], self.offsets[1:-1])
        indices = np.array([block.argmax() for block in blocks], dtype=np.int64)
        if not np.allclose(self.features(indices[None])[0], features, rtol=0, atol=1e-6):
            raise ConfigurationError("these features are not those of one configuration: each attribute has one 1")
        return self.configuration(indices)

    def amounts(self, configuration: Mapping[str, Value]) -> dict[str, float]:
        """Each quantity of the configuration, in its own unit."""
        chosen = self.indices(configuration) + self.offsets[:-1]
        sums = (sum(map(exact, table[chosen].tolist()), Fraction(0)) for table in self.amounts_table)
        return {q.name: float(exact(q.base) + s) for q, s in zip(self.sums, sums, strict=True)}

    # Rules

    def feasible(self, indices: Ints) -> Bools:
        """Which rows of value indices obey every rule, and are in the list where there is one."""
        good = np.ones(len(indices), dtype=bool)
        if self.items is not None:
            good = np.array([bool(self.listing.alike(row)) for row in indices], dtype=bool)
        return good & self.obeying(indices)

    def obeying(self, indices: Ints) -> Bools:
        """Which rows of value indices obey every rule."""
        good = np.ones(len(indices), dtype=bool)
        for rule in self.rules:
            good &= holds(rule.formula, indices)
        return good

    def broken_rules(self, configuration: Mapping[str, Value]) -> tuple[Rule, ...]:
        """The rules that the configuration breaks."""
        row = self.indices(configuration)[None]
        return tuple(rule for rule in self.rules if not holds(rule.formula, row)[0])

    def check(self, configuration: Mapping[str, Value]) -> None:
        """Raise an error that says, in their own words, which rules the configuration breaks."""
        if broken := self.broken_rules(configuration):
            raise ConfigurationError("the configuration breaks: " + "; ".join(rule.text for rule in broken))

    def with_rules(self, *extra: str | Table | Rule | Mapping[str, Any]) -> Space:
        """The same space with more rules."""
        more = (self._bind(source, number) for number, source in enumerate(extra, len(self.rules)))
        return self._having((*self.rules, *more))

    def with_only(self, rules: Iterable[Rule]) -> Space:
        """The same space with only these rules."""
        own = {rule.source: rule for rule in self.rules}
        return self._having(tuple(own.get(r.source) or self._bind(r, n) for n, r in enumerate(rules)))

    def _having(self, rules: tuple[Rule, ...]) -> Space:
        """A copy that shares all but the rules, which are bound already."""
        twin = object.__new__(Space)
        twin.__dict__.update(self.__dict__, rules=rules)
        for depending_on_rules in ("fingerprint", "_hash"):
            twin.__dict__.pop(depending_on_rules, None)
        return twin

    # As plain data

    def document(self) -> dict[str, Any]:
        """The space as plain data, the shape of a catalogue file; `from_document` gives an equal space back."""
        return merged_document(self._plain_document(), self.presentation)

    def _plain_document(self) -> dict[str, Any]:
        """What can be built, and its texts in the default language."""
        head = {"catalogue": self.name, "title": self.title, "description": self.description}
        document: dict[str, Any] = {key: text for key, text in head.items() if text}
        document["attributes"] = {attribute.name: attribute.document() for attribute in self.attributes}
        if self.quantities:
            document["quantities"] = {quantity.name: quantity.document() for quantity in self.quantities}
        if self.rules:
            document["rules"] = [rule.document() for rule in self.rules]
        if self.items is not None:
            document["items"] = self.items.document()
        return document

    @cached_property
    def fingerprint(self) -> str:
        """What priors and records know the space by, whatever else people see of it; see `fingerprint_of`.

        Where its presentation is empty, databases know it as a catalogue by the same.
        """
        return fingerprint_of(self.name, self._plain_document())

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, Space) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    @property
    def _identity(self) -> tuple[object, ...]:
        """Everything; labels tell 8 from 8.0, which are features of different names."""
        labels = tuple(attribute.labels for attribute in self.attributes)
        texts = self.name, self.title, self.description, self.presentation
        return *texts, self.attributes, labels, self.quantities, self.rules, self.items

    @cached_property
    def _hash(self) -> int:
        return hash(self._identity)

    def __reduce__(self) -> tuple[object, ...]:
        return build_space, (self.document(),)


def build_space(document: Mapping[str, Any]) -> Space:
    """The space behind plain data whose shape is known to be right; `from_document` checks the shape first."""
    return space_of(*split_document(document))


def space_of(document: Mapping[str, Any], presentation: Presentation) -> Space:
    """The space of both."""
    return Space(
        [Attribute.from_document(name, body) for name, body in document["attributes"].items()],
        quantities=[Quantity.from_document(name, body) for name, body in document.get("quantities", {}).items()],
        rules=document.get("rules", ()),
        name=document["catalogue"],
        title=document.get("title", ""),
        description=document.get("description", ""),
        presentation=presentation,
        items=Items.from_document(document["items"]) if "items" in document else None,
    )


def fingerprint_of(name: str, document: Mapping[str, Any]) -> str:
    """What a catalogue of this name is known by everywhere: SHA-256 in 64 hexadecimal digits.

    Databases go by it, so what goes into it must never change: compact JSON in ASCII, in the order given.
    """
    text = json.dumps([name, document], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _all(kind: type[Thing], things: Iterable[Thing], what: str, example: str) -> tuple[Thing, ...]:
    if isinstance(things, str | Mapping) or not isinstance(things, Iterable):
        raise SpaceError(f"{what} is {short(things)}; give a list, such as [{example}]", at=(what,))
    listed = tuple(things)
    for thing in listed:
        if not isinstance(thing, kind):
            raise SpaceError(f"{short(thing)} stands among the {what}; give {example}", at=(what,))
    return listed
