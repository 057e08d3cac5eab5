"""The table of commands, and the place where every error becomes one line and an exit code."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from broadsheet.cli import describe_version
from broadsheet.cli.messages import complain, suggest
from broadsheet.cli.parameters import PlainCommand, PlainGroup
from broadsheet.errors import BroadsheetError, UsageError

# name -> (module, summary). The module defines the function <name>_command or the group <name>_app, and optionally
# EXAMPLES. It is imported for its command only: the help of the program needs the summaries alone. The summary is the
# first line of the docstring of the function, which a test checks.
COMMANDS = {
    "extract": ("extract_command", "Extract the articles of pages."),
    "discover": (
        "discover_command",
        "Find the articles of a site in its feeds, sitemaps, home and section pages (extra discover).",
    ),
    "watch": (
        "watch_command",
        "Report new, changed and vanished articles of sites as JSON Lines, and raise alarms (extra discover).",
    ),
    "batch": ("batch_command", "Extract the pages of many files into Parquet parts, each page exactly once."),
    "duplicates": ("collection_commands", "Find rows of a batch with equal or nearly equal texts."),
    "compact": ("collection_commands", "Write the rows of a batch as a table of large files, by partitions."),
    "methods": (
        "model_commands",
        "List the methods with a one-line description, the default first, those as published last.",
    ),
    "site": (
        "site_command",
        "Learn the template of a site: text that repeats across its pages is not part of any article.",
    ),
    "serve": (
        "service_commands",
        r"Serve extraction over HTTP, for programs (needs the extra: pip install 'broadsheet\[server]').",
    ),
    "mcp": (
        "service_commands",
        "Serve the tools extract, discover and compare to a language model, on stdin and stdout (extra mcp).",
    ),
    "desk": ("service_commands", "Open the desk in the browser: see, compare and correct extractions."),
    "convert": ("collection_commands", "Convert the records of articles to another format, all of them or some."),
    "report": (
        "collection_commands",
        "Review a collection: pages by status, confidence, doubtful pages first, health of each site.",
    ),
    "publish": (
        "collection_commands",
        "Publish a collection as an EPUB book, a printable HTML file or Markdown, without images.",
    ),
    "eval": ("eval_command", "Compare methods and other extractors on labelled pages."),
    "train": ("train_command", "Train a model on labelled pages and write its weights."),
    "project": (
        "project_command",
        "Correct pages of your sites and learn from them. The desk does the same in the browser.",
    ),
    "models": ("model_commands", "List weights with their training data and quality, or show the cards of some."),
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

_COMPLETION_VARIABLE = "_BROADSHEET_COMPLETE"  # set by the scripts that Typer installs
_COMPLETED_WORDS = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")  # the command line: of bash; of zsh, fish and PowerShell

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
    """Return the commands whose modules a command line needs: the first argument, or those that the shell completes."""
    words = list(arguments[:1])
    if _COMPLETION_VARIABLE in os.environ:
        words = " ".join(os.environ.get(name, "") for name in _COMPLETED_WORDS).split()
    return [name for name in COMMANDS if name in words]


def build_app(names: Sequence[str] = tuple(COMMANDS)) -> typer.Typer:
    """Build the Typer application from the table of commands. Only the modules of `names` are imported."""
    app = typer.Typer(
        cls=PlainGroup,
        add_completion=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog=EXAMPLES)(_describe_program)
    for name, (module, summary) in COMMANDS.items():
        if name in names:
            _add_command(app, name, import_module(f"broadsheet.cli.{module}"))
        else:
            app.command(name, cls=PlainCommand, help=summary)(_do_nothing)
    return app


def _add_command(app: typer.Typer, name: str, module: ModuleType) -> None:
    examples = getattr(module, "EXAMPLES", None) or getattr(module, f"{name.upper()}_EXAMPLES", None)
    if group := getattr(module, f"{name}_app", None):
        app.add_typer(group, name=name, epilog=examples)
    else:
        app.command(name, cls=PlainCommand, epilog=examples)(getattr(module, f"{name}_command"))


def _do_nothing() -> None:
    """Stand for a command in the help of the program."""


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
