"""A server that learns: from enough people who finished, again when there are more, and never in anybody's way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from setmargin.interview.interview import Interview
from setmargin.server.api.app import create_app
from setmargin.server.errors import WorkTimeout
from setmargin.server.services.learning import grown
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.space.catalogue import loads
from tests.server.api.calling import API, OWNER, TEA, TOKEN, Caller, Talk, calling
from tests.server.learnt import FAILING, MadeUpFit, QuickPool, finish, outcomes, prior_of, settled

LEAST = 10


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    database = f"sqlite:///{tmp_path}/setmargin.db"
    tea = loads(TEA).document()
    return Settings(
        database=database, catalogues=(tea,), owner_token=TOKEN, rate=0, learning=True, learning_least=LEAST
    )


@contextmanager
def learning(settings: Settings, fit: MadeUpFit) -> Iterator[Caller]:
    with calling(create_app(settings, make_pool=QuickPool, make_fit=fit)) as call:
        yield call


def strategy_of(settings: Settings, talk: Talk) -> dict[str, Any]:
    with Store.open(settings.database) as store:
        return store.interview(talk.state["id"]).strategy


def version_of(settings: Settings, talk: Talk) -> int | None:
    prior = strategy_of(settings, talk).get("prior")
    return None if prior is None else prior["version"]


def test_from_enough_people_on_a_version_is_learnt_and_interviews_that_begin_then_expect_it(settings: Settings) -> None:
    fit = MadeUpFit()
    with learning(settings, fit) as call:
        finish(call, LEAST - 1)
        assert settled(call, 0)["used"] is None
        before = Talk(call)
        finish(call)
        tea = settled(call, 1)
        after = Talk(call)
    assert (tea["used"]["version"], tea["used"]["people"], tea["used"]["source"]) == (1, LEAST, "learnt")
    assert (tea["finished"], tea["learnt_at"]) == (LEAST, 12)
    assert any("kind=white" in line for line in tea["summary"])
    assert (version_of(settings, before), version_of(settings, after)) == (None, 1)
    assert after.state["best"]["values"]["kind"] == "white"
    assert before.state["best"] != after.state["best"]


def test_it_is_learnt_again_once_there_are_a_fifth_more_and_all_versions_are_kept(settings: Settings) -> None:
    fit = MadeUpFit()
    with learning(settings, fit) as call:
        finish(call, LEAST)
        settled(call, 1)
        finish(call)
        assert settled(call, 1)["used"]["version"] == 1
        finish(call)
        tea = settled(call, 2)
    assert [(each["version"], each["people"]) for each in tea["versions"]] == [(2, 12), (1, 10)]
    assert tea["used"]["version"] == 2


def test_an_interview_keeps_its_version_whatever_is_learnt_meanwhile_and_on_every_server(settings: Settings) -> None:
    fit = MadeUpFit()
    with ExitStack() as stack:
        call = stack.enter_context(learning(settings, fit))
        finish(call, LEAST)
        settled(call, 1)
        talk = Talk(call)
        talk.tell(0)
        finish(call, 2)
        assert settled(call, 2)["used"]["version"] == 2
        talk.tell(1)
        here = (talk.get(), talk.get("/recommendation"), talk.get("/export"))
    assert version_of(settings, talk) == 1
    elsewhere = replace(settings, learning=False)
    with calling(create_app(elsewhere, make_pool=QuickPool)) as call:
        talk.call = call
        assert (talk.get(), talk.get("/recommendation"), talk.get("/export")) == here
        assert version_of(settings, Talk(call)) is None


def test_an_export_holds_the_prior_and_goes_on_in_python(settings: Settings) -> None:
    fit = MadeUpFit()
    with learning(settings, fit) as call:
        finish(call, LEAST)
        settled(call, 1)
        talk = Talk(call)
        talk.tell(0)
        interview = Interview.from_document(talk.get("/export"))
    question = interview.ask()
    assert question is not None
    assert [dict(each) for each in question.options] == [each["values"] for each in talk.state["question"]["options"]]


def test_people_count_once_and_only_when_they_are_done_whoever_asked_them(settings: Settings) -> None:
    fit = MadeUpFit()
    with learning(settings, fit) as call:
        finish(call, 4)
        finish(call, 4, strategy="bayes", policy="comparisons")
        again = Talk(call)
        again.tell(0)
        for _ in range(3):
            again.do("POST", "/finish")
            again.do("POST", "/undo")
        Talk(call).do("POST", "/finish")
        assert settled(call, 0)["finished"] == 8
        again.do("POST", "/finish")
        finish(call)
        settled(call, 1)
    assert [len(request.logs) for request in fit.requests] == [10]


def test_a_strategy_without_a_prior_has_none(settings: Settings) -> None:
    fit = MadeUpFit()
    with learning(settings, fit) as call:
        finish(call, LEAST)
        settled(call, 1)
        assert version_of(settings, Talk(call, strategy="random")) is None


@pytest.mark.parametrize("error", [FAILING, WorkTimeout("too long"), ZeroDivisionError("a mistake")])
def test_what_goes_wrong_is_counted_and_tried_again_later_and_nobody_sees_it(
    settings: Settings, error: Exception
) -> None:
    fit = MadeUpFit(error=error)
    with learning(settings, fit) as call:
        finish(call, LEAST)
        assert settled(call, 1)["learnt_at"] == 12
        assert Talk(call).tell(0)["question"]
        assert outcomes(call) == {"failed": 1}
        fit.error = None
        finish(call)
        settled(call, 1)
        finish(call)
        assert settled(call, 2)["used"]["version"] == 1


def test_of_two_servers_one_writes_a_version_and_both_use_it(settings: Settings) -> None:
    class Slow(MadeUpFit):
        """Somebody else is quicker."""

        async def fit(self, request: Any) -> Any:
            with Store.open(settings.database) as store:
                digest = store.catalogues()[0].digest
                store.put_prior("tea", 1, prior_of(77), digest=digest, source="learnt", people=77, finished=LEAST)
            return await super().fit(request)

    fit = Slow()
    with learning(settings, fit) as call:
        finish(call, LEAST)
        tea = settled(call, 1)
        assert [(each["version"], each["people"]) for each in tea["versions"]] == [(1, 77)]
        assert version_of(settings, Talk(call)) == 1
        assert outcomes(call) == {"late": 1}


def test_a_server_that_starts_learns_what_there_is(settings: Settings) -> None:
    with calling(create_app(replace(settings, learning=False), make_pool=QuickPool)) as call:
        finish(call, LEAST)
    fit = MadeUpFit()
    with learning(settings, fit) as call:
        assert settled(call, 1)["used"]["version"] == 1


def test_a_changed_catalogue_takes_the_last_prior_and_says_what_is_left_of_it(settings: Settings) -> None:
    with learning(settings, MadeUpFit()) as call:
        finish(call, LEAST)
        settled(call, 1)
    changed = TEA.replace("pot: [glass, clay]", "pot: [glass, clay, tin]").replace("clay: 9", "clay: 9, tin: 1")
    with learning(replace(settings, catalogues=(loads(changed).document(),)), MadeUpFit()) as call:
        tea = settled(call, 0)
        assert (tea["used"]["version"], version_of(settings, Talk(call))) == (1, 1)
        assert any("pot=tin" in note for note in tea["notes"])
        finish(call, 2)
        tea = settled(call, 1)
    assert (tea["used"]["people"], tea["notes"]) == (12, [])


def test_a_prior_that_says_nothing_about_the_catalogue_is_left_out_until_enough_people_came(settings: Settings) -> None:
    with learning(settings, MadeUpFit()) as call:
        finish(call, LEAST)
        settled(call, 1)
    other = TEA.replace("kind", "sort").replace("cups", "size").replace("pot", "jar").replace("price", "cost")
    with learning(replace(settings, catalogues=(loads(other).document(),)), MadeUpFit()) as call:
        tea = settled(call, 0)
        assert (tea["used"], version_of(settings, Talk(call))) == (None, None)
        assert "nothing in common" in tea["notes"][0]
        finish(call, 2)  # a fifth more, but these two alone are too few
        assert settled(call, 1)["learnt_at"] == 15
        assert outcomes(call) == {"too few": 1}
        finish(call, LEAST - 2)
        tea = settled(call, 2)
    assert (tea["used"]["version"], tea["used"]["people"]) == (2, LEAST)


def test_a_prior_that_is_given_stays_and_nothing_is_learnt_beside_it(settings: Settings) -> None:
    given, fit = replace(settings, priors={"tea": prior_of(500)}), MadeUpFit()
    for _ in range(2):
        with learning(given, fit) as call:
            finish(call, LEAST)
            tea = settled(call, 0)
            talk = Talk(call)
    assert [(each["version"], each["source"], each["people"]) for each in tea["versions"]] == [(1, "given", 500)]
    assert (tea["used"]["version"], tea["learnt_at"], version_of(settings, talk)) == (1, None, 1)
    other = replace(settings, priors={"tea": prior_of(501)}, learning=False)
    with calling(create_app(other, make_pool=QuickPool)) as call:
        assert version_of(settings, Talk(call)) == 2
        assert talk.call is not call
        talk.call = call
        assert talk.get()["question"] == talk.state["question"]


def test_the_owner_can_take_a_version_away_whole_and_no_other(settings: Settings) -> None:
    with learning(settings, MadeUpFit()) as call:
        finish(call, LEAST)
        settled(call, 1)
        reply = call("GET", f"{API}/owner/priors/tea/1", headers=OWNER)
        assert reply.json() == {"catalogue": "tea", "version": 1, "document": prior_of(LEAST)}
        for place in ("tea/2", "coffee/1"):
            missing = call("GET", f"{API}/owner/priors/{place}", headers=OWNER)
            assert (missing.status_code, "no version" in missing.json()["detail"]) == (404, True)


def test_the_same_key_is_the_same_interview_though_something_was_learnt_in_between(settings: Settings) -> None:
    fit = MadeUpFit()
    body, headers = {"catalogue": "tea", "policy": "comparisons"}, {"Idempotency-Key": "as-long-as-a-key-is"}
    with learning(settings, fit) as call:
        first = call("POST", f"{API}/interviews", json=body, headers=headers).json()
        finish(call, LEAST)
        settled(call, 1)
        assert call("POST", f"{API}/interviews", json=body, headers=headers).json() == first


def test_enough_more_is_a_fifth_and_at_least_one() -> None:
    assert [grown(finished) for finished in (0, 1, 4, 10, 30, 31, 1000)] == [1, 2, 5, 12, 36, 38, 1200]
