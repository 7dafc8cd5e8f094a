"""Claims about what people see of a catalogue: it is read, written and refused with care, and changes nothing else."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin import Space, dumps, load, loads
from setmargin.errors import CatalogueError, OptionError, SpaceError
from setmargin.space.colours import GROUNDS, LEAST_CONTRAST, Scheme, contrast, legibility, legible, palette
from setmargin.space.document import from_document
from setmargin.space.presentation import EMPTY, Action, Appearance, Presentation
from setmargin.space.presentation_checks import missing_translations
from tests.space.presented import CHAIR, SVG

SEEN = loads(CHAIR).presentation


def test_a_catalogue_that_says_nothing_is_what_it_was() -> None:
    space = loads("catalogue: x\ntitle: X\nattributes: {a: {values: [1, 2], title: A, unit: kg}}\n")
    assert space.presentation == EMPTY
    assert not space.presentation
    assert space.document() == {
        "catalogue": "x",
        "title": "X",
        "attributes": {"a": {"values": [1, 2], "unit": "kg", "title": "A"}},
    }


def test_everything_is_written_and_read_back() -> None:
    space = loads(CHAIR)
    again = loads(dumps(space))
    assert again == space
    assert again.presentation == space.presentation
    assert hash(again) == hash(space)
    assert from_document(space.document()).document() == space.document()
    assert pickle.loads(pickle.dumps(space)) == space
    assert space.with_rules("legs = 4").presentation == space.presentation


def test_what_can_be_built_does_not_depend_on_it() -> None:
    space = loads(CHAIR)
    bare = Space(space.attributes, quantities=space.quantities, rules=space.rules, name="chair", title=space.title,
                 description=space.description)  # fmt: skip
    assert bare != space
    assert bare.fingerprint == space.fingerprint
    assert bare.feature_names == space.feature_names
    assert [each.title for each in space.attributes] == ["Wood", "", ""]
    assert [each.unit for each in space.quantities] == ["€", ""]


def test_texts_are_in_the_language_that_is_wanted_or_else_in_the_default_one() -> None:
    assert SEEN.language_for(["fr", "de-CH"]) == "de"
    assert SEEN.said(SEEN.of("wood").title, "de") == "Holz"
    assert SEEN.said(SEEN.of_value("wood", "none").title, "de") == "kein Holz"
    assert SEEN.said(SEEN.of_value("wood", "oak").help, "de") == "Heavy."
    assert SEEN.said(SEEN.of_value("legs", 4).help) == "Stands well."
    assert SEEN.of_value("wood", "beech") == Appearance()
    assert missing_translations(SEEN) == {"de": ["wood = oak: help", "legs = 4: help", "opening use / any: title"]}


def test_opening_answers_come_to_must_haves_and_hints() -> None:
    wishes = SEEN.wishes({"use": "party"})
    assert (wishes.must_haves, wishes.hints) == (("price <= 80", "legs = 4"), {"price": 0.9, "comfort": 0.2})
    assert SEEN.wishes({"use": "desk"}).hints == {"comfort": 0.95}
    assert SEEN.wishes({}).must_haves == ()
    with pytest.raises(OptionError, match="there is no opening question 'useful'; did you mean use"):
        SEEN.wishes({"useful": "desk"})
    with pytest.raises(OptionError, match="the opening question use has no answer 'dest'; did you mean desk"):
        SEEN.wishes({"use": "dest"})


@given(st.dictionaries(st.sampled_from(["wood", "price"]), st.text() | st.integers() | st.floats(0, 1e6), min_size=2))
def test_values_in_a_link_are_escaped_whatever_they_are(parts: dict[str, str | int | float]) -> None:
    link = Action({"": "Buy"}, "https://shop.example/?a={wood}&b={price}").link_for(parts)
    assert link.startswith("https://shop.example/?a=")
    assert link.count("&") == 1
    assert link.isascii()
    assert not set(link) & set(" \"'<>#\\\n")


words = st.text(st.characters(categories=["L", "N", "P"], include_characters=" "), min_size=1, max_size=20)


@settings(max_examples=50)
@given(st.data())
def test_any_texts_in_any_languages_are_written_and_read_back(data: st.DataObject) -> None:
    languages = data.draw(st.lists(st.sampled_from(["en", "de", "fr", "pt-BR"]), min_size=1, unique=True))
    text = st.fixed_dictionaries({languages[0]: words}, optional=dict.fromkeys(languages[1:], words)) | words
    look = {"title": text, "help": text}
    value = st.fixed_dictionaries({"value": st.just("a")}, optional=look)
    document = {
        "catalogue": "x",
        "languages": languages,
        "attributes": {
            "one": {"values": [data.draw(value), "b"], **data.draw(st.fixed_dictionaries({}, optional=look))}
        },
    }
    space = from_document(document)
    assert loads(dumps(space)) == space
    assert from_document(space.document()).document() == space.document()


# Mistakes, with their lines and cures

HEAD = "catalogue: x\nlanguages: [en, de]\nattributes:\n  a: [b, c]\n"


@pytest.mark.parametrize(
    ("more", "line", "message"),
    [
        ("title: {en: X, fr: X}", 5, "there is no language 'fr'; the languages are en, de, or add it to languages"),
        ("title: {de: X}", 5, "title has no text in en, the first of the languages; add it"),
        ("theme: {logo: https://x.example/a.png}", 5, "is on another server; put the file beside the catalogue"),
        ("theme: {logo: logo.svg}", 5, "is a file, which only a catalogue that is loaded from its own file may name"),
        ("theme: {logo: 'data:image/png;base64,AAAA'}", 5, "is neither PNG, JPEG, WebP nor SVG; save it as one of"),
        ("theme: {logo: 'data:text/html,x'}", 5, "cannot be read; write data:image/png;base64"),
        ("theme:\n  accent: '#ffdd00'", 6, "its contrast is 1.2, and has to be 4.5; use a darker one, such as \"#8"),
        ("theme:\n  accent: {light: '#004488',\n    dark: '#002244'}", 7, "on a dark page"),
        ("theme:\n  accent: #1d6b5a", 6, "put the colour in quotes, such as accent: \"#1d6b5a\""),
        ("theme:\n  accent: green", 6, "'green' does not fit; expected: a colour in quotes"),
        ("action: {text: Buy, link: 'https://x.example/?a={b}'}", 5, "the link names 'b'; there are a"),
        ("action: {text: Buy, link: 'javascript:alert(1)'}", 5, "leads nowhere; write an address that begins with"),
        ("action: {text: Buy, link: 'https://{a}.example/'}", 5, "leads nowhere; write an address that begins with"),
        ("action: {text: Buy, link: '//x.example/'}", 5, "leads nowhere; write an address that begins with"),
        ("action: {text: Buy, link: 'https://x.example/{a'}", 5, "a brace is open"),
        ("groups:\n  - {title: G, members: [a]}\n  - {title: H, members: [a]}", 7, "a is in two groups"),
        ("groups:\n  - {title: G, members: [b]}", 6, "a group names 'b'; there are a"),
        ("opening:\n  q:\n    title: Q\n    answers:\n      1: {title: X}\n      2: {title: Y, require: a = d}", 10,
         "a has no value"),
        ("opening: {q: {title: Q, answers: {x: {title: X, matters: [z]}, y: {title: Y}}}}", 5, "matters names 'z'"),
        ("opening: {'q q': {title: Q, answers: {x: {title: X}, y: {title: Y}}}}", 5, "say the rest in its title"),
        ("opening: {q: {title: Q, answers: {x: {title: X}}}}", 5, "does not fit; expected: the answers by name"),
        ("opening: {q: {title: Q, answers: {x: {title: X, matters: {a: 2}}, y: {title: Y}}}}", 5, "from 0 to 1"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_line_and_cure(more: str, line: int, message: str) -> None:
    with pytest.raises(CatalogueError) as error:
        loads(f"{HEAD}{more}\n", file="shop.yaml")
    assert message in str(error.value)
    assert str(error.value).startswith(f"shop.yaml:{line}: ")


def test_texts_by_language_need_the_list_of_languages() -> None:
    with pytest.raises(CatalogueError, match=r"the default first: languages: \[de\]"):
        loads("catalogue: x\ntitle: {de: X}\nattributes: {a: [b, c]}\n")


# Images


def chair_with(image: str) -> str:
    return f"catalogue: x\nattributes:\n  a:\n    values:\n      - {{value: b, image: {image}}}\n      - c\n"


def test_image_files_stand_beside_the_catalogue(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "b.svg").write_text(SVG)
    (tmp_path / "x.yaml").write_text(chair_with("images/b.svg"))
    space = load(tmp_path / "x.yaml")
    image = space.presentation.of_value("a", "b").image
    assert image is not None
    assert (image.kind, image.content) == ("svg", SVG.encode())
    assert space.presentation.images == {image.digest: image}
    assert loads(dumps(space)) == space


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.svg", None, "is not there; put the file into the folder of the catalogue"),
        ("../b.svg", None, "is not beside the catalogue; put it into the same folder or one below it"),
        ("/etc/passwd", None, "is not beside the catalogue"),
        ("large.png", b"\x89PNG\r\n\x1a\n" + bytes(100_000), "has more than 100,000 bytes; make it smaller"),
        ("b.gif", b"GIF89a", "is neither PNG, JPEG, WebP nor SVG"),
        ("b.svg", b"<svg><script>1</script></svg>", "has a script; remove it"),
        ("b.svg", b"<svg onload='x()'></svg>", "has an event handler"),
        ("b.svg", b"<svg><image href='https://x.example/a.png'/></svg>", "has a link to something else"),
        ("b.svg", b"<svg><style>@import 'a.css'</style></svg>", "has a style that loads something"),
        ("b.svg", b"<!DOCTYPE svg><svg></svg>", "is neither PNG, JPEG, WebP nor SVG"),
    ],
)
def test_images_that_cannot_be_shown_are_refused(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    (tmp_path / "x.yaml").write_text(chair_with(name))
    with pytest.raises(CatalogueError) as error:
        load(tmp_path / "x.yaml")
    assert message in str(error.value)
    assert error.value.line == 5


def test_images_may_not_be_very_large_all_together() -> None:
    large = "data:image/svg+xml," + "%3Csvg%3E" + "x" * 90_000
    values = "".join(f"  - {{value: v{n}, image: '{large}{n}'}}\n" for n in range(12))
    with pytest.raises(CatalogueError, match="all images together have"):
        loads(f"catalogue: x\nattributes:\n  a:\n{values}")


# Colours

colours = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(colours, st.sampled_from(sorted(GROUNDS)))
def test_whatever_the_accent_what_follows_from_it_can_be_read(accent: str, scheme: Scheme) -> None:
    found = palette(legible(accent, scheme), scheme)
    assert legibility(found["accent"], scheme) >= LEAST_CONTRAST
    assert contrast(found["on-accent"], found["accent"]) >= LEAST_CONTRAST
    assert legibility(found["accent-strong"], scheme) >= LEAST_CONTRAST
    assert contrast(found["accent-strong"], found["accent-pale"]) >= LEAST_CONTRAST
    if legibility(accent, scheme) >= LEAST_CONTRAST:
        assert found["accent"] == accent


def test_a_presentation_of_something_else_is_refused() -> None:
    with pytest.raises(SpaceError, match="presentation is None"):
        Space({"a": [1, 2]}, presentation=None)  # type: ignore[arg-type]
    with pytest.raises(SpaceError, match="what is shown names 'b'"):
        Space({"a": [1, 2]}, presentation=Presentation(appearances={"b": Appearance(decimals=2)}))
