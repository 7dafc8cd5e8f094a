"""What the columns of a product list are taken to be where nobody has said so, and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from setmargin.errors import SpaceError
from setmargin.space.attributes import Better
from setmargin.space.items import LINK, MISSING
from setmargin.space.text import Value, short

FEW_NUMBERS: Final = 12
"""So many different numbers are values of an attribute, one by one."""
MOST_WORDS: Final = 60
"""Words in more variety than that are texts, which nobody compares."""
BINS: Final = 6
"""Into how many parts numbers go of which nobody knows what is better."""
IDS: Final = "id sku asin ean gtin upc mpn article artikel artikelnummer item key code isbn number nr"
SURE_IDS: Final = "id sku asin ean gtin upc mpn isbn artikelnummer"
"""What is called so names items, though two of them were given the same by mistake."""
TITLES: Final = "title name product produkt model modell bezeichnung label"
LINKS: Final = "url link href page"
IMAGES: Final = "image img picture photo foto bild thumbnail"
COSTS: Final = "price cost costs preis kosten fee rent miete msrp"
LOWER: Final = (
    "weight gewicht consumption verbrauch noise lautstärke emissions co2 rank delivery delay latency age mileage"
)
HIGHER: Final = (
    "rating stars score reviews bewertung sterne battery akku memory ram storage speicher ssd disk capacity power "
    "leistung range reichweite speed warranty garantie resolution brightness cores torque lumen"
)
_PICTURE = re.compile(r"\.(?:png|jpe?g|webp|gif|avif|svg)(?:\?.*)?$", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+\d*|\d+")


@dataclass(frozen=True)
class Guess:
    """What a list is taken to be: parts of a catalogue's document, and a reason for each column."""

    items: dict[str, str]
    """Which columns are id, title, link and image."""
    attributes: dict[str, dict[str, Any]]
    quantities: dict[str, dict[str, Any]]
    reasons: dict[str, str] = field(default_factory=dict)


def guess(columns: Sequence[str], cells: Mapping[str, list[Value]], units: Mapping[str, str]) -> Guess:
    """What each column is, by its name and by what stands in it.

    Raises:
        SpaceError: where nothing is left that items could be compared by.
    """
    found = Guess({}, {}, {})
    for key, words, fits in (
        ("id", IDS, _names_each),
        ("link", LINKS, _links),
        ("image", IMAGES, _links),
        ("title", TITLES, _many_words),
    ):
        chosen = _column_for(key, words, fits, columns, cells, set(found.items.values()))
        if chosen:
            found.items[key] = chosen
            found.reasons[chosen] = f"{key} of each item, by its {'name' if _is_named(chosen, words) else 'content'}"
    for name in columns:
        if name not in found.items.values():
            found.reasons[name] = _sort(found, name, cells[name], units.get(name, ""))
    if not found.attributes:
        told = "; ".join(f"{name}: {reason}" for name, reason in found.reasons.items())
        raise SpaceError(f"nothing in the list could be compared ({told}); add a column with a few words or numbers")
    costs_first = sorted(found.quantities, key=lambda name: not _is_named(name, COSTS))
    return replace(found, quantities={name: found.quantities[name] for name in costs_first})


def _column_for(
    key: str, words: str, fits: Any, columns: Sequence[str], cells: Mapping[str, list[Value]], taken: set[str]
) -> str:
    meant = {"id": (SURE_IDS, _names_most), "link": (LINKS, _most_links), "image": (IMAGES, _most_links)}
    for_sure, nearly = meant.get(key, ("", fits))
    free = [
        name
        for name in columns
        if name not in taken and (fits(cells[name]) or (_is_named(name, for_sure) and nearly(cells[name])))
    ]
    if key == "image":
        free = [name for name in free if _is_named(name, words) or _pictures(cells[name])]
    if key == "link":
        free = [name for name in free if not _is_named(name, IMAGES) and not _pictures(cells[name])]
    named = [name for name in free if _is_named(name, words)]
    if key == "title":
        return (named or [""])[0]
    if key == "id":
        free = [name for name in free if any(isinstance(cell, str) for cell in cells[name]) and not _links(cells[name])]
    return (named or free or [""])[0]


def _sort(found: Guess, name: str, cells: list[Value], unit: str) -> str:
    """Put a column where it belongs; the reason."""
    known = [cell for cell in cells if cell != ""]
    different = set(known)
    empty = len(cells) - len(known)
    extra: dict[str, Any] = {"unit": unit} if unit else {}
    if len(different) + bool(empty) < 2:
        return f"left out: {'nothing stands in it' if not known else f'it is {short(known[0])} everywhere'}"
    if any(isinstance(cell, str) for cell in known):
        if len(different) > max(FEW_NUMBERS, min(MOST_WORDS, len(cells) // 2)):
            wrong = _not_numbers(known)
            return f"left out: {len(different):,} different texts{wrong}"
        found.attributes[name] = extra
        return f"attribute: {len(different)} different words{_empty(empty)}"
    better = better_by_name(name)
    direction = {"better": better} if better else {}
    by_name = f", {better} is better by its name" if better else ""
    if not empty and better and (len(different) > min(FEW_NUMBERS, len(cells) // 2) or _is_named(name, COSTS)):
        cents = {"decimals": 2} if _is_named(name, COSTS) and any(number != int(number) for number in cells) else {}
        found.quantities[name] = {**extra, **direction, **cents}
        return f"quantity: a number for every item{by_name}"
    if len(different) <= FEW_NUMBERS:
        found.attributes[name] = {**extra, **({} if empty else direction)}
        costs = empty and _is_named(name, COSTS)
        cure = "; with a number for every item it is a quantity" if costs else ""
        return f"attribute: {len(different)} different numbers{by_name}{_empty(empty)}{cure}"
    edges = bins_of([float(cell) for cell in known])
    found.attributes[name] = {**extra, "bins": edges}
    parts = f"attribute in {len(edges) + 1} parts: {len(different):,} different numbers"
    if better:
        return f"{parts}{_empty(empty)}; with a number for every item it is a quantity{by_name}"
    return (
        f"{parts}, of which it is not known whether more or less is better{_empty(empty)}; with better: lower or higher"
        f"{' and a number for every item' if empty else ''} it can be a quantity"
    )


def _empty(count: int) -> str:
    return f"; {count:,} empty cell{'s' * (count > 1)} {'are' if count > 1 else 'is'} {MISSING}" if count else ""


def _not_numbers(cells: list[Value]) -> str:
    words = [cell for cell in cells if isinstance(cell, str) and not re.match(r"[-+]?[\d.]", cell)]
    few = 0 < len(words) <= len(cells) // 10
    return f"; all but {len(words)} cells look like numbers, such as {short(words[0])} does not" if few else ""


def bins_of(numbers: Sequence[float]) -> list[float]:
    """Round numbers that part the given ones into about equally many."""
    edges = np.quantile(np.array(numbers), np.linspace(0, 1, BINS + 1)[1:-1])
    span = max(numbers) - min(numbers)
    digits = int(np.ceil(-np.log10(span / BINS))) if span else 0
    low, high = min(numbers), max(numbers)
    rounded = sorted({float(round(edge, digits)) for edge in edges})
    kept = [edge for edge in rounded if low < edge <= high]
    return [int(edge) if edge.is_integer() else edge for edge in kept or [float(np.median(sorted(set(numbers))[1:]))]]


def bin_labels(bins: Sequence[float]) -> list[str]:
    """What the parts are called: `< 13`, `13 – 15`, `≥ 15`."""
    shown = [f"{edge:.12g}" for edge in bins]
    between = [f"{low} – {high}" for low, high in pairwise(shown)]
    return [f"< {shown[0]}", *between, f"≥ {shown[-1]}"]


def values_in(cells: Sequence[Value], bins: Sequence[float] = ()) -> list[Value]:
    """The values of an attribute: numbers from least to most, words by the alphabet; what is not known comes last."""
    different = Counter(cells)
    empty = [MISSING] if different.pop("", 0) else []
    if bins:
        return [*bin_labels(bins), *sorted(str(cell) for cell in different if isinstance(cell, str)), *empty]
    numbers = sorted(cell for cell in different if not isinstance(cell, str))
    words = sorted((cell for cell in different if isinstance(cell, str)), key=lambda word: (word.casefold(), word))
    return [*numbers, *words, *empty]


def _is_named(name: str, words: str) -> bool:
    split = re.sub(r"(?<=[a-zäöü])(?=[A-Z])", " ", name)
    return bool({word.lower() for word in _WORDS.findall(split)} & set(words.split()))


def better_by_name(name: str) -> Better | None:
    """Which direction people like of what is called so."""
    if _is_named(name, f"{COSTS} {LOWER}"):
        return "lower"
    return "higher" if _is_named(name, HIGHER) else None


def _names_each(cells: list[Value]) -> bool:
    return "" not in cells and len(set(map(str, cells))) == len(cells) and all(len(str(cell)) <= 100 for cell in cells)


def _names_most(cells: list[Value]) -> bool:
    return 2 * len(set(map(str, cells))) > len(cells)


def _many_words(cells: list[Value]) -> bool:
    words = [cell for cell in cells if isinstance(cell, str) and cell]
    return len(words) > len(cells) // 2 and len(set(words)) > len(cells) // 2


def _links(cells: list[Value]) -> bool:
    known = [cell for cell in cells if cell != ""]
    return bool(known) and all(isinstance(cell, str) and "/" in cell and LINK.fullmatch(cell) for cell in known)


def _most_links(cells: list[Value]) -> bool:
    known = [cell for cell in cells if cell != ""]
    return bool(known) and 2 * sum(_links([cell]) for cell in known) >= len(known)


def _pictures(cells: list[Value]) -> bool:
    known = [str(cell) for cell in cells if cell != ""]
    return bool(known) and all(_PICTURE.search(cell) for cell in known)
