"""A feature model as a catalogue.

What must be there is no attribute. An alternative group is an attribute with a value for each of its features, called
like the feature above it; `none` is one more value where that feature need not be there. Any other feature that is
there or not is an attribute with `no` and `yes`, and what its group demands is a rule. Numbers beside features add up
to quantities.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, Final, NoReturn

from lark import Token, Tree

from setmargin.errors import CatalogueError
from setmargin.exchange.uvl_reading import Feature, FeatureGroup, FeatureModel
from setmargin.space.guessing import better_by_name
from setmargin.space.list_document import catalogue_name
from setmargin.space.text import exact, show, suggest

MOST_CLAUSES: Final = 3_000
NO, YES = "no", "yes"

Truth = bool | str
"""What a formula comes to: true, false, or a rule as text."""


@dataclass(frozen=True)
class Present:
    """When a feature is there: when an attribute has one of these values; always, where there is no attribute."""

    attribute: str = ""
    values: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """The other values of the attribute."""

    @property
    def text(self) -> Truth:
        if not self.attribute:
            return True
        name = show(self.attribute)
        if len(self.values) == 1:
            return f"{name} = {show(self.values[0])}"
        if len(self.others) == 1:
            return f"{name} != {show(self.others[0])}"
        return f"{name} in {{{', '.join(map(show, self.values))}}}"


ALWAYS: Final = Present()


@dataclass
class ImportedModel:
    """A catalogue's document, and what is told beside its parts."""

    document: dict[str, Any]
    comments: dict[str, str]
    remarks: list[str]


def import_model(model: FeatureModel, *, file: str) -> ImportedModel:
    """The catalogue of a feature model.

    Raises:
        CatalogueError: for constraints over what a catalogue has not, with line and cure.
    """
    return _Importing(model, file).imported()


@dataclass
class _Importing:
    model: FeatureModel
    file: str
    present: dict[str, Present] = field(default_factory=dict)
    attributes: dict[str, list[str]] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def imported(self) -> ImportedModel:
        self.names = {feature.name for feature in self.model.root.all()}
        self.add(self.model.root, ALWAYS)
        stated = [self.rule(line, tree) for line, tree in self.model.constraints]
        if not self.attributes:
            self.refuse(self.model.root.line, "every feature must be there", "add groups that leave a choice")
        quantities = self.quantities()
        name = self.model.root.name
        document: dict[str, Any] = {"catalogue": catalogue_name(name), "title": name, "attributes": self.attributes}
        if quantities:
            document["quantities"] = quantities
        if rules := [*self.rules, *(rule for rule in stated if rule)]:
            document["rules"] = rules
        return ImportedModel(document, self.comments, self.remarks())

    def refuse(self, line: int, what: str, cure: str) -> NoReturn:
        raise CatalogueError(f"{what}; {cure}", file=self.file, line=line)

    # Features

    def add(self, feature: Feature, present: Present) -> None:
        """A feature that is there in this case, and all below it."""
        self.present[feature.name] = present
        own = present.attribute == feature.name and present.others != (NO,)
        for group in feature.groups:
            merged = own and _is_alternative(group)
            own = own and not merged
            self.add_group(feature, group, present, merged=merged)

    def add_group(self, parent: Feature, group: FeatureGroup, present: Present, *, merged: bool) -> None:
        count = len(group.features)
        if group.least == count:
            for child in group.features:
                self.add(child, present)
        elif group.most == 1 and count > 1:
            self.add_choice(parent, group, present, merged=merged)
        elif group.most == 0:
            self.refuse(group.features[0].line, f"nothing of this group {group.kind} can be chosen", "remove it")
        else:
            children = [self.own_attribute(child, group) for child in group.features]
            for child, there in zip(group.features, children, strict=True):
                self.demand(_implies(there.text, present.text))
                self.add(child, there)
            self.demand(_implies(present.text, self.counted(group, children)))

    def add_choice(self, parent: Feature, group: FeatureGroup, present: Present, *, merged: bool) -> None:
        """At most one of a group: an attribute with a value for each."""
        names = [child.name for child in group.features]
        if merged:
            name, none = parent.name, present.others[0]
        else:
            name = self.free(parent.name)
            none = _none(names)
            optional = present is not ALWAYS or group.least == 0
            self.attributes[name] = [none, *names] if optional else names
            self.comments[name] = f"line {group.features[0].line}: {group.kind} group of {parent.name}"
            there = Present(name, tuple(names), (none,))
            if present is not ALWAYS:
                chosen, above = there.text, present.text
                self.demand(_implies(chosen, above) if group.least == 0 else f"{chosen} <=> {above}")
        for child in group.features:
            others = tuple(value for value in self.attributes[name] if value != child.name)
            self.add(child, Present(name, (child.name,), others))

    def own_attribute(self, feature: Feature, group: FeatureGroup) -> Present:
        """A feature that is there or not; with the alternative group below it, if there is one, in one attribute."""
        below = next((each for each in feature.groups if _is_alternative(each)), None)
        names = [child.name for child in below.features] if below else []
        none = _none(names) if below else NO
        self.attributes[feature.name] = [none, *(names or [YES])]
        self.comments[feature.name] = f"line {feature.line}: {group.kind} feature" + (
            f" with its {below.kind} group" if below else ""
        )
        return Present(feature.name, tuple(names or [YES]), (none,))

    def counted(self, group: FeatureGroup, children: list[Present]) -> Truth:
        """That so many of a group are there."""
        count = len(children)
        texts = [str(child.text) for child in children]
        sizes = (count - group.least + 1 if group.least else 0, group.most + 1 if group.most < count else 0)
        if sum(comb(count, size) for size in sizes if size) > MOST_CLAUSES:
            self.refuse(
                group.features[0].line,
                f"{group.kind} of {count} features takes too many rules",
                "split the group into smaller ones",
            )
        some = [" or ".join(each) for each in combinations(texts, sizes[0])] if sizes[0] else []
        few = [" or ".join(f"not {one}" for one in each) for each in combinations(texts, sizes[1])] if sizes[1] else []
        clauses = [*some, *few]
        if not clauses:
            return True
        return " and ".join(f"({clause})" for clause in clauses) if len(clauses) > 1 else clauses[0]

    def demand(self, rule: Truth) -> None:
        if isinstance(rule, str):
            self.rules.append(rule)

    def free(self, name: str) -> str:
        number, tried = 2, name
        while tried in self.attributes or (tried != name and tried in self.names):
            number, tried = number + 1, f"{name} {number}"
        return tried

    # Quantities

    def quantities(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for number in self.summed:
            base = Fraction(0)
            adds: dict[str, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
            count = 0
            for feature in self.model.root.all():
                if number not in feature.numbers:
                    continue
                count += 1
                present, amount = self.present[feature.name], exact(feature.numbers[number])
                if present is ALWAYS:
                    base += amount
                for value in present.values:
                    adds[present.attribute][value] += amount
            name = self.quantity_name(number)
            better = better_by_name(number)
            self.comments[name] = f"the sum of {number} of {count} features" + (
                f"; {better} is better by its name" if better else "; say whether lower or higher is better"
            )
            if not adds:
                continue
            sums = {
                attribute: {value: _plain(by_value[value]) for value in self.attributes[attribute]}
                for attribute, by_value in adds.items()
            }
            found[name] = {"better": better or "higher", **({"base": _plain(base)} if base else {}), "sum": sums}
        return found

    @property
    def summed(self) -> list[str]:
        return list(dict.fromkeys(name for feature in self.model.root.all() for name in feature.numbers))

    def quantity_name(self, number: str) -> str:
        return f"sum of {number}" if number in self.attributes else number

    def remarks(self) -> list[str]:
        left: dict[str, int] = defaultdict(int)
        for feature in self.model.root.all():
            for name in feature.others:
                left[name] += 1
        return [f"left out: {name}, which is no number, of {count} features" for name, count in left.items()]

    # Constraints

    def rule(self, line: int, tree: Tree[Token]) -> str:
        found = self.truth(line, tree)
        if found is False:
            self.refuse(line, "this constraint can never hold", "correct or remove it")
        return found if isinstance(found, str) else ""

    def truth(self, line: int, tree: Tree[Token]) -> Truth:
        inner = tree.children
        match str(tree.data):
            case "named":
                return self.named(line, _names(inner[0]))
            case "not_":
                return _not(self.truth(line, _tree(inner[0])))
            case "and_":
                return _and(*(self.truth(line, _tree(each)) for each in inner))
            case "or_":
                return _not(_and(*(_not(self.truth(line, _tree(each))) for each in inner), negated=True))
            case "implies":
                one, other = (self.truth(line, _tree(each)) for each in inner)
                return _implies(one, other)
            case "iff":
                one, other = (self.truth(line, _tree(each)) for each in inner)
                if isinstance(one, bool) or isinstance(other, bool):
                    known, rest = (one, other) if isinstance(one, bool) else (other, one)
                    return rest if known else _not(rest)
                return f"{_inside(one)} <=> {_inside(other)}"
            case "compare":
                left, sign, right = inner
                return self.compared(line, _tree(left), str(sign), _tree(right))
        return self.refuse(
            line, f"{tree.data} stands where a feature should be", "write features with !, &, |, => and <=>"
        )

    def named(self, line: int, names: list[str]) -> Truth:
        name = ".".join(names)
        if name not in self.present:
            hint = suggest(name, list(self.present), what="there is")
            self.refuse(line, f"there is no feature {name!r}", hint)
        return self.present[name].text

    def compared(self, line: int, left: Tree[Token], sign: str, right: Tree[Token]) -> Truth:
        one, other = self.linear(line, left), self.linear(line, right)
        sums = {name: one.get(name, Fraction(0)) - other.get(name, Fraction(0)) for name in {**one, **other}}
        constant = -sums.pop("", Fraction(0))
        signs = {"==": "="}
        terms = [(factor, name) for name, factor in sums.items() if factor]
        if not terms:
            holds = {"==": constant == 0, "!=": constant != 0, "<": constant > 0, "<=": constant >= 0}
            return {**holds, ">": constant < 0, ">=": constant <= 0}[sign]
        text = " + ".join(
            show(name) if factor == 1 else f"{_plain(factor)} * {show(name)}"
            for factor, name in ((abs(factor), name) for factor, name in terms if factor > 0)
        )
        minus = "".join(f" - {_plain(-factor)} * {show(name)}" for factor, name in terms if factor < 0)
        return f"{text or '0'}{minus} {signs.get(sign, sign)} {_plain(constant)}"

    def linear(self, line: int, tree: Tree[Token]) -> dict[str, Fraction]:
        """A sum of quantities with factors, and a number under no name."""
        inner = tree.children
        match str(tree.data):
            case "number":
                return {"": Fraction(str(inner[0]))}
            case "plus" | "minus":
                one, other = (self.linear(line, _tree(each)) for each in inner)
                sign = 1 if tree.data == "plus" else -1
                return {name: one.get(name, Fraction(0)) + sign * other.get(name, Fraction(0)) for name in one | other}
            case "times" | "over":
                one, other = (self.linear(line, _tree(each)) for each in inner)
                if tree.data == "times" and set(one) <= {""}:
                    one, other = other, one
                factor = other.get("", Fraction(0))
                if set(other) <= {""} and (factor or tree.data == "times"):
                    factor = factor if tree.data == "times" else 1 / factor
                    return {name: number * factor for name, number in one.items()}
            case "call" | "call_by_string" if str(inner[0]) == "sum":
                named = _names(inner[1]) if isinstance(inner[1], Tree) else [str(inner[1]).strip("'")]
                whole = [_names(each) for each in inner[2:]]
                if all(each == [self.model.root.name] for each in whole):
                    return self.summed_up(".".join(named))
        return self.refuse(
            line,
            "this comparison is about something else than sums of numbers over all features",
            "write sums with factors, such as sum(price) + 2 * sum(weight) <= 10",
        )

    def summed_up(self, number: str) -> dict[str, Fraction]:
        """A quantity, or a number where it does not depend on what is chosen."""
        features = [feature for feature in self.model.root.all() if number in feature.numbers]
        if any(self.present[feature.name] is not ALWAYS for feature in features):
            return {self.quantity_name(number): Fraction(1)}
        return {"": sum((exact(feature.numbers[number]) for feature in features), Fraction(0))}


def _is_alternative(group: FeatureGroup) -> bool:
    return (group.least, group.most) == (1, 1) and len(group.features) > 1


def _none(names: list[str]) -> str:
    return next(word for word in ("none", "none of them", "nothing", "–") if word not in names)


def _plain(number: Fraction) -> float:
    return int(number) if number.denominator == 1 else float(number)


def _not(one: Truth) -> Truth:
    if isinstance(one, bool):
        return not one
    return one[5:-1] if one.startswith("not (") and _closes(one) else f"not ({one})"


def _closes(text: str) -> bool:
    """Whether the parenthesis after `not` is closed by the last character."""
    depth = 0
    quoted = False
    for place, sign in enumerate(text[4:], 4):
        quoted ^= sign == '"'
        if not quoted:
            depth += (sign == "(") - (sign == ")")
            if not depth:
                return place == len(text) - 1
    return False


def _and(*parts: Truth, negated: bool = False) -> Truth:
    """All of them; negated, what is put together is said as `or` of their opposites."""
    if any(part is False for part in parts):
        return False
    left = [part for part in parts if isinstance(part, str)]
    if not left:
        return True
    if negated:
        opposites = [str(_not(part)) for part in left]
        return _not(" or ".join(map(_inside, opposites)))
    return " and ".join(map(_inside, left)) if len(left) > 1 else left[0]


def _implies(one: Truth, other: Truth) -> Truth:
    if one is False or other is True:
        return True
    if one is True:
        return other
    return _not(one) if other is False else f"{_inside(one)} => {_inside(other)}"


def _inside(text: str) -> str:
    """In parentheses unless it is a comparison alone."""
    joins = (" and ", " or ", "=>", "not ")
    return f"({text})" if any(each in text for each in joins) else text


def _tree(node: Any) -> Tree[Token]:
    assert isinstance(node, Tree)
    return node


def _names(reference: Any) -> list[str]:
    return [str(name.children[0]).strip('"') for name in reference.children if isinstance(name, Tree)]
