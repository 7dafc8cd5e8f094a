"""Build the package, check it, install it where nothing else is, and try it: what `make release` does.

    python scripts/release.py

A release is a tag: `git tag v0.3.0` on a commit whose `pyproject.toml`, `CITATION.cff` and `CHANGELOG.md` say 0.3.0;
anything else is refused. Without a tag everything is done, but the version is not held against one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"


def main() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    problems = [*disagreeing(version), *wrong_tag(version, tags_here())]
    if problems:
        sys.exit("\n".join(problems))
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    built = sorted(map(str, DIST.iterdir()))
    run(sys.executable, "-m", "twine", "check", "--strict", *built)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(next(Path(folder).glob("[bS]*/python*")))
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wheels(built))
        run(python, str(ROOT / "scripts" / "smoke.py"), cwd=folder)
    for file in built:
        print(f"{Path(file).name}: {Path(file).stat().st_size / 1000:,.0f} kB")


def wheels(built: list[str]) -> list[str]:
    return [file for file in built if file.endswith(".whl")]


def disagreeing(version: str) -> list[str]:
    """Where another version is written than that of the package."""
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    newest = re.search(r"^## (\S+)", changes, re.MULTILINE)
    found = []
    if not newest or newest[1] != version:
        found.append(f"CHANGELOG.md begins with {newest[1] if newest else 'nothing'}; begin it with ## {version}")
    if f"version: {version}\n" not in citation:
        found.append(f"CITATION.cff names another version; write version: {version}")
    return found


def wrong_tag(version: str, tags: list[str]) -> list[str]:
    """A tag of this commit that names another version."""
    named = [tag for tag in tags if re.match(r"v\d", tag)]
    return (
        []
        if not named or f"v{version}" in named
        else [f"the tag is {named[0]}, but the version {version}; make them one"]
    )


def tags_here() -> list[str]:
    try:
        said = subprocess.run(
            ["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return []  # a source archive
    return said.stdout.split()


def run(*command: str, cwd: str | Path = ROOT) -> None:
    subprocess.run(command, cwd=cwd, check=True)


if __name__ == "__main__":
    main()
