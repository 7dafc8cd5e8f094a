"""Beliefs as bytes: they come back as they were, or count as nothing; nothing in them is ever run."""

from __future__ import annotations

import builtins
import io
import os
import pickle
import pickletools
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.interview.interview import Interview
from setmargin.server.work import beliefs
from setmargin.strategies.base import Belief
from setmargin.strategies.registry import make_strategy, strategy_names
from tests.server.work.talks import SPACE

STAMP = ["digest", {"name": "bayes"}, 4]
OPTIONS: dict[str, dict[str, Any]] = {
    "bayes": {"people": 32, "until": 0.0},
    "eus": {"particles": 64},
    "qi": {"particles": 64, "restarts": 2},
    "regret": {"rounds": 2},
    "setmargin": {"mode": "fast", "fits": 4, "tuning": {"every": 2, "seconds": 1.0, "folds": 2}},
}


def talked(name: str = "bayes") -> Interview:
    interview = Interview(SPACE, make_strategy(name, **OPTIONS.get(name, {})), seed=4)
    interview.tell(0)
    interview.require("size >= 2")
    question = interview.ask()
    assert question is not None
    interview.tell(len(question.options) - 1)
    return interview


def loaded(data: bytes, like: Belief, *, stamp: object = STAMP) -> Belief | None:
    return beliefs.load(data, stamp=stamp, space=like.space, history=like.history)


@pytest.mark.parametrize("name", sorted(strategy_names()))
def test_the_belief_of_every_strategy_comes_back_as_it_was(name: str) -> None:
    interview = talked(name)
    belief = loaded(beliefs.dump(interview.belief, stamp=STAMP), interview.belief)
    assert belief == interview.belief
    assert type(belief) is type(interview.belief)
    again = Interview(SPACE, interview.strategy, seed=4, events=interview.events, known=(len(interview.events), belief))
    assert again.ask() == interview.ask()
    assert again.recommend() == interview.recommend()
    assert again.stakes() == interview.stakes()


def test_another_stamp_or_version_counts_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    belief = talked().belief
    data = beliefs.dump(belief, stamp=STAMP)
    assert loaded(data, belief) is not None
    assert loaded(data, belief, stamp=["other", *STAMP[1:]]) is None
    monkeypatch.setattr(beliefs, "_versions", lambda: ["0.0.0"])
    assert loaded(data, belief) is None


@settings(derandomize=True, deadline=None, max_examples=60)
@given(damage=st.data())
def test_damaged_bytes_count_as_nothing(damage: st.DataObject) -> None:
    belief = KEPT
    data = bytearray(KEPT_BYTES)
    match damage.draw(st.sampled_from(["flip", "cut", "more", "other"])):
        case "flip":
            data[damage.draw(st.integers(0, len(data) - 1))] ^= 1 << damage.draw(st.integers(0, 7))
        case "cut":
            del data[damage.draw(st.integers(0, len(data) - 1)) :]
        case "more":
            data += damage.draw(st.binary(min_size=1, max_size=9))
        case _:
            data = bytearray(damage.draw(st.binary(max_size=60)))
    assert loaded(bytes(data), belief) is None


KEPT = talked().belief
KEPT_BYTES = beliefs.dump(KEPT, stamp=STAMP)


# What a stranger may have written; the seal is no secret, so all of it is sealed properly


def sealed(body: bytes) -> bytes:
    packed = zlib.compress(body)
    return beliefs._seal(packed, STAMP) + packed


class Reduced:
    """Whatever a pickle may call."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.reduced = function, arguments

    def __reduce__(self) -> Any:
        return self.reduced


def hostile(path: Path) -> dict[str, bytes]:
    """Pickles that would leave a file at the path, or worse."""
    touch = f"open({str(path)!r}, 'w').close()"
    calls = {
        "system": Reduced(os.system, f"touch {path}"),
        "exec": Reduced(builtins.exec, touch),
        "eval": Reduced(builtins.eval, touch),
        "open": Reduced(builtins.open, str(path), "w"),
        "path": Reduced(Path.touch, path),
        "numpy": Reduced(np.save, str(path), np.zeros(1)),
        "load": Reduced(pickle.loads, pickle.dumps(Reduced(os.system, f"touch {path}"))),
    }
    return {name: pickle.dumps(call, protocol=5) for name, call in calls.items()} | {
        "inside a belief": _inside_a_belief(path),
        "a memory hole": b"\x80\x05B\xff\xff\xff\x7f",
        "a stack of marks": b"(" * 100_000 + b"t" * 100_000 + b".",
        "no belief": pickle.dumps({"population": 1}),
        "nothing": b"",
        "another space": b"\x80\x05\x8c\x05other\x94Q.",
    }


def _inside_a_belief(path: Path) -> bytes:
    """A real belief, one of whose parts is a call."""
    packed = io.BytesIO()
    poisoned = object.__new__(type(KEPT))
    poisoned.__dict__.update(KEPT.__dict__, history=(), trail=Reduced(os.system, f"touch {path}"))
    beliefs._Pickler(packed, protocol=5).dump(poisoned)
    return packed.getvalue()


def test_nothing_that_a_stranger_wrote_is_run(tmp_path: Path) -> None:
    path = tmp_path / "touched"
    for name, body in hostile(path).items():
        assert loaded(sealed(body), KEPT) is None, name
        assert not path.exists(), name


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("builtins", "getattr"),
        ("numpy", "load"),
        ("numpy", "ndarray.tofile"),
        ("setmargin.space.space", "build_space"),
        ("setmargin.strategies.registry", "make_strategy"),  # a function
        ("setmargin.strategies.bayes.strategy", "np"),  # a module
        ("setmargin.strategies.bayes.strategy", "Bayes"),  # no value
        ("setmargin.strategies.bayes.strategy", "Belief"),  # defined elsewhere
        ("setmargin.strategies.base", "Belief.rng"),  # a way through a class
    ],
)
def test_names_that_are_no_part_of_a_belief_are_refused(module: str, name: str) -> None:
    body = b"\x80\x04" + b"".join(b"\x8c" + bytes([len(part)]) + part.encode() for part in (module, name)) + b"\x93."
    with pytest.raises(pickle.UnpicklingError, match="is no part of a belief"):
        beliefs._Unpickler(io.BytesIO(body), SPACE).load()


def test_the_hostile_pickles_would_really_do_harm(tmp_path: Path) -> None:
    path = tmp_path / "touched"
    pickle.loads(hostile(path)["system"])
    assert path.exists()


def test_what_unpacks_to_too_much_counts_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(sealed(_body()), KEPT) is not None
    monkeypatch.setattr(beliefs, "LARGEST", 1000)
    assert loaded(sealed(_body()), KEPT) is None


def _body() -> bytes:
    return zlib.decompress(KEPT_BYTES[beliefs.DIGEST :])


def test_a_belief_names_nothing_but_arrays_and_its_own_values() -> None:
    names = {
        argument
        for opcode, argument, _ in pickletools.genops(_body())
        if opcode.name == "SHORT_BINUNICODE" and argument
    }
    modules = {name for name in names if name.startswith(("setmargin", "numpy", "builtins", "os"))}
    assert "setmargin.space.space" not in modules
    assert {name.split(".")[0] for name in modules} == {"setmargin", "numpy"}
