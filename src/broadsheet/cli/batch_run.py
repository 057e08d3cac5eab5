"""The work of `broadsheet batch`: run, progress and summary on stderr."""

from __future__ import annotations

import sys

from broadsheet.batch import BatchRequest, BatchResult, Part, run_batch
from broadsheet.batch.part import Outcome
from broadsheet.batch.plan import RunPlan
from broadsheet.cli.complain import complain, flatten
from broadsheet.cli.page_options import split_names
from broadsheet.errors import UsageError
from broadsheet.text import format_count

_STATUS_DIGITS = 3


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


def read_http_statuses(text: str) -> tuple[int, ...]:
    """Read the value of --http-status. Raises UsageError."""
    names = split_names(text)
    if not names or not all(name.isascii() and name.isdigit() and len(name) == _STATUS_DIGITS for name in names):
        raise UsageError(f"--http-status takes numbers such as 200,404, not {text!r}")
    return tuple(map(int, names))


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
