"""The articles of a file as one HTML file for reading and printing, and what that shares with EPUB books."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from broadsheet.article import Article, Heading, Part, Run, Status, drop_figures
from broadsheet.errors import UsageError
from broadsheet.output.as_html import render_html
from broadsheet.output.as_markdown import render_markdown
from broadsheet.output.as_text import make_byline, make_title
from broadsheet.output.inline_markdown import escape_text
from broadsheet.output.safe import check_uri, clean_text
from broadsheet.page import host_of
from broadsheet.text import format_count

_UNTITLED = "(without title)"
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


@dataclass(frozen=True, slots=True)
class BookText:
    """The texts of the title page."""

    title: str
    language: str = "en"


def is_language(text: str) -> bool:
    """Return whether a text has the form of a language tag, such as "en" or "pt-BR"."""
    return text.isascii() and text.replace("-", "").isalnum()


@dataclass(slots=True)
class Counts:
    """How many records were used."""

    articles: int = 0
    left_out: int = 0  # not an article, no text, or a low confidence


def select_articles(articles: Iterable[Article], counts: Counts, *, min_confidence: float = 0.0) -> Iterator[Article]:
    """Yield the articles that can be published: those with text, the status ok and enough confidence."""
    for article in articles:
        if article.status is Status.OK and article.text.strip() and article.confidence >= min_confidence:
            counts.articles += 1
            yield article
        else:
            counts.left_out += 1


def render_printable(articles: Iterable[Article], text: BookText) -> str:
    """Return one HTML file: contents first, each article on a new page. Raises UsageError without articles."""
    contents: list[str] = []
    sections: list[str] = []
    for number, article in enumerate(articles, start=1):
        line = describe_article(article)
        note = f"<span>{escape(line)}</span>" if line else ""
        contents.append(f'<li dir="auto"><a href="#a{number}">{escape(name_article(article))}</a>{note}</li>')
        language = f' lang="{escape(clean_text(article.language))}"' if article.language else ""
        sections.append(f'<article id="a{number}" dir="auto"{language}>\n{render_xhtml(article)}\n</article>')
    _check_articles(sections)
    return _PAGE.format(
        language=escape(text.language),
        title=escape(clean_text(text.title)),
        style=files("broadsheet.publishing").joinpath("printable.css").read_text("utf-8"),
        count=format_count(len(sections), "article"),
        contents="\n".join(contents),
        articles="\n".join(sections),
    )


def render_digest(articles: Iterable[Article], text: BookText) -> str:
    """Return one Markdown file: contents first, then the articles. Raises UsageError without articles."""
    contents: list[str] = []
    sections: list[str] = []
    for article in articles:
        address = check_uri(article.url)
        name = escape_text(name_article(article))
        line = escape_text(describe_article(article))
        contents.append(f"- {f'[{name}](<{address}>)' if address else name}{f' · {line}' if line else ''}")
        body = render_markdown(drop_figures(tuple(map(_prepare, article.body)))).strip()
        sections.append("\n\n".join(filter(None, (f"## {name}", line, body, f"<{address}>" if address else ""))))
    _check_articles(sections)
    title = escape_text(" ".join(clean_text(text.title).split()))
    return f"# {title}\n\n" + "\n".join(contents) + "\n\n" + "\n\n".join(sections) + "\n"


def _check_articles(sections: list[str]) -> None:
    if not sections:
        raise UsageError(
            "there are no articles to publish; none in the file has text, the status ok and enough confidence"
        )


def name_article(article: Article) -> str:
    """Return the title on one line."""
    return " ".join(clean_text(article.title or "").split()) or _UNTITLED


def describe_article(article: Article) -> str:
    """Return authors, day and site, for a table of contents."""
    day = article.date.date().isoformat() if article.date else ""
    parts = (", ".join(article.authors), day, article.site_name or host_of(article.url) or "")
    return clean_text(" · ".join(filter(None, parts)))


def render_xhtml(article: Article) -> str:
    """Return title, byline, text and source of an article as XHTML that is safe to embed. Images are left out."""
    title = make_title(article) or (Heading(1, (Run(_UNTITLED),)),)
    body = drop_figures(tuple(map(_prepare, article.body)))
    html = render_html(title + make_byline(article) + body)
    return html.replace("<br>", "<br/>") + _write_source(article)


def _write_source(article: Article) -> str:
    address = check_uri(article.url)
    if address is None:
        return ""
    return f'\n<p class="source"><a href="{escape(address)}">{escape(address)}</a></p>'


def _prepare(value: Any) -> Any:
    """Keep links that are valid in XML, and move headings of the first level below the title."""
    if isinstance(value, tuple):
        return tuple(map(_prepare, value))
    if isinstance(value, Run):
        return dataclasses.replace(value, href=check_uri(value.href)) if value.href else value
    if isinstance(value, Part) and dataclasses.is_dataclass(value):
        value = dataclasses.replace(value, level=max(value.level, 2)) if isinstance(value, Heading) else value
        return _prepare_fields(value)
    return _prepare_fields(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else value


def _prepare_fields(value: Any) -> Any:
    names = (field.name for field in dataclasses.fields(value))
    return dataclasses.replace(value, **{name: _prepare(getattr(value, name)) for name in names})
