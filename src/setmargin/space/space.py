"""The space: attributes, quantities and rules, and configurations as feature vectors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ConfigurationError, OptionError, SpaceError
from setmargin.html import heading, table
from setmargin.space.attributes import Attribute, Quantity, check_size
from setmargin.space.finding_items import indices_of_item
from setmargin.space.formula import holds
from setmargin.space.items import Item, Items, Listing, listing_of
from setmargin.space.language import Names
from setmargin.space.presentation import EMPTY, Presentation
from setmargin.space.presentation_checks import check_presentation
from setmargin.space.presentation_document import merged_document, split_document
from setmargin.space.rules import Rule, Table, bind
from setmargin.space.space_checks import check_parts, feature_names_of
from setmargin.space.text import Value, exact, short, suggest
from setmargin.space.trends import Trend, goodness_of, trends_of

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
class Space:
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

    # What it is made of

    @cached_property
    def names(self) -> Names:
        """What rules may speak of."""
        return Names(self.attributes, self.sums, self.hidden)

    @cached_property
    def listing(self) -> Listing:
        """The items of a product list as rows of value indices."""
        assert self.items is not None
        return listing_of(self.attributes, self.quantities, self.items)

    @property
    def hidden(self) -> tuple[Attribute, ...]:
        """Attributes that nobody sees, behind the others: the digits of a product list's numbers."""
        return () if self.items is None else self.listing.hidden

    @property
    def sums(self) -> tuple[Quantity, ...]:
        """The quantities as sums over attributes, hidden ones too."""
        return self.quantities if self.items is None else self.listing.sums

    @cached_property
    def domains(self) -> tuple[int, ...]:
        """How many values each attribute has, and behind those each hidden one."""
        return tuple(len(attribute.values) for attribute in (*self.attributes, *self.hidden))

    @cached_property
    def offsets(self) -> Ints:
        """Where each attribute's one-hot block starts; the last entry is the number of one-hot features."""
        return np.concatenate([[0], np.cumsum(self.domains)]).astype(np.int64)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """One-hot values, then quantities, then trends: `cpu=Crusoe 800`, `price`, `memory>=256`."""
        values = (name for attribute in (*self.attributes, *self.hidden) for name in feature_names_of(attribute))
        return (*values, *(each.name for each in self.quantities), *(each.name for each in self.trends))

    @cached_property
    def plain_features(self) -> int:
        """How many features are values and quantities: all but the trends, which come last."""
        return int(self.offsets[-1]) + len(self.quantities)

    @cached_property
    def trends(self) -> tuple[Trend, ...]:
        """What follows from the order of values, for each attribute that says what is better; the last features."""
        return tuple(trend for number, each in enumerate(self.attributes) for trend in trends_of(each, number))

    @cached_property
    def things(self) -> tuple[str, ...]:
        """What people may care about: the names of attributes, then of quantities."""
        return (*(each.name for each in self.attributes), *(each.name for each in self.quantities))

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """The names of what features stand in blocks of: attributes, hidden ones behind them, then quantities."""
        return (*(each.name for each in (*self.attributes, *self.hidden)), *(each.name for each in self.quantities))

    @cached_property
    def seen_values(self) -> int:
        """How many one-hot values people see: all but those of hidden attributes, which come last."""
        return int(self.offsets[len(self.attributes)])

    @cached_property
    def things_of_attributes(self) -> Ints:
        """Which of the things each attribute is; a hidden one belongs to its quantity."""
        count = len(self.attributes)
        quantities = {name: count + place for place, each in enumerate(self.sums) for name in each.terms}
        return np.array([*range(count), *(quantities[each.name] for each in self.hidden)], dtype=np.int64)

    @cached_property
    def owners(self) -> Ints:
        """Which of the things each feature belongs to; values and trends belong to their attribute."""
        values = np.repeat(self.things_of_attributes, self.domains)
        quantities = np.arange(len(self.attributes), len(self.things))
        trends = np.array([trend.attribute for trend in self.trends], dtype=np.int64)
        return np.concatenate([values, quantities, trends])

    def features_of(self, name: str) -> Bools:
        """Which features belong to an attribute (its values and its trends) or a quantity."""
        return np.asarray(self.owners == self.things.index(name))

    def by_thing(self, parts: Floats) -> Floats:
        """Sums over the features of each thing; for one vector or rows of them, which may leave trends out."""
        plain, seen = self.plain_features, len(self.attributes)
        starts = np.append(self.offsets[:-1], np.arange(self.offsets[-1], plain))
        sums: Floats = np.add.reduceat(parts[..., :plain], starts, axis=-1)
        if self.hidden:
            digits = sums[..., seen : len(self.domains)]
            sums = np.concatenate([sums[..., :seen], sums[..., len(self.domains) :]], axis=-1)
            for number, thing in enumerate(self.things_of_attributes[seen:]):
                sums[..., thing] += digits[..., number]
        for number, trend in enumerate(self.trends if parts.shape[-1] > plain else (), plain):
            sums[..., trend.attribute] += parts[..., number]
        return sums

    @cached_property
    def amounts_table(self) -> Floats:
        """Quantities × one-hot values: what each value adds, in the quantity's own unit."""
        everything = (*self.attributes, *self.hidden)
        tables = [[n for a in everything for n in quantity.table(a)] for quantity in self.sums]
        return np.array(tables, dtype=float).reshape(len(self.quantities), int(self.offsets[-1]))

    @cached_property
    def costs(self) -> Floats:
        """The paper's matrix C, quantities and trends × one-hot values, so that x_R = C x_B.

        Never negative, and divided by the sum of the per-attribute maxima; a lower-is-better quantity is turned
        around. The constants that this adds are the same for every configuration.
        """
        rows = [
            self._cost_row(quantity, table) for quantity, table in zip(self.quantities, self.amounts_table, strict=True)
        ]
        rows += [self._one_attribute(trend.attribute, trend.row) for trend in self.trends]
        return np.array(rows, dtype=float).reshape(len(rows), int(self.offsets[-1]))

    def _cost_row(self, quantity: Quantity, table: Floats) -> Floats:
        blocks = np.split(table, self.offsets[1:-1])
        lifted = [block - min(0.0, block.min()) for block in blocks]
        scale = sum(block.max() for block in lifted) or 1.0
        if quantity.better == "lower":
            lifted = [block.max() - block for block in lifted]
        return np.concatenate(lifted) / scale

    @cached_property
    def goodness(self) -> Floats:
        """A row over one-hot values for each attribute with a direction: 0 at its worst value, 1 at its best."""
        rows = []
        for number, attribute in enumerate(self.attributes):
            if (row := goodness_of(attribute)) is not None:
                rows.append(self._one_attribute(number, row))
        return np.array(rows, dtype=float).reshape(len(rows), int(self.offsets[-1]))

    def _one_attribute(self, number: int, numbers: Sequence[float]) -> Floats:
        row = np.zeros(int(self.offsets[-1]))
        row[self.offsets[number] : self.offsets[number + 1]] = numbers
        return row

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

    def value_weights(self, weights: Floats) -> Floats:
        """Weights of features folded onto one-hot values: v = w_B + C'w_R; for one vector or rows of them."""
        cut = int(self.offsets[-1])
        folded: Floats = weights[..., :cut] + weights[..., cut:] @ self.costs
        return folded

    def without_trends(self, weights: Floats) -> Floats:
        """The same tastes in values and quantities alone: trends folded onto the values of their attribute.

        For one vector over features, or rows of them. This is how weights are told to people, to whom a trend is
        nothing beside its attribute.
        """
        cut = int(self.offsets[-1])
        plain = self.plain_features
        if not self.trends:
            return weights
        own = weights[..., :cut] + weights[..., plain:] @ self.costs[len(self.quantities) :]
        return np.concatenate([own, weights[..., cut:plain]], axis=-1)

    def weights(self, named: Mapping[str, float]) -> Floats:
        """A vector with one weight for each feature, from some weights by name; what is not named weighs nothing.

        Raises OptionError for a name that is no feature, and for a weight that is no finite number.
        """
        vector = np.zeros(len(self.feature_names))
        weighed: set[int] = set()
        for name, number in named.items():
            position = self._feature_position(name)
            if isinstance(number, bool) or not isinstance(number, Real) or not isfinite(number):
                raise OptionError(f"the weight of {name} is {short(number)}; give a finite number")
            if position in weighed:
                raise OptionError(f"{name} is weighed twice; keep one")
            weighed.add(position)
            vector[position] = number
        return vector

    @cached_property
    def _feature_positions(self) -> Mapping[str, int]:
        return {name: position for position, name in enumerate(self.feature_names)}

    def _feature_position(self, name: str) -> int:
        if name in self._feature_positions:
            return self._feature_positions[name]
        left, _, value = (part.strip() for part in str(name).partition("="))
        if left not in self.names.positions:
            hint = suggest(str(name), self.feature_names, what="the features are")
            raise OptionError(f"there is no feature {short(name)}; {hint}")
        attribute = self.attributes[self.names.positions[left]]
        if not value:
            raise OptionError(f"{left} is an attribute; weigh its values, such as {left}={attribute.labels[0]}")
        try:
            return int(self.offsets[self.names.positions[left]]) + attribute.index(value)
        except SpaceError as error:
            raise OptionError(str(error)) from None

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
