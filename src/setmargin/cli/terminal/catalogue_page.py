"""What `check` and `catalogues` show: plain data in, pages out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from setmargin.cli.terminal import formatting

Data = Mapping[str, Any]

MOST_DIGITS = 30
VALUES_SHOWN = 24
FEATURES_SHOWN = 4
SUGGESTIONS_SHOWN = 6


def catalogue_list(shipped: Sequence[Data]) -> RenderableType:
    """The shipped catalogues, and where others come from."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("catalogue", style="bold")
    table.add_column("title")
    for title in ("configurations", "attributes", "quantities"):
        table.add_column(title, justify="right")
    for one in shipped:
        numbers = (how_many(one["configurations"]), str(one["attributes"]), str(one["quantities"]))
        table.add_row(one["catalogue"], one["title"], *numbers)
    hints = (
        "Also: synthetic:4 (4 attributes of 4 values), synthetic:10x5, your own files.",
        "Look closer with: setmargin check pc     Begin with: setmargin interview bicycle",
    )
    return Group(table, "", *(Text(hint, style="dim") for hint in hints))


def how_many(configurations: int | None) -> str:
    """The exact number while it can be read, then its size."""
    if configurations is None:
        return "uncounted"
    text = str(configurations)
    if len(text) <= MOST_DIGITS:
        return f"{configurations:,}"
    return f"about {text[0]}.{text[1:3]} × 10^{len(text) - 1}"


def space_page(report: Data) -> RenderableType:
    """All about one space, from the number of configurations to what looks like a mistake."""
    return Group(
        Text.assemble((report["title"] or report["catalogue"], "bold"), f"  ({report['catalogue']})"),
        _numbers(report),
        *_section("Attributes", [(_title(one), _values(one)) for one in report["attributes"]]),
        *_section("Quantities", [(_title(one), _range(one)) for one in report["quantities"]]),
        *_section("Rules", [(f"{number:3}", rule) for number, rule in enumerate(report["rules"], 1)]),
        *_section("Features", [(f"{report['one_hot_features']:,} one-hot", _features(report))]),
        *_section("Prior", _prior(report.get("prior"))),
        *_section("What people see", _presentation(report.get("presentation"))),
        *_items(report),
        *_section("Oracle", [(report["oracle"]["engine"], _oracle(report["oracle"]))]),
        *_remarks(report),
    )


def _items(report: Data) -> list[RenderableType]:
    """What the columns of a product list were taken to be."""
    items = report.get("items")
    if not items:
        return []
    alike = f", of which {items['alike']:,} are the same as another in all that is compared" if items["alike"] else ""
    told = [(f"{items['count']:,} items", f"known by their {items['id']}{alike}")]
    return _section("List", [*told, *items["columns"].items()])


def _numbers(report: Data) -> Text:
    many = report["configurations"]
    configurations = {1: "1 configuration", None: "too many configurations to count"}.get(
        many, f"{how_many(many)} configurations"
    )
    numbers = [
        formatting.count(len(report["attributes"]), "attribute"),
        formatting.count(len(report["quantities"]), "quantity", "quantities"),
        formatting.count(len(report["rules"]), "rule"),
    ]
    return Text.assemble((configurations, "bold cyan"), formatting.SEPARATOR, formatting.listed(numbers))


def _section(title: str, lines: Sequence[tuple[str, str]]) -> list[RenderableType]:
    if not lines:
        return []
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for name, text in lines:
        grid.add_row(f"  {name}", text)
    return ["", Text(title, style="bold"), grid]


def _title(one: Data) -> str:
    return f"{one['name']} ({one['title']})" if one["title"] not in ("", one["name"]) else str(one["name"])


def _values(attribute: Data) -> str:
    values = attribute["values"]
    shown = ", ".join(map(str, values[:VALUES_SHOWN]))
    more = f", … ({len(values)} in all)" if len(values) > VALUES_SHOWN else ""
    return formatting.with_unit(shown + more, attribute["unit"]) + _better(attribute)


def _better(attribute: Data) -> str:
    if not attribute["better"]:
        return ""
    return ", one place is best" if attribute["better"] == "peak" else f", {attribute['better']} is better"


def _range(quantity: Data) -> str:
    if quantity["lowest"] is None:
        return f"{quantity['better']} is better; how much there is was not found out in time"
    ends = f"{formatting.number(quantity['lowest'])} to {formatting.number(quantity['highest'])}"
    return f"{formatting.with_unit(ends, quantity['unit'])}, {quantity['better']} is better"


def _features(report: Data) -> str:
    cut = report["one_hot_features"]
    end = cut + len(report["quantities"])
    values, quantities, trends = report["features"][:cut], report["features"][cut:end], report["features"][end:]
    shown = ", ".join(values[:FEATURES_SHOWN]) + (", …" if cut > FEATURES_SHOWN else "")
    and_quantities = f"; and {', '.join(quantities)}" if quantities else ""
    if not trends:
        return shown + and_quantities
    first = ", ".join(trends[:FEATURES_SHOWN]) + (", …" if len(trends) > FEATURES_SHOWN else "")
    return f"{shown}{and_quantities}; and {formatting.count(len(trends), 'trend')}: {first}"


def _oracle(oracle: Data) -> str:
    if oracle["nodes"] is None and oracle["compile_seconds"] is not None:
        return f"every item is looked at; made ready in {oracle['compile_seconds']:.2f} s"
    if oracle["nodes"] is None:
        return "the decision diagram would be too large"
    size = f"{formatting.count(oracle['nodes'], 'node')} and {formatting.count(oracle['arcs'], 'arc')}"
    pending = oracle["pending_rows"]
    beside = f"; {formatting.count(pending, 'linear rule')} kept beside it" if pending else ""
    return f"{size}, compiled in {oracle['compile_seconds']:.2f} s{beside}"


def _prior(prior: Data | None) -> list[tuple[str, str]]:
    if prior is None:
        return []
    return [(f"{prior['people']:,} people", "; ".join([prior["file"], *prior["notes"]]))]


def _presentation(seen: Data | None) -> list[tuple[str, str]]:
    if seen is None:
        return []
    images, translations = seen["images"], seen["missing_translations"]
    pictures = f"{images['count']:,}, {images['bytes']:,} bytes" if images["count"] else ""
    lines = [("languages", ", ".join(seen["languages"])), ("images", pictures)]
    lines += [("groups", f"{seen['groups']:,}" if seen["groups"] else "")]
    lines += [(f"opening: {name}", ", ".join(answers)) for name, answers in seen["opening"].items()]
    lines += [(f"not in {language}", _some(missing)) for language, missing in translations.items()]
    lines += [("the same in all", _some(seen["the_same_in_all"]))]
    said = [name for name in ("theme", "action") if seen[name]]
    return [(name, text) for name, text in [*lines, ("also", ", ".join(said))] if text]


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - SUGGESTIONS_SHOWN} more" if len(texts) > SUGGESTIONS_SHOWN else ""
    return "; ".join(texts[:SUGGESTIONS_SHOWN]) + more


def _remarks(report: Data) -> list[RenderableType]:
    remarks: list[RenderableType] = []
    if impossible := report["impossible_values"]:
        text = f"Warning: the rules never allow {', '.join(impossible)}"
        remarks.append(Text(text, style="yellow"))
    if report["impossible_values"] is None:
        text = "Warning: which values the rules never allow was not found out in time; more --seconds may help"
        remarks.append(Text(text, style="yellow"))
    if report["tangled"]:
        text = (
            "Warning: the rules are so tangled that finding what is best takes too long for bayes; drop some of them, "
            "or write several as one table"
        )
        remarks.append(Text(text, style="yellow"))
    for pair in (report.get("presentation") or {}).get("impossible_openings", ()):
        answers = " with ".join(f"{answer} ({name})" for name, answer in pair.items())
        remarks.append(Text(f"Warning: nothing can be built for whoever answers {answers}", style="yellow"))
    if idle := report["rules_without_effect"]:
        which = f"rule {idle[0]} excludes" if len(idle) == 1 else f"rules {', '.join(map(str, idle))} each exclude"
        remarks.append(Text(f"Hint: {which} nothing that the other rules leave", style="yellow"))
    if suggested := report["suggested_directions"]:
        remarks.append(Text(_without_direction(suggested), style="yellow"))
    return ["", *remarks] if remarks else []


def _without_direction(suggested: Data) -> str:
    shown = [f"{name} ({better}?)" if better else name for name, better in list(suggested.items())[:SUGGESTIONS_SHOWN]]
    more = f" and {len(suggested) - len(shown)} more" if len(suggested) > len(shown) else ""
    return (
        f"Hint: nothing says which numbers are better: {', '.join(shown)}{more}. Write better: higher or lower where "
        f"every shopper would agree, better: peak where each has one best place, else nothing"
    )
