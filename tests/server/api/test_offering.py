"""The owner withdraws catalogues and brings them back; a restart undoes nothing of what the owner did."""

from __future__ import annotations

from dataclasses import replace

from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from setmargin.space.catalogue import loads
from tests.server.api.calling import API, OWNER, TEA, Caller, Talk, calling
from tests.server.api.inline import InlinePool

MUG = "catalogue: mug\ntitle: Your mug\nattributes:\n  size: [1, 2]\n  colour: [red, blue, green]\n"


def names(call: Caller) -> list[str]:
    return [each["name"] for each in call("GET", f"{API}/catalogues").json()["catalogues"]]


def test_a_withdrawn_catalogue_cannot_be_begun_and_begun_interviews_go_on(call: Caller, talk: Talk) -> None:
    place = f"{API}/owner/catalogues/tea"
    assert call("POST", f"{place}/withdraw").status_code == 401
    withdrawn = call("POST", f"{place}/withdraw", headers=OWNER).json()
    assert (withdrawn["status"], withdrawn["title"]) == ("withdrawn", "Find your tea")
    assert names(call) == []
    refused = call("POST", f"{API}/interviews", json={"catalogue": "tea"})
    assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (404, "not-found")
    assert talk.tell(0)["version"] == 1
    assert talk.get("/catalogue")["name"] == "tea"
    (told,) = call("GET", f"{API}/owner/catalogues", headers=OWNER).json()["catalogues"]
    assert told == withdrawn
    assert call("POST", f"{place}/offer", headers=OWNER).json()["status"] == "offered"
    assert names(call) == ["tea"]
    assert Talk(call).state["version"] == 0
    assert call("POST", f"{API}/owner/catalogues/te/withdraw", headers=OWNER).status_code == 404


def test_a_restart_keeps_uploads_and_withdrawals_and_lists_no_file_that_it_was_not_given(options: Settings) -> None:
    with calling(create_app(options, make_pool=InlinePool)) as call:
        put = call("PUT", f"{API}/catalogues/mug", content=MUG.encode(), headers=OWNER).json()
        newer = call("PUT", f"{API}/catalogues/tea", content=TEA.replace("Find", "Brew").encode(), headers=OWNER).json()
    with calling(create_app(options, make_pool=InlinePool)) as call:
        assert [call("GET", f"{API}/catalogues/{each}").json()["digest"] for each in ("mug", "tea")] == [
            put["digest"],
            newer["digest"],
        ]
        call("POST", f"{API}/owner/catalogues/mug/withdraw", headers=OWNER)
    other = replace(options, catalogues=(loads("catalogue: pot\nattributes: {size: [1, 2]}\n").document(),))
    with calling(create_app(other, make_pool=InlinePool)) as call:
        assert names(call) == ["pot"]
        owned = call("GET", f"{API}/owner/catalogues", headers=OWNER).json()["catalogues"]
        assert {each["name"]: each["status"] for each in owned} == {
            "mug": "withdrawn",
            "pot": "offered",
            "tea": "not served",
        }
