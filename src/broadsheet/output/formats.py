"""The formats that a whole article can be written in, by name: what `--format` offers."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from broadsheet.article import Article
from broadsheet.article.parts import Heading, Paragraph, Part, Run
from broadsheet.output.as_html import render_html
from broadsheet.output.as_json import dump_json, to_json
from broadsheet.output.as_markdown import render_markdown
from broadsheet.output.as_schema import to_schema_org
from broadsheet.output.as_tei import to_tei
from broadsheet.output.as_text import render_text
from broadsheet.output.characters import clean_text


def write_text(article: Article) -> str:
    """Title, a blank line, and the text."""
    title = render_text(_write_title(article))
    return "\n\n".join(filter(None, (title, article.text)))


def write_markdown(article: Article) -> str:
    """Title as a heading, a line with authors and date, and the text."""
    return render_markdown(_write_title(article) + _write_byline(article) + article.body)


def write_html(article: Article) -> str:
    """A small HTML document of its own: title, authors and date, and the text."""
    language = f' lang="{escape(clean_text(article.language))}"' if article.language else ""
    head = f'<meta charset="utf-8">\n<title>{escape(render_text(_write_title(article)))}</title>'
    content = render_html(_write_title(article) + _write_byline(article) + article.body)
    body = f"<article>\n{content}\n</article>"
    return f"<!DOCTYPE html>\n<html{language}>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>"


def write_json(article: Article) -> str:
    """All fields, to be read by people too."""
    return to_json(article, indent=2)


def write_schema(article: Article) -> str:
    """JSON-LD; as it has no "<", it can stand in a `<script>` of any page."""
    return dump_json(to_schema_org(article), indent=2).replace("<", "\\u003c")


# Without a newline at the end: whoever writes the text to a file or a terminal adds it.
FORMATS: dict[str, Callable[[Article], str]] = {
    "text": write_text,
    "md": write_markdown,
    "html": write_html,
    "json": write_json,
    "jsonl": to_json,  # one line
    "schema": write_schema,
    "tei": to_tei,
}


def _write_title(article: Article) -> tuple[Part, ...]:
    return (Heading(1, (Run(" ".join(article.title.split())),)),) if article.title else ()


def _write_byline(article: Article) -> tuple[Part, ...]:
    day = article.date.date().isoformat() if article.date else ""
    line = " · ".join(filter(None, (", ".join(article.authors), day)))
    return (Paragraph((Run(line),)),) if line else ()
