"""What is released is what it says: versions agree, and a tag that names another one is refused."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import version

import pytest
from scripts.release import ROOT, disagreeing, wrong_tag


def test_versions_agree() -> None:
    written = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert disagreeing(written) == []
    assert [each.partition(" ")[0] for each in disagreeing("9.9.9")] == ["CHANGELOG.md", "CITATION.cff"]
    assert version("setmargin") == written, "install the package again"


def test_a_tag_names_the_version() -> None:
    assert wrong_tag("0.3.0", []) == wrong_tag("0.3.0", ["v0.3.0", "nightly"]) == []
    assert wrong_tag("0.3.0", ["v0.2.0"]) == ["the tag is v0.2.0, but the version 0.3.0; make them one"]


def test_the_source_archive_has_every_folder_that_the_repository_has() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode or not listed.stdout:
        pytest.skip("this is no clone")
    folders = {line.partition("/")[0] for line in listed.stdout.splitlines() if "/" in line}
    grafted = set(re.findall(r"^graft (\S+)$", (ROOT / "MANIFEST.in").read_text("utf-8"), re.MULTILINE))
    assert folders - grafted == {"src"}, "the package itself is there anyway"
