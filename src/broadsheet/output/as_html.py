"""Write articles as HTML that is safe to embed: only listed tags, and escaped text. Show an article in a notebook."""

from __future__ import annotations

from html import escape

from broadsheet.article import Article
from broadsheet.article.lazy import get_requested
from broadsheet.article.parts import (
    Cell,
    Code,
    Definition,
    Definitions,
    Figure,
    Heading,
    Listing,
    Paragraph,
    Part,
    Quote,
    Run,
    Table,
)
from broadsheet.fields import FIELDS
from broadsheet.output.as_text import make_byline, make_title, render_title
from broadsheet.output.inline import Formatting, fold_spaces, nest_runs, tidy_runs
from broadsheet.output.record import to_json_value
from broadsheet.output.safe import check_href, clean_text

_FORMATTING_TAGS = {"is_bold": "strong", "is_italic": "em", "is_deleted": "del"}
_SCRIPT_TAGS = {"sup": "sup", "sub": "sub", "note": "sup"}
_HIDDEN_FIELDS = ("title", "images")  # of the table in a notebook, where the title is the heading
_MAX_VALUE_CHARS = 300


def format_html(article: Article) -> str:
    """Write an HTML document with title, authors, date and body."""
    language = f' lang="{escape(clean_text(article.language))}"' if article.language else ""
    head = f'<meta charset="utf-8">\n<title>{escape(render_title(article))}</title>'
    content = render_html(make_title(article) + make_byline(article) + article.body)
    body = f"<article>\n{content}\n</article>"
    return f"<!DOCTYPE html>\n<html{language}>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>"


def render_html(body: tuple[Part, ...]) -> str:
    """Write a body as HTML. Its attributes are checked addresses, numbers, names of languages and escaped texts."""
    return "\n".join(html for part in body if (html := _write_part(part)))


def _write_part(part: Part) -> str:  # noqa: PLR0911 - one for each kind of part
    match part:
        case Paragraph(runs=runs):
            return _wrap("p", _write_runs(runs))
        case Heading(level=level, runs=runs):
            return _wrap(f"h{min(max(level, 1), 6)}", _write_runs(runs))
        case Code(text=text, language=language):
            attribute = f' class="language-{escape(language)}"' if language else ""
            return _wrap("pre", _wrap("code", escape(clean_text(text)), attribute))
        case Quote(parts=parts):
            return _wrap_lines("blockquote", [render_html(parts)])
        case Listing(is_ordered=is_ordered, items=items, start=start):
            attribute = f' start="{start}"' if is_ordered and start != 1 else ""
            return _wrap_lines("ol" if is_ordered else "ul", [_write_item(item) for item in items], attribute)
        case Definitions(items=items):
            return _wrap_lines("dl", [_write_definition(item) for item in items])
        case Table():
            return _write_table(part)
        case Figure():
            return _write_figure(part)


def _write_item(item: tuple[Part, ...]) -> str:
    match item:
        case (Paragraph(runs=runs), *rest):
            # One paragraph, with or without lists below it, needs no <p>.
            is_simple = all(isinstance(part, Listing) for part in rest)
            first = _write_runs(runs) if is_simple else _write_part(item[0])
            lines = [first, render_html(tuple(rest))]
        case _:
            lines = [render_html(item)]
    return _wrap("li", "\n".join(filter(None, lines)))


def _write_definition(item: Definition) -> str:
    return "\n".join(filter(None, (_wrap("dt", _write_runs(item.term)), *map(_write_details, item.details))))


def _write_details(details: tuple[Part, ...]) -> str:
    match details:
        case (Paragraph(runs=runs),):
            return _wrap("dd", _write_runs(runs))
        case _:
            return _wrap("dd", render_html(details))


def _write_table(table: Table) -> str:
    rows = [_wrap("tr", "".join(map(_write_cell, row))) for row in table.rows]
    caption = _wrap("caption", _write_runs(table.caption)) if any(rows) else ""
    return _wrap_lines("table", [caption, *rows])


def _write_cell(cell: Cell) -> str:
    tag = "th" if cell.is_header else "td"
    columns = f' colspan="{cell.columns}"' if cell.columns != 1 else ""
    rows = f' rowspan="{cell.rows}"' if cell.rows != 1 else ""
    return f"<{tag}{columns}{rows}>{_write_runs(cell.runs)}</{tag}>"  # empty cells are kept: they fill a column


def _write_figure(figure: Figure) -> str:
    """Write an image, or a link to a video or post. The caption of a figure is not part of the plain text."""
    url = check_href(figure.url)
    if not url:
        return ""
    image = check_href(figure.url if figure.kind == "image" else figure.preview_url)
    shown = f'<img src="{escape(image)}" alt="{_escape_line(figure.title)}">' if image else _escape_line(figure.title)
    if figure.kind != "image":
        shown = f'<a href="{escape(url)}">{shown or escape(url)}</a>'
    credit = _wrap("small", _escape_line(figure.credit))
    caption = _wrap("figcaption", " ".join(filter(None, (_escape_line(figure.caption), credit))))
    return _wrap_lines("figure", [shown, caption])


def _escape_line(text: str) -> str:
    return escape(fold_spaces(text).replace("\n", " ").strip())


def _write_runs(runs: tuple[Run, ...]) -> str:
    return nest_runs(tidy_runs(runs), _write_run, _write_formatting)


def _write_run(run: Run) -> str:
    text = escape(run.text).replace("\n", "<br>")
    return _wrap("code", text) if run.is_code else text


def _write_formatting(kind: Formatting, value: str, inner: str) -> str:
    if kind == "href":
        return f'<a href="{escape(value)}">{inner}</a>'
    if kind == "script":
        return _wrap(_SCRIPT_TAGS[value], inner)
    return _wrap(_FORMATTING_TAGS[kind], inner)


def _wrap(tag: str, inner: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{inner}</{tag}>" if inner else ""


def _wrap_lines(tag: str, lines: list[str], attributes: str = "") -> str:
    inner = "\n".join(filter(None, lines))
    return f"<{tag}{attributes}>\n{inner}\n</{tag}>" if inner else ""


# In a notebook: fields and text, with confidences in colour


def show_article(article: Article) -> str:
    """Return HTML without scripts: status and confidence, a table of fields, and the text, folded.

    An article with requested fields is shown as in a terminal.
    """
    if get_requested(article):
        return f"<pre>{escape(repr(article))}</pre>"
    reason = article.status_reason
    head = f"{_badge(article.confidence)} <b>{escape(article.status)}</b>" + (
        f" · {_shorten(reason)}" if reason else ""
    )
    rows = "".join(_write_field(article, field.name) for field in FIELDS if field.name not in _HIDDEN_FIELDS)
    return (
        f'<div style="max-width: 50em"><h3>{_shorten(article.title or "(without title)")} '
        f"{_badge(article.confidences['title']) if 'title' in article.confidences else ''}</h3><p>{head}</p>"
        f"<table>{rows}</table><details><summary>text, {len(article.text):,} characters</summary>"
        f"{article.html}</details></div>"
    )


def _write_field(article: Article, name: str) -> str:
    value = getattr(article, name)
    if not value:
        return ""
    shown = ", ".join(value) if isinstance(value, tuple) else str(to_json_value(value))
    confidence = _badge(article.confidences[name]) if name in article.confidences else ""
    source = _shorten(article.sources.get(name, ""))
    return (
        f'<tr><th style="text-align: left">{name}</th><td style="text-align: left">{_shorten(shown)}</td>'
        f"<td>{confidence}</td><td>{source}</td></tr>"
    )


def _badge(confidence: float) -> str:
    """Write a confidence on a colour from red (0) to green (1)."""
    hue = round(120 * min(max(confidence, 0.0), 1.0))
    style = f"background: hsl({hue}, 70%, 80%); color: #111; padding: 0 0.4em; border-radius: 0.5em"
    return f'<span style="{style}">{confidence:.2f}</span>'


def _shorten(text: str) -> str:
    text = clean_text(text)
    return escape(text if len(text) <= _MAX_VALUE_CHARS else text[:_MAX_VALUE_CHARS] + "…")
