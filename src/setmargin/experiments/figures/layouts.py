"""Which panels a figure has, in which places: the arrangements of the paper, and one for any other experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

import polars as pl

from setmargin.errors import OptionError
from setmargin.experiments.figures.curves import LINE, SETTING, Measure, present
from setmargin.experiments.published import Axis
from setmargin.space.text import suggest

Kind = tuple[Axis, Measure]
ColumnValues = tuple[tuple[str, object], ...]
"""Columns and values: what all records of a panel have in common."""

PAPER: dict[str, tuple[str, tuple[Kind, ...]]] = {
    "comparison": ("Comparison of methods", (("question", "loss"), ("question", "seconds"))),
    "set-size": ("Options a question", (("question", "loss"), ("pair", "loss"))),
    "pc": (
        "The constructive PC",
        (("question", "loss"), ("question", "seconds"), ("pair", "loss"), ("pair", "seconds")),
    ),
}
"""The paper's figures of experiments: their titles, and what each shows of every setting."""
SIDE_BY_SIDE = ("comparison", "set-size")
"""In these figures catalogues stand beside each other, and each distribution of weights has a row."""
ENDS: dict[str, dict[Axis, int]] = {name: {"question": 50, "pair": 100} for name in ("set-size", "pc")}
"""Where the axes of the paper end: more options make more pairs than were drawn."""
ANY: tuple[Kind, ...] = (("question", "relative_loss"), ("question", "seconds"))
BY_PAIRS: Kind = ("pair", "relative_loss")

WEIGHTS = ("uniform", "normal", "sparse-uniform", "sparse-normal")


@dataclass(frozen=True)
class Panel:
    """One plot: some records, what is counted, and what is measured."""

    setting: ColumnValues
    axis: Axis
    measure: Measure
    title: str
    row: str
    end: int | None = None

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        return matching(frame, self.setting)


@dataclass(frozen=True)
class Layout:
    """A figure before it is drawn; `name` is that of a figure of the paper, or empty."""

    name: str
    title: str
    rows: tuple[tuple[Panel, ...], ...]


def matching(frame: pl.DataFrame, setting: ColumnValues) -> pl.DataFrame:
    return frame.filter(reduce(and_, (pl.col(name).eq_missing(pl.lit(value)) for name, value in setting), pl.lit(True)))


def settings_of(frame: pl.DataFrame) -> list[ColumnValues]:
    """What was run, strategies aside: catalogues by size of their name and alphabet, weights in the paper's order."""
    names = present(frame, SETTING)
    found = frame.select(names).unique().rows()
    return sorted((tuple(zip(names, row, strict=True)) for row in found), key=_rank)


def _rank(setting: ColumnValues) -> tuple[object, ...]:
    values = dict(setting)
    catalogue, weights = str(values["catalogue"]), str(values["weights"])
    place = WEIGHTS.index(weights) if weights in WEIGHTS else len(WEIGHTS)
    return (len(catalogue), catalogue, place, *(str(value) for value in values.values()))


def lines_of(frame: pl.DataFrame) -> list[ColumnValues]:
    """Which lines there are, in a fixed order; options tell lines apart only where a setting has several of them."""
    names = present(frame, LINE)
    if "options" in names and not _options_differ(frame):
        names.remove("options")
    found = frame.select(names).unique().rows()
    return sorted((tuple(zip(names, row, strict=True)) for row in found), key=str)


def _options_differ(frame: pl.DataFrame) -> bool:
    """Whether the same strategy was run with different options in the same setting."""
    same = [*present(frame, SETTING), *(name for name in LINE if name != "options")]
    counts = frame.group_by(same).agg(pl.col("options").n_unique())["options"]
    return bool((counts > 1).any())


def layout_of(frame: pl.DataFrame, name: str = "") -> Layout:
    """The arrangement of the paper's figure of that name, or a row for each setting; panels without records are not."""
    if name and name not in PAPER:
        raise OptionError(f"there is no figure {name!r}; {suggest(name, sorted(PAPER), what='there is')}")
    settings = settings_of(frame)
    if not settings:
        raise OptionError("there are no records to draw; run at least one trial")
    title, kinds = PAPER[name] if name else ("Comparison", _kinds(frame))
    varying = varying_of(settings)
    rows = _by_weights(settings) if name in SIDE_BY_SIDE else [[setting] for setting in settings]
    return Layout(name, title, tuple(tuple(_panels(row, kinds, varying, name)) for row in rows))


def _kinds(frame: pl.DataFrame) -> tuple[Kind, ...]:
    """Pairs are worth counting only where questions have more than two options."""
    return (*ANY, BY_PAIRS) if int(frame["set_size"].max()) > 2 else ANY  # type: ignore[arg-type]


def _by_weights(settings: Sequence[ColumnValues]) -> list[list[ColumnValues]]:
    kinds = list(dict.fromkeys(dict(setting)["weights"] for setting in settings))
    return [[setting for setting in settings if dict(setting)["weights"] == kind] for kind in sorted(kinds, key=_place)]


def _place(weights: object) -> int:
    return WEIGHTS.index(str(weights)) if weights in WEIGHTS else len(WEIGHTS)


def _panels(row: Iterable[ColumnValues], kinds: Sequence[Kind], varying: Sequence[str], name: str) -> Iterable[Panel]:
    aside, ends = name in SIDE_BY_SIDE, ENDS.get(name, {})
    for setting in row:
        catalogue, *others = words_of(setting, varying)
        label = "\n".join(others if aside else [catalogue, *others])
        for axis, measure in kinds:
            yield Panel(setting, axis, measure, title=catalogue if aside else "", row=label, end=ends.get(axis))


def varying_of(settings: Sequence[ColumnValues]) -> list[str]:
    """What tells settings apart besides catalogue and weights."""
    names = [name for name, _ in settings[0] if name not in ("catalogue", "weights")]
    return [name for name in names if len({dict(setting)[name] for setting in settings}) > 1]


def words_of(setting: ColumnValues, varying: Sequence[str]) -> list[str]:
    """What a setting is called: its catalogue (r, as in the paper, if synthetic), its weights, and the rest."""
    values = dict(setting)
    catalogue = str(values["catalogue"]).replace("synthetic:", "r = ")
    weights = str(values["weights"]).replace("-", " ")
    return [catalogue, weights, *(f"{name} {values[name]}" for name in varying)]
