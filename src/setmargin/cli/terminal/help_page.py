"""What stands below a question: which keys there are, what went wrong, and how must-haves are written."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from setmargin.answers import Question
from setmargin.cli.terminal import certainty, formatting
from setmargin.cli.terminal.said import in_words
from setmargin.interview.explain import Explanation
from setmargin.space.space import Space
from setmargin.space.text import show as as_written
from setmargin.strategies.base import History

COMMANDS = ("s", "u", "c", "r", "w", "t", "q")
ANSWERS = ("= no difference", "s skip", "u undo", "h help")
NOTE_WIDTH = 30
"""Notes that would have less room stand on a line of their own."""
KEYS = """\
You are shown a few configurations, all of which can be built. Say which one you
would rather have; what they have in common is folded away. Then one more key
says what decided, or what you would change first about it: the key stands at
the row, Enter says nothing, ⌫ goes back. Whatever you leave out is no harm.

  1 2 …  this one is the best of them      b  the best so far, and why
  =      no difference                     w  wish: change something about it
  s      skip: ask something else          a  all rows, or fewer again
  u      undo the last step                t  take the best, or one of these
  c      change an earlier answer          q  quit without a recommendation
  r      must-haves: add or drop one       h  this help
"""
LINES = """\
Where keys come in lines, what decided or what to change stands on the same one:
`2 price`, `2 brakes = rim`, `2 0` (nothing to change). Of a single configuration
`brakes = rim`, `price` (better) or `0`.
"""


def keys(space: Space, question: Question | None, *, live: bool = True) -> RenderableType:
    example = _example(space, question)
    return Group(
        KEYS,
        *([] if live else [LINES]),
        Text(f"A must-have is a rule such as  {example}"),
        Text("Nothing that breaks it is shown from then on."),
        *_explained(space),
        "",
    )


def _explained(space: Space) -> list[RenderableType]:
    """What the catalogue says about its own words."""
    lines = formatting.help_lines(space)
    return ["", *(Text.assemble(f"  {name}  ", (text, "dim")) for name, text in lines)] if lines else []


def choice_prompt(size: int) -> str:
    return f"Which would you rather have?  {'1 2' if size == 2 else f'1–{size}'}"


def ranking_prompt(size: int) -> str:
    example = "".join(map(str, [*range(2, size + 1), 1]))
    return f"In which order, best first ({example})?"


def line_hint(*, asks_for_change: bool) -> str:
    """What may follow a choice on its line."""
    if asks_for_change:
        return "1 NAME = VALUE says what to change about it, 1 0 that there is nothing to change"
    return "1 NAME also says why"


def line_prompt() -> str:
    return "What would you change first?  NAME = VALUE, or a quantity to be better"


def prompt_and_keys(
    ask: str, *, notice: str, all_rows: bool, keys: Sequence[str] = ANSWERS, commands: bool = True
) -> RenderableType:
    """The question in words and its keys, after whatever there is to say about the last step; then other `commands`."""
    rows = "a fewer rows" if all_rows else "a all rows"
    more = ("r must-haves", "c change", "w wish", "b best", rows, "t take", "q quit")
    return Group(
        Text(notice, style="yellow"),
        Text.assemble((ask, "bold"), (formatting.SEPARATOR + formatting.listed(keys), "dim")),
        *([Text(formatting.listed(more), style="dim")] if commands else []),
    )


def take_prompt(size: int) -> RenderableType:
    """With so many options beside the best so far; 0: the best is all that there is."""
    numbers = " ".join(str(number + 1) for number in range(size))
    others = [f"{numbers} that option"] if size else []
    return Group(
        "",
        Text(f"Take the best so far (Enter or t){', or one of the options' if size else ''}?", style="bold"),
        Text(formatting.listed([*others, "any other key goes back to the question"]), style="dim"),
    )


def answers(space: Space, history: History, why: Explanation, *, width: int) -> RenderableType:
    """The answers so far, by number, with what there is to say about some of them."""
    lines = [f"{number:4}  {in_words(space, *asked)}" for number, asked in enumerate(history, 1)]
    room = width - (longest := max(map(cell_len, lines))) - 2
    start = longest + 2 if room >= NOTE_WIDTH else 6
    notes = certainty.notes(space, why, width=width - start)
    listed: list[RenderableType] = []
    for place, line in enumerate(lines):
        note = notes.get(place, "")
        apart = f"\n{' ' * start}" if room < NOTE_WIDTH else " " * (start - cell_len(line))
        listed.append(Text.assemble(line, (apart + note, "dim")) if note else Text(line))
    return Group(
        Text("Your answers", style="bold"),
        *listed,
        "",
        "Write the number of the answer to give anew; Enter alone changes nothing.",
        "",
    )


def hint(size: int) -> str:
    return f"press 1 to {size}, = or s, or h for help."


def wrong_key(key: str, hint: str) -> str:
    named = f"{key!r} is no key here" if key.isprintable() and key else "That is no key here"
    return f"{named}; {hint}"


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
