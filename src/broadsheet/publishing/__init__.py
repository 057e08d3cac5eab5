"""Publish a collection: records of articles to an EPUB book or a printable HTML file."""

from broadsheet.publishing.collection import BookText, read_articles, render_printable
from broadsheet.publishing.epub import write_epub

__all__ = ["BookText", "read_articles", "render_printable", "write_epub"]
