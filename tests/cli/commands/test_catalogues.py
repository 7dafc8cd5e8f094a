from __future__ import annotations

from setmargin.space.catalogue import shipped
from tests.cli.running import Shell


def test_every_shipped_catalogue_is_listed_with_its_size(shell: Shell) -> None:
    listed = shell("catalogues", "--json").document
    assert [one["catalogue"] for one in listed] == list(shipped())
    pc = next(one for one in listed if one["catalogue"] == "pc")
    assert (pc["title"], pc["configurations"]) == ("Find your PC", 64_476)
    assert (pc["attributes"], pc["quantities"], pc["rules"]) == (6, 1, 16)


def test_people_read_titles_sizes_and_where_else_catalogues_come_from(shell: Shell) -> None:
    text = shell("catalogues").out
    assert "Find your PC" in text
    assert "64,476" in text
    assert "synthetic:4" in text
    assert max(map(len, text.splitlines())) <= 80
