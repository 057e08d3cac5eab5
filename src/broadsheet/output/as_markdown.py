"""Markdown (CommonMark with the tables of GFM) that renders to the same words."""

from __future__ import annotations

import re

from broadsheet.article.parts import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Table
from broadsheet.output.characters import clean_text
from broadsheet.output.inline_markdown import escape_line_starts, write_inline

_BACKTICKS = re.compile(r"`+")
_LAST_HASH = re.compile(r"#$")
# Two lists in a row would become one if they had the same marks: every other one has the second of its pair.
_BULLETS = ("-", "*")
_DELIMITERS = (".", ")")


def render_markdown(body: tuple[Part, ...]) -> str:
    """Write a body as Markdown: structure kept, everything escaped that would be read as markup."""
    return "\n\n".join(_write_parts(body))


def _write_parts(parts: tuple[Part, ...]) -> list[str]:
    written: list[str] = []
    mark = 0
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
            # A "#" at the end of the line would be taken for decoration.
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
    longest = max((len(found[0]) for found in _BACKTICKS.finditer(text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return "\n".join((fence, text.removesuffix("\n"), fence))


def _write_list(listing: Listing, mark: int) -> str:
    items: list[str] = []
    for item in listing.items:
        if text := ("\n" if _is_tight(item) else "\n\n").join(_write_parts(item)):
            bullet = f"{len(items) + 1}{_DELIMITERS[mark]} " if listing.is_ordered else f"{_BULLETS[mark]} "
            items.append(_prefix_lines(text, bullet, " " * len(bullet)))
    return ("\n" if all(map(_is_tight, listing.items)) else "\n\n").join(items)


def _is_tight(item: tuple[Part, ...]) -> bool:
    """Tell whether an item is one paragraph, with or without one list below it: it needs no blank lines."""
    return [type(part) for part in item] in ([], [Paragraph], [Paragraph, Listing])


def _write_table(table: Table) -> str:
    rows = [row for row in table.rows if row]
    if not rows:
        return ""
    width = max(map(len, rows))
    has_header = any(cell.is_header for cell in rows[0])
    header = rows[0] if has_header else ()
    # Only the header needs all its cells: GFM fills up shorter rows.
    lines = [_write_row(header + (Cell(()),) * (width - len(header))), "|" + " --- |" * width]
    return "\n".join(lines + [_write_row(row) for row in rows[has_header:]])


def _write_row(row: tuple[Cell, ...]) -> str:
    return "| " + " | ".join(write_inline(cell.runs, line_break="<br>").replace("|", "\\|") for cell in row) + " |"


def _prefix_lines(text: str, first: str, others: str) -> str:
    """Put a list mark or a quote mark before every line; blank lines get no white space at their end."""
    head, *rest = text.split("\n")
    return "\n".join([first + head, *(others + line if line else others.rstrip() for line in rest)])
