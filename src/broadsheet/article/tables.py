"""Data tables: distinguished from tables that lay out the page, and built from their frames."""

from __future__ import annotations

from broadsheet.page import Nodes

CELL_TAGS = frozenset(("td", "th"))
_MAX_CELL_CHARS = 300  # a cell with more text is a column of the layout
_MAX_SPAN = 100  # columns or rows


def is_data_table(nodes: Nodes, table: int) -> bool:
    """Tell a data table (a grid of short cells, without a table inside) from one that lays out the page."""
    rows = cells = headers = 0
    row, end = table + 1, nodes.end[table]
    while row < end:
        tag = nodes.tag[row]
        if tag == "table":
            return False
        if tag == "tr":
            rows += 1
        elif tag in CELL_TAGS:
            cells += 1
            headers += tag == "th"
            raw_chars = sum(map(len, nodes.text[row : nodes.end[row]]))
            if raw_chars > _MAX_CELL_CHARS and len(nodes.text_of(row)) > _MAX_CELL_CHARS:
                return False
        row += 1
    return cells >= 2 and (headers > 0 or (rows >= 2 and cells >= 2 * rows))


def read_span(nodes: Nodes, row: int, name: str) -> int:
    """Return the number of columns or rows that a cell extends over."""
    value = nodes.attr(row, name).strip()
    return min(max(int(value), 1), _MAX_SPAN) if value.isascii() and value.isdigit() and len(value) <= 6 else 1


def is_in_header(nodes: Nodes, row: int) -> bool:
    """Tell whether a cell is a header: a `<th>`, or in a `<thead>`."""
    return nodes.tag[row] == "th" or nodes.tag[nodes.parent[nodes.parent[row]]] == "thead"
