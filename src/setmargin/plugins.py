"""What other packages bring along, found by name through entry points and loaded when it is first used.

A package names in its `pyproject.toml` what it adds:

    [project.entry-points."setmargin.strategies"]
    hillclimb = "my_package.hillclimb:HillClimb"

What comes with setmargin keeps its names; of two packages that claim one name neither is taken.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from setmargin.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["strategies", "responses", "people", "catalogues", "solvers"]
ONE_OF: Final[dict[Kind, str]] = {
    "strategies": "strategy",
    "responses": "response",
    "people": "distribution of weights",
    "catalogues": "catalogue",
    "solvers": "solver",
}
"""What one of each kind is called in errors."""


@lru_cache
def _found(kind: Kind) -> dict[str, list[EntryPoint]]:
    """The entry points of a kind by name; looked up once, since that reads the metadata of all installed packages."""
    from importlib.metadata import entry_points

    named: dict[str, list[EntryPoint]] = {}
    for each in entry_points(group=f"setmargin.{kind}"):
        named.setdefault(each.name, []).append(each)
    return named


def plugin_names(kind: Kind) -> tuple[str, ...]:
    """The names that other packages add to a kind, in the order of the alphabet; nothing is loaded."""
    return tuple(sorted(_found(kind)))


def is_plugin(kind: Kind, name: str) -> bool:
    """Whether some package brings this along."""
    return name in _found(kind)


def load_plugin(kind: Kind, name: str) -> Any:
    """What a package brings along under that name.

    Parameters
    ----------
    kind
        Such as `strategies`.
    name
        One of `plugin_names(kind)`.

    Raises
    ------
    PluginError
        Where two packages claim the name, or loading it fails: with the name, the package and what went wrong.
    """
    claims = _found(kind)[name]
    if len({each.value for each in claims}) > 1:
        packages = " and ".join(sorted({package_of(each) for each in claims}))
        raise PluginError(f"{packages} both bring a {ONE_OF[kind]} {name!r}; uninstall one of them")
    (entry, *_) = claims
    try:
        return entry.load()
    except Exception as error:
        said = str(error) or type(error).__name__
        raise PluginError(
            f"the {ONE_OF[kind]} {name!r} of {package_of(entry)} ({entry.value}) cannot be loaded: {said}; "
            f"repair or uninstall {package_of(entry)}"
        ) from error


def refuse_plugin(kind: Kind, name: str, reason: str) -> PluginError:
    """The error for something that was loaded but is not what its kind asks for."""
    (entry, *_) = _found(kind)[name]
    return PluginError(f"the {ONE_OF[kind]} {name!r} of {package_of(entry)} ({entry.value}) {reason}")


def package_of(entry: EntryPoint) -> str:
    """The package that an entry point comes from, with its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "an unknown package"
