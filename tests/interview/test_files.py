"""Interviews in one file: what is saved is continued, and what is damaged is refused."""

from __future__ import annotations

import copy
import json
import os
import random
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from setmargin.errors import InterviewError, SetmarginError
from setmargin.interview.interview import Interview
from setmargin.space.catalogue import load
from setmargin.space.rules import Table
from setmargin.space.space import Space
from setmargin.strategies.rivals.random import RandomStrategy
from tests.interview.talks import SPACE, STRATEGIES, Make, assert_same, eventful

# One file


def test_a_saved_interview_goes_on_as_if_it_had_never_been_saved(make: Make, tmp_path: Path) -> None:
    interview = eventful(make)
    path = tmp_path / "interview.json"
    interview.save(path)
    loaded = Interview.load(path)
    assert_same(loaded, interview)
    assert loaded.document() == interview.document()
    for each in (interview, loaded):
        each.require("size >= 2")
        each.tell(1)
    assert_same(loaded, interview)


def test_a_large_catalogue_is_kept_once_beside_the_interviews(tmp_path: Path) -> None:
    rows = [[f"v{number // 100}", f"v{number % 100}"] for number in range(9_000)]
    names = [f"v{number}" for number in range(100)]
    space = Space({"x": names, "y": names}, rules=[Table.allowing(["x", "y"], rows)], name="large")
    for file in ("one.json", "two.json"):
        interview = Interview(space, "random")
        interview.ask()
        interview.tell(0)
        interview.save(tmp_path / file)
        assert (tmp_path / file).stat().st_size < 5_000
        assert_same(Interview.load(tmp_path / file), interview)
    (kept,) = tmp_path.glob("*.yaml")
    assert load(kept) == space
    assert Interview.from_document(interview.document()).space == space
    text = kept.read_text()
    kept.write_text(text.replace("[v1, v1]", "[v1, v99]"))
    with pytest.raises(InterviewError, match=r"large-[0-9a-f]{16}.yaml was changed; put back"):
        Interview.load(tmp_path / "two.json")
    kept.unlink()
    with pytest.raises(InterviewError, match=r"its catalogue is not beside it; put large-[0-9a-f]{16}.yaml into"):
        Interview.load(tmp_path / "two.json")


def test_an_interview_can_be_saved_at_any_point(make: Make, tmp_path: Path) -> None:
    interview = eventful(make)
    assert len(interview.events) == 8
    while interview.events:
        interview.undo()
        interview.save(tmp_path / "interview.json")
        assert_same(Interview.load(tmp_path / "interview.json"), interview)


def test_must_haves_in_a_file_are_read_like_those_that_are_typed(interview: Interview) -> None:
    interview.require("size >= 2")
    document = interview.document()
    document["events"][0]["require"] = "  size >= 2 "
    loaded = Interview.from_document(document)
    loaded.drop("size >= 2")
    assert loaded.must_haves == ()


def test_the_file_is_small_plain_json(interview: Interview, tmp_path: Path) -> None:
    interview.tell(1)
    interview.require("size >= 2")
    interview.save(tmp_path / "a.json")
    document = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert list(document) == ["setmargin", "catalogue", "strategy", "seed", "events"]
    assert document["catalogue"]["catalogue"] == "boxes"
    assert document["strategy"] == {"name": "random", "set_size": 3}
    assert document["events"][0]["answer"] == {"choice": 1}
    assert document["events"][1] == {"require": "size >= 2"}
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    failing: str, error: BaseException, interview: Interview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "interview.json"
    interview.save(path)
    before = path.read_text(encoding="utf-8")
    interview.tell(0)

    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(os if failing == "fsync" else Path, failing, fail)
    with pytest.raises(InterviewError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        interview.save(path)
    monkeypatch.undo()
    assert isinstance(error, KeyboardInterrupt) or str(path) in str(caught.value)
    assert path.read_text(encoding="utf-8") == before
    assert os.listdir(tmp_path) == ["interview.json"]


def test_places_that_cannot_be_written_or_read_are_named(interview: Interview, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for place in ("missing/a.json", "file/a.json", "folder", "a\0b"):
        with pytest.raises(InterviewError, match=r"cannot write .*; choose another place"):
            interview.save(tmp_path / place)
        with pytest.raises(InterviewError, match=r"cannot read|is no JSON"):
            Interview.load(tmp_path / place)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[1, 2",
        b"nonsense",
        b"[" * 100_000,
        b'{"a": ' * 5_000,
        b'{"setmargin": ' + b"9" * 5_000,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_what_is_no_json_is_refused_with_the_name_of_the_file(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(InterviewError, match=r"broken\.json is no JSON"):
        Interview.load(path)


def test_a_truncated_file_is_refused_wherever_it_was_cut(interview: Interview, tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    interview.tell(0)
    interview.save(path)
    whole = path.read_bytes().rstrip()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(InterviewError, match=r"cut\.json"):
            Interview.load(path)


def with_change(document: dict[str, Any], place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The document with one thing replaced, or removed where the value is `...`."""
    changed: Any = copy.deepcopy(document)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return changed  # type: ignore[no-any-return]


FIRST = ("events", 0, "question", 0)
DAMAGES: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("setmargin",), ..., "no saved interview"),
    (("setmargin",), 2, "format 2 is not known; this version reads 1"),
    (("setmargin",), "1", "format '1' is not known"),
    (("catalogue",), ..., "the part catalogue is missing or damaged"),
    (("catalogue",), "boxes", "the part catalogue is missing or damaged: 'boxes'"),
    (("catalogue",), {}, "its catalogue is damaged: .*(attributes|catalogue)"),
    (("catalogue", "attributes", "size"), [], "its catalogue is damaged: .*size"),
    (("catalogue", "attributes", "size"), 3, "its catalogue is damaged: .*size"),
    (("catalogue", "extra"), 3, "its catalogue is damaged: .*extra"),
    (("catalogue", "rules", 0), "colour = pink", "its catalogue is damaged: colour has no value 'pink'"),
    (("catalogue", "rules"), ["size > 3"], "nothing satisfies size > 3"),
    (("strategy",), ..., "the part strategy is missing"),
    (("strategy", "name"), "best", "no strategy 'best'"),
    (("strategy", "name"), 3, "its strategy cannot be made"),
    (("strategy", "name"), [], "its strategy cannot be made"),
    (("strategy", "set_size"), 99, "the set size is 99"),
    (("strategy", "set_size"), 2.5, "the set size is 2.5"),
    (("strategy", "set_size"), None, "the set size is None|its strategy cannot be made"),
    (("strategy", "speed"), 1, "its strategy cannot be made: .*speed"),
    (("seed",), ..., "the part seed is missing"),
    (("seed",), "4", "the part seed is missing or damaged: '4'"),
    (("seed",), float("inf"), "the part seed is missing or damaged: inf"),
    (("seed",), -4, "the seed is -4"),
    (("seed",), True, "the seed is True"),
    (("events",), {}, "the part events is missing or damaged: {}"),
    (("events", 0), None, "None is no event"),
    (("events", 0), {"what": 1}, "is no event"),
    (("events", 0, "answer"), {"choice": 9}, "option 9 was chosen"),
    (("events", 0, "answer"), "first", "'first' is no answer"),
    (("events", 0, "status"), 7, "is no event"),
    (("events", 0, "question"), [], "at least one configuration"),
    (("events", 0, "question"), "ab", "is no event"),
    (FIRST, "red", "'red' is no configuration"),
    ((*FIRST, "size"), ..., "lacks size"),
    ((*FIRST, "size"), 9, "size has no value 9"),
    ((*FIRST, "weight"), 9, "no attribute 'weight'"),
    (FIRST, {"colour": "red", "size": 1, "box": "no"}, "breaks: colour = red => size >= 2"),
    (("events", 1), {"require": "size > 3"}, "nothing satisfies size > 3"),
    (("events", 1), {"require": "width = 3"}, "no attribute or quantity 'width'"),
    (("events", 1), {"drop": "size >= 2"}, "no must-have 'size >= 2'"),
    (("events", 1), {"require": 3}, "is no event"),
]


@pytest.mark.parametrize(("place", "value", "message"), DAMAGES)
def test_damage_is_named_with_the_file(
    place: tuple[str | int, ...], value: Any, message: str, interview: Interview, tmp_path: Path
) -> None:
    interview.tell(0)
    interview.require("size >= 2")
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(with_change(interview.document(), place, value)))
    with pytest.raises(InterviewError, match=rf"damaged\.json cannot be continued: .*({message})"):
        Interview.load(path)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("until", 2),
        ("until", "x"),
        ("until", None),
        ("differences", 0),
        ("differences", "x"),
        ("differences", 2.5),
        ("people", 1),
        ("people", 3.5),
        ("people", None),
        ("hints", {"colour": 7}),
        ("hints", {"colour": "x"}),
        ("hints", {"taste": 0.5}),
        ("hints", 3),
    ],
)
def test_damaged_options_of_bayes_are_refused(option: str, value: Any, tmp_path: Path) -> None:
    document = Interview(SPACE, STRATEGIES["bayes"]()).document()
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(with_change(document, ("strategy", option), value)))
    with pytest.raises(InterviewError, match=r"damaged\.json cannot be continued"):
        Interview.load(path)


@pytest.mark.parametrize("document", [None, [], "text", 3, {}, {"catalogue": "pc"}, True])
def test_a_foreign_file_is_no_interview(document: Any, tmp_path: Path) -> None:
    path = tmp_path / "foreign.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InterviewError, match=r"foreign\.json cannot be continued: this is no saved interview"):
        Interview.load(path)


JUNK: list[Any] = [None, True, 0, -1, 2, 3.5, 1e308, float("nan"), float("inf"), 10**30, "", "x", "size >= 2", "\ud800"]
JUNK += [[], {}, [[]], {"a": 1}, [1, 2], "a" * 300, "random", {"choice": 0}]


def places(document: Any, here: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    keys = document if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in keys:
        yield (*here, key)
        yield from places(document[key], (*here, key))


@pytest.mark.parametrize("seed", range(2))
def test_whatever_is_changed_in_a_file_it_is_refused_or_can_be_continued(seed: int, make: Make, tmp_path: Path) -> None:
    rng = random.Random(seed)
    document = json.loads(json.dumps(eventful(make).document()))
    path = tmp_path / "mutant.json"
    refused = 0
    for _ in range(60):
        mutant = document
        for _ in range(rng.choice([1, 1, 2])):
            if known := list(places(mutant)):
                mutant = with_change(mutant, rng.choice(known), rng.choice([..., *JUNK]))
        path.write_text(json.dumps(mutant))
        try:
            interview = Interview.load(path)
        except InterviewError as error:
            assert "mutant.json" in str(error)  # noqa: PT017
            refused += 1
            continue
        assert Interview.from_document(interview.document()).belief == interview.belief
    assert refused > 20


def test_every_mistake_is_one_of_ours(interview: Interview) -> None:
    for mistake in (
        lambda: interview.tell(9),
        interview.undo,
        lambda: interview.require("?"),
        lambda: interview.drop(""),
    ):
        with pytest.raises(SetmarginError):
            mistake()


def test_a_strategy_of_ones_own_is_given_along_when_loading(tmp_path: Path) -> None:
    class Mine(RandomStrategy):
        name = "mine"

    interview = Interview(SPACE, Mine())
    interview.ask()
    interview.tell(0)
    interview.save(tmp_path / "mine.json")
    with pytest.raises(InterviewError, match="no strategy 'mine'"):
        Interview.load(tmp_path / "mine.json")
    assert Interview.load(tmp_path / "mine.json", strategy=Mine()).belief == interview.belief


def test_a_saved_interview_can_be_read_by_its_owner_alone(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "interview.json"
    for _ in range(2):
        make().save(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


# Two programs, one file


def test_what_another_program_saved_meanwhile_is_not_overwritten(interview: Interview, tmp_path: Path) -> None:
    path = tmp_path / "interview.json"
    interview.save(path)
    other = Interview.load(path)
    other.tell(1)
    other.save(path)
    interview.tell(0)
    for _ in range(2):
        with pytest.raises(InterviewError, match="another program has written it since; load it again, or save under"):
            interview.save(path)
    assert Interview.load(path).document() == other.document()
    interview.save(tmp_path / "mine.json")
    other.tell(1)
    other.save(path)
    assert len(Interview.load(path).events) == 2


def test_one_file_by_two_names_is_one_file(interview: Interview, tmp_path: Path) -> None:
    path, link = tmp_path / "interview.json", tmp_path / "link.json"
    interview.save(path)
    link.symlink_to(path)
    other = Interview.load(link)
    interview.tell(0)
    interview.save(path)
    other.tell(1)
    with pytest.raises(InterviewError, match="another program"):
        other.save(path)


def test_a_file_that_was_deleted_meanwhile_is_written_again(interview: Interview, tmp_path: Path) -> None:
    interview.save(tmp_path / "a.json")
    (tmp_path / "a.json").unlink()
    interview.save(tmp_path / "a.json")
    assert Interview.load(tmp_path / "a.json").document() == interview.document()


def test_a_strange_file_is_overwritten_only_where_that_is_wanted(interview: Interview, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("strange")
    with pytest.raises(InterviewError, match="it is there already; save under another name"):
        interview.save(path, overwrite=False)
    interview.save(tmp_path / "b.json", overwrite=False)
    interview.save(tmp_path / "b.json", overwrite=False)
    interview.save(path)
    assert Interview.load(path).document() == interview.document()
    assert sorted(os.listdir(tmp_path)) == ["a.json", "b.json"]


def test_of_two_that_begin_a_file_at_once_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    is_file = Path.is_file

    def late(self: Path) -> bool:
        """The other program writes just after this one has looked."""
        found = is_file(self)
        if self == path and not found:
            self.write_text("theirs")
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "is_file", late)
        with pytest.raises(InterviewError, match="it is there already"):
            Interview(SPACE, RandomStrategy(set_size=2)).save(path, overwrite=False)
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["a.json"]


WRITER = """
import sys
from pathlib import Path
from setmargin.files import FileTaken, KnownFiles
path, name = Path(sys.argv[1]), sys.argv[2]
won = 0
print("ready", flush=True)
sys.stdin.readline()
while won < 30:
    files, content = KnownFiles(), path.read_bytes()
    files.note(path, content)
    try:
        files.write(path, content.decode() + f"{name}{won}\\n")
        won += 1
    except FileTaken:
        pass
"""


def test_of_many_writers_nobody_loses_a_line(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("")
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", WRITER, str(path), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            )
            for name in "ab"
        ]
        for each in writers:
            assert each.stdout is not None
            each.stdout.readline()
        for each in writers:
            assert each.stdin is not None
            each.stdin.write(b"\n")
            each.stdin.flush()
        assert [each.wait(60) for each in writers] == [0, 0]
    lines = path.read_text().splitlines()
    assert {name: [line for line in lines if line[0] == name] for name in "ab"} == {
        name: [f"{name}{number}" for number in range(30)] for name in "ab"
    }


def test_a_saved_file_is_on_the_disk_before_it_takes_its_name_and_so_is_its_name(
    interview: Interview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noting_fsync(number: int) -> None:
        done.append("folder synced" if stat.S_ISDIR(os.fstat(number).st_mode) else "file synced")
        fsync(number)

    def noting_replace(self: Path, target: Path) -> Path:
        done.append("named")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(Path, "replace", noting_replace)
    interview.save(tmp_path / "a.json")
    assert done == ["file synced", "named", "folder synced"]
