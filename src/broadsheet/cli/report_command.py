"""`broadsheet report`: review a collection of articles on one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet extract pages/ -o articles.jsonl
  broadsheet report articles.jsonl --open        articles-report.html, in the browser
  broadsheet report news.parquet -o review.html  also for Parquet files
"""


def report_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Records of broadsheet extract: .jsonl, .jsonl.gz or .parquet.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Output file. Default: FILE-report.html.", show_default=False
        ),
    ] = None,
    pages: Annotated[int, typer.Option("--pages", metavar="N", min=1, help="Number of doubtful pages to show.")] = 50,
    is_opened: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
) -> None:
    """Review a collection: pages by status, confidence, doubtful pages first, health of each site."""
    import webbrowser

    from broadsheet.atomic import write_atomically
    from broadsheet.cli.output_error import name_output_in_errors
    from broadsheet.errors import UsageError
    from broadsheet.report import read_records, render_report, summarize

    # Not story.html for story.jsonl: that may be the page itself.
    target = output or file.with_name(f"{Path(file.name.removesuffix('.gz')).stem}-report.html")
    if target.exists() and target.samefile(file):
        raise UsageError(f"the output {target} is the input; write to another file")
    html = render_report(summarize(file.name, read_records(file), max_pages=pages))
    with name_output_in_errors(target), write_atomically(target, errors="replace") as written:
        written.write(html)
    print(target)
    if is_opened:
        webbrowser.open(target.resolve().as_uri())
