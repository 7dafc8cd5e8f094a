"""Answers in words, and words as answers."""

from __future__ import annotations

from collections.abc import Mapping

from setmargin.answers import Answer, Change, Choice, Comparisons, NoDifference, Question, Ranking, reasons_of
from setmargin.cli.terminal import formatting
from setmargin.errors import AnswerError
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.space import Space
from setmargin.space.text import Value, short

NOTHING = ("0", "n", "nothing")


def things_of(space: Space) -> dict[str, Attribute | Quantity]:
    """Attributes and quantities by name."""
    return {**{each.name: each for each in space.attributes}, **{each.name: each for each in space.quantities}}


def wish(space: Space, name: str, value: Value | None) -> str:
    """`brakes rim`, `lower price`."""
    thing = things_of(space)[name]
    if isinstance(thing, Quantity):
        return f"{thing.better} {formatting.label(thing)}"
    return formatting.label(thing) if value is None else formatting.named(thing, value)


def more_in_words(space: Space, more: Mapping[str, float]) -> list[str]:
    """`+90 €`, `−0.3 kg`: by how much each quantity is more."""
    found = ((quantity, more[quantity.name]) for quantity in space.quantities if quantity.name in more)
    return [f"{'+' if much > 0 else ''}{formatting.amount(quantity, much)}" for quantity, much in found]


def in_words(space: Space, question: Question, answer: Answer) -> str:
    """`option 2, because of price`, `option 1, but brakes rim`."""
    said = _said(space, question, answer)
    reasons = [formatting.label(things_of(space)[name]) for name in reasons_of(answer)]
    if not reasons:
        return said
    return f"{said}, {'whatever the' if isinstance(answer, NoDifference) else 'because of'} {', '.join(reasons)}"


def _said(space: Space, question: Question, answer: Answer) -> str:
    match answer:
        case Choice(option):
            return f"option {option + 1}"
        case Ranking(order):
            return f"in the order {' '.join(str(option + 1) for option in order)}"
        case NoDifference():
            return "no difference"
        case Comparisons(outcomes):
            return formatting.count(len(outcomes), "pair") + " compared"
        case Change(name, value, option):
            what = "nothing to change" if name is None else wish(space, name, value)
            if not question.is_comparison:
                return what
            return f"option {option + 1}, {what if name is None else f'but {what}'}"
    return "skipped"


def why(space: Space, question: Question, answer: Answer) -> str:
    """What an answer says beyond a choice; empty where that is nothing."""
    said = reasons_of(answer) or (isinstance(answer, Change) and answer.name is not None)
    return in_words(space, question, answer).partition(", ")[2 if question.is_comparison else 0] if said else ""


# From lines that were typed


def read_reasons(space: Space, text: str) -> tuple[str, ...]:
    """`price, brakes`: names or titles, small or capital letters; what is none of them is left to be refused."""
    return tuple(_name(space, part.strip()) for part in text.split(",") if part.strip())


def read_change(space: Space, text: str, option: int = 0) -> Change:
    """`brakes = rim`, `price`, or `0` for nothing."""
    if text.strip().lower() in NOTHING:
        return Change(option=option)
    name, equals, value = (part.strip() for part in text.partition("="))
    name = _name(space, name)
    if not equals:
        return Change(name, option=option)
    if not value:
        raise AnswerError(f"{short(name)} should be what? Write it as NAME = VALUE")
    return Change(name, _value(space, name, value), option)


def _name(space: Space, text: str) -> str:
    known = {formatting.label(thing).lower(): name for name, thing in things_of(space).items()}
    return (known | {name.lower(): name for name in space.things}).get(text.lower(), text)


def _value(space: Space, name: str, text: str) -> Value:
    attribute = next((each for each in space.attributes if each.name == name), None)
    if attribute is None:
        return text
    known = {formatting.value(attribute, value).lower(): value for value in attribute.values}
    known |= {str(value).lower(): value for value in attribute.values}
    return known.get(text.strip('"').lower(), text)
