"""Packages as if they were installed: a folder with the metadata that pip would write."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "hillclimb"


def write_site(folder: Path, name: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """The metadata of a package of that name with these entry points."""
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    sections = (
        "\n".join([f"[{group}]", *(f"{entry} = {value}" for entry, value in entries.items())])
        for group, entries in groups.items()
    )
    (about / "entry_points.txt").write_text("\n".join(sections) + "\n", encoding="utf-8")


def example_site(folder: Path) -> str:
    """The example package, as its `pyproject.toml` describes it: what PYTHONPATH has to be."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    site = folder / "site"
    write_site(site, project["name"], project["entry-points"])
    return os.pathsep.join([str(site), str(EXAMPLE / "src")])
