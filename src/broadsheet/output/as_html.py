"""Write articles as HTML that is safe to embed: only listed tags, and escaped text."""

from __future__ import annotations

from html import escape

from broadsheet.article import Article
from broadsheet.article.parts import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.output.as_text import write_title
from broadsheet.output.characters import clean_text
from broadsheet.output.front_matter import make_byline, make_title
from broadsheet.output.runs import Formatting, nest_runs, tidy_runs

_FORMATTING_TAGS = {"is_bold": "strong", "is_italic": "em"}


def write_html(article: Article) -> str:
    """Write an HTML document with title, authors, date and body."""
    language = f' lang="{escape(clean_text(article.language))}"' if article.language else ""
    head = f'<meta charset="utf-8">\n<title>{escape(write_title(article))}</title>'
    content = render_html(make_title(article) + make_byline(article) + article.body)
    body = f"<article>\n{content}\n</article>"
    return f"<!DOCTYPE html>\n<html{language}>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>"


def render_html(body: tuple[Part, ...]) -> str:
    """Write a body as HTML. The only attribute is a checked `href`."""
    return "\n".join(html for part in body if (html := _write_part(part)))


def _write_part(part: Part) -> str:
    match part:
        case Paragraph(runs=runs):
            return _wrap("p", _write_runs(runs))
        case Heading(level=level, runs=runs):
            return _wrap(f"h{min(max(level, 1), 6)}", _write_runs(runs))
        case Code(text=text):
            return _wrap("pre", _wrap("code", escape(clean_text(text))))
        case Quote(parts=parts):
            return _wrap_lines("blockquote", [render_html(parts)])
        case Listing(is_ordered=is_ordered, items=items):
            return _wrap_lines("ol" if is_ordered else "ul", [_write_item(item) for item in items])
        case Table(rows=rows):
            return _wrap_lines("table", [_wrap("tr", "".join(map(_write_cell, row))) for row in rows])


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


def _write_cell(cell: Cell) -> str:
    tag = "th" if cell.is_header else "td"
    return f"<{tag}>{_write_runs(cell.runs)}</{tag}>"  # empty cells are kept: they fill a column


def _write_runs(runs: tuple[Run, ...]) -> str:
    return nest_runs(tidy_runs(runs), _write_run, _write_formatting)


def _write_run(run: Run) -> str:
    text = escape(run.text).replace("\n", "<br>")
    return _wrap("code", text) if run.is_code else text


def _write_formatting(kind: Formatting, value: str, inner: str) -> str:
    if kind == "href":
        return f'<a href="{escape(value)}">{inner}</a>'
    return _wrap(_FORMATTING_TAGS[kind], inner)


def _wrap(tag: str, inner: str) -> str:
    return f"<{tag}>{inner}</{tag}>" if inner else ""


def _wrap_lines(tag: str, lines: list[str]) -> str:
    inner = "\n".join(filter(None, lines))
    return f"<{tag}>\n{inner}\n</{tag}>" if inner else ""
