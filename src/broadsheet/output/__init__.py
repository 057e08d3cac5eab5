"""Article to text, Markdown, HTML, JSON, schema.org, TEI and tables, all with the same words."""

from broadsheet.output.formats import FORMAT_ALIASES, FORMATS, LINES, TABLES, Format, Frame, TableFormat

__all__ = ["FORMATS", "FORMAT_ALIASES", "LINES", "TABLES", "Format", "Frame", "TableFormat"]
