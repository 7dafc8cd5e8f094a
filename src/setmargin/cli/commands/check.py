"""What can be built, seen from the command line: `catalogues`, `check` and `schema`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import combinations, pairwise
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from setmargin.cli.options import Catalogue, naming_source

if TYPE_CHECKING:
    from setmargin.solve.oracle import Oracle
    from setmargin.space.attributes import Attribute
    from setmargin.space.space import Space

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
# Looking for rules without effect compiles the space once per rule; more than this many seconds is not worth it.
PATIENCE = 2.0
NO_RANGE: Final = (None, None)
SUMMARY: Final = "summary.json"
"""What `catalogues` says of those that come with this package; `python scripts/catalogue_summary.py` writes it."""
T = TypeVar("T")


def catalogues(as_json: AsJson = False) -> None:
    """List the shipped catalogues."""
    shipped = describe_shipped()
    if as_json:
        typer.echo(json.dumps(shipped, indent=2, ensure_ascii=False))
        return
    from setmargin.cli.terminal.catalogue_page import catalogue_list
    from setmargin.cli.terminal.screen import make_console

    make_console().print(catalogue_list(shipped))


def check(
    catalogue: Catalogue,
    as_json: AsJson = False,
    seconds: Annotated[
        float,
        typer.Option(metavar="S", min=0.1, help="How long to look at tangled rules."),
    ] = 4.0,
) -> None:
    """Say what a catalogue describes, and what looks wrong."""
    from setmargin.space.catalogue import load
    from setmargin.time_limit import time_limit

    with time_limit(seconds):
        space = load(catalogue)
        with naming_source(catalogue):
            found = {**describe(space), "prior": describe_prior(catalogue, space)}
            found["presentation"] = describe_presentation(catalogue, space)
            found["items"] = describe_items(catalogue, space)
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    from setmargin.cli.terminal.catalogue_page import space_page
    from setmargin.cli.terminal.screen import make_console

    make_console().print(space_page(found))


def schema() -> None:
    """Print the JSON Schema of catalogue files."""
    from setmargin.space.document import schema as published

    typer.echo(json.dumps(published(), indent=2, ensure_ascii=False))


# What is said, as plain data


def describe_shipped() -> list[dict[str, Any]]:
    """Of the catalogues that come with this package from a file beside them, since counting takes a while."""
    from importlib import resources

    from setmargin.plugins import plugin_names

    known = json.loads(resources.files("setmargin.catalogues").joinpath(SUMMARY).read_text(encoding="utf-8"))
    named = {each["catalogue"] for each in known}
    return [*known, *(describe_catalogue(name) for name in plugin_names("catalogues") if name not in named)]


def describe_catalogue(name: str) -> dict[str, Any]:
    from setmargin.solve.oracle import oracle_for
    from setmargin.space.catalogue import load

    space = load(name)
    return {
        "catalogue": name,
        "title": space.title,
        "description": space.description,
        "configurations": oracle_for(space).count(),
        "attributes": len(space.attributes),
        "quantities": len(space.quantities),
        "rules": len(space.rules),
    }


def describe(space: Space) -> dict[str, Any]:
    """All about one space; raises InfeasibleSpace with the smallest conflict where nothing can be built.

    Whatever takes too long to find out, within a `time_limit`, is None; TooTangled where not even that is known.
    """
    from setmargin.errors import NoSolutionInTime, TooTangled
    from setmargin.solve.oracle import oracle_for

    try:
        oracle = oracle_for(space)
    except NoSolutionInTime:
        raise TooTangled(
            "the rules are so tangled that it is not known whether anything can be built; drop some of them, write "
            "several as one table, or give more --seconds"
        ) from None
    count = oracle.count()
    # The number may have more digits than Python writes without being asked.
    sys.set_int_max_str_digits(0)
    attributes = [
        {
            "name": each.name,
            "title": each.title,
            "unit": each.unit,
            "values": list(each.values),
            "better": each.better,
            "ordered": each.ordered,
        }
        for each in space.attributes
    ]
    quantities = [
        {
            "name": each.name,
            "title": each.title,
            "unit": each.unit,
            "better": each.better,
            "lowest": lowest,
            "highest": highest,
        }
        for each, (lowest, highest) in (
            (each, _in_time(oracle.range, each.name) or NO_RANGE) for each in space.quantities
        )
    ]
    return {
        "catalogue": space.name,
        "title": space.title,
        "description": space.description,
        "configurations": count,
        "one_hot_features": space.seen_values,
        "features": [*space.feature_names[: space.seen_values], *space.feature_names[int(space.offsets[-1]) :]],
        "attributes": attributes,
        "quantities": quantities,
        "rules": [rule.text for rule in space.rules],
        "impossible_values": _in_time(impossible_values, oracle),
        "tangled": _in_time(lambda: oracle.is_tangled) is not False,
        "rules_without_effect": rules_without_effect(oracle),
        "suggested_directions": suggested_directions(space),
        "oracle": oracle.report.document(),
    }


def describe_items(source: str, space: Space) -> dict[str, Any] | None:
    """How many items a product list has, and what its columns were taken to be where nobody says so."""
    from setmargin.space.list_document import document_of_list
    from setmargin.space.list_files import is_list_file

    if space.items is None:
        return None
    reasons = document_of_list(source)[1].reasons if is_list_file(source) else {}
    return {
        "count": len(space.items),
        "alike": len(space.items) - len(space.listing.rows),
        "id": space.items.id,
        "columns": reasons,
    }


def _in_time(find: Callable[..., T], *arguments: Any) -> T | None:
    """What is found; None where that takes too long."""
    from setmargin.errors import NoSolutionInTime

    try:
        return find(*arguments)
    except NoSolutionInTime:
        return None


def describe_prior(catalogue: str, space: Space) -> dict[str, Any] | None:
    """The prior that a catalogue file names; raises CatalogueError where it is missing or does not fit."""
    from setmargin.space.catalogue import prior_named_in
    from setmargin.strategies.bayes.learnt.named import prior_of_catalogue

    named, prior = prior_named_in(catalogue), prior_of_catalogue(catalogue, space)
    if named is None or prior is None:
        return None
    return {"file": str(named.file), "people": prior.people, "notes": list(prior.notes(space))}


def describe_presentation(catalogue: str, space: Space) -> dict[str, Any] | None:
    """What people see; raises CatalogueError for an opening answer with which nothing can be built."""
    from setmargin.space.presentation_checks import missing_translations, the_same_in_all

    seen = space.presentation
    if not seen:
        return None
    images = seen.images.values()
    return {
        "languages": list(seen.languages),
        "missing_translations": missing_translations(seen),
        "the_same_in_all": the_same_in_all(space),
        "images": {"count": len(images), "bytes": sum(len(image.content) for image in images)},
        "groups": len(seen.groups),
        "theme": seen.theme is not None,
        "action": seen.action is not None,
        "opening": {name: list(question.answers) for name, question in seen.opening.items()},
        "impossible_openings": impossible_openings(catalogue, space),
    }


def impossible_openings(catalogue: str, space: Space) -> list[dict[str, str]]:
    """Answers to two opening questions with which nothing can be built; a CatalogueError where one alone does that."""
    from setmargin.errors import CatalogueError, InfeasibleSpace, NoSolutionInTime
    from setmargin.solve.oracle import oracle_for
    from setmargin.space.catalogue import line_in

    answers = [
        (name, answer, body.require)
        for name, question in space.presentation.opening.items()
        for answer, body in question.answers.items()
    ]

    def conflict(*rules: str) -> InfeasibleSpace | None:
        try:
            oracle_for(space.with_rules(*dict.fromkeys(rules)))
        except InfeasibleSpace as error:
            return error
        except NoSolutionInTime:
            return None
        return None

    for name, answer, rules in answers:
        if rules and (wrong := conflict(*rules)):
            place = ("opening", name, "answers", answer, "require")
            message = f"with the answer {answer} to {name}, {wrong}; require less"
            raise CatalogueError(message, file=catalogue, line=line_in(catalogue, place))
    pairs = [(one, other) for one, other in combinations(answers, 2) if one[0] != other[0] and one[2] and other[2]]
    return [{one[0]: one[1], other[0]: other[1]} for one, other in pairs if conflict(*one[2], *other[2])]


def suggested_directions(space: Space) -> dict[str, str | None]:
    """What `better` could be, for each attribute whose values are numbers and that does not say it.

    What costs more is mostly better, so a direction is read off the first quantity of which less is better: `higher`
    where it rises with the numbers, `lower` where it falls, `peak` where it does neither; None without such a quantity.
    Nothing is suggested where a quantity of which more is better goes the same way: what it is good for counts already.
    """
    undirected = [each for each in space.attributes if each.is_numeric and not each.better and len(each.values) > 1]
    found = {each.name: (_course(space, each, "lower"), _course(space, each, "higher")) for each in undirected}
    return {name: costs for name, (costs, serves) in found.items() if costs is None or costs != serves}


def _course(space: Space, attribute: Attribute, better: str) -> str | None:
    """How the first quantity of that kind goes with the attribute's numbers; None where none does."""
    order = sorted(range(len(attribute.values)), key=lambda place: float(attribute.values[place]))
    for quantity in space.quantities:
        amounts = [quantity.table(attribute)[place] for place in order]
        rises = [later - earlier for earlier, later in pairwise(amounts)]
        if quantity.better == better and any(rises):
            return "higher" if min(rises) >= 0 else "lower" if max(rises) <= 0 else "peak"
    return None


def impossible_values(oracle: Oracle) -> list[str]:
    """Values that the rules exclude altogether, as `attribute=value`."""
    possible = oracle.possible()
    return [
        f"{attribute.name}={label}"
        for attribute in oracle.space.attributes
        for value, label in zip(attribute.values, attribute.labels, strict=True)
        if value not in possible[attribute.name]
    ]


def rules_without_effect(oracle: Oracle, *, patience: float = PATIENCE) -> list[int] | None:
    """Numbers (from 1) of rules that exclude nothing the others leave; None where finding out takes too long."""
    from setmargin.solve.oracle import Oracle

    count, rules = oracle.count(), oracle.space.rules
    if count is None or (oracle.report.compile_seconds or 0.0) * len(rules) > patience:
        return None
    deadline, idle = monotonic() + patience, []
    for number, rule in enumerate(rules, 1):
        others = oracle.space.with_only(other for other in rules if other is not rule)
        if Oracle(others).count() == count:
            idle.append(number)
        if monotonic() > deadline:
            return None
    return idle
