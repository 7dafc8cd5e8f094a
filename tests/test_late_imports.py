"""Names and packages that are imported when they are first used; what is not installed is said with its cure."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from setmargin.errors import PackageMissing
from setmargin.late_imports import EXTRAS, import_extra, late_names

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.mark.parametrize("package", EXTRAS)
def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    extra = EXTRAS[package]
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(PackageMissing, match=rf"^{package} is not installed; pip install 'setmargin\[{extra}\]'$"):
        import_extra(package)
    needed = PROJECT["optional-dependencies"][extra]
    assert any(each.startswith(package.replace("_", "-")) for each in needed)


BARE = """
import sys
sys.modules |= dict.fromkeys(%r)
from setmargin.experiments import compare
try:
    from setmargin.experiments import write_report
except ImportError as error:
    print(error)
"""


def test_a_public_name_that_needs_an_extra_says_so_and_others_come_without() -> None:
    code = BARE % (list(EXTRAS),)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "polars is not installed; pip install 'setmargin[experiments]'\n"


def test_what_is_missing_and_no_extra_is_an_error_as_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "rooms" / "hall.py").write_text("import no_such_thing", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    found = late_names("rooms", {"hall": "door window"})
    with pytest.raises(ModuleNotFoundError, match="no_such_thing"):
        found("door")
    with pytest.raises(AttributeError, match="'rooms' has no attribute 'roof'"):
        found("roof")
