"""Write articles as plain text, one block per line."""

from __future__ import annotations

from broadsheet.article import Article
from broadsheet.article.parts import (
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
from broadsheet.output.characters import clean_text
from broadsheet.output.front_matter import make_title
from broadsheet.output.plain_runs import join_plain_text
from broadsheet.output.runs import fold_spaces
from broadsheet.output.table_grid import expand_spans

_BULLET = "- "
_INDENT = "  "
_CELL_SEPARATOR = " | "


def write_text(article: Article) -> str:
    """Write the title, a blank line, and the body."""
    return "\n\n".join(filter(None, (write_title(article), article.text)))


def write_title(article: Article) -> str:
    """Write the title on one line."""
    return render_text(make_title(article))


def render_text(body: tuple[Part, ...]) -> str:
    """Write a body as plain text: one line for each block, list item and table row."""
    return "\n".join(_write_parts(body))


def write_part(part: Part) -> list[str]:  # noqa: PLR0911 - one for each kind of part
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


def write_term(item: Definition) -> list[str]:
    """Return the lines of the term of a definition."""
    return _split_lines(_write_runs(item.term))


def write_caption(table: Table) -> list[str]:
    """Return the lines of the caption of a table."""
    return _split_lines(_write_runs(table.caption)) if any(table.rows) else []


def _write_parts(parts: tuple[Part, ...]) -> list[str]:
    return [line for part in parts for line in write_part(part)]


def _split_lines(text: str) -> list[str]:
    return text.split("\n") if text.strip() else []


def _write_runs(runs: tuple[Run, ...]) -> str:
    return fold_spaces(join_plain_text(runs)).strip()


def _write_rows(table: Table) -> list[str]:
    rows = [[_write_runs(cell.runs).replace("\n", " ") for cell in row] for row in expand_spans(table.rows)]
    return write_caption(table) + [_CELL_SEPARATOR.join(cells).strip() for cells in rows if any(cells)]


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
        for line in write_part(part):
            if not lines and isinstance(part, Listing) and bullet != _BULLET:
                lines.append(bullet.rstrip())  # the lines of the inner list have their own marks
            if lines or isinstance(part, Listing):
                lines.append(_INDENT + line if line else line)
            else:
                lines.append(bullet + line)
    return lines


def _write_definition(item: Definition) -> list[str]:
    return write_term(item) + [_INDENT + line for details in item.details for line in _write_parts(details)]
