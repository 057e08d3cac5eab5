"""Article to text, Markdown, HTML, JSON, schema.org, TEI and tables, all with the same words."""

from broadsheet.output.formats import (
    DEFAULT_CHUNKS,
    FORMAT_ALIASES,
    FORMATS,
    LINES,
    TABLES,
    ChunkOptions,
    FileFrame,
    Format,
    TableFormat,
)

__all__ = [
    "DEFAULT_CHUNKS",
    "FORMATS",
    "FORMAT_ALIASES",
    "LINES",
    "TABLES",
    "ChunkOptions",
    "FileFrame",
    "Format",
    "TableFormat",
]
