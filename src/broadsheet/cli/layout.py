"""How articles are written: the output formats, tables, and `--explain`, which the command line treats as one more."""

from __future__ import annotations

from pathlib import PurePath

from broadsheet.article import Article
from broadsheet.errors import UsageError
from broadsheet.output import FORMAT_ALIASES, FORMATS, TABLES, FileFrame, Format, TableFormat

EXPLAIN = Format(  # not offered by --format; its function takes more arguments than those of formats
    "explain",
    "fields with their sources, blocks with their roles and scores",
    "broadsheet.cli.explain:explain_article",
    ".txt",
    "text/plain",
    frame=FileFrame(between="\n"),
)
EXPLAIN_PAGE = Format(
    "explain-page",
    "the same as an HTML page",
    "broadsheet.cli.explain:write_explain_page",
    ".html",
    "text/html",
    frame=None,
)
EXPLAIN_LAYOUTS = (EXPLAIN, EXPLAIN_PAGE)
LAYOUTS: dict[str, Format | TableFormat] = {
    **FORMATS,
    **TABLES,
    EXPLAIN.name: EXPLAIN,
    EXPLAIN_PAGE.name: EXPLAIN_PAGE,
}
FORMAT_NAMES = (*FORMATS, *TABLES)
_DATA_ENDINGS = {row.ending for row in FORMATS.values() if row.is_record} | {row.ending for row in TABLES.values()}


def infer_format(file_name: str) -> str | None:
    """Return the format for the ending of a file; None without an ending. Raises UsageError for an unknown one."""
    ending = PurePath(file_name).suffix.lower()[1:]
    if not ending:
        return None
    name = FORMAT_ALIASES.get(ending, ending)
    if name not in FORMAT_NAMES:
        endings = dict.fromkeys([*(row.ending for row in FORMATS.values()), *(row.ending for row in TABLES.values())])
        raise UsageError(f"unknown ending of the output {file_name!r}; known: {', '.join(endings)}; or add --format")
    return name


def name_explain_layout(output: str | None) -> str:
    """Return the layout of `--explain`: a page if the output is an HTML file, text otherwise.

    Raises UsageError if the ending is that of data.
    """
    ending = PurePath(output or "").suffix.lower()
    if ending in _DATA_ENDINGS:
        raise UsageError(f"--explain writes text or HTML, not {ending}; name the output .txt or .html")
    is_page = ending in (".html", ".htm")
    return EXPLAIN_PAGE.name if is_page else EXPLAIN.name


def is_written(article: Article, layout: Format | TableFormat) -> bool:
    """Return True unless the page failed and the format cannot express that."""
    return layout.is_record or not article.status.is_failure


def write_heading(layout: Format, source: str) -> str:
    """Name the page of the next article; "" in formats without such headings."""
    return layout.name_page(source) if layout.name_page else ""
