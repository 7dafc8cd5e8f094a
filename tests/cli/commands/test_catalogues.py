from __future__ import annotations

from setmargin.cli.commands.check import describe_catalogue
from setmargin.space.catalogue import shipped
from tests.cli.running import Shell


def test_every_shipped_catalogue_is_listed_with_its_size(shell: Shell) -> None:
    listed = shell("catalogues", "--json").document
    ours = {one["catalogue"]: one for one in listed if one["catalogue"] in shipped()}
    assert ours == {name: describe_catalogue(name) for name in shipped()}, "run python scripts/catalogue_summary.py"
    pc = ours["pc"]
    assert (pc["title"], pc["configurations"]) == ("Find your PC", 64_476)
    assert (pc["attributes"], pc["quantities"], pc["rules"]) == (6, 1, 16)


def test_people_read_titles_sizes_and_where_else_catalogues_come_from(shell: Shell) -> None:
    text = shell("catalogues").out
    assert "Find your PC" in text
    assert "64,476" in text
    assert "synthetic:4" in text
    assert max(map(len, text.splitlines())) <= 80
