"""Page to blocks: search-and-combine segmentation of SemText, section III-A.

1. The search phase cuts the text at the borders of containers. The parser has done it: `Nodes.runs` (see `page.runs`).
2. Here, each run becomes a block. Two `<br>` in a row start another block, as old pages separate paragraphs.
3. The combine phase joins similar neighbours. Here it only numbers the groups (`Blocks.group`): blocks stay separate,
   so that a method can reject one paragraph and keep the next.
"""

from __future__ import annotations

from array import array

from broadsheet.blocks.blocks import BlockRows, Blocks
from broadsheet.blocks.headline import find_headline
from broadsheet.blocks.paths import LazyBlockPaths
from broadsheet.html.names import TAG_NAMES
from broadsheet.kernel.segments import cut_blocks, find_contexts
from broadsheet.page import Page, tags

_CONTEXT_OF_TAG = array("i", [tags.CONTEXT.get(name, 0) for name in TAG_NAMES])


def segment(page: Page) -> Blocks:
    """Cut the page into blocks that contain all its visible text once, in order."""
    nodes = page.nodes
    page.deadline.check()
    columns = cut_blocks(nodes.table)
    contexts = find_contexts(nodes.table, columns.container, _CONTEXT_OF_TAG, tags.CELL, tags.HIDDEN)
    return Blocks(
        text=columns.texts,
        rows=BlockRows(columns.rows, columns.row_end),
        first=columns.first,
        last=columns.last,
        container=columns.container,
        link_chars=columns.link_chars,
        context=contexts,
        headline=find_headline(columns.texts, contexts, page.metadata),
        paths=LazyBlockPaths(nodes, columns.container),
    )
