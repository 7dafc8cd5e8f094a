"""Feature models in the Universal Variability Language: text in, a tree of features and formulas out.

What is read is data only: nothing is evaluated, no other file is opened. What setmargin has no counterpart for is
refused with its line and the cure, so that nothing is half imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final, NoReturn

from lark import Lark, Token, Tree, UnexpectedInput
from lark.exceptions import LarkError
from lark.indenter import DedentError, Indenter

from setmargin.errors import CatalogueError
from setmargin.space.text import short

DEEPEST: Final = 200
"""Groups inside groups; deeper trees are no feature models."""
LONGEST: Final = 5_000_000


@dataclass(eq=False)
class Feature:
    """A feature, its groups of children, and its attributes as they were written."""

    name: str
    line: int
    groups: list[FeatureGroup] = field(default_factory=list)
    numbers: dict[str, float] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    """Attributes that are no numbers."""

    def all(self) -> Iterator[Feature]:
        """This one, and all below it."""
        yield self
        for group in self.groups:
            for child in group.features:
                yield from child.all()


@dataclass(eq=False)
class FeatureGroup:
    """Children of a feature, of which at least and at most so many are chosen where the feature is."""

    kind: str
    features: list[Feature]
    least: int
    most: int


@dataclass(frozen=True, eq=False)
class FeatureModel:
    """The root of a feature model, and its constraints, each with its line."""

    root: Feature
    constraints: tuple[tuple[int, Tree[Token]], ...]
    name: str = ""


class _Uneven(DedentError):
    """A line that stands further in than its feature, and less far than what is below that."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Lines(Indenter):
    NL_type = "_NL"
    OPEN_PAREN_types: list[str] = []  # noqa: RUF012
    CLOSE_PAREN_types: list[str] = []  # noqa: RUF012
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 4

    def handle_NL(self, token: Token) -> Iterator[Token]:
        try:
            yield from super().handle_NL(token)
        except DedentError:
            raise _Uneven(token.end_line or 1) from None


@cache
def _parser() -> Lark:
    grammar = resources.files("setmargin.exchange").joinpath("uvl.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", postlex=_Lines(), propagate_positions=True, maybe_placeholders=True)


def read_model(text: str, *, file: str) -> FeatureModel:
    """The feature model that the text is.

    Raises:
        CatalogueError: where it cannot be read, or has something that a catalogue has not, with line and cure.
    """
    if len(text) > LONGEST:
        raise CatalogueError(f"{len(text):,} characters are too many; keep to {LONGEST:,}", file=file)
    plain = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    plain = re.sub(r"(?m)[ \t]*//[^\n]*$", "", plain.replace("\r\n", "\n"))
    plain = re.sub(r"\n[ \t]*(?=\n)", "\n", plain).rstrip() + "\n"
    depths = [len(line) - len(line.lstrip()) for line in plain.splitlines()]
    if max(depths, default=0) > DEEPEST * 8:
        raise CatalogueError("the features are nested too deeply", file=file)
    try:
        tree = _parser().parse(plain)
    except UnexpectedInput as error:
        _refuse_text(plain, error, file)
    except _Uneven as error:
        _refuse_indentation(plain, error.line, file)
    except (LarkError, AssertionError) as error:
        raise CatalogueError(f"no UVL: {error}; indent every group by the same", file=file) from None
    return ModelReader(file).model(tree)


def _refuse_text(text: str, error: UnexpectedInput, file: str) -> NoReturn:
    line = error.line if isinstance(error.line, int) and error.line > 0 else text.count("\n") + 1
    written = text.splitlines()[line - 1].strip() if line <= text.count("\n") else "the end"
    before = sum(1 for each in text.splitlines()[: line - 1] if each.strip())
    raise CatalogueError(
        f"no UVL from here on: {short(written)}; the {before} lines before it were understood; write groups "
        f"(mandatory, optional, alternative, or, [1..2]) below their feature, indented, and names with signs in double "
        f"quotes",
        file=file,
        line=line,
    ) from None


def _refuse_indentation(text: str, line: int, file: str) -> NoReturn:
    lines = [each.expandtabs(_Lines.tab_len) for each in text.splitlines()[:line]]
    columns = [len(each) - len(each.lstrip()) for each in lines]
    used = sorted(set(columns[:-1]))
    raise CatalogueError(
        f"no UVL: {short(lines[-1].strip())} is indented by {columns[-1]}, where nothing above it is; indent it by one "
        f"of {', '.join(map(str, used))}, like what it stands beside",
        file=file,
        line=line,
    ) from None


class ModelReader:
    """From the parser's tree to ours; knows the file for errors."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.seen: dict[str, int] = {}
        self.inner: list[tuple[int, Tree[Token]]] = []

    def refuse(self, line: int, what: str, cure: str) -> NoReturn:
        raise CatalogueError(f"{what}; {cure}", file=self.file, line=line)

    def model(self, tree: Tree[Token]) -> FeatureModel:
        parts = {part.data: part for part in tree.children if isinstance(part, Tree)}
        if "imports" in parts:
            line = parts["imports"].meta.line
            self.refuse(line, "the model imports others, which setmargin does not", "write all of it into one file")
        if "features" not in parts:
            self.refuse(1, "there are no features", "write features and below it, indented, the root")
        roots = [part for part in parts["features"].children if isinstance(part, Tree)]
        if len(roots) > 1:
            second = self.line_of(roots[1])
            self.refuse(second, "there is a second root", "put all features below one, as mandatory children")
        root = self.feature(roots[0])
        lines = [part for part in parts["constraints"].children if part] if "constraints" in parts else []
        stated = tuple((self.line_of(line), line.children[0]) for line in lines if isinstance(line, Tree))
        named = parts["namespace"].children[0] if "namespace" in parts else None
        name = ".".join(self.names(named)) if isinstance(named, Tree) else ""
        return FeatureModel(root, (*self.inner, *stated), name)  # type: ignore[arg-type]

    def line_of(self, tree: Tree[Token]) -> int:
        return int(getattr(tree.meta, "line", 0) or 1)

    def names(self, reference: Tree[Token]) -> list[str]:
        return [str(name.children[0]).strip('"') for name in reference.children if isinstance(name, Tree)]

    def feature(self, tree: Tree[Token]) -> Feature:
        line = self.line_of(tree)
        kind, reference, bounds, *rest = tree.children
        assert isinstance(reference, Tree)
        name = ".".join(self.names(reference))
        if kind is not None and str(kind) != "Boolean":
            self.refuse(
                line,
                f"{name} is a feature of type {kind}, and setmargin has features that are there or not",
                "make it an alternative group with a feature for each value",
            )
        if bounds is not None:
            self.refuse(
                line,
                f"{name} may be there several times (cardinality {bounds}), and setmargin has each once",
                "write a feature for each copy, or leave the cardinality out",
            )
        if name in self.seen:
            self.refuse(line, f"{name} is there twice, first on line {self.seen[name]}", "rename one of the two")
        self.seen[name] = line
        found = Feature(name, line)
        for part in rest:
            if isinstance(part, Tree) and part.data == "group":
                found.groups.append(self.group(part))
            elif isinstance(part, Tree):
                self.attribute(found, part)
        return found

    def attribute(self, feature: Feature, part: Tree[Token]) -> None:
        if part.data == "inner_constraint":
            self.inner += [(feature.line, each) for each in part.children if each is not None]  # type: ignore[misc]
            return
        name_tree, value = part.children
        assert isinstance(name_tree, Tree)
        name = str(name_tree.children[0]).strip('"')
        if isinstance(value, Tree) and value.data == "number":
            feature.numbers[name] = float(str(value.children[0]))
        elif name != "abstract":
            feature.others[name] = str(value.data) if isinstance(value, Tree) else "nothing"

    def group(self, tree: Tree[Token]) -> FeatureGroup:
        kind, *children = tree.children
        assert isinstance(kind, Tree)
        written = str(kind.children[0])
        features = [self.feature(child) for child in children if isinstance(child, Tree)]
        count = len(features)
        line = self.line_of(tree)
        if not features:
            self.refuse(line, f"the group {written} has no features", "add some, indented, or remove it")
        least, most = {
            "mandatory": (count, count),
            "optional": (0, count),
            "alternative": (1, 1),
            "or": (1, count),
        }.get(written, (0, 0))
        if written.startswith("["):
            ends = re.findall(r"\d+|\*", written)
            least, most = int(ends[0]), count if ends[-1] == "*" else int(ends[-1])
            if least > min(most, count):
                self.refuse(
                    line,
                    f"of {count} features {written} cannot be chosen",
                    f"write numbers from 0 to {count}, in order",
                )
        return FeatureGroup(written, features, least, min(most, count))
