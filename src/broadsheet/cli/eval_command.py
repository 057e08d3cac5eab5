"""`broadsheet eval`: compare methods and peers on labelled pages."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from broadsheet.cli.parameters import with_options
from broadsheet.errors import UsageError
from broadsheet.option_field import argument, option, split_names

if TYPE_CHECKING:
    from broadsheet.evaluation.contenders import Lineup
    from broadsheet.evaluation.figures import Results

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet eval pages.jsonl.xz                                      the default method on labelled pages
  broadsheet eval pages/ --peers trafilatura,resiliparse              compare it with other extractors
  broadsheet eval a.jsonl.xz b.jsonl.xz --peers all --report out/     write a report: out/report.html
  broadsheet eval pages/ --weights weights/semtext                    compare your own weights with the shipped ones
  broadsheet eval pages.jsonl.xz --json | jq '.methods[].figures'     print JSON for programs
  broadsheet eval --setup-peers                                       create environments for peers that need one

Labelled pages: JSON Lines (.jsonl, .gz, .xz), a folder with html/ and txt/, CleanEval, article-extraction-benchmark,
WCXB, or dragnet. docs/reference/labelled-pages.md describes them, docs/explanation/evaluation.md the measures.
"""


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """The options of one evaluation."""

    files: tuple[Path, ...] = argument((), "Files or folders of labelled pages.", metavar="[FILE]...")
    methods: tuple[str, ...] = option(  # or those of the weights
        (),
        "Methods to compare. Default: the default method.",
        "--methods",
        "-m",
        metavar="A,B",
        read=split_names,
    )
    peers: tuple[str, ...] = option(
        (), "Other extractors to compare with.", "--peers", "-p", metavar="A,B|all", read=split_names
    )
    weights: tuple[Path, ...] = option(  # each is a contender
        (),
        "Your own weights, compared with --methods, or with the shipped weights. Can be repeated.",
        metavar="DIR",
    )
    report: Path | None = option(None, "Write report.html and report.json to this folder.", metavar="DIR")
    as_json: bool = option(False, "Print JSON instead of a table.", "--json")
    limit: int | None = option(None, "Only the first N pages of each file.", "--limit", "-n", least=1)
    workers: int | None = option(None, "Number of processes. Default: one per core.", "--workers", "-j", least=1)
    cache: Path | None = option(None, "Folder of cached outputs. Default: in the user's cache folder.", metavar="DIR")
    has_cache: bool = option(
        True,
        "Use cached outputs.",
        "--no-cache",
        turn_off="Do not use cached outputs; needed to compare times.",
    )
    sets_up_peers: bool = option(False, "First create the environments of peers that need one.", "--setup-peers")


@with_options
def eval_command(request: EvalRequest) -> None:
    """Compare methods and other extractors on labelled pages.

    A second run reuses cached outputs. The table shows 95 % bootstrap intervals over pages and tests whether
    differences are significant.
    """
    if request.sets_up_peers:
        from broadsheet.evaluation.peers import create_environments

        create_environments(lambda line: print(line, file=sys.stderr))
        if not request.files:
            return
    if not request.files:
        raise UsageError("no labelled pages were given; write: broadsheet eval FILE... (see broadsheet eval --help)")
    if request.report is not None and request.report.exists() and not request.report.is_dir():
        raise UsageError(f"--report must be a folder, but {request.report} is a file")
    cache = _check_cache(request.cache or _find_default_cache()) if request.has_cache else None
    files = tuple(dict.fromkeys(request.files))  # a file that is named twice counts once
    run_eval(replace(request, files=files, cache=cache))


def run_eval(request: EvalRequest) -> None:
    """Run the evaluation, write the report, and print the table or JSON."""
    from rich.console import Console

    from broadsheet.corpora import describe_skipped
    from broadsheet.evaluation.report.summary import summarise_results
    from broadsheet.evaluation.report.write import print_report, write_json, write_report
    from broadsheet.evaluation.runner import RunOptions, run_evaluation
    from broadsheet.evaluation.store import open_store

    lineup = _find_lineup(request)
    _print_messages(lineup.missing)
    _print_messages(line for file in request.files for line in describe_skipped(file))
    with open_store(request.cache) as store:
        with _show_progress(request.files, request.limit) as on_page:
            results = run_evaluation(request.files, lineup, store, RunOptions(request.limit, request.workers), on_page)
        _print_messages(results.missing[len(lineup.missing) :])
        _check_results(results)
        summary = summarise_results(results)
        if request.report is not None:
            path = write_report(request.report, summary, results, store)
            _print_messages([f"wrote {path}"])
    if request.as_json:
        sys.stdout.write(write_json(summary, results))
    else:
        # A pipe has no width, so all columns are printed.
        print_report(summary, Console() if sys.stdout.isatty() else Console(width=180))


def _find_lineup(request: EvalRequest) -> Lineup:
    from broadsheet.evaluation.contenders import find_contenders
    from broadsheet.evaluation.peers import PEERS
    from broadsheet.methods import DEFAULT_METHOD

    peers = tuple(PEERS) if request.peers == ("all",) else request.peers
    return find_contenders(request.methods or (() if request.weights else (DEFAULT_METHOD,)), peers, request.weights)


def _print_messages(messages: Iterable[str]) -> None:
    for message in messages:
        print(f"broadsheet: {message}", file=sys.stderr)


def _check_results(results: Results) -> None:
    if not results.pages:
        raise UsageError("these files contain no pages; docs/reference/labelled-pages.md describes the formats")
    if not any(outcome.columns for page in results.pages for outcome in page.outcomes.values()):
        _print_messages(["no page has labels, so only times were measured"])


def _find_default_cache() -> Path:
    from broadsheet.evaluation.peers import find_cache_folder

    return find_cache_folder() / "eval"


def _check_cache(folder: Path) -> Path | None:
    """Create the folder of the cache. Return None, with a message, if it cannot be used."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
        reason = "permission denied"
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    _print_messages([f"cannot use {folder} as cache: {reason}; continuing without (--cache DIR names another folder)"])
    return None


@contextmanager
def _show_progress(files: Sequence[Path], limit: int | None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on stderr if it is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from broadsheet.corpora import count_records

    if not sys.stderr.isatty():
        yield lambda _: None
        return
    total = sum(min(count_records(file), limit or sys.maxsize) for file in files)
    columns = (TextColumn("pages"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("pages", total=total)
        yield lambda count: progress.update(task, completed=count)
