"""Article to text, Markdown, HTML, JSON, schema.org, TEI and tables, all with the same words."""

from broadsheet.output.formats import FORMAT_ALIASES, FORMATS, LINES, TABLES, FileFrame, Format, TableFormat

__all__ = ["FORMATS", "FORMAT_ALIASES", "LINES", "TABLES", "FileFrame", "Format", "TableFormat"]
