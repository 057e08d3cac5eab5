"""Tables with one row per article: CSV, XLSX, Parquet, JSON Lines, and Arrow in memory."""

from broadsheet.output.tables.arrow import to_arrow
from broadsheet.output.tables.write import write_articles
from broadsheet.output.tables.writer import TableWriter

__all__ = ["TableWriter", "to_arrow", "write_articles"]
