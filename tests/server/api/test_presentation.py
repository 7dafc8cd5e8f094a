"""Claims about what people see of a catalogue: in their language, with safe pictures, and opening questions."""

from __future__ import annotations

from typing import Any

import pytest

from setmargin import Interview
from setmargin.server.settings import Settings
from setmargin.space.catalogue import loads
from tests.server.api.calling import API, OWNER, TEA, TOKEN, Caller
from tests.space.presented import CHAIR, SVG


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    database = f"sqlite:///{tmp_path_factory.mktemp('api')}/setmargin.db"
    catalogues = tuple(loads(text).document() for text in (CHAIR, TEA))
    return Settings(database=database, catalogues=catalogues, owner_token=TOKEN, uploads=True, rate=0)


def chair(call: Caller, query: str = "", **headers: str) -> Any:
    return call("GET", f"{API}/catalogues/chair{query}", headers=headers).json()


def begin(call: Caller, **wanted: Any) -> Any:
    reply = call("POST", f"{API}/interviews", json={"catalogue": "chair", **wanted})
    assert reply.status_code == 201, reply.text
    return reply.json()


def test_a_catalogue_is_told_in_the_language_that_is_wanted(call: Caller) -> None:
    english, german = chair(call), chair(call, **{"Accept-Language": "fr, de-AT;q=0.8, en;q=0.5"})
    assert (english["language"], german["language"], english["languages"]) == ("en", "de", ["en", "de"])
    assert (english["title"], german["title"]) == ("Find your chair", "Finde deinen Stuhl")
    assert chair(call, "?language=de", **{"Accept-Language": "en"}) == german
    assert chair(call, "?language=xx") == english
    wood = german["attributes"][0]
    assert (wood["title"], wood["help"], wood["values"]) == ("Holz", "Woraus er ist.", ["oak", "beech", "none"])
    assert [each["title"] for each in wood["labels"]] == ["Eiche", None, "kein Holz"]
    assert german["groups"] == [{"title": "Aussehen", "members": ["wood", "price"]}]
    assert german["action"]["text"] == "In den Warenkorb"
    price = german["quantities"][0]
    assert (price["unit"], price["currency"], price["decimals"]) == ("€", "EUR", 0)
    (card, _) = call("GET", f"{API}/catalogues?language=de").json()["catalogues"]
    assert (card["title"], card["theme"]["name"]) == ("Finde deinen Stuhl", "Sitz & Co")


def test_the_theme_has_colours_for_light_and_dark(call: Caller) -> None:
    theme = chair(call)["theme"]
    assert theme["light"]["accent"] == "#1d4f91"
    assert set(theme["dark"]) == {"accent", "accent-strong", "accent-pale", "on-accent"}
    assert theme["dark"]["accent"] != "#1d4f91"


def test_pictures_are_kept_for_ever_and_can_do_nothing(call: Caller) -> None:
    found = chair(call)
    reply = call("GET", found["attributes"][0]["image"])
    assert (reply.status_code, reply.text) == (200, SVG)
    assert reply.headers["Content-Type"] == "image/svg+xml"
    assert "immutable" in reply.headers["Cache-Control"]
    assert reply.headers["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert call("GET", found["theme"]["logo"]).headers["Content-Type"] == "image/png"
    for wrong in (found["theme"]["logo"] + "0", f"{API}/images/{'0' * 64}/{'0' * 32}"):
        assert call("GET", wrong).status_code == 404


def test_an_interview_shows_the_catalogue_in_the_language_that_is_wanted(call: Caller) -> None:
    id = begin(call)["id"]
    shown = call("GET", f"{API}/interviews/{id}/catalogue", headers={"Accept-Language": "de"}).json()
    assert shown == chair(call, "?language=de")


def test_opening_answers_are_must_haves_and_hints_of_the_interview(call: Caller) -> None:
    question = chair(call)["opening"][0]
    assert [each["id"] for each in question["answers"]] == ["desk", "party", "any"]
    state = begin(call, opening={"use": "party"}, must_haves=["legs = 4", "wood = beech"])
    assert state["must_haves"] == ["price <= 80", "legs = 4", "wood = beech"]
    exported = call("GET", f"{API}/interviews/{state['id']}/export").json()
    assert exported["strategy"]["hints"] == {"price": 0.9, "comfort": 0.2}
    assert Interview.from_document(exported).must_haves == ("price <= 80", "legs = 4", "wood = beech")
    assert begin(call, opening={"use": "desk"}, strategy="random")["must_haves"] == ['arms = "yes"']
    assert begin(call, opening={"use": "any"})["must_haves"] == []


@pytest.mark.parametrize(
    ("opening", "message"),
    [
        ({"uses": "desk"}, "there is no opening question 'uses'; did you mean use"),
        ({"use": "desks"}, "the opening question use has no answer 'desks'; did you mean desk"),
    ],
)
def test_opening_answers_that_there_are_not_are_refused(call: Caller, opening: dict[str, str], message: str) -> None:
    reply = call("POST", f"{API}/interviews", json={"catalogue": "chair", "opening": opening})
    assert reply.status_code == 422
    assert message in reply.json()["detail"] + reply.json()["cure"]


def test_an_opening_answer_that_must_haves_exclude_is_impossible(call: Caller) -> None:
    wanted = {"catalogue": "chair", "opening": {"use": "party"}, "must_haves": ["legs = 3"]}
    problem = call("POST", f"{API}/interviews", json=wanted).json()
    assert problem["conflict"] == ["legs = 4", "legs = 3"]


def test_an_upload_brings_its_pictures_along(call: Caller) -> None:
    sent = CHAIR.replace("catalogue: chair", "catalogue: stool")
    put = call("PUT", f"{API}/catalogues/stool", content=sent.encode(), headers=OWNER)
    assert put.status_code == 201, put.text
    assert call("GET", put.json()["theme"]["logo"]).status_code == 200
    wrong = sent.replace(f"'data:image/svg+xml,{SVG}'", "/etc/hostname", 1)
    refused = call("POST", f"{API}/catalogues/check", content=wrong.encode(), headers=OWNER).json()
    assert "only a catalogue that is loaded from its own file may name" in refused["detail"]
