"""Tell the readers' comments (ours): prose without links, different on every page, and so no noise to the document."""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.blocks import Blocks
from broadsheet.page import Nodes

_COMMENTS = '[id*="comment" i], [class*="comment" i]'


def find_comments(nodes: Nodes, blocks: Blocks, kept: Sequence[int]) -> list[int]:
    """Find the kept blocks in elements called comments.

    An element around all that was kept does not count: it says that the page is a comment, not which block is.
    """
    if not kept:
        return []
    first = blocks.first[kept[0]]
    inside = bytearray(len(nodes))
    for row in nodes.select(_COMMENTS):
        if row > first:
            inside[row : nodes.end[row]] = b"\1" * (nodes.end[row] - row)
    return [block for block in kept if inside[blocks.first[block]]]
