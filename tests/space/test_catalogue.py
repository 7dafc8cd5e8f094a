"""Catalogue files: what is written is read back, and whatever the text, it is a space or a CatalogueError."""

from __future__ import annotations

import os
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
from tests.space.catalogue_texts import HEAD, refusal
from tests.space.generated import SHOP, everything, spaces

fixed = settings(derandomize=True, deadline=None, max_examples=80)

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
