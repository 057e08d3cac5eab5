"""`broadsheet report | publish | duplicates`: what can be done with the articles of an extraction or a batch."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from broadsheet.atomic import write_atomically
from broadsheet.cli.messages import name_output_in_errors
from broadsheet.errors import UsageError

REPORT_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet extract pages/ -o articles.jsonl
  broadsheet report articles.jsonl --open        articles-report.html, in the browser
  broadsheet report news.parquet -o review.html  also for Parquet files
"""
PUBLISH_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet extract pages/ --with body -o articles.jsonl
  broadsheet publish articles.jsonl -o book.epub               for an e-reader
  broadsheet publish articles.jsonl -o book.html --title News  for reading and printing
"""
DUPLICATES_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet batch 'warc/*.warc.gz' -o out/ --with minhash
  broadsheet duplicates out/                             writes out/duplicates.parquet
  broadsheet duplicates out/ --similarity 0.9 -o near.parquet
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


def publish_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Records of broadsheet extract: .jsonl, .jsonl.gz or .parquet.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="book.epub or book.html.")],
    title: Annotated[
        str | None, typer.Option("--title", help="Title of the book. Default: the name of FILE.", show_default=False)
    ] = None,
    language: Annotated[str, typer.Option("--language", help="Language of the title page, such as en.")] = "en",
    min_confidence: Annotated[
        float, typer.Option("--min-confidence", min=0.0, max=1.0, help="Leave out articles with a lower confidence.")
    ] = 0.0,
) -> None:
    """Publish a collection as an EPUB book or a printable HTML file, without images.

    The text keeps its structure if the records include it: broadsheet extract --with body.
    """
    from broadsheet.publishing import BookText, read_articles, render_printable, write_epub
    from broadsheet.publishing.collection import Counts, is_language
    from broadsheet.text import format_count

    ending = output.suffix.lower()
    if ending not in (".epub", ".html", ".htm"):
        raise UsageError(f"the ending of {output} is not a format of publish; name it .epub or .html")
    if not is_language(language):
        raise UsageError(f"{language!r} is not a language; write a tag such as en or pt-BR")
    if output.exists() and file.exists() and output.samefile(file):
        raise UsageError(f"the output {output} is the input; write to another file")
    counts = Counts()
    articles = read_articles(file, counts, min_confidence=min_confidence)
    text = BookText(title or file.name.partition(".")[0], language)
    with name_output_in_errors(output), write_atomically(output, "wb") as written:
        if ending == ".epub":
            write_epub(articles, written, text)
        else:
            written.write(render_printable(articles, text).encode("utf-8", "replace"))
    left_out = f", {format_count(counts.left_out, 'page')} left out" if counts.left_out else ""
    print(f"{output}: {format_count(counts.articles, 'article')}{left_out}", file=sys.stderr)


def duplicates_command(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Output folder of broadsheet batch.", show_default=False)
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Parquet file. Default: DIR/duplicates.parquet.", show_default=False
        ),
    ] = None,
    similarity: Annotated[
        float,
        typer.Option("--similarity", help="Minimum similarity of two texts: the share of common five-word shingles."),
    ] = 0.8,
) -> None:
    """Find rows of a batch with equal or nearly equal texts.

    The Parquet file lists the rows of all clusters: id, cluster (the id of its first row), similarity to that row,
    and whether the texts are equal. Nearly equal texts are found if the batch was made with --with minhash.
    """
    from broadsheet.batch.duplicates import find_duplicates
    from broadsheet.batch.sources import is_remote

    if output is None and is_remote(folder):
        raise UsageError(f"{folder} is in a store; name a file for the duplicates: -o FILE")
    counts = find_duplicates(folder, output or Path(folder) / "duplicates.parquet", min_similarity=similarity)
    kind = "equal or nearly equal" if counts.has_signatures else "equal (for nearly equal ones: --with minhash)"
    print(
        f"{counts.texts:,} texts; {counts.rows:,} in {counts.clusters:,} clusters of texts that are {kind}; "
        f"{counts.rows - counts.clusters:,} can be left out, {counts.same:,} of them exact copies"
    )
