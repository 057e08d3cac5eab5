"""The table of output formats. The command line and the documentation derive from it.

A new format takes two files: a module with its function, and a row here. Functions are imported when they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadsheet.article import Article


@dataclass(frozen=True, slots=True)
class Frame:
    """Text around several articles in one file."""

    before: str = ""  # the first
    between: str = ""  # two of them
    after_each: str = "\n"
    after: str = ""  # the last


LINES = Frame()  # also of a single article
_PARAGRAPHS = Frame(between="\n")
_JSON_ARRAY = Frame("[\n", ",\n", "", "\n]\n")


def _name_page_in_text(source: str) -> str:
    """Name a page as `head` and `tail` do."""
    return f"==> {source} <==\n"


def _name_page_in_markdown(source: str) -> str:
    return f"<!-- {source.replace('--', '- -')} -->\n\n"


@dataclass(frozen=True, slots=True)
class Format:
    """A row of the table."""

    name: str
    description: str  # one line
    target: str  # module:function, which takes an Article and returns text without a final line end
    ending: str  # of files
    media_type: str
    aliases: tuple[str, ...] = ()  # other names, and other endings of files
    frame: Frame | None = LINES  # None: a file can contain only one article
    name_page: Callable[[str], str] | None = None  # a heading for each of several articles in a file
    # A record contains the status, and the name of the page: the function also takes `source`. Pages that failed are
    # written as records; in other formats they would be empty, and are left out.
    is_record: bool = False

    def write(self, article: Article, *, source: str | None = None) -> str:
        """Write an article. A record begins with the name of the page if `source` is given."""
        module, _, name = self.target.partition(":")
        write: Callable[..., str] = getattr(import_module(module), name)
        return write(article, source) if self.is_record else write(article)


FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format(
            "text",
            "title and plain text",
            "broadsheet.output.as_text:write_text",
            ".txt",
            "text/plain",
            aliases=("txt", "plain"),
            frame=_PARAGRAPHS,
            name_page=_name_page_in_text,
        ),
        Format(
            "md",
            "Markdown with title, authors and date",
            "broadsheet.output.as_markdown:write_markdown",
            ".md",
            "text/markdown",
            aliases=("markdown",),
            frame=_PARAGRAPHS,
            name_page=_name_page_in_markdown,
        ),
        Format(
            "html",
            "document with title, authors and date",
            "broadsheet.output.as_html:write_html",
            ".html",
            "text/html",
            aliases=("htm",),
            frame=None,
        ),
        Format(
            "json",
            "indented record with all fields",
            "broadsheet.output.as_json:write_json",
            ".json",
            "application/json",
            frame=_JSON_ARRAY,
            is_record=True,
        ),
        Format(
            "jsonl",
            "one record per line",
            "broadsheet.output.as_json:write_json_line",
            ".jsonl",
            "application/x-ndjson",
            aliases=("ndjson",),
            is_record=True,
        ),
        Format(
            "schema",
            "schema.org JSON-LD",
            "broadsheet.output.as_schema:write_schema",
            ".jsonld",
            "application/ld+json",
            aliases=("jsonld", "json-ld", "schema.org"),
            frame=_JSON_ARRAY,
        ),
        Format(
            "tei",
            "TEI P5 XML",
            "broadsheet.output.as_tei:to_tei",
            ".xml",
            "application/tei+xml",
            aliases=("xml",),
            frame=None,
        ),
    )
}
FORMAT_ALIASES = {alias: row.name for row in FORMATS.values() for alias in row.aliases}
