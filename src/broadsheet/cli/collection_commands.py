"""`broadsheet convert | report | publish | duplicates | compact`: what can be done with extracted articles."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from broadsheet.article import Article, Status
from broadsheet.atomic import write_atomically
from broadsheet.cli.destination import ToTable, check_output, check_table, is_folder, open_destination
from broadsheet.cli.layout import FORMAT_NAMES, LAYOUTS, infer_format, is_written, write_heading
from broadsheet.cli.messages import name_output_in_errors, suggest
from broadsheet.cli.parameters import with_options
from broadsheet.cli.sources import STDIN, NamedSource
from broadsheet.errors import UsageError
from broadsheet.option_field import REQUIRED, argument, option, split_names
from broadsheet.output import FORMAT_ALIASES, LINES, Format, TableFormat
from broadsheet.output.record import COLUMNS, Column, choose_columns
from broadsheet.text import format_count

CONVERT_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet convert articles.jsonl -o articles.xlsx
  broadsheet convert news.parquet -o good.csv --min-confidence 0.9 --fields title,date,url,text
  broadsheet convert articles.jsonl -f md -o articles/   one Markdown file per article
  broadsheet convert articles.jsonl -f chunks -o chunks.jsonl
"""
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
  broadsheet publish events.jsonl --since 1d -o today.md       what broadsheet watch found today
"""
DUPLICATES_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet batch 'warc/*.warc.gz' -o out/ --with minhash
  broadsheet duplicates out/                             writes out/_duplicates/
  broadsheet duplicates out/ --similarity 0.9 -o near.parquet
"""


@dataclass(frozen=True, slots=True)
class ConvertRequest:
    """The arguments of `broadsheet convert`."""

    file: str = argument(REQUIRED, "Records of articles: .jsonl, .json, .csv (also with .gz) or .parquet.", "FILE")
    output: str | None = option(
        None, "A file, or a folder for one file per article. Default: stdout.", "--output", "-o", metavar="FILE|DIR/"
    )
    format_name: str | None = option(
        None,
        "Output format. Default: by the ending of the output file; else jsonl.",
        "--format",
        "-f",
        metavar="|".join(FORMAT_NAMES),
        complete=lambda: FORMAT_NAMES,
    )
    fields: tuple[str, ...] | None = option(
        None, "Columns, in this order. Default: those of FILE.", metavar="NAME,...", read=split_names
    )
    include: tuple[str, ...] = option(
        (), "More columns: markdown, html, body.", "--with", metavar="NAME,...", read=split_names
    )
    min_confidence: float = option(0.0, "Leave out articles with a lower confidence.", least=0.0, most=1.0)
    statuses: tuple[str, ...] = option(
        (), "Keep articles with one of these statuses. Default: all.", "--status", metavar="NAME,...", read=split_names
    )

    def keeps(self, article: Article) -> bool:
        """Return whether an article is written."""
        is_chosen = not self.statuses or article.status.value in self.statuses
        return is_chosen and article.confidence >= self.min_confidence


@with_options
def convert_command(request: ConvertRequest) -> None:
    """Convert the records of articles to another format, all of them or some.

    Structure is kept if the records have it: broadsheet extract --with body. Blocks cannot be converted.
    """
    layout = _choose_layout(request)
    for name in request.statuses:
        if name not in list(Status):
            raise UsageError(suggest("status", name, [status.value for status in Status]))
    file = Path(request.file)
    counts = {True: 0, False: 0}  # articles that are written, and those that are not
    written = _count_written(request, layout, counts)
    if isinstance(layout, TableFormat):
        path = None if request.output in (None, STDIN) else check_output(str(request.output), [_name_source(file)])
        with ToTable(path, layout, _choose_columns(request)) as table:
            for article in written:
                table.write(article)
    else:
        _write_texts(written, layout, request)
    left_out = f", {format_count(counts[False], 'record')} left out" if counts[False] else ""
    print(f"{request.output or 'stdout'}: {format_count(counts[True], 'article')}{left_out}", file=sys.stderr)


def _choose_layout(request: ConvertRequest) -> Format | TableFormat:
    name, output = request.format_name, request.output
    if name is None:
        is_file = output not in (None, STDIN) and not is_folder(output)
        name = (infer_format(str(output)) if is_file else None) or "jsonl"
    if name not in FORMAT_NAMES and name not in FORMAT_ALIASES:
        raise UsageError(suggest("format", name, FORMAT_NAMES, FORMAT_ALIASES))
    layout = LAYOUTS[FORMAT_ALIASES.get(name, name)]
    if isinstance(layout, TableFormat):
        check_table(layout, output)
    elif layout.frame is None and not is_folder(output):
        raise UsageError(f"one {name} file holds one article; write them to a folder: -o DIR/")
    return layout


def _choose_columns(request: ConvertRequest) -> tuple[Column, ...]:
    """Return the columns of the records; those of the first one, unless some are named."""
    from broadsheet.report.records import read_rows

    if "blocks" in (*(request.fields or ()), *request.include):
        raise UsageError("blocks cannot be converted; extract the pages again: broadsheet extract --with blocks")
    names = request.fields
    if names is None:
        first = next(read_rows(Path(request.file)), {})
        names = tuple(name for name in COLUMNS if name in first and name != "blocks") or None
    return choose_columns(names, request.include)


def _count_written(request: ConvertRequest, layout: Format | TableFormat, counts: dict[bool, int]) -> Iterable[Article]:
    from broadsheet.report.records import read_articles

    for article in read_articles(Path(request.file)):
        is_kept = request.keeps(article) and is_written(article, layout)
        counts[is_kept] += 1
        if is_kept:
            yield article


def _write_texts(articles: Iterable[Article], layout: Format, request: ConvertRequest) -> None:
    columns = _choose_columns(request)
    is_joined = not is_folder(request.output)
    frame = layout.frame if is_joined and layout.frame else LINES
    source = _name_source(Path(request.file))
    with open_destination(request.output, sources=[source], ending=layout.ending, frame=frame) as destination:
        for article in articles:
            name = article.url or article.provenance.source_file or request.file
            heading = write_heading(layout, name) if is_joined else ""
            text = heading + layout.write(article, columns=columns, has_file=not is_joined)
            destination.write(NamedSource(name, Path(name).name), text)


def _name_source(file: Path) -> NamedSource:
    return NamedSource(str(file), file.name)


def report_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Records of broadsheet extract: .jsonl, .json, .csv or .parquet.")
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


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """The arguments of `broadsheet publish`."""

    file: Path = argument(
        REQUIRED, "Records: .jsonl, .json, .csv or .parquet; or events of broadsheet watch.", metavar="FILE"
    )
    output: Path = option(REQUIRED, "book.epub, .html or .md.", "--output", "-o", metavar="FILE")
    title: str | None = option(None, "Title of the book. Default: the name of FILE.")
    language: str = option("en", "Language of the title page, such as en.")
    min_confidence: float = option(0.0, "Leave out articles with a lower confidence.", least=0.0, most=1.0)
    since: str | None = option(None, "Only pages of the last time, such as 1d or 12h.", metavar="TIME")
    alert: str | None = option(None, "Only what this alert of broadsheet watch has found.", metavar="NAME")


@with_options
def publish_command(request: PublishRequest) -> None:
    """Publish a collection as an EPUB book, a printable HTML file or Markdown, without images.

    The text keeps its structure if the records include it: broadsheet extract --with body.
    """
    from broadsheet.publishing import BookText, render_digest, render_printable, select_articles, write_epub
    from broadsheet.publishing.collection import Counts, is_language
    from broadsheet.report.records import read_articles

    file, output, language = request.file, request.output, request.language
    ending = output.suffix.lower()
    if ending not in (".epub", ".html", ".htm", ".md"):
        raise UsageError(f"the ending of {output} is not a format of publish; name it .epub, .html or .md")
    if not is_language(language):
        raise UsageError(f"{language!r} is not a language; write a tag such as en or pt-BR")
    if output.exists() and file.exists() and output.samefile(file):
        raise UsageError(f"the output {output} is the input; write to another file")
    counts = Counts()
    articles = select_articles(
        read_articles(file, since=_read_since(request.since), alert=request.alert),
        counts,
        min_confidence=request.min_confidence,
    )
    text = BookText(request.title or file.name.partition(".")[0], language)
    with name_output_in_errors(output), write_atomically(output, "wb") as written:
        if ending == ".epub":
            write_epub(articles, written, text)
        else:
            render = render_digest if ending == ".md" else render_printable
            written.write(render(articles, text).encode("utf-8", "replace"))
    left_out = f", {format_count(counts.left_out, 'page')} left out" if counts.left_out else ""
    print(f"{output}: {format_count(counts.articles, 'article')}{left_out}", file=sys.stderr)


def _read_since(text: str | None) -> datetime | None:
    from broadsheet.watch.config import read_duration

    if text is None:
        return None
    try:
        return datetime.now(UTC) - read_duration(text)
    except ValueError as error:
        raise UsageError(f"--since {text!r}: {error}") from error


def duplicates_command(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Output folder of broadsheet batch.", show_default=False)
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Parquet file. Default: in DIR/_duplicates.", show_default=False
        ),
    ] = None,
    similarity: Annotated[
        float,
        typer.Option("--similarity", help="Minimum similarity of two texts: the share of common five-word shingles."),
    ] = 0.8,
) -> None:
    """Find rows of a batch with equal or nearly equal texts.

    The Parquet file lists the rows of all clusters, and those with a later capture of the same address: id, cluster
    (the id of its first row), similarity to that row, is_same (equal texts), is_latest, and keep (the row to keep).
    Nearly equal texts are found if the batch was made with --with minhash.
    """
    from broadsheet.batch.duplicates import find_duplicates
    from broadsheet.batch.folder import DUPLICATES
    from broadsheet.batch.sources import is_remote

    if output is None and is_remote(folder):
        raise UsageError(f"{folder} is in a store; name a file for the duplicates: -o FILE")
    target = Path(output or Path(folder) / DUPLICATES / "duplicates.parquet")
    counts = find_duplicates(folder, target, min_similarity=similarity)
    kind = "equal or nearly equal" if counts.has_signatures else "equal (for nearly equal ones: --with minhash)"
    print(
        f"{counts.texts:,} texts; {counts.rows:,} in {counts.clusters:,} clusters of texts that are {kind}; "
        f"{counts.rows - counts.clusters:,} can be left out, {counts.same:,} of them exact copies; "
        f"{counts.superseded:,} rows have a later capture of their address"
    )


def compact_command(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Output folder of broadsheet batch.", show_default=False)
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="DIR", help="Folder of the table; replaced.", show_default=False),
    ],
    partition_by: Annotated[
        str, typer.Option("--partition-by", metavar="date|year|host|language", help="Folders of the table.")
    ] = "",
    file_mb: Annotated[int, typer.Option("--file-mb", min=1, help="Size of files, about.")] = 256,
    is_deduplicated: Annotated[
        bool, typer.Option("--deduplicate", help="Leave out rows that broadsheet duplicates does not keep.")
    ] = False,
) -> None:
    """Write the rows of a batch as a table of large files, by partitions.

    Files are sorted by host and address, and compressed with zstd. The table is replaced when it is complete.
    """
    from broadsheet.batch.compact import compact_table

    counts = compact_table(folder, output, partition_by=partition_by, file_mb=file_mb, is_deduplicated=is_deduplicated)
    print(f"{output}: {counts.rows:,} rows in {counts.files:,} files; {counts.left_out:,} duplicates left out")
