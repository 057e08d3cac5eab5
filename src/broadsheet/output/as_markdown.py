"""Write articles as Markdown (CommonMark with the tables of GFM) that renders to the same words."""

from __future__ import annotations

import re
from dataclasses import replace

from broadsheet.article import Article
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
    Table,
)
from broadsheet.output.as_text import expand_spans, make_byline, make_title
from broadsheet.output.inline_markdown import escape_line_starts, fence_code, render_figure, render_inline
from broadsheet.output.record import dump_json
from broadsheet.output.safe import clean_text

_LAST_HASH = re.compile(r"#$")
_MIN_FENCE_BACKTICKS = 3
# Two adjacent lists with the same marks would become one. Every second list uses the second mark.
_BULLETS = ("-", "*")
_DELIMITERS = (".", ")")
_LISTS = (Listing, Definitions)
_FRONT_FIELDS = ("title", "authors", "date_text", "language", "url")
_FRONT_NAMES = {"date_text": "date"}  # with the time zone, if the page states it


def format_markdown(article: Article) -> str:
    """Write the title as a heading, a line with authors and date, and the body."""
    return render_markdown(make_title(article) + make_byline(article) + article.body)


def format_markdown_file(article: Article) -> str:
    """Write the same below front matter in YAML: the record's fields about the article, each value as JSON."""
    record = article.to_dict(fields=_FRONT_FIELDS)
    values = {_FRONT_NAMES.get(name, name): record[name] for name in _FRONT_FIELDS if record[name]}
    return "\n".join(("---", *(f"{name}: {dump_json(value)}" for name, value in values.items()), "---", "")) + (
        f"\n{format_markdown(article)}"
    )


def render_markdown(body: tuple[Part, ...]) -> str:
    """Write a body as Markdown. Text that would be read as markup is escaped."""
    return "\n\n".join(_write_parts(body))


def _write_parts(parts: tuple[Part, ...]) -> list[str]:
    written: list[str] = []
    mark = 0  # index of the list mark
    before: Part | None = None
    for part in parts:
        mark = 1 - mark if isinstance(part, _LISTS) and isinstance(before, _LISTS) else 0
        if text := _write_part(part, mark):
            written.append(text)
            before = part
    return written


def _write_part(part: Part, mark: int) -> str:  # noqa: PLR0911 - one for each kind of part
    match part:
        case Paragraph(runs=runs):
            return escape_line_starts(render_inline(runs))
        case Heading(level=level, runs=runs):
            # A "#" at the end of a heading would be removed.
            text = _LAST_HASH.sub(r"\\#", render_inline(runs, line_break=" "))
            return f"{'#' * min(max(level, 1), 6)} {text}" if text else ""
        case Code(text=text, language=language):
            return _write_code(clean_text(text), language)
        case Quote(parts=parts):
            text = render_markdown(parts)
            return _prefix_lines(text, "> ", "> ") if text else ""
        case Listing():
            return _write_list(part, mark)
        case Definitions(items=items):
            return _write_list(Listing(False, tuple(map(_make_item, items))), mark)
        case Table():
            return _write_table(part)
        case Figure():
            return render_figure(part)


def _write_code(text: str, language: str) -> str:
    if not text.strip():
        return ""
    fence = fence_code(text, min_backticks=_MIN_FENCE_BACKTICKS)
    return "\n".join((fence + language, text.removesuffix("\n"), fence))


def _write_list(listing: Listing, mark: int) -> str:
    items: list[str] = []
    for item in listing.items:
        if text := ("\n" if _is_tight(item) else "\n\n").join(_write_parts(item)):
            number = listing.start + len(items)
            bullet = f"{number}{_DELIMITERS[mark]} " if listing.is_ordered else f"{_BULLETS[mark]} "
            items.append(_prefix_lines(text, bullet, " " * len(bullet)))
    return ("\n" if all(map(_is_tight, listing.items)) else "\n\n").join(items)


def _is_tight(item: tuple[Part, ...]) -> bool:
    """Return True if an item needs no blank lines: one paragraph, with or without one list below it.

    A list that does not begin with 1 needs a blank line before it.
    """
    match item:
        case () | (Paragraph(),) | (Paragraph(), Listing(is_ordered=False) | Listing(start=1)):
            return True
        case _:
            return False


def _make_item(item: Definition) -> tuple[Part, ...]:
    """Return a definition as a list item: CommonMark has no lists of definitions."""
    term = Paragraph(tuple(replace(run, is_bold=True) for run in item.term))
    return (term, *(part for details in item.details for part in details))


def _write_table(table: Table) -> str:
    rows = expand_spans([row for row in table.rows if row])
    if not rows:
        return ""
    width = max(map(len, rows))
    has_header = _is_header(rows[0])
    header = rows[0] if has_header else ()
    # Only the header must have all cells: GFM completes shorter rows.
    lines = [_write_row(header + (Cell(()),) * (width - len(header))), "|" + " --- |" * width]
    written = "\n".join(lines + [_write_row(row) for row in rows[has_header:]])
    caption = _write_part(Paragraph(table.caption), 0)
    return f"{caption}\n\n{written}" if caption else written


def _is_header(row: tuple[Cell, ...]) -> bool:
    """Tell a row of headers from a row that begins with the header of the row."""
    headers = [cell.is_header for cell in row if cell.runs]
    return any(cell.is_header for cell in row) and (all(headers) or len(headers) == 0)


def _write_row(row: tuple[Cell, ...]) -> str:
    return "| " + " | ".join(render_inline(cell.runs, line_break="<br>").replace("|", "\\|") for cell in row) + " |"


def _prefix_lines(text: str, first: str, others: str) -> str:
    """Put a list mark or quote mark before every line, without trailing white space on blank lines."""
    head, *rest = text.split("\n")
    return "\n".join([first + head, *(others + line if line else others.rstrip() for line in rest)])
