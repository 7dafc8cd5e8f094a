"""The OpenAPI document is true: schemathesis sends what it allows and what it does not, and nothing breaks."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from setmargin import documents
from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from tests.server.api.calling import API, OWNER, Caller, Talk

DOCUMENT = create_app(Settings(database="sqlite:///nowhere.db")).openapi()
OPERATIONS = {
    operation.label: operation
    for found in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()
    if (operation := found.ok() if isinstance(found, Ok) else None) is not None
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
EXAMPLES = {GenerationMode.POSITIVE: 6, GenerationMode.NEGATIVE: 4}
CASES = [
    pytest.param(label, mode, id=f"{label} {mode.value}")
    for label, operation in OPERATIONS.items()
    for mode in EXAMPLES
    if "/export/{table}" not in label  # starts a process each time; test_export.py asks once
    # Where nothing is sent, nothing can be wrong with it.
    if mode is GenerationMode.POSITIVE or operation.body or operation.query
]


def aim(case: schemathesis.Case[Any], talk: Talk) -> None:
    """Let the request be about an interview that is there, at the version that it has."""
    if "id" in case.path_parameters:
        case.path_parameters["id"] = talk.state["id"]
        version = talk.get()["version"]
        for part in (case.body, case.query):
            if isinstance(part, dict) and "version" in part:
                part["version"] = version
    if isinstance(case.body, dict) and "catalogue" in case.body:
        case.body["catalogue"] = "tea"


def send(case: schemathesis.Case[Any], call: Caller) -> Any:
    sent = case.as_transport_kwargs(base_url="http://test", headers=OWNER)
    if isinstance(data := sent.pop("data", None), bytes | str):
        sent["content"] = data
    sent["headers"] = {name: value.encode("utf-8", "replace") for name, value in sent["headers"].items()}
    sent.pop("cookies")
    return call(sent.pop("method"), sent.pop("url"), **sent)


@pytest.mark.parametrize(("label", "mode"), CASES)
def test_the_server_does_what_its_document_says_whatever_is_sent(
    label: str, mode: GenerationMode, call: Caller
) -> None:
    talk = Talk(call, strategy="random")

    @settings(derandomize=True, deadline=None, max_examples=EXAMPLES[mode], suppress_health_check=list(HealthCheck))
    @given(case=OPERATIONS[label].as_strategy(generation_mode=mode), aimed=st.booleans())
    def fuzz(case: schemathesis.Case[Any], aimed: bool) -> None:
        if aimed:  # the one from before may be deleted
            is_deleting = label.startswith("DELETE") and label.endswith("/{id}")
            aim(case, Talk(call, strategy="random") if is_deleting else talk)
        case.validate_response(send(case, call), checks=CHECKS)

    fuzz()


@pytest.mark.parametrize("name", ["Start", "At", "GiveAnswer", "Adjust", "WantedChange", "AddMustHave", "Finish"])
def test_the_examples_of_what_can_be_sent_can_be_sent(name: str) -> None:
    examples = DOCUMENT["components"]["schemas"][name]["examples"]
    assert examples
    for example in examples:
        TypeAdapter(getattr(documents, name)).validate_python(example)


def test_every_operation_says_what_it_does_and_what_can_go_wrong() -> None:
    assert len(DOCUMENT["paths"]) > 10
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            where = f"{method} {path}"
            assert operation["description"], where
            assert operation["tags"], where
            problems = {status: reply for status, reply in operation["responses"].items() if int(status) >= 400}
            assert {"422", "413", "429"} <= set(problems), where
            assert all(set(reply["content"]) == {"application/problem+json"} for reply in problems.values()), where


def test_the_document_is_served_and_no_page_loads_scripts_from_elsewhere(call: Caller) -> None:
    assert call("GET", f"{API}/openapi.json").json() == DOCUMENT
    assert [call("GET", path).status_code for path in ("/docs", "/redoc")] == [404, 404]
