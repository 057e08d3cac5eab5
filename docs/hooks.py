"""mkdocs hooks: tables of the reference that are generated from the code.

A marker in a page is replaced before the page is rendered:

    <!-- api -->                         one mkdocstrings entry for each public name
    <!-- cli -->                         every command, argument and option
    <!-- options: batch:Filters -->      the options of a command below one heading of its help
    <!-- service options -->             the options of a request to the service
    <!-- errors -->                      the tree of errors
    <!-- dataclass: broadsheet:Limits --> the fields of a dataclass, with the comments beside them
    <!-- configurations -->              the configuration class of every method
    <!-- configuration: twcem -->        that of one method
    <!-- record -->                      the columns of the record: the fields of an article, and the others
    <!-- extra columns -->               the columns that --with adds
    <!-- statuses -->                    the statuses, with advice
    <!-- formats -->                     the output formats
    <!-- roles -->                       the roles of blocks that methods give
    <!-- markup -->                      the schema.org properties and TEI elements of the fields
    <!-- models -->                      the shipped weights
    <!-- training data -->               the datasets that the shipped weights were trained on, with their licences
    <!-- labels -->                      the fields of a labelled page
    <!-- peers -->                       other extractors, and how to install them
    <!-- extras -->                      the extras of the package

Tables of settings are also in the pages, for readers of the Markdown: below the marker, up to `<!-- end -->`.
`python docs/hooks.py PAGE ...` writes them again; a test says if one is not up to date.
"""

from __future__ import annotations

import ast
import dataclasses
import datetime
import enum
import importlib
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))  # this tree, not an installed version

MARKER = re.compile(
    r"<!-- (api|cli|errors|configurations|record|extra columns|statuses|formats|roles|markup|models|training data|"
    r"labels|peers|extras|service options|(?:dataclass|configuration|options): ([\w.:]+)) -->"
    r"(?P<written>\n\n(?:\|.*\n)*\n<!-- end -->)?"
)
MAX_VALUE_CHARS = 60


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the markers of a page."""
    return MARKER.sub(lambda match: write_part(match[1], match[2]), markdown)


def update_page(markdown: str) -> str:
    """Write the tables again that are in the page."""

    def write_below(match: re.Match[str]) -> str:
        marker = f"<!-- {match[1]} -->"
        return f"{marker}\n\n{write_part(match[1], match[2])}\n\n<!-- end -->" if match["written"] else match[0]

    return MARKER.sub(write_below, markdown)


def write_part(name: str, target: str | None) -> str:
    """Write the text that replaces a marker."""
    if name.startswith("configuration:"):
        return "\n\n".join(write_configuration(target or ""))
    if name.startswith("options:"):
        return write_panel(*(target or "").split(":"))
    if target:
        return write_dataclass(load_name(target))
    writers: dict[str, Callable[[], str]] = {
        "api": write_api,
        "cli": write_cli,
        "errors": write_errors,
        "configurations": write_configurations,
        "record": write_record,
        "extra columns": write_extra_columns,
        "statuses": write_statuses,
        "formats": write_formats,
        "roles": write_roles,
        "markup": write_markup,
        "models": write_models,
        "training data": write_training_data,
        "labels": write_labels,
        "peers": write_peers,
        "extras": write_extras,
        "service options": write_service_options,
    }
    return writers[name]()


def write_api() -> str:
    """Write one mkdocstrings entry for each public name, functions first; for data classes and enums, their values."""
    import broadsheet

    values = {name: getattr(broadsheet, name) for name in broadsheet.__all__}
    names = sorted(values, key=lambda name: (inspect.isclass(values[name]), name))
    return "\n\n".join(write_entry(values[name]) for name in names)


def write_entry(value: Any) -> str:
    """Write the mkdocstrings entry of a public name, and a table of its fields or members."""
    if inspect.ismodule(value):  # `methods` is a package that can be called
        value = getattr(value, value.__name__.rpartition(".")[2])
    entry = f"::: {value.__module__}.{value.__qualname__}"
    has_own_page = value.__name__ == "Article"
    if dataclasses.is_dataclass(value) and not has_own_page:
        return f"{entry}\n\n{write_dataclass(value)}"
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        comments = read_comments(value)
        rows = [
            (f"`{member.name}`", f"`{member.value}`", getattr(member, "meaning", comments.get(member.name, "")))
            for member in value
        ]
        return f"{entry}\n\n{write_table(('member', 'value', 'meaning'), rows)}"
    return entry


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

    return "\n\n".join(
        f"### {name}: `{config.__name__}`\n\n{table}"
        for name in broadsheet.methods()
        for config, table in zip(find_configs(name), write_configuration(name), strict=True)
    )


def write_configuration(method: str) -> list[str]:
    """Write the tables of the configuration classes of a method, with the shipped values."""
    from broadsheet.methods import load_method

    shipped = getattr(load_method(method), "config", None)
    return [write_dataclass(config, shipped) for config in find_configs(method)]


def find_configs(method: str) -> list[type]:
    """Find the configuration classes of a method: the dataclasses of its module `config`."""
    try:
        module = importlib.import_module(f"broadsheet.methods.{method}.config")
    except ModuleNotFoundError:
        return []
    values = [value for value in vars(module).values() if inspect.isclass(value) and dataclasses.is_dataclass(value)]
    return [value for value in values if value.__module__ == module.__name__]


def write_dataclass(value: Any, shipped: object = None) -> str:
    """Write the fields of a dataclass, each with its help and the comment beside it, and its value in an object."""
    comments = read_comments(value)
    fields = dataclasses.fields(value)
    meanings = [escape_text(describe_field(field, comments.get(field.name, ""))) for field in fields]
    if not isinstance(shipped, value):
        rows = [(f"`{field.name}`", write_default(field), text) for field, text in zip(fields, meanings, strict=True)]
        return write_table(("name", "default", "meaning"), rows)
    shipped_rows = [
        (f"`{field.name}`", write_default(field), write_value(getattr(shipped, field.name)), text)
        for field, text in zip(fields, meanings, strict=True)
    ]
    return write_table(("name", "default", "shipped", "meaning"), shipped_rows)


def describe_field(field: dataclasses.Field[Any], comment: str) -> str:
    """Return the help of an option, and the comment, which says what holds for programs only."""
    from broadsheet.option_field import find_option

    declared = find_option(field)
    if declared is None:
        return comment
    return f"{declared.help} ({comment.rstrip('.')})" if comment else declared.help


def write_default(field: dataclasses.Field[Any]) -> str:
    """Write a field's default value."""
    if field.default is not dataclasses.MISSING:
        return write_value(field.default)
    return write_value(field.default_factory()) if field.default_factory is not dataclasses.MISSING else "required"


def write_value(value: object) -> str:
    """Write a value as code; a long one by its type."""
    if isinstance(value, frozenset):
        return ", ".join(f"`{item!r}`" for item in sorted(value))
    if isinstance(value, datetime.timedelta):  # as in the configuration of a watch
        minutes = value.total_seconds() / 60
        return f'`"{minutes / 1440:g}d"`' if minutes >= 1440 else f'`"{minutes:g}m"`'
    return f"`{value!r}`" if len(repr(value)) < MAX_VALUE_CHARS else f"`{type(value).__name__}`"


def escape_text(text: str) -> str:
    """Escape what Markdown would read as HTML or emphasis, outside of code."""
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*").replace("|", "\\|") for part in parts[::2]]
    return "`".join(parts)


def read_comments(value: type) -> dict[str, str]:
    """Read the comments beside the fields or members of a class; above a member that has none beside it."""
    source = inspect.cleandoc("\n" + inspect.getsource(value))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    by_line = {token.start[0]: token.string.lstrip("# ").strip() for token in tokens if token.type == tokenize.COMMENT}
    comments = {}
    for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(targets[0], ast.Name):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            beside = [by_line[line] for line in lines if line in by_line]
            comments[targets[0].id] = " ".join(beside or read_above(by_line, node.lineno, source))
    return comments


def read_above(comments: dict[int, str], line: int, source: str) -> list[str]:
    """Return the lines of the comment directly above a line."""
    lines = source.splitlines()
    first = line
    while first - 1 in comments and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return [comments[number] for number in range(first, line)]


def write_record() -> str:
    """Write the columns of the record."""
    from broadsheet.output.record import RECORD

    return write_columns(RECORD)


def write_extra_columns() -> str:
    """Write the columns that a record has on demand."""
    from broadsheet.output.record import EXTRA_COLUMNS

    return write_columns(EXTRA_COLUMNS)


def write_columns(columns: Sequence[Any]) -> str:
    """Write a table of columns."""
    rows = [(f"`{column.name}`", escape_text(column.type), escape_text(column.description)) for column in columns]
    return write_table(("key", "type", "meaning"), rows)


def write_statuses() -> str:
    """Write the statuses."""
    from broadsheet import Status

    rows = [(f"`{status.value}`", status.meaning, status.advice) for status in Status]
    return write_table(("status", "meaning", "advice"), rows)


def write_formats() -> str:
    """Write the output formats."""
    from broadsheet.output import FORMATS, TABLES

    formats: list[Any] = [*FORMATS.values(), *TABLES.values()]
    rows = [(f"`{row.name}`", f"`{row.ending}`", f"`{row.media_type}`", row.description) for row in formats]
    return write_table(("format", "file ending", "media type", "content"), rows)


def write_markup() -> str:
    """Write the schema.org properties and TEI elements of the fields."""
    from broadsheet.fields import describe_fields

    rows = [(f"`{row.name}`", row.schema_org, row.tei) for row in describe_fields() if row.schema_org or row.tei]
    return write_table(("field", "schema.org", "TEI header"), rows)


def write_models() -> str:
    """Write the shipped weights."""
    from broadsheet.models.weights import list_shipped

    rows = [(f"`{card.model}`", card.date, f"{card.pages:,}", f"`{card.command}`") for card in list_shipped()]
    return write_table(("model", "trained", "pages", "command"), rows)


def write_training_data() -> str:
    """Write the datasets of the shipped weights, with licences and the models that use them."""
    from broadsheet.models.weights import list_shipped

    models: dict[tuple[str, str], list[str]] = {}
    for card in list_shipped():
        for row in card.data:
            models.setdefault((row.name, row.licence), []).append(f"`{card.model}`")
    rows = [(name, licence, ", ".join(names)) for (name, licence), names in sorted(models.items())]
    return write_table(("dataset", "licence stated by the origin", "models"), rows)


def write_roles() -> str:
    """Write the roles that methods give to blocks."""
    from broadsheet.blocks.roles import ROLE_INFOS, Role

    infos = [ROLE_INFOS[role] for role in Role]
    rows = [(f"**`{info.name}`**" if info.is_content else f"`{info.name}`", info.meaning) for info in infos]
    return write_table(("role", "meaning"), rows)


def write_labels() -> str:
    """Write the fields of a labelled page, by their names in JSON."""
    from broadsheet.corpora.record import Record

    comments = read_comments(Record)
    types = {"str": "string", "tuple": "list of strings", "int": "number", "float": "number"}
    rows = [
        (f"`{field.name.rstrip('_')}`", types[re.split(r"\W", str(field.type))[0]], escape_text(comments[field.name]))
        for field in dataclasses.fields(Record)
    ]
    return write_table(("field", "type", "meaning"), rows)


def write_peers() -> str:
    """Write the peers with the fields that they extract."""
    from broadsheet.evaluation.peers import MODERN, PEERS

    commands = {
        None: "`pip install 'broadsheet[eval]'`",
        MODERN: "`broadsheet eval --setup-peers` (Python 3.12 or newer)",
    }
    ours = {"turbohtml": "Broadsheet itself"}
    others = "`broadsheet eval --setup-peers`"
    rows = [
        (name, ", ".join(sorted(peer.fields)), ours.get(name) or commands.get(peer.environment, others))
        for name, peer in PEERS.items()
    ]
    return write_table(("peer", "fields", "installed by"), rows)


def write_extras() -> str:
    """Write the extras, each with the comment beside or above it in pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    part = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    rows = re.findall(r"((?:^#.*\n)*)^([\w-]+) = \[(?:.*\](?:  # (.*))?$|$)", part, re.MULTILINE)
    table = [
        (f"`{name}`", escape_text(beside or above.replace("# ", "").replace("\n", " "))) for above, name, beside in rows
    ]
    return write_table(("extra", "adds"), table)


def write_service_options() -> str:
    """Write the options of a request to the service."""
    from broadsheet.server.requests import Options

    rows = [(f"`{name}`", escape_text(field.description or "")) for name, field in Options.model_fields.items()]
    return write_table(("option", "meaning"), rows)


def write_cli() -> str:
    """Write every command with its arguments and options."""
    return "\n\n".join(write_command("broadsheet", load_command()))


def write_panel(command: str, heading: str) -> str:
    """Write the options of a command that its help shows below a heading."""
    parameters = load_command().commands[command].params
    rows = [write_parameter(row) for row in parameters if getattr(row, "rich_help_panel", None) == heading]
    return write_table(("option", "meaning"), [row for row in rows if row])


def load_command() -> Any:
    """Load the command line."""
    import typer.main

    from broadsheet.cli.app import build_app

    return typer.main.get_command(build_app())


def write_command(path: str, command: Any) -> Iterator[str]:
    """Write a command, then its subcommands."""
    yield f"## `{path}` {{ #{path.replace(' ', '-')} }}"
    yield f"```text\n{path} {usage_of(command)}\n```"
    yield escape_text(inspect.cleandoc(command.help or "").replace("\\[", "["))  # escaped for the terminal
    arguments = [row for row in map(write_parameter, command.params) if row]
    if arguments:
        yield write_table(("argument or option", "meaning"), arguments)
    if examples := re.search(r"\[bold\]Examples\[/bold\]\n\n(.*?)(?:\n\n|\Z)", command.epilog or "", re.DOTALL):
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
        return f"`{parameter.metavar or parameter.name}`", escape_text(parameter.help or "")
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    value = "" if parameter.is_flag else f" `{parameter.metavar or name_value(parameter)}`"
    return f"{names}{value}", escape_text(" ".join((parameter.help or "").split()))


def name_value(parameter: Any) -> str:
    """Name the value of an option that has no name for it."""
    if descriptor := getattr(parameter, "type_descriptor", None):  # typer 0.20 and newer
        kind = getattr(descriptor.annotation, "__name__", "")
    else:
        kind = parameter.type.name
    return "N" if kind.startswith(("int", "float")) else "TEXT"


def write_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Write a Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def first_line(value: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(value) or "").partition("\n")[0]


def load_name(target: str) -> Any:
    """Load `module:name`."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(update_page(page.read_text("utf-8")), "utf-8")
