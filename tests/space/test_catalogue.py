"""Catalogue files: what is written is read back, and every mistake has its line and its cure."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from setmargin.errors import CatalogueError, SetmarginError
from setmargin.space import yaml_reading
from setmargin.space.catalogue import LARGEST_FILE, dumps, load, loads, prior_named_in, save, shipped
from setmargin.space.document import from_document, schema
from setmargin.space.space import Space
from setmargin.space.yaml_reading import read
from tests.space.generated import SHOP, everything, spaces

fixed = settings(derandomize=True, deadline=None, max_examples=80)

HEAD = "catalogue: a\nattributes:\n  x: [a, b]\n  n: [1, 2]\n"
SMALL = (
    HEAD
    + """\
quantities:
  price: {unit: €, better: lower, base: 1.5, sum: {x: {a: 1, b: 2}, n: 0.1}}
rules:
  - x = a => n >= 2
  - {allow: [x, n], rows: [[a, 1], [b, 2]]}
"""
)


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def either_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser in C where there is one, and the one in Python."""
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML has no parser in C here")
    monkeypatch.setattr(yaml_reading, "LOADER", getattr(yaml, request.param))


def refusal(text: str) -> CatalogueError:
    with pytest.raises(CatalogueError) as caught:
        loads(text, file="shop.yaml")
    return caught.value


# What is written is read back


@given(spaces())
@example(SHOP)
@fixed
def test_a_written_space_is_read_back(space: Space) -> None:
    text = dumps(space)
    again = loads(text)
    assert again == space
    assert again.attributes == space.attributes
    assert [[type(v) for v in a.values] for a in again.attributes] == [
        [type(v) for v in a.values] for a in space.attributes
    ]
    rows = everything(space)
    assert (again.feasible(rows) == space.feasible(rows)).all()
    assert dumps(again) == text


@given(spaces())
@fixed
def test_a_written_space_fits_the_schema(space: Space) -> None:
    Draft202012Validator(schema()).validate(read(dumps(space), file="").content)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_catalogue_fits_the_schema_and_is_read_back(name: str) -> None:
    text = Path(yaml_reading.__file__).parents[1].joinpath("catalogues", f"{name}.yaml").read_text("utf-8")
    Draft202012Validator(schema()).validate(read(text, file=name).content)
    space = load(name)
    assert space.name == name
    assert loads(dumps(space)) == space


def test_the_shipped_catalogues_are_listed() -> None:
    assert "pc" in shipped()
    assert list(shipped()) == sorted(shipped())


@pytest.mark.usefixtures("either_parser")
def test_words_stay_words_and_numbers_numbers() -> None:
    values = "no, 12:30, 007, 1e3, 1_000, 0x1F, 2001-01-01, '5', true, 1.5, -3, +4, 2., 1.0e+3"
    (attribute,) = loads(f"catalogue: 007x\nattributes:\n  yes: [{values}]").attributes
    assert attribute.name == "yes"
    words = ("no", "12:30", "007", "1e3", "1_000", "0x1F", "2001-01-01", "5", "true")
    assert attribute.values == (*words, 1.5, -3, 4, 2.0, 1000.0)


@pytest.mark.usefixtures("either_parser")
def test_anchors_and_aliases_may_be_used() -> None:
    space = loads("catalogue: a\nattributes:\n  x: &values [a, &b b]\n  y: *values\nrules:\n  - x = a\n")
    assert space.attributes[1].values == ("a", "b")


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize("text", ["\ufeff" + SMALL, SMALL.replace("\n", "\r\n"), "---\n" + SMALL + "...\n"])
def test_other_ways_to_save_a_file_make_no_difference(text: str, tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_bytes(text.encode())
    assert load(file) == load(os.fsencode(file)) == loads(text) == loads(SMALL)  # type: ignore[arg-type]


def test_a_saved_space_is_loaded_and_leaves_nothing_else_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(SHOP, "synthetic.yaml")
    save(SHOP, "synthetic.yaml")
    assert load("synthetic.yaml") == load(tmp_path / "synthetic.yaml") == SHOP
    assert os.listdir(tmp_path) == ["synthetic.yaml"]


def test_a_file_that_cannot_be_written_is_an_error_and_no_half_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "gone" / "shop.yaml", tmp_path / "folder"):
        with pytest.raises(CatalogueError, match="cannot be written"):
            save(SHOP, target)
    assert os.listdir(tmp_path) == ["folder"]


# Every mistake with its line and its cure

MISTAKES: list[tuple[str, int, str]] = [
    ("", 1, "the file is empty; start it with catalogue:"),
    ("# nothing\n", 1, "the file is empty"),
    ("~", 1, "the file is empty"),
    ("---", 1, "the file is empty"),
    ("hello world", 1, "'hello world' is not a mapping"),
    ("- a\n- b", 1, "this list is not a mapping"),
    ("\n\n5", 3, "5 is not a mapping"),
    ("title: x\ncatalog: a\nattributes: {x: [a]}", 2, "no 'catalog' here; did you mean catalogue?"),
    ("catalogue: a\n", 1, "attributes is missing"),
    ("catalogue: a\nattributes:\n", 2, "attributes: nothing stands here, where a mapping should be"),
    ("catalogue: a\nattributes: {}\n", 2, "attributes: nothing is listed here"),
    ("catalogue: a\nattributes: [x]\n", 2, "attributes: this list is not a mapping"),
    ("catalogue: a\nattributes:\n  x:\n", 3, "attributes / x: nothing stands here"),
    ("catalogue: a\nattributes:\n  x: a\n", 3, "attributes / x: 'a' is not a list or a mapping"),
    ("catalogue: a\nattributes:\n  x: []\n", 3, "attributes / x: nothing is listed here"),
    ("catalogue: a\nattributes:\n  x: {unit: €}\n", 3, "attributes / x: values is missing"),
    ("catalogue: a\nattributes:\n  x:\n    values: [a]\n    units: €\n", 5, "no 'units' here; did you mean unit?"),
    ("catalogue: a\nattributes:\n  x:\n    - a\n    - [b]\n", 5, "item 2: this list is not text or a number"),
    ("catalogue: a\nattributes:\n  x:\n    - a\n    - null\n", 5, "item 2: nothing stands here"),
    ("catalogue: a\nattributes:\n  x:\n    - a\n    - b\n    - a\n", 6, "lists the value a twice; keep one"),
    ("catalogue: a\nattributes:\n  x:\n    values:\n    - 1\n    - 1.0\n", 6, "lists the value 1.0 twice"),
    ("catalogue: a\nattributes:\n  x: [1]\n  x: [2]\n", 4, "'x' stands here twice; keep one"),
    ("catalogue: a\ncatalogue: b\n", 2, "'catalogue' stands here twice"),
    ("catalogue: a\nattributes:\n  '': [a]\n", 3, "'' is empty"),
    ("catalogue: a\nattributes:\n  ~: [a]\n", 3, "a name is expected before the colon"),
    ("catalogue: a\nattributes:\n  ? [a]\n  : [a]\n", 3, "a name is expected before the colon"),
    ("catalogue: a\nattributes:\n  x: [' a']\n", 3, "' a' has spaces around it"),
    ("catalogue: a\nattributes:\n  x: [a, b=c]\n  x=b: [c]\n", 4, "two features are called 'x=b=c'"),
    ("catalogue: a\nattributes:\n  x: [1" + "0" * 300 + "]\n", 3, "below 1e12"),
    ("catalogue: a\nattributes:\n  x: [1" + "0" * 5000 + "]\n", 3, "too long"),
    ("catalogue: 5\nattributes: {x: [a]}", 1, "catalogue: 5 is not text; put it in quotes"),
    ("catalogue: my cat\nattributes: {x: [a]}", 1, "'my cat' does not fit; expected: the catalogue's short name"),
    (HEAD + "title: 2024", 5, "title: 2024 is not text; put it in quotes"),
    (HEAD + "title: " + "x" * 300, 5, "longer than 200 characters; shorten it"),
    (HEAD + "quantities: [a]", 5, "quantities: this list is not a mapping"),
    (HEAD + "quantities:\n  p:", 6, "quantities / p: nothing stands here"),
    (HEAD + "quantities:\n  p: {unit: x}", 6, "quantities / p: sum is missing"),
    (HEAD + "quantities:\n  p:\n    sum: [x]", 7, "sum: this list is not a mapping"),
    (HEAD + "quantities:\n  p:\n    sum: {}", 7, "sum: nothing is listed here"),
    (HEAD + "quantities:\n  p:\n    sum:\n      x: lots", 8, "'lots' is not a number"),
    (
        HEAD + "quantities:\n  p:\n    sum:\n      x:\n        a: 1e3\n        b: 0",
        9,
        "'1e3' is not a number; write 1000",
    ),
    (HEAD + "quantities:\n  p:\n    sum:\n      x:\n        a: .inf\n        b: 0", 9, "'.inf' is not a number"),
    (HEAD + "quantities:\n  p:\n    sum:\n      x:\n        a: .nan\n        b: 0", 9, "'.nan' is not a number"),
    (HEAD + "quantities:\n  p:\n    sum:\n      x:\n        a: 1.0e+999\n        b: 0", 9, "inf; it must be finite"),
    (HEAD + "quantities:\n  p:\n    sum:\n      x:\n        a: 1" + "0" * 399, 9, "not a number"),
    (HEAD + "quantities:\n  p:\n    sum:\n      x:\n        a: 1" + "0" * 390, 9, "below 1e12"),
    (HEAD + "quantities:\n  p:\n    base: 1.0e+999\n    sum: {n: 1}", 7, "inf; it must be finite"),
    (HEAD + "quantities:\n  p:\n    sum:\n      n: 1\n      x: {a: 1}", 9, "no number for x = b; add it"),
    (HEAD + "quantities:\n  p:\n    sum:\n      x:\n        a: 1\n        c: 2", 10, "x has no value 'c'"),
    (HEAD + "quantities:\n  p:\n    sum:\n      n: 1\n      y: 1", 9, "'y', which is no attribute"),
    (HEAD + "quantities:\n  p:\n    sum:\n      n: 1\n      x: 1", 9, "list a number for each value"),
    (HEAD + "quantities:\n  p:\n    sum: {n: 1}\n    better: cheap", 8, "'cheap' is not one of lower, higher"),
    (HEAD + "quantities:\n  x:\n    sum: {n: 1}", 6, "the name 'x' is used twice"),
    (HEAD + "rules: {a: b}", 5, "rules: this mapping is not a list"),
    (HEAD + "rules:\n  - x = a\n  - 5", 7, "rules / item 2: 5 is not text; put it in quotes"),
    (HEAD + "rules:\n  -", 6, "rules / item 1: nothing stands here"),
    (HEAD + "rules:\n  - [a]", 6, "this list is not text"),
    (HEAD + "rules:\n  - ''", 6, "expected: a formula as text, or a table"),
    (HEAD + "rules:\n  - x = a: b", 6, "no 'x = a' here"),
    (HEAD + "rules:\n  - x = a\n  - y = a", 7, "no attribute or quantity 'y'"),
    (HEAD + "rules:\n  - x = a\n\n  - >-\n    x =\n    c", 8, "x has no value 'c'"),
    (HEAD + "rules:\n  - allow: [x]", 6, "rows is missing"),
    (HEAD + "rules:\n  - {allow: [x], forbid: [x], rows: []}", 6, "has both allow and forbid; keep one of them"),
    (HEAD + "rules:\n  - {rows: [[a]]}", 6, "allow or forbid, and rows"),
    (HEAD + "rules:\n  - alow: [x]\n    rows: [[a]]", 6, "no 'alow' here; did you mean allow?"),
    (HEAD + "rules:\n  - rows: []\n    allow: [y]", 7, "no attribute 'y'"),
    (HEAD + "rules:\n  - rows: []\n    allow:\n      - x\n      - x", 9, "attribute x twice"),
    (HEAD + "rules:\n  - rows: []\n    allow: [5]", 7, "5 is not text; put it in quotes"),
    (HEAD + "rules:\n  - rows: []\n    allow: x", 7, "'x' is not a list"),
    (HEAD + "rules:\n  - allow: [x]\n    rows: {a: b}", 7, "rows: this mapping is not a list"),
    (HEAD + "rules:\n  - allow: [x]\n    rows:\n      - [a]\n      - [a, b]", 9, "row 2 of a table has 2 values"),
    (HEAD + "rules:\n  - allow: [x]\n    rows:\n      - [a]\n      - [c]", 9, "x has no value 'c'"),
    (HEAD + "rules:\n  - allow: [x]\n    rows:\n      - a", 8, "write a list"),
    (HEAD + "rules:\n  - allow: [x]\n    rows:\n      - [~]", 8, "x has no value None"),
    (HEAD + "rules:\n  - allow: [x]\n    rows:\n      - [[[a]]]", 8, "x has no value ['a']"),
    ("catalogue: a\nattributes:\n\tx: [a]", 3, "indent with spaces, not tabs"),
    ("catalogue: @a", 1, "in quotes"),
    ("catalogue: a: b", 1, "put words with a colon in quotes"),
    ("catalogue: a\n attributes: b", 2, "check the indentation"),
    ("catalogue: a\nattributes:\n  x: [a\n\n", 4, "starts on line 3"),
    ("catalogue: 'a\nattributes: {}\n\n", 3, "starts on line 1"),
    (HEAD + 'rules:\n  - x = a\n  - "n" = 1\n', 7, """put the whole rule in single quotes: - '"n" = 1'"""),
    (HEAD + 'rules:\n  - "x" = a => n >= 2 # hm\n  - x = b\n', 6, "put the whole rule in single quotes"),
    (HEAD + "quantities:\n  p: {sum: {n: 2}}\nrules:\n  - p-2*n >= 0", 8, "put spaces around a minus"),
    (HEAD + "quantities:\n  p: {sum: {n: 2}}\nrules:\n  - p-n >= 0", 8, "put spaces around a minus"),
    (HEAD + "rules:\n  - if x = a then n = 1", 6, "write A => B instead of if A then B"),
    (HEAD + "rules:\n  - n <= 1,5", 6, "write decimals with a point"),
    (HEAD + "quantities:\n  p:\n    base: 1,5\n    sum: {n: 1}", 7, "write 1.5, with a decimal point"),
    (HEAD + "quantities:\n  p: {base: 1,5, sum: {n: 1}}", 6, "decimals are written with a point"),
    ("title: a\n", 1, "catalogue and attributes are missing; write a line such as catalogue: lamps; write attributes:"),
    ("catalogue: a\nattributes: red\n", 2, "'red' is not a mapping; write attributes: and below it"),
    ("hello", 1, "'hello' is not a mapping; start it with catalogue: and attributes:"),
    ("catalogue: a\nattributes:\n" + "".join(f"  x{n}: [1]\n" for n in range(2001)), 2, "keep to 2,000 attributes"),
    (f"catalogue: a\nattributes:\n  x: {list(range(20_001))}\n", 2, "and 20,000 values"),
    (HEAD + "---\n" + HEAD, 5, "a second document starts here"),
    ("catalogue: a\nattributes: *b", 2, "*b refers to nothing before it"),
    ("catalogue: a\nattributes: &b\n  x: *b", 3, "*b refers to nothing before it"),
    ("catalogue: a\nattributes: " + "[" * 100_000, 2, "nested more than 50 levels"),
    ("{a: " * 1000, 1, "nested more than 50 levels"),
    ("- &a0 [x]\n" + "".join(f"- &a{i} [*a{i - 1}]\n" for i in range(1, 990)), 47, "nested more than 50 levels"),
    ("catalogue: a\nattributes: !!python/object/apply:os.system [ls]", 2, "the tag !!python/object/apply:os.system"),
    (HEAD + "title: !!python/name:os.system x", 5, "has no meaning here; remove it"),
    (HEAD + "title: !mine x", 5, "the tag !mine has no meaning here"),
    (HEAD + "title: a\x00b", 5, "the character '\\x00' is not allowed"),
    (HEAD + "title: a\x81", 5, "the character '\\x81' is not allowed"),
    (HEAD + 'title: "\\x01"', 5, "remove the unprintable characters"),
    (HEAD + "title: a\ud800", 5, "remove it"),
]


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize(("text", "line", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_has_its_line_and_cure(text: str, line: int, message: str) -> None:
    error = refusal(text)
    assert (error.line, error.file) == (line, "shop.yaml")
    assert message in error.message
    assert str(error) == f"shop.yaml:{line}: {error.message}"
    assert all(len(told) < 450 for told in str(error).split("\n"))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize("escape", ["\\ud800", "\\UFFFFFFFF", "\\U00110000"])
def test_characters_that_do_not_exist_are_refused(escape: str) -> None:
    for text in (f'title: "{escape}"', f'rules: ["x = {escape}"]'):
        assert str(refusal(HEAD + text)).encode()


@pytest.mark.usefixtures("either_parser")
def test_the_first_of_equal_mistakes_is_told() -> None:
    text = "catalogue: a\nattributes:\n" + "".join(f"  x{number}: 5\n" for number in range(300))
    assert refusal(text).line == 3


@pytest.mark.usefixtures("either_parser")
def test_several_mistakes_are_told_one_a_line() -> None:
    text = HEAD + "quantites: {}\nquantities:\n  p: {sum: {n: x}, better: up}\n  q: {sum: 1, base: a}\n  r: {unit: 1}\n"
    error = refusal(text)
    first, *others = error.message.split("\n")
    assert error.line == 7
    assert first.startswith("quantities / p / sum / n: 'x' is not a number")
    assert len(others) == 4
    assert "line 7: quantities / p / better: 'up' is not one of lower, higher" in others
    assert "line 8: quantities / q / base: 'a' is not a number; expected: a constant that is always added" in others


def test_a_file_with_one_mistake_is_told_in_one_line() -> None:
    assert "\n" not in str(refusal("catalogue: a\nattributes:\n  x: {valus: [a]}\n"))


LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)


@pytest.mark.parametrize("text", [LAUGHS, "a: &a [" + "x, " * 999 + "x]\nb: [" + "*a, " * 500 + "x]"])
def test_what_unfolds_to_too_much_is_refused(text: str) -> None:
    assert "aliases unfold to more than 500,000 values; use fewer of them" in str(refusal(text))


def test_a_large_file_may_unfold_to_more_but_not_to_any_number() -> None:
    """Programs write a list that comes again as an alias: in a table of a million cells, in very many rows."""
    rows = "    - [&some [p, q, r], [p]]\n" + "    - [*some, [q]]\n" * 150_000
    text = f"catalogue: big\nattributes:\n  a: [p, q, r]\n  b: [p, q]\nrules:\n- allow: [a, b]\n  rows:\n{rows}"
    space = loads(text)
    assert space.feasible(everything(space)).all()
    bomb = text.replace("[p, q, r], [p]", f"[{'p, ' * 99}p], [p]")
    assert f"more than {len(bomb):,} values" in str(refusal(bomb))


def test_a_large_table_is_read_and_written() -> None:
    names = [f"v{number}" for number in range(50)]
    attributes = "".join(f"  {name}: [{', '.join(names)}]\n" for name in "abc")
    rows = "".join(f"    - [v{i % 50}, v{i // 50 % 50}, v{i // 2500}]\n" for i in range(50_000))
    space = loads(f"catalogue: big\nattributes:\n{attributes}rules:\n- allow: [a, b, c]\n  rows:\n{rows}")
    grid = everything(space)
    listed = grid[:, 2] * 2500 + grid[:, 1] * 50 + grid[:, 0] < 50_000
    assert (space.feasible(grid) == listed).all()
    assert pickle.loads(pickle.dumps(space)) == space


# Files


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"catalogue: a\ntitle: caf\xe9\n", ":2: not UTF-8 text; save it as UTF-8"),
        (b"\xff\xfe" + "catalogue: a".encode("utf-16-le"), ":1: not UTF-8 text"),
        (bytes(range(128, 256)), ":1: not UTF-8 text"),
        (bytes(range(128)), ":1: the character '\\x00' is not allowed"),
        (b"#" * (LARGEST_FILE + 1), ": larger than 100,000,000 bytes; shorten"),
        (b"", ":1: the file is empty"),
    ],
)
def test_a_file_that_is_no_catalogue_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_bytes(content)
    with pytest.raises(CatalogueError) as caught:
        load(file)
    assert str(caught.value).startswith(f"{file}{message}")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pcc", "no such file or shipped catalogue; did you mean pc?"),
        ("zzz.yaml", "the shipped catalogues are"),
        ("", "no such file"),
        ("a\0b", "no such file"),
        ("x" * 5000, "cannot be read: File name too long"),
        (os.path.dirname(__file__), "cannot be read: Is a directory"),
        (os.path.join(__file__, "x"), "cannot be read: Not a directory"),
        ("synthetic", "write synthetic:R or synthetic:AxV"),
        ("synthetic:x", "write synthetic:R or synthetic:AxV"),
        ("synthetic:4x", "write synthetic:R or synthetic:AxV"),
        ("synthetic:-1", "write synthetic:R or synthetic:AxV"),
        ("synthetic:1234567", "write synthetic:R or synthetic:AxV"),
        ("synthetic:0", "at least one attribute and value"),
        ("synthetic:4x0", "at least one attribute and value"),
        ("synthetic:99999", "10,000 values in all"),
        ("synthetic:101", "10,000 values in all"),
        ("synthetic:2001x2", "at most 2,000 attributes"),
    ],
)
def test_a_name_that_leads_nowhere_gets_a_hint(name: str, message: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        load(name)
    assert message in str(caught.value)
    assert caught.value.line is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load(5), "5: neither a name nor a path; give a name such as bicycle, or a path"),  # type: ignore[arg-type]
        (lambda: load(load("pc")), "it is loaded already"),  # type: ignore[arg-type]
        (lambda: loads(b"catalogue: x"), "is no text; give the text of a catalogue, or use load"),  # type: ignore[arg-type]
        (lambda: loads(Path("pc.yaml")), "is no text"),  # type: ignore[arg-type]
        (lambda: dumps("pc"), "'pc' is no space; give one, such as load('bicycle')"),  # type: ignore[arg-type]
        (lambda: save("pc", "pc.yaml"), "'pc' is no space"),  # type: ignore[arg-type]
        (lambda: save(load("pc"), 5), "5: give the path of a file"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_another_kind_are_refused_with_the_cure(call: Callable[[], object], message: str) -> None:
    with pytest.raises(SetmarginError) as caught:
        call()
    assert message in str(caught.value)


def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(CatalogueError, match="cannot be read: Permission denied"):
        load(tmp_path / "shop.yaml")


def test_synthetic_spaces_have_the_size_that_was_asked_for() -> None:
    assert load("synthetic:4").domains == (4, 4, 4, 4)
    assert load("synthetic:10x5").domains == (5,) * 10
    space = load("synthetic:10x5")
    assert space.feature_names[:6] == ("x1=1", "x1=2", "x1=3", "x1=4", "x1=5", "x2=1")
    assert loads(dumps(space)) == space
    assert load(space.name) == space


# Whatever the text, a space or a CatalogueError


def loads_or_refuses(text: str) -> None:
    refused = None
    try:
        assert isinstance(loads(text, file="shop.yaml"), Space)
    except CatalogueError as error:
        refused = error
    if refused is not None:
        assert str(refused).encode()
        assert 1 <= (refused.line or 0) <= max(1, len(text.splitlines()))


syntax = st.sampled_from(
    ["\n", "\n  ", ": ", "- ", "[", "]", "{", "}", ", ", "&a ", "*a", "!!x ", "'", '"', "|", ">", "#"]
)
pieces = syntax | st.sampled_from(
    [*SMALL.split(), "1e999", "\t", "\x00", "\ufeff", "\u2028", "%YAML 1.1", "---", "?", "\\"]
)


@given(text=st.lists(pieces, max_size=30).map("".join) | st.text(max_size=40))
@settings(fixed, max_examples=400)
def test_random_text_is_read_or_refused(text: str) -> None:
    loads_or_refuses(text)
    loads_or_refuses(HEAD + text)


@given(
    places=st.lists(
        st.tuples(st.integers(0, len(SMALL)), st.integers(0, 6), pieces | st.just("")), min_size=1, max_size=3
    )
)
@settings(fixed, max_examples=400)
def test_a_mutated_file_is_read_or_refused(places: list[tuple[int, int, str]]) -> None:
    text = SMALL
    for place, length, piece in places:
        text = text[:place] + piece + text[place + length :]
    loads_or_refuses(text)


@given(text=st.lists(pieces, max_size=30).map("".join) | st.text(max_size=40))
@fixed
def test_random_text_is_read_or_refused_by_the_parser_in_python_too(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_reading, "LOADER", yaml.SafeLoader)
        loads_or_refuses(HEAD + text)


def test_both_parsers_read_the_shipped_catalogues_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = [load(name) for name in shipped()]
    monkeypatch.setattr(yaml_reading, "LOADER", yaml.SafeLoader)
    assert [load(name) for name in shipped()] == usual


def test_pc_ordered_is_pc_with_directions() -> None:
    pc, ordered = load("pc"), load("pc-ordered")
    assert not pc.trends
    assert {each.name: each.better for each in ordered.attributes if each.better} == {
        "cpu": "higher",
        "monitor": "peak",
        "memory": "higher",
        "storage": "higher",
    }
    assert [each.name for each in ordered.attributes] == [each.name for each in pc.attributes]
    assert all(set(a.values) == set(b.values) for a, b in zip(pc.attributes, ordered.attributes, strict=True))
    assert [rule.text for rule in ordered.rules] == [rule.text for rule in pc.rules]
    assert ordered.quantities == pc.quantities


def test_pc_is_the_one_of_the_paper() -> None:
    assert load("pc").fingerprint == "4cc1a3beb4ee53e109a666627581c2fec6e548d73c511e9f6ed956a098485fa4"


# The prior that a file names


def test_a_file_may_name_a_prior_which_is_no_part_of_its_space(tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(f"{HEAD}prior: learnt/people.yaml\n")
    space = load(tmp_path / "shop.yaml")
    assert (space, space.fingerprint, dumps(space)) == (loads(HEAD), loads(HEAD).fingerprint, dumps(loads(HEAD)))
    assert prior_named_in(tmp_path / "shop.yaml") == (tmp_path / "learnt" / "people.yaml", 5)
    (tmp_path / "shop.yaml").write_text(f"{HEAD}title: prior\n")
    assert [prior_named_in(each) for each in (tmp_path / "shop.yaml", "pc", "synthetic:2")] == [None] * 3


def test_only_a_file_may_name_a_prior() -> None:
    error = refusal(f"{HEAD}prior: /etc/passwd\n")
    assert (error.line, "loaded from its file may name a prior; leave it out" in str(error)) == (5, True)
    with pytest.raises(SetmarginError, match="may name a prior"):
        from_document({**loads(HEAD).document(), "prior": "people.yaml"})


@pytest.mark.parametrize("named", ["", "[a, b]", "12", "''"])
def test_a_prior_is_named_by_a_text(tmp_path: Path, named: str) -> None:
    (tmp_path / "shop.yaml").write_text(f"{HEAD}prior: {named}\n")
    with pytest.raises(CatalogueError, match=r"shop\.yaml:5: prior: "):
        load(tmp_path / "shop.yaml")
