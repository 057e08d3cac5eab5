"""HTML that is safe to embed: made from nothing but known tags and escaped text."""

from __future__ import annotations

from html import escape

from broadsheet.article.parts import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.output.characters import clean_text
from broadsheet.output.runs import nest_runs, tidy_runs

_TAG_OF_LOOK = {"is_bold": "strong", "is_italic": "em"}


def render_html(body: tuple[Part, ...]) -> str:
    """Write a body as HTML. No attribute but a checked `href` is ever written."""
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
            inner = [_write_runs(runs) if _is_short(rest) else _write_part(item[0]), render_html(tuple(rest))]
        case _:
            inner = [render_html(item)]
    return _wrap("li", "\n".join(filter(None, inner)))


def _is_short(rest: list[Part]) -> bool:
    """Tell whether an item is one paragraph, with or without lists below it: such a one needs no `<p>`."""
    return all(isinstance(part, Listing) for part in rest)


def _write_cell(cell: Cell) -> str:
    tag = "th" if cell.is_header else "td"
    return f"<{tag}>{_write_runs(cell.runs)}</{tag}>"  # an empty cell keeps its place


def _write_runs(runs: tuple[Run, ...]) -> str:
    return nest_runs(tidy_runs(runs), _write_run, _write_look)


def _write_run(run: Run) -> str:
    text = escape(run.text).replace("\n", "<br>")
    return _wrap("code", text) if run.is_code else text


def _write_look(look: str, value: str, inner: str) -> str:
    if look == "href":
        return f'<a href="{escape(value)}">{inner}</a>'
    return _wrap(_TAG_OF_LOOK[look], inner)


def _wrap(tag: str, inner: str) -> str:
    return f"<{tag}>{inner}</{tag}>" if inner else ""


def _wrap_lines(tag: str, lines: list[str]) -> str:
    inner = "\n".join(filter(None, lines))
    return f"<{tag}>\n{inner}\n</{tag}>" if inner else ""
