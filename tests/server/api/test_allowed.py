"""Everybody chooses among what the owner allows; the owner chooses freely."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from tests.server.api.calling import API, OWNER, Caller, calling
from tests.server.api.inline import InlinePool


@pytest.fixture(scope="module")
def generous(options: Settings) -> Iterator[Caller]:
    """A server that lets everybody choose more than usual."""
    settings = replace(options, allowed_strategies=("setmargin",), allowed_set_size=6)
    with calling(create_app(settings, make_pool=InlinePool)) as caller:
        yield caller


def start(call: Caller, headers: dict[str, str] | None = None, **wanted: Any) -> Any:
    return call("POST", f"{API}/interviews", json={"catalogue": "tea", **wanted}, headers=headers or {})


@pytest.mark.parametrize(
    ("wanted", "said", "cure"),
    [
        ({"strategy": "setmargin"}, "the strategy setmargin", "choose bayes or random, or send the owner's token"),
        ({"set_size": 5}, "questions of 5 options", "choose 4 or fewer, or send the owner's token"),
    ],
)
def test_what_takes_long_is_refused_with_what_is_allowed(
    call: Caller, wanted: dict[str, Any], said: str, cure: str
) -> None:
    reply = start(call, **wanted)
    problem = reply.json()
    assert (reply.status_code, problem["type"].rsplit("/", 1)[-1]) == (403, "off")
    assert problem["detail"].startswith(said)
    assert problem["cure"].startswith(cure)
    assert start(call, {"Authorization": "Bearer nobody-in-particular"}, **wanted).status_code == 403


@pytest.mark.parametrize("wanted", [{"strategy": "setmargin"}, {"set_size": 6}])
def test_the_owner_chooses_freely_and_may_let_everybody(call: Caller, generous: Caller, wanted: dict[str, Any]) -> None:
    assert start(call, OWNER, **wanted).status_code == 201
    assert start(generous, **wanted).status_code == 201


@pytest.mark.parametrize("wanted", [{}, {"strategy": "random"}, {"set_size": 4}, {"policy": "comparisons"}])
def test_what_is_usual_or_cheap_is_open_to_everybody(call: Caller, wanted: dict[str, Any]) -> None:
    assert start(call, **wanted).status_code == 201


def test_the_usual_strategy_is_open_whatever_else_is_allowed(generous: Caller) -> None:
    assert start(generous).status_code == 201
    assert start(generous, strategy="random").status_code == 403
