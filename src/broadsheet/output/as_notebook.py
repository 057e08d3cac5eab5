"""Show an article in a notebook: fields and text as HTML, with confidences in colour."""

from __future__ import annotations

from html import escape

from broadsheet.article import Article
from broadsheet.article.lazy import get_requested
from broadsheet.fields import FIELDS
from broadsheet.output.record import to_json_value
from broadsheet.output.safe import clean_text

_HIDDEN_FIELDS = ("title", "images")  # the title is the heading
_MAX_VALUE_CHARS = 300


def show_article(article: Article) -> str:
    """Return HTML without scripts: status and confidence, a table of fields, and the text, folded.

    An article with requested fields is shown as in a terminal.
    """
    if get_requested(article):
        return f"<pre>{escape(repr(article))}</pre>"
    reason = article.status_reason
    head = f"{_badge(article.confidence)} <b>{escape(article.status)}</b>" + (f" · {_write(reason)}" if reason else "")
    rows = "".join(_write_row(article, field.name) for field in FIELDS if field.name not in _HIDDEN_FIELDS)
    return (
        f'<div style="max-width: 50em"><h3>{_write(article.title or "(without title)")} '
        f"{_badge(article.confidences['title']) if 'title' in article.confidences else ''}</h3><p>{head}</p>"
        f"<table>{rows}</table><details><summary>text, {len(article.text):,} characters</summary>"
        f"{article.html}</details></div>"
    )


def _write_row(article: Article, name: str) -> str:
    value = getattr(article, name)
    if not value:
        return ""
    shown = ", ".join(value) if isinstance(value, tuple) else str(to_json_value(value))
    confidence = _badge(article.confidences[name]) if name in article.confidences else ""
    source = _write(article.sources.get(name, ""))
    return (
        f'<tr><th style="text-align: left">{name}</th><td style="text-align: left">{_write(shown)}</td>'
        f"<td>{confidence}</td><td>{source}</td></tr>"
    )


def _badge(confidence: float) -> str:
    """Write a confidence on a colour from red (0) to green (1)."""
    hue = round(120 * min(max(confidence, 0.0), 1.0))
    style = f"background: hsl({hue}, 70%, 80%); color: #111; padding: 0 0.4em; border-radius: 0.5em"
    return f'<span style="{style}">{confidence:.2f}</span>'


def _write(text: str) -> str:
    text = clean_text(text)
    return escape(text if len(text) <= _MAX_VALUE_CHARS else text[:_MAX_VALUE_CHARS] + "…")
