"""Publish a collection: records of articles to an EPUB book, a printable HTML file or Markdown."""

from broadsheet.publishing.collection import BookText, render_digest, render_printable, select_articles
from broadsheet.publishing.epub import write_epub

__all__ = ["BookText", "render_digest", "render_printable", "select_articles", "write_epub"]
