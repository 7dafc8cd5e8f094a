from __future__ import annotations

import pytest

from setmargin.server.work.describe import rounded
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import loads
from tests.server.api.calling import API, OWNER, TEA, Caller, Talk

MUG = "catalogue: mug\nattributes:\n  size: [1, 2]\n  colour: [red, blue, green]\n"


def put(call: Caller, text: str, name: str = "mug") -> tuple[int, dict[str, object]]:
    reply = call("PUT", f"{API}/catalogues/{name}", content=text.encode(), headers=OWNER)
    return reply.status_code, reply.json()


NOTHING_ELSE = {"help": None, "image": None, "currency": None, "decimals": None}
"""What a catalogue may say and this one does not."""


def test_the_list_has_a_card_for_each_catalogue(call: Caller) -> None:
    (card, *_) = call("GET", f"{API}/catalogues").json()["catalogues"]
    assert card == {
        "name": "tea",
        "title": "Find your tea",
        "description": "",
        "attributes": 3,
        "quantities": 1,
        "configurations": 15,
        "theme": None,
    }


def test_a_catalogue_says_what_must_haves_can_speak_of(call: Caller) -> None:
    tea = call("GET", f"{API}/catalogues/tea").json()
    low, high = oracle_for(loads(TEA)).range("price")
    assert tea["attributes"][1] == {
        "name": "cups",
        "title": None,
        "unit": "cups",
        "values": [1, 2, 4],
        "numeric": True,
        "better": None,
        "ordered": False,
        "labels": [],
        **NOTHING_ELSE,
    }
    assert tea["attributes"][0] == {
        "name": "kind",
        "title": None,
        "unit": None,
        "values": ["green", "black", "white"],
        "numeric": False,
        "better": None,
        "ordered": False,
        "labels": [],
        **NOTHING_ELSE,
    }
    price = {"name": "price", "title": None, "unit": "€", "better": "lower", "least": low, "most": high}
    assert tea["quantities"] == [price | NOTHING_ELSE]
    assert tea["rules"] == ["kind = white => pot = glass"]
    assert len(tea["digest"]) == 64


def test_a_catalogue_that_was_put_can_be_asked_about_at_once(call: Caller) -> None:
    status, mug = put(call, MUG)
    assert (status, mug["configurations"]) == (201, 6)
    assert call("GET", f"{API}/catalogues/mug").json() == mug
    assert Talk(call, catalogue="mug").state["catalogue"]["name"] == "mug"


def test_an_interview_keeps_the_version_that_it_began_with(call: Caller) -> None:
    _, before = put(call, MUG)
    talk = Talk(call, catalogue="mug")
    _, after = put(call, MUG.replace("[1, 2]", "[3, 4]"))
    assert before["digest"] != after["digest"]
    assert talk.tell(0)["best"]["values"]["size"] in (1, 2)
    assert talk.get("/catalogue") == before
    newer = Talk(call, catalogue="mug")
    assert newer.state["best"]["values"]["size"] in (3, 4)
    assert newer.get("/catalogue") == after


def test_checking_a_catalogue_does_not_offer_it(call: Caller) -> None:
    text = MUG.replace("mug", "jug")
    checked = call("POST", f"{API}/catalogues/check", content=text.encode(), headers=OWNER)
    assert (checked.status_code, checked.json()["configurations"]) == (200, 6)
    assert call("GET", f"{API}/catalogues/jug").status_code == 404
    status, offered = put(call, text, "jug")
    assert (status, offered) == (201, checked.json())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("catalogue: mug\nattributes:\n  size: []\n", 3),
        ("catalogue: mug\nattributes:\n  size: [1, 1]\n", 3),
        ("catalogue: mug\nattributes: {size: [1, 2]}\nrules:\n  - size = 1\n  - shoe = 2\n", 5),
        ("catalogue: mug\nattributes: {size: [1, 2]}\nprior: people.yaml\n", 3),
        ("catalogue: [", 1),
        ("", 1),
    ],
)
def test_a_mistake_in_a_catalogue_comes_with_its_line(call: Caller, text: str, line: int) -> None:
    status, problem = put(call, text)
    assert status == 422
    (error, *_) = problem["errors"]  # type: ignore[misc]
    assert error["line"] == line  # type: ignore[has-type]
    assert error["message"] == problem["detail"]  # type: ignore[has-type]


def test_several_mistakes_come_each_with_its_own(call: Caller) -> None:
    status, problem = put(call, "catalogue: mug\ncolour: red\nattributes:\n  size: 3\n")
    assert status == 422
    assert {each["line"] for each in problem["errors"]} == {2, 4}  # type: ignore[attr-defined]


def test_a_catalogue_of_which_nothing_can_be_built_is_not_offered(call: Caller) -> None:
    text = "catalogue: pit\nattributes: {size: [1, 2]}\nrules: [size = 1, size = 2]\n"
    status, problem = put(call, text, "pit")
    assert (status, problem["conflict"]) == (409, ["size = 1", "size = 2"])
    assert call("GET", f"{API}/catalogues/pit").status_code == 404


def test_a_catalogue_is_put_under_its_own_name(call: Caller) -> None:
    status, problem = put(call, MUG, "jar")
    assert (status, problem["detail"]) == (422, "the file calls itself mug, not jar")


def test_a_catalogue_in_another_encoding_is_refused(call: Caller) -> None:
    reply = call("PUT", f"{API}/catalogues/mug", content="catalogue: ü".encode("latin-1"), headers=OWNER)
    assert (reply.status_code, reply.json()["detail"]) == (422, "this is not UTF-8 text; save it as UTF-8")


def test_a_number_too_large_for_json_is_rounded_or_left_out(call: Caller) -> None:
    attributes = "".join(f"  a{number}: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n" for number in range(20))
    assert put(call, f"catalogue: vast\nattributes:\n{attributes}", "vast")[1]["configurations"] == 1e20
    assert [rounded(count) for count in (None, 2**53 - 1, 10**400)] == [None, 2**53 - 1, None]


@pytest.mark.parametrize("token", [None, "", "wrong", "the-owner-of-everythin", "the-owner-of-everything2", "ü"])
@pytest.mark.parametrize(
    "path", ["catalogues/mug", "catalogues/check", "owner/summary", "owner/priors", "owner/priors/tea/1"]
)
def test_only_the_owner_may_do_what_is_the_owners(call: Caller, path: str, token: str | None) -> None:
    method = {"catalogues/mug": "PUT", "catalogues/check": "POST"}.get(path, "GET")
    headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
    reply = call(method, f"{API}/{path}", content=MUG.encode(), headers=headers)
    assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_the_owner_sees_how_many_questions_people_needed_and_no_interview(call: Caller) -> None:
    put(call, MUG.replace("mug", "cup"), "cup")
    finished, left = Talk(call, catalogue="cup"), Talk(call, catalogue="cup")
    finished.tell(0)
    finished.tell(0)
    finished.do("POST", "/finish")
    left.tell(0)
    Talk(call, catalogue="cup")
    reply = call("GET", f"{API}/owner/summary", headers=OWNER)
    (cup,) = (each for each in reply.json()["catalogues"] if each["name"] == "cup")
    assert (cup["interviews"], cup["answered"], cup["finished"]) == (3, 2, 1)
    assert cup["questions"] == {"median": 2, "p90": 2, "histogram": [{"questions": 2, "count": 1}]}
    assert {each["name"] for each in cup["importance"]} == {"size", "colour"}
    assert finished.state["id"] not in reply.text


@pytest.mark.parametrize(
    ("since", "status", "interviews"),
    [
        ("2000-01-01", 200, True),
        ("2999-01-01T00:00:00Z", 200, False),
        ("2999-01-01T00:00:00", 200, False),
        ("0001-01-01T00:00:00+14:00", 422, False),
        ("yesterday", 422, False),
    ],
)
def test_the_owner_may_ask_about_a_time(call: Caller, since: str, status: int, interviews: bool) -> None:
    Talk(call)
    reply = call("GET", f"{API}/owner/summary", params={"since": since}, headers=OWNER)
    assert reply.status_code == status
    if status == 200:
        assert any(each["interviews"] for each in reply.json()["catalogues"]) == interviews
