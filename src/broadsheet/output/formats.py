"""The table of output formats. The command line and the documentation derive from it.

A new format takes two files: a module with its function, and a row here. Functions are imported when they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NamedTuple

from broadsheet.errors import UsageError
from broadsheet.option_field import option

if TYPE_CHECKING:
    from broadsheet.article import Article
    from broadsheet.output.record import Column
    from broadsheet.output.tables.files import TableWriter


class FileFrame(NamedTuple):
    """Text around several articles in one file."""

    before: str = ""  # the first
    between: str = ""  # two of them
    after_each: str = "\n"
    after: str = ""  # the last


LINES = FileFrame()  # also of a single article
_PARAGRAPHS = FileFrame(between="\n")
_JSON_ARRAY = FileFrame("[\n", ",\n", "", "\n]\n")


def _name_page_in_text(source: str) -> str:
    """Name a page as `head` and `tail` do."""
    return f"==> {source} <==\n"


def _name_page_in_markdown(source: str) -> str:
    return f"<!-- {source.replace('--', '- -')} -->\n\n"


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """How a text is split into chunks. `article.chunks` takes a tokenizer, too."""

    max_tokens: int = option(400, "Maximum size of a chunk, in estimated tokens.", least=1, in_service=True)
    overlap: int = option(
        0, "Tokens of the chunk before that a chunk repeats, in whole sentences.", least=0, in_service=True
    )
    with_markdown: bool = option(False, "Chunks have Markdown, too.", "--chunk-markdown", in_service=True)

    def __post_init__(self) -> None:
        """Check the numbers. Raises UsageError."""
        for name, least in (("max_tokens", 1), ("overlap", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise UsageError(f"{name} must be a whole number of at least {least}, not {value!r}")
        if self.overlap >= self.max_tokens:
            raise UsageError(f"overlap must be less than max_tokens ({self.max_tokens}), not {self.overlap}")


DEFAULT_CHUNKS = ChunkOptions()


class Format(NamedTuple):
    """A row of the table."""

    name: str
    description: str  # one line
    target: str  # module:function, which takes an Article and returns text without a final line end
    ending: str  # of files
    media_type: str
    reads: tuple[str, ...] | None = None  # fields; None: the columns of a record, or everything
    aliases: tuple[str, ...] = ()  # other names, and other endings of files
    frame: FileFrame | None = LINES  # None: a file can contain only one article
    name_page: Callable[[str], str] | None = None  # a heading for each of several articles in a file
    # A record contains the status and the name of the page: the function also takes `columns`. Pages that failed are
    # written as records; in other formats they would be empty, and are left out.
    is_record: bool = False
    options: ChunkOptions | None = None  # the function takes them
    file_target: str = ""  # the function for a file of one article, if it is not that of other outputs

    @property
    def fields(self) -> tuple[str, ...] | None:
        """The fields that it reads; None: the columns of a record, or everything."""
        if self.reads is None or _ALL_FIELDS not in self.reads:
            return self.reads
        from broadsheet.fields import FIELDS

        return (*(field.name for field in FIELDS), *(name for name in self.reads if name != _ALL_FIELDS))

    def write(self, article: Article, *, columns: Sequence[Column] | None = None, has_file: bool = False) -> str:
        """Write an article; a record with these columns, or with those of the record. It may have its own file."""
        write: Callable[..., str] = _load((has_file and self.file_target) or self.target)
        if self.options:
            return write(article, self.options)
        return write(article, columns) if self.is_record else write(article)

    def set_options(self, options: ChunkOptions) -> Format:
        """Return the format with these options. Raises UsageError if it takes none."""
        if self.options is None and options != DEFAULT_CHUNKS:
            raise UsageError(f"max_tokens, overlap and Markdown are options of chunks, not of {self.name}")
        return self._replace(options=options) if self.options else self


@dataclass(frozen=True, slots=True)
class TableFormat:
    """A row of the table of formats with one row per article. The file is written as a whole, not page by page."""

    name: str
    description: str  # one line
    target: str  # module:class of a TableWriter
    ending: str
    media_type: str
    package: str = ""  # of the extra `tables`, if one is needed
    is_text: bool = False  # may be written to a terminal
    is_record: ClassVar[bool] = True  # failed pages are rows too

    def check_package(self) -> None:
        """Raise MissingExtra if the package that writes the format is not installed."""
        if self.package:
            from broadsheet.extras import import_extra

            import_extra(self.package, "tables")

    def open_writer(self, file: BinaryIO, columns: Sequence[Column]) -> TableWriter:
        """Return a writer to a file that is open for writing bytes. Raises MissingExtra."""
        writer: TableWriter = _load(self.target)(file, columns)
        return writer


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


_ALL_FIELDS = "*"  # of the table of fields, which is imported when it is used: the command line starts faster
FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format(
            "text",
            "title and plain text",
            "broadsheet.output.as_text:format_text",
            ".txt",
            "text/plain",
            reads=("title", "text"),
            aliases=("txt", "plain"),
            frame=_PARAGRAPHS,
            name_page=_name_page_in_text,
        ),
        Format(
            "md",
            "Markdown with title, authors and date; in a file of one article, with front matter",
            "broadsheet.output.as_markdown:format_markdown",
            ".md",
            "text/markdown",
            reads=("title", "authors", "date", "language", "body"),
            aliases=("markdown",),
            frame=_PARAGRAPHS,
            name_page=_name_page_in_markdown,
            file_target="broadsheet.output.as_markdown:format_markdown_file",
        ),
        Format(
            "html",
            "document with title, authors and date",
            "broadsheet.output.as_html:format_html",
            ".html",
            "text/html",
            reads=("title", "authors", "date", "language", "body"),
            aliases=("htm",),
            frame=None,
        ),
        Format(
            "json",
            "indented record with all fields",
            "broadsheet.output.record:format_json",
            ".json",
            "application/json",
            frame=_JSON_ARRAY,
            is_record=True,
        ),
        Format(
            "jsonl",
            "one record per line",
            "broadsheet.output.record:format_json_line",
            ".jsonl",
            "application/x-ndjson",
            aliases=("ndjson",),
            is_record=True,
        ),
        Format(
            "chunks",
            "chunks of the text for search and language models, one JSON object per line",
            "broadsheet.output.chunks:format_chunks",
            ".jsonl",
            "application/x-ndjson",
            reads=("title", "url", "body", "provenance"),
            options=DEFAULT_CHUNKS,
        ),
        Format(
            "schema",
            "schema.org JSON-LD",
            "broadsheet.output.as_schema:format_schema",
            ".jsonld",
            "application/ld+json",
            reads=(_ALL_FIELDS, "text", "provenance"),
            aliases=("jsonld", "json-ld", "schema.org"),
            frame=_JSON_ARRAY,
        ),
        Format(
            "tei",
            "TEI P5 XML",
            "broadsheet.output.as_tei:to_tei",
            ".xml",
            "application/tei+xml",
            reads=(_ALL_FIELDS, "body", "comments", "provenance"),
            aliases=("xml",),
            frame=None,
        ),
    )
}
TABLES: dict[str, TableFormat] = {
    row.name: row
    for row in (
        TableFormat(
            "csv",
            "table for spreadsheets and pandas",
            "broadsheet.output.tables.files:CsvWriter",
            ".csv",
            "text/csv",
            is_text=True,
        ),
        TableFormat(
            "xlsx",
            "Excel table with a chart of the confidences (extra tables)",
            "broadsheet.output.tables.xlsx:XlsxWriter",
            ".xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            package="xlsxwriter",
        ),
        TableFormat(
            "parquet",
            "typed table for data tools (extra tables)",
            "broadsheet.output.tables.arrow:ParquetWriter",
            ".parquet",
            "application/vnd.apache.parquet",
            package="pyarrow",
        ),
    )
}
FORMAT_ALIASES = {alias: row.name for row in FORMATS.values() for alias in row.aliases}
