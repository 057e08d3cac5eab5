"""Tables with one row per article: CSV, XLSX, Parquet, JSON Lines, and Arrow in memory."""

from broadsheet.output.tables.arrow import to_arrow
from broadsheet.output.tables.files import TableWriter, write_articles

__all__ = ["TableWriter", "to_arrow", "write_articles"]
