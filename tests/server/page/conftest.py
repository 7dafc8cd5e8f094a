"""One server for all tests of the page, and one browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from scripts.driving import browsing, chromium, serving

from tests.server.page.browsing import TOKEN, Visitor
from tests.space.presented import CHAIR

LAMP = """
catalogue: lamp
title: Find your lamp
description: Lamps for desk, floor and wall.
groups:
  - {title: The light, members: [light colour, brightness, price]}
attributes:
  kind: [desk, floor, wall]
  light colour: [warm white, cold white, candle]
  brightness: {values: [200, 400, 800], unit: lm, title: luminous flux}
  foot: [wood, steel]
quantities:
  price:
    unit: €
    better: lower
    base: 10
    sum:
      kind: {desk: 5, floor: 30, wall: 10}
      light colour: {warm white: 2, cold white: 1, candle: 6}
      brightness: 0.05
      foot: {wood: 12.5, steel: 4}
  life:
    unit: years
    better: higher
    base: 5
    sum:
      light colour: {warm white: 3, cold white: 5, candle: 0}
      foot: {wood: 0, steel: 4}
rules:
  - kind = floor => brightness >= 400
  - not (kind = wall and foot = wood)
"""

SEAT = CHAIR.replace("catalogue: chair", "catalogue: seat")

ODD = """
catalogue: odd
title: "<b>Find</b> your Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
description: <script>document.title = "owned"</script>
attributes:
  <img src=x onerror=alert(1)>: ['a"b', 'c\\d', "e, f", "{g}"]
  Rindfleischetikettierungsüberwachungsaufgabengesetz: [ja, Kraftfahrzeughaftpflichtversicherungsgesellschaften]
  and: ["or", "not", "in"]
  größe: [1, 2]
  "%s & ${x}": ["null", "__proto__"]
"""


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("page")
    files = [home / "lamp.yaml", home / "odd.yaml", home / "seat.yaml"]
    for file, text in zip(files, (LAMP, ODD, SEAT), strict=True):
        file.write_text(text)
    with serving([*map(str, files)], home, token=TOKEN) as found:
        yield found


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Not for the whole session: its event loop would be in the way of other tests."""
    if chromium() is None:
        pytest.skip("there is no chromium; install it to test the page")
    with browsing() as found:
        yield found


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    """Whatever a test does, the page asks nobody else, breaks no policy and writes no error."""
    someone = Visitor(browser, address)
    yield someone
    someone.close()
    assert someone.complaints == []
