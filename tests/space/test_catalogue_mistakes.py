"""Every mistake in a catalogue file has its line and its cure, and no file costs more than it says."""

from __future__ import annotations

import pickle

import pytest

from setmargin.space.catalogue import loads
from tests.space.catalogue_texts import HEAD, refusal
from tests.space.generated import everything

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
