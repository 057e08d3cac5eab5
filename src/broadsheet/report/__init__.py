"""Review a collection: records of articles to a report of one HTML page."""

from broadsheet.report.collection_page import render_report
from broadsheet.report.records import read_records
from broadsheet.report.summary import summarize

__all__ = ["read_records", "render_report", "summarize"]
