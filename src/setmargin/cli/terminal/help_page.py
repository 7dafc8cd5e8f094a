"""What stands below a question: which keys there are, what went wrong, and how must-haves are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from setmargin.answers import Answer, Choice, Comparisons, NoDifference, Question, Ranking
from setmargin.cli.terminal import formatting
from setmargin.space.space import Space
from setmargin.space.text import show as as_written
from setmargin.strategies.base import History

COMMANDS = ("s", "u", "c", "r", "t", "q")
ANSWER_WIDTH = 22
"""What a number and a short answer take."""
KEYS = """\
You are shown a few configurations, all of which can be built. Say which one you
would rather have; what they have in common is folded away.

  1 2 …  this one is the best of them      b  the best so far, and why
  =      no difference                     a  all rows, or fewer again
  s      skip: ask something else          t  take the best, or one of these
  u      undo the last step                q  quit without a recommendation
  c      change an earlier answer          h  this help
  r      must-haves: add or drop one
"""


def keys(space: Space, question: Question | None) -> RenderableType:
    example = _example(space, question)
    return Group(
        KEYS,
        Text(f"A must-have is a rule such as  {example}"),
        Text("Nothing that breaks it is shown from then on."),
        "",
    )


def choice_prompt(size: int) -> str:
    return f"Which would you rather have?  {'1 2' if size == 2 else f'1–{size}'}"


def ranking_prompt(size: int) -> str:
    example = "".join(map(str, [*range(2, size + 1), 1]))
    return f"In which order, best first ({example})?"


def prompt_and_keys(ask: str, *, notice: str, all_rows: bool) -> RenderableType:
    """The question in words and the keys, after whatever there is to say about the last step."""
    rest = ("= no difference", "s skip", "u undo", "h help")
    rows = "a fewer rows" if all_rows else "a all rows"
    more = ("r must-haves", "c change", "b best so far", rows, "t take one", "q quit")
    return Group(
        Text(notice, style="yellow"),
        Text.assemble((ask, "bold"), (formatting.SEPARATOR + formatting.listed(rest), "dim")),
        Text(formatting.listed(more), style="dim"),
    )


def take_prompt(size: int) -> RenderableType:
    numbers = " ".join(str(number + 1) for number in range(size))
    return Group(
        "",
        Text("Take the best so far (Enter or t), or one of the options?", style="bold"),
        Text(formatting.listed([f"{numbers} that option", "any other key goes back to the question"]), style="dim"),
    )


def answers(history: History, notes: Mapping[int, str]) -> RenderableType:
    """The answers so far, by number, with what there is to say about some of them."""
    said = [f"{number:4}  {_said(answer)}".ljust(ANSWER_WIDTH) for number, (_, answer) in enumerate(history, 1)]
    return Group(
        Text("Your answers", style="bold"),
        *(Text.assemble(line, (notes.get(place, ""), "dim")) for place, line in enumerate(said)),
        "",
        "Write the number of the question to answer again; Enter alone changes nothing.",
        "",
    )


def _said(answer: Answer) -> str:
    match answer:
        case Choice(option):
            return f"option {option + 1}"
        case Ranking(order):
            return f"in the order {' '.join(str(option + 1) for option in order)}"
        case NoDifference():
            return "no difference"
        case Comparisons(outcomes):
            return formatting.count(len(outcomes), "pair") + " compared"
    return "skipped"


def wrong_key(key: str, size: int) -> str:
    named = f"{key!r} is no key here" if key.isprintable() and key else "That is no key here"
    return f"{named}; press 1 to {size}, = or s, or h for help."


def must_haves(space: Space, held: Sequence[str], question: Question | None) -> RenderableType:
    """The must-haves in force, and how to write another."""
    listed = [f"  {number}  {rule}" for number, rule in enumerate(held, 1)] or ["  none yet"]
    known = [each.name for each in space.attributes] + [each.name for each in space.quantities]
    names = ", ".join(map(as_written, known))
    return Group(
        Text("Must-haves", style="bold"),
        *listed,
        "",
        f"Write a rule such as  {_example(space, question)}",
        f"{'-1 drops the first of them; ' if held else ''}Enter alone changes nothing.",
        Text(f"There is: {names}", style="dim"),
        "",
    )


def _example(space: Space, question: Question | None) -> str:
    """A rule that makes sense in this space: what the first option has."""
    attribute = space.attributes[0]
    option = question.options[0] if question else {attribute.name: attribute.values[0]}
    example = f"{as_written(attribute.name)} = {as_written(option[attribute.name])}"
    if not question or not space.quantities:
        return example
    quantity = space.quantities[0]
    sign = "<=" if quantity.better == "lower" else ">="
    amount = f"{space.amounts(question.options[0])[quantity.name]:.12g}"
    return f"{as_written(quantity.name)} {sign} {amount}  or  {example}"
