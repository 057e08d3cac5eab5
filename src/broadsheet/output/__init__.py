"""Article to text, Markdown, HTML, JSON, schema.org and TEI, all with the same words."""

from broadsheet.output.formats import FORMAT_ALIASES, FORMATS, LINES, Format, Frame

__all__ = ["FORMATS", "FORMAT_ALIASES", "LINES", "Format", "Frame"]
