"""Interviews: every route reads what was sent, lets the service do it, and returns the interview as it is then."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse

from setmargin import documents
from setmargin.errors import InfeasibleSpace
from setmargin.server.api.dependencies import Interviews, Languages, Owner, Sharing, is_from_owner
from setmargin.server.api.problems import ProblemError, documented
from setmargin.server.services.interviews import RequestedEvent
from setmargin.server.settings import Settings

router = APIRouter(prefix="/api/v1/interviews", tags=["interviews"])
LONGEST_KEY = 128

Id = Annotated[str, Path(description="the key to one interview", examples=["mW0a1c8eJ5yQ0z3sT7kLxw2b"])]
Number = Annotated[int, Path(ge=1, le=documents.LARGEST_WHOLE, description="which answer, counted from 1")]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=LONGEST_KEY,
        description="any text that is new for each change; the same key with the same request changes nothing again",
    ),
]
StartKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=16,
        max_length=LONGEST_KEY,
        description="a random text; the same key with the same request is the same interview, so it has to be secret",
    ),
]
READING = documented("not-found", "too-complex", "timeout")
ANSWERING = documented("not-found", "conflict", "other-question", "impossible", "key-reused", "too-complex", "timeout")
CHANGING = documented("not-found", "conflict", "impossible", "key-reused", "too-complex", "timeout")


@router.post("", status_code=201, responses=documented("not-found", "off", "impossible", "too-complex", "timeout"))
async def start(
    body: documents.Start,
    request: Request,
    reply: Response,
    interviews: Interviews,
    owner: Owner,
    key: StartKey = None,
) -> documents.State:
    """Start an interview; which strategies and how many options everybody may choose is a setting of the server."""
    if not is_from_owner(request):
        _check_allowed(body, request.app.state.settings)
    try:
        state = await interviews.start(body, key)
    except InfeasibleSpace as error:
        owner.refused_at_start(body, error)
        raise
    reply.headers["Location"] = f"{request.app.state.settings.site.base_path}{router.prefix}/{state.id}"
    return state


@router.get("/{id}", responses=READING)
async def read(id: Id, interviews: Interviews) -> documents.State:
    """The interview as it is now."""
    return await interviews.state(id)


@router.get("/{id}/catalogue", responses=READING)
async def catalogue(id: Id, interviews: Interviews, languages: Languages) -> documents.Catalogue:
    """The catalogue that the interview is about, as it was when the interview began."""
    return await interviews.catalogue(id, languages)


@router.get("/{id}/question", responses=READING)
async def question(id: Id, interviews: Interviews) -> documents.CurrentQuestion:
    """The current question; null when nothing more needs to be asked."""
    state = await interviews.state(id)
    return documents.CurrentQuestion(version=state.version, question=state.question, done=state.done)


@router.get("/{id}/answers", responses=READING)
async def answers(id: Id, interviews: Interviews) -> documents.AnswersGiven:
    """The answers in force, in order."""
    result = await interviews.result(id)
    return documents.AnswersGiven(version=result.version, answers=result.answers)


@router.post("/{id}/answers", responses=ANSWERING)
async def answer(id: Id, body: documents.GiveAnswer, interviews: Interviews, key: Key = None) -> documents.State:
    """Answer the current question."""
    event = {"answer": documents.plain(body.answer), **_shown(body)}
    return await interviews.do(id, RequestedEvent("answer", body.version, event, key))


def _shown(body: documents.GiveAnswer) -> dict[str, str]:
    return {} if body.question is None else {"question": body.question}


@router.put("/{id}/answers/{number}", responses=ANSWERING)
async def change(
    id: Id, number: Number, body: documents.GiveAnswer, interviews: Interviews, key: Key = None
) -> documents.State:
    """Answer an earlier question differently; later questions and answers stay as they were."""
    event = {"change": number - 1, "answer": documents.plain(body.answer), **_shown(body)}
    return await interviews.do(id, RequestedEvent("change", body.version, event, key))


@router.post("/{id}/answers/{number}/preview", responses=ANSWERING)
async def answer_preview(
    id: Id, number: Number, body: documents.GiveAnswer, interviews: Interviews
) -> documents.AnswerPreview:
    """What would be recommended if an earlier question were answered differently; nothing changes by asking."""
    event = {"change": number - 1, "answer": documents.plain(body.answer), **_shown(body)}
    return await interviews.answer_preview(id, RequestedEvent("change", body.version, event))


@router.get("/{id}/changes", responses=READING)
async def changes(id: Id, interviews: Interviews) -> documents.ChangesOfBest:
    """What can be asked for instead of the recommendation, and what each change does to its quantities."""
    return await interviews.changes(id)


@router.post("/{id}/adjustments", responses=CHANGING)
async def adjust(id: Id, body: documents.Adjust, interviews: Interviews, key: Key = None) -> documents.State:
    """Change something about the recommendation unasked; it counts as a question that was answered."""
    wanted = {name: part for name, part in (("name", body.name), ("value", body.value)) if part is not None}
    event = {"adjust": wanted, **({"keep": True} if body.keep else {})}
    return await interviews.do(id, RequestedEvent("adjust", body.version, event, key))


@router.get("/{id}/previews", responses=READING)
async def previews(
    id: Id,
    name: Annotated[str, Query(min_length=1, max_length=documents.LONGEST_NAME, examples=["memory"])],
    interviews: Interviews,
) -> documents.Previews:
    """What each other value of an attribute of the recommendation would come to, all of them at once."""
    return await interviews.previews(id, name)


@router.post("/{id}/ask-on", responses=CHANGING)
async def ask_on(id: Id, body: documents.At, interviews: Interviews, key: Key = None) -> documents.State:
    """Ask more although no more needs to be asked; undo takes it back. A problem where nothing is left to ask."""
    return await interviews.do(id, RequestedEvent("ask-on", body.version, {"ask_on": None}, key))


@router.post("/{id}/undo", responses=CHANGING)
async def undo(id: Id, body: documents.At, interviews: Interviews, key: Key = None) -> documents.State:
    """Take back the last answer, must-have or ending; `undo_of` says which it is."""
    return await interviews.do(id, RequestedEvent("undo", body.version, {"undo": True}, key))


@router.post("/{id}/must-haves", responses=CHANGING)
async def require(
    id: Id, body: documents.AddMustHave, interviews: Interviews, owner: Owner, key: Key = None
) -> documents.State:
    """Add a must-have; an impossible one changes nothing and comes back with a smallest conflict."""
    try:
        return await interviews.do(id, RequestedEvent("require", body.version, {"require": body.rule}, key))
    except InfeasibleSpace as error:
        owner.refused(body.rule, error, id=id)
        raise


@router.delete("/{id}/must-haves", responses=CHANGING)
async def drop(
    id: Id,
    rule: Annotated[str, Query(min_length=1, max_length=documents.LONGEST_RULE, examples=["price <= 900"])],
    version: Annotated[int, Query(ge=0, le=documents.LARGEST_WHOLE)],
    interviews: Interviews,
    key: Key = None,
) -> documents.State:
    """Take a must-have back."""
    return await interviews.do(id, RequestedEvent("drop", version, {"drop": rule}, key))


@router.get("/{id}/recommendation", responses=READING)
async def recommendation(id: Id, interviews: Interviews, owner: Owner) -> documents.Result:
    """What suits the person best, why, how it compares, and what is still at stake."""
    result = await interviews.result(id)
    owner.result_seen(id)
    return result


@router.post("/{id}/finish", responses=CHANGING)
async def finish(id: Id, body: documents.Finish, interviews: Interviews, key: Key = None) -> documents.State:
    """Take a configuration: the recommendation, unless another one is named."""
    return await interviews.do(id, RequestedEvent("finish", body.version, {"finish": body.configuration}, key))


@router.post("/{id}/share", responses=CHANGING)
async def share(id: Id, body: documents.At, sharing: Sharing) -> documents.Shared:
    """A link to the result as it is now, for others to read: it lets nobody answer, and shows no later answers."""
    return await sharing.share(id, body.version)


@router.get("/{id}/export", response_model=documents.Exported, responses=READING)
async def export(id: Id, interviews: Interviews) -> Response:
    """The whole interview as one document, to keep or to go on with in Python."""
    document = await interviews.export(id)
    headers = {"Content-Disposition": 'attachment; filename="interview.json"'}
    return JSONResponse(document, headers=headers)


@router.delete("/{id}", status_code=204, responses=documented("not-found"))
async def forget(id: Id, interviews: Interviews) -> None:
    """Delete the interview with all that was shown and said, and links to its results: whoever has its id may."""
    await interviews.forget(id)


def _check_allowed(wanted: documents.Start, settings: Settings) -> None:
    """What takes much longer to work out than usual is the owner's choice, not everybody's."""
    allowed = (documents.USUAL_STRATEGY, *settings.allowed_strategies)
    if wanted.strategy not in allowed:
        raise ProblemError(
            "off",
            f"the strategy {wanted.strategy} is not open to everybody here",
            cure=f"choose {' or '.join(dict.fromkeys(allowed))}, or send the owner's token; "
            f"whoever runs the server can allow it with --allow-strategy {wanted.strategy}",
        )
    if (wanted.set_size or 0) > settings.allowed_set_size:
        raise ProblemError(
            "off",
            f"questions of {wanted.set_size} options are not open to everybody here",
            cure=f"choose {settings.allowed_set_size} or fewer, or send the owner's token; "
            f"whoever runs the server can allow it with --allow-set-size {wanted.set_size}",
        )
