"""`broadsheet discover`: the addresses of a site's articles."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from broadsheet.atomic import write_atomically
from broadsheet.cli.destination import check_output, write_stdout
from broadsheet.cli.messages import complain, flatten, name_output_in_errors
from broadsheet.cli.parameters import with_options
from broadsheet.discovery import DiscoverOptions, Discovery, discover
from broadsheet.errors import UsageError, describe_unknown
from broadsheet.option_field import REQUIRED, argument, group, option
from broadsheet.output.tables.files import protect_cell
from broadsheet.text import format_count

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet discover https://news.example                    JSON Lines
  broadsheet discover https://news.example --since 2024-03-16
  broadsheet discover https://news.example -o addresses.txt   one per line
  broadsheet extract addresses.txt -o articles.jsonl          extract them
"""
_NOTHING_FOUND = 1
_STDOUT = "-"


@dataclass(frozen=True, slots=True)
class DiscoverRequest:
    """The arguments of the command."""

    url: str = argument(REQUIRED, "Home page of a site, or one of its section pages.", metavar="URL")
    output: str | None = option(
        None, "File; its ending chooses the format: .jsonl, .csv, .txt.", "--output", "-o", metavar="FILE"
    )
    format_name: str | None = option(
        None, "jsonl (default), csv, or txt (addresses only).", "--format", "-f", metavar="NAME"
    )
    timeout: float = option(30.0, "Time limit of one response, in seconds.", least=0.1)
    is_verbose: bool = option(False, "List the addresses that could not be read.", "--verbose", "-v")
    is_quiet: bool = option(False, "No summary: errors only.", "--quiet", "-q")
    options: DiscoverOptions = group(DiscoverOptions)


@with_options
def discover_command(request: DiscoverRequest) -> None:
    """Find the articles of a site in its feeds, sitemaps, home and section pages (extra discover)."""
    fetch = request.options.fetch
    fetch = replace(fetch, limits=replace(fetch.limits, max_seconds=request.timeout))
    if code := run_discovery(replace(request, options=replace(request.options, fetch=fetch))):
        raise typer.Exit(code)


def run_discovery(request: DiscoverRequest) -> int:
    """Write the finds of a site. Return the exit code: 1 if there are none."""
    write = _choose_format(request.output, request.format_name)
    path = check_output(request.output, ()) if request.output not in (None, _STDOUT) else None
    if warc := request.options.fetch.warc:
        check_output(str(warc), ())
    discovery = discover(request.url, options=request.options)
    _write(write(discovery), path)
    if not request.is_quiet:
        _summarize(discovery, is_verbose=request.is_verbose)
    if not discovery.finds:
        since = f" since {request.options.since:%Y-%m-%d}" if request.options.since else ""
        return complain(f"no articles{since} found at {request.url}; try a section page, or --verbose", _NOTHING_FOUND)
    return 0


def _choose_format(output: str | None, name: str | None) -> Callable[[Discovery], str]:
    if name is None and output not in (None, _STDOUT):
        name = Path(output).suffix.lstrip(".").lower()
        if name not in _FORMATS:
            raise UsageError(f"the ending of {output} is not a format of discover; name it .jsonl, .csv or .txt")
    name = name or "jsonl"
    if name not in _FORMATS:
        raise UsageError(describe_unknown("format", name, _FORMATS))
    return _FORMATS[name]


def _write(text: str, path: Path | None) -> None:
    if path is None:
        write_stdout(text)
        return
    with name_output_in_errors(path), write_atomically(path, errors="replace") as file:
        file.write(text)


def _summarize(discovery: Discovery, *, is_verbose: bool) -> None:
    if is_verbose:
        for problem in discovery.problems:
            print(f"{flatten(problem.url)}: {flatten(problem.reason)}", file=sys.stderr)
    parts = [format_count(len(discovery), "article"), format_count(discovery.requests, "request")]
    if discovery.problems:
        hint = "" if is_verbose else " (--verbose lists them)"
        count = len(discovery.problems)
        parts.append(f"{format_count(count, 'address', 'es')} not read{hint}")
    print(", ".join(parts), file=sys.stderr)


def _write_json_lines(discovery: Discovery) -> str:
    return "".join(f"{find.to_json()}\n" for find in discovery)


def _write_addresses(discovery: Discovery) -> str:
    return "".join(f"{find.url}\n" for find in discovery)


def _write_csv(discovery: Discovery) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("url", "title", "date", "origins", "score"))
    for find in discovery:
        date = find.date.isoformat() if find.date else ""
        cells = (find.url, find.title, date, " ".join(find.origins), f"{find.score:.3f}")
        writer.writerow(map(protect_cell, cells))
    return buffer.getvalue()


_FORMATS: dict[str, Callable[[Discovery], str]] = {
    "jsonl": _write_json_lines,
    "csv": _write_csv,
    "txt": _write_addresses,
}
