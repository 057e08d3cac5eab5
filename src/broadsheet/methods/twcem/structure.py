"""Headings and table cells that Algorithm 3 drops although their neighbours are kept (ours; `keep_structure`)."""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.blocks import Blocks, tags
from broadsheet.page import Nodes

_EXCLUDED_CONTEXT = tags.HIDDEN | tags.NAV | tags.FORM | tags.FOOTER


def find_structure(nodes: Nodes, blocks: Blocks, rows: Sequence[int], kept: set[int]) -> set[int]:
    """Return rows that belong to kept ones: other cells of the same table row, and headings directly before one.

    Headings and cells are short and have no punctuation, so that Algorithm 3 drops them.
    """
    if not kept:
        return set()
    first, last = min(kept), max(kept)
    dropped = [row for row in rows if first < row < last and row not in kept and not blocks.has(row, _EXCLUDED_CONTEXT)]
    table_rows = {_find_table_row(nodes, blocks, block) for block in kept if blocks.has(block, tags.CELL)}
    cells = {row for row in dropped if table_rows and _is_in_table_row(nodes, blocks, row, table_rows)}
    headings = {row for row in dropped if blocks.has(row, tags.HEADING) and (row + 1 in kept or row + 1 in cells)}
    return cells | headings


def _is_in_table_row(nodes: Nodes, blocks: Blocks, block: int, table_rows: set[int]) -> bool:
    """Tell whether a block is a cell of one of the table rows, or of the header directly above one."""
    if not blocks.has(block, tags.CELL):
        return False
    row = _find_table_row(nodes, blocks, block)
    return row in table_rows or (nodes.tag[blocks.container[block]] == "th" and nodes.end[row] in table_rows)


def _find_table_row(nodes: Nodes, blocks: Blocks, block: int) -> int:
    return nodes.parent[blocks.container[block]]
