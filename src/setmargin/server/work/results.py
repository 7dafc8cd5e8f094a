"""What an interview came to, as documents: the recommendation with its reasons, and what could be different."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from setmargin import documents
from setmargin.answers import Answer, Change, Choice, NoDifference, Ranking, Skip
from setmargin.errors import InterviewError
from setmargin.interview.adjustment import Adjustment, fit_of, more_of
from setmargin.interview.explain import Explanation
from setmargin.interview.interview import Interview
from setmargin.interview.log import was_asked
from setmargin.interview.offers import Offer
from setmargin.interview.quotes import Quote
from setmargin.server.work.describe import option_of, stakes_of
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, short


def result_of(interview: Interview, *, version: int) -> documents.Result:
    """The recommendation with everything that speaks for it; answers are counted from 1, as people do."""
    space, best = interview.belief.space, interview.recommend()
    interview.ask()  # whether anything can still be asked is part of what is at stake
    why = interview.explain(best)
    given_up = [
        documents.GaveUp("gave-up", each.gave_up, each.gained, each.times) for each in interview.tradeoffs(best)
    ]
    decisive = [
        documents.DecisiveReason("decisive", each.number + 1, option_of(space, each.instead))
        for each in why.decisive or ()
    ]
    return documents.Result(
        version=version,
        best=option_of(space, best.configuration),
        stakes=stakes_of(interview.stakes()),
        importance=_importance(why),
        reasons=(*given_up, *decisive),
        alternatives=tuple(_alternative(space, best.configuration, each) for each in interview.offers(best)),
        would_change=tuple(documents.WouldChange(each.answer, each.instead) for each in decisive),
        answers=_answers(interview, interview.surprising(best)),
        quotes=tuple(map(_quote, interview.quotes(best))),
        matters=documents.Matters(**asdict(interview.matters(best))),
    )


def _importance(why: Explanation) -> tuple[documents.Importance, ...]:
    ends: Mapping[str, tuple[float | None, float | None]] = why.intervals or {}
    shares = why.importance.items()
    return tuple(documents.Importance(name, share, *ends.get(name, (None, None))) for name, share in shares)


def _quote(quote: Quote) -> documents.Quote:
    return documents.Quote(**{**asdict(quote), "answers": tuple(number + 1 for number in quote.answers)})


def _alternative(space: Space, best: Configuration, offer: Offer) -> documents.Alternative:
    other = offer.alternative
    shown, amounts = option_of(space, other.configuration), space.amounts(best)
    differing = [name for name in best if best[name] != shown.values[name]]
    differing += [name for name, amount in shown.amounts.items() if amount != amounts[name]]
    gains, losses = (
        tuple(documents.Named(name, share) for name, share in side.items()) for side in (other.gains, other.losses)
    )
    tips = None if offer.tips is None else documents.Tips(offer.tips.name, offer.tips.factor)
    fit = fit_of(other.loss)
    return documents.Alternative(shown, other.loss, tuple(differing), gains, losses, offer.kind, offer.name, fit, tips)


def _answers(interview: Interview, surprising: tuple[int, ...]) -> tuple[documents.AnswerGiven, ...]:
    return tuple(
        documents.AnswerGiven(
            number + 1,
            tuple(option_of(interview.space, option) for option in question.options),
            _answer(answer),
            number in surprising,
            question.id,
            was_asked(question),
        )
        for number, (question, answer) in enumerate(interview.history)
    )


def _answer(answer: Answer) -> documents.Answer:
    match answer:
        case Choice(option, because):
            return documents.Chosen(option, list(because))
        case Ranking(order, because):
            return documents.Ranked(list(order), list(because))
        case NoDifference(because):
            return documents.Equal(True, list(because))
        case Change(name, value, option):
            return documents.Changing(documents.WantedChange(name, value, option))
        case Skip():
            return documents.Skipped(True)
    raise InterviewError(f"{short(answer)} is no answer that the API knows")


# What could be different


def previews_of(interview: Interview, name: str, *, version: int) -> documents.Previews:
    """What each other value of an attribute would come to."""
    space, best = interview.belief.space, interview.recommend()
    found = interview.previews(name, recommendation=best)
    shown = tuple(_preview(space, value, each) for value, each in found.items())
    return documents.Previews(version, name, option_of(space, best.configuration), shown)


def _preview(space: Space, value: Value, found: Adjustment | None) -> documents.Preview:
    if found is None:
        return documents.Preview(value, None, (), {}, 0.0, "much")
    changed = tuple(documents.ChangedValue(name, *values) for name, values in found.changed.items())
    option = option_of(space, found.configuration)
    return documents.Preview(value, option, changed, found.more, found.loss, found.fit)


def answer_preview(before: Interview, after: Interview, number: int, *, version: int) -> documents.AnswerPreview:
    """The recommendations before and after an answer is changed; the number is counted from 0."""
    space, had, has = before.space, before.recommend().configuration, after.recommend().configuration
    names = (each.name for each in space.attributes if had[each.name] != has[each.name])
    changed = tuple(documents.ChangedValue(name, had[name], has[name]) for name in names)
    was, now = option_of(space, had), option_of(space, has)
    return documents.AnswerPreview(version, number + 1, was, now, changed, more_of(space, had, has))
