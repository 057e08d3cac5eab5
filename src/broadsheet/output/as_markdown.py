"""Write articles as Markdown (CommonMark with the tables of GFM) that renders to the same words."""

from __future__ import annotations

import re

from broadsheet.article import Article
from broadsheet.article.parts import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Table
from broadsheet.output.characters import clean_text
from broadsheet.output.front_matter import make_byline, make_title
from broadsheet.output.inline_markdown import escape_line_starts, fence_code, write_inline

_LAST_HASH = re.compile(r"#$")
_MIN_FENCE_BACKTICKS = 3
# Two adjacent lists with the same marks would become one. Every second list uses the second mark.
_BULLETS = ("-", "*")
_DELIMITERS = (".", ")")


def write_markdown(article: Article) -> str:
    """Write the title as a heading, a line with authors and date, and the body."""
    return render_markdown(make_title(article) + make_byline(article) + article.body)


def render_markdown(body: tuple[Part, ...]) -> str:
    """Write a body as Markdown. Text that would be read as markup is escaped."""
    return "\n\n".join(_write_parts(body))


def _write_parts(parts: tuple[Part, ...]) -> list[str]:
    written: list[str] = []
    mark = 0  # index of the list mark
    before: Part | None = None
    for part in parts:
        mark = 1 - mark if isinstance(part, Listing) and isinstance(before, Listing) else 0
        if text := _write_part(part, mark):
            written.append(text)
            before = part
    return written


def _write_part(part: Part, mark: int) -> str:
    match part:
        case Paragraph(runs=runs):
            return escape_line_starts(write_inline(runs))
        case Heading(level=level, runs=runs):
            # A "#" at the end of a heading would be removed.
            text = _LAST_HASH.sub(r"\\#", write_inline(runs, line_break=" "))
            return f"{'#' * min(max(level, 1), 6)} {text}" if text else ""
        case Code(text=text):
            return _write_code(clean_text(text))
        case Quote(parts=parts):
            text = render_markdown(parts)
            return _prefix_lines(text, "> ", "> ") if text else ""
        case Listing():
            return _write_list(part, mark)
        case Table():
            return _write_table(part)


def _write_code(text: str) -> str:
    if not text.strip():
        return ""
    fence = fence_code(text, min_backticks=_MIN_FENCE_BACKTICKS)
    return "\n".join((fence, text.removesuffix("\n"), fence))


def _write_list(listing: Listing, mark: int) -> str:
    items: list[str] = []
    for item in listing.items:
        if text := ("\n" if _is_tight(item) else "\n\n").join(_write_parts(item)):
            bullet = f"{len(items) + 1}{_DELIMITERS[mark]} " if listing.is_ordered else f"{_BULLETS[mark]} "
            items.append(_prefix_lines(text, bullet, " " * len(bullet)))
    return ("\n" if all(map(_is_tight, listing.items)) else "\n\n").join(items)


def _is_tight(item: tuple[Part, ...]) -> bool:
    """Return True if an item needs no blank lines: one paragraph, with or without one list below it."""
    return [type(part) for part in item] in ([], [Paragraph], [Paragraph, Listing])


def _write_table(table: Table) -> str:
    rows = [row for row in table.rows if row]
    if not rows:
        return ""
    width = max(map(len, rows))
    has_header = any(cell.is_header for cell in rows[0])
    header = rows[0] if has_header else ()
    # Only the header must have all cells: GFM completes shorter rows.
    lines = [_write_row(header + (Cell(()),) * (width - len(header))), "|" + " --- |" * width]
    return "\n".join(lines + [_write_row(row) for row in rows[has_header:]])


def _write_row(row: tuple[Cell, ...]) -> str:
    return "| " + " | ".join(write_inline(cell.runs, line_break="<br>").replace("|", "\\|") for cell in row) + " |"


def _prefix_lines(text: str, first: str, others: str) -> str:
    """Put a list mark or quote mark before every line, without trailing white space on blank lines."""
    head, *rest = text.split("\n")
    return "\n".join([first + head, *(others + line if line else others.rstrip() for line in rest)])
