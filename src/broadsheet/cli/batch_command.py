"""`broadsheet batch`: files of pages in, Parquet parts out; each page exactly once."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import typer

from broadsheet.batch import BatchOptions, BatchRequest, BatchResult, Part, find_sources, run_batch
from broadsheet.batch.folder import Outcome
from broadsheet.batch.run import RunPlan
from broadsheet.cli.messages import complain, flatten
from broadsheet.cli.parameters import with_options
from broadsheet.option_field import REQUIRED, argument, option, split_names
from broadsheet.text import format_count

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet batch 'warc/*.warc.gz' -o out/                 all cores of this machine
  broadsheet batch 'warc/*.warc.gz' -o out/                 again: continue where it stopped
  broadsheet batch 'warc/*.warc.gz' -o out/ --retry-failed  repeat inputs with faults
  broadsheet batch 's3://bucket/*.warc.gz' -o s3://bucket/out --engine ray --address auto
  broadsheet batch warc/ -o out/ --plan                     pages, hours and bytes, before the run
  broadsheet batch warc/ -o out/ --host bbc.co.uk --language en --min-confidence 0.8

[bold]Exit codes[/bold]

  0  all inputs were read to their end; see the column status for pages that failed
  1  an input is damaged or could not be processed; the others were
  2  the command line is wrong, or the options differ from those of the output folder
"""


@dataclass(frozen=True, slots=True)
class BatchArguments:
    """The arguments of the command, beside the options of each unit of work."""

    inputs: tuple[str, ...] = argument(
        REQUIRED,
        "Files of pages (WARC, WACZ, JSON Lines, CSV, Parquet, ZIP, tar), patterns, folders; also s3://, gs://, az:// "
        "and addresses that fsspec opens.",
        metavar="INPUT",
    )
    output: str = option(
        REQUIRED, "Output folder, or s3://bucket/name. A second run continues.", "--output", "-o", metavar="DIR"
    )
    engine: str = option("local", "Processes of this machine, or a Ray cluster.", metavar="local|ray")
    address: str | None = option(None, "Address of a Ray cluster, or auto. Default: start Ray here.")
    workers: int | None = option(None, "Number of processes. Default: one per core.", "--workers", "-j", least=1)
    include: tuple[str, ...] = option(
        (), "More columns: markdown, html, body, blocks, minhash.", "--with", metavar="NAME,...", read=split_names
    )
    is_retrying: bool = option(False, "Process inputs with faults or failed pages again.", "--retry-failed")
    is_redo: bool = option(False, "Process all inputs again if the options differ from those of the folder.", "--redo")
    is_plan: bool = option(False, "Read a few pages, print an estimate of the whole run, and stop.", "--plan")
    is_quiet: bool = option(False, "No progress, notes or summary: errors only.", "--quiet", "-q")


@with_options
def batch_command(arguments: BatchArguments, options: BatchOptions) -> None:
    """Extract the pages of many files into Parquet parts, each page exactly once.

    One input file is one unit of work and gives one part. A run that was interrupted or killed is continued by the same
    command. The columns id, status, host, language, date and confidence are always written.
    """
    request = BatchRequest(
        sources=find_sources(arguments.inputs),
        output=arguments.output,
        options=replace(
            options,
            read=replace(options.read, limits=options.extract.limits),
            include=tuple(name for name in arguments.include if name != "minhash"),
            with_minhash="minhash" in arguments.include,
        ),
        engine=arguments.engine,
        workers=arguments.workers,
        address=arguments.address,
        is_retrying=arguments.is_retrying,
        is_redo=arguments.is_redo,
    )
    if arguments.is_plan:
        print_plan(request)
    elif not run_request(request, is_quiet=arguments.is_quiet):
        raise typer.Exit(1)


def run_request(request: BatchRequest, *, is_quiet: bool) -> bool:
    """Run a batch. Return whether all inputs were read to their end."""
    progress = _Progress(is_quiet=is_quiet)
    for problem in request.sources.problems if request.sources.sources else ():  # without any, run_batch raises
        complain(problem)
    result = run_batch(request, note=progress.note, start=progress.start)
    if not is_quiet:
        _summarize(request, result)
    return result.is_complete and not request.sources.problems


def print_plan(request: BatchRequest) -> None:
    """Print an estimate of a run."""
    from broadsheet.batch.estimate import describe_estimate, estimate_run

    print(describe_estimate(estimate_run(request.sources.sources, request.options)))


class _Progress:
    """One line for each input on stderr; with `is_quiet`, only for those with faults."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._total = 0
        self._count = 0

    def start(self, plan: RunPlan) -> None:
        """Say what is to be done."""
        self._total = len(plan.tasks)
        if plan.done and not self._is_quiet:
            self._say(f"{format_count(len(plan.done), 'input')} done; {self._total:,} to do")

    def note(self, outcome: Outcome) -> None:
        """Report an input."""
        self._count += 1
        if not isinstance(outcome, Part):
            complain(f"{outcome.source.name}: {outcome.reason}")
            return
        if outcome.fault:
            complain(f"{outcome.source}: {outcome.fault.removeprefix(f'{outcome.source}: ')}")
        if not self._is_quiet:
            rate = outcome.rows / max(outcome.seconds, 1e-3)
            place = f"[{self._count:,}/{self._total:,}]"
            self._say(f"{place} {outcome.source}: {format_count(outcome.rows, 'row')}, {rate:,.0f} per second")

    def _say(self, message: str) -> None:
        print(flatten(message), file=sys.stderr)


def _summarize(request: BatchRequest, result: BatchResult) -> None:
    statuses: dict[str, int] = {}
    for part in result.parts:
        for name, count in part.statuses.items():
            statuses[name] = statuses.get(name, 0) + count
    shown = ", ".join(f"{count:,} {name}" for name, count in sorted(statuses.items(), key=lambda item: -item[1]))
    rows, parts = format_count(sum(statuses.values()), "row"), format_count(len(result.parts), "part")
    print(
        f"{rows} in {parts} ({result.new:,} new): {shown or 'none'}; see {request.output.rstrip('/')}/report.html",
        file=sys.stderr,
    )
