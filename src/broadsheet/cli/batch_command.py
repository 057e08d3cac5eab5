"""`broadsheet batch`: files of pages in, Parquet parts out; each page exactly once."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace

import typer

from broadsheet.batch import BatchOptions, BatchRequest, BatchResult, Part, find_sources, run_batch
from broadsheet.batch.folder import REPORTS, Outcome
from broadsheet.batch.run import RunPlan
from broadsheet.cli.messages import complain, flatten
from broadsheet.cli.parameters import with_options
from broadsheet.option_field import REQUIRED, argument, option, split_names
from broadsheet.text import format_count

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet batch 'warc/*.warc.gz' -o out/                 all cores of this machine
  broadsheet batch 'warc/*.warc.gz' -o out/                 again: continue where it stopped
  broadsheet batch 'warc/*.warc.gz' -o out/ --retry-failed  repeat inputs with pages that ran out of time or memory
  broadsheet batch 's3://bucket/*.warc.gz' -o s3://bucket/out --engine ray --address auto
  broadsheet batch warc/ -o out/ --plan                     pages, hours and bytes, before the run
  broadsheet batch warc/ -o out/ --host bbc.co.uk --language en --min-confidence 0.8

[bold]Exit codes[/bold]

  0  all inputs were read to their end; see the column status for pages that failed
  1  an input is damaged, could not be processed, or was left out; the others were processed
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
    archives: str = option(
        "",
        "Folder or address of the archives that an index names, such as s3://commoncrawl. The inputs are indexes then: "
        "CDX, CDXJ, or Common Crawl's Parquet files; only the records that pass the filters are read.",
        metavar="DIR",
    )
    workers: int | None = option(None, "Number of processes. Default: one per core.", "--workers", "-j", least=1)
    include: tuple[str, ...] = option(
        (),
        "More columns: markdown, html, body, blocks, measures, minhash.",
        "--with",
        metavar="NAME,...",
        read=split_names,
    )
    is_retrying: bool = option(
        False, "Process inputs again in which pages failed for a reason that can pass: time, memory.", "--retry-failed"
    )
    is_redo: bool = option(False, "Process all inputs again if the options differ from those of the folder.", "--redo")
    is_pruning: bool = option(False, "Remove the parts of inputs that are not given, or renamed.", "--prune")
    is_plan: bool = option(False, "Read a few pages, print an estimate of the whole run, and stop.", "--plan")
    core_price: float = option(0.0, "Price of a core for an hour: the progress shows what the rest will cost.")
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
        archives=arguments.archives,
        is_retrying=arguments.is_retrying,
        is_redo=arguments.is_redo,
        is_pruning=arguments.is_pruning,
    )
    if arguments.is_plan:
        print_plan(request)
    elif not run_request(request, is_quiet=arguments.is_quiet, core_price=arguments.core_price):
        raise typer.Exit(1)


def run_request(request: BatchRequest, *, is_quiet: bool, core_price: float = 0.0) -> bool:
    """Run a batch. Return whether all inputs were read to their end."""
    progress = _Progress(is_quiet=is_quiet, core_price=core_price)
    for problem in request.sources.problems if request.sources.sources else ():  # without any, run_batch raises
        complain(problem)
    result = run_batch(request, note=progress.note, start=progress.start)
    if not is_quiet:
        _summarize(request, result)
    return result.is_complete and not request.sources.problems


def print_plan(request: BatchRequest) -> None:
    """Print an estimate of a run."""
    from broadsheet.batch.estimate import describe_estimate, estimate_run
    from broadsheet.batch.selection import expand_sources

    listed = expand_sources(request.sources, replace(request.options, piece_mb=0), request.archives)
    print(describe_estimate(estimate_run(listed.sources, request.options)))


class _Progress:
    """On a terminal one line that is rewritten, elsewhere a line for each input. Quiet: only faults."""

    def __init__(self, *, is_quiet: bool, core_price: float) -> None:
        self._is_quiet = is_quiet
        self._is_live = sys.stderr.isatty() and not is_quiet
        self._core_price = core_price
        self._total = self._count = self._rows = self._faults = 0
        self._bytes = self._total_bytes = 0
        self._cpu_seconds = 0.0
        self._began = time.monotonic()

    def start(self, plan: RunPlan) -> None:
        """Say what is to be done."""
        self._total, self._total_bytes = len(plan.tasks), sum(source.size for source in plan.tasks)
        self._began = time.monotonic()
        if plan.done and not self._is_quiet:
            self._say(f"{format_count(len(plan.done), 'input')} done; {self._total:,} to do")

    def note(self, outcome: Outcome) -> None:
        """Report an input."""
        self._count += 1
        if not isinstance(outcome, Part):
            self._faults += 1
            self._complain(f"{outcome.source.name}: {outcome.reason}")
            return
        self._rows += outcome.rows
        self._bytes += outcome.input_bytes
        self._cpu_seconds += outcome.cpu_seconds
        if outcome.fault:
            self._faults += 1
            self._complain(f"{outcome.source}: {outcome.fault.removeprefix(f'{outcome.source}: ')}")
        if self._is_live:
            end = "\n" if self._count == self._total else ""
            print(f"\r\033[K{self.describe()}", end=end, file=sys.stderr, flush=True)
        elif not self._is_quiet:
            rate = outcome.rows / max(outcome.seconds, 1e-3)
            place = f"[{self._count:,}/{self._total:,}]"
            self._say(f"{place} {outcome.source}: {format_count(outcome.rows, 'row')}, {rate:,.0f} per second")

    def describe(self) -> str:
        """Return the state of the run: pages, rate, share, time and money that are left, faults."""
        seconds = max(time.monotonic() - self._began, 1e-3)
        share = self._bytes / self._total_bytes if self._total_bytes else self._count / max(self._total, 1)
        rest = (1 - share) / share if share else 0.0
        items = [
            f"{self._count:,}/{self._total:,} inputs",
            f"{self._rows:,} pages",
            f"{self._rows / seconds:,.0f} per second",
            f"{share:.0%}",
            f"{seconds * rest / 3600:.1f} hours left",
        ]
        if self._core_price:
            items.append(f"{self._cpu_seconds * rest / 3600 * self._core_price:,.2f} left to pay")
        return ", ".join([*items, format_count(self._faults, "fault")])

    def _complain(self, message: str) -> None:
        if self._is_live:
            print("\r\033[K", end="", file=sys.stderr)
        complain(message)

    def _say(self, message: str) -> None:
        print(flatten(message), file=sys.stderr)


def _summarize(request: BatchRequest, result: BatchResult) -> None:
    statuses: dict[str, int] = {}
    for part in result.parts:
        for name, count in part.statuses.items():
            statuses[name] = statuses.get(name, 0) + count
    shown = ", ".join(f"{count:,} {name}" for name, count in sorted(statuses.items(), key=lambda item: -item[1]))
    rows, parts = format_count(sum(statuses.values()), "row"), format_count(len(result.parts), "part")
    if result.others:
        more, names = format_count(len(result.others), "part"), ", ".join(part.source for part in result.others[:3])
        print(flatten(f"{more} more of inputs that were not given ({names}); --prune removes them"), file=sys.stderr)
    place = f"{request.output.rstrip('/')}/{REPORTS}/report.html"
    print(f"{rows} in {parts} ({result.new:,} new): {shown or 'none'}; see {place}", file=sys.stderr)
