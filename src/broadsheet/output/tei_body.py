"""The body of an article in TEI.

TEI allows `<head>` only at the start of a `<div>`, and `<div>` only at the end of its parent. A heading of the article
therefore opens a `<div>` that extends to the next heading of the same or a higher level. Lists and quotes cannot
contain a `<div>`: a heading in them becomes `<ab type="head">`.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from broadsheet.article.parts import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.output.characters import clean_text
from broadsheet.output.runs import Formatting, nest_runs, tidy_runs

_FORMATTING_RENDITIONS = {"is_bold": "bold", "is_italic": "italic"}


def write_sections(body: tuple[Part, ...]) -> str:
    """Write a body as the content of a `<div>`, with nested divisions for its headings."""
    lines: list[str] = []
    open_levels: list[int] = []
    for part in body:
        if not isinstance(part, Heading):
            lines.append(_write_part(part))
        elif head := _write_runs(part.runs):
            while open_levels and open_levels[-1] >= part.level:
                open_levels.pop()
                lines.append("</div>")
            open_levels.append(part.level)
            lines.append(f"<div>\n<head>{head}</head>")
    lines.extend("</div>" for _ in open_levels)
    return "\n".join(filter(None, lines))


def _write_part(part: Part) -> str:
    match part:
        case Paragraph(runs=runs):
            return _wrap("p", _write_runs(runs))
        case Heading(runs=runs):
            return _wrap("ab", _write_runs(runs), ' type="head"')
        case Code(text=text):
            return _wrap("p", _wrap("code", escape(clean_text(text)), ' xml:space="preserve"'))
        case Quote(parts=parts):
            return _wrap("quote", _write_parts(parts))
        case Listing(is_ordered=is_ordered, items=items):
            rend = ' rend="numbered"' if is_ordered else ' rend="bulleted"'
            return _wrap("list", "".join(map(_write_item, items)), rend)
        case Table(rows=rows):
            return _wrap("table", "".join(_wrap("row", "".join(map(_write_cell, row))) for row in rows))


def _write_parts(parts: tuple[Part, ...]) -> str:
    return "".join(map(_write_part, parts))


def _write_item(item: tuple[Part, ...]) -> str:
    match item:
        case (Paragraph(runs=runs),):
            return _wrap("item", _write_runs(runs))
        case _:
            return _wrap("item", _write_parts(item))


def _write_cell(cell: Cell) -> str:
    role = ' role="label"' if cell.is_header else ""
    return f"<cell{role}>{_write_runs(cell.runs)}</cell>"  # empty cells are kept: they fill a column


def _write_runs(runs: tuple[Run, ...]) -> str:
    return nest_runs(tidy_runs(runs), _write_run, _write_formatting)


def _write_run(run: Run) -> str:
    text = escape(run.text)
    return _wrap("code", text) if run.is_code else text.replace("\n", "<lb/>")


def _write_formatting(kind: Formatting, value: str, inner: str) -> str:
    if kind == "href":
        return f"<ref target={quoteattr(value)}>{inner}</ref>"
    return f'<hi rend="{_FORMATTING_RENDITIONS[kind]}">{inner}</hi>'


def _wrap(name: str, inner: str, attributes: str = "") -> str:
    return f"<{name}{attributes}>{inner}</{name}>" if inner else ""
