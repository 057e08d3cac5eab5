"""Write a collection as one HTML file for reading and printing: contents first, each article on a new page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.resources import files

from broadsheet.article import Article
from broadsheet.errors import UsageError
from broadsheet.output.characters import clean_text
from broadsheet.publishing.collection import BookText, describe_article, name_article, write_xhtml
from broadsheet.text import format_count

# The browser must not load anything, even if markup of a page slipped through.
_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title><style>{style}</style></head><body>
<header><h1>{title}</h1><p>{count}</p></header>
<nav><ol>
{contents}
</ol></nav>
{articles}
</body></html>
"""


def write_printable(articles: Iterable[Article], text: BookText) -> str:
    """Return the file. Raises UsageError if there are no articles."""
    contents: list[str] = []
    sections: list[str] = []
    for number, article in enumerate(articles, start=1):
        line = describe_article(article)
        note = f"<span>{escape(line)}</span>" if line else ""
        contents.append(f'<li dir="auto"><a href="#a{number}">{escape(name_article(article))}</a>{note}</li>')
        language = f' lang="{escape(clean_text(article.language))}"' if article.language else ""
        sections.append(f'<article id="a{number}" dir="auto"{language}>\n{write_xhtml(article)}\n</article>')
    if not sections:
        raise UsageError(
            "there are no articles to publish; none in the file has text, the status ok and enough confidence"
        )
    return _PAGE.format(
        language=escape(text.language),
        title=escape(clean_text(text.title)),
        style=files("broadsheet.publishing").joinpath("printable.css").read_text("utf-8"),
        count=format_count(len(sections), "article"),
        contents="\n".join(contents),
        articles="\n".join(sections),
    )
