"""Review a collection: records of articles to a report of one HTML page."""

from broadsheet.review.as_html import write_html
from broadsheet.review.records import read_records
from broadsheet.review.summary import summarize

__all__ = ["read_records", "summarize", "write_html"]
