"""`broadsheet eval`: which method is better, on what, and why."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from broadsheet.evaluation.results import Results

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet eval pages.jsonl.xz                                      the default method on labelled pages
  broadsheet eval pages/ --peers trafilatura,resiliparse              beside others
  broadsheet eval a.jsonl.xz b.jsonl.xz --peers all --report out/     with a report to look at: out/report.html
  broadsheet eval pages.jsonl.xz --json | jq '.methods[].figures'     for programs
  broadsheet eval --setup-peers                                       environments for peers that need their own

Labelled pages: JSON lines (.jsonl, .gz, .xz), a folder of html/ and txt/, CleanEval, article-extraction-benchmark,
WCXB, or dragnet. docs/evaluation.md tells the fields and the measures.
"""


def eval_command(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Files or folders of labelled pages.", show_default=False),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods", "-m", metavar="A,B", help="Methods of Broadsheet; the default one.", show_default=False
        ),
    ] = None,
    peers: Annotated[
        str | None,
        typer.Option("--peers", "-p", metavar="A,B|all", help="Other extractors to compare with.", show_default=False),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="DIR", help="Write report.html and report.json there.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=1, help="Only the first N pages of each file.", show_default=False),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", "-j", min=1, help="Processes; all cores.", show_default=False)
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="Where answers are kept; the user's cache.", show_default=False),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Run everything anew, all methods side by side: for timing.")
    ] = False,
    setup_peers: Annotated[
        bool, typer.Option("--setup-peers", help="First make the environments of peers that need their own.")
    ] = False,
) -> None:
    """Compare methods and other extractors on labelled pages.

    A second run takes what it can from the cache. Intervals are 95 % bootstrap intervals over pages, and differences
    are tested, so that noise is not called progress.
    """
    from broadsheet.errors import UsageError

    if setup_peers:
        from broadsheet.evaluation.peers import make_homes

        make_homes(lambda line: print(line, file=sys.stderr))
        if not files:
            return
    if not files:
        raise UsageError("no labelled pages were given; write: broadsheet eval FILE... (see broadsheet eval --help)")
    if report is not None and report.exists() and not report.is_dir():
        raise UsageError(f"--report is a folder, and {report} is a file; name another")
    folder = None if no_cache else _check_cache(cache or _default_cache())
    run_eval(
        files,
        _split(methods),
        _split(peers),
        folder=folder,
        report=report,
        limit=limit,
        workers=workers,
        as_json=as_json,
    )


def run_eval(
    files: list[Path],
    methods: list[str] | None,
    peers: list[str] | None,
    *,
    folder: Path | None,
    report: Path | None,
    limit: int | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Run, print, and write the report."""
    from rich.console import Console

    from broadsheet.evaluation.contenders import find_contenders
    from broadsheet.evaluation.peers import PEERS
    from broadsheet.evaluation.report.as_json import write_json
    from broadsheet.evaluation.report.as_terminal import print_report
    from broadsheet.evaluation.report.digest import digest_results
    from broadsheet.evaluation.report.write import write_report
    from broadsheet.evaluation.runner import RunOptions, run_evaluation
    from broadsheet.evaluation.store import open_store
    from broadsheet.methods import DEFAULT_METHOD

    lineup = find_contenders(methods or [DEFAULT_METHOD], list(PEERS) if peers == ["all"] else peers or [])
    for line in lineup.missing:
        print(f"broadsheet: {line}", file=sys.stderr)
    with open_store(folder) as store:
        with _show_progress(files, limit) as on_page:
            results = run_evaluation(files, lineup, store, RunOptions(limit, workers), on_page)
        for line in results.missing[len(lineup.missing) :]:
            print(f"broadsheet: {line}", file=sys.stderr)
        _check_results(results)
        digest = digest_results(results)
        if report is not None:
            place = write_report(report, digest, results, store, files, limit)
            print(f"broadsheet: wrote {place}", file=sys.stderr)
    if as_json:
        sys.stdout.write(write_json(digest, results))
    else:
        # In a pipe there is no width to keep to.
        print_report(digest, Console() if sys.stdout.isatty() else Console(width=180))


def _check_results(results: Results) -> None:
    from broadsheet.errors import UsageError

    if not results.pages:
        raise UsageError("there are no pages in these files; docs/evaluation.md tells what a record needs")
    if not any(row.columns for page in results.pages for row in page.rows.values()):
        print("broadsheet: none of these pages has a label, so that only times were measured", file=sys.stderr)


def _default_cache() -> Path:
    from broadsheet.evaluation.cache_folder import find_cache_folder

    return find_cache_folder() / "eval"


def _check_cache(folder: Path) -> Path | None:
    """Do without a cache where there can be none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
        reason = "permission denied"
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    print(f"broadsheet: no cache in {folder}: {reason}; going on without (--cache DIR names another)", file=sys.stderr)
    return None


def _split(names: str | None) -> list[str] | None:
    if names is None:
        return None
    return [name.strip() for name in names.split(",") if name.strip()]


@contextmanager
def _show_progress(files: list[Path], limit: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on stderr, where that is a terminal."""
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
