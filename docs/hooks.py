"""mkdocs hooks: tables of the reference that are generated from the code.

A marker in a page is replaced before the page is rendered:

    <!-- api -->                         one mkdocstrings entry for each public name
    <!-- cli -->                         every command, argument and option
    <!-- errors -->                      the tree of errors
    <!-- dataclass: broadsheet:Limits --> the fields of a dataclass, with the comments beside them
    <!-- configurations -->              the configuration class of every method
    <!-- table: fields --> ... <!-- end -->
                                         the fields of an article; a table written by hand between the two marks is
                                         used where the code has no table of fields
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))  # this tree, not an installed version

MARKER = re.compile(r"<!-- (api|cli|errors|configurations|dataclass: ([\w.:]+)) -->")
FIELD_TABLE = re.compile(r"<!-- table: fields -->\n(.*?)<!-- end -->", re.DOTALL)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the markers of a page."""
    markdown = FIELD_TABLE.sub(lambda match: write_fields() or match[1], markdown)
    return MARKER.sub(lambda match: write_part(match[1], match[2]), markdown)


def write_part(name: str, target: str | None) -> str:
    """Write the text that replaces a marker."""
    if target:
        return write_dataclass(load_name(target))
    writers: dict[str, Callable[[], str]] = {
        "api": write_api,
        "cli": write_cli,
        "errors": write_errors,
        "configurations": write_configurations,
    }
    return writers[name]()


def write_api() -> str:
    """Write one mkdocstrings entry for each public name."""
    import broadsheet

    return "\n\n".join(f"::: broadsheet.{name}" for name in broadsheet.__all__)


def write_errors() -> str:
    """Write the tree of errors, and the docstring of each."""
    errors = importlib.import_module("broadsheet.errors")
    tree = "\n".join(line for line in (errors.__doc__ or "").splitlines() if re.match(r"[├└│]|BroadsheetError", line))
    rows = [(f"`{error.__name__}`", first_line(error)) for error in walk_errors(errors.BroadsheetError)]
    return f"```text\n{tree}\n```\n\n" + write_table(("error", "raised when"), rows)


def walk_errors(root: type[Exception]) -> Iterator[type[Exception]]:
    """Yield an error and the errors derived from it in `broadsheet.errors`, depth first."""
    yield root
    for error in root.__subclasses__():
        if error.__module__ == root.__module__:
            yield from walk_errors(error)


def write_configurations() -> str:
    """Write the configuration classes of all methods."""
    import broadsheet

    parts = []
    for name in broadsheet.methods():
        try:
            module = importlib.import_module(f"broadsheet.methods.{name}.config")
        except ModuleNotFoundError:
            continue
        for value in vars(module).values():
            if dataclasses.is_dataclass(value) and value.__module__ == module.__name__:
                parts.append(f"## {name}: `{value.__name__}`\n\n{inspect.getdoc(value)}\n\n{write_dataclass(value)}")
    return "\n\n".join(parts)


def write_dataclass(value: Any) -> str:
    """Write the fields of a dataclass, each with the comment beside it in the source."""
    comments = read_comments(value)
    rows = [
        (f"`{field.name}`", write_default(field), comments.get(field.name, "")) for field in dataclasses.fields(value)
    ]
    return write_table(("name", "default", "meaning"), rows)


def write_default(field: dataclasses.Field[Any]) -> str:
    """Write a field's default value."""
    if field.default is not dataclasses.MISSING:
        value = field.default
    elif field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    else:
        return "required"
    if isinstance(value, frozenset):
        return ", ".join(f"`{item!r}`" for item in sorted(value))
    return f"`{value!r}`" if len(repr(value)) < 60 else f"`{type(value).__name__}()`"


def read_comments(value: type) -> dict[str, str]:
    """Read the comments on the fields of a class: at the end of the line or on the lines above."""
    source = inspect.cleandoc("\n" + inspect.getsource(value))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    by_line = {token.start[0]: token.string.lstrip("# ").strip() for token in tokens if token.type == tokenize.COMMENT}
    comments = {}
    for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            comments[node.target.id] = " ".join(by_line[line] for line in lines if line in by_line)
    return comments


def write_fields() -> str | None:
    """Write the fields of an article, or return None where the code has no table of them."""
    try:
        fields = importlib.import_module("broadsheet.fields.table").FIELDS
    except (ModuleNotFoundError, AttributeError):
        return None
    rows = [(f"`{field.name}`", f"`{field.type}`", str(field.description)) for field in fields]
    return write_table(("field", "type", "meaning"), rows)


def write_cli() -> str:
    """Write every command with its arguments and options."""
    import typer.main
    from broadsheet.cli.app import build_app

    return "\n\n".join(write_command("broadsheet", typer.main.get_command(build_app())))


def write_command(path: str, command: Any) -> Iterator[str]:
    """Write a command, then its subcommands."""
    yield f"## `{path}` {{ #{path.replace(' ', '-')} }}"
    yield f"```text\n{path} {usage_of(command)}\n```"
    yield inspect.cleandoc(command.help or "")
    arguments = [row for row in map(write_parameter, command.params) if row]
    if arguments:
        yield write_table(("argument or option", "meaning"), arguments)
    if examples := re.search(r"\[bold\]Examples\[/bold\]\n(.*?)(?:\n\[bold\]|\Z)", command.epilog or "", re.DOTALL):
        yield f"```text\n{inspect.cleandoc(examples[1])}\n```"
    for name, child in getattr(command, "commands", {}).items():
        yield from write_command(f"{path} {name}", child)


def usage_of(command: Any) -> str:
    """Return the usage line of a command, without its name."""
    context = command.make_context("x", [], resilient_parsing=True)
    return " ".join(command.collect_usage_pieces(context))


def write_parameter(parameter: Any) -> tuple[str, str] | None:
    """Write one argument or option as a row of a table."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name}`", parameter.help or ""
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    value = "" if parameter.is_flag else f" `{parameter.metavar or parameter.type.name.upper()}`"
    return f"{names}{value}", " ".join((parameter.help or "").split())


def write_table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Write a Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def first_line(value: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(value) or "").partition("\n")[0]


def load_name(target: str) -> Any:
    """Load `module:name`."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)
