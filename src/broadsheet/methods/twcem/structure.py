"""Whole structures: what the filter of rows tore apart. Not in the document; see TwcemConfig.keep_structure."""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.blocks import Blocks, tags
from broadsheet.page import Nodes

_NEVER = tags.HIDDEN | tags.NAV | tags.FORM | tags.FOOTER


def find_torn_off(nodes: Nodes, blocks: Blocks, rows: Sequence[int], kept: set[int]) -> set[int]:
    """Find the rows among `rows` that belong to kept ones: other cells of a table's row, and headings right before one.

    Headings and cells are short and have no punctuation, so that Algorithm 3 drops them.
    """
    if not kept:
        return set()
    first, last = min(kept), max(kept)
    loose = [row for row in rows if first < row < last and row not in kept and not blocks.has(row, _NEVER)]
    table_rows = {_find_table_row(nodes, blocks, block) for block in kept if blocks.has(block, tags.CELL)}
    cells = {row for row in loose if table_rows and _belongs_to_table(nodes, blocks, row, table_rows)}
    headings = {row for row in loose if blocks.has(row, tags.HEADING) and (row + 1 in kept or row + 1 in cells)}
    return cells | headings


def _belongs_to_table(nodes: Nodes, blocks: Blocks, block: int, table_rows: set[int]) -> bool:
    if not blocks.has(block, tags.CELL):
        return False
    row = _find_table_row(nodes, blocks, block)
    # The cells beside a kept one, or the header just above.
    return row in table_rows or (nodes.tag[blocks.container[block]] == "th" and nodes.end[row] in table_rows)


def _find_table_row(nodes: Nodes, blocks: Blocks, block: int) -> int:
    return nodes.parent[blocks.container[block]]
