"""Learnt priors as plain data and as files: every mistake with its place, and the cure."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from setmargin.arrays import Floats
from setmargin.errors import CatalogueError, LearningError
from setmargin.files import write_whole
from setmargin.space.text import short
from setmargin.space.yaml_reading import line_of, read
from setmargin.strategies.bayes.learnt.prior import (
    FORMAT,
    LEAST_PEOPLE,
    Favourite,
    Favourites,
    LearntPrior,
    LearntSegments,
    Segment,
    rounded,
)

LARGEST_FILE = 20_000_000
MOST_FACTORS = 64
NEARLY = 0.02
"""Shares that are rounded need not add up to exactly 1."""


def load_prior(path: str | os.PathLike[str]) -> LearntPrior:
    """Read the file of a learnt prior.

    Raises
    ------
    LearningError
        If it cannot be read or does not make sense, with file, line and cure.
    """
    file = os.fsdecode(path)
    try:
        with open(file, "rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise LearningError(f"{file}: larger than {LARGEST_FILE:,} bytes; this is no file of setmargin learn")
        text = content.decode("utf-8")
    except OSError as error:
        raise LearningError(f"{file}: cannot be read: {error.strerror}; write one with setmargin learn") from None
    except ValueError:
        raise LearningError(f"{file}: not UTF-8 text; this is no file of setmargin learn") from None
    try:
        node = read(text, file=file)
        return read_document(node.content)
    except CatalogueError as error:
        raise LearningError(str(error)) from None
    except LearningError as error:
        raise LearningError(f"{file}:{line_of(node, error.at)}: {error}") from None


def dump_prior(prior: LearntPrior) -> str:
    """The text of its file."""
    text: str = yaml.safe_dump(
        prior.document(), sort_keys=False, allow_unicode=True, width=1_000_000, default_flow_style=None
    )
    return text


def save_prior(prior: LearntPrior, path: str | os.PathLike[str]) -> None:
    """Write its file, whole or not at all; `load_prior` gives an equal one back.

    Raises
    ------
    LearningError
        If the file cannot be written.
    """
    try:
        write_whole(Path(path), dump_prior(prior))
    except OSError as error:
        raise LearningError(f"{os.fsdecode(path)}: cannot be written: {error.strerror}") from None


# Reading plain data


def read_document(document: Any) -> LearntPrior:
    """The prior that plain data describes."""
    body = _mapping(document, (), "the prior")
    found = body.get("format")
    if found != FORMAT:
        cure = "learn it anew, or use a newer version of setmargin" if isinstance(found, int) else "add format: 1"
        raise LearningError(f"the format is {short(found)}, and this version reads {FORMAT}; {cure}", at=("format",))
    sources = body.get("sources", [])
    if not isinstance(sources, list):
        raise LearningError(f"sources is {short(sources)}; give a list of words", at=("sources",))
    tastes, favourites = body.get("tastes"), body.get("favourites")
    if tastes is None and favourites is None:
        raise LearningError("there are neither tastes nor favourites; learn them with setmargin learn")
    return LearntPrior(
        catalogue=str(body.get("catalogue", "")),
        fingerprint=str(body.get("fingerprint", "")),
        sources=tuple(map(str, sources)),
        tastes=None if tastes is None else _tastes(tastes),
        favourites=None if favourites is None else _favourites(favourites),
    )


def _tastes(document: Any) -> LearntSegments:
    body = _mapping(document, ("tastes",), "tastes")
    segments = body.get("segments")
    if not isinstance(segments, list) or not segments:
        raise LearningError(f"segments is {short(segments)}; give a list of one or more", at=("tastes", "segments"))
    read_segments = tuple(_segment(each, ("tastes", "segments", n)) for n, each in enumerate(segments))
    total = sum(segment.share for segment in read_segments)
    if abs(total - 1) > NEARLY:
        raise LearningError(f"the shares of the segments add up to {total:g}; make it 1", at=("tastes", "segments"))
    return LearntSegments(
        people=_people(body, ("tastes",)),
        sharpness=_number(body.get("sharpness"), ("tastes", "sharpness"), least=1e-3),
        segments=read_segments,
    )


def _segment(document: Any, at: tuple[str | int, ...]) -> Segment:
    body = _mapping(document, at, "a segment")
    features = _mapping(body.get("features"), (*at, "features"), "features")
    if not features:
        raise LearningError("a segment has no features; leave it out", at=(*at, "features"))
    mean, factors, own = [], [], []
    for name, each in features.items():
        place = (*at, "features", name)
        feature = _mapping(each, place, f"the feature {name}")
        mean.append(_number(feature.get("mean"), (*place, "mean")))
        own.append(_number(feature.get("own", 0.0), (*place, "own"), least=0.0))
        row = feature.get("factors", [])
        if not isinstance(row, list) or len(row) > MOST_FACTORS:
            raise LearningError(f"factors is {short(row)}; give a list of numbers", at=(*place, "factors"))
        factors.append([_number(number, (*place, "factors")) for number in row])
        if len(row) != len(factors[0]):
            cure = f"give {len(factors[0])}, as the first feature has"
            raise LearningError(f"{name} has {len(row)} factors; {cure}", at=(*place, "factors"))
    share = _number(body.get("share"), (*at, "share"), least=0.0)
    return Segment(share, tuple(features), np.array(mean), np.array(factors).reshape(len(mean), -1), np.array(own))


def _favourites(document: Any) -> Favourites:
    body = _mapping(document, ("favourites",), "favourites")
    attributes = _mapping(body.get("attributes"), ("favourites", "attributes"), "attributes")
    tree: dict[str, Favourite] = {}
    for name, each in attributes.items():
        tree[name] = _favourite(name, each, tree)
    anything = _number(body.get("anything", 0.0), ("favourites", "anything"), least=0.0)
    if anything >= 1:
        cure = "give the share of people who took anything, below 1"
        raise LearningError(f"anything is {anything:g}; {cure}", at=("favourites", "anything"))
    return Favourites(_people(body, ("favourites",)), tuple(tree.values()), anything)


def _favourite(name: str, document: Any, before: Mapping[str, Favourite]) -> Favourite:
    at = ("favourites", "attributes", name)
    body = _mapping(document, at, f"the attribute {name}")
    given, chances = body.get("given"), _mapping(body.get("chances"), (*at, "chances"), "chances")
    if given is None:
        return Favourite(name, tuple(chances), None, (), _chances(chances, tuple(chances), (*at, "chances"))[None])
    given = str(given)
    if given not in before:
        raise LearningError(f"{name} is given {given}, which does not come before it; move it up", at=(*at, "given"))
    if set(chances) != set(before[given].values):
        raise LearningError(f"the chances of {name} are not one row for each value of {given}", at=(*at, "chances"))
    rows = {key: _mapping(row, (*at, "chances", key), "chances") for key, row in chances.items()}
    values = tuple(next(iter(rows.values()))) if rows else ()
    table = [_chances(rows[key], values, (*at, "chances", key)) for key in before[given].values]
    return Favourite(name, values, given, before[given].values, np.array(table))


def _chances(row: Mapping[str, Any], values: tuple[str, ...], at: tuple[str | int, ...]) -> Floats:
    if set(row) != set(values) or not values:
        raise LearningError("the rows of one table name different values; give all of them the same", at=at)
    numbers = np.array([_number(row[value], (*at, value), least=0.0) for value in values])
    if abs(numbers.sum() - 1) > NEARLY:
        raise LearningError(f"the chances add up to {numbers.sum():g}; make it 1", at=at)
    return numbers


def _people(body: Mapping[str, Any], at: tuple[str | int, ...]) -> int:
    people = body.get("people")
    if not isinstance(people, int) or people < LEAST_PEOPLE:
        raise LearningError(f"people is {short(people)}; learn from {LEAST_PEOPLE} or more", at=(*at, "people"))
    return people


def _mapping(value: Any, at: tuple[str | int, ...], what: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise LearningError(f"{what} is {short(value)}; give a mapping, as setmargin learn writes it", at=at)
    return {str(key): each for key, each in value.items()}


def _number(value: Any, at: tuple[str | int, ...], *, least: float | None = None) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise LearningError(f"{at[-1]} is {short(value)}; give a number", at=at)
    if least is not None and value < least:
        raise LearningError(f"{at[-1]} is {value:g}; give {least:g} or more", at=at)
    return rounded(float(value))
