"""Write articles as plain text, one block per line."""

from __future__ import annotations

from broadsheet.article import Article
from broadsheet.article.parts import Code, Heading, Listing, Paragraph, Part, Quote, Run, Table, text_of_runs
from broadsheet.output.characters import clean_text
from broadsheet.output.front_matter import make_title
from broadsheet.output.runs import fold_spaces

_BULLET = "- "  # also in numbered lists: the numbers are not part of the page's text
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


def _write_parts(parts: tuple[Part, ...]) -> list[str]:
    return [line for part in parts for line in _write_part(part)]


def _write_part(part: Part) -> list[str]:
    match part:
        case Paragraph(runs=runs) | Heading(runs=runs):
            return _split_lines(_write_runs(runs))
        case Code(text=text):
            return _split_lines(clean_text(text).strip("\n"))
        case Quote(parts=parts):
            return _write_parts(parts)
        case Table():
            return _write_rows(part)
        case Listing(items=items):
            return [line for item in items for line in _write_item(item)]


def _split_lines(text: str) -> list[str]:
    return text.split("\n") if text.strip() else []


def _write_runs(runs: tuple[Run, ...]) -> str:
    return fold_spaces(text_of_runs(runs)).strip()


def _write_rows(table: Table) -> list[str]:
    rows = [[_write_runs(cell.runs).replace("\n", " ") for cell in row] for row in table.rows]
    return [_CELL_SEPARATOR.join(cells).strip() for cells in rows if any(cells)]


def _write_item(item: tuple[Part, ...]) -> list[str]:
    lines: list[str] = []
    for part in item:
        for line in _write_part(part):
            # An item that begins with a list gets no bullet: its lines are the inner items.
            has_bullet = not lines and not isinstance(part, Listing)
            lines.append((_BULLET if has_bullet else _INDENT) + line if line else line)
    return lines
