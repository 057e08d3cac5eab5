"""Select some of a page's blocks."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain

from broadsheet.blocks.blocks import BlockRows, Blocks
from broadsheet.blocks.headline import find_headline
from broadsheet.blocks.paths import LazyBlockPaths
from broadsheet.page import Page


def select_blocks(page: Page, blocks: Blocks, indices: Sequence[int]) -> Blocks:
    """Return the blocks with these indices, in their order. Headline, paths and groups are recomputed."""
    containers = array("i", [blocks.container[block] for block in indices])
    texts = [blocks.text[block] for block in indices]
    contexts = array("i", [blocks.context[block] for block in indices])
    return Blocks(
        text=texts,
        rows=_select_rows(blocks.rows, indices),
        first=array("i", [blocks.first[block] for block in indices]),
        last=array("i", [blocks.last[block] for block in indices]),
        container=containers,
        link_chars=array("i", [blocks.link_chars[block] for block in indices]),
        context=contexts,
        headline=find_headline(texts, contexts, page.metadata),
        paths=LazyBlockPaths(page.nodes, containers),
    )


def _select_rows(rows: BlockRows, indices: Sequence[int]) -> BlockRows:
    chosen = [rows[block] for block in indices]
    return BlockRows(array("i", chain.from_iterable(chosen)), array("i", accumulate(map(len, chosen))))
