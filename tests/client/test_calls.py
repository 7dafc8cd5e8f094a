"""What the clients send is what the OpenAPI document describes, and they leave nothing of it out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from setmargin.client import AsyncClient, AsyncRemoteInterview, Client, RemoteInterview, calls
from setmargin.client.calls import ApiCall
from setmargin.documents import State, read
from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings

DOCUMENT = create_app(Settings(database="sqlite:///nowhere.db")).openapi()
API = "/api/v1"
DESCRIBED: dict[str, Callable[..., ApiCall[Any]]] = {
    name: each
    for name, each in inspect.getmembers(calls, inspect.isfunction)
    if not name.startswith("_") and str(inspect.signature(each).return_annotation).startswith("ApiCall[")
}
NOT_CALLED = {
    "GET /health": "for whoever watches the server",
    "GET /ready": "for whoever watches the server",
    "GET /interviews/{id}/question": "the state has it",
    "GET /interviews/{id}/answers": "the result has them",
    "GET /images/{catalogue}/{image}": "for browsers",
    "GET /owner/export/{table}": "a file of any size, for browsers and curl",
}
OPTION = {"values": {"kind": "green"}, "amounts": {}}
QUESTION = {
    "id": "5f0c", "number": 1, "options": [OPTION, OPTION], "differing": [], "alike": [],
    "asks_for_change": False, "besides": [], "changes": [],
}  # fmt: skip
STATE = read(
    State,
    {
        "id": "m W0", "version": 3, "catalogue": {"name": "tea", "title": "", "digest": ""}, "strategy": None,
        "seed": 0, "answered": 1, "must_haves": [], "question": QUESTION, "best": OPTION, "stakes": None,
        "done": False, "finished": None, "can_undo": True, "undo_of": None,
    },
)  # fmt: skip
EXAMPLES: dict[str, Any] = {
    "state": STATE,
    "answer": {"choice": 0},
    "because": ["price"],
    "catalogue": "green tea",
    "configuration": {"kind": "green", "cups": 2},
    "days": 90.0,
    "differences": 2,
    "id": "mW0",
    "keep": True,
    "language": "de",
    "must_haves": ["price <= 9"],
    "name": "kind",
    "number": 0,
    "opening": {"use": "office"},
    "order": [1, 0],
    "policy": "comparisons",
    "rule": "price <= 9",
    "seed": 3,
    "set_size": 2,
    "strategy": "random",
    "text": "catalogue: tea",
    "token": "b7Q0",
    "until": 0.1,
    "value": "black",
    "version": 1,
}


def examples(describe: Callable[..., ApiCall[Any]]) -> list[ApiCall[Any]]:
    """With all that can be said, and with no more than has to be."""
    parameters = inspect.signature(describe).parameters.values()
    needed = [each.name for each in parameters if each.default is inspect.Parameter.empty]
    return [
        describe(**{name: EXAMPLES[name] for name in names}) for names in ([each.name for each in parameters], needed)
    ]


def operation_of(call: ApiCall[Any]) -> dict[str, Any]:
    operation: dict[str, Any] = DOCUMENT["paths"][API + call.path][call.method.lower()]
    return operation


def schema_of(content: dict[str, Any], kind: str) -> dict[str, Any]:
    return {**content[kind]["schema"], "components": DOCUMENT["components"]}


@pytest.mark.parametrize("name", DESCRIBED)
def test_a_call_is_an_operation_of_the_document_with_its_parameters_and_its_reply(name: str) -> None:
    for call in examples(DESCRIBED[name]):
        operation = operation_of(call)
        parameters = {(each["in"], each["name"]): each for each in operation.get("parameters", ())}
        assert {name for where, name in parameters if where == "path"} == set(call.places)
        assert set(call.query) <= {name for where, name in parameters if where == "query"}
        needed = {name for (where, name), each in parameters.items() if where == "query" and each.get("required")}
        assert needed <= set(call.query)
        for query, value in call.query.items():
            Draft202012Validator(parameters["query", query]["schema"]).validate(value)
        check_body(call, operation)
        reply = next(each for status, each in operation["responses"].items() if status.startswith("2"))
        found = reply.get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "")
        assert found.rpartition("/")[2] == ("" if call.reply is None else call.reply.__name__)


def check_body(call: ApiCall[Any], operation: dict[str, Any]) -> None:
    wanted = operation.get("requestBody")
    assert (call.body is None) == (wanted is None)
    if wanted is not None:
        kind = "application/yaml" if isinstance(call.body, str) else "application/json"
        Draft202012Validator(schema_of(wanted["content"], kind)).validate(call.body)


def test_every_operation_can_be_called() -> None:
    called = {f"{call.method} {call.path}" for each in DESCRIBED.values() for call in examples(each)}
    there = {
        f"{method.upper()} {path.removeprefix(API)}" for path, each in DOCUMENT["paths"].items() for method in each
    }
    assert called | set(NOT_CALLED) == there
    assert not called & set(NOT_CALLED)


def test_what_is_put_into_an_address_is_escaped() -> None:
    assert calls.catalogue("a/b c", language="de&x").address == "/catalogues/a%2Fb%20c?language=de%26x"
    assert calls.undo(STATE).address == "/interviews/m%20W0/undo"


@pytest.mark.parametrize(("plain", "other"), [(Client, AsyncClient), (RemoteInterview, AsyncRemoteInterview)])
def test_both_clients_have_the_same_verbs_with_the_same_parameters(plain: type, other: type) -> None:
    def verbs(of: type) -> dict[str, str]:
        public = {name: each for name, each in vars(of).items() if callable(each) and not name.startswith("_")}
        return {name: str(inspect.signature(each)).replace("Async", "") for name, each in public.items()}

    expected, found = verbs(plain), verbs(other)
    expected.pop("close", None)
    found.pop("aclose", None)
    assert found == expected
    assert len(expected) > 10


def test_every_call_is_a_verb_of_the_clients() -> None:
    verbs = {getattr(each, "__name__", "") for of in (Client, RemoteInterview) for each in vars(of).values()}
    assert set(DESCRIBED) <= verbs
