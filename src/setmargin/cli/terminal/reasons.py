"""Reasons in sentences: what matters, and what was said for each value; the page has the same in its texts."""

from __future__ import annotations

from collections.abc import Sequence

from setmargin.cli.terminal import formatting
from setmargin.cli.terminal.said import things_of
from setmargin.interview.interview import Interview
from setmargin.interview.quotes import Matters, Quote
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.space import Space
from setmargin.space.text import Value
from setmargin.strategies.base import Recommendation

MOST = 4
"""So many reasons are told, where there is room."""
CURRENCIES = "€$£¥₩₹₽₺₴₪฿₫"
TIMES = {1: "once", 2: "twice"}


def reasons(interview: Interview, recommendation: Recommendation) -> list[str]:
    """What matters, and why the recommendation is as it is, a sentence each."""
    space, found = interview.space, interview.quotes(recommendation)
    return [
        *filter(None, [matters_in_words(space, interview.matters(recommendation))]),
        *(sentence(space, quote) for quote in found[:MOST]),
    ]


def matters_in_words(space: Space, matters: Matters) -> str:
    """`Mostly price and weight; brakes a little.`; empty where nothing stands out."""
    if not matters.mostly:
        return ""
    mostly, somewhat = (_listed(space, names) for names in (matters.mostly, matters.somewhat))
    return f"What matters to you: mostly {mostly}" + (f"; {somewhat} a little." if somewhat else ".")


def _listed(space: Space, names: Sequence[str]) -> str:
    labels = [formatting.label(things_of(space)[name]) for name in names]
    return " and ".join(filter(None, [", ".join(labels[:-1]), *labels[-1:]]))


def sentence(space: Space, quote: Quote) -> str:
    """`brakes hydraulic disc: in question 4 you paid 90 € more for it.`"""
    thing = things_of(space)[quote.name]
    said = _of_quantity(space, quote) if quote.value is None else _of_value(space, quote)
    more = len(quote.answers) - 1
    again = f" (And {TIMES.get(more, f'{more} times')} more.)" if more > 0 else ""
    colon = ":" if quote.value is None and quote.kind != "decided" else ""
    about = f"{formatting.label(thing)}{colon} "
    if isinstance(thing, Attribute) and quote.value is not None and formatting.names_itself(thing, quote.value):
        about = ""
    text = f"{about}{said}{again}"
    return text[:1].upper() + text[1:]


def _of_value(space: Space, quote: Quote) -> str:
    what, question = _value(space, quote.name, quote.value), quote.answers[0] + 1 if quote.answers else 0
    match quote.kind:
        case "must-have":
            return f"{what}: one of your must-haves."
        case "set":
            return f"{what}: you chose it yourself."
        case "asked-for":
            return f"{what}: you asked for it in question {question}."
    instead = _value(space, quote.name, quote.instead)
    if quote.kind == "decided":
        return f"{what}: in question {question} it decided for you, over {instead}."
    if quote.quantity is None or quote.by is None:
        return f"{what}: in question {question} you took it over {instead}."
    quantity = _quantity(space, quote.quantity)
    if quote.by > 0 and _is_money(quantity):
        return f"{what}: in question {question} you paid {formatting.amount(quantity, quote.by)} more for it."
    return f"{what}: in question {question} you took it, though it meant {_less_or_more(quantity, quote.by)}."


def _of_quantity(space: Space, quote: Quote) -> str:
    quantity, question = _quantity(space, quote.name), quote.answers[0] + 1
    if quote.by is None:
        better = "cheaper" if _is_money(quantity) and quantity.better == "lower" else quantity.better
        return f"you wanted it {better} in question {question}."
    less = _less_or_more(quantity, quote.by)
    if quote.kind == "decided":
        return f"decided in question {question}: you took what was {less}."
    if quote.lost is None:
        return f"in question {question} you took what was {less}."
    given_up = things_of(space)[quote.lost]
    assert isinstance(given_up, Attribute)
    lost = formatting.named(given_up, "" if quote.instead is None else quote.instead)
    return f"in question {question} you took what was {less}, instead of {lost}."


def _quantity(space: Space, name: str) -> Quantity:
    return next(each for each in space.quantities if each.name == name)


def _value(space: Space, name: str, value: Value | None) -> str:
    attribute = next(each for each in space.attributes if each.name == name)
    return "" if value is None else formatting.value(attribute, value)


def _less_or_more(quantity: Quantity, by: float) -> str:
    much = formatting.amount(quantity, abs(by))
    if by > 0:
        return f"{much} more"
    return f"{much} {'cheaper' if _is_money(quantity) else 'less'}"


def _is_money(quantity: Quantity) -> bool:
    return quantity.unit != "" and quantity.unit in CURRENCIES
