"""`broadsheet publish`: a collection of articles as an EPUB book or a printable HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet extract pages/ --with body -o articles.jsonl
  broadsheet publish articles.jsonl -o book.epub               for an e-reader
  broadsheet publish articles.jsonl -o book.html --title News  for reading and printing
"""


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
    import sys

    from broadsheet.atomic import write_atomically
    from broadsheet.cli.output_error import name_output_in_errors
    from broadsheet.errors import UsageError
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
