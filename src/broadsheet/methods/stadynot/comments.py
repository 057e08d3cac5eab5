"""Comments of readers (ours): prose without links that differs on every page, so the stages of the paper keep it."""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.blocks import Blocks
from broadsheet.page import Nodes


def find_comments(nodes: Nodes, blocks: Blocks, chosen: Sequence[int]) -> list[int]:
    """Return the chosen blocks inside elements whose id or class contains "comment".

    An element around all chosen blocks does not count: it names the page, not a part of it.
    """
    if not chosen:
        return []
    first_row = blocks.first[chosen[0]]
    is_comment = bytearray(len(nodes))
    for row in nodes.attrs.rows_containing(("id", "class"), ("comment",)):
        if row > first_row:
            is_comment[row : nodes.end[row]] = b"\1" * (nodes.end[row] - row)
    return [block for block in chosen if is_comment[blocks.first[block]]]
