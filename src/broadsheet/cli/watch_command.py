"""`broadsheet watch`: poll sites for new and changed articles."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import typer

from broadsheet.cli.messages import complain, flatten
from broadsheet.cli.parameters import with_options
from broadsheet.errors import UsageError
from broadsheet.option_field import REQUIRED, argument, option
from broadsheet.watch import PollReport, Watch, load_config, run_forever
from broadsheet.watch.config import read_duration

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet watch sites.toml                    every 15 minutes
  broadsheet watch sites.toml --once             once; exit code 3: an alarm
  broadsheet watch sites.toml --relearn courier  after a new layout

[bold]A configuration[/bold]

  output = "events.jsonl"
  webhook = "https://alerts.example/hook"

  \\[sites.courier]
  url = "https://courier.example/"
  silence = "12h"
"""
ALARM = 3  # exit code: an alarm is active
_STDOUT = "-"


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """The arguments of the command."""

    config: Path = argument(REQUIRED, "Configuration: sites.toml.", metavar="FILE")
    is_once: bool = option(False, "Poll once and exit.", "--once")
    every: str | None = option(None, 'Time between two polls, such as "15m".', metavar="TIME")
    output: Path | None = option(
        None, "Append events to this file, not to the configured one.", "--output", "-o", metavar="FILE"
    )
    relearn: tuple[str, ...] = option((), "Learn the template of a site again.", metavar="NAME")
    is_verbose: bool = option(False, "List the pages that could not be read.", "--verbose", "-v")
    is_quiet: bool = option(False, "No summaries: errors only.", "--quiet", "-q")


@with_options
def watch_command(request: WatchRequest) -> None:
    """Report new, changed and vanished articles of sites as JSON Lines, and raise alarms (extra discover)."""
    if code := watch_sites(request):
        raise typer.Exit(code)


def watch_sites(request: WatchRequest) -> int:
    """Poll the sites of a configuration. Return the exit code of `--once`; otherwise run until interrupted."""
    config = load_config(request.config)
    if request.output is not None:
        config = replace(config, output=None if str(request.output) == _STDOUT else request.output)
    every = _read_every(request.every) if request.every else config.every
    with Watch(config) as watch:
        for name in request.relearn:
            watch.relearn(name)
            if not request.is_quiet:
                print(flatten(f"{name}: the template is learned again from the next pages"), file=sys.stderr)
        if request.is_once:
            reports = watch.poll()
            _print_reports(reports, request)
            return ALARM if any(report.alarms for report in reports) else 0
        run_forever(watch, every.total_seconds(), lambda reports: _print_reports(reports, request))
    return 0


def _read_every(text: str) -> timedelta:
    try:
        every = read_duration(text)
        if not every:
            raise ValueError("must be longer than 0")
    except ValueError as error:
        raise UsageError(f"--every {text!r}: {error}") from error
    return every


def _print_reports(reports: list[PollReport], request: WatchRequest) -> None:
    for report in reports:
        for problem in report.undelivered:
            complain(problem)
        if request.is_verbose:
            for problem in report.problems:
                complain(f"{report.site}: {problem}")
        if not request.is_quiet:
            print(flatten(_describe(report)), file=sys.stderr, flush=True)


def _describe(report: PollReport) -> str:
    text = f"{report.site}: {report.new} new, {report.changed} changed, {report.vanished} vanished"
    if report.problems:
        text += f", {len(report.problems)} not read"
    return f"{text}; alarms: {', '.join(report.alarms)}" if report.alarms else text
