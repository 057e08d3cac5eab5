"""The lines above the body in text, Markdown and HTML: the title, and the byline with the date."""

from __future__ import annotations

from broadsheet.article import Article
from broadsheet.article.parts import Heading, Paragraph, Part, Run


def make_title(article: Article) -> tuple[Part, ...]:
    """Return the title as a heading; nothing if there is no title."""
    return (Heading(1, (Run(" ".join(article.title.split())),)),) if article.title else ()


def make_byline(article: Article) -> tuple[Part, ...]:
    """Return authors and day as a paragraph; nothing if neither is known."""
    day = article.date.date().isoformat() if article.date else ""
    line = " · ".join(filter(None, (", ".join(article.authors), day)))
    return (Paragraph((Run(line),)),) if line else ()
