"""`broadsheet batch`: files of pages in, Parquet parts out; each page exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from broadsheet.cli.limit_options import MaxBytes, MaxMemory, MaxSeconds, make_limits
from broadsheet.cli.page_options import (
    BySite,
    HtmlColumn,
    MethodName,
    NoImages,
    Quiet,
    UrlColumn,
    Workers,
    split_names,
)
from broadsheet.cli.weights_option import WeightsFolders, choose_method

if TYPE_CHECKING:
    from broadsheet.batch import BatchRequest

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
_FILTERS = "Filters"


def batch_command(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            help="Files of pages (WARC, WACZ, JSON Lines, CSV, Parquet, ZIP, tar), patterns, folders; also s3://, "
            "gs://, az:// and addresses that fsspec opens.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Output folder, or s3://bucket/name. A second run continues.",
            show_default=False,
        ),
    ],
    engine: Annotated[
        str, typer.Option("--engine", metavar="local|ray", help="Processes of this machine, or a Ray cluster.")
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            "--address", help="Address of a Ray cluster, or auto. Default: start Ray here.", show_default=False
        ),
    ] = None,
    workers: Workers = None,
    method: MethodName = None,
    weights: WeightsFolders = None,
    no_images: NoImages = False,
    fields: Annotated[
        str | None,
        typer.Option(
            "--fields",
            metavar="NAME,...",
            help="Columns to write; only these are computed. Default: all. Always written: id, status, host, language, "
            "date, confidence.",
            show_default=False,
        ),
    ] = None,
    include: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="NAME,...",
            help="More columns: markdown, html, body, blocks, minhash.",
            show_default=False,
        ),
    ] = None,
    html_column: HtmlColumn = "html",
    url_column: UrlColumn = "url",
    by_site: BySite = False,
    sample: Annotated[
        float, typer.Option("--sample", metavar="SHARE", help="Extract this share of the pages, such as 0.01.")
    ] = 1.0,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Process inputs with faults or failed pages again.")
    ] = False,
    redo: Annotated[
        bool, typer.Option("--redo", help="Process all inputs again if the options differ from those of the folder.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Read a few pages, print an estimate of the whole run, and stop.")
    ] = False,
    stall_seconds: Annotated[
        float,
        typer.Option("--stall-seconds", help="Seconds without progress after which a worker process is replaced."),
    ] = 300.0,
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            metavar="HOST,...",
            help="Only these hosts and their subdomains.",
            rich_help_panel=_FILTERS,
            show_default=False,
        ),
    ] = None,
    url_pattern: Annotated[
        str,
        typer.Option(
            "--url-pattern",
            metavar="REGEX",
            help="Only addresses that match.",
            rich_help_panel=_FILTERS,
            show_default=False,
        ),
    ] = "",
    without_url_pattern: Annotated[
        str,
        typer.Option(
            "--without-url-pattern",
            metavar="REGEX",
            help="Leave out addresses that match.",
            rich_help_panel=_FILTERS,
            show_default=False,
        ),
    ] = "",
    http_status: Annotated[
        str,
        typer.Option(
            "--http-status",
            metavar="NUMBER,...",
            help="HTTP statuses of the archived responses to read.",
            rich_help_panel=_FILTERS,
        ),
    ] = "200",
    content_type: Annotated[
        str | None,
        typer.Option(
            "--content-type",
            metavar="TYPE,...",
            help="Only these types of HTML, such as text/html.",
            rich_help_panel=_FILTERS,
            show_default=False,
        ),
    ] = None,
    declared_language: Annotated[
        str | None,
        typer.Option(
            "--declared-language",
            metavar="CODE,...",
            help="Only pages whose <html lang> is one of these, or missing.",
            rich_help_panel=_FILTERS,
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="CODE,...",
            help="Only articles in these languages.",
            rich_help_panel=_FILTERS,
            show_default=False,
        ),
    ] = None,
    status: Annotated[
        str | None,
        typer.Option(
            "--status",
            metavar="NAME,...",
            help="Only these statuses, such as ok,paywalled.",
            rich_help_panel=_FILTERS,
            show_default=False,
        ),
    ] = None,
    min_confidence: Annotated[
        float, typer.Option("--min-confidence", help="Minimum confidence of the text.", rich_help_panel=_FILTERS)
    ] = 0.0,
    min_chars: Annotated[
        int, typer.Option("--min-chars", help="Minimum length of the text, in characters.", rich_help_panel=_FILTERS)
    ] = 0,
    first_date: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="DATE", help="First day of publication.", rich_help_panel=_FILTERS, show_default=False
        ),
    ] = None,
    last_date: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="DATE", help="Last day of publication.", rich_help_panel=_FILTERS, show_default=False
        ),
    ] = None,
    max_seconds: MaxSeconds = None,
    max_bytes: MaxBytes = None,
    max_memory: MaxMemory = None,
    quiet: Quiet = False,
) -> None:
    """Extract the pages of many files into Parquet parts, each page exactly once.

    One input file is one unit of work and gives one part. A run that was interrupted or killed is continued by the same
    command.
    """
    from broadsheet.batch import BatchOptions, BatchRequest, Filters, find_sources
    from broadsheet.cli.batch_run import print_plan, read_http_statuses, run_request
    from broadsheet.cli.read_date import read_date
    from broadsheet.inputs import ReadOptions
    from broadsheet.options import ExtractOptions
    from broadsheet.page import strip_www

    limits = make_limits(max_seconds=max_seconds, max_bytes=max_bytes, max_memory=max_memory)
    columns = split_names(include)
    options = BatchOptions(
        extract=ExtractOptions(
            method=choose_method(method, weights),
            images=not no_images,
            limits=limits,
            weights=tuple(weights or ()),
            fields=None if fields is None else split_names(fields),
        ),
        read=ReadOptions(
            html_column=html_column,
            url_column=url_column,
            http_statuses=read_http_statuses(http_status),
            limits=limits,
        ),
        include=tuple(name for name in columns if name != "minhash"),
        with_minhash="minhash" in columns,
        filters=Filters(
            hosts=tuple(map(strip_www, _split_lower(host))),
            url_pattern=url_pattern,
            without_url_pattern=without_url_pattern,
            content_types=_split_lower(content_type),
            declared_languages=_split_lower(declared_language),
            languages=_split_lower(language),
            statuses=_split_lower(status),
            min_confidence=min_confidence,
            min_chars=min_chars,
            first_date=read_date("--from", first_date),
            last_date=read_date("--to", last_date),
        ),
        sample=sample,
        is_by_site=by_site,
        stall_seconds=stall_seconds,
    )
    request: BatchRequest = BatchRequest(
        sources=find_sources(inputs),
        output=output,
        options=options,
        engine=engine,
        workers=workers,
        address=address,
        is_retrying=retry_failed,
        is_redo=redo,
    )
    if plan:
        print_plan(request)
    elif not run_request(request, is_quiet=quiet):
        raise typer.Exit(1)


def _split_lower(text: str | None) -> tuple[str, ...]:
    return split_names(text.lower() if text else text)
