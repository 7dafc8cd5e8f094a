"""What is imported when it is first used: the names of a package, and the packages that an extra brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

from setmargin.errors import PackageMissing

EXTRAS: Final = {
    "distributed": "cluster",
    "fastapi": "web",
    "httpx": "async",
    "ipywidgets": "notebook",
    "matplotlib": "experiments",
    "numba": "fast",
    "polars": "experiments",
    "prometheus_client": "web",
    "pydantic": "web",
    "sqlalchemy": "web",
    "uvicorn": "web",
}
"""Which extra brings a package."""


def import_extra(module: str) -> Any:
    """A module; PackageMissing, which says how to get it, where a package of an extra is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRAS:
            raise
        raise PackageMissing(f"{missing} is not installed; pip install 'setmargin[{EXTRAS[missing]}]'") from None


def late_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are imported when they are first used.

    Parameters
    ----------
    package
        Its name.
    homes
        The names, with spaces in between, by the module of the package that has them.
    """
    home = {name: f"{package}.{module}" for module, names in homes.items() for name in names.split()}

    def named(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_extra(home[name]), name)

    return named
