"""What earlier people were like, made up: priors for the tea of the tests, and fits that take no time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, TypeVar

from setmargin.errors import LearningError
from setmargin.server.settings import Settings
from setmargin.server.store import Progress, Store
from setmargin.server.work.job import Job
from setmargin.server.work.learning import Fit, FitRequest, Fitted, histories
from setmargin.server.work.worker import NOW
from setmargin.space.catalogue import loads
from setmargin.space.document import from_document
from setmargin.space.space import Space
from tests.server.api.calling import API, OWNER, TEA, Caller, Talk
from tests.server.api.inline import InlinePool

T = TypeVar("T")
SPACE = loads(TEA)


def prior_of(people: int = 40, *, space: Space = SPACE, loved: str = "kind=white") -> dict[str, Any]:
    """A prior of people who love one thing."""
    features = {name: {"mean": 3.0 if name == loved else 0.0, "own": 0.1} for name in space.feature_names}
    return {
        "format": 1,
        "catalogue": space.name,
        "fingerprint": space.fingerprint,
        "people": people,
        "sources": ["made up"],
        "tastes": {"people": people, "sharpness": 5.0, "segments": [{"share": 1.0, "features": features}]},
    }


class QuickPool(InlinePool):
    """Thinks of a few people only: what these tests are about does not depend on how many."""

    async def run(
        self, function: Callable[..., T], *arguments: Any, key: str, urgency: int = NOW, slow: bool = False
    ) -> T:
        return await super().run(function, *map(_lighter, arguments), key=key, urgency=urgency, slow=slow)


def _lighter(argument: Any) -> Any:
    if isinstance(argument, Job) and argument.strategy["name"] == "bayes":
        return replace(argument, strategy={**argument.strategy, "samples": 24})
    return argument


class MadeUpFit:
    """Learns the same from everybody, at once; or fails. It keeps what it was asked for."""

    def __init__(self, *, error: Exception | None = None) -> None:
        self.requests: list[FitRequest] = []
        self.error = error

    def __call__(self, _: Settings) -> AbstractContextManager[Fit]:
        """As `create_app` takes it."""
        return nullcontext(self.fit)

    async def fit(self, request: FitRequest) -> Fitted | None:
        self.requests.append(request)
        if self.error is not None:
            raise self.error
        space = from_document(request.catalogue)
        people = len(histories(space, request.logs))
        return Fitted(prior_of(people, space=space), people) if people >= request.least else None


FAILING = LearningError("these people cannot be learnt from")


def finish(call: Caller, number: int = 1, **wanted: Any) -> None:
    """So many people answer a question and take what is recommended: one here, the others before, on another server."""
    talk = Talk(call, **{"strategy": "random", **wanted})
    talk.tell(0)
    taken = {"finish": talk.state["best"]["values"]}
    done: Progress = {
        "answers": 1,
        "expected_loss": None,
        "importance": {},
        "finished": True,
        "done": True,
        "taken": None,
        "must_haves": [],
    }
    with Store.open(call.app.state.settings.database) as store:
        here = store.interview(talk.state["id"])
        for seed in range(number - 1):
            other = store.start(here.digest, here.strategy, seed, events=here.events)
            store.append(other.id, taken, after=1, progress=done)
    talk.do("POST", "/finish")


def outcomes(call: Caller) -> dict[str, int]:
    """What came of learning so far, and how often."""
    metrics = call("GET", "/metrics", headers=OWNER).text
    found = re.findall(r'^setmargin_learning_total{catalogue="tea",outcome="(.*)"} (.*)$', metrics, re.MULTILINE)
    return {outcome: int(float(number)) for outcome, number in found}


def settled(call: Caller, number: int) -> Mapping[str, Any]:
    """What the owner sees of the tea once that was learnt from so many times, and nothing is left to learn."""
    for _ in range(2000):
        if sum(outcomes(call).values()) >= number:
            break
    assert call.wait(call.app.state.learning.learn("tea")) is None
    assert sum(outcomes(call).values()) == number
    found = call("GET", f"{API}/owner/priors", headers=OWNER).json()["catalogues"]
    tea: Mapping[str, Any] = next(each for each in found if each["catalogue"] == "tea")
    return tea
