"""From an interview to the documents that people and pages see of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from setmargin import documents
from setmargin.answers import Question, differing
from setmargin.documents import Option
from setmargin.interview.interview import Interview
from setmargin.interview.log import Log, question_document
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value
from setmargin.strategies.base import Stakes
from setmargin.strategies.shared.changes import changes_of, column_of


@dataclass(frozen=True)
class Step:
    """An interview after its events: its state, and what has to be stored of it.

    `event` is the event that led here, complete, as it belongs into the log: an answer with its question, a finish with
    its configuration; None where nothing was applied. `question` is the question that is given now, None where nothing
    is left to ask or the interview is finished. `progress` is what the owner's view counts. `chances` says how likely
    each option of the question is taken, where the strategy knows that.
    """

    state: documents.State
    progress: dict[str, Any]
    question: dict[str, Any] | None
    event: dict[str, Any] | None = None
    chances: tuple[float, ...] | None = None


def step_of(interview: Interview, log: Log, *, id: str, version: int, event: dict[str, Any] | None = None) -> Step:
    """The interview as people see it; one that is finished asks nothing until it is opened again."""
    space, best = interview.belief.space, interview.recommend()
    question = None if log.finished is not None else interview.ask()
    stakes, strategy = interview.stakes(), interview.strategy
    state = documents.State(
        id=id,
        version=version,
        catalogue=documents.CatalogueOfInterview(space.name, space.title),
        strategy=documents.StrategyOfInterview(
            strategy.name,
            strategy.set_size,
            getattr(strategy, "differences", None),
            getattr(strategy, "policy", None),
        ),
        answered=interview.belief.answered,
        must_haves=interview.must_haves,
        question=None if question is None else _question(space, question, number=len(interview.history) + 1),
        best=option_of(space, best.configuration),
        stakes=stakes_of(stakes),
        done=question is None,
        finished=None if log.finished is None else option_of(space, log.finished),
        can_undo=log.undo_of is not None,
        undo_of=log.undo_of,
    )
    progress = {
        "answers": interview.belief.answered,
        "expected_loss": stakes and stakes.expected_loss,
        "importance": interview.importance(best),
        "finished": log.finished is not None,
        "done": question is None,
        "taken": None if log.finished is None else dict(log.finished),
        "must_haves": list(interview.must_haves),
    }
    asked = None if question is None else question_document(question)
    return Step(state, progress, asked, event, _chances(interview, question))


def _chances(interview: Interview, question: Question | None) -> tuple[float, ...] | None:
    chances = None if question is None else interview.strategy.predict(interview.belief, question.options)
    return None if chances is None else tuple(chances.tolist())


def option_of(space: Space, configuration: Mapping[str, Value]) -> Option:
    shown = None
    if (item := space.item(configuration)) is not None:
        shown = documents.Item(item.id, item.title or None, item.link or None, item.image or None)
    return Option(dict(configuration), space.amounts(configuration), shown)


def stakes_of(stakes: Stakes | None) -> documents.Stakes | None:
    return None if stakes is None else documents.Stakes(**asdict(stakes))


def _question(space: Space, question: Question, *, number: int) -> documents.Question:
    apart = differing(space, question.options)
    return documents.Question(
        id=question.id,
        number=number,
        options=tuple(option_of(space, option) for option in question.options),
        differing=apart,
        alike=tuple(name for name in space.things if name not in apart),
        asks_for_change=question.asks_for_change,
        besides=_wishes(question.besides),
        changes=tuple(_changes(space, option, question.besides) for option in question.options)
        if question.asks_for_change
        else (),
    )


# Changes


def changes_of_best(interview: Interview, *, version: int) -> documents.ChangesOfBest:
    """What can be asked for instead of the recommendation."""
    space, best = interview.belief.space, interview.recommend().configuration
    return documents.ChangesOfBest(
        version, option_of(space, best), _wishes(interview.belief.wishes), _changes(space, best, ())
    )


def _wishes(wishes: Iterable[tuple[str, Value | None]]) -> tuple[documents.Wish, ...]:
    return tuple(documents.Wish(name, value) for name, value in wishes)


def _changes(
    space: Space, shown: Configuration, besides: tuple[tuple[str, Value | None], ...]
) -> documents.PossibleChanges:
    values: dict[str, list[documents.PossibleValue]] = {}
    better: list[str] = []
    amounts, ends = space.amounts(shown), _best_amounts(space)
    for change in changes_of(space, Question((shown,), besides=besides)):
        if change.name is not None and change.value is not None:
            effect = _effect(space, change.name, shown[change.name], change.value)
            values.setdefault(change.name, []).append(documents.PossibleValue(change.value, effect))
        elif change.name is not None and amounts[change.name] != ends.get(change.name):
            better.append(change.name)
    return documents.PossibleChanges(
        tuple(documents.PossibleValues(name, tuple(others)) for name, others in values.items()), tuple(better)
    )


def _effect(space: Space, name: str, before: Value, after: Value) -> dict[str, float]:
    """By how much each quantity would differ, without the last digits, which come of rounding."""
    table = space.amounts_table
    apart = table[:, column_of(space, name, after)] - table[:, column_of(space, name, before)]
    effects = zip(space.quantities, apart.tolist(), strict=True)
    return {quantity.name: round(amount, 6) for quantity, amount in effects if round(amount, 6)}


@lru_cache(maxsize=64)
def _best_amounts(space: Space) -> dict[str, float]:
    """What each quantity could be at best, where that is quickly known."""
    oracle = oracle_for(space)
    if not oracle.is_quick:
        return {}
    return {each.name: oracle.range(each.name)[each.better == "higher"] for each in space.quantities}


def catalogue_of(space: Space, *, digest: str) -> documents.Catalogue:
    """What the API tells of a catalogue; raises InfeasibleSpace where nothing can be built."""
    oracle = oracle_for(space)
    return documents.Catalogue(
        name=space.name,
        title=space.title,
        description=space.description,
        digest=digest,
        configurations=rounded(oracle.count()),
        attributes=tuple(
            documents.Attribute(
                each.name,
                each.title or None,
                each.unit or None,
                each.values,
                each.is_numeric,
                each.better,
                each.ordered,
            )
            for each in space.attributes
        ),
        quantities=tuple(
            documents.Quantity(each.name, each.title or None, each.unit or None, each.better, *oracle.range(each.name))
            for each in space.quantities
        ),
        rules=tuple(rule.text for rule in space.rules),
    )


def rounded(count: int | None) -> int | float | None:
    """A number that every reader of JSON can hold; None where it is beyond all of them."""
    if count is None or count <= documents.LARGEST_WHOLE:
        return count
    try:
        return float(count)
    except OverflowError:
        return None
