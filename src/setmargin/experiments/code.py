"""A digest of the code that decides a trial, so that results of different code are never taken for one.

It covers the module of the strategy and whatever that imports from its own package and from setmargin, directly or
not; likewise for a response or a family of people that another package brings along. Docstrings, comments and blank
lines do not count. What is written at a prompt or in a notebook counts by its own source alone.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DIGEST_LENGTH = 12
OURS = "setmargin"
# Patterns instead of a syntax tree: the first trial waits for the digest, and seventy files take a second to parse.
IMPORTS = re.compile(
    r"^[ \t]*(?:import (?P<module>[\w.]+)|from (?P<dots>\.*)(?P<base>[\w.]*) import (?P<names>\([^)]*\)|[^\n]*))",
    re.MULTILINE,
)
DOCSTRING = re.compile(r'(\A|:[ \t]*\n)\s*r?"""[\s\S]*?"""')
BLANK = re.compile(r"^[ \t]*(?:#.*)?\n", re.MULTILINE)


def digest_of(*parts: Any) -> str:
    """The digest of the code behind some classes, functions and objects; the same on every machine."""
    return _digest(tuple(dict.fromkeys(part if _is_written(part) else type(part) for part in parts)))


def has_file(part: type) -> bool:
    """Whether the class is in a file that every process can find, and not sent by value from a prompt or notebook."""
    return _file_of(part.__module__) is not None


def _is_written(part: Any) -> bool:
    return inspect.isclass(part) or inspect.isfunction(part)


@lru_cache(maxsize=128)
def _digest(parts: tuple[Any, ...]) -> str:
    modules = {name for part in parts for name in _modules_of(part)}
    sources = {name: _source_of(path) for name, path in _closure(modules).items()}
    sources |= {part.__qualname__: _own_source(part) for part in parts if not _file_of(part.__module__)}
    text = "\0".join(f"{name}\n{sources[name]}" for name in sorted(sources))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]


def _modules_of(part: Any) -> Iterator[str]:
    """Where a class and those that it derives from are written, or a function."""
    for each in inspect.getmro(part) if inspect.isclass(part) else (part,):
        if _top(each.__module__) not in sys.stdlib_module_names and _file_of(each.__module__):
            yield each.__module__


def _own_source(part: Any) -> str:
    try:
        return _without_words(inspect.getsource(part))
    except (OSError, TypeError):
        return ""


def _closure(modules: Iterable[str]) -> dict[str, Path]:
    """These modules and all that they import of their own packages and of setmargin, with their files."""
    tops = {OURS, *map(_top, modules)}
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = None if name in found else _file_of(name)
        if path is not None:
            found[name] = path
            waiting += [each for each in _imported(name, path) if _top(each) in tops and each not in found]
    return found


@lru_cache(maxsize=512)
def _file_of(module: str) -> Path | None:
    """Where a module is written; of a script or notebook None, since that is not the same in other processes."""
    if module == "__main__":
        return None
    try:
        spec = find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    origin = spec.origin if spec is not None else None
    return Path(origin) if origin is not None and origin.endswith(".py") else None


def _imported(name: str, path: Path) -> Iterator[str]:
    """The names that a module imports; some of them are of things in modules, and have no file."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for found in IMPORTS.finditer(_source_of(path)):
        if found["module"]:
            yield found["module"]
            continue
        dots = len(found["dots"])
        above = package.split(".")[: package.count(".") + 2 - dots] if dots else []
        base = ".".join([*above, *filter(None, [found["base"]])])
        yield base
        home = _file_of(base)
        if home is not None and home.name == "__init__.py":  # then what is imported may be a module
            yield from (f"{base}.{each}" for each in re.findall(r"\w+", found["names"]))


@lru_cache(maxsize=512)
def _source_of(path: Path) -> str:
    return _without_words(path.read_text(encoding="utf-8"))


def _without_words(source: str) -> str:
    """The source without docstrings, blank lines and lines that are comments."""
    return BLANK.sub("", DOCSTRING.sub(r"\1", source))


def _top(module: str) -> str:
    return module.partition(".")[0]
