"""Publish a collection: records of articles to an EPUB book or a printable HTML file."""

from broadsheet.publishing.collection import BookText, read_articles
from broadsheet.publishing.epub import write_epub
from broadsheet.publishing.printable import write_printable

__all__ = ["BookText", "read_articles", "write_epub", "write_printable"]
