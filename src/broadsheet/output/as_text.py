"""Write articles as plain text, one block per line: from the parts of the body, or directly from the blocks.

Most articles consist of paragraphs only, and need no tree of parts for their text.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from broadsheet.article import Article
from broadsheet.article.frames import ITEM_TAGS, LIST_TAGS, is_data_table
from broadsheet.article.inline import drop_link_notes
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
from broadsheet.blocks import Blocks, tags
from broadsheet.html.names import TAG_NAMES
from broadsheet.kernel.selection import STRUCTURED_KIND, TABLE_KIND, find_tables_around
from broadsheet.output.inline import fold_spaces, join_plain_text
from broadsheet.output.safe import clean_text
from broadsheet.page import Page

_BULLET = "- "
_INDENT = "  "
_CELL_SEPARATOR = " | "
_MAX_COLUMNS = 1_000
_EMPTY_PER_CELL = 10  # empty cells for each cell of a table, besides _MIN_EMPTY_CELLS
_MIN_EMPTY_CELLS = 1000
# Lists are written with bullets, code with its white space, and superscripts, subscripts and deleted text with marks.
_STRUCTURED_TAGS = LIST_TAGS | ITEM_TAGS | {"sup", "sub", "del", "s", "strike"}


def format_text(article: Article) -> str:
    """Write the title, a blank line, and the body."""
    return "\n\n".join(filter(None, (render_title(article), article.text)))


def render_title(article: Article) -> str:
    """Write the title on one line."""
    return render_text(make_title(article))


def render_text(body: tuple[Part, ...]) -> str:
    """Write a body as plain text: one line for each block, list item and table row."""
    return "\n".join(_write_parts(body))


def render_part(part: Part) -> list[str]:  # noqa: PLR0911 - one for each kind of part
    """Return the lines of a part."""
    match part:
        case Paragraph(runs=runs) | Heading(runs=runs):
            return _split_lines(_write_runs(runs))
        case Code(text=text):
            return _split_lines(clean_text(text).strip("\n"))
        case Quote(parts=parts):
            return _write_parts(parts)
        case Table():
            return _write_rows(part)
        case Listing():
            return _write_list(part)
        case Definitions(items=items):
            return [line for item in items for line in _write_definition(item)]
        case Figure():
            return []  # neither captions nor text alternatives are part of the text


def render_term(item: Definition) -> list[str]:
    """Return the lines of the term of a definition."""
    return _split_lines(_write_runs(item.term))


def render_caption(table: Table) -> list[str]:
    """Return the lines of the caption of a table."""
    return _split_lines(_write_runs(table.caption)) if any(table.rows) else []


def _write_parts(parts: tuple[Part, ...]) -> list[str]:
    return [line for part in parts for line in render_part(part)]


def _split_lines(text: str) -> list[str]:
    return text.split("\n") if text.strip() else []


def _write_runs(runs: tuple[Run, ...]) -> str:
    return fold_spaces(join_plain_text(runs)).strip()


def _write_rows(table: Table) -> list[str]:
    rows = [[_write_runs(cell.runs).replace("\n", " ") for cell in row] for row in expand_spans(table.rows)]
    return render_caption(table) + [_CELL_SEPARATOR.join(cells).strip() for cells in rows if any(cells)]


def _write_list(listing: Listing) -> list[str]:
    lines: list[str] = []
    number = listing.start
    for item in listing.items:
        item_lines = _write_item(item, f"{number}. " if listing.is_ordered else _BULLET)
        number += bool(item_lines)
        lines += item_lines
    return lines


def _write_item(item: tuple[Part, ...], bullet: str) -> list[str]:
    lines: list[str] = []
    for part in item:
        for line in render_part(part):
            if not lines and isinstance(part, Listing) and bullet != _BULLET:
                lines.append(bullet.rstrip())  # the lines of the inner list have their own marks
            if lines or isinstance(part, Listing):
                lines.append(_INDENT + line if line else line)
            else:
                lines.append(bullet + line)
    return lines


def _write_definition(item: Definition) -> list[str]:
    return render_term(item) + [_INDENT + line for details in item.details for line in _write_parts(details)]


def make_title(article: Article) -> tuple[Part, ...]:
    """Return the title as a heading; nothing if there is no title."""
    return (Heading(1, (Run(" ".join(article.title.split())),)),) if article.title else ()


def make_byline(article: Article) -> tuple[Part, ...]:
    """Return authors and day as a paragraph; nothing if neither is known."""
    day = article.date.date().isoformat() if article.date else ""
    line = " · ".join(filter(None, (", ".join(article.authors), day)))
    return (Paragraph((Run(line),)),) if line else ()


def expand_spans(rows: Sequence[tuple[Cell, ...]]) -> Sequence[tuple[Cell, ...]]:
    """Put empty cells where a cell extends over several columns or rows, so that the columns stay aligned.

    Rows that would need more empty cells than a real table does stay as they are.
    """
    if all(cell.columns == 1 and cell.rows == 1 for row in rows for cell in row):
        return rows
    budget = _MIN_EMPTY_CELLS + _EMPTY_PER_CELL * sum(map(len, rows))
    expanded: list[tuple[Cell, ...]] = []
    open_rows: dict[int, int] = {}  # column -> rows that a cell above still extends over
    for row in rows:
        cells = _expand_row(row, open_rows) if budget > 0 else row
        budget -= len(cells) - len(row)
        expanded.append(tuple(cells))
    return expanded


def _expand_row(row: Sequence[Cell], open_rows: dict[int, int]) -> list[Cell]:
    cells: list[Cell] = []
    for cell in row:
        while open_rows.get(len(cells), 0) > 0 and len(cells) < _MAX_COLUMNS:
            open_rows[len(cells)] -= 1
            cells.append(Cell(()))
        for offset in range(cell.columns):
            if cell.rows > 1:
                open_rows[len(cells)] = cell.rows - 1
            cells.append(cell if not offset else Cell((), cell.is_header))
    return cells


def _find_kind(tag: str) -> int:
    if tag in _STRUCTURED_TAGS or tags.CONTEXT.get(tag) == tags.CODE:
        return STRUCTURED_KIND
    return TABLE_KIND if tag == "table" else 0


_TAG_KINDS = array("B", map(_find_kind, TAG_NAMES))


def render_blocks(page: Page, blocks: Blocks, content: Sequence[int]) -> str | None:
    """Write the content blocks as `render_text` writes their parts, one per line; None if the parts are needed.

    They are needed for blocks in lists, data tables and code, and for marked text.
    """
    nodes = page.nodes
    tables = find_tables_around(nodes.table, blocks.rows.rows, blocks.rows.ends, content, _TAG_KINDS)
    if tables is None or any(is_data_table(nodes, row) for row in tables):
        return None
    lines = [fold_spaces(drop_link_notes(blocks.text[block])).strip() for block in content]
    return "\n".join(filter(None, lines))
