"""What each verb of the clients sends, and what its reply is: described once, whoever sends it and however."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from setmargin.documents import (
    Answer,
    AnswerPreview,
    Catalogue,
    CatalogueCard,
    Catalogues,
    ChangesOfBest,
    Exported,
    Forgotten,
    OwnersCatalogue,
    OwnersCatalogues,
    Possible,
    Previews,
    PriorFile,
    Priors,
    Result,
    SentAgain,
    Shared,
    SharedResult,
    State,
    Summary,
    Value,
    WebhookDeliveries,
    plain,
    read,
)

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class ApiCall(Generic[T]):
    """One request: an operation of the OpenAPI document, with its parameters."""

    method: str
    path: str
    """As the OpenAPI document has it, below the address of the API."""
    reply: type | None
    """The document that comes back; None: nothing."""
    result: Callable[[Any], T]
    """What is made of the reply, which is plain JSON."""
    places: Mapping[str, str | int] = field(default_factory=dict)
    """What stands for the names in the path."""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: object = None
    """A text goes as YAML, anything else as JSON."""

    @property
    def address(self) -> str:
        """Path and query as they are sent."""
        path = self.path.format_map({name: quote(str(part), safe="") for name, part in self.places.items()})
        return f"{path}?{urlencode(self.query)}" if self.query else path


def _call(method: str, path: str, reply: type[T], **parts: Any) -> ApiCall[T]:
    return ApiCall(method=method, path=path, reply=reply, result=lambda document: read(reply, document), **parts)


# A server


def catalogues() -> ApiCall[tuple[CatalogueCard, ...]]:
    """What interviews can be about."""
    return ApiCall(
        method="GET", path="/catalogues", reply=Catalogues, result=lambda found: read(Catalogues, found).catalogues
    )


def catalogue(name: str, *, language: str | None = None) -> ApiCall[Catalogue]:
    """All about one catalogue: its attributes, quantities and rules, and what people see of it in a language."""
    query = {"language": language} if language else {}
    return _call("GET", "/catalogues/{name}", Catalogue, places={"name": name}, query=query)


def possible(catalogue: str, must_haves: Sequence[str] = ()) -> ApiCall[Possible]:
    """What must-haves leave of a catalogue: how many configurations, which values, and the ranges of quantities."""
    body = {"must_haves": list(must_haves)}
    return _call("POST", "/catalogues/{name}/possible", Possible, places={"name": catalogue}, body=body)


def check_catalogue(text: str) -> ApiCall[Catalogue]:
    """Read a catalogue (its YAML text) without offering it; needs the owner's token, and a server with uploads."""
    return _call("POST", "/catalogues/check", Catalogue, body=text)


def put_catalogue(name: str, text: str) -> ApiCall[Catalogue]:
    """Offer a catalogue (its YAML text); needs the owner's token, and a server that allows uploads."""
    return _call("PUT", "/catalogues/{name}", Catalogue, places={"name": name}, body=text)


def start(
    catalogue: str,
    *,
    strategy: str | None = None,
    policy: str | None = None,
    set_size: int | None = None,
    differences: int | None = None,
    until: float | None = None,
    seed: int | None = None,
    must_haves: Sequence[str] = (),
    opening: Mapping[str, str] | None = None,
) -> ApiCall[State]:
    """A new interview; `opening` are answers to the catalogue's opening questions, by their ids."""
    given = {
        "strategy": strategy,
        "policy": policy,
        "set_size": set_size,
        "differences": differences,
        "until": until,
        "seed": seed,
        "opening": opening and dict(opening),
    }
    options = {name: value for name, value in given.items() if value is not None}
    body = {"catalogue": catalogue, "must_haves": list(must_haves), **options}
    return _call("POST", "/interviews", State, body=body)


def resume(id: str) -> ApiCall[State]:
    """An interview that was begun before, by its id."""
    return _call("GET", "/interviews/{id}", State, places={"id": id})


def shared(token: str) -> ApiCall[SharedResult]:
    """A result that somebody shared, by the token of its link."""
    return _call("GET", "/shared/{token}", SharedResult, places={"token": token})


# Its owner


def summary() -> ApiCall[Summary]:
    """What people did, by catalogue; needs the owner's token."""
    return _call("GET", "/owner/summary", Summary)


def owned() -> ApiCall[tuple[OwnersCatalogue, ...]]:
    """Every catalogue that was ever offered, and whether it is; needs the owner's token."""
    return ApiCall(
        method="GET",
        path="/owner/catalogues",
        reply=OwnersCatalogues,
        result=lambda found: read(OwnersCatalogues, found).catalogues,
    )


def withdraw(name: str) -> ApiCall[OwnersCatalogue]:
    """Let no more interviews begin on a catalogue; those that were begun go on. Needs the owner's token."""
    return _call("POST", "/owner/catalogues/{name}/withdraw", OwnersCatalogue, places={"name": name})


def offer(name: str) -> ApiCall[OwnersCatalogue]:
    """Bring a catalogue back that was withdrawn; needs the owner's token."""
    return _call("POST", "/owner/catalogues/{name}/offer", OwnersCatalogue, places={"name": name})


def priors() -> ApiCall[Priors]:
    """What is known of earlier people, by catalogue; needs the owner's token."""
    return _call("GET", "/owner/priors", Priors)


def prior(catalogue: str, version: int) -> ApiCall[PriorFile]:
    """One version of it whole, as `Bayes(prior=...)` takes its document; needs the owner's token."""
    places = {"catalogue": catalogue, "version": version}
    return _call("GET", "/owner/priors/{catalogue}/{version}", PriorFile, places=places)


def forget(id: str) -> ApiCall[None]:
    """Delete an interview with all that was shown and said; needs the owner's token."""
    return ApiCall(method="DELETE", path="/owner/interviews/{id}", reply=None, result=lambda _: None, places={"id": id})


def forget_unseen(*, days: float) -> ApiCall[int]:
    """Delete the interviews that nobody has looked at for so many days; needs the owner's token. Says how many."""
    return ApiCall(
        method="DELETE",
        path="/owner/interviews",
        reply=Forgotten,
        result=lambda found: read(Forgotten, found).interviews,
        query={"days": days},
    )


def webhooks() -> ApiCall[WebhookDeliveries]:
    """How those who are told of finished interviews are doing; needs the owner's token."""
    return _call("GET", "/owner/webhooks", WebhookDeliveries)


def send_webhooks_again() -> ApiCall[int]:
    """Send what was given up, from the beginning; needs the owner's token. Says how many."""
    return ApiCall(
        method="POST",
        path="/owner/webhooks/send-again",
        reply=SentAgain,
        result=lambda found: read(SentAgain, found).messages,
    )


# An interview, as it was seen last


def tell(state: State, answer: Answer | Mapping[str, Any] | int, because: str | Sequence[str] = ()) -> ApiCall[State]:
    """The option chosen, counted from 0, and the things that decided; or any answer as a document.

    Where a question asks for a change, `Changing(WantedChange("brakes", "disc"))` says which one.
    """
    return _answer(state, _said(answer, because))


def rank(state: State, order: Sequence[int], because: str | Sequence[str] = ()) -> ApiCall[State]:
    """All options, best first, and what puts the first one before the others."""
    return _answer(state, _said({"ranking": list(order)}, because))


def equal(state: State, because: str | Sequence[str] = ()) -> ApiCall[State]:
    """All options are equally good, and these things do not matter."""
    return _answer(state, _said({"equal": True}, because))


def skip(state: State) -> ApiCall[State]:
    """Pass over the question."""
    return _answer(state, {"skip": True})


def adjust(state: State, name: str | None = None, value: Value | None = None, *, keep: bool = False) -> ApiCall[State]:
    """Change something about the recommendation: an attribute's value, or a quantity, to be better.

    Without a name: nothing should change about it. With `keep` what comes of it is recommended from then on.
    """
    given = {"name": name, "value": value, "keep": keep or None}
    wish = {key: part for key, part in given.items() if part is not None}
    return _change(state, "POST", "/adjustments", wish)


def change(state: State, number: int, answer: Answer | Mapping[str, Any] | int) -> ApiCall[State]:
    """Answer question `number`, counted from 0, differently; `{"equal": True}` and the like, or the option."""
    return _change(state, "PUT", "/answers/{number}", {"answer": _said(answer)}, places={"number": number + 1})


def ask_on(state: State) -> ApiCall[State]:
    """Ask more although no more needs to be asked."""
    return _change(state, "POST", "/ask-on")


def undo(state: State) -> ApiCall[State]:
    """Take back the last answer, must-have or ending."""
    return _change(state, "POST", "/undo")


def require(state: State, rule: str) -> ApiCall[State]:
    """Add a must-have; an impossible one raises ClientError, whose `conflict` is a smallest one."""
    return _change(state, "POST", "/must-haves", {"rule": rule})


def drop(state: State, rule: str) -> ApiCall[State]:
    """Take a must-have back."""
    query = {"rule": rule, "version": state.version}
    return _call("DELETE", "/interviews/{id}/must-haves", State, places={"id": state.id}, query=query)


def finish(state: State, configuration: Mapping[str, Value] | None = None) -> ApiCall[State]:
    """Take a configuration; the recommendation unless another one is named."""
    named = {} if configuration is None else {"configuration": dict(configuration)}
    return _change(state, "POST", "/finish", named)


def refresh(state: State) -> ApiCall[State]:
    """Look again: somebody else may have answered in another window."""
    return resume(state.id)


def catalogue_of(state: State) -> ApiCall[Catalogue]:
    """All about the catalogue as it was when the interview began."""
    return _about(state, "/catalogue", Catalogue)


def result(state: State) -> ApiCall[Result]:
    """The recommendation and its reasons."""
    return _about(state, "/recommendation", Result)


def changes(state: State) -> ApiCall[ChangesOfBest]:
    """What can be asked for instead of the recommendation."""
    return _about(state, "/changes", ChangesOfBest)


def previews(state: State, name: str) -> ApiCall[Previews]:
    """What each other value of an attribute of the recommendation would come to; `adjust` with `keep` takes one."""
    return _about(state, "/previews", Previews, query={"name": name})


def preview(state: State, number: int, answer: Answer | Mapping[str, Any] | int) -> ApiCall[AnswerPreview]:
    """What would be recommended if question `number`, counted from 0, were answered so; nothing changes."""
    path, places = "/interviews/{id}/answers/{number}/preview", {"id": state.id, "number": number + 1}
    return _call("POST", path, AnswerPreview, places=places, body={"version": state.version, "answer": _said(answer)})


def share(state: State) -> ApiCall[str]:
    """The token of a link to the result as it is now: the page shows it at /r/ and the token."""
    return ApiCall(
        method="POST",
        path="/interviews/{id}/share",
        reply=Shared,
        result=lambda found: read(Shared, found).token,
        places={"id": state.id},
        body={"version": state.version},
    )


def export(state: State) -> ApiCall[dict[str, Any]]:
    """The whole interview as one document, which `setmargin.Interview.from_document` continues."""
    return ApiCall(
        method="GET",
        path="/interviews/{id}/export",
        reply=Exported,
        result=lambda document: document,
        places={"id": state.id},
    )


def delete(state: State) -> ApiCall[None]:
    """Delete the interview with all that was shown and said; nothing more can be asked of it then."""
    path, places = "/interviews/{id}", {"id": state.id}
    return ApiCall(method="DELETE", path=path, reply=None, result=lambda _: None, places=places)


def _about(state: State, rest: str, reply: type[T], *, query: Mapping[str, Any] | None = None) -> ApiCall[T]:
    return _call("GET", f"/interviews/{{id}}{rest}", reply, places={"id": state.id}, query=query or {})


def _change(
    state: State,
    method: str,
    rest: str,
    body: Mapping[str, Any] | None = None,
    *,
    places: Mapping[str, str | int] | None = None,
) -> ApiCall[State]:
    named = {"id": state.id, **(places or {})}
    return _call(
        method, f"/interviews/{{id}}{rest}", State, places=named, body={"version": state.version, **(body or {})}
    )


def _answer(state: State, answer: Mapping[str, Any]) -> ApiCall[State]:
    """The answer, and what it is the answer to; older servers do not tell."""
    question = state.question
    shown = {"question": question.id} if question is not None and question.id else {}
    return _change(state, "POST", "/answers", {"answer": dict(answer), **shown})


def _said(answer: Answer | Mapping[str, Any] | int, because: str | Sequence[str] = ()) -> dict[str, Any]:
    """The answer as it is sent; reasons that it has already stay where none are given."""
    said = {"choice": answer} if isinstance(answer, int) else answer
    said = dict(said) if isinstance(said, Mapping) else plain(said)
    reasons = [because] if isinstance(because, str) else list(because)
    return {**said, "because": reasons} if reasons else said


# Methods made of calls

M = TypeVar("M", bound=Callable[..., Any])


def named_after(describe: Callable[..., ApiCall[Any]], *, returns: str | None = None) -> Callable[[M], M]:
    """Let a method have the name, the text and the parameters of the call that it sends."""

    def name(method: M) -> M:
        signature = inspect.signature(describe)
        given = [each for each in signature.parameters.values() if each.name != "state"]
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        result = returns or str(signature.return_annotation).removeprefix("ApiCall[").removesuffix("]")
        method.__name__, method.__doc__ = describe.__name__, describe.__doc__
        method.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[own, *given], return_annotation=result
        )
        return method

    return name
