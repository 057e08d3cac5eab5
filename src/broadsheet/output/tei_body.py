"""The body of an article in TEI.

TEI allows `<head>` only at the start of a `<div>`, and `<div>` only at the end of its parent. A heading of the article
therefore opens a `<div>` that extends to the next heading of the same or a higher level. Lists and quotes cannot
contain a `<div>`: a heading in them becomes `<ab type="head">`. In `<list type="gloss">`, each `<label>` has one
`<item>`.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

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
from broadsheet.output.inline import Formatting, fold_spaces, nest_runs, tidy_runs
from broadsheet.output.safe import check_uri, clean_text

_FORMATTING_RENDITIONS = {"is_bold": "bold", "is_italic": "italic"}
_SCRIPT_RENDITIONS = {"sup": "sup", "sub": "sub", "note": "sup"}


def render_sections(body: tuple[Part, ...]) -> str:
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


def _write_part(part: Part) -> str:  # noqa: PLR0911 - one for each kind of part
    match part:
        case Paragraph(runs=runs):
            return _wrap("p", _write_runs(runs))
        case Heading(runs=runs):
            return _wrap("ab", _write_runs(runs), ' type="head"')
        case Code(text=text, language=language):
            attributes = _write_attribute("lang", language) + ' xml:space="preserve"'
            return _wrap("p", _wrap("code", escape(clean_text(text)), attributes))
        case Quote(parts=parts):
            return _wrap("quote", _write_parts(parts))
        case Listing():
            return _write_list(part)
        case Definitions(items=items):
            return _wrap("list", "".join(map(_write_definition, items)), ' type="gloss"')
        case Table(rows=rows, caption=caption):
            written = [_wrap("row", "".join(map(_write_cell, row))) for row in rows]
            return _wrap("table", "".join((_wrap("head", _write_runs(caption)), *written))) if any(written) else ""
        case Figure():
            return _write_figure(part)


def _write_parts(parts: tuple[Part, ...]) -> str:
    return "".join(map(_write_part, parts))


def _write_list(listing: Listing) -> str:
    rend = ' rend="numbered"' if listing.is_ordered else ' rend="bulleted"'
    has_numbers = listing.is_ordered and listing.start != 1
    items = [
        _wrap("item", _write_item(item), _write_attribute("n", str(number) if has_numbers else ""))
        for number, item in enumerate(listing.items, listing.start)
    ]
    return _wrap("list", "".join(items), rend)


def _write_item(item: tuple[Part, ...]) -> str:
    match item:
        case (Paragraph(runs=runs),):
            return _write_runs(runs)
        case _:
            return _write_parts(item)


def _write_definition(item: Definition) -> str:
    term = _write_runs(item.term)
    details = _write_item(item.details[0]) if len(item.details) == 1 else "".join(map(_write_parts, item.details))
    return f"<label>{term}</label><item>{details}</item>" if term or details else ""


def _write_cell(cell: Cell) -> str:
    role = ' role="label"' if cell.is_header else ""
    rows = _write_attribute("rows", str(cell.rows) if cell.rows != 1 else "")
    columns = _write_attribute("cols", str(cell.columns) if cell.columns != 1 else "")
    return f"<cell{role}{rows}{columns}>{_write_runs(cell.runs)}</cell>"  # empty cells are kept: they fill a column


def _write_figure(figure: Figure) -> str:
    """Write a figure: the image, or a link to a video or post, with caption, text alternative and credit."""
    url = check_uri(figure.url)
    if not url:
        return ""
    image = url if figure.kind == "image" else check_uri(figure.preview_url)
    title = _escape_line(figure.title)
    lines = [f"<graphic url={quoteattr(image)}/>" if image else ""]
    if figure.kind != "image":
        lines.append(f"<p><ref target={quoteattr(url)}>{title or escape(url)}</ref></p>")
    lines.append(_wrap("head", _escape_line(figure.caption)))
    lines.append(_wrap("figDesc", title if figure.kind == "image" else ""))
    lines.append(_wrap("note", _escape_line(figure.credit), ' type="credit"'))
    return _wrap("figure", "".join(lines), _write_attribute("type", "" if figure.kind == "image" else figure.kind))


def _escape_line(text: str) -> str:
    return escape(fold_spaces(text).replace("\n", " ").strip())


def _write_runs(runs: tuple[Run, ...]) -> str:
    return nest_runs(tidy_runs(runs), _write_run, _write_formatting)


def _write_run(run: Run) -> str:
    text = escape(run.text)
    return _wrap("code", text) if run.is_code else text.replace("\n", "<lb/>")


def _write_formatting(kind: Formatting, value: str, inner: str) -> str:
    if kind == "href":
        target = check_uri(value)
        return f"<ref target={quoteattr(target)}>{inner}</ref>" if target else inner
    if kind == "is_deleted":
        return _wrap("del", inner)
    if kind == "script":
        return f'<hi rend="{_SCRIPT_RENDITIONS[value]}">{inner}</hi>'
    return f'<hi rend="{_FORMATTING_RENDITIONS[kind]}">{inner}</hi>'


def _wrap(name: str, inner: str, attributes: str = "") -> str:
    return f"<{name}{attributes}>{inner}</{name}>" if inner else ""


def _write_attribute(name: str, value: str) -> str:
    return f" {name}={quoteattr(value)}" if value else ""
