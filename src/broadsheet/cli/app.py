"""The table of commands, and the place where every error becomes one line and an exit code."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from broadsheet.cli.commands import PlainCommand, PlainGroup
from broadsheet.cli.complain import complain, suggest
from broadsheet.cli.version_text import describe_version
from broadsheet.errors import BroadsheetError, UsageError

# name -> module. The module defines the function <name>_command or the group <name>_app, and optionally EXAMPLES. It
# imports nothing heavy at its top, so that `broadsheet --help` is fast.
COMMANDS = {
    "extract": "broadsheet.cli.extract_command",
    "discover": "broadsheet.cli.discover_command",
    "watch": "broadsheet.cli.watch_command",
    "batch": "broadsheet.cli.batch_command",
    "duplicates": "broadsheet.cli.duplicates_command",
    "methods": "broadsheet.cli.methods_command",
    "site": "broadsheet.cli.site_command",
    "serve": "broadsheet.cli.serve_command",
    "mcp": "broadsheet.cli.mcp_command",
    "desk": "broadsheet.cli.desk_command",
    "report": "broadsheet.cli.report_command",
    "publish": "broadsheet.cli.publish_command",
    "eval": "broadsheet.cli.eval_command",
    "train": "broadsheet.cli.train_command",
    "project": "broadsheet.cli.project_command",
    "models": "broadsheet.cli.models_command",
}

SOME_FAILED = 1
BAD_USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count
READER_GONE = 141  # 128 + SIGPIPE

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet extract page.html                  the text of a page
  broadsheet extract https://example.org/story  fetch it first
  broadsheet extract pages/ -o articles.csv     a folder of pages, on all cores
  broadsheet extract page.html --explain        the role of every block
  broadsheet site learn pages/ -o site.json     learn the template of a site
"""

_COMPLETION_VARIABLE = "_BROADSHEET_COMPLETE"  # set by the script that Typer installs

# The root of usage errors. Newer versions of Typer contain a copy of Click; older ones use Click itself.
_ClickError: Any = typer.BadParameter.__mro__[2]
_UNKNOWN_COMMAND = re.compile(r"""No such command (['"])(.*?)\1(?:[.]|$)""", re.DOTALL)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code. No error of Broadsheet or of the system is raised."""
    try:
        code = build_app(choose_commands(arguments))(
            args=list(arguments) or ["--help"], prog_name="broadsheet", standalone_mode=False
        )
        sys.stdout.flush()
    except _ClickError as error:
        return complain(_rephrase(error, arguments), BAD_USAGE)
    except UsageError as error:
        return complain(str(error), BAD_USAGE)
    except BrokenPipeError:
        code = _close_stdout()
    except (BroadsheetError, OSError) as error:
        return complain(_describe(error), SOME_FAILED)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as ending:  # Typer turns a broken pipe into this
        code = _close_stdout() if isinstance(ending.__context__, BrokenPipeError) else ending.code
    if code == INTERRUPTED:
        return complain("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def choose_commands(arguments: Sequence[str]) -> Sequence[str]:
    """Return the command of a command line; all commands for the help, a misspelled command, and shell completion."""
    name = arguments[0] if arguments else ""
    return [name] if name in COMMANDS and _COMPLETION_VARIABLE not in os.environ else list(COMMANDS)


def build_app(names: Sequence[str] = tuple(COMMANDS)) -> typer.Typer:
    """Build the Typer application from the table of commands. Importing one command is faster than importing all."""
    app = typer.Typer(
        cls=PlainGroup,
        add_completion=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog=EXAMPLES)(_describe_program)
    for name in names:
        module = import_module(COMMANDS[name])
        examples = getattr(module, "EXAMPLES", None)
        if group := getattr(module, f"{name}_app", None):
            app.add_typer(group, name=name, epilog=examples)
        else:
            app.command(name, cls=PlainCommand, epilog=examples)(getattr(module, f"{name}_command"))
    return app


def _print_version(is_requested: bool) -> None:
    if is_requested:
        print(describe_version())
        raise typer.Exit


def _describe_program(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Extract articles from news pages: title, authors, dates, clean text with its structure."""


def _rephrase(error: Any, arguments: Sequence[str]) -> str:
    """Rewrite a message of Click as "what failed; what to do"."""
    message = " ".join(error.format_message().split()).rstrip(".") or "a command is missing"
    if match := _UNKNOWN_COMMAND.match(message):
        return _describe_missing_command(match[2], getattr(error, "ctx", None))
    if possible := getattr(error, "possibilities", None):
        closest = difflib.get_close_matches(error.option_name, possible, n=1, cutoff=0)[0]
        return f"no such option: {error.option_name}; did you mean {closest}?"
    # Where Click does not name the command, it is the first one among the arguments.
    context = getattr(error, "ctx", None)
    command = next((argument for argument in arguments if argument in COMMANDS), "")
    path = context.command_path if context else f"broadsheet {command}".rstrip()
    return f"{message[:1].lower()}{message[1:]}; see {path} --help"


def _describe_missing_command(name: str, context: Any) -> str:
    """Describe an unknown command of the program, or of a group such as `broadsheet site`."""
    from broadsheet.web import is_address

    if context is not None and context.parent is not None:
        return suggest("command", name, context.command.list_commands(context))
    if is_address(name) or Path(name).exists():
        return f"no command was given; write: broadsheet extract {name}"
    return suggest("command", name, COMMANDS)


def _describe(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _close_stdout() -> int:
    """Redirect stdout to the null device, so that buffered output is not flushed into the broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return READER_GONE
