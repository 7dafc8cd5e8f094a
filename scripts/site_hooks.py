"""What MkDocs does not do by itself: pages made from the program, equations without scripts, links to the repository.

The reference of the command line, of catalogue files and of the REST API is written from the program each time, so it
cannot say anything else than the program does. Equations become MathML, which browsers draw by themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

INTRODUCTION = "Written from the program when this site was built."


def on_files(files: Files, *, config: Any) -> Files:
    for path, text in generated_pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def generated_pages() -> dict[str, str]:
    """The pages that are written from the program, by their place."""
    return {
        "reference/python.md": python_page(),
        "reference/command-line.md": command_line_page(),
        "reference/catalogue-schema.md": schema_page(),
        "reference/rest.md": rest_page(),
    }


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:  # noqa: ARG001
    """Links to files of the repository outside docs/ become addresses; equations become MathML."""
    there = f"{config.extra['repository']}/blob/main"
    outside = re.sub(r"\]\((?:\.\./)+([A-Z][\w.]*|examples/[\w./]*)\)", rf"]({there}/\1)", markdown)
    return with_equations(re.sub(r"\]\((notebooks/[\w-]+\.ipynb)\)", rf"]({there}/docs/\1)", outside))


def with_equations(markdown: str) -> str:
    """`$$…$$` on its own, `$…$` in a line; code stays as it is."""
    parts = re.split(r"(```.*?```|`[^`\n]*`)", markdown, flags=re.DOTALL)
    return "".join(part if number % 2 else _equations(part) for number, part in enumerate(parts))


def _equations(text: str) -> str:
    shown = re.sub(r"\$\$(.+?)\$\$", lambda found: _on_its_own(found[1].strip()), text, flags=re.DOTALL)
    return re.sub(r"\$(?!\s)([^$\n]+?)(?<!\s)\$", lambda found: convert(found[1]), shown)


def _on_its_own(equation: str) -> str:
    """In a box that scrolls where the screen is narrow."""
    return f'<div class="equation">{convert(equation, display="block")}</div>'


# Python


def python_page() -> str:
    """Every public name, with what its docstring says."""
    import setmargin
    from setmargin import choices, experiments, laws, plots, widget

    modules = {
        "setmargin": (setmargin, [name for name in setmargin.__all__ if name not in ("experiments", "laws")]),
        "setmargin.experiments": (experiments, experiments.__all__),
        "setmargin.choices": (choices, choices.__all__),
        "setmargin.laws": (laws, laws.__all__),
        "setmargin.plots": (plots, [name for name in vars(plots) if name.startswith("plot_")]),
        "setmargin.widget": (widget, ["InterviewWidget"]),
    }
    lines = ["# Python", "", f"All public names. {INTRODUCTION}", ""]
    for name, (module, names) in modules.items():
        lines += [f"## {name}", ""]
        for each in names:
            home = getattr(getattr(module, each), "__module__", "")
            if home.startswith("setmargin."):
                lines += [f"::: {home}.{each}", *_with_what_bases_bring(getattr(module, each), names), ""]
    return "\n".join(lines)


def _with_what_bases_bring(public: Any, names: Sequence[str]) -> list[str]:
    """The option for a class that has members from classes of ours which have no entry of their own."""
    bases = [base for base in getattr(public, "__mro__", ())[1:] if base.__module__.startswith("setmargin.")]
    hidden = any(base.__name__ not in names for base in bases)
    return ["    options:", "      inherited_members: true"] if hidden else []


# The command line


def command_line_page() -> str:
    """What each command says about itself."""
    from typer.testing import CliRunner

    from setmargin.cli.app import app

    def help_of(*words: str) -> str:
        shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "110", "TERMINAL_WIDTH": "110"}).output
        return f"```text\n{shown.strip()}\n```\n"

    lines = ["# Command line", "", INTRODUCTION, "", help_of()]
    for words in _commands(app):
        lines += [f"## setmargin {' '.join(words)}", "", help_of(*words)]
    return "\n".join(lines)


def _commands(app: Any) -> Iterator[tuple[str, ...]]:
    """The words of each command, those of groups included."""
    for each in app.registered_commands:
        yield ((each.name or each.callback.__name__).replace("_", "-"),)
    for group in app.registered_groups:
        yield from ((group.name, *words) for words in _commands(group.typer_instance))


# Catalogue files


def schema_page() -> str:
    """The published schema as tables, and whole."""
    from setmargin.space.document import schema

    document = schema()
    lines = ["# Catalogue files", "", f"[The guide](../catalogues.md) has examples. {INTRODUCTION}", ""]
    lines += ["## The file", ""]
    lines += _property_table(document)
    for name, body in document.get("$defs", {}).items():
        lines += ["", f"## {name}", "", *_paragraph(body)]
        lines += _property_table(body) if body.get("properties") else [f"{_kind(body)}."]
    lines += ["", "## The whole schema", "", "`setmargin schema` prints it.", ""]
    lines += ["```json", json.dumps(document, indent=1, ensure_ascii=False), "```", ""]
    return "\n".join(lines)


def _paragraph(body: Mapping[str, Any]) -> list[str]:
    return [str(body["description"]), ""] if body.get("description") else []


def _property_table(body: Mapping[str, Any]) -> list[str]:
    alternatives = [set(body[word].get("required", ())) for word in ("then", "else") if word in body]
    needed = {*body.get("required", ()), *(set.intersection(*alternatives) if alternatives else ())}
    rows = [
        f"| `{name}`{' (needed)' if name in needed else ''} | {_kind(each)} | {_cell(each.get('description', ''))} |"
        for name, each in body.get("properties", {}).items()
        if isinstance(each, Mapping)
    ]
    return ["| | what it is | |", "|---|---|---|", *rows]


def _kind(body: Mapping[str, Any]) -> str:
    """What a value may be, in a few words."""
    if "$ref" in body:
        name = str(body["$ref"]).rpartition("/")[2]
        return f"[{name}](#{_anchor(name)})"
    for word in ("oneOf", "anyOf"):
        if word in body:
            return " or ".join(dict.fromkeys(_kind(each) for each in body[word]))
    if "enum" in body or "const" in body:
        return " or ".join(f"`{each}`" for each in body.get("enum", [body.get("const")]))
    kind = body.get("type", "anything")
    kinds = " or ".join(kind) if isinstance(kind, list) else str(kind)
    inside = body.get("items") or body.get("additionalProperties")
    return f"{kinds} of {_kind(inside)}" if isinstance(inside, Mapping) and inside else kinds


def _anchor(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name.lower()).strip("-")


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


# REST


def rest_page() -> str:
    """Every operation and every document of the OpenAPI document."""
    from setmargin.server.api.app import create_app
    from setmargin.server.settings import Settings

    document = create_app(Settings(database="sqlite:///nowhere.db")).openapi()
    lines = ["# REST API", "", str(document["info"].get("description", "")), "", INTRODUCTION]
    lines += ["A running server has it at `/api/v1/openapi.json`; [the guide](../server.md) tells how to run one.", ""]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if isinstance(operation, Mapping):
                lines += [f"## {method.upper()} {path}", "", *_operation(operation), ""]
    lines += ["## Documents", "", "What is sent and what comes back.", ""]
    for name, body in document["components"]["schemas"].items():
        table = _property_table(body) if body.get("properties") else [f"{_kind(body)}."]
        lines += [f"## {name}", "", *_paragraph(body), *table, ""]
    return "\n".join(lines)


def _operation(operation: Mapping[str, Any]) -> Iterator[str]:
    yield str(operation.get("description") or operation.get("summary", ""))
    yield ""
    for each in operation.get("parameters", ()):
        where = f"`{each['name']}` ({each['in']}{', needed' if each.get('required') else ''})"
        yield f"- {where}: {_kind(each.get('schema', {}))}. {_cell(each.get('description', ''))}"
    if (body := operation.get("requestBody")) is not None:
        yield f"- body: {_content(body)}"
    for code, reply in operation.get("responses", {}).items():
        yield f"- **{code}**: {_content(reply)} {_cell(reply.get('description', ''))}"


def _content(body: Mapping[str, Any]) -> str:
    kinds = [_kind(each.get("schema", {})) for each in body.get("content", {}).values()]
    return " or ".join(dict.fromkeys(kinds))
